// Documents in the Studio, in a browser: found, paged, edited with a look at the difference, guarded
// against what another client writes meanwhile, inserted, duplicated, deleted with a way back; live,
// by the keyboard, in the dark and on a narrow screen.

import { type Collection, MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import {
  barriersOf,
  chromiumMissing,
  type OpenedBrowser,
  openChromium,
  type Page,
} from '../support/chromium.js'
import { codeIn, pastedOver } from '../support/code-field.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { testWallet } from '../support/wallet.js'

t.setTimeout(180_000)

interface Book {
  readonly _id: string | number
  readonly title?: string
  readonly year?: number
}

const skip = await chromiumMissing()

interface Room {
  readonly t: Test
  readonly page: Page
  readonly books: Collection<Book>
  readonly url: string
}

t.test('documents', { skip }, async (t) => {
  const gateway = await startGateway(t, { DEFAULT_PRIVACY: 'shared', RATE_LIMITS: 'off' })
  const client = await MongoClient.connect(gateway.uri)
  t.teardown(() => client.close())
  const books = client.db('main').collection<Book>('books')
  await books.insertMany(
    Array.from({ length: 60 }, (_, index) => ({
      _id: `book-${String(index).padStart(2, '0')}`,
      title: index === 3 ? '<img src=x onerror=alert(1)>' : `Title ${index}`,
      year: 1_900 + index,
    })),
  )
  const browser = await openChromium()
  t.teardown(() => browser.close())
  // The guard's refusal is in the browser's console, as every refusal.
  const options = { ...walletOptions(testWallet('studio')), expected: /status of (?:401|412)/ }
  await browser.open(t, options, async (page) => {
    const room = { t, page, books, url: gateway.url }
    await signIn(room)
    await listed(room)
    await browses(room)
    await edits(room)
    await isGuarded(room)
    await insertsAndDuplicates(room)
    await deletes(room)
    await showsAs(room)
    await saysWhatIsWrong(room)
  })
  await looks(t, gateway, browser)
})

async function signIn({ page, url }: Pick<Room, 'page' | 'url'>): Promise<void> {
  await page.goto(`${url}/#/collections/books`)
  await page.getByRole('button', { name: 'Test wallet' }).click()
  await page.getByRole('heading', { name: 'books' }).waitFor()
}

/** As the API lists it; its `createdAt` is in seconds. */
async function listed({ t, page, url }: Room): Promise<void> {
  const listed = await page.evaluate<{ collections: { name: string; createdAt: number }[] }>(
    "fetch('/api/v1/collections').then((answer) => answer.json())",
  )
  const { createdAt = 0 } = listed.collections.find(({ name }) => name === 'books') ?? {}
  await page.goto(`${url}/#/collections`)
  const row = page.getByRole('row', { name: 'books' })
  await row.waitFor()
  const day = new Date(1_000 * createdAt).toISOString().slice(0, 10)
  t.match((await row.allTextContents()).join(), day)
  t.ok(createdAt > 1_700_000_000, 'seconds, not milliseconds')
  await page.goto(`${url}/#/collections/books`)
}

async function browses({ t, page, books }: Room): Promise<void> {
  await page.getByText('Page 1: 25 of 60 documents').waitFor()
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('Page 2: 25 of 60 documents').waitFor()
  await page.getByRole('button', { name: 'book-25', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByText('Page 1: 25 of 60 documents').waitFor()

  await page.getByLabel('Filter').fill('{"year": {"$gte": 1950}}')
  await page.getByLabel('Sort').fill('-year')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('Page 1: 10 of 10 documents').waitFor()
  const ids = await page.locator('tbody th').allTextContents()
  t.same([ids[0], ids.length], ['book-59', 10], 'sorted')

  await page.getByText('live', { exact: true }).waitFor()
  await books.insertOne({ _id: 'from-elsewhere', title: 'Another client wrote this', year: 1_999 })
  await page.getByText('Another client wrote this').waitFor()
  await page.getByText('Page 1: 11 of 11 documents').waitFor()
}

async function edits({ t, page, books }: Room): Promise<void> {
  await page.getByRole('button', { name: 'book-59', exact: true }).click()
  const text = page.getByLabel('Document as Extended JSON')
  const before = await codeIn(page, '.editor')
  t.match(before, '"year": 1959')
  await text.fill(before.replace('Title 59', 'A better title'))
  await page.getByRole('button', { name: 'Review the change' }).click()
  t.same(await page.locator('.difference .added').allTextContents(), [
    '+   "title": "A better title",',
  ])
  t.match(await books.findOne({ _id: 'book-59' }), { title: 'Title 59' }, 'not written yet')
  t.same(await barriersOf(page), [], 'the difference has no barriers')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.getByText('A better title').waitFor()
  await page.getByText('Page 1: 11 of 11 documents').waitFor()
  t.match(await books.findOne({ _id: 'book-59' }), { title: 'A better title', year: 1_959 })
}

async function isGuarded({ t, page, books }: Room): Promise<void> {
  await page.getByRole('button', { name: 'book-58', exact: true }).click()
  const text = page.getByLabel('Document as Extended JSON')
  await text.fill((await codeIn(page, '.editor')).replace('Title 58', 'Mine'))
  await books.updateOne({ _id: 'book-58' }, { $set: { title: 'Theirs' } })
  await page.getByRole('button', { name: 'Review the change' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('changed or removed meanwhile').waitFor()
  t.match(await books.findOne({ _id: 'book-58' }), { title: 'Theirs' }, 'nothing was written over')
  await page.getByRole('button', { name: 'Open the stored document' }).click()
  await page.getByText('changed or removed meanwhile').waitFor({ state: 'detached' })
  t.match(await codeIn(page, '.editor'), 'Theirs')
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
}

async function insertsAndDuplicates({ t, page, books }: Room): Promise<void> {
  await page.getByRole('button', { name: 'Insert' }).click()
  const text = page.getByLabel('Document as Extended JSON')
  await text.fill('{"_id": "new", "title": "New", "year": {"$numberLong": "2001"}}')
  await page.getByRole('button', { name: 'Insert' }).nth(1).click()
  await page.getByRole('button', { name: 'new', exact: true }).waitFor()
  t.match(await books.findOne({ _id: 'new' }), { title: 'New', year: 2_001 })

  await page.getByRole('button', { name: 'Duplicate new' }).click()
  await page.getByRole('button', { name: 'Insert' }).nth(1).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  t.equal(await books.countDocuments({ title: 'New' }), 2)
}

async function deletes({ t, page, books }: Room): Promise<void> {
  await page.getByRole('button', { name: 'Delete book-57' }).click()
  await page.getByRole('button', { name: 'book-57', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'book-57', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete book-56' }).click()
  await page.getByText('will be deleted').waitFor({ state: 'visible' })
  t.ok(await books.findOne({ _id: 'book-56' }), 'still there')
  await page.getByText('will be deleted').waitFor({ state: 'detached' })
  t.equal(await books.findOne({ _id: 'book-56' }), null)
  t.ok(await books.findOne({ _id: 'book-57' }), 'undone')
}

async function showsAs({ t, page }: Room): Promise<void> {
  await page.getByText('Show as').click()
  const language = page.getByLabel('Language')
  await language.selectOption('SQL')
  const shown = page.getByLabel('The query in SQL')
  t.match(await shown.textContent(), /^SELECT \*\nFROM "books"/)
  await language.selectOption('redis-cli')
  await page.getByText('Only kv0 to kv15 have keys.').waitFor()
  t.same(await barriersOf(page), [], 'the reason')
  await language.selectOption('mongosh')
  await page.getByRole('button', { name: 'Copy the query' }).click()
  await page.getByText('Copied').waitFor()
  const pasted = await pastedOver(page, '.filter', 'Filter')
  t.match(pasted, /^db\.getCollection\("books"\)\.find\(/)
}

async function saysWhatIsWrong({ page }: Room): Promise<void> {
  await page.getByLabel('Filter').fill('{"year": {"$gte": 3000}}')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('No document matches the filter.').waitFor()
}

async function looks(t: Test, { url }: LiveGateway, browser: OpenedBrowser): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_280, 360]) {
      const viewport = { width, height: 800 }
      const options = { ...walletOptions(testWallet('studio')), colorScheme, viewport }
      await browser.open(t, options, async (page) => {
        await page.goto(`${url}/#/collections/books`)
        await page.getByRole('button', { name: 'Test wallet' }).focus()
        await page.keyboard.press('Enter')
        await page.getByRole('button', { name: 'book-03', exact: true }).waitFor()
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        t.equal(wide, width, 'nothing is wider than the screen')
        t.same(await barriersOf(page), [], `${colorScheme}, ${width} pixels`)
        await pictured(page, `documents-${colorScheme}-${width}`)
        await page.getByText('Show as').click()
        await page.getByLabel('Language').selectOption('Node')
        t.same(await barriersOf(page), [], 'shown as')
        await pictured(page, `show-as-${colorScheme}-${width}`)
        await page.keyboard.press('/')
        await page.keyboard.type('{"_id": "book-03"}')
        await page.keyboard.press('Enter')
        await page.getByText('Page 1: 1 of 1 document').waitFor()
        await page.getByRole('button', { name: 'book-03', exact: true }).press('Enter')
        await page.getByLabel('Document as Extended JSON').waitFor()
        t.same(await barriersOf(page), [], 'the editor')
        await pictured(page, `editor-${colorScheme}-${width}`)
      })
    }
  }
}
