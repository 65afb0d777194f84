// The loop of background work. If a round leaves work, the next one follows after a short rest;
// otherwise after `everyMs`. A failed round is logged and retried; the closing of the store ends
// the loop without an error. (docs/design/transactions.md, rule 14)

import { GatewayError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import { StoreAway } from '../../store/away.js'
import type { Awaitable } from '../../store/store.js'
import type { Nap, Pace } from './pace-job.js'

interface LoopParts {
  readonly pace: Pace
  readonly log: Log
  /** Time between rounds when no work is left, milliseconds, at first. */
  readonly everyMs: number
  /** Whether to sleep before the first round. */
  readonly sleepsFirst: boolean
  /** Log message of a failed round. */
  readonly failure: string
  /** Returns true if work is left. */
  readonly round: () => Awaitable<boolean>
}

export class BackgroundLoop {
  private nap: Nap | undefined
  private running: Promise<void> | undefined
  private closed = false
  private intervalMs: number

  constructor(private readonly parts: LoopParts) {
    this.intervalMs = parts.everyMs
  }

  /** Time between rounds when no work is left, milliseconds; a change starts the next round now. */
  get everyMs(): number {
    return this.intervalMs
  }

  set everyMs(ms: number) {
    this.intervalMs = ms
    this.wake()
  }

  /** A long round checks this between its steps. */
  get isClosed(): boolean {
    return this.closed
  }

  start(): void {
    this.running = this.run()
  }

  /** Starts the next round now, because there is work. */
  wake(): void {
    this.nap?.wake()
  }

  /** Resolves when the current round is over. */
  async close(): Promise<void> {
    this.closed = true
    this.nap?.wake()
    await this.running
  }

  private async run(): Promise<void> {
    const { pace, sleepsFirst } = this.parts
    let hasMore = !sleepsFirst
    while (!this.closed) {
      if (!hasMore) {
        this.nap = pace.sleep(this.intervalMs)
        await this.nap.over
        if (this.closed) return
      }
      hasMore = await this.turn()
      if (hasMore) await pace.rest()
    }
  }

  private async turn(): Promise<boolean> {
    const { round, log, failure } = this.parts
    try {
      return await round()
    } catch (error) {
      if (isShutdown(error)) this.closed = true
      else log.warn({ err: error }, failure)
      return false
    }
  }
}

/** Whether the error means that the store is shutting down, not only that it is away. */
export function isShutdown(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error instanceof StoreAway) return false
  return error.kind === 'ShutdownInProgress' || error.kind === 'InterruptedAtShutdown'
}
