// Chooses the number of records of a background step: few at first, more while they are small. A
// scan is limited by entries, but the cost of a tick depends on bytes.
// (docs/design/transactions.md, rules 1 and 14)

import { backgroundBytesTarget, backgroundRecordsMax } from '../../base/limits/engine.js'

const recordsFirst = 4

export class StepSize {
  private records = recordsFirst

  constructor(private readonly recordsMax = backgroundRecordsMax) {}

  /** Number of records for the next step. */
  get limit(): number {
    return this.records
  }

  /** Reports the result of the last step. */
  saw(records: number, bytes: number): void {
    if (records === 0) return
    const fitting = Math.floor(backgroundBytesTarget / Math.max(1, bytes / records))
    this.records = Math.max(1, Math.min(fitting, this.records * 2, this.recordsMax))
  }

  /** Halves the size after a step that was refused as too large. False if it cannot shrink. */
  halve(): boolean {
    if (this.records === 1) return false
    this.records = Math.ceil(this.records / 2)
    return true
  }
}
