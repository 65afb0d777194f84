// Hints: an index named by name or key pattern, or `$natural`. A hinted index is used even if it
// omits documents; an unknown one is an error, as on MongoDB.

import { fail } from '../../base/errors.js'
import type { Filter } from '../../query/filter.js'
import type { Sort } from '../../query/sort.js'
import { field, fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { bsonType, stringOf, type Value } from '../../value/value.js'
import { isSequenced, secondaryIndexes } from '../collection/kinds/capped-order.js'
import { clusteredName } from '../collection/kinds/clustered.js'
import { isHashed } from '../index/hashed-fields.js'
import type { IndexDescriptor, Namespace } from '../types.js'
import type { AskedRange, Ordered } from './plan.js'
import { clustered, isUsable, orderedOf, orderings } from './plan-orderings.js'

export interface PlanRequest {
  readonly filter: Filter
  readonly sort?: Sort | undefined
  /** Name or key pattern of an index, or `{$natural: ±1}`. */
  readonly hint?: Value | undefined
  /** Keys of the hinted index. */
  readonly range?: AskedRange | undefined
}

/** Direction of a scan requested by a hint or a sort; undefined without one. */
export function naturalDirection(request: PlanRequest): 1 | -1 | undefined {
  const { hint, sort } = request
  if (sort?.natural !== undefined) return sort.natural
  const natural = hint?.type === bsonType.object ? field(hint.payload(), '$natural') : undefined
  if (natural === undefined) return undefined
  return numberOf(natural) < 0 ? -1 : 1
}

/** Undefined without a hint. Throws BadValue and IndexNotFound. */
export function hintedOrdered(ns: Namespace, hint: Value | undefined): Ordered | undefined {
  if (hint === undefined) return undefined
  if (hint.type === bsonType.string) {
    const name = stringOf(hint)
    const isOfId = name === '_id_' || name === clusteredName(ns)
    if (isOfId && !isSequenced(ns)) return clustered
    const named = hintable(ns).find((index) => index.name === name && isUsable(index))
    if (named !== undefined) return orderedOf(named)
  } else {
    const wanted = [...fieldsOf(hint)]
    if (wanted.length === 0) return undefined
    const known = new Set<IndexDescriptor | undefined>([undefined, ...hintable(ns)])
    const [only, other] = [...orderings(ns)].filter(
      (ordered) => known.has(ordered.index) && hasPattern(ordered, wanted),
    )
    if (only !== undefined && other !== undefined) throw ambiguousHint(only, other)
    if (only !== undefined) return only
  }
  throw fail(
    'BadValue',
    `error processing query: planner returned error :: caused by :: ${unknownHint}`,
  )
}

/** Unlisted indexes cannot be hinted. */
function hintable(ns: Namespace): readonly IndexDescriptor[] {
  return ns.timeSeries === undefined ? ns.indexes : secondaryIndexes(ns)
}

function ambiguousHint(...both: readonly Ordered[]): Error {
  const names = both.map(({ index }) => index?.name ?? '_id_').join(' and ')
  const text = 'Hint matched multiple indexes, must hint by index name. Matched:'
  return fail(
    'IndexNotFound',
    `error processing query: planner returned error :: caused by :: ${text} ${names}`,
  )
}

const unknownHint = 'hint provided does not correspond to an existing index'

function hasPattern(ordered: Ordered, wanted: readonly [string, Value][]): boolean {
  const { fields } = ordered
  if (fields.length !== wanted.length) return false
  return wanted.every(([path, value], i) => {
    const known = fields[i]
    if (known?.path !== path) return false
    if (known.hashed === true) return isHashed(value)
    if (!value.isNumber) return false
    return known.direction === (numberOf(value) < 0 ? -1 : 1)
  })
}
