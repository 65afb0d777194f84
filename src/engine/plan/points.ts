// Bounds of one field as lists of intervals: those of a long membership are points that are made
// from its keys when they are asked for.

import type { Bytes } from '../../base/bytes/bytes.js'
import { work } from '../../base/work/work-budget.js'
import type { LongList } from '../../query/filter/long-lists.js'
import { Elements } from '../../value/elements.js'
import { KeyCollector, type KeyList, type Steps } from '../../value/key-list.js'
import { undefinedValue, type Value } from '../../value/value.js'
import { Interval, intersect } from './intervals.js'
import { type Listed, MadeList } from './listed.js'

/** Points that are made when they are asked for. */
abstract class MadePoints implements Listed<Interval>, Iterable<Interval> {
  abstract readonly length: number
  /** Bytes of the longest key. */
  abstract readonly longest: number
  abstract at(index: number): Interval | undefined

  slice(from: number, to: number): readonly Interval[] {
    return new MadeList(this.length, (i) => this.at(i) as Interval).slice(from, to)
  }

  *[Symbol.iterator](): Generator<Interval> {
    for (let i = 0; i < this.length; i++) yield this.at(i) as Interval
  }
}

/** The values of a long list, in the order of their keys. */
export class Points extends MadePoints {
  constructor(
    readonly list: LongList,
    private readonly from = 0,
    private readonly end = list.bounds.length,
  ) {
    super()
  }

  get length(): number {
    return this.end - this.from
  }

  get longest(): number {
    return this.list.bounds.longest
  }

  at(index: number): Interval | undefined {
    if (index < 0 || index >= this.length) return undefined
    const at = this.from + index
    return pointOf(this.valueAt(at), this.list.bounds.keyAt(at))
  }

  /** The points in an interval. */
  within({ start, end }: Interval): Points {
    const { bounds } = this.list
    const from = Math.max(this.from, bounds.firstFrom(start))
    return new Points(this.list, from, Math.max(from, Math.min(this.end, bounds.firstFrom(end))))
  }

  private valueAt(index: number): Value {
    const place = this.list.bounds.placeAt(index)
    if (place === 0) return undefinedValue
    const element = new Elements(this.list.operand.bytes, place - Elements.headBytes)
    return element.next() ? element.value() : undefinedValue
  }
}

/** The hashes of a long list's values. They are made before the first of them is read. */
export class HashedPoints extends MadePoints {
  private hashes: KeyList | undefined

  constructor(
    private readonly points: Points,
    private readonly hashOf: (key: Bytes) => Value,
  ) {
    super()
  }

  get length(): number {
    return this.hashes?.length ?? this.points.length
  }

  get longest(): number {
    return hashKeyBytesMax
  }

  at(index: number): Interval | undefined {
    const hashes = this.hashes ?? this.made()
    if (index < 0 || index >= hashes.length) return undefined
    return pointOf(this.hashAt(hashes.placeAt(index)), hashes.keyAt(index))
  }

  /** Makes the hashes in steps, once. */
  *prepare(): Steps<void> {
    if (this.hashes !== undefined) return
    const keys = new KeyCollector()
    for (let i = 0; i < this.points.length; i++) {
      work.note(hashUnits)
      keys.add(this.hashAt(i), i)
      if (i % hashesAtOnce === 0) yield
    }
    this.hashes = yield* keys.list()
  }

  private hashAt(index: number): Value {
    return this.hashOf((this.points.at(index) as Interval).low.key)
  }

  private made(): KeyList {
    for (const _ of this.prepare());
    return this.hashes as KeyList
  }
}

/** Work units of a hash, and hashes between two pauses. */
const hashUnits = 10
const hashesAtOnce = 64
/** A number of eight bytes as a key. */
const hashKeyBytesMax = 16

function pointOf(value: Value, key: Bytes): Interval {
  const end = { value, inclusive: true, key }
  return new Interval(end, end)
}

/** Sorted and disjoint. */
export type Intervals = readonly Interval[] | Points | HashedPoints

/** Whether intervals are made when they are asked for. */
export function isMade(list: Intervals): list is Points | HashedPoints {
  return list instanceof Points || list instanceof HashedPoints
}

/** The steps before the first key of these bounds is read; undefined if there are none. */
export function preparing(
  bounds: readonly { readonly intervals: Intervals }[],
): Steps<void> | undefined {
  for (const { intervals } of bounds) {
    if (intervals instanceof HashedPoints) return intervals.prepare()
  }
  return undefined
}

const pointLists = new WeakMap<readonly Interval[], boolean>()

/** Whether each interval contains only one value. A plan asks several times, so it is kept. */
export function arePoints(list: Intervals): boolean {
  if (isMade(list)) return true
  const known = pointLists.get(list)
  if (known !== undefined) return known
  const found = list.every(({ isPoint }) => isPoint)
  pointLists.set(list, found)
  return found
}

interface Bounding {
  readonly intervals: Intervals
}

/**
 * The keys that meet all conditions, and the conditions that these keys decide: not all of them, if
 * one is long and others have several intervals.
 */
export function together<P extends Bounding>(
  all: readonly P[],
): { readonly intervals: Intervals; readonly told: readonly P[] } {
  const [first] = all
  if (first === undefined) return { intervals: [], told: [] }
  if (all.length === 1) return { intervals: first.intervals, told: all }
  const short = all.filter(({ intervals }) => !isMade(intervals))
  let common: readonly Interval[] | undefined
  for (const { intervals } of short) {
    if (isMade(intervals)) continue
    common = common === undefined ? intervals : intersect(common, intervals)
  }
  if (common !== undefined && short.length === all.length) return { intervals: common, told: all }
  const long = shortest(all.filter(({ intervals }) => intervals instanceof Points))
  if (long === undefined || common === undefined) {
    const one = long ?? first
    return { intervals: one.intervals, told: [one] }
  }
  const [only, ...others] = common
  if (only === undefined || others.length > 0) return { intervals: common, told: short }
  return { intervals: (long.intervals as Points).within(only), told: [...short, long] }
}

function shortest<P extends Bounding>(all: readonly P[]): P | undefined {
  let found: P | undefined
  for (const one of all) {
    if (found === undefined || one.intervals.length < found.intervals.length) found = one
  }
  return found
}
