// Import and export in the Studio, in a browser: what is exported comes back to the letter, as a
// file and as a text; failures are told by line; an export that breaks off is not saved.

import { readFileSync } from 'node:fs'
import { Long, MongoClient } from 'mongodb'
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

t.setTimeout(180_000)

const options = { ...walletOptions(testWallet('studio')), expected: /status of 40\d/ }

interface Item {
  readonly _id: string
  readonly [name: string]: unknown
}

const items: readonly Item[] = [
  { _id: 'a', title: '=1+1', year: 1_999, tags: ['x'], '=h': 1 },
  { _id: 'b', title: 'two\nlines, "quoted"', big: Long.fromString('9007199254740993') },
  { _id: 'c', title: '', day: new Date(0), price: 8.5 },
]

t.test('import and export', { skip: await chromiumMissing() }, async (t) => {
  const gateway = await startGateway(t, { DEFAULT_PRIVACY: 'shared', RATE_LIMITS: 'off' })
  const client = await MongoClient.connect(gateway.uri)
  t.teardown(() => client.close())
  const collection = (name: string) => client.db('main').collection<Item>(name)
  const stored = (name: string) =>
    collection(name).find({}, { promoteLongs: false }).sort({ _id: 1 }).toArray()
  await collection('items').insertMany(items)
  await collection('copy').insertOne({ _id: 'a', title: 'mine' })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await browser.open(t, options, async (page) => {
    await opens(page, gateway, 'items')
    t.same(await barriersOf(page), [], 'before')
    const ndjson = await exported(page, 'NDJSON')
    t.equal(ndjson.name, 'items.ndjson')
    t.equal(ndjson.text.trim().split('\n').length, 3)
    t.match(ndjson.text, '{"$numberLong":"9007199254740993"}')
    const json = await exported(page, 'JSON')
    t.match(JSON.parse(json.text), [{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }])
    const csv = await exported(page, 'CSV')
    t.match(csv.text.split('\r\n')[0], '"_id","title","year","tags","\'=h"')
    t.match(csv.text, '"a","\'=1+1"')
    await page.getByLabel('Filter').fill('{"_id": "c"}')
    t.equal((await exported(page, 'NDJSON')).text.trim().split('\n').length, 1, 'by the filter')

    await opens(page, gateway, 'copy')
    await importsFile(page, ndjson)
    await page.getByText(/Done: 3 documents. 2 inserted, 0 replaced, 1 failed/).waitFor()
    const failed = await page.locator('tbody tr').allTextContents()
    t.match(failed, [/^1E11000 duplicate key/], 'by its line')
    t.same(await barriersOf(page), [], 'with a failure')
    await pictured(page, 'import-failed')
    await page.getByLabel('Documents whose _id is there').selectOption('upsert')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText(/Done: 3 documents. 0 inserted, 3 replaced, 0 failed/).waitFor()
    t.same(await stored('copy'), await stored('items'), 'every type is kept')

    await opens(page, gateway, 'sheet')
    await importsFile(page, csv)
    await page.getByText(/Done: 3 documents. 3 inserted/).waitFor()
    const [, , last] = items
    const { title: _, ...rest } = last ?? { _id: '' }
    const [first, second, third] = await stored('sheet')
    t.match([first, second], [items[0], { title: 'two\nlines, "quoted"' }])
    t.equal(String(second?.big), '9007199254740993')
    t.match(third, rest, 'an empty cell is no field')
    await pastes(t, page)
  })
  await looks(t, gateway, browser)
})

async function opens(page: Page, { url }: LiveGateway, name: string): Promise<void> {
  await page.goto(`${url}/#/collections/${name}/transfer`)
  const wallet = page.getByRole('button', { name: 'Test wallet' })
  const heading = page.getByRole('heading', { name, exact: true })
  await page.locator('h1').waitFor()
  if ((await wallet.count()) > 0) await wallet.click()
  await heading.waitFor()
}

async function exported(page: Page, format: string): Promise<{ name: string; text: string }> {
  await page.getByLabel('Form of the export').selectOption(format)
  const coming = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const download = await coming
  await page.getByText(/^Saved /).waitFor()
  return {
    name: download.suggestedFilename(),
    text: readFileSync(await download.path(), 'utf8'),
  }
}

async function importsFile(page: Page, { name, text }: { name: string; text: string }) {
  const buffer = Buffer.from(text)
  await page.getByLabel('A file').setInputFiles({ name, mimeType: 'text/plain', buffer })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
}

async function pastes(t: Test, page: Page): Promise<void> {
  await page.reload()
  const text = page.getByLabel('Or a text')
  const run = page.getByRole('button', { name: 'Import', exact: true })
  await text.fill('{"_id": "p1"}\n\n{"_id": }\n{"_id": "p2"}')
  await run.click()
  await page.getByText(/Done: 3 documents. 2 inserted, 0 replaced, 1 failed/).waitFor()
  t.match(await page.locator('tbody th').allTextContents(), ['3'], 'empty lines count')
  await page.getByLabel('Form of the import').selectOption('JSON')
  await text.fill('[{"_id": "p3"},\n 1]')
  await run.click()
  await page.getByText('Line 2: here is something that is no document.').waitFor()
  await text.fill('')
  await run.click()
  await page.getByText('There are no documents in it.').waitFor()
}

async function looks(t: Test, gateway: LiveGateway, browser: OpenedBrowser): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, height] of [
      [1_280, 800],
      [360, 740],
    ] as const) {
      const viewport = { width, height }
      await browser.open(t, { ...options, colorScheme, viewport }, async (page) => {
        await opens(page, gateway, 'items')
        await page.getByLabel('Form of the import').selectOption('CSV')
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        t.equal(wide, width, 'nothing is wider than the screen')
        const name = `transfer-${colorScheme}-${width}`
        t.same(await barriersOf(page), [], name)
        await pictured(page, name)
      })
    }
  }
}
