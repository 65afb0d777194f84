// A plan: where a query reads, in which order, and what it must check on the results. Plain data,
// made once by the planner, executed by sources and printed by explain.

import { type Bytes, compareBytes } from '../../base/bytes/bytes.js'
import type { FilterNode } from '../../query/filter.js'
import type { Collation } from '../../value/collation/collation.js'
import type { Document } from '../../value/value.js'
import type { IndexDescriptor, IndexField } from '../types.js'
import type { Conditions } from './bounds.js'
import type { Listed } from './listed.js'
import type { Intervals } from './points.js'

/** Store keys from `start` (included) to `end` (excluded). */
export interface Span {
  readonly start: Bytes
  readonly end: Bytes
}

/** An ordering of documents: the clustered `_id` or an index. */
export interface Ordered {
  /** Undefined for the records themselves. */
  readonly index: IndexDescriptor | undefined
  readonly fields: readonly IndexField[]
  readonly multikey: readonly boolean[]
  readonly unique: boolean
  /** The query's conditions, with those on the path of a wildcard index. */
  readonly conditions?: Conditions
}

/** What a plan uses of one field of an index. */
export interface FieldBounds {
  readonly path: string
  readonly direction: 1 | -1
  /** Ascending by value, disjoint. */
  readonly intervals: Intervals
  /** Collation of its keys. */
  readonly collation?: Collation | undefined
}

/** min and max of a find: values for all fields of an index. */
export interface AskedRange {
  /** Inclusive. */
  readonly min: Document | undefined
  /** Exclusive. */
  readonly max: Document | undefined
}

export type Access =
  /** The bounds contradict each other. */
  | { readonly kind: 'nothing' }
  /** Records by their keys, in list order. */
  | {
      readonly kind: 'points'
      readonly keys: Listed<Bytes>
      readonly bounds: FieldBounds
    }
  /**
   * Records in key order, which is `_id` order (docs/design/transactions.md, rule 9); without
   * bounds a collection scan.
   */
  | {
      readonly kind: 'records'
      readonly spans: Listed<Span>
      readonly reverse: boolean
      readonly bounds: FieldBounds | undefined
      /** The range that a client gave as min and max. */
      readonly range?: AskedRange
    }
  /** Index entries in key order, each fetching its record. */
  | {
      readonly kind: 'entries'
      readonly index: IndexDescriptor
      readonly spans: Listed<Span>
      readonly reverse: boolean
      readonly bounds: readonly FieldBounds[]
      readonly range?: AskedRange
    }

export interface Plan {
  /** Read one after the other; several only for the branches of an $or. */
  readonly accesses: readonly Access[]
  /** Whether results match without checking the filter. */
  readonly isExact: boolean
  /** Conditions that the bounds do not cover, for explain. */
  readonly residual: readonly FilterNode[]
  /** Whether documents come in the requested order. */
  readonly isSorted: boolean
  /** Whether at most one document can be found. */
  readonly isSingle: boolean
  /** Other usable plans, best first. */
  readonly rejected: readonly Plan[]
}

/** Whether a key is in one of the spans, which are sorted and disjoint. */
export function spansHold(spans: Listed<Span>, key: Bytes): boolean {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const span = spans.at(middle) as Span
    if (compareBytes(key, span.start) < 0) high = middle
    else if (compareBytes(key, span.end) >= 0) low = middle + 1
    else return true
  }
  return false
}

/** Whether a key is in a list that is sorted, in either direction. */
export function keysHold(keys: Listed<Bytes>, key: Bytes): boolean {
  const first = keys.at(0)
  const last = keys.at(-1)
  if (first === undefined || last === undefined) return false
  const sign = compareBytes(first, last) > 0 ? -1 : 1
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = sign * compareBytes(key, keys.at(middle) as Bytes)
    if (order === 0) return true
    if (order < 0) high = middle
    else low = middle + 1
  }
  return false
}

/** Whether documents may be found more than once, by one access or by several. */
export function needsDeduplication(plan: Plan): boolean {
  return (
    plan.accesses.length > 1 ||
    plan.accesses.some((access) => access.kind === 'entries' && isMultikey(access.index))
  )
}

/** Whether a document may have several entries in the part of an index that a plan reads. */
export function isMultikey(index: IndexDescriptor): boolean {
  return index.multikey.includes(true) || index.wildcard?.scan?.repeats === true
}
