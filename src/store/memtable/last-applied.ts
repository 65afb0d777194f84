// The memtable that was last applied to the tables, kept for a while: recent keys are likely to be
// read or written next, and are found here at a fraction of the cost of the tables. It equals the
// tables, so it is used only for keys that no layer above has.

import { memtableMsMax } from '../../base/limits.js'
import type { Generation } from '../generation.js'
import type { Memtable } from './memtable.js'

/** Changes of a key, on average, that show that it is written again and again. */
const rewritesMin = 1.25

export class LastApplied {
  private generation: Generation | undefined
  private timer: NodeJS.Timeout | undefined

  get memtable(): Memtable | undefined {
    return this.generation?.memtable
  }

  /**
   * Takes the place of the one before, and goes by itself when none follows. Where keys were hardly
   * written twice, as when data is loaded, it would be memory for nothing.
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
