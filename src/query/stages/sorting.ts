// The base of stages that read all documents before the first output, in an order of their own: a
// sorter that spills between two pushes.

import type { SpillFigures } from '../spill.js'
import { Sorter, type SorterOptions } from './sorter.js'
import { StreamTransform } from './stage.js'

export abstract class SortingTransform extends StreamTransform {
  protected readonly sorted: Sorter

  constructor(options: SorterOptions) {
    super()
    this.sorted = new Sorter(options)
  }

  override get bytesHeld(): number {
    return this.sorted.bytesHeld + this.sorted.bytesReading
  }

  override get figures(): SpillFigures {
    return this.sorted.figures
  }

  override get pending(): boolean {
    return this.sorted.pending
  }

  override resume(): void {
    this.sorted.work()
  }

  close(): void {
    this.sorted.close()
  }
}
