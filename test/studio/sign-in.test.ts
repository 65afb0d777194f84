// The Studio in a browser: a wallet of the test signs in, or declines; the operator comes by a
// one-time code, reads, and unlocks changes; and what the page says where there is no wallet.

import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import {
  barriersOf,
  chromiumMissing,
  type OpenedBrowser,
  openChromium,
  type Page,
} from '../support/chromium.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

t.setTimeout(120_000)

const skip = await chromiumMissing()

t.test('sign-in', { skip }, async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await t.test('a wallet signs in and out', (t) => signsIn(t, gateway, browser))
  await t.test('a wallet declines', (t) => declines(t, gateway, browser))
  await t.test('the operator, by a code', (t) => entersByCode(t, gateway, browser))
  await t.test('no wallet', (t) => hasNone(t, gateway, browser))
  await t.test('how the first pages look', (t) => looks(t, gateway, browser))
})

async function signsIn(t: Test, { url }: LiveGateway, browser: OpenedBrowser): Promise<void> {
  const wallet = testWallet('studio')
  await browser.open(t, walletOptions(wallet), async (page) => {
    await page.goto(`${url}/#/collections`)
    await page.getByRole('button', { name: 'Test wallet' }).waitFor()
    t.same(await barriersOf(page), [], 'the sign-in has no barriers')
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('heading', { name: 'Collections' }).waitFor()
    t.match(await page.locator('.account').textContent(), wallet.address.slice(0, 6))
    t.same(await barriersOf(page), [], 'the first page has no barriers')
    await page.reload()
    await page.getByRole('heading', { name: 'Collections' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Test wallet' }).waitFor()
  })
}

async function declines(t: Test, { url }: LiveGateway, browser: OpenedBrowser): Promise<void> {
  const options = walletOptions(testWallet('studio'), { declines: true })
  await browser.open(t, options, async (page) => {
    await page.goto(url)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByText('You declined in the wallet').waitFor()
  })
}

async function entersByCode(t: Test, gateway: LiveGateway, browser: OpenedBrowser): Promise<void> {
  const { url, key } = gateway
  const made = await fetch(`${url}/api/v1/studio/code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: '{}',
  })
  const { code } = (await made.json()) as { code: string }
  const enter = { name: 'Sign in as the operator' }
  await browser.open(t, { expected: /status of 40[13]/ }, async (page) => {
    await page.goto(`${url}/#code=${code}`)
    await page.getByRole('button', enter).waitFor()
    t.notMatch(await page.evaluate<string>('location.href'), code, 'the address keeps no code')
    await page.getByRole('button', enter).click()
    await page.getByRole('heading', { name: 'Start' }).waitFor()
    await page.reload()
    await page.getByText('Operator', { exact: true }).waitFor()
    t.equal(await page.evaluate<string>('document.cookie'), '', 'no cookie is set')

    await page.goto(`${url}/#/collections/notes`)
    await insertNote(page)
    await page
      .locator('dialog.editor')
      .getByText(/Unlock changes first/)
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Unlock changes' }).click()
    t.same(await barriersOf(page), [], 'the unlock has no barriers')
    await page.getByLabel("The operator's key, or a new code").fill('wrong')
    await page.getByRole('button', { name: 'Unlock', exact: true }).click()
    await page.getByText("this is not the operator's key").waitFor()
    await page.getByLabel("The operator's key, or a new code").fill(key)
    await page.getByRole('button', { name: 'Unlock', exact: true }).click()
    await page.getByRole('button', { name: 'Lock changes' }).waitFor()
    await insertNote(page)
    await page.getByRole('button', { name: 'first', exact: true }).waitFor()
    await page.goto(`${url}/#/collections`)
    await page.getByRole('link', { name: 'notes' }).waitFor()
    const [row = ''] = await page.locator('tr:has(a[href$="notes"])').allTextContents()
    t.match(row, /^notes11\d{4}-\d\d-\d\dprivateoperator$/, 'its figures, day, mode and owner')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', enter).waitFor()
  })
  await browser.open(t, { expected: /status of 401/ }, async (page) => {
    await page.goto(`${url}/#code=${code}`)
    await page.getByRole('button', enter).click()
    await page
      .locator('main')
      .getByText(/the code was used at/)
      .waitFor()
  })
}

async function insertNote(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Insert' }).click()
  await page.getByLabel('Document as Extended JSON').fill('{"_id": "first"}')
  await page.getByRole('button', { name: 'Insert' }).nth(1).click()
}

async function hasNone(t: Test, { url }: LiveGateway, browser: OpenedBrowser): Promise<void> {
  await browser.open(t, { colorScheme: 'dark', expected: /401/ }, async (page) => {
    await page.goto(url)
    await page.getByText('No wallet was found').waitFor()
    t.same(await barriersOf(page), [], 'in the dark')
  })
}

async function looks(t: Test, { url, ports }: LiveGateway, browser: OpenedBrowser) {
  const wallet = testWallet('studio')
  const { apiKey } = await (await WalletClient.signIn(url, wallet)).issue()
  const uri = `mongodb://${wallet.address}:${apiKey}@127.0.0.1:${ports.wire}`
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  for (const name of ['authors', 'books', 'orders']) {
    await client.db('main').collection(name).insertOne({ of: name })
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_280, 360]) {
      const options = { ...walletOptions(wallet), expected: /401/ }
      const viewport = { width, height: 800 }
      await browser.open(t, { ...options, colorScheme, viewport }, async (page) => {
        for (const name of ['sign-in', 'collections']) {
          if (name === 'sign-in') await page.goto(`${url}/#/collections`)
          else await page.getByRole('button', { name: 'Test wallet' }).click()
          const ready = name === 'sign-in' ? 'Test wallet' : 'orders'
          await page.getByRole(name === 'sign-in' ? 'button' : 'link', { name: ready }).waitFor()
          const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
          t.equal(wide, width, 'nothing is wider than the screen')
          t.same(await barriersOf(page), [], `${name}, ${colorScheme}, ${width} pixels`)
          await pictured(page, `${name}-${colorScheme}-${width}`)
        }
      })
    }
  }
}
