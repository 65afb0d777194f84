// Several tabs of the Studio in one browser: one stream of changes serves them all, a hidden tab
// listens to nothing, and another tab takes over from the one that read the stream.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { chromiumMissing, openChromium, type Page } from '../support/chromium.js'
import { ask } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'

t.setTimeout(180_000)

t.test('one stream for all tabs', { skip: await chromiumMissing() }, async (t) => {
  const { url, uri, key } = await startGateway(t, { AUTH_MODE: 'off' })
  const client = await MongoClient.connect(uri.replace(/operator:\w+@/, ''))
  t.teardown(() => client.close())
  const db = client.db('main')
  for (const name of ['books', 'films']) await db.collection(name).insertOne({ title: 'first' })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await browser.open(t, {}, async (first) => {
    const second = await first.context().newPage()
    const third = await first.context().newPage()
    const [one, two, three] = [streamsOf(first), streamsOf(second), streamsOf(third)]
    await opens(first, url, 'collections/books')
    await opens(second, url, 'collections/films')
    await opens(third, url, 'memory')
    t.same([two(), three()], [0, 0], 'the first tab reads for the others')
    t.ok(one() > 0)
    await db.collection('films').insertOne({ title: 'written for the second tab' })
    await second.getByText('written for the second tab').waitFor()
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const body = JSON.stringify({ text: 'Ada came to Lisbon.' })
    await ask(url, { path: '/api/memories', headers, body })
    await third.getByRole('button', { name: 'Ada came to Lisbon.' }).waitFor()

    await turn(first, true)
    await first.getByText('not live', { exact: true }).waitFor()
    await second.getByText('live', { exact: true }).waitFor()
    await db.collection('films').insertOne({ title: 'after the first was hidden' })
    await second.getByText('after the first was hidden').waitFor()
    await db.collection('books').insertOne({ title: 'written meanwhile' })
    t.equal(await first.getByText('written meanwhile').count(), 0, 'a hidden tab asks for nothing')
    await turn(first, false)
    await first.getByText('written meanwhile').waitFor()
    await first.getByText('live', { exact: true }).waitFor()
    await second.close()
    await first.getByText('live', { exact: true }).waitFor()
    await db.collection('books').insertOne({ title: 'after the second was closed' })
    await first.getByText('after the second was closed').waitFor()
  })
})

async function opens(page: Page, url: string, path: string): Promise<void> {
  await page.goto(`${url}/#/${path}`)
  await page.getByText('live', { exact: true }).waitFor()
}

/** How many streams of changes the tab has asked for. */
function streamsOf(page: Page): () => number {
  let count = 0
  page.on('request', (request: { url(): string }) => {
    if (new URL(request.url()).pathname === '/api/v1/changes') count++
  })
  return () => count
}

/** As a browser does with a tab in the background. */
async function turn(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
    document.dispatchEvent(new Event('visibilitychange'))`)
}
