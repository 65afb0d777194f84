// The loop of background work: a round, then the next one at once (after a rest) where it has left
// something to do, else after a while. A round that fails is told of and tried again; that the
// store is closing is its end, not a failure. (docs/design/transactions.md, rule 14)

import { GatewayError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { Awaitable } from '../../store/store.js'
import type { Nap, Pace } from './pace-job.js'

interface LoopParts {
  readonly pace: Pace
  readonly log: Log
  /** Between rounds that find nothing more to do, milliseconds. */
  readonly everyMs: number
  /** The first round comes after a while, too. */
  readonly sleepsFirst: boolean
  /** What the log says of a round that failed. */
  readonly failure: string
  /** True: there is more to do. */
  readonly round: () => Awaitable<boolean>
}

export class BackgroundLoop {
  private nap: Nap | undefined
  private running: Promise<void> | undefined
  private closed = false

  constructor(private readonly parts: LoopParts) {}

  /** A long round looks here between its steps. */
  get isClosed(): boolean {
    return this.closed
  }

  start(): void {
    this.running = this.run()
  }

  /** There is something to do: no need to wait for the next round. */
  wake(): void {
    this.nap?.wake()
  }

  /** Resolves when the round under way is over. */
  async close(): Promise<void> {
    this.closed = true
    this.nap?.wake()
    await this.running
  }

  private async run(): Promise<void> {
    const { pace, everyMs, sleepsFirst } = this.parts
    let hasMore = !sleepsFirst
    while (!this.closed) {
      if (!hasMore) {
        this.nap = pace.sleep(everyMs)
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

/** The store takes no further work. */
export function isShutdown(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false
  return error.kind === 'ShutdownInProgress' || error.kind === 'InterruptedAtShutdown'
}
