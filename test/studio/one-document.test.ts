// One document in the Studio, in a browser, as JSON, as a row and as a key at once: what a client of
// SQL or of the key-value protocol changes is seen in all of them, and what the user has typed stays.

import { MongoClient } from 'mongodb'
import pg from 'pg'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import {
  barriersOf,
  chromiumMissing,
  fieldHas,
  type OpenedBrowser,
  openChromium,
  type Page,
} from '../support/chromium.js'
import { startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

t.setTimeout(180_000)

const wallet = testWallet('studio forms')
const options = { ...walletOptions(wallet), expected: /status of 40[14]/ }
const documentLabel = 'Document as Extended JSON'
const home = `w_${wallet.address.toLowerCase()}`

type Keys = ReturnType<typeof createClient>

interface Clients {
  readonly keys: Keys
  readonly sql: pg.Client
  readonly mongo: MongoClient
}

t.test('one document', { skip: await chromiumMissing() }, async (t) => {
  const { url, ports } = await startGateway(t, { RATE_LIMITS: 'off' })
  const { apiKey } = await (await WalletClient.signIn(url, wallet)).issue()
  const user = `${wallet.address}:${apiKey}@127.0.0.1`
  const keys: Keys = createClient({ url: `redis://${user}:${ports.redis}` })
  await keys.connect()
  t.teardown(() => keys.destroy())
  const sql = new pg.Client({ connectionString: `postgresql://${user}:${ports.sql}/main` })
  await sql.connect()
  t.teardown(() => sql.end())
  const mongo = await MongoClient.connect(`mongodb://${user}:${ports.wire}/main`)
  t.teardown(() => mongo.close())
  await keys.hSet('user:1', { name: 'Ada', city: 'London' })
  await sql.query(`INSERT INTO books (_id, title, price) VALUES ('emma', '=1+1', 8.5)`)
  const browser = await openChromium()
  t.teardown(() => browser.close())
  const clients = { keys, sql, mongo }
  await t.test('a key', (t) => ofKey(t, url, browser, clients))
  await t.test('a row', (t) => ofRow(t, url, browser, clients))
  await looks(t, url, browser)
})

async function opens(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('button', { name: 'Test wallet' }).click()
  await page.getByRole('button', { name, exact: true }).click()
  await page.locator('#row-form').waitFor()
}

async function ofKey(
  t: Test,
  url: string,
  browser: OpenedBrowser,
  { keys, mongo }: Clients,
): Promise<void> {
  await browser.open(t, options, async (page) => {
    await page.goto(`${url}/#/keys`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('link', { name: /user:/ }).click()
    await page.getByRole('button', { name: 'user:1' }).click()
    await page.getByRole('link', { name: 'Open as a document' }).click()
    await page.locator('tbody').getByRole('button', { name: 'user:1', exact: true }).click()
    const key = page.locator('section[aria-labelledby="key-form"]')
    await key.getByText('hash, 2 members, no expiry').waitFor()
    await key.getByText('London').waitFor()
    const row = page.locator('section[aria-labelledby="row-form"]')
    await row.getByText('"city":"London"').waitFor()
    t.same(await barriersOf(page), [], 'the forms of a key')

    await page.getByText('live', { exact: true }).waitFor()
    await keys.hSet('user:1', { name: 'Grace', city: 'New York' })
    await row.getByText('"city":"New York"').waitFor()
    await key.getByText('New York').waitFor()
    const text = page.getByLabel(documentLabel)
    await fieldHas(page, documentLabel, '"New York"')
    await keys.expire('user:1', 5_000)
    await key.getByText(/expires in [45],\d{3} s/).waitFor()

    // By a driver, and what is typed stays.
    await text.fill(String(await text.textContent()).replace('Grace', 'Typed'))
    const kv = mongo.db(home).collection<{ _id: string }>('kv0')
    await kv.updateOne({ _id: 'user:1' }, { $set: { 'value.city': 'Arlington' } })
    await key.getByText('Arlington').waitFor()
    await page.getByText('Another client has changed the document meanwhile').waitFor()
    t.match(await text.textContent(), 'Typed')
    await page.getByRole('button', { name: 'Open the stored document' }).click()
    await fieldHas(page, documentLabel, '"Arlington"')

    // What the editor saves is what redis-cli reads.
    await text.fill(String(await text.textContent()).replace('Grace', 'Hopper'))
    await page.getByRole('button', { name: 'Review the change' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    t.equal(await keys.hGet('user:1', 'name'), 'Hopper')

    await page.locator('tbody').getByRole('button', { name: 'user:1', exact: true }).click()
    await key.getByText('Hopper').waitFor()
    await keys.del('user:1')
    await page.getByText('Another client has removed the document meanwhile.').waitFor()
    await key.getByText('The key has gone').waitFor()
    await row.getByText('No row has this _id.').waitFor()
    await keys.hSet('user:1', { name: 'Ada', city: 'London' })
  })
}

async function ofRow(
  t: Test,
  url: string,
  browser: OpenedBrowser,
  { sql }: Clients,
): Promise<void> {
  await browser.open(t, options, async (page) => {
    await opens(page, `${url}/#/collections/books`, 'emma')
    const inRow = 'section[aria-labelledby="row-form"]'
    const row = page.locator(inRow)
    await row.getByText('=1+1').waitFor()
    const cells = await page.locator(`${inRow} tbody tr`).allTextContents()
    t.same(cells, ['_idtextemma', 'titletext=1+1', 'pricefloat88.5'])
    t.equal(await page.locator('#key-form').count(), 0, 'no key')
    await page.getByText('live', { exact: true }).waitFor()
    await sql.query(`UPDATE books SET title = 'Emma', price = 9.25 WHERE _id = 'emma'`)
    await row.getByText('9.25').waitFor()
    await fieldHas(page, documentLabel, '"title": "Emma"')
  })
}

async function looks(t: Test, url: string, browser: OpenedBrowser): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, height] of [
      [1_280, 800],
      [360, 740],
    ] as const) {
      const viewport = { width, height }
      await browser.open(t, { ...options, colorScheme, viewport }, async (page) => {
        await opens(page, `${url}/#/collections/kv0?database=${home}`, 'user:1')
        await page.locator('section[aria-labelledby="key-form"]').getByText('London').waitFor()
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        t.equal(wide, width, 'nothing is wider than the screen')
        const name = `forms-${colorScheme}-${width}`
        t.same(await barriersOf(page), [], name)
        await pictured(page, name)
      })
    }
  }
}
