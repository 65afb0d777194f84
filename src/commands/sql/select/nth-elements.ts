// Elements of a grouped row by their place. A row may have thousands, which are read in their
// order: the next one is looked for behind the last.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { work } from '../../../base/work/work-budget.js'
import { elementUnits } from '../../../base/work/work-figures.js'
import { Elements } from '../../../value/elements.js'
import type { Value } from '../../../value/value.js'

export class NthElements {
  private bytes: Bytes | undefined
  private start = 0
  private elements: Elements | undefined
  /** The place of the last element. */
  private at = -1

  /** The element at `place` of the document or array at `start`. */
  value(bytes: Bytes, start: number, place: number): Value | undefined {
    if (bytes !== this.bytes || start !== this.start || place < this.at) {
      this.bytes = bytes
      this.start = start
      this.at = -1
      this.elements = undefined
    }
    this.elements ??= new Elements(bytes, start)
    work.spend((place - this.at) * elementUnits)
    while (this.at < place) {
      if (!this.elements.next()) {
        this.bytes = undefined
        return undefined
      }
      this.at++
    }
    return this.elements.value()
  }
}
