// One memtable and its lifetime: active, then frozen with its closed log segments, then dropped.
// Snapshots may still read it after that, so its readers are counted.

import type { SealedSegment } from './log/log.js'
import { Memtable } from './memtable/memtable.js'

export class Generation {
  readonly memtable = new Memtable({ hasFloor: true })
  /** Set when the memtable is frozen. */
  segment: SealedSegment | undefined
  /** When its first change was made, in the clock's elapsed milliseconds. */
  sinceMs: number | undefined
  private holders = 1

  hold(): void {
    this.holders++
  }

  /** Frees the memory when the last holder releases it. */
  release(): void {
    this.holders--
    if (this.holders === 0) this.memtable.release()
  }
}
