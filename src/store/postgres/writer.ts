// The one connection on which a gateway writes, with its row. If the connection is lost, a new one
// first finds out whether the last commit took effect.

import type { Clock } from '../../base/clock.js'
import type { Log } from '../../base/log.js'
import { Away, Fenced, failureOf } from './failures.js'
import { GatewayRow, writerName } from './gateway-row.js'
import { Link, type LinkOptions } from './link.js'

interface Writing {
  readonly link: Link
  readonly row: GatewayRow
}

/** `unknown` is only possible after a day, or if the rows of the gateway were removed. */
type Fate = 'committed' | 'not committed' | 'unknown'

/** How long a lost connection is tried again before waiting programs fail, milliseconds. */
const patienceMs = 10_000
const againMs = 100
/** How long a gateway that is paused in a write group stops others, milliseconds. */
const idleMsMax = 5_000

export class Writer {
  private constructor(
    private readonly options: LinkOptions,
    private readonly clock: Clock,
    private readonly log: Log,
    private link: Link,
    private row: GatewayRow,
  ) {}

  /** Since when there was no connection, by `clock.elapsed`. */
  private awaySince: number | undefined
  /** The heartbeat has stopped for too long, so others may take this gateway for gone. */
  isTakenForGone = false

  static async open(options: LinkOptions, clock: Clock, log: Log): Promise<Writer> {
    const link = await Link.open(options, writerName, idleMsMax)
    return new Writer(options, clock, log, link, await GatewayRow.claim(link))
  }

  get current(): Writing {
    return { link: this.link, row: this.row }
  }

  /** A connection that works, as far as known. Rejects with Away. */
  async ready(): Promise<Writing> {
    if (this.link.broken !== undefined) await this.recover()
    if (this.isTakenForGone) this.use(this.link, await GatewayRow.claim(this.link))
    return this.current
  }

  /** What became of the commit that was sent last. Rejects with Away. */
  async recover(): Promise<Fate> {
    const before = this.link.backend
    if (this.link.broken === undefined) {
      try {
        return await this.continueOn(this.link, 0)
      } catch (thrown) {
        const failure = failureOf(thrown)
        if (!(failure instanceof Away)) throw failure
      }
    }
    const awaySince = this.awaySince ?? this.clock.elapsed()
    this.awaySince = awaySince
    for (;;) {
      try {
        const link = await Link.open(this.options, writerName, idleMsMax)
        const fate = await this.continueOn(link, before)
        this.log.info({}, 'PostgreSQL is reached again')
        this.awaySince = undefined
        return fate
      } catch (thrown) {
        const failure = failureOf(thrown)
        const isOver = this.clock.elapsed() - awaySince > patienceMs
        if (!(failure instanceof Away) || isOver) throw failure
        await new Promise((resolve) => {
          setTimeout(resolve, againMs)
        })
      }
    }
  }

  async close(): Promise<void> {
    const { link, row } = this
    await row.end(link).catch(() => undefined)
    await link.close()
  }

  private async continueOn(link: Link, before: number): Promise<Fate> {
    try {
      const { row, hasCommitted } = await this.row.recover(link, before)
      this.use(link, row)
      return hasCommitted ? 'committed' : 'not committed'
    } catch (thrown) {
      if (thrown instanceof Fenced) {
        this.use(link, await GatewayRow.claim(link))
        return 'unknown'
      }
      await link.close()
      throw thrown
    }
  }

  private use(link: Link, row: GatewayRow): void {
    if (link !== this.link) void this.link.close()
    if (row.life !== this.row.life) this.isTakenForGone = false
    this.link = link
    this.row = row
  }
}
