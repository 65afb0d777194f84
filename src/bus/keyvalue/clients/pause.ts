// CLIENT PAUSE: all commands, or only writes, are held for a period. The lanes ask; a paused
// command continues in the order of its connection.

import { timerMsMax } from '../../../base/limits/engine.js'
import type { KeyValueFacts } from '../row-facts.js'

/** A command that may have to wait, and the commands that EXEC runs with it. */
interface Held {
  readonly command: { readonly isWrite: boolean; readonly row: KeyValueFacts }
  readonly queue?: readonly Held[] | undefined
}

export class Pause {
  /** Whether a pause is active. */
  isActive = false
  private holdsAll = false
  private endMs = 0
  private timer: NodeJS.Timeout | undefined
  private waiting: (() => void)[] = []

  /**
   * Pauses for `ms` from `nowMs` (monotonic). It can extend or widen an active pause, never shorten
   * it.
   */
  begin(nowMs: number, ms: number, all: boolean): void {
    const endMs = nowMs + ms
    this.holdsAll = all || (this.isActive && this.holdsAll)
    this.endMs = this.isActive ? Math.max(this.endMs, endMs) : endMs
    this.isActive = true
    this.endAfter(this.endMs - nowMs)
  }

  /** Resumes all clients. */
  end(): void {
    clearTimeout(this.timer)
    this.isActive = false
    const { waiting } = this
    this.waiting = []
    for (const resume of waiting) resume()
  }

  /** Whether this command has to wait. */
  holds({ command, queue }: Held): boolean {
    if (!this.isActive) return false
    if (this.holdsAll || command.isWrite) return true
    if (command.row.flags.includes('may_replicate')) return true
    return queue?.some((queued) => queued.command.isWrite) === true
  }

  /** Resolves when the pause is over. */
  over(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve)
    })
  }

  private endAfter(ms: number): void {
    clearTimeout(this.timer)
    const part = Math.min(Math.max(ms, 0), timerMsMax)
    this.timer = setTimeout(() => {
      if (ms > part) this.endAfter(ms - part)
      else this.end()
    }, part)
    this.timer.unref()
  }
}
