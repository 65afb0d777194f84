// What a page costs a browser, however much there is to show: requests and bytes of its first view,
// and elements.

import t, { type Test } from 'tap'
import {
  chromiumMissing,
  type OpenedBrowser,
  openChromium,
  type Page,
} from '../support/chromium.js'
import { startGateway } from '../support/live-gateway.js'
import { fillMuch } from '../support/much-data.js'
import { runs } from '../support/runs.js'

const requestsMax = 4
const bytesMax = 300_000
const elementsMax = 3_000
/** Documents, keys; a tenth of it memories. */
const count = runs(10_000)
const largeBytes = 10_000_000

interface View {
  readonly path: string
  readonly shown: string
}

const views: readonly View[] = [
  { path: '', shown: '.steps' },
  { path: 'collections', shown: 'tbody tr' },
  { path: 'collections/books', shown: 'tbody tr' },
  { path: 'collections/books/indexes', shown: 'tbody tr' },
  { path: 'keys', shown: 'tbody tr' },
  { path: 'channels', shown: 'h1' },
  { path: 'memory', shown: '.memories .badge' },
  { path: 'console', shown: '.cm-content' },
  { path: 'operations', shown: 'tbody tr' },
]

t.setTimeout(600_000)

t.test('pages over much data', { skip: await chromiumMissing() }, async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  await fillMuch(gateway, { documents: count, keys: count, memories: count / 10, largeBytes })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  for (const view of views) await opens(t, gateway.url, browser, view)
})

async function opens(
  t: Test,
  url: string,
  browser: OpenedBrowser,
  { path, shown }: View,
): Promise<void> {
  await browser.open(t, {}, async (page) => {
    const quiet = quietOf(page)
    await page.goto(`${url}/#/${path}`)
    await page.locator(shown).first().waitFor()
    await quiet()
    const { requests, bytes, elements } = await costOf(page)
    t.comment(`/${path}: ${requests} requests, ${bytes} bytes, ${elements} elements`)
    t.ok(requests <= requestsMax, `/${path}: ${requests} requests`)
    t.ok(bytes <= bytesMax, `/${path}: ${bytes} bytes`)
    t.ok(elements <= elementsMax, `/${path}: ${elements} elements`)
  })
}

/** Waits until every request of the page, but for streams, has its answer. */
function quietOf(page: Page): () => Promise<void> {
  let open = 0
  let told: (() => void) | undefined
  const note = (change: number) => (request: { resourceType(): string; url(): string }) => {
    if (/\/(changes|stream)\b/.test(request.url())) return
    open += change
    if (open === 0) told?.()
  }
  page.on('request', note(1))
  page.on('requestfinished', note(-1))
  page.on('requestfailed', note(-1))
  return () =>
    new Promise((resolve) => {
      if (open === 0) resolve()
      else told = resolve
    })
}

interface Cost {
  readonly requests: number
  readonly bytes: number
  readonly elements: number
}

/** Requests of the API, without those that a page asks again; bytes of everything, as they were sent. */
function costOf(page: Page): Promise<Cost> {
  return page.evaluate<Cost>(`(() => {
    const loaded = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ]
    const names = loaded.map(({ name }) => name.replace(/[?]since=\\d+$/, ''))
    const asked = names.filter((name) => /^\\/(?:api\\/|health)/.test(new URL(name).pathname))
    return {
      requests: new Set(asked).size,
      bytes: loaded.reduce((sum, { transferSize }) => sum + transferSize, 0),
      elements: document.getElementsByTagName('*').length,
    }
  })()`)
}
