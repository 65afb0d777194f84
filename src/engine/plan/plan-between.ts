// min and max of a find: one range of keys of the hinted index, from `min` (inclusive) to `max`
// (exclusive). Rules, codes and texts are MongoDB's. Source: MongoDB manual, cursor.min() and
// cursor.max().

import { type Bytes, compareBytes, concatBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { recordKeyPrefixBytes } from '../../base/limits/store.js'
import { idKey, idKeyEnd, keyClass } from '../../store/layout.js'
import { isCollatable } from '../../value/collation/collatable.js'
import { type Collation, sameCollation } from '../../value/collation/collation.js'
import { fieldsOf } from '../../value/elements.js'
import { encodeKey } from '../../value/key.js'
import {
  type Document,
  documentValue,
  maxKeyValue,
  minKeyValue,
  type Value,
} from '../../value/value.js'
import { entryHeadBytes, entryPrefixBytes } from '../index/index-keys.js'
import type { Namespace } from '../types.js'
import type { Conditions } from './bounds.js'
import { bound, fullInterval, Interval } from './intervals.js'
import type { Access, AskedRange, FieldBounds, Ordered, Plan, Span } from './plan.js'
import { orderIn } from './plan-candidate.js'
import { hintedOrdered, naturalDirection, type PlanRequest } from './plan-hint.js'
import { keyCollation } from './plan-orderings.js'

/**
 * The plan for a range of keys. Throws 51173 without an index hint, BadValue for an unknown one,
 * 51174 if the index has other fields, 51175 if `min` is not before `max`.
 */
export function planBetween(
  ns: Namespace,
  request: PlanRequest,
  range: AskedRange,
  { conjuncts }: Conditions,
): Plan {
  const isNatural = naturalDirection(request) !== undefined
  const ordered = isNatural ? undefined : hintedOrdered(ns, request.hint)
  if (ordered === undefined) throw hintMissing()
  const by = request.filter.collation
  for (const end of [range.min, range.max]) {
    if (end !== undefined && !isOfIndex(ns, ordered, end, by)) throw isIncompatible()
  }
  const order = orderIn(ns, { ordered, intervals: [], used: new Set() }, request.sort)
  return {
    accesses: [accessBetween(ns, ordered, range, order === -1)],
    isExact: conjuncts.length === 0,
    residual: conjuncts,
    isSorted: order !== undefined,
    isSingle: false,
    rejected: [],
  }
}

export function hintMissing(): Error {
  const text = 'When using min()/max() a hint of which index to use must be provided'
  return fail('Location51173', text)
}

function isIncompatible(): Error {
  return fail('Location51174', 'The index chosen is not compatible with min/max')
}

/**
 * Whether one end of a range has the fields of an index in order, with matching string comparison.
 */
function isOfIndex(
  ns: Namespace,
  ordered: Ordered,
  end: Document,
  by: Collation | undefined,
): boolean {
  const { index, fields } = ordered
  // Hashes have no useful order.
  if (index?.wildcard !== undefined || fields.some(({ hashed }) => hashed === true)) return false
  const given = [...fieldsOf(documentValue(end))]
  const comparesAlike = sameCollation(by, keyCollation(ns, ordered))
  return (
    given.length === fields.length &&
    given.every(([path, value], i) => {
      return path === fields[i]?.path && (comparesAlike || !isCollatable(value))
    })
  )
}

function accessBetween(
  ns: Namespace,
  ordered: Ordered,
  range: AskedRange,
  reverse: boolean,
): Access {
  const { index } = ordered
  const kind = index === undefined ? keyClass.record : keyClass.entry
  const id = index?.id ?? ns.id
  const collation = keyCollation(ns, ordered)
  const keyOf = (end: Document): Bytes => {
    const key = concatBytes(idKey(kind, id), ...fieldKeys(ordered, end, collation))
    requireWhole(key, index === undefined ? recordKeyPrefixBytes : entryPrefixBytes)
    return key
  }
  const { min, max } = range
  const span: Span = {
    start: min === undefined ? idKey(kind, id) : keyOf(min),
    end: max === undefined ? idKeyEnd(kind, id) : keyOf(max),
  }
  if (compareBytes(span.start, span.end) >= 0) {
    const text = 'The value provided for min() does not come before the value provided for max()'
    throw fail('Location51175', `${text} in the hinted index`)
  }
  const bounds = boundsOf(ordered, range, collation)
  const spans = [span]
  if (index !== undefined) return { kind: 'entries', index, spans, reverse, bounds, range }
  return { kind: 'records', spans, reverse, bounds: bounds[0], range }
}

function fieldKeys({ fields }: Ordered, end: Document, collation: Collation | undefined): Bytes[] {
  return [...fieldsOf(documentValue(end))].map(([, value], i) =>
    encodeKey(value, fields[i]?.direction === -1, collation),
  )
}

/** Longer keys are shortened to a prefix and a hash, which are not ordered. */
function requireWhole(key: Bytes, bytesMax: number): void {
  if (key.length <= entryHeadBytes + bytesMax) return
  const text = `min and max of more than ${bytesMax} bytes of key are not supported`
  throw fail('CommandNotSupported', text)
}

/** The bounds of each field alone: the first lies between both ends, others anywhere. */
function boundsOf(
  { fields }: Ordered,
  { min, max }: AskedRange,
  collation: Collation | undefined,
): FieldBounds[] {
  return fields.map(({ path, direction }, i) => {
    const [low, high] = direction === -1 ? [max, min] : [min, max]
    const isFirst = i === 0
    const interval = isFirst
      ? new Interval(
          bound(firstOf(low) ?? minKeyValue, true, collation),
          bound(firstOf(high) ?? maxKeyValue, true, collation),
        )
      : fullInterval
    return { path, direction, intervals: [interval], collation }
  })
}

function firstOf(end: Document | undefined): Value | undefined {
  if (end === undefined) return undefined
  const [first] = fieldsOf(documentValue(end))
  return first?.[1]
}
