// The Studio in a browser: a wallet of the test signs in, or declines; what it sees then; and what
// the page says where there is no wallet.

import t, { type Test } from 'tap'
import {
  barriersOf,
  chromiumMissing,
  type OpenedBrowser,
  openChromium,
} from '../support/chromium.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { testWallet } from '../support/wallet.js'

t.setTimeout(120_000)

const skip = await chromiumMissing()

t.test('sign-in', { skip }, async (t) => {
  const gateway = await startGateway(t)
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await t.test('a wallet signs in and out', (t) => signsIn(t, gateway, browser))
  await t.test('a wallet declines', (t) => declines(t, gateway, browser))
  await t.test('no wallet', (t) => hasNone(t, gateway, browser))
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

async function hasNone(t: Test, { url }: LiveGateway, browser: OpenedBrowser): Promise<void> {
  await browser.open(t, { colorScheme: 'dark', expected: /401/ }, async (page) => {
    await page.goto(url)
    await page.getByText('No wallet was found').waitFor()
    t.same(await barriersOf(page), [], 'in the dark')
  })
}
