// The time that a listener takes for a client beside its commands: frames that are parsed, bodies
// that are read, replies that are written. It is charged to the client's owner as slices are.
// (docs/design/fairness.md)

import type { Clock } from '../base/clock.js'
import type { Scheduler } from '../base/work/scheduler.js'
import type { Session } from '../bus/session.js'

/** Requests that are shorter are many or nothing. */
const smallRequestBytes = 1_024
const smallRequestsPerLook = 8

export class EdgeTime {
  private startedMs = 0
  private chargedMs = 0
  private depth = 0
  private smallOnes = 0
  private times = 1

  constructor(
    private readonly clock: Clock,
    private readonly scheduler: Scheduler | undefined,
  ) {}

  /**
   * `bytes` have come. Of small requests one in some is timed and counts for all of them: to look
   * at the clock is a part of what they cost. False: it is not timed, and needs no `end`. One
   * connection's work may set another one going: both are then the first one's.
   */
  begin(bytes: number): boolean {
    if (this.scheduler === undefined) return false
    if (this.depth > 0) return ++this.depth > 0
    const isSmall = bytes < smallRequestBytes
    if (isSmall && ++this.smallOnes % smallRequestsPerLook > 0) return false
    this.depth = 1
    this.times = isSmall ? smallRequestsPerLook : 1
    this.startedMs = this.clock.elapsed()
    this.chargedMs = this.scheduler.accounts.totalMs
    return true
  }

  /** Behind what `begin` stood before, in the same turn. */
  end(session: Session): void {
    const { scheduler } = this
    if (scheduler === undefined || --this.depth > 0) return
    const ms = this.clock.elapsed() - this.startedMs
    const besideMs = ms - (scheduler.accounts.totalMs - this.chargedMs)
    scheduler.chargeEdge(session.accountOf(scheduler), besideMs, this.times)
  }
}
