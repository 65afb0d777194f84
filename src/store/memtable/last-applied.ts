// Keeps the memtable that was last applied to the tables for a while. Recent keys are likely to be
// used next, and lookups here cost a fraction of those in the tables. It equals the tables, so it
// is used only for keys that no newer layer has.

import { memtableMsMax } from '../../base/limits/store.js'
import type { Generation } from '../generation.js'
import type { Memtable } from './memtable.js'

/** Average changes for each key above which keys count as rewritten often. */
const rewritesMin = 1.25

export class LastApplied {
  private generation: Generation | undefined
  private timer: NodeJS.Timeout | undefined

  get memtable(): Memtable | undefined {
    return this.generation?.memtable
  }

  /**
   * Replaces the previous memtable, and expires if none follows. If keys were rarely written twice,
   * as in a data load, it is not kept: it would waste memory.
   */
  take(generation: Generation): void {
    this.release()
    const { size, changes } = generation.memtable
    if (changes < rewritesMin * size) {
      generation.release()
      return
    }
    this.generation = generation
    this.timer = setTimeout(() => this.release(), memtableMsMax).unref()
  }

  release(): void {
    clearTimeout(this.timer)
    this.generation?.release()
    this.generation = undefined
  }
}
