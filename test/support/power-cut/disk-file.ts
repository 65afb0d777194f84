// One file of the simulated disk, by pages of 4 KiB: what is durable of each, and every state that
// it had since, so that a cut may leave any of them.

import type { Bytes } from '../../../src/base/bytes/bytes.js'

const pageBytes = 4_096
const sectorBytes = 512

/** A state of a page that is not known to be durable. */
interface State {
  readonly order: number
  /** Undefined: zeros. */
  readonly bytes: Bytes | undefined
  /** The page was cut off: older states are gone with it, where the cutting itself is there. */
  readonly isCut: boolean
  /** A sync of it failed: the system takes it for written, so no later sync writes it. */
  isLost: boolean
}

class Page {
  durable: Bytes | undefined
  states: State[] = []

  latest(): Bytes | undefined {
    const last = this.states.at(-1)
    return last === undefined ? this.durable : last.bytes
  }
}

type Random = () => number

/** How much of what was not synced a cut leaves: little, half, nearly all. */
const keptChances = [0, 0.1, 0.5, 0.5, 0.9, 1]
/** How often a cut tears the pages of a file by sectors. */
const tornChance = 0.3

export class DiskFile {
  private readonly pages = new Map<number, Page>()
  /** The durable size, then those since. */
  private sizes: { readonly order: number; readonly size: number }[]
  /** Pages that have states. */
  private readonly unsynced = new Set<number>()

  constructor(bytes: Bytes = new Uint8Array(0)) {
    this.sizes = [{ order: 0, size: bytes.length }]
    for (let at = 0; at < bytes.length; at += pageBytes) {
      const page = new Page()
      page.durable = padded(bytes.subarray(at, at + pageBytes))
      this.pages.set(at / pageBytes, page)
    }
  }

  write(order: number, offset: number, bytes: Bytes, durable: boolean): void {
    const end = offset + bytes.length
    if (end > this.size) this.sizes.push({ order, size: end })
    for (let at = offset; at < end; ) {
      const number = Math.floor(at / pageBytes)
      const start = number * pageBytes
      const stop = Math.min(end, start + pageBytes)
      const content = padded(this.page(number).latest())
      content.set(bytes.subarray(at - offset, stop - offset), at - start)
      this.change(number, order, content, false)
      if (durable) this.settle(number, order)
      at = stop
    }
    if (durable) this.settleSize(order)
  }

  truncate(order: number, size: number): void {
    const before = this.size
    this.sizes.push({ order, size })
    if (size >= before) return
    for (const [number, page] of this.pages) {
      const start = number * pageBytes
      if (start >= size) this.change(number, order, undefined, true)
      else if (start + pageBytes > size) {
        this.change(number, order, padded(page.latest()).fill(0, size - start), false)
      }
    }
  }

  /** A sync that began after the event numbered `begun` has ended well. */
  synced(begun: number): void {
    for (const number of [...this.unsynced]) this.settle(number, begun)
    this.settleSize(begun)
  }

  syncFailed(begun: number): void {
    for (const number of this.unsynced) {
      for (const state of this.page(number).states) if (state.order <= begun) state.isLost = true
    }
  }

  latest(): Buffer {
    return this.assemble(this.size, (page) => page.latest())
  }

  afterCut(random: Random): Buffer {
    const kept = keptChances[Math.floor(random() * keptChances.length)] as number
    const isTorn = random() < tornChance
    const newest = random() < kept ? this.sizes.length - 1 : randomBelow(this.sizes.length, random)
    const { order, size } = this.sizes[newest] as { order: number; size: number }
    return this.assemble(size, (page) => {
      if (page.states.length === 0) return page.durable
      const choices = choicesAt(page, order)
      if (choices.length === 1 || random() >= kept) return choices[0]
      // Mostly the newest, at times one in between.
      const last = choices.length - 1
      const chosen = random() < 0.7 ? last : 1 + randomBelow(last, random)
      if (!isTorn || random() < 0.5) return choices[chosen]
      return mixed(choices[chosen - 1], choices[chosen], random)
    })
  }

  private get size(): number {
    return this.sizes.at(-1)?.size ?? 0
  }

  private page(number: number): Page {
    const page = this.pages.get(number) ?? new Page()
    this.pages.set(number, page)
    return page
  }

  private change(number: number, order: number, bytes: Bytes | undefined, isCut: boolean): void {
    this.page(number).states.push({ order, bytes, isCut, isLost: false })
    this.unsynced.add(number)
  }

  /** What page `number` was at `order` is durable from now on. */
  private settle(number: number, order: number): void {
    const page = this.page(number)
    const done = page.states.findLastIndex((state) => state.order <= order)
    const state = page.states[done]
    if (state === undefined || state.isLost) return
    page.durable = state.bytes
    page.states = page.states.slice(done + 1)
    if (page.states.length === 0) this.unsynced.delete(number)
  }

  private settleSize(order: number): void {
    const done = this.sizes.findLastIndex((one) => one.order <= order)
    if (done > 0) this.sizes = this.sizes.slice(done)
  }

  private assemble(size: number, contentOf: (page: Page) => Bytes | undefined): Buffer {
    const whole = Buffer.alloc(size)
    for (const [number, page] of this.pages) {
      const start = number * pageBytes
      const content = start < size ? contentOf(page) : undefined
      if (content !== undefined) whole.set(content.subarray(0, size - start), start)
    }
    return whole
  }
}

/**
 * What a page may be found as where the file has the size that it had at `order`, the oldest first:
 * nothing from before it was cut off by then, and nothing from behind a later cut.
 */
function choicesAt(page: Page, order: number): (Bytes | undefined)[] {
  const choices: (Bytes | undefined)[] = [page.durable]
  for (const { order: at, bytes, isCut } of page.states) {
    if (isCut && at > order) break
    if (isCut) choices.length = 0
    choices.push(bytes)
  }
  return choices
}

function mixed(before: Bytes | undefined, after: Bytes | undefined, random: Random): Bytes {
  const whole = padded(before)
  const newer = padded(after)
  for (let at = 0; at < pageBytes; at += sectorBytes) {
    if (random() < 0.5) whole.set(newer.subarray(at, at + sectorBytes), at)
  }
  return whole
}

/** A copy of a page's length. */
function padded(bytes: Bytes | undefined): Uint8Array {
  const page = new Uint8Array(pageBytes)
  if (bytes !== undefined) page.set(bytes)
  return page
}

function randomBelow(count: number, random: Random): number {
  return Math.floor(random() * count)
}
