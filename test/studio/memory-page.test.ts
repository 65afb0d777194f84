// Graph memory in the Studio, in a browser: searches, the picture by its keys, adding with a
// preview, anchors, and what is said after a memory was changed behind the server's back.

import t, { type Test } from 'tap'
import { openMemoryStore } from '../../src/store/memory.js'
import type { Store } from '../../src/store/store.js'
import { tamperIn } from '../support/anchor-room.js'
import {
  barriersOf,
  chromiumMissing,
  type OpenedBrowser,
  openChromium,
  type Page,
} from '../support/chromium.js'
import { ask, type HttpAnswer } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { testWallet } from '../support/wallet.js'

t.setTimeout(180_000)

const hostile = '<img src=x onerror=alert(1)>\u202eevil\u2028next {{x}} </script>'

interface Api {
  readonly get: (path: string) => Promise<HttpAnswer>
  readonly post: (path: string, body: object) => Promise<HttpAnswer>
}

interface Room {
  readonly t: Test
  readonly page: Page
  readonly url: string
  readonly api: Api
  readonly store: Store
}

t.test('memories', { skip: await chromiumMissing() }, async (t) => {
  const store = openMemoryStore()
  const { url, key } = await startGateway(t, { AUTH_MODE: 'off' }, { store })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const api: Api = {
    get: (path) => ask(url, { path, headers }),
    post: (path, body) => ask(url, { path, headers, body: JSON.stringify(body) }),
  }
  await fill(api)
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await browser.open(t, {}, async (page) => {
    const room = { t, page, url, api, store }
    await page.goto(`${url}/#/memory`)
    await searches(room)
    await walks(room)
    await addsWithPreview(room)
    await addsSeveral(room)
    await anchors(room)
    await tellsTampering(room)
    await forgets(room)
    await saysWhatIsPartial(room)
  })
  await startsAsWallet(t, browser)
  await looks(t, url, browser)
})

async function fill(api: Api): Promise<void> {
  const memories = [
    { text: 'Ada moved to Lisbon in May.', entities: ['Ada', { name: 'Lisbon', kind: 'place' }] },
    {
      text: 'Ada works on the Difference Engine with Charles Babbage.',
      entities: ['Ada', 'Charles Babbage'],
      source: { kind: 'chat', ref: 'c1', url: 'https://example.org/chat', at: 1_700_000_000_000 },
    },
    { text: 'Grace Hopper wrote a compiler in Arlington.' },
    { text: hostile, source: { url: 'javascript:alert(1)' } },
  ]
  await api.post('/api/memories/batch', { memories })
  const many = Array.from({ length: 420 }, (_, index) => ({
    text: index === 0 ? 'The oldest one tells of a zeppelin.' : `Fact ${index} of the archive.`,
    entities: [`Shelf ${index % 40}`],
  }))
  for (const part of [many.slice(0, 1), many.slice(1)]) {
    await api.post('/api/memories/batch', { graph: 'many', memories: part })
  }
}

async function find(page: Page, words: string): Promise<void> {
  await page.getByLabel('Words').fill(words)
  await page.getByRole('button', { name: 'Search' }).click()
}

/** A memory in the list. */
function listed(page: Page, name: string | RegExp) {
  return page.getByRole('list', { name: 'Memories' }).getByRole('button', { name })
}

async function laidOut(page: Page): Promise<void> {
  await page.locator('canvas[data-layout="done"]').waitFor()
}

async function searches({ t, page }: Room): Promise<void> {
  await page.getByText('All 10 nodes of the graph.').waitFor()
  t.equal(await page.locator('[aria-label="Memories"] li').count(), 4)
  const shown = '<img src=x onerror=alert(1)>\\u{202e}evil next {{x}} </script>'
  await listed(page, shown).click()
  await page.getByText('<img src=x onerror=alert(1)>\\u{202e}evil\\u{2028}next').waitFor()
  t.equal(await page.locator('main img').count(), 0, 'a text is a text')
  await page.getByText('javascript:alert(1)').waitFor()
  t.equal(await page.locator('main a[href^="javascript"]').count(), 0, 'and no link')

  await find(page, 'lisbon')
  await page.getByText('1 memory was found; the context has').waitFor()
  t.equal(await page.locator('[aria-label="Memories"] li').count(), 1)
  await page.getByText(/^score \d/).waitFor()
  await page.getByLabel('Words').fill('')
  await page.getByLabel('Entity').fill('char')
  await page.locator('#entity-names option[value="Charles Babbage"]').waitFor({ state: 'attached' })
  await page.getByLabel('Entity').fill('Ada')
  await page.getByLabel('Hops').selectOption('2')
  await page.getByText('2 memories found; the context has').waitFor()
  t.match(await page.evaluate('location.hash'), /entity=Ada&hops=2/)
  await find(page, 'nosuchword')
  await page.getByText('No memory has these words or this entity.').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('All 10 nodes of the graph.').waitFor()
}

async function walks({ t, page }: Room): Promise<void> {
  await laidOut(page)
  await listed(page, /^Ada works/).click()
  await page.locator('#details:focus').waitFor()
  const link = page.getByRole('link', { name: 'https://example.org/chat (example.org)' })
  await link.waitFor()
  const target = `document.querySelector('main a[rel="noopener noreferrer"][target="_blank"]').href`
  t.equal(await page.evaluate(target), 'https://example.org/chat')
  const canvas = page.locator('canvas')
  const status = page.locator('figure [role="status"]')
  const start = await status.textContent()
  t.match(start, /^memory: Ada works/)
  const reached = new Set<string | null>()
  for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown']) {
    await listed(page, /^Ada works/).click()
    await page.locator('#details:focus').waitFor()
    await canvas.press(key)
    reached.add(await status.textContent())
  }
  reached.delete(start)
  t.ok(reached.size > 0, 'arrow keys go to neighbours')
  for (const one of reached) t.match(one, /^entity: (?:Ada|Charles Babbage|Difference Engine)/)
  for (const key of ['+', '-', '0']) await canvas.press(key)
  await canvas.press('Enter')
  await page.locator('#details:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.details').waitFor({ state: 'detached' })
  await canvas.press('ArrowRight')
  await page.locator('.details').waitFor()
}

async function addsWithPreview({ t, page, api }: Room): Promise<void> {
  await page.getByRole('button', { name: 'Add a memory' }).click()
  t.same(await barriersOf(page), [], 'adding')
  await page.getByLabel('Text', { exact: true }).fill('Ada met Mary Somerville in Paris.')
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByText('Mary Somerville').waitFor()
  await preview.getByText(/by the rule known, known/).waitFor()
  const before = await api.get('/api/recall?q=somerville')
  t.same(before.json.memories, [], 'a preview writes nothing')
  await page.getByLabel('Link of the source').fill('https://example.org/letters')
  await page.getByRole('button', { name: 'Remember' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.locator('.memory-text').getByText('Ada met Mary Somerville').waitFor()

  await page.getByRole('button', { name: 'Correct' }).click()
  await page.getByLabel('Text', { exact: true }).fill('Ada met Mary Somerville in London.')
  await page.getByRole('button', { name: 'Remember' }).click()
  await page.getByText('Corrects').waitFor()
  await page.getByText('superseded').waitFor()

  await page.getByRole('button', { name: 'Add a memory' }).click()
  await page.getByLabel('Text', { exact: true }).fill('Grace Hopper wrote a compiler in Arlington.')
  await preview.getByText('The same memory is there already').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
}

/** A wallet's first memory makes a graph in its home. */
async function startsAsWallet(t: Test, browser: OpenedBrowser): Promise<void> {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  const options = { ...walletOptions(testWallet('studio')), expected: /status of 40[014]/ }
  await browser.open(t, options, async (page) => {
    await page.goto(`${url}/#/memory`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByText('There is no graph “default” that you may read.').waitFor()
    t.same(await barriersOf(page), [], 'no graph yet')
    await page.getByRole('button', { name: 'Add a memory' }).click()
    await page.getByLabel('Text', { exact: true }).fill('Ada lives in Lisbon.')
    await page.getByText('The graph is new').waitFor()
    await page.getByLabel('Graph; a new name makes a new one').fill('no good name')
    await page.getByRole('button', { name: 'Remember' }).click()
    await page.locator('dialog .problem[role="alert"]').getByText(/./).waitFor()
    await page.getByLabel('Graph; a new name makes a new one').fill('notes')
    await page.getByRole('button', { name: 'Remember' }).click()
    await listed(page, 'Ada lives in Lisbon.').click()
    await page.locator('.node-facts').getByText(/^you$/).waitFor()
    t.match(await page.evaluate('location.hash'), /graph=notes/)
  })
}

async function addsSeveral({ t, page, api }: Room): Promise<void> {
  await page.getByRole('button', { name: 'Add several' }).click()
  t.same(await barriersOf(page), [], 'adding several')
  const lines = 'First of a list.\n\nSecond of a list.\nGrace Hopper wrote a compiler in Arlington.'
  await page.getByLabel('Memories for the graph default').fill(lines)
  await page.getByText('3 memories').waitFor()
  await page.getByRole('button', { name: 'Remember all' }).click()
  await page.getByText('3 of 3 sent: 2 added, 1 known already, 0 refused.').waitFor()
  await page.getByLabel('A JSON object a line').press('Space')
  const json = '{"text": "Third of a list.", "entities": ["Ada"]}\nno JSON\n{"text": ""}'
  await page.getByLabel('Memories for the graph default').fill(json)
  await page.getByText('2 memories, and 1 line that cannot be read').waitFor()
  await page.getByRole('button', { name: 'Remember all' }).click()
  await page.getByText('2 of 2 sent: 1 added, 0 known already, 2 refused.').waitFor()
  await page.getByText("'text' must not be empty").waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await listed(page, 'Third of a list.').waitFor()
  const { json: found } = await api.get('/api/recall?q=list')
  t.equal((found.memories as unknown[]).length, 3)
}

const badge = (page: Page, text: string) => page.locator('.memories .badge').getByText(text)

async function anchors({ t, page }: Room): Promise<void> {
  await page.getByText('There are no anchors yet.').waitFor()
  await badge(page, 'not anchored yet').first().waitFor()
  await listed(page, /^Ada works/).click()
  await page.getByText('No anchor covers it yet.').waitFor()
  await page.getByRole('button', { name: 'Anchor now' }).click()
  await page.getByText(/^With the next transaction: \d+ records\.$/).waitFor()
  await page.getByRole('cell', { name: 'confirmed' }).waitFor()
  await badge(page, 'verified').first().waitFor()
  t.equal(await badge(page, 'verified').count(), 9)
  t.equal(await page.locator('.checks .holds').count(), 5)
  await page.getByRole('button', { name: 'Verify the whole graph' }).click()
  await page.getByText('Verified: every root is on the chain, and nothing is missing.').waitFor()
  t.same(await barriersOf(page), [], 'a graph with anchors')
}

async function tellsTampering({ t, page, api, store }: Room): Promise<void> {
  const { json } = await api.get('/api/recall?q=difference+engine')
  const [{ id = '' } = {}] = json.memories as { id?: string }[]
  await tamperIn(store, { graph: 'default', part: 'nodes', id }, (fields) => ({
    ...fields,
    text: 'Ada works on nothing.',
  }))
  await page.reload()
  await badge(page, 'tampered').waitFor()
  t.equal(await badge(page, 'tampered').count(), 1)
  await listed(page, 'Ada works on nothing.').click()
  await page.getByText(/another hashed field was changed/).waitFor()
  await page.getByText('The hash is that of its fields. No.').waitFor()
  await page.getByRole('button', { name: 'Verify the whole graph' }).click()
  await page.getByRole('heading', { name: '1 problem' }).waitFor()
  await page.getByRole('button', { name: id }).first().click()
  await page.locator('#details:focus').waitFor()
  await pictured(page, 'memory-tampered')

  const pins = await page.evaluate(() => {
    const { localStorage } = globalThis as unknown as { localStorage: Record<string, string> }
    const kept = localStorage['sigil-studio-pins'] ?? ''
    const [[name, pin] = []] = Object.entries(JSON.parse(kept) as Record<string, object>)
    localStorage['sigil-studio-pins'] = JSON.stringify({ [name ?? '']: { ...pin, sequence: 7 } })
    return kept
  })
  t.match(JSON.parse(pins), { 'main default': { graphKey: /^0x/, sequence: 1, root: /^0x/ } })
  await page.getByRole('button', { name: 'Verify the whole graph' }).click()
  await page.getByText('The newest root on the chain is number 1, and was 7.').waitFor()
  await page.getByRole('button', { name: 'Accept the present state' }).click()
  await page.getByText('number 1, and was 7').waitFor({ state: 'detached' })
}

async function forgets({ t, page, api }: Room): Promise<void> {
  const text = 'Second of a list.'
  const forget = async () => {
    await listed(page, text).click()
    await page.locator('.memory-text').getByText(text).waitFor()
    await page.getByRole('button', { name: 'Forget' }).click()
    await page.getByText(`“${text}” will be forgotten in 6 s.`).waitFor()
  }
  await forget()
  await page.getByRole('button', { name: 'Undo' }).click()
  await listed(page, text).waitFor()
  await forget()
  await page.getByText(`“${text}” will be forgotten in 6 s.`).waitFor({ state: 'detached' })
  const { json } = await api.get('/api/recall?q=second+list')
  const texts = (json.memories as { text: string }[]).map((one) => one.text)
  t.notOk(texts.includes(text))
}

async function saysWhatIsPartial({ t, page, url }: Room): Promise<void> {
  await page.goto(`${url}/#/memory?graph=many`)
  await page.getByText('The newest 300 of 460 nodes. Search to see others.').waitFor()
  await laidOut(page)
  const nodes = await page.evaluate<number>('document.querySelectorAll("*").length')
  t.ok(nodes < 3_000, `${nodes} elements`)
  await page.getByText('Rows 1 to 100 of').waitFor()
  // The newest 260 memories and all entities are there; steps of 150 nodes follow, the known left out.
  for (const older of [40, 159, 160]) {
    await page.getByRole('button', { name: 'Load older nodes' }).click()
    const whole = `The newest 300 of 460 nodes, and ${older} older ones.`
    await page.getByText(whole).waitFor()
  }
  t.equal(await page.getByRole('button', { name: 'Load older nodes' }).count(), 0, 'all are there')
  t.match(await page.locator('canvas').getAttribute('aria-label'), /460 nodes, (?:4|8)\d\d edges/)
  await find(page, 'zeppelin')
  await page.getByText(/The newest 300 of 460 nodes, and \d+ older/).waitFor()
  await listed(page, 'The oldest one tells of a zeppelin.').click()
  await page.locator('.memory-text').getByText('The oldest one').waitFor()
  t.match(await page.locator('figure [role="status"]').textContent(), 'memory: The oldest one')
  await page.locator('.graph-choice select').selectOption('default')
  await page.getByText(/^All \d+ nodes of the graph\.$/).waitFor()
  await page.goto(`${url}/#/memory?graph=nosuch`)
  await page.getByText('There is no graph “nosuch” that you may read.').waitFor()
}

async function looks(t: Test, url: string, browser: OpenedBrowser): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, height] of [
      [1_280, 800],
      [360, 740],
    ] as const) {
      const viewport = { width, height }
      await browser.open(t, { colorScheme, viewport }, async (page) => {
        await page.goto(`${url}/#/memory?graph=many`)
        await page.locator('.memories .badge').first().waitFor()
        await laidOut(page)
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        t.equal(wide, width, 'nothing is wider than the screen')
        t.same(await barriersOf(page), [], `${colorScheme}, ${width} pixels`)
        await pictured(page, `memory-${colorScheme}-${width}`)
        if (colorScheme === 'light' && width === 360) return
        await page.goto(`${url}/#/memory?entity=Ada&hops=2`)
        await listed(page, /^Ada moved/).click()
        await page.locator('#details:focus').waitFor()
        await laidOut(page)
        t.same(await barriersOf(page), [], `an open memory, ${colorScheme}, ${width} pixels`)
        await pictured(page, `memory-open-${colorScheme}-${width}`)
      })
    }
  }
}
