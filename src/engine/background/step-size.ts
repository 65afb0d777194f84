// How many records a background step takes: few at first, more while they are small. A scan counts
// entries, but what a tick can bear is bytes. (docs/design/transactions.md, rules 1 and 14)

import { backgroundBytesTarget, backgroundRecordsMax } from '../../base/limits.js'

const recordsFirst = 4

export class StepSize {
  private records = recordsFirst

  constructor(private readonly recordsMax = backgroundRecordsMax) {}

  /** Records to ask for next. */
  get limit(): number {
    return this.records
  }

  /** What the last step found. */
  saw(records: number, bytes: number): void {
    if (records === 0) return
    const fitting = Math.floor(backgroundBytesTarget / Math.max(1, bytes / records))
    this.records = Math.max(1, Math.min(fitting, this.records * 2, this.recordsMax))
  }

  /** The last step was refused as too large. False when it cannot be smaller. */
  halve(): boolean {
    if (this.records === 1) return false
    this.records = Math.ceil(this.records / 2)
    return true
  }
}
