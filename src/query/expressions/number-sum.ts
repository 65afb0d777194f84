// A running total for $sum, $avg and $add: whole numbers exactly, doubles with error compensation,
// decimals separately. The result has the widest type that was added, and does not depend on the
// order of the additions.

import { Elements } from '../../value/elements.js'
import {
  addNumbers,
  divideNumbers,
  int64Max,
  int64Min,
  readInt64AsNumber,
  toDecimal,
} from '../../value/numbers.js'
import {
  bigintOf,
  boolOf,
  bsonType,
  doubleOf,
  doubleValue,
  int32Value,
  int64Value,
  readDouble,
  readInt32,
  stringOf,
  type Value,
} from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'

/** Its memory, and that of a decimal with its object. */
const sumBytes = 160
const decimalBytes = 272

export class NumberSum {
  /** Number of additions. */
  count = 0
  /** Whole numbers: `small` within 2^53, its overflow in `large`. */
  private small = 0
  private large = 0n
  private sum = 0
  /** The rounding error of `sum`. */
  private lost = 0
  private decimal: Value | undefined
  private hasDouble = false
  private hasLong = false

  /** Adds a number. Other types are ignored, and false. */
  add(value: Value): boolean {
    switch (value.type) {
      case bsonType.double:
        this.hasDouble = true
        this.addDouble(readDouble(value.bytes, value.start))
        break
      case bsonType.int32:
        this.addWhole(readInt32(value.bytes, value.start))
        break
      case bsonType.int64: {
        this.hasLong = true
        const n = readInt64AsNumber(value.bytes, value.start)
        if (Number.isSafeInteger(n)) this.addWhole(n)
        else this.large += bigintOf(value)
        break
      }
      case bsonType.decimal128:
        // A part of a document would keep all of it.
        this.decimal = this.decimal === undefined ? value.detach() : addNumbers(this.decimal, value)
        break
      default:
        return false
    }
    this.count++
    return true
  }

  get bytesHeld(): number {
    return this.decimal === undefined ? sumBytes : sumBytes + decimalBytes
  }

  /** False if neither the total nor one of the numbers is infinite. */
  get mayBeInfinite(): boolean {
    return this.decimal !== undefined || !Number.isFinite(this.sum)
  }

  total(): Value {
    if (this.decimal !== undefined) {
      const whole = addNumbers(this.decimal, toDecimal(this.wholeValue(true)))
      if (!this.hasDouble) return whole
      return addNumbers(whole, toDecimal(doubleValue(this.doubleTotal())))
    }
    if (this.hasDouble) {
      const whole = this.large === 0n ? this.small : Number(this.whole())
      if (whole !== 0) this.addDouble(whole)
      this.small = 0
      this.large = 0n
      return doubleValue(this.doubleTotal())
    }
    return this.wholeValue(this.hasLong)
  }

  /** What was added of each kind; `double` and `decimal` are undefined without additions. */
  parts(): { whole: bigint; double: number | undefined; decimal: Value | undefined } {
    const double = this.hasDouble ? this.doubleTotal() : undefined
    return { whole: this.whole(), double, decimal: this.decimal }
  }

  /** The mean, a double or a decimal; undefined without additions. */
  average(): Value | undefined {
    if (this.count === 0) return undefined
    return divideNumbers(this.total(), int64Value(BigInt(this.count)))
  }

  /** The total as a value, for `absorb`. */
  save(): Value {
    const writer = new DocumentWriter()
    writer.double('count', this.count).double('small', this.small).bool('isLong', this.hasLong)
    if (this.hasDouble) writer.double('sum', this.sum).double('lost', this.lost)
    if (this.large !== 0n) writer.string('large', String(this.large))
    if (this.decimal !== undefined) writer.value('decimal', this.decimal)
    return writer.finishValue()
  }

  /** Adds a saved total. */
  absorb(saved: Value): void {
    const elements = new Elements(saved.bytes, saved.start)
    while (elements.next()) this.absorbPart(elements.name(), elements.value())
  }

  private absorbPart(name: string, value: Value): void {
    switch (name) {
      case 'count':
        this.count += doubleOf(value)
        break
      case 'small':
        this.addWhole(doubleOf(value))
        break
      case 'isLong':
        this.hasLong ||= boolOf(value)
        break
      case 'sum':
      case 'lost':
        this.hasDouble = true
        this.addDouble(doubleOf(value))
        break
      case 'large':
        this.large += BigInt(stringOf(value))
        break
      default:
        this.decimal = this.decimal === undefined ? value.detach() : addNumbers(this.decimal, value)
    }
  }

  private addWhole(n: number): void {
    const sum = this.small + n
    if (Number.isSafeInteger(sum)) {
      this.small = sum
    } else {
      this.large += BigInt(this.small)
      this.small = n
    }
  }

  /** Knuth's two-sum: adds the exact rounding error to `lost`. */
  private addDouble(n: number): void {
    const sum = this.sum + n
    if (Number.isFinite(sum)) {
      const kept = sum - n
      this.lost += this.sum - kept + (n - (sum - kept))
    }
    this.sum = sum
  }

  private doubleTotal(): number {
    return Number.isFinite(this.sum) ? this.sum + this.lost : this.sum
  }

  private whole(): bigint {
    return this.large + BigInt(this.small)
  }

  private wholeValue(isLong: boolean): Value {
    if (this.large === 0n && !isLong && this.small === (this.small | 0)) {
      return int32Value(this.small)
    }
    const whole = this.whole()
    if (whole >= int64Min && whole <= int64Max) return int64Value(whole)
    return doubleValue(Number(whole))
  }
}
