// Whether the event loop of this process is busy: then work that costs less together may wait a
// little for more of its kind. A process that mostly waits answers sooner by going on at once.

import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { Clock } from '../clock.js'

/** How often it is looked at, milliseconds. */
const lookMs = 100
const busyShare = 0.5

export class LoopLoad {
  private lookedMs = Number.NEGATIVE_INFINITY
  private last: EventLoopUtilization
  private wasBusy = false

  constructor(
    private readonly clock: Clock,
    private readonly utilization = performance.eventLoopUtilization,
  ) {
    this.last = utilization()
  }

  /** Over the time since it was last looked at. */
  get isBusy(): boolean {
    const nowMs = this.clock.elapsed()
    if (nowMs - this.lookedMs < lookMs) return this.wasBusy
    const now = this.utilization()
    this.wasBusy = this.utilization(now, this.last).utilization >= busyShare
    this.last = now
    this.lookedMs = nowMs
    return this.wasBusy
  }
}
