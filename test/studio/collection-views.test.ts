// What the Studio shows of a collection beside its documents, in a browser: its indexes with their
// use, made and dropped; the plan of a query before and after; the fields of a sample.

import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import {
  barriersOf,
  chromiumMissing,
  type OpenedBrowser,
  openChromium,
  type Page,
} from '../support/chromium.js'
import { codeIn } from '../support/code-field.js'
import { startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

t.setTimeout(180_000)

const wallet = testWallet('studio')
const options = { ...walletOptions(wallet), expected: /status of 4\d\d/ }
const filter = '{"year": 1950}'

t.test('views of a collection', { skip: await chromiumMissing() }, async (t) => {
  const { url, ports } = await startGateway(t, { RATE_LIMITS: 'off' })
  const { apiKey } = await (await WalletClient.signIn(url, wallet)).issue()
  const at = `127.0.0.1:${ports.wire}/main`
  const client = await MongoClient.connect(`mongodb://${wallet.address}:${apiKey}@${at}`)
  t.teardown(() => client.close())
  const books = client.db('main').collection<{ _id: number }>('books')
  await books.insertMany(
    Array.from({ length: 200 }, (_, index) => ({
      _id: index,
      year: 1_900 + (index % 100),
      ...(index < 50 ? { author: { name: '<b>Ada</b>' } } : {}),
    })),
  )
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await browser.open(t, options, async (page) => {
    await page.goto(`${url}/#/collections/books`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByLabel('Filter').fill(filter)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('Page 1: 2 of 2 documents').waitFor()
    await explainsScan(t, page)
    await refusesUnique(page)
    await createsIndex(t, page)
    t.same(
      (await books.indexes()).map(({ name, key }) => ({ name, key })),
      [
        { name: '_id_', key: { _id: 1 } },
        { name: 'year_-1', key: { year: -1 } },
      ],
    )
    await explainsIndex(t, page)
    await books.find({ year: 1_951 }).toArray()
    await dropsIndex(t, page)
    t.equal((await books.indexes()).length, 1)
    await samples(t, page)
  })
  await looks(t, url, browser)
})

async function view(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click()
}

async function explainsScan(t: Test, page: Page): Promise<void> {
  await view(page, 'Explain')
  await page.getByText(/^2 returned, 0 keys and 200 documents examined/).waitFor()
  await page.getByText('COLLSCAN').waitFor()
  await page.getByText('No index serves the filter').waitFor()
  t.same(await barriersOf(page), [], 'a plan')
  await page.getByLabel('Filter').fill('{"year": {"$nosuch": 1}}')
  await page.getByRole('button', { name: 'Explain' }).click()
  await page
    .getByRole('alert')
    .getByText(/nosuch/)
    .waitFor()
  await page.getByLabel('Filter').fill(filter)
  await page.keyboard.press('Enter')
  await page.getByText('COLLSCAN').waitFor()
}

async function refusesUnique(page: Page): Promise<void> {
  await view(page, 'Indexes')
  await page.getByRole('button', { name: 'Create an index' }).click()
  await page.getByLabel('Fields').fill('year')
  await page.getByLabel('No two documents').click()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText(/E11000 duplicate key/).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
}

async function createsIndex(t: Test, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create an index' }).click()
  t.same(await barriersOf(page), [], 'a new index')
  await page.getByLabel('Fields').fill('-year')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Drop year_-1' }).waitFor()
  await page.getByText('2 indexes').waitFor()
}

async function explainsIndex(t: Test, page: Page): Promise<void> {
  await view(page, 'Explain')
  t.equal(await codeIn(page, '.filter'), filter, 'the query stays')
  await page.getByText(/^2 returned, 2 keys and 2 documents examined/).waitFor()
  const stages = await page.locator('.plan strong').allTextContents()
  t.same(stages, ['FETCH', 'IXSCAN'])
  t.match(await page.locator('.plan').textContent(), /index year_-1.*2 keys examined/)
}

async function dropsIndex(t: Test, page: Page): Promise<void> {
  await view(page, 'Indexes')
  await page.getByRole('button', { name: 'Drop year_-1' }).waitFor()
  const row = await page.locator('tbody tr:has-text("year_-1")').textContent()
  t.match(row, /^year_-1\{"year":-1\}[1-9]\d* times?Drop$/, 'its key and its use')
  t.equal(await page.getByRole('button', { name: 'Drop _id_' }).count(), 0)
  await page.getByRole('button', { name: 'Drop year_-1' }).click()
  await page.getByLabel('Type year_-1 to confirm').fill('year')
  await page.keyboard.press('Enter')
  await page.getByLabel('Type year_-1 to confirm').fill('year_-1')
  await page.keyboard.press('Enter')
  await page.getByText('1 index', { exact: true }).waitFor()
}

async function samples(t: Test, page: Page): Promise<void> {
  await view(page, 'Schema')
  await page.getByText('4 fields in a random sample of 200 documents').waitFor()
  const [row = ''] = await page.locator('tr:has-text("author.name")').allTextContents()
  t.equal(row, 'author.name50 (25 %)string 50')
}

async function looks(t: Test, url: string, browser: OpenedBrowser): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_280, 360]) {
      const viewport = { width, height: 800 }
      await browser.open(t, { ...options, colorScheme, viewport }, async (page) => {
        const query = `filter=${encodeURIComponent(filter)}`
        await page.goto(`${url}/#/collections/books/indexes?${query}`)
        await page.getByRole('button', { name: 'Test wallet' }).click()
        await page.getByText('1 index', { exact: true }).waitFor()
        await looksRight(t, page, `indexes-${colorScheme}-${width}`)
        await view(page, 'Schema')
        await page.getByText('author.name').waitFor()
        await looksRight(t, page, `schema-${colorScheme}-${width}`)
        await view(page, 'Explain')
        await page.getByText('COLLSCAN').waitFor()
        await looksRight(t, page, `explain-${colorScheme}-${width}`)
      })
    }
  }
}

async function looksRight(t: Test, page: Page, name: string): Promise<void> {
  const [whole, screen] = await page.evaluate<readonly number[]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  )
  t.equal(whole, screen, 'nothing is wider than the screen')
  t.same(await barriersOf(page), [], name)
  await pictured(page, name)
}
