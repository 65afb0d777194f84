// The editors of the Studio in a browser: what they complete in a filter, in a document, in SQL and
// in a line of a command; the keyboard; and what is too large for them.

import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { barriersOf, chromiumMissing, openChromium, type Page } from '../support/chromium.js'
import { codeIn } from '../support/code-field.js'
import { startGateway } from '../support/live-gateway.js'
import { pictured } from '../support/pictures.js'

t.setTimeout(180_000)

interface Room {
  readonly t: Test
  readonly page: Page
  readonly url: string
}

t.test('editors', { skip: await chromiumMissing() }, async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  const { url } = gateway
  const client = await MongoClient.connect(gateway.uri.replace(/operator:\w+@/, ''))
  t.teardown(() => client.close())
  const books = client.db('main').collection<{ _id: number }>('books')
  await books.insertMany([
    { _id: 1, title: 'Emma', year: 1815, author: { name: 'Austen' } },
    { _id: 2, title: 'Walden', year: 1854, author: { name: 'Thoreau' } },
    { _id: 3, text: 'x'.repeat(11 * 1024) },
    { _id: 4, lines: Array.from({ length: 30_000 }, (_, n) => `line ${n}`) },
  ] as never)
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await browser.open(t, {}, async (page) => {
    const room = { t, page, url }
    await completesFilter(room)
    await completesDocument(room)
    await showsLargeValues(room)
    await completesSql(room)
    await completesCommands(room)
  })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_280, 360]) {
      const viewport = { width, height: width === 360 ? 740 : 800 }
      await browser.open(t, { colorScheme, viewport }, async (page) => {
        await looks({ t, page, url }, `${colorScheme}-${width}`)
      })
    }
  }
})

/** Whether the list of completions is open. */
function listOf(page: Page) {
  return page.locator('.cm-tooltip-autocomplete')
}

async function choices(page: Page): Promise<readonly string[]> {
  await listOf(page).waitFor()
  return page.locator('.cm-completionLabel').allTextContents()
}

async function completesFilter({ t, page, url }: Room): Promise<void> {
  await page.goto(`${url}/#/collections/books`)
  await page.getByRole('button', { name: '1', exact: true }).waitFor()
  await page.keyboard.press('/')
  await page.locator('.filter .cm-content').waitFor()
  await page.keyboard.type('{"ye')
  t.same((await choices(page)).slice(0, 1), ['year'])
  t.same(await barriersOf(page), [], 'with completions')
  await page.keyboard.press('Tab')
  await page.keyboard.type('{"$gt')
  t.same((await choices(page)).slice(0, 2).sort(), ['$gt', '$gte'])
  await page.keyboard.press('Escape')
  await listOf(page).waitFor({ state: 'detached' })
  await page.keyboard.type('": 1820')
  t.equal(await codeIn(page, '.filter'), '{"year": {"$gt": 1820}}')
  await page.keyboard.press('Enter')
  await page.getByText('Page 1: 1 of 1 document').waitFor()
  await page.keyboard.press('/')
  await page.locator('.filter .cm-content').waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('{"author": {"')
  t.ok((await choices(page)).includes('name'), 'fields of a field')
  await page.keyboard.press('Escape')
}

async function completesDocument({ t, page, url }: Room): Promise<void> {
  await page.goto(`${url}/#/collections/books?sort=_id`)
  await page.getByRole('button', { name: '1', exact: true }).click()
  t.match(await codeIn(page, '.editor'), /^\{\n {2}"_id": 1,\n/)
  await page.getByLabel('Document as Extended JSON').focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('End')
  await page.keyboard.type(', "ti')
  t.same((await choices(page)).slice(0, 1), ['title'])
  await page.keyboard.press('Escape')
  await listOf(page).waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Document' }).waitFor()
  await page.keyboard.press('Tab')
  const focused = await page.evaluate<string>('document.activeElement.textContent')
  t.equal(focused, 'Review the change', 'Tab leaves the editor')
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
}

async function showsLargeValues({ t, page }: Room): Promise<void> {
  for (const id of ['3', '4']) {
    await page.getByRole('button', { name: id, exact: true }).click()
    await page.getByText('are not edited here').waitFor()
    t.equal(await page.locator('.editor .cm-content').count(), 0)
    const text = await page.getByLabel('Document as Extended JSON').inputValue()
    t.ok(text.length <= 256 * 1024, `${text.length} characters`)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
  }
}

async function completesSql({ t, page, url }: Room): Promise<void> {
  await page.goto(`${url}/#/console`)
  await page.locator('.statement .cm-content').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('sel')
  t.same((await choices(page))[0], 'SELECT')
  await page.keyboard.press('Tab')
  await page.keyboard.type(' title FROM boo')
  t.same((await choices(page))[0], 'books')
  await page.keyboard.press('Tab')
  await page.keyboard.type(' b WHERE b.aut')
  t.ok((await choices(page)).includes('author.name'), 'behind an alias')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('SELECT title FROM books WHERE ye')
  t.same((await choices(page))[0], 'year')
  await page.keyboard.press('Tab')
  await page.keyboard.type(' = 1815')
  await page.keyboard.press('Control+Enter')
  await page.getByText('1 row', { exact: true }).waitFor()
}

async function completesCommands({ t, page }: Room): Promise<void> {
  await page.getByLabel('Redis').click()
  await page.locator('.statement .cm-content').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('hgetal')
  t.same(await choices(page), ['HGETALL'])
  await page.getByText('Returns all fields of a hash with their values').waitFor()
  t.same(await barriersOf(page), [], 'with a summary')
  await page.keyboard.press('Tab')
  await page.keyboard.type(' nothing')
  await page.keyboard.press('Control+Enter')
  await page.locator('section pre').getByText('[]').waitFor()
}

async function looks({ t, page, url }: Room, name: string): Promise<void> {
  await page.goto(`${url}/#/console`)
  await page.locator('.statement .cm-content').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type(
    "SELECT title, year FROM books WHERE title <> 'Emma' AND year > 1800 ORDER BY ye",
  )
  await choices(page)
  t.same(await barriersOf(page), [], name)
  await pictured(page, `console-${name}`)
  await page.getByLabel('Redis').click()
  await page.locator('.statement .cm-content').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('zrang')
  await choices(page)
  await pictured(page, `console-redis-${name}`)
  await page.goto(`${url}/#/collections/books`)
  await page.getByRole('button', { name: '1', exact: true }).waitFor()
  await page.keyboard.press('/')
  await page.locator('.filter .cm-content').waitFor()
  await page.keyboard.type('{"')
  await choices(page)
  await pictured(page, `filter-${name}`)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '2', exact: true }).click()
  await codeIn(page, '.editor')
  t.same(await barriersOf(page), [], `a document, ${name}`)
  await pictured(page, `document-${name}`)
  const wide = await page.evaluate<readonly number[]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  )
  t.equal(wide[0], wide[1], 'nothing is wider than the screen')
}
