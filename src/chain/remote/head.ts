// The block that every answer about the chain belongs to. One look at a time, however many ask; a
// new block is published only after its events have been taken in, so that a reader of the head
// sees what it changed. A head that cannot be believed is none: old, gone far back, contradicted.
// (docs/chain.md, "What you trust")

import type { Clock } from '../../base/clock.js'
import { chainWaitMs, headAgeMsMax, headPollMs, headRewindMax } from '../../base/limits.js'
import type { Log } from '../../base/log.js'
import { ChainAway, reasonOf, unavailable } from './away.js'
import type { Header } from './header.js'

/** A head older than ten blocks is stale; where blocks are quick, than this, seconds. */
const staleHeadSecondsMin = 60

/** Chain ids of development chains, which make blocks on demand: an old head is no sign there. */
const onDemand = new Set([1_337, 31_337])

interface HeadOptions {
  readonly chainId: number
  readonly latest: () => Promise<Header>
  /** A local chain tells of its blocks; a remote one is looked at. */
  readonly onBlock: ((listener: () => void) => () => void) | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Takes in what a new head brings; runs before it is published, and never two at once. */
export type Apply = (head: Header) => Promise<void>

export class SharedHead {
  private readonly options: HeadOptions
  private apply: Apply = async () => {}
  private readonly listeners = new Set<(head: Header) => void>()
  private published: Header | undefined
  /** When (elapsed) the last look that succeeded was begun. */
  private seenMs = Number.NEGATIVE_INFINITY
  private looking: Promise<Header> | undefined
  /** A block came while a look was under way: the head it found may be the one before. */
  private isDirty = true
  private failures = 0
  private problem: unknown
  private highest = 0
  private staleSeconds = staleHeadSecondsMin
  private timer: NodeJS.Timeout | undefined
  private stopListening: (() => void) | undefined
  private isClosed = false

  constructor(options: HeadOptions) {
    this.options = options
  }

  /** `highest` is a block that was seen before, `blockSeconds` the chain's pace. */
  start(apply: Apply, { highest = 0, blockSeconds = 1 } = {}): void {
    this.apply = apply
    this.highest = highest
    this.staleSeconds = Math.max(staleHeadSecondsMin, 10 * blockSeconds)
    this.stopListening = this.options.onBlock?.(() => {
      this.isDirty = true
      this.look().catch(() => {})
    })
    this.poll()
  }

  /** Undefined until the first look. */
  get current(): Header | undefined {
    return this.published
  }

  /** Whether the head may be relied on without asking. */
  get isFresh(): boolean {
    if (this.published === undefined || this.failures > 1) return false
    return this.isPushed || this.ageMs <= headAgeMsMax
  }

  /** The head that answers of this moment belong to; undefined where that is not sure. */
  get settled(): Header | undefined {
    return this.isFresh && (!this.isPushed || this.isSettled) ? this.published : undefined
  }

  /** Milliseconds since the last look that succeeded was begun. */
  get ageMs(): number {
    return this.isPushed && this.failures === 0 ? 0 : this.options.clock.elapsed() - this.seenMs
  }

  /** Why the last looks failed; undefined where they did not. */
  get trouble(): string | undefined {
    return this.failures === 0 ? undefined : reasonOf(this.problem)
  }

  /** Called after each new head is published. */
  onHead(listener: (head: Header) => void): () => void {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  /**
   * The head of now: at most headPollMs old, and on a local chain exactly. Rejects with
   * CHAIN_UNAVAILABLE, after chainWaitMs at the latest.
   */
  async fresh(): Promise<Header> {
    const { published } = this
    if (published !== undefined && this.failures === 0) {
      if (this.isPushed ? this.isSettled : this.ageMs <= headPollMs) return published
    }
    // Then the next look of the clock's tells; a request would only wait for another failure.
    if (this.failures > 1 && !this.isPushed) throw unavailable(this.problem)
    try {
      return await inTime(this.look(), chainWaitMs)
    } catch (error) {
      throw unavailable(error)
    }
  }

  /** The first head: as fresh, but however long it takes to catch up with it. */
  async first(): Promise<Header> {
    return this.published ?? this.look()
  }

  /** Waits until a block of that number is published. */
  async reached(number: number): Promise<void> {
    for (let tries = 0; tries < 3; tries++) {
      const head = this.published
      if (head !== undefined && head.number >= number) return
      this.isDirty = true
      await inTime(this.look(), chainWaitMs)
    }
    throw new ChainAway(`block ${number} does not appear`)
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.stopListening?.()
    clearTimeout(this.timer)
    await this.looking?.catch(() => {})
  }

  /** No block has come that was not looked at to the end. */
  private get isSettled(): boolean {
    return !this.isDirty && this.looking === undefined
  }

  private get isPushed(): boolean {
    return this.options.onBlock !== undefined
  }

  private poll(): void {
    const again = (): void => {
      // A local chain tells of its blocks: it is looked at again only while it does not answer.
      if (this.isPushed && this.failures === 0) return
      this.pollLater()
    }
    this.look().then(again, again)
  }

  private pollLater(): void {
    clearTimeout(this.timer)
    if (this.isClosed) return
    this.timer = setTimeout(() => this.poll(), headPollMs)
    this.timer.unref()
  }

  /** The look under way, or a new one. */
  private look(): Promise<Header> {
    if (this.looking !== undefined) return this.looking
    const looking = this.refresh().finally(() => {
      if (this.looking === looking) this.looking = undefined
    })
    this.looking = looking
    return looking
  }

  private async refresh(): Promise<Header> {
    if (this.isClosed) throw new ChainAway('Sigil is closing')
    const startedMs = this.options.clock.elapsed()
    try {
      let head: Header
      do {
        this.isDirty = false
        head = await this.options.latest()
        this.judge(head)
        if (head.hash !== this.published?.hash) await this.apply(head)
      } while (this.isDirty && this.isPushed)
      // In the same turn as the question above: a block that comes from now on begins another look.
      this.looking = undefined
      this.succeed(head, startedMs)
      return head
    } catch (error) {
      this.isDirty = true
      this.fail(error)
      throw error
    }
  }

  private succeed(head: Header, startedMs: number): void {
    const before = this.published
    if (this.failures > 1) this.options.log.info('chain: answers again')
    this.published = head
    this.highest = Math.max(this.highest, head.number)
    this.seenMs = startedMs
    this.failures = 0
    this.problem = undefined
    if (head.hash === before?.hash) return
    for (const listener of this.listeners) listener(head)
  }

  private fail(error: unknown): void {
    this.failures++
    this.problem = error
    this.pollLater()
    if (this.failures === 2 && !this.isClosed) {
      this.options.log.warn({ why: reasonOf(error) }, 'chain: not available; its keys are refused')
    }
  }

  private judge(head: Header): void {
    const { chainId, clock } = this.options
    if (head.number < this.highest - headRewindMax) {
      throw new ChainAway(`the head went back from block ${this.highest} to ${head.number}`)
    }
    const ageSeconds = Math.floor(clock.now() / 1_000) - head.timestamp
    if (!onDemand.has(chainId) && ageSeconds > this.staleSeconds) {
      throw new ChainAway(`the newest block is ${ageSeconds} s old`)
    }
  }
}

/** Rejects with ChainAway if `work` takes longer; the work itself goes on. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ChainAway('no answer in time')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}
