// Converts intervals of values to ranges of store keys, which a plan scans. Bounds too long for a
// key become wider than their condition, which is then checked on the results.
// (docs/design/transactions.md, rule 8)

import { type Bytes, compareBytes, concatBytes, prefixEnd } from '../../base/bytes/bytes.js'
import { recordKeyPrefixBytes } from '../../base/limits/store.js'
import type { FilterNode } from '../../query/filter.js'
import { idKey, idKeyEnd, keyClass } from '../../store/layout.js'
import { isHashedKey, recordKey } from '../collection/collections.js'
import { entryHeadBytes, entryPrefixBytes } from '../index/index-keys.js'
import type { IndexField, Namespace } from '../types.js'
import { fullInterval, type Interval } from './intervals.js'
import { type Listed, MadeList } from './listed.js'
import type { Access, FieldBounds, Ordered, Span } from './plan.js'
import { arePoints, type Intervals, isMade } from './points.js'

export const idFields: readonly IndexField[] = [{ path: '_id', direction: 1 }]

/** The bounds that conditions give to an ordering. */
export interface Bounded {
  readonly ordered: Ordered
  /** One list for each bounded field, from the first field on. */
  readonly intervals: readonly Intervals[]
  readonly used: ReadonlySet<FilterNode>
}

/** Whether the list has no bounds. */
export function isAll(list: Intervals): boolean {
  return list.length === 1 && list.at(0)?.isFull === true
}

/** All records of a collection. */
export function wholeSpan(ns: Namespace): Span {
  return { start: idKey(keyClass.record, ns.id), end: idKeyEnd(keyClass.record, ns.id) }
}

interface Built {
  readonly access: Access
  /** Whether a bound was too long for a key, and became wider than its condition. */
  readonly isCut: boolean
}

/** Builds the access for bounds, downwards if `reverse`. */
export function accessOf(ns: Namespace, bounded: Bounded, reverse: boolean): Built {
  const { ordered, intervals } = bounded
  if (intervals.some((list) => list.length === 0)) {
    return { access: { kind: 'nothing' }, isCut: false }
  }
  const { index } = ordered
  const by = index === undefined ? ns.collation : index.collation
  const bounds = ordered.fields.map(
    ({ path, direction }, i): FieldBounds => ({
      path,
      direction,
      intervals: intervals[i] ?? [fullInterval],
      collation: by,
    }),
  )
  if (index === undefined) return recordAccess(ns, intervals[0], bounds[0], reverse)
  const head = idKey(keyClass.entry, index.id)
  const { spans, isCut } = spansFor(head, ordered.fields, intervals, entryPrefixBytes)
  return { access: { kind: 'entries', index, spans, reverse, bounds }, isCut }
}

function recordAccess(
  ns: Namespace,
  list: Intervals | undefined,
  bounds: FieldBounds | undefined,
  reverse: boolean,
): Built {
  if (list === undefined || bounds === undefined || isAll(list)) {
    const spans = [wholeSpan(ns)]
    return { access: { kind: 'records', spans, reverse, bounds: undefined }, isCut: false }
  }
  const head = idKey(keyClass.record, ns.id)
  if (isMade(list)) {
    const last = list.length - 1
    const keyAt = (i: number) => {
      const point = list.at(reverse ? last - i : i) as Interval
      return concatBytes(head, point.low.key)
    }
    return {
      access: { kind: 'points', keys: new MadeList(list.length, keyAt), bounds },
      isCut: false,
    }
  }
  if (arePoints(list)) {
    const keys = list.map((interval) => recordKey(ns, interval.low.value))
    // Long ids share a prefix and are distinguished by a hash, which is ordered differently.
    if (keys.some(isHashedKey)) keys.sort(compareBytes)
    if (reverse) keys.reverse()
    return { access: { kind: 'points', keys, bounds }, isCut: keys.some(isHashedKey) }
  }
  const { spans, isCut } = spansFor(head, idFields, [list], recordKeyPrefixBytes)
  return { access: { kind: 'records', spans, reverse, bounds }, isCut }
}

/** The product of the fields' intervals as key ranges, ascending and disjoint. */
function spansFor(
  head: Bytes,
  fields: readonly IndexField[],
  intervals: readonly Intervals[],
  prefixBytes: number,
): { spans: Listed<Span>; isCut: boolean } {
  if (intervals.some(isMade)) return { spans: madeSpans(head, fields, intervals), isCut: false }
  let prefixes = [head]
  const last = intervals.length - 1
  for (let i = 0; i < last; i++) {
    const edges = edgesOf(intervals[i] ?? [], fields[i]?.direction === -1)
    // Only points: the start of a value's interval is the prefix of its keys.
    prefixes = prefixes.flatMap((prefix) => edges.map(({ start }) => concatBytes(prefix, start)))
  }
  const lengthMax = entryHeadBytes + prefixBytes
  const edges = edgesOf(intervals[last] ?? [fullInterval], fields[last]?.direction === -1)
  const spans: Span[] = []
  let isCut = false
  for (const prefix of prefixes) {
    for (const edge of edges) {
      const start = concatBytes(prefix, edge.start)
      const end = concatBytes(prefix, edge.end)
      if (start.length > lengthMax || end.length > lengthMax) isCut = true
      spans.push({ start: cutStart(start, lengthMax), end: cutEnd(end, lengthMax) })
    }
  }
  return { spans: isCut ? merged(spans) : spans, isCut }
}

/** As spansFor, of which each is made when it is asked for. */
function madeSpans(
  head: Bytes,
  fields: readonly IndexField[],
  intervals: readonly Intervals[],
): MadeList<Span> {
  const count = intervals.reduce((product, list) => product * list.length, 1)
  const spanAt = (index: number): Span => {
    let rest = index
    const edges: Span[] = []
    for (let i = intervals.length - 1; i >= 0; i--) {
      const list = intervals[i] as Intervals
      edges.push(edgeAt(list, rest % list.length, fields[i]?.direction === -1))
      rest = Math.floor(rest / list.length)
    }
    const last = edges[0] as Span
    const before = edges.slice(1).reverse()
    // The start of a value's interval is the prefix of its keys.
    const prefix = concatBytes(head, ...before.map(({ start }) => start))
    return { start: concatBytes(prefix, last.start), end: concatBytes(prefix, last.end) }
  }
  return new MadeList(count, spanAt)
}

function edgeAt(list: Intervals, at: number, isDescending: boolean): Span {
  if (!isDescending) return list.at(at) as Interval
  return (list.at(list.length - 1 - at) as Interval).descending()
}

function edgesOf(list: Intervals, isDescending: boolean): readonly Span[] {
  if (isMade(list)) return []
  return isDescending ? list.map((interval) => interval.descending()).reverse() : list
}

function cutStart(key: Bytes, lengthMax: number): Bytes {
  return key.length > lengthMax ? key.subarray(0, lengthMax) : key
}

function cutEnd(key: Bytes, lengthMax: number): Bytes {
  return key.length > lengthMax ? prefixEnd(key.subarray(0, lengthMax)) : key
}

function merged(spans: readonly Span[]): Span[] {
  const apart: Span[] = []
  for (const span of spans) {
    const last = apart.at(-1)
    if (last === undefined || compareBytes(span.start, last.end) >= 0) apart.push(span)
    else if (compareBytes(span.end, last.end) > 0) {
      apart[apart.length - 1] = { start: last.start, end: span.end }
    }
  }
  return apart
}
