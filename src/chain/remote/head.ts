// The current head, the block that every answer about the chain belongs to. One poll runs at a time
// for all callers. A new block is published only after its events are processed, so a reader of the
// head sees them. A head that is old, far behind or contradicted is not used.
// (docs/chain.md, "What you trust")

import type { Clock } from '../../base/clock.js'
import { chainWaitMs, headAgeMsMax, headPollMs, headRewindMax } from '../../base/limits/chain.js'
import type { Log } from '../../base/log.js'
import { ChainAway, reasonOf, unavailable } from './away.js'
import type { Header } from './header.js'

/** A head older than ten blocks is stale; on fast chains, older than this, seconds. */
const staleHeadSecondsMin = 60

/** Chain ids of development chains, which make blocks on demand: an old head is normal there. */
const onDemand = new Set([1_337, 31_337])

interface HeadOptions {
  readonly chainId: number
  readonly latest: () => Promise<Header>
  /** A local chain announces its blocks; a remote one is polled. */
  readonly onBlock: ((listener: () => void) => () => void) | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Processes a new head before it is published; never runs twice at once. */
export type Apply = (head: Header) => Promise<void>

export class SharedHead {
  private readonly options: HeadOptions
  private apply: Apply = async () => {}
  private readonly listeners = new Set<(head: Header) => void>()
  private published: Header | undefined
  /** Start time (elapsed) of the last successful poll. */
  private seenMs = Number.NEGATIVE_INFINITY
  private looking: Promise<Header> | undefined
  /** A block came during a poll, which may have returned the head before it. */
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

  /** `highest` is a block seen earlier, `blockSeconds` the chain's block time. */
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

  /** Undefined until the first poll. */
  get current(): Header | undefined {
    return this.published
  }

  /** Whether the head may be used without a poll. */
  get isFresh(): boolean {
    if (this.published === undefined || this.failures > 1) return false
    return this.isPushed || this.ageMs <= headAgeMsMax
  }

  /** The head that current answers belong to; undefined while that is uncertain. */
  get settled(): Header | undefined {
    return this.isFresh && (!this.isPushed || this.isSettled) ? this.published : undefined
  }

  /** Milliseconds since the start of the last successful poll. */
  get ageMs(): number {
    return this.isPushed && this.failures === 0 ? 0 : this.options.clock.elapsed() - this.seenMs
  }

  /** The error of the last polls; undefined if they succeeded. */
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
   * The current head: at most headPollMs old, and exact on a local chain. Rejects with
   * CHAIN_UNAVAILABLE, after chainWaitMs at the latest.
   */
  async fresh(): Promise<Header> {
    const { published } = this
    if (published !== undefined && this.failures === 0) {
      if (this.isPushed ? this.isSettled : this.ageMs <= headPollMs) return published
    }
    // The timer polls again; a request would only wait for another failure.
    if (this.failures > 1 && !this.isPushed) throw unavailable(this.problem)
    try {
      return await inTime(this.look(), chainWaitMs)
    } catch (error) {
      throw unavailable(error)
    }
  }

  /** The first head: as fresh, but without a time limit, since the back-fill may take long. */
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

  /** Every announced block has been processed. */
  private get isSettled(): boolean {
    return !this.isDirty && this.looking === undefined
  }

  private get isPushed(): boolean {
    return this.options.onBlock !== undefined
  }

  private poll(): void {
    const again = (): void => {
      // A local chain announces its blocks: it is polled only after a failure.
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

  /** The running poll, or a new one. */
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
      // In the same turn as the check above: a later block starts another poll.
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

/** Rejects with ChainAway if `work` takes longer; the work itself continues. */
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
