// The console of the Studio in a browser: SQL over documents of another client, key-value commands,
// what their errors look like, by the keyboard.

import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { barriersOf, chromiumMissing, openChromium, type Page } from '../support/chromium.js'
import { codeIn } from '../support/code-field.js'
import { startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { testWallet } from '../support/wallet.js'

t.setTimeout(120_000)

t.test('console', { skip: await chromiumMissing() }, async (t) => {
  const gateway = await startGateway(t, { DEFAULT_PRIVACY: 'shared', RATE_LIMITS: 'off' })
  const client = await MongoClient.connect(gateway.uri)
  t.teardown(() => client.close())
  const books = client.db('main').collection<{ _id: string; title: string }>('books')
  await books.insertMany([
    { _id: 'a', title: 'Emma' },
    { _id: 'b', title: '<b>Persuasion</b>' },
  ])
  const browser = await openChromium()
  t.teardown(() => browser.close())
  // The browser's console names every refusal.
  const options = { ...walletOptions(testWallet('studio')), expected: /status of 40[01]/ }
  await browser.open(t, options, async (page) => {
    await page.goto(`${gateway.url}/#/console`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('heading', { name: 'Console' }).waitFor()
    const statement = page.getByLabel('Statement')
    await statement.fill('SELECT title FROM books ORDER BY title')
    await statement.press('Control+Enter')
    await page.getByText('2 rows').waitFor()
    t.same(await page.locator('tbody td').allTextContents(), ['<b>Persuasion</b>', 'Emma'])
    t.same(await barriersOf(page), [], 'rows')
    await page.getByText('Show as').click()
    await page.locator('.show-as select').selectOption('Python')
    await page.getByText('import psycopg').waitFor()
    t.same(await barriersOf(page), [], 'shown as')

    await statement.fill("UPDATE books SET title = 'Sanditon' WHERE _id = 'a'")
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText('modifiedCount').waitFor()
    t.match(await books.findOne({ _id: 'a' }), { title: 'Sanditon' })

    await statement.fill('SELECT frm')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('alert').getByText(/frm/).waitFor()

    await page.getByLabel('Redis').click()
    await statement.fill('HSET shop city "New York" opened 1998')
    await statement.press('Control+Enter')
    await page.getByText('2', { exact: true }).waitFor()
    await statement.fill('HGET shop city')
    await statement.press('Control+Enter')
    await page.getByText('"New York"', { exact: true }).waitFor()
    await statement.fill('GET "open')
    await statement.press('Control+Enter')
    await page.getByText('A quote is not closed').waitFor()
    t.same(await barriersOf(page), [], 'an error')
    await keeps(t, page)
  })
})

/** History and saved statements of a wallet, over a reload, until it signs out. */
async function keeps(t: Test, page: Page): Promise<void> {
  const statement = page.getByLabel('Statement')
  await statement.fill('AUTH secret')
  await statement.press('Control+Enter')
  await page.getByRole('alert').waitFor()
  await page.getByText(/^History \(\d/).click()
  const history = page.getByRole('list', { name: 'History' })
  t.match((await history.getByRole('button').allTextContents())[0], 'GET "open')
  await history.getByRole('button', { name: /^SELECT title/ }).click()
  t.equal(await codeIn(page, '.statement'), 'SELECT title FROM books ORDER BY title')
  await page.getByText('Saved (0)').click()
  await page.getByLabel('Name').fill('titles')
  await page.getByRole('button', { name: 'Save the statement' }).click()
  await page.getByText('Saved (1)').waitFor()
  t.same(await barriersOf(page), [], 'kept statements')
  await page.reload()
  await page.getByText('Saved (1)').click()
  const saved = page.getByRole('list', { name: 'Saved' })
  await saved.getByRole('button', { name: /^SELECT title/ }).click()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('2 rows').waitFor()
  const stored = await page.evaluate<string>('JSON.stringify(localStorage)')
  t.notMatch(stored, /secret/)
  t.match(stored, /HGET shop city/)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('button', { name: 'Test wallet' }).click()
  await page.getByText('History (0)').waitFor()
  await page.getByText('Saved (1)').click()
  await page.getByRole('button', { name: 'Remove titles' }).click()
  await page.getByText('Saved (0)').waitFor()
}
