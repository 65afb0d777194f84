// The database's clock, so that all gateways have one time: expiry, times of the change log and
// stamps do not depend on the machine. It is measured each second, and between two measurements
// goes on with this process's monotonic time. (docs/design/many-gateways.md, "Time")

import type { Clock } from '../../base/clock.js'

export class DatabaseClock implements Clock {
  /** Estimated time of the database minus this process's monotonic time. */
  private offset: number
  private last = Number.NEGATIVE_INFINITY

  constructor(private readonly base: Clock) {
    this.offset = base.now() - base.elapsed()
  }

  /** Never goes back: while the database's clock is set back, time stands still. */
  now(): number {
    this.last = Math.max(this.last, Math.floor(this.base.elapsed() + this.offset))
    return this.last
  }

  elapsed(): number {
    return this.base.elapsed()
  }

  /**
   * The database answered `databaseMs` to a question that was sent and answered at these monotonic
   * times. The estimate changes only as far as the answer contradicts it: a slow one says little.
   */
  measured(sentMs: number, answeredMs: number, databaseMs: number): void {
    const least = databaseMs - answeredMs
    const most = databaseMs - sentMs
    this.offset = Math.min(most, Math.max(least, this.offset))
  }
}
