// Measures a listener's work outside commands: parsing frames, reading bodies, writing replies. It
// is charged to the client's owner, like slices. (docs/design/fairness.md)

import type { Clock } from '../base/clock.js'
import type { Scheduler } from '../base/work/scheduler.js'
import type { Session } from '../bus/session.js'

/** Shorter requests count as small: they come in large numbers or not at all. */
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
   * Starts with `bytes` received. Of small requests only some are timed, each for several, because
   * reading the clock is part of their cost. False: it is not timed, and needs no `end`. Work of
   * one connection may start another one's; both then count for the first.
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

  /** Ends what `begin` started, in the same turn. */
  end(session: Session): void {
    const { scheduler } = this
    if (scheduler === undefined || --this.depth > 0) return
    const ms = this.clock.elapsed() - this.startedMs
    const besideMs = ms - (scheduler.accounts.totalMs - this.chargedMs)
    scheduler.chargeEdge(session.accountOf(scheduler), besideMs, this.times)
  }
}
