// Question: does a page of the Studio stay smooth over much data? Chromium traces how its page opens
// and how it is scrolled, beside 100,000 documents and keys and 10,000 memories; a figure is the
// processor time of the longest task of the page's main thread, the median of five traces.

import {
  type Chromium,
  launchChromium,
  type Page,
  type ProtocolSession,
} from '../../test/support/chromium.js'
import { startGateway } from '../../test/support/live-gateway.js'
import { fillMuch } from '../../test/support/much-data.js'
import { type Figure, median, plain } from '../support/figure.js'

const many = Number(process.env.BENCH_SHOWN ?? 100_000)
const rounds = 5
const viewport = { width: 1_280, height: 800 }
const scroll = { distance: 4_000, speed: 4_000 }

interface View {
  readonly name: string
  readonly path: string
  /** There when the page has its data. */
  readonly shown: string
  /** A part of the page that scrolls by itself. */
  readonly within?: string
  /** There when the page has come to rest. */
  readonly rests?: string
}

const views: readonly View[] = [
  { name: 'documents', path: 'collections/books?limit=100', shown: 'tbody tr' },
  { name: 'keys', path: 'keys', shown: 'tbody tr' },
  {
    name: 'memory',
    path: 'memory',
    shown: '.memories .badge',
    within: '.memories li',
    rests: 'canvas[data-layout=done]',
  },
]

export async function studioScroll(): Promise<Figure[]> {
  const endings: (() => Promise<void>)[] = []
  const ending = { teardown: (end: () => Promise<void>) => endings.push(end) }
  const gateway = await startGateway(ending, { AUTH_MODE: 'off' })
  const figures: Figure[] = []
  try {
    const amounts = { documents: many, keys: many, memories: many / 10 }
    await fillMuch(gateway, { ...amounts, largeBytes: 10_000_000 })
    const browser = await launchChromium()
    endings.push(() => browser.close())
    for (const view of views) figures.push(...(await figuresOf(browser, gateway.url, view)))
  } finally {
    for (const end of endings.reverse()) await end()
  }
  return figures
}

async function figuresOf(browser: Chromium, url: string, view: View): Promise<Figure[]> {
  const opened: number[] = []
  const scrolled: number[] = []
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport })
    const page = await context.newPage()
    const protocol = await page.context().newCDPSession(page)
    opened.push(await longestTaskOf(protocol, () => open(page, url, view)))
    scrolled.push(await longestTaskOf(protocol, () => scrollOver(page, protocol, view)))
    await context.close()
  }
  return [
    plain(`longest task of opening ${view.name}`, median(opened), 'ms'),
    plain(`longest task of scrolling ${view.name}`, median(scrolled), 'ms'),
  ]
}

async function open(page: Page, url: string, { path, shown, rests = shown }: View): Promise<void> {
  await page.goto(`${url}/#/${path}`)
  await page.locator(shown).first().waitFor()
  await page.locator(rests).first().waitFor()
}

/** Down, up, to the right and back, as a wheel does, over the middle of what scrolls. */
async function scrollOver(page: Page, protocol: ProtocolSession, { within }: View): Promise<void> {
  const place = await page.evaluate<{ x: number; y: number }, string | undefined>((selector) => {
    const { document } = globalThis as unknown as {
      document: { querySelector(selector: string): { getBoundingClientRect(): Box } }
    }
    interface Box {
      readonly x: number
      readonly y: number
      readonly width: number
    }
    if (selector === undefined) return { x: 720, y: 500 }
    const { x, y, width } = document.querySelector(selector).getBoundingClientRect()
    return { x: x + width / 2, y: y + 8 }
  }, within)
  await page.evaluate(`
    window.scrolls = 0
    document.addEventListener('scroll', () => window.scrolls++, { capture: true, passive: true })`)
  for (const way of ['yDistance', 'xDistance']) {
    for (const direction of [-1, 1]) {
      await protocol.send('Input.synthesizeScrollGesture', {
        ...place,
        [way]: direction * scroll.distance,
        speed: scroll.speed,
        gestureSourceType: 'mouse',
      })
    }
  }
  const scrolls = await page.evaluate<number>('window.scrolls')
  if (scrolls < 10) throw new Error(`the page was scrolled in ${scrolls} steps only`)
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Processor time, in microseconds. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** Milliseconds of processor time. */
async function longestTaskOf(protocol: ProtocolSession, act: () => Promise<void>): Promise<number> {
  const events: TraceEvent[] = []
  const collect = ({ value }: { value: readonly TraceEvent[] }) => events.push(...value)
  protocol.on('Tracing.dataCollected', collect)
  const categories = 'toplevel,__metadata,disabled-by-default-devtools.timeline'
  await protocol.send('Tracing.start', { categories, transferMode: 'ReportEvents' })
  await act()
  const complete = new Promise<void>((resolve) => {
    protocol.once('Tracing.tracingComplete', () => resolve())
  })
  await protocol.send('Tracing.end')
  await complete
  const threads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  )
  const tasks = events.filter(
    (event) => /RunTask$/.test(event.name) && event.ph === 'X' && threads.has(threadOf(event)),
  )
  if (tasks.length === 0) throw new Error('the trace has no tasks of a page')
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`
}
