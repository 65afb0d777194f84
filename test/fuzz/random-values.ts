// Random BSON values with the shape of what commands take: mostly plausible, sometimes of any type,
// so that both the work behind a check and the check itself are reached.

import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson'
import { seededRandom } from '../support/seeded-random.js'

type Fields = Record<string, unknown>

const fieldNames = ['_id', 'a', 'b', 'a.b', 'a.0', 'a.$', '$where', '', 'a..b', '$a', 'ns', 'é']
const filterOperators = [
  ...['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists', '$type', '$not'],
  ...['$size', '$all', '$elemMatch', '$regex', '$options', '$mod', '$and', '$or', '$nor', '$expr'],
]
const updateOperators = [
  ...['$set', '$unset', '$inc', '$mul', '$min', '$max', '$rename', '$push', '$pull', '$pop'],
  ...['$addToSet', '$setOnInsert', '$currentDate', '$bit', '$pullAll', '$each'],
]
const stages = [
  ...['$match', '$project', '$addFields', '$group', '$sort', '$limit', '$skip', '$unwind'],
  ...['$count', '$lookup', '$replaceRoot', '$sortByCount', '$sample', '$unset', '$collStats'],
]
const expressions = [
  ...['$add', '$subtract', '$divide', '$concat', '$cond', '$ifNull', '$arrayElemAt', '$map'],
  ...['$sum', '$first', '$push', '$toString', '$dateToString', '$literal', '$size', '$filter'],
]
const strings = [
  'c',
  'd',
  'a_1',
  '$a',
  '$$ROOT',
  '$$now',
  '*',
  '',
  'é\u{1f600}',
  '(a+)+$',
  'x'.repeat(300),
]
const wholeNumbers = [0, 1, -1, 2, 100, 2 ** 31 - 1, -(2 ** 31), 101, 10_001]
const doubles = [0.5, -0, Number.NaN, Number.POSITIVE_INFINITY, 1e308, 2 ** 53, 1e-320]

export class RandomValues {
  private readonly next: () => number

  constructor(seed: number) {
    this.next = seededRandom(seed)
  }

  /** From 0 up to `below`. */
  whole(below: number): number {
    return Math.floor(this.next() * below)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.whole(from.length)]
    if (picked === undefined) throw new Error('pick from nothing')
    return picked
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.whole(256))
  }

  /** A value of any type. */
  value(depth = 3): unknown {
    const kinds = depth > 0 ? 22 : 18
    switch (this.whole(kinds)) {
      case 0:
        return new Double(this.pick(doubles))
      case 1:
      case 2:
      case 3:
        return new Int32(this.pick(wholeNumbers))
      case 4:
        return Long.fromString(this.pick(['0', '9223372036854775807', '-9223372036854775808', '7']))
      case 5:
        return Decimal128.fromString(this.pick(['0', 'NaN', '-Infinity', '1E+6111', '12.50']))
      case 6:
      case 7:
      case 8:
        return this.pick(strings)
      case 9:
        return this.chance(0.5)
      case 10:
        return null
      case 11:
        return new ObjectId(this.bytes(12))
      case 12:
        return new Date(this.pick([0, -1, 8.64e15, 1_700_000_000_000]))
      case 13:
        return new Binary(this.bytes(this.whole(20)), this.pick([0, 2, 4, 5, 128]))
      case 14:
        return new BSONRegExp(this.pick(['^a', '[', '(a*)*b', '']), this.pick(['', 'i', 'imsx']))
      case 15:
        return new Timestamp({ t: this.whole(100), i: this.whole(100) })
      case 16:
        return this.pick([new MinKey(), new MaxKey()])
      case 17:
        return this.pick([new BSONSymbol('s'), new Code('1'), new Code('1', { a: 1 })])
      case 18:
        return Array.from({ length: this.whole(4) }, () => this.value(depth - 1))
      default:
        return this.object(depth - 1)
    }
  }

  /** A document; its names may be operators. */
  object(depth = 2): Fields {
    const fields: Fields = {}
    for (let count = this.whole(4); count > 0; count--) {
      fields[this.name()] = this.value(depth)
    }
    return fields
  }

  filter(depth = 2): Fields {
    const fields: Fields = {}
    for (let count = this.whole(3); count > 0; count--) {
      const name = this.chance(0.2) ? this.pick(filterOperators) : this.pick(fieldNames)
      if (this.chance(0.4)) fields[name] = this.value(1)
      else if (depth > 0 && this.chance(0.3)) fields[name] = [this.filter(depth - 1)]
      else fields[name] = { [this.pick(filterOperators)]: this.value(depth) }
    }
    return fields
  }

  update(): unknown {
    if (this.chance(0.2)) return this.pipeline()
    if (this.chance(0.2)) return this.object()
    const fields: Fields = {}
    for (let count = 1 + this.whole(2); count > 0; count--) {
      fields[this.pick(updateOperators)] = { [this.pick(fieldNames)]: this.value(2) }
    }
    return fields
  }

  pipeline(): unknown[] {
    return Array.from({ length: this.whole(4) }, () => ({ [this.pick(stages)]: this.stage() }))
  }

  private stage(): unknown {
    switch (this.whole(5)) {
      case 0:
        return this.value()
      case 1:
        return this.filter()
      case 2:
        return new Int32(this.whole(5))
      case 3:
        return this.pick(['$a', '$b.c'])
      default:
        return { _id: this.pick(['$a', null]), b: { [this.pick(expressions)]: this.value(2) } }
    }
  }

  private name(): string {
    if (this.chance(0.2)) return this.pick(filterOperators)
    return this.pick(fieldNames)
  }
}
