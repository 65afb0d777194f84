// The first screen of the Studio, in a browser: sample data by a click, a key, and a first query,
// whose lines work as they are shown; for the operator the unlock first, and a service user.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import { createClient } from 'redis'
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

t.setTimeout(180_000)

const wallet = testWallet('studio')
const second = testWallet('studio, second')
const expected = /status of 40[13]/

t.test('the first steps', { skip: await chromiumMissing() }, async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await t.test('of a wallet', (t) => ofWallet(t, gateway, browser))
  await t.test('of a second wallet', (t) => ofSecond(t, gateway, browser))
  await t.test('of the operator', (t) => ofOperator(t, gateway, browser))
  await looks(t, gateway.url, browser)
})

async function stepOf(page: Page, title: string): Promise<string> {
  const texts = await page.locator('.steps > li').allTextContents()
  return texts.find((text) => text.startsWith(title)) ?? ''
}

async function ofWallet(t: Test, { url }: LiveGateway, browser: OpenedBrowser): Promise<void> {
  await browser.open(t, walletOptions(wallet), async (page) => {
    await page.goto(url)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('heading', { name: 'Start' }).waitFor()
    await page.getByRole('button', { name: 'Load the sample data' }).waitFor()
    for (const title of ['Sample data', 'A key', 'A first query']) {
      t.match(await stepOf(page, title), 'to do', title)
    }
    await page.getByRole('button', { name: 'Load the sample data' }).click()
    await page.getByRole('link', { name: 'See the collections' }).waitFor()
    t.match(await stepOf(page, 'Sample data'), 'done')
    const { apiKey } = await (await WalletClient.signIn(url, wallet)).issue()
    await page.getByRole('link', { name: 'See your keys' }).waitFor()
    t.match(await stepOf(page, 'A key'), 'done')
    await linesWork(t, page, { SIGIL_API_KEY: apiKey })
    await page.locator('.done').nth(2).waitFor()
    t.match(await stepOf(page, 'A first query'), 'done')
  })
}

/** Each language: the addresses by its driver, curl as it is shown. */
async function linesWork(
  t: Test,
  page: Page,
  secret: Record<string, string>,
  collection = 'demo_books',
): Promise<void> {
  const { SIGIL_URI } = await shownFor(page, 'mongosh', secret)
  const client = await MongoClient.connect(SIGIL_URI ?? '')
  const sea = client.db().collection(collection).find({ genres: 'sea' })
  t.match(await sea.toArray(), [{ title: 'Moby-Dick' }])
  await client.close()
  const { SIGIL_REDIS_URL = '' } = await shownFor(page, 'redis-cli', secret)
  const keys = await createClient({ url: SIGIL_REDIS_URL }).connect()
  t.match(await keys.hGetAll('demo:shop'), { city: 'Bergen' })
  keys.destroy()
  const { SIGIL_SQL_URL = '' } = await shownFor(page, 'psql', secret)
  const rows = new pg.Client({ connectionString: SIGIL_SQL_URL })
  await rows.connect()
  t.equal((await rows.query(`SELECT title FROM ${collection} WHERE year < 1820`)).rows.length, 4)
  await rows.end()
  for (const name of ['Node', 'Python', 'Go']) {
    t.equal((await shownFor(page, name, secret)).SIGIL_URI, SIGIL_URI, name)
    t.match(await lastLines(page), collection)
  }
  await shownFor(page, 'curl', secret)
  const line = await lastLines(page)
  const env = { ...process.env, ...secret }
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { env })
  t.match(JSON.parse(stdout), { documents: [{ _id: 'moby-dick' }] })
}

async function lastLines(page: Page): Promise<string> {
  return (await page.locator('.lines pre').allTextContents()).at(-1) ?? ''
}

/** What the lines of the shell export, with the secret. */
async function shownFor(
  page: Page,
  language: string,
  secret: Record<string, string>,
): Promise<Record<string, string>> {
  await page.getByRole('button', { name: language, exact: true }).click()
  const [first = '', ...lines] = (
    (await page.locator('.lines pre').allTextContents()).at(-2) ?? ''
  ).split('\n')
  const [, variable = ''] = /^read -rs (\w+) && export \1 /.exec(first) ?? []
  const pairs = lines.flatMap((line) => [...line.matchAll(/(\w+)="?([^"\s]*)"?/g)])
  return Object.fromEntries(
    pairs.map(([, name = '', text = '']) => [
      name,
      text.replace(`$${variable}`, secret[variable] ?? ''),
    ]),
  )
}

/** The plain names are the first wallet's. */
async function ofSecond(t: Test, { url }: LiveGateway, browser: OpenedBrowser): Promise<void> {
  await browser.open(t, { ...walletOptions(second), expected }, async (page) => {
    await page.goto(url)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('button', { name: 'Load the sample data' }).click()
    await page.getByRole('link', { name: 'See the collections' }).click()
    const part = second.address.slice(2, 8).toLowerCase()
    await page.getByRole('link', { name: `demo_books_${part}` }).waitFor()
    await page.getByRole('link', { name: 'Start', exact: true }).click()
    await page.getByRole('button', { name: 'psql' }).click()
    t.match(await stepOf(page, 'A first query'), `FROM demo_books_${part}`)
  })
}

async function ofOperator(t: Test, gateway: LiveGateway, browser: OpenedBrowser): Promise<void> {
  const { url, key } = gateway
  await browser.open(t, { expected }, async (page) => {
    await page.goto(`${url}/#code=${await codeOf(gateway)}`)
    await page.getByRole('button', { name: 'Sign in as the operator' }).click()
    await page.getByText('Unlock changes, then load the data.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Load the sample data' }).count(), 0)
    await page.locator('.steps').getByRole('button', { name: 'Unlock changes' }).click()
    await page.getByLabel("The operator's key, or a new code").fill(key)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Load the sample data' }).click()
    await page.getByText('Loading…').waitFor({ state: 'detached' })
    const line = await page.locator('.lines pre').first().textContent()
    const [, address = ''] = /^mongosh "(.*?)" -p/.exec(line ?? '') ?? []
    const client = await MongoClient.connect(address.replace('@', `:${key}@`))
    const [, user = ''] = /createUser\(\{ user: "(\w+)"/.exec(line ?? '') ?? []
    await client.db().command({ createUser: user, pwd: 'a good password', roles: ['readWrite'] })
    await client.close()
    const secret = { SIGIL_PASSWORD: encodeURIComponent('a good password'), SIGIL_API_KEY: key }
    await linesWork(t, page, secret, 'demo_books_operator')
  })
}

async function codeOf({ url, key }: LiveGateway): Promise<string> {
  const made = await fetch(`${url}/api/v1/studio/code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: '{}',
  })
  return ((await made.json()) as { code: string }).code
}

async function looks(t: Test, url: string, browser: OpenedBrowser): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, height] of [
      [1_280, 800],
      [360, 740],
    ] as const) {
      const options = { ...walletOptions(wallet), colorScheme, viewport: { width, height } }
      await browser.open(t, options, async (page) => {
        await page.goto(url)
        await page.getByRole('button', { name: 'Test wallet' }).press('Enter')
        await page.getByRole('link', { name: 'See the collections' }).waitFor()
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        t.equal(wide, width, 'nothing is wider than the screen')
        const name = `start-${colorScheme}-${width}`
        t.same(await barriersOf(page), [], name)
        await pictured(page, name)
      })
    }
  }
}
