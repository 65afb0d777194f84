// The growing value of $reduce. If the last step of its body adds to `$$value`, the addition is
// appended in place. A result of n parts then costs n additions instead of n copies.

import { type Bytes, writeDecimal } from '../../base/bytes/bytes.js'
import { work } from '../../base/work/work-budget.js'
import {
  bytesPerUnit,
  charsPerUnit,
  freshBytesPerUnit,
  valueUnits,
} from '../../base/work/work-figures.js'
import { countElements, Elements } from '../../value/elements.js'
import { hashKey } from '../../value/key.js'
import { sortValues } from '../../value/sort-values.js'
import { bsonType, Value, writeInt32 } from '../../value/value.js'
import { DocumentWriter, writeArray } from '../../value/writer.js'
import type { Env, Result } from './operator.js'
import { requireRoom } from './operator.js'

/** A value that grows; the last result of `value` stays valid until the next `add`. */
export interface Growing {
  /** Copies the operand if earlier additions would overwrite it. */
  apart(operand: Value): Value
  /** Adds an operand that `takes` has accepted. */
  add(operand: Value): void
  value(): Value
}

/** How one operator grows its first operand. */
export interface Growth {
  takes(value: Result): value is Value
  begin(first: Value, env: Env): Growing
  /** Whether null and missing operands add nothing. */
  readonly skipsNull?: boolean
  /** Whether its value is expensive: it is built at the end, unless the body reads it before. */
  readonly isLazy: boolean
  /** The last of several operands is added first. */
  readonly isReversed?: boolean
}

const startBytes = 256
/** Up to this size, bytes are copied in a loop. */
const shortBytesMax = 48
/** Bytes of the longest index with its type and NUL. */
const indexHeadBytes = 18

/** Bytes with a terminator that the next addition overwrites. */
abstract class GrowingBytes {
  protected bytes: Bytes
  /** Offset of the next addition. */
  protected at: number

  constructor(
    protected readonly type: number,
    first: Value,
  ) {
    const size = first.end - first.start
    work.spend(size / bytesPerUnit)
    this.bytes = new Uint8Array(Math.max(startBytes, size * 2))
    this.bytes.set(first.bytes.subarray(first.start, first.end))
    this.at = size - 1
  }

  apart(operand: Value): Value {
    if (operand.bytes !== this.bytes) return operand
    work.spend((operand.end - operand.start) / bytesPerUnit)
    return operand.detach()
  }

  protected reserve(more: number): void {
    const size = this.at + more + 1
    requireRoom(size)
    if (size <= this.bytes.length) return
    work.spend(size / freshBytesPerUnit)
    const bigger = new Uint8Array(size * 2)
    bigger.set(this.bytes.subarray(0, this.at))
    this.bytes = bigger
  }

  protected copy(bytes: Bytes, start: number, end: number): void {
    this.reserve(end - start)
    work.spend((end - start) / bytesPerUnit)
    if (end - start > shortBytesMax) this.bytes.set(bytes.subarray(start, end), this.at)
    else for (let i = start; i < end; i++) this.bytes[this.at + i - start] = bytes[i] as number
    this.at += end - start
  }

  value(): Value {
    const { bytes, at } = this
    bytes[at] = 0
    writeInt32(bytes, 0, this.length())
    return new Value(this.type, bytes, 0, at + 1)
  }

  /** The length in the first four bytes. */
  protected length(): number {
    return this.at + 1
  }
}

class GrowingArray extends GrowingBytes implements Growing {
  private count: number

  constructor(first: Value) {
    super(bsonType.array, first)
    this.count = countElements(first)
  }

  add(operand: Value): void {
    const { bytes, start } = operand
    const elements = new Elements(bytes, start)
    while (elements.next()) {
      work.spend(valueUnits)
      this.reserve(indexHeadBytes)
      this.bytes[this.at++] = elements.type
      this.at = writeDecimal(this.bytes, this.at, this.count++)
      this.bytes[this.at++] = 0
      this.copy(bytes, elements.valueStart, elements.valueEnd)
    }
  }
}

/** An array that grows at its front: its bytes are filled from their end, names come last. */
class GrowingFront implements Growing {
  private bytes: Bytes = new Uint8Array(startBytes)
  /** Offset of the first element; before it is room for a length. */
  private at = startBytes - 1

  constructor(first: Value) {
    this.add(first)
  }

  apart(operand: Value): Value {
    return operand
  }

  add({ bytes, start, end }: Value): void {
    this.reserve(end - start)
    work.spend((end - start) / bytesPerUnit)
    const elements = new Elements(bytes, start)
    let size = 0
    while (elements.next()) size += elements.valueEnd - elements.valueStart + 2
    this.at -= size
    let at = this.at
    const again = new Elements(bytes, start)
    while (again.next()) {
      work.spend(valueUnits)
      this.bytes[at] = again.type
      this.bytes[at + 1] = 0
      this.bytes.set(bytes.subarray(again.valueStart, again.valueEnd), at + 2)
      at += again.valueEnd - again.valueStart + 2
    }
  }

  value(): Value {
    const writer = new DocumentWriter(true)
    const elements = new Elements(this.bytes, this.at - 4)
    while (elements.next()) writer.push(elements.value())
    return writer.finishValue()
  }

  private reserve(more: number): void {
    const used = this.bytes.length - this.at
    requireRoom(used + more)
    if (more + 4 <= this.at) return
    work.spend((used + more) / freshBytesPerUnit)
    const bigger = new Uint8Array((used + more) * 2 + startBytes)
    bigger.set(this.bytes.subarray(this.at), bigger.length - used)
    this.at = bigger.length - used
    this.bytes = bigger
  }
}

class GrowingText extends GrowingBytes implements Growing {
  constructor(first: Value) {
    super(bsonType.string, first)
  }

  add(operand: Value): void {
    const { bytes, start, end } = operand
    this.copy(bytes, start + 4, end - 1)
  }

  protected override length(): number {
    return this.at - 3
  }
}

/** The range of an element. */
interface Place {
  readonly start: number
  readonly end: number
}

/** A name becomes a key of a map: each of its characters is decoded and hashed. */
function placeUnits({ nameStart, nameEnd }: Elements): number {
  return valueUnits * 3 + (nameEnd - nameStart) / charsPerUnit
}

class GrowingObject extends GrowingBytes implements Growing {
  private places = new Map<string, Place>()

  constructor(first: Value) {
    super(bsonType.object, first)
    const seen = this.index()
    if (seen === this.places.size) return
    // A repeated name: the later field replaces the earlier one in its place.
    const { bytes, at } = this
    bytes[at] = 0
    this.at = 4
    this.places = new Map()
    this.bytes = new Uint8Array(bytes.length)
    this.add(new Value(bsonType.object, bytes, 0, at + 1))
  }

  add(operand: Value): void {
    const { bytes, start } = operand
    const elements = new Elements(bytes, start)
    while (elements.next()) {
      work.spend(placeUnits(elements))
      const name = elements.name()
      const there = this.places.get(name)
      if (there === undefined) {
        const from = this.at
        this.copy(bytes, elements.start, elements.valueEnd)
        this.places.set(name, { start: from, end: this.at })
      } else this.replace(there, bytes, elements.start, elements.valueEnd)
    }
  }

  private replace(there: Place, bytes: Bytes, start: number, end: number): void {
    const more = end - start - (there.end - there.start)
    if (more !== 0) {
      this.reserve(Math.max(more, 0))
      work.spend((this.at - there.end) / bytesPerUnit)
      this.bytes.copyWithin(there.end + more, there.end, this.at)
      this.at += more
    }
    this.bytes.set(bytes.subarray(start, end), there.start)
    if (more !== 0) this.index()
  }

  /** Indexes the elements; returns their number, repeated names included. */
  private index(): number {
    this.bytes[this.at] = 0
    this.places.clear()
    const elements = new Elements(this.bytes)
    let count = 0
    for (; elements.next(); count++) {
      work.spend(placeUnits(elements))
      this.places.set(elements.name(), { start: elements.start, end: elements.valueEnd })
    }
    return count
  }
}

class GrowingSet implements Growing {
  private readonly values = new Map<string | number, Value>()

  constructor(
    first: Value,
    private readonly env: Env,
  ) {
    this.add(first)
  }

  apart(operand: Value): Value {
    return operand
  }

  add(operand: Value): void {
    const elements = new Elements(operand.bytes, operand.start)
    while (elements.next()) {
      const value = elements.value()
      const key = hashKey(value, this.env.collation)
      if (!this.values.has(key)) this.values.set(key, value)
    }
  }

  value(): Value {
    work.spend(this.values.size * valueUnits)
    return writeArray(sortValues([...this.values.values()], this.env.collation))
  }
}

function isOf(type: number): (value: Result) => value is Value {
  return (value): value is Value => value?.type === type
}

/** $concatArrays with `$$value` as its last operand; only for a body that reads it nowhere else. */
export const frontGrowth: Growth = {
  takes: isOf(bsonType.array),
  begin: (first) => new GrowingFront(first),
  isLazy: true,
  isReversed: true,
}

/** By the operator's name. */
export const growths: ReadonlyMap<string, Growth> = new Map([
  [
    '$concatArrays',
    { takes: isOf(bsonType.array), begin: (first) => new GrowingArray(first), isLazy: false },
  ],
  [
    '$concat',
    { takes: isOf(bsonType.string), begin: (first) => new GrowingText(first), isLazy: false },
  ],
  [
    '$mergeObjects',
    {
      takes: isOf(bsonType.object),
      begin: (first) => new GrowingObject(first),
      skipsNull: true,
      isLazy: false,
    },
  ],
  [
    '$setUnion',
    {
      takes: isOf(bsonType.array),
      begin: (first, env) => new GrowingSet(first, env),
      isLazy: true,
    },
  ],
] satisfies [string, Growth][])
