// Builds and scores the plan of one ordering for a query: its bounds, the remaining conditions, and
// whether it gives the requested order. planner.ts explains how scores compare.

import { recordKeyPrefixBytes } from '../../base/limits/store.js'
import type { FilterNode } from '../../query/filter.js'
import type { Sort } from '../../query/sort.js'
import { sameCollation } from '../../value/collation/collation.js'
import { isSequenced } from '../collection/kinds/capped-order.js'
import { hashedIntervals } from '../index/hashed-fields.js'
import { pathField } from '../index/wildcard-paths.js'
import type { IndexDescriptor, IndexField, Namespace } from '../types.js'
import type { Conditions, Predicate } from './bounds.js'
import { bracketOf, type Interval } from './intervals.js'
import type { Access, Ordered, Plan } from './plan.js'
import { accessOf, type Bounded, isAll } from './plan-access.js'
import { isComplete, requiresField } from './plan-membership.js'
import { orderOf } from './plan-order.js'
import { keyCollation } from './plan-orderings.js'
import { arePoints, type Intervals, isMade, together } from './points.js'

/** Maximum key ranges of a compound index's bounds; further fields are filtered. */
const planSpansMax = 10_000
/** Up to this many points, a unique index beats every other plan. */
const uniquePointsMax = 1_000

export interface Candidate {
  readonly plan: Plan
  /** Compared element by element; larger is better. */
  readonly score: readonly number[]
}

/** False if no candidate could be useful: bounds begin at the first field. */
export function mayServe(
  { index, fields, conditions: own }: Ordered,
  conditions: Conditions,
  sort: Sort | undefined,
): boolean {
  const { byPath, conjuncts } = own ?? conditions
  if (index === undefined || (sort !== undefined && sort.parts.length > 0)) return true
  return byPath.has(fields[0]?.path ?? '') || isSparseAnswer(index, conjuncts)
}

/** Records are always useful; an index only with bounds or if it avoids a sort. */
export function isUseful(
  { plan }: Candidate,
  { index }: Ordered,
  sort: Sort | undefined,
  conjuncts: readonly FilterNode[],
): boolean {
  if (index === undefined) return true
  if (!plan.accesses.every((access) => isComplete(access, conjuncts, index))) return false
  const savesSort = plan.isSorted && sort !== undefined && sort.parts.length > 0
  return savesSort || plan.accesses.every(isBounded) || isSparseAnswer(index, conjuncts)
}

/**
 * Whether a sparse index answers the query with all its entries: the documents that have the field.
 */
function isSparseAnswer(index: IndexDescriptor, conjuncts: readonly FilterNode[]): boolean {
  const path = index.fields[0]?.path ?? ''
  return index.sparse === true && conjuncts.some((node) => requiresField(node, path))
}

/** Whether an access has bounds. */
export function isBounded(access: Access): boolean {
  if (access.kind === 'entries') return access.bounds.some(({ intervals }) => !isAll(intervals))
  return access.kind !== 'records' || access.bounds !== undefined
}

export function isIndexed(plan: Plan): boolean {
  const [access] = plan.accesses
  return access !== undefined && (access.kind !== 'records' || access.bounds !== undefined)
}

export function byScore(a: Candidate, b: Candidate): number {
  for (let i = 0; i < a.score.length; i++) {
    const difference = (b.score[i] ?? 0) - (a.score[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

export function candidateOf(
  ns: Namespace,
  ordered: Ordered,
  conditions: Conditions,
  sort: Sort | undefined,
): Candidate {
  const bounded = boundsOf(ordered, ordered.conditions ?? conditions)
  const order = orderIn(ns, bounded, sort)
  const { access, isCut } = accessOf(ns, bounded, order === -1)
  const used = isCut ? new Set<FilterNode>() : bounded.used
  const own = access.kind === 'entries' ? ordered.index : undefined
  const residual = conditions.conjuncts.filter(
    (node) => !used.has(node) && !isAnsweredBySparse(own, node),
  )
  const isSingle = access.kind !== 'nothing' && isPointOfUnique(bounded) && spansOf(access) === 1
  const plan: Plan = {
    accesses: [access],
    isExact: residual.length === 0,
    residual,
    isSorted: order !== undefined,
    isSingle,
    rejected: [],
  }
  return { plan, score: scoreOf(plan, bounded, conditions.conjuncts) }
}

/** Like orderOf; strings of another collation have another order. */
export function orderIn(
  ns: Namespace,
  bounded: Bounded,
  sort: Sort | undefined,
): 1 | -1 | undefined {
  const { ordered, intervals } = bounded
  if (sort === undefined || sort.parts.length === 0) return 1
  if (!sameCollation(sort.collation, keyCollation(ns, ordered))) return undefined
  const endsById = !isSequenced(ns) && sameCollation(sort.collation, ns.collation)
  return orderOf(ordered, intervals, sort, endsById)
}

/** A sparse index on one field contains exactly the documents that have the field. */
function isAnsweredBySparse(index: IndexDescriptor | undefined, node: FilterNode): boolean {
  const [only, ...others] = index?.fields ?? []
  if (index?.sparse !== true || only === undefined || others.length > 0) return false
  return requiresField(node, only.path)
}

function isPointOfUnique(bounded: Bounded): boolean {
  const { ordered, intervals } = bounded
  if (!ordered.unique || intervals.length < ordered.fields.length) return false
  return intervals.every(arePoints)
}

function spansOf(access: Access): number {
  if (access.kind === 'nothing') return 0
  return access.kind === 'points' ? access.keys.length : access.spans.length
}

function scoreOf(plan: Plan, bounded: Bounded, conjuncts: readonly FilterNode[]): number[] {
  const [access] = plan.accesses
  const isNothing = access?.kind === 'nothing'
  const spans = access === undefined ? 0 : spansOf(access)
  const { index } = bounded.ordered
  let points = 0
  let range = index !== undefined && isSparseAnswer(index, conjuncts) ? 1 : 0
  for (const [i, list] of bounded.intervals.entries()) {
    // The path field is not a condition of the query.
    if (bounded.ordered.fields[i]?.path === pathField) continue
    if (arePoints(list)) points += list.length === 1 ? 2 : 1
    else range = rangeScore(list)
  }
  const isFewPoints = isPointOfUnique(bounded) && spans <= uniquePointsMax
  return [
    isNothing ? 1 : 0,
    plan.isSingle ? 1 : 0,
    isFewPoints ? 1 : 0,
    points,
    range,
    plan.isSorted ? 1 : 0,
    plan.isExact ? 1 : 0,
    -spans,
    -bounded.ordered.fields.length,
  ]
}

/** 0: unbounded; 1: open on one side of its type; 2: closed on both. */
function rangeScore(list: Intervals): number {
  if (isMade(list)) return 2
  if (isAll(list)) return 0
  const isClosed = list.every(({ low, high }) => {
    const bracket = bracketOf(low.value.type)
    return bracket !== undefined && low !== bracket.low && high !== bracket.high
  })
  return isClosed ? 2 : 1
}

/**
 * Bounds for the leading fields of an ordering: points first, then one list of ranges. Fields after
 * a range cannot narrow the scan.
 */
function boundsOf(ordered: Ordered, conditions: Conditions): Bounded {
  const intervals: Intervals[] = []
  const used = new Set<FilterNode>()
  const taken: { path: string; scope: object | undefined }[] = []
  let spans = 1
  for (let i = 0; i < ordered.fields.length; i++) {
    const { path, hashed } = ordered.fields[i] as IndexField
    const predicates = conditions.byPath.get(path)
    if (predicates === undefined) break
    const isMultikey = ordered.multikey[i] === true
    const chosen = isMultikey ? chooseOne(predicates, path, taken) : predicates
    if (chosen.length === 0) break
    const { intervals: common, told } = together(chosen)
    let list = common
    if (hashed === true && ordered.index !== undefined) {
      const points = hashedIntervals(list, ordered.index)
      if (points === undefined) break
      list = points
    }
    if (!areWhole([...intervals, list])) {
      if (!isMade(list) || i > 0 || list.length > planSpansMax) break
      list = [...list]
    }
    if (i > 0 && list.length > 1 && spans * list.length > planSpansMax) break
    spans *= list.length
    intervals.push(list)
    for (const { node, isExact } of told) if (isExact && hashed !== true) used.add(node)
    if (isMultikey) taken.push({ path, scope: chosen[0]?.scope })
    if (!arePoints(list)) break
  }
  return { ordered, intervals, used }
}

/**
 * Whether the keys of all lists together are whole in every store. Keys that are cut need to be
 * merged, so points that are made when they are asked for have short ones.
 */
function areWhole(lists: readonly Intervals[]): boolean {
  if (!lists.some(isMade)) return true
  let bytes = 0
  for (const list of lists) bytes += isMade(list) ? list.longest : longestOf(list)
  return bytes <= recordKeyPrefixBytes
}

function longestOf(list: readonly Interval[]): number {
  return Math.max(...list.map(({ low, high }) => Math.max(low.key.length, high.key.length)))
}

/**
 * On a path with arrays, each condition may hold for another element, so only one gives bounds.
 * Fields under the same array share bounds only if an $elemMatch ties their conditions to one
 * element.
 */
function chooseOne(
  predicates: readonly Predicate[],
  path: string,
  taken: readonly { path: string; scope: object | undefined }[],
): readonly Predicate[] {
  const root = path.split('.', 1)[0]
  const tied = taken.find((other) => other.path.split('.', 1)[0] === root)
  const eligible =
    tied === undefined
      ? predicates
      : predicates.filter(({ scope }) => scope !== undefined && scope === tied.scope)
  let best: Predicate | undefined
  for (const predicate of eligible) {
    if (best === undefined || narrowness(predicate) > narrowness(best)) best = predicate
  }
  return best === undefined ? [] : [best]
}

function narrowness(predicate: Predicate): number {
  const { intervals } = predicate
  if (!arePoints(intervals)) return rangeScore(intervals)
  return intervals.length === 1 ? 4 : 3
}
