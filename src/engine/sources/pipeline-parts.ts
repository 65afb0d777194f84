// Splits a pipeline into a find and the rest: leading $match, $sort, $skip and $limit become its
// filter, order and bounds. A count of their result becomes a count of keys.

import type { Filter, FilterNode } from '../../query/filter.js'
import type { StagePlan } from '../../query/pipeline.js'
import type { Sort } from '../../query/sort.js'
import { Elements, fieldsOf } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { bsonType, stringOf, type Value } from '../../value/value.js'

export interface PipelineParts {
  readonly filter: Filter
  readonly sort: Sort | undefined
  readonly skip: number
  /** Infinity means no limit. */
  readonly limit: number
  /** The remaining stages. */
  readonly rest: readonly StagePlan[]
}

const everything: Filter = {
  tree: { op: 'always' },
  collation: undefined,
  matches: () => true,
  matchedIndex: () => undefined,
}

/** The conjunction of both; without array positions, which only finds and updates need. */
function bothFilters(a: Filter, b: Filter): Filter {
  if (a.tree.op === 'always') return b
  if (b.tree.op === 'always') return a
  return {
    tree: { op: 'and', children: [...conjunctsOf(a.tree), ...conjunctsOf(b.tree)] },
    collation: a.collation ?? b.collation,
    matches: (document) => a.matches(document) && b.matches(document),
    matchedIndex: () => undefined,
  }
}

function conjunctsOf(tree: FilterNode): readonly FilterNode[] {
  return tree.op === 'and' ? tree.children : [tree]
}

/** Splits a pipeline over a collection; `filter` holds before its first stage. */
export function partsOf(stages: readonly StagePlan[], filter: Filter = everything): PipelineParts {
  let matched = filter
  let sort: Sort | undefined
  let skip = 0
  let limit = Number.POSITIVE_INFINITY
  let at = 0
  for (; at < stages.length; at++) {
    const stage = stages[at]
    const isCut = skip > 0 || Number.isFinite(limit)
    if (stage?.kind === 'match' && !isCut) matched = bothFilters(matched, stage.filter)
    else if (stage?.kind === 'sort' && !isCut && sort === undefined) sort = stage.sort
    else if (stage?.kind === 'skip') {
      skip += stage.count
      limit = Math.max(limit - stage.count, 0)
    } else if (stage?.kind === 'limit') limit = Math.min(limit, stage.count)
    else break
  }
  return { filter: matched, sort, skip, limit, rest: stages.slice(at) }
}

/** A stage that only counts its input: the name of the count, and a constant beside it. */
export interface CountShape {
  readonly name: string
  /** The `_id` of a $group. */
  readonly group: Value | undefined
}

/**
 * `{$count: 'n'}` and `{$group: {_id: 1, n: {$sum: 1}}}`, which drivers send for countDocuments.
 */
export function countShapeOf(stage: StagePlan | undefined): CountShape | undefined {
  if (stage?.name === '$count') return { name: stringOf(stage.spec), group: undefined }
  if (stage?.name !== '$group') return undefined
  const [id, counter, ...others] = fieldsOf(stage.spec)
  if (id?.[0] !== '_id' || counter === undefined || others.length > 0) return undefined
  if (!isConstant(id[1]) || !isSumOfOnes(counter[1])) return undefined
  return { name: counter[0], group: id[1] }
}

function isConstant(value: Value): boolean {
  if (value.type === bsonType.string) return !stringOf(value).startsWith('$')
  return value.isNumber || value.type === bsonType.null || value.type === bsonType.bool
}

function isSumOfOnes(value: Value): boolean {
  if (value.type !== bsonType.object) return false
  const elements = new Elements(value.bytes, value.start)
  if (!elements.next() || elements.name() !== '$sum') return false
  const one = elements.value()
  return one.type === bsonType.int32 && integerOf(one) === 1 && !elements.next()
}
