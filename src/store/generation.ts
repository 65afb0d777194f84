// One memtable in the life of a store: active, then frozen with its closed segments of the log,
// then dropped. Snapshots may still read it after that, so its readers are counted.

import type { SealedSegment } from './log/log.js'
import { Memtable } from './memtable/memtable.js'

export class Generation {
  readonly memtable = new Memtable({ hasFloor: true })
  /** Set when it is frozen. */
  segment: SealedSegment | undefined
  /** When its first change was made, of the clock's elapsed milliseconds. */
  sinceMs: number | undefined
  private holders = 1

  hold(): void {
    this.holders++
  }

  /** Gives its memory back with the last holder. */
  release(): void {
    this.holders--
    if (this.holders === 0) this.memtable.release()
  }
}
