// The system's Chromium, driven by playwright-core from test/tools. Every page of a test fails it by
// a console error, an uncaught error, or what the policy of the page has stopped.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Test } from 'tap'
import { loadTool, toolFolder, toolMissing } from './tools.js'

/** What the tests use of playwright-core, whose own types are not installed with the project. */
export interface Page {
  goto(url: string): Promise<unknown>
  reload(): Promise<unknown>
  evaluate<T, A = undefined>(run: string | ((given: A) => T), given?: A): Promise<Awaited<T>>
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator
  locator(selector: string): Locator
  on(event: string, listener: (given: never) => void): unknown
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  emulateMedia(media: { colorScheme: 'light' | 'dark' }): Promise<void>
  setViewportSize(size: { width: number; height: number }): Promise<void>
  screenshot(options: { path: string }): Promise<unknown>
  close(): Promise<void>
  waitForFunction<A>(run: (given: A) => unknown, given: A): Promise<unknown>
  waitForEvent(event: 'download'): Promise<Download>
  /** Further tabs of the same browser, and a page's own protocol. */
  context(): { newPage(): Promise<Page>; newCDPSession(page: Page): Promise<ProtocolSession> }
}

/** Chrome's DevTools protocol, for what a bench measures of a page. */
export interface ProtocolSession {
  send(method: string, parameters?: object): Promise<unknown>
  on(event: string, listener: (given: never) => void): unknown
  once(event: string, listener: (given: never) => void): unknown
}

export interface Download {
  suggestedFilename(): string
  path(): Promise<string>
}

export interface Locator {
  click(options?: { force?: boolean }): Promise<void>
  fill(text: string): Promise<void>
  focus(): Promise<void>
  hover(): Promise<void>
  press(key: string): Promise<void>
  selectOption(value: string): Promise<unknown>
  setInputFiles(file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>
  waitFor(options?: { state?: 'visible' | 'hidden' | 'attached' | 'detached' }): Promise<void>
  textContent(): Promise<string | null>
  allTextContents(): Promise<string[]>
  inputValue(): Promise<string>
  getAttribute(name: string): Promise<string | null>
  count(): Promise<number>
  first(): Locator
  nth(index: number): Locator
  filter(options: { hasText: string }): Locator
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  getByText(text: string | RegExp): Locator
}

interface Context {
  newPage(): Promise<Page>
  exposeFunction(name: string, run: (given: never) => unknown): Promise<void>
  addInitScript(run: string | (() => void)): Promise<void>
  close(): Promise<void>
}

export interface Chromium {
  newContext(options: object): Promise<Context>
  close(): Promise<void>
}

interface Playwright {
  readonly chromium: { launch(options: object): Promise<Chromium> }
}

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

function program(): string | undefined {
  const { SIGIL_CHROMIUM: given } = process.env
  return given ?? programs.find((path) => existsSync(path))
}

/** Why tests with a browser are skipped; false where they can run. Throws under CI. */
export async function chromiumMissing(): Promise<string | false> {
  if (program() !== undefined) return toolMissing('browser')
  const text = 'no Chromium: install it, or name it in SIGIL_CHROMIUM'
  if (process.env.CI === 'true') throw new Error(text)
  return text
}

export interface OpenedBrowser {
  /** Opens a page in a context of its own for `visit`; what it complains about fails the test. */
  open(t: Test, options: PageOptions, visit: (page: Page) => Promise<void>): Promise<void>
  close(): Promise<void>
}

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
  /** Runs before the page's own scripts. */
  readonly script?: string
  /** Functions of the test that the page may call. */
  readonly functions?: Readonly<Record<string, (given: never) => unknown>>
  /** Console errors that the test brings about on purpose. */
  readonly expected?: RegExp
}

export async function launchChromium(): Promise<Chromium> {
  const { chromium } = (await loadTool('browser', 'playwright-core')) as Playwright
  return chromium.launch({
    executablePath: program(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
}

export async function openChromium(): Promise<OpenedBrowser> {
  const browser = await launchChromium()
  return {
    open: (t, options, visit) => openPage(browser, t, { ...options, visit }),
    close: () => browser.close(),
  }
}

/** Keeps what the policy has stopped, where the test finds it. */
const watcher = `
  window.violations = []
  document.addEventListener('securitypolicyviolation', (event) => {
    window.violations.push(event.violatedDirective + ' ' + event.blockedURI)
  })`

async function openPage(
  browser: Chromium,
  t: Test,
  options: PageOptions & { readonly visit: (page: Page) => Promise<void> },
): Promise<void> {
  const { colorScheme = 'light', viewport = { width: 1_280, height: 800 } } = options
  const context = await browser.newContext({
    colorScheme,
    viewport,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-US',
  })
  for (const [name, run] of Object.entries(options.functions ?? {})) {
    await context.exposeFunction(name, run)
  }
  await context.addInitScript(watcher)
  if (options.script !== undefined) await context.addInitScript(options.script)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message: { type(): string; text(): string }) => {
    const text = message.text()
    if (message.type() === 'error' && options.expected?.test(text) !== true) complaints.push(text)
  })
  page.on('pageerror', (error: Error) => complaints.push(error.message))
  try {
    await options.visit(page)
    t.same(await page.evaluate('window.violations'), [], 'nothing broke the policy of the page')
    t.same(complaints, [], 'the console has no errors')
  } finally {
    await context.close()
  }
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe-core finds on the page, a line each. */
export async function barriersOf(page: Page): Promise<readonly string[]> {
  const load = createRequire(join(await toolFolder('browser'), 'package.json'))
  await page.evaluate(readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8'))
  return page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> }
    }
    interface Violation {
      readonly id: string
      readonly nodes: readonly { readonly html: string }[]
    }
    const { violations } = await axe.run({ runOnly: tags })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
  }, rules)
}

/** Waits until the field with that label contains the text. */
export async function fieldHas(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label).filter({ hasText: text }).waitFor()
}
