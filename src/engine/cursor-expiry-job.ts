// Closes cursors that nobody has come back for. They hold positions and results of this process
// only, so there is nothing to resume after a restart.

import type { Clock } from '../base/clock.js'
import { cursorLookMs } from '../base/limits.js'
import type { Cursors } from './cursors.js'
import type { Nap, Pace } from './pace-job.js'

export class CursorExpiry {
  private nap: Nap | undefined
  private loop: Promise<void> | undefined
  private closed = false

  constructor(
    private readonly cursors: Cursors,
    private readonly clock: Clock,
    private readonly pace: Pace,
  ) {}

  start(): void {
    this.loop = this.run()
  }

  async close(): Promise<void> {
    this.closed = true
    this.nap?.wake()
    await this.loop
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      this.nap = this.pace.sleep(cursorLookMs)
      await this.nap.over
      if (!this.closed) this.cursors.expire(this.clock.now())
    }
  }
}
