// Readers that wait for a change of some keys, outside of transactions, such as a getMore at the
// end of a capped collection. A reader starts to watch, reads, and reads again when the collection
// is woken, so it misses no change in between.

import type { Bytes } from '../base/bytes/bytes.js'
import { fail } from '../base/errors.js'
import { awaitingCursorsMax } from '../base/limits/documents.js'
import { timerMsMax } from '../base/limits/engine.js'
import type { ObservedStore } from './observed-store.js'

export class Awaiting {
  private watching = 0

  constructor(private readonly store: ObservedStore) {}

  /** Number of watching readers. */
  get size(): number {
    return this.watching
  }

  /** Starts to watch, until `end`. Throws ExceededMemoryLimit above awaitingCursorsMax. */
  watch(keys: readonly Bytes[]): Watch {
    if (this.watching >= awaitingCursorsMax) {
      throw fail('ExceededMemoryLimit', `more than ${awaitingCursorsMax} cursors wait for data`)
    }
    this.watching++
    const watch = new Watch(() => {
      this.watching--
      for (const stop of stops) stop()
    })
    const stops = keys.map((key) => this.store.observeAnywhere(key, () => watch.wake()))
    return watch
  }
}

export class Watch {
  /** Something has changed since the last `look`. */
  private isStale = false
  private resume: (() => void) | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly stop: () => void) {}

  /** Later reads are newer than every change reported so far. */
  look(): void {
    this.isStale = false
  }

  /** Resolves when something has changed since `look`, or after `ms`. */
  changed(ms: number): Promise<void> {
    if (this.isStale) return Promise.resolve()
    return new Promise((resolve) => {
      this.resume = resolve
      this.timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, 0), timerMsMax))
    })
  }

  wake(): void {
    this.isStale = true
    clearTimeout(this.timer)
    this.resume?.()
    this.resume = undefined
  }

  end(): void {
    this.wake()
    this.stop()
  }
}
