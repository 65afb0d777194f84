// Chooses where a query may read, best first by rule: the same query on the same indexes always
// gets the same list; where it has rivals, plan-choice.ts looks at the data. In order of weight:
//   nothing can match; at most one document (point on `_id` or a unique index); few points of a
//   unique index; more fields bound to values; a bounded range on the field after them; no sort
//   needed; no filter needed; fewer ranges; fewer fields; `_id` before others, older before newer.

import { fail } from '../base/errors.js'
import { planSpansMax, uniquePointsMax } from '../base/limits.js'
import type { Filter, FilterNode } from '../query/filter.js'
import type { Sort } from '../query/sort.js'
import { field, fieldsOf } from '../value/elements.js'
import { numberOf } from '../value/numbers.js'
import { bsonType, stringOf, type Value } from '../value/value.js'
import { type Conditions, conditionsOf, type Predicate } from './bounds.js'
import { isHashedKey, recordKey } from './collections.js'
import { bracketOf, type Interval, intersect, point } from './intervals.js'
import { type Access, type FieldBounds, isMultikey, type Ordered, type Plan } from './plan.js'
import { accessOf, type Bounded, idFields, isAll, wholeSpan } from './plan-access.js'
import { isComplete, requiresField } from './plan-membership.js'
import { orderOf } from './plan-order.js'
import type { IndexDescriptor, IndexField, Namespace } from './types.js'

export interface PlanRequest {
  readonly filter: Filter
  readonly sort?: Sort | undefined
  /** Name or key pattern of an index, or `{$natural: ±1}`. */
  readonly hint?: Value | undefined
}

interface Candidate {
  readonly plan: Plan
  /** Compared from the front, larger is better. */
  readonly score: readonly number[]
}

const clustered: Ordered = { index: undefined, fields: idFields, multikey: [false], unique: true }

const nothingPlan: Plan = {
  accesses: [{ kind: 'nothing' }],
  isExact: true,
  residual: [],
  isSorted: true,
  isSingle: false,
  rejected: [],
}

/** The plan for a query. Throws BadValue for a hint that names no usable index. */
export function planQuery(ns: Namespace, request: PlanRequest): Plan {
  return planOfId(ns, request) ?? planAny(ns, request)
}

/** The commonest query of all, `{_id: value}`, without the general way's work. */
function planOfId(ns: Namespace, { filter, hint, sort }: PlanRequest): Plan | undefined {
  const { tree } = filter
  if (tree.op !== 'eq' || hint !== undefined || tree.path.text !== '_id') return undefined
  const { value } = tree
  if (value.isNullish || value.type === bsonType.array || sort?.natural !== undefined) {
    return undefined
  }
  const key = recordKey(ns, value)
  const isExact = !isHashedKey(key)
  return {
    accesses: [{ kind: 'points', keys: [key], bounds: new PointBounds(value) }],
    isExact,
    residual: isExact ? [] : [tree],
    isSorted: true,
    isSingle: true,
    rejected: [],
  }
}

/** Made when explain asks. */
class PointBounds implements FieldBounds {
  readonly path = '_id'
  readonly direction = 1

  constructor(private readonly value: Value) {}

  get intervals(): readonly Interval[] {
    return [point(this.value)]
  }
}

function planAny(ns: Namespace, request: PlanRequest): Plan {
  const conditions = conditionsOf(request.filter.tree)
  const { sort } = request
  const direction = naturalDirection(request)
  if (conditions.isNever) return nothingPlan
  if (direction !== undefined) return naturalPlan(ns, conditions, sort, direction)
  const hinted = hintedOrdered(ns, request.hint)
  if (hinted !== undefined) return candidateOf(ns, hinted, conditions, sort).plan
  const candidates: Candidate[] = []
  const { conjuncts } = conditions
  for (const ordered of orderings(ns)) {
    if (!mayServe(ordered, conditions, sort)) continue
    const candidate = candidateOf(ns, ordered, conditions, sort)
    if (isUseful(candidate, ordered, sort, conjuncts)) candidates.push(candidate)
    // One document at most: nothing can be better.
    if (candidate.plan.isSingle && ordered === clustered) return candidate.plan
  }
  for (const node of conditions.disjunctions) {
    const candidate = disjunctionOf(ns, node, conditions, conjuncts)
    if (candidate !== undefined) candidates.push(candidate)
  }
  candidates.sort(byScore)
  const [best, ...others] = candidates
  if (best === undefined) return naturalPlan(ns, conditions, sort, 1)
  const rejected = others.filter(({ plan }) => isIndexed(plan)).map(({ plan }) => plan)
  return rejected.length === 0 ? best.plan : { ...best.plan, rejected }
}

function* orderings(ns: Namespace): Generator<Ordered> {
  yield clustered
  for (const index of ns.indexes) if (isUsable(index)) yield orderedOf(index)
}

/** An index that is being built misses documents; one that is hidden cannot be hinted either. */
function isUsable(index: IndexDescriptor): boolean {
  return index.state === 'ready' && index.hidden !== true
}

function orderedOf(index: IndexDescriptor): Ordered {
  return { index, fields: index.fields, multikey: index.multikey, unique: index.unique }
}

/** False where no candidate could be useful: bounds begin at the first field. */
function mayServe(
  { index, fields }: Ordered,
  { byPath, conjuncts }: Conditions,
  sort: Sort | undefined,
): boolean {
  if (index === undefined || (sort !== undefined && sort.parts.length > 0)) return true
  return byPath.has(fields[0]?.path ?? '') || isSparseAnswer(index, conjuncts)
}

/** The records are always a way to go; an index only with bounds or where it saves the sort. */
function isUseful(
  { plan }: Candidate,
  { index }: Ordered,
  sort: Sort | undefined,
  conjuncts: readonly FilterNode[],
): boolean {
  if (index === undefined) return true
  if (!plan.accesses.every((access) => isComplete(access, conjuncts))) return false
  const savesSort = plan.isSorted && sort !== undefined && sort.parts.length > 0
  return savesSort || plan.accesses.every(isBounded) || isSparseAnswer(index, conjuncts)
}

/** All entries of a sparse index are those of the documents that have the field. */
function isSparseAnswer(index: IndexDescriptor, conjuncts: readonly FilterNode[]): boolean {
  const path = index.fields[0]?.path ?? ''
  return index.sparse === true && conjuncts.some((node) => requiresField(node, path))
}

/** Whether an access reads less than everything. */
function isBounded(access: Access): boolean {
  if (access.kind === 'entries') return access.bounds.some(({ intervals }) => !isAll(intervals))
  return access.kind !== 'records' || access.bounds !== undefined
}

function isIndexed(plan: Plan): boolean {
  const [access] = plan.accesses
  return access !== undefined && (access.kind !== 'records' || access.bounds !== undefined)
}

function byScore(a: Candidate, b: Candidate): number {
  for (let i = 0; i < a.score.length; i++) {
    const difference = (b.score[i] ?? 0) - (a.score[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

// Distinct values.

/** A plan whose entries of one value stand together, behind others that are the same in a span. */
export interface DistinctPlan {
  readonly plan: Plan
  readonly access: Extract<Access, { kind: 'entries' }>
  /** Fields of the index up to the one that is asked for. */
  readonly fields: number
}

/**
 * An index whose entries alone say which documents match, and in which equal values of `path` are
 * neighbours: one entry of each is enough. Undefined where there is none, or the hint is another.
 */
export function planDistinct(
  ns: Namespace,
  request: PlanRequest,
  path: string,
): DistinctPlan | undefined {
  if (ns.keyspace === true || naturalDirection(request) !== undefined) return undefined
  const conditions = conditionsOf(request.filter.tree)
  const hinted = hintedOrdered(ns, request.hint)
  const found: (DistinctPlan & Candidate)[] = []
  for (const ordered of hinted === undefined ? orderings(ns) : [hinted]) {
    const at = ordered.fields.findIndex((one) => one.path === path)
    const { index } = ordered
    if (index === undefined || at < 0 || isMultikey(index) || index.inexact) continue
    const candidate = candidateOf(ns, ordered, conditions, undefined)
    const [access] = candidate.plan.accesses
    if (access?.kind !== 'entries' || !candidate.plan.isExact) continue
    const before = access.bounds.slice(0, at)
    if (!before.every(({ intervals }) => intervals.every(({ isPoint }) => isPoint))) continue
    if (hinted === undefined && !hasAllValues(access, conditions.conjuncts, path)) continue
    found.push({ ...candidate, access, fields: at + 1 })
  }
  return found.sort(byScore)[0]
}

/** A sparse index on the field alone lacks only documents that have no value to tell. */
function hasAllValues(access: Access, conjuncts: readonly FilterNode[], path: string): boolean {
  if (isComplete(access, conjuncts)) return true
  if (access.kind !== 'entries' || conjuncts.length > 0) return false
  const { fields, sparse } = access.index
  return sparse === true && fields.length === 1 && fields[0]?.path === path
}

// Hints.

function naturalDirection(request: PlanRequest): 1 | -1 | undefined {
  const { hint, sort } = request
  if (sort?.natural !== undefined) return sort.natural
  const natural = hint?.type === bsonType.object ? field(hint.payload(), '$natural') : undefined
  if (natural === undefined) return undefined
  return numberOf(natural) < 0 ? -1 : 1
}

function naturalPlan(
  ns: Namespace,
  conditions: Conditions,
  sort: Sort | undefined,
  direction: 1 | -1,
): Plan {
  const reverse = direction < 0
  const access: Access = { kind: 'records', spans: [wholeSpan(ns)], reverse, bounds: undefined }
  return {
    accesses: [access],
    isExact: conditions.conjuncts.length === 0,
    residual: conditions.conjuncts,
    isSorted: sort === undefined || sort.parts.length === 0,
    isSingle: false,
    rejected: [],
  }
}

function hintedOrdered(ns: Namespace, hint: Value | undefined): Ordered | undefined {
  if (hint === undefined) return undefined
  if (hint.type === bsonType.string) {
    const name = stringOf(hint)
    if (name === '_id_') return clustered
    const named = ns.indexes.find((index) => index.name === name && isUsable(index))
    if (named !== undefined) return orderedOf(named)
  } else {
    const wanted = [...fieldsOf(hint)]
    if (wanted.length === 0) return undefined
    const [only, other] = [...orderings(ns)].filter((ordered) => hasPattern(ordered, wanted))
    if (only !== undefined && other !== undefined) throw ambiguousHint(only, other)
    if (only !== undefined) return only
  }
  throw fail(
    'BadValue',
    `error processing query: planner returned error :: caused by :: ${unknownHint}`,
  )
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
    if (known?.path !== path || !value.isNumber) return false
    return known.direction === (numberOf(value) < 0 ? -1 : 1)
  })
}

// Candidates.

function candidateOf(
  ns: Namespace,
  ordered: Ordered,
  conditions: Conditions,
  sort: Sort | undefined,
): Candidate {
  const bounded = boundsOf(ordered, conditions)
  const order = orderOf(ordered, bounded.intervals, sort)
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

/** A sparse index of one field has entries of exactly the documents that have the field. */
function isAnsweredBySparse(index: IndexDescriptor | undefined, node: FilterNode): boolean {
  const [only, ...others] = index?.fields ?? []
  if (index?.sparse !== true || only === undefined || others.length > 0) return false
  return requiresField(node, only.path)
}

function isPointOfUnique(bounded: Bounded): boolean {
  const { ordered, intervals } = bounded
  if (!ordered.unique || intervals.length < ordered.fields.length) return false
  return intervals.every((list) => list.every((interval) => interval.isPoint))
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
  for (const list of bounded.intervals) {
    if (list.every((interval) => interval.isPoint)) points += list.length === 1 ? 2 : 1
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

/** 0: everything; 1: open on one side of its type; 2: closed on both. */
function rangeScore(list: readonly Interval[]): number {
  if (isAll(list)) return 0
  const isClosed = list.every(({ low, high }) => {
    const bracket = bracketOf(low.value.type)
    return bracket !== undefined && low !== bracket.low && high !== bracket.high
  })
  return isClosed ? 2 : 1
}

/**
 * Bounds for the fields of an ordering, from the first on: values for the leading ones, then one
 * list of ranges. What follows a range cannot narrow the scan.
 */
function boundsOf(ordered: Ordered, conditions: Conditions): Bounded {
  const intervals: (readonly Interval[])[] = []
  const used = new Set<FilterNode>()
  const taken: { path: string; scope: object | undefined }[] = []
  let spans = 1
  for (let i = 0; i < ordered.fields.length; i++) {
    const { path } = ordered.fields[i] as IndexField
    const predicates = conditions.byPath.get(path)
    if (predicates === undefined) break
    const isMultikey = ordered.multikey[i] === true
    const chosen = isMultikey ? chooseOne(predicates, path, taken) : predicates
    if (chosen.length === 0) break
    let list: readonly Interval[] = chosen[0]?.intervals ?? []
    for (const predicate of chosen.slice(1)) list = intersect(list, predicate.intervals)
    if (i > 0 && list.length > 1 && spans * list.length > planSpansMax) break
    spans *= list.length
    intervals.push(list)
    for (const { node, isExact } of chosen) if (isExact) used.add(node)
    if (isMultikey) taken.push({ path, scope: chosen[0]?.scope })
    if (!list.every((interval) => interval.isPoint)) break
  }
  return { ordered, intervals, used }
}

/**
 * On a path with arrays each condition may hold for another element, so only one of them gives
 * bounds; and fields under the same array have bounds together only where an $elemMatch ties their
 * conditions to one element.
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
  if (!intervals.every((interval) => interval.isPoint)) return rangeScore(intervals)
  return intervals.length === 1 ? 4 : 3
}

// $or: each branch by an index of its own.

function disjunctionOf(
  ns: Namespace,
  node: FilterNode,
  conditions: Conditions,
  around: readonly FilterNode[],
): Candidate | undefined {
  if (node.op !== 'or') return undefined
  const accesses: Access[] = []
  const others = around.filter((other) => other !== node)
  let isExact = true
  let worst: readonly number[] | undefined
  for (const child of node.children) {
    const branch = bestBranch(ns, conditionsOf(child), others)
    if (branch === undefined) return undefined
    accesses.push(...branch.plan.accesses)
    if (!branch.plan.isExact) isExact = false
    if (worst === undefined || byScore({ plan: branch.plan, score: worst }, branch) < 0) {
      worst = branch.score
    }
  }
  const residual = conditions.conjuncts.filter((other) => other !== node || !isExact)
  const plan: Plan = {
    accesses,
    isExact: residual.length === 0,
    residual,
    isSorted: false,
    isSingle: false,
    rejected: [],
  }
  const [, , , points = 0, range = 0] = worst ?? []
  // Half a field less than the same bounds without an $or.
  return { plan, score: [0, 0, 0, Math.max(points - 0.5, 0), range, 0, 0, -accesses.length, 0] }
}

/** `around` holds too: what a partial index asks for may stand beside the $or. */
function bestBranch(
  ns: Namespace,
  conditions: Conditions,
  around: readonly FilterNode[],
): Candidate | undefined {
  const known = [...conditions.conjuncts, ...around]
  const candidates: Candidate[] = []
  for (const ordered of orderings(ns)) {
    if (!mayServe(ordered, conditions, undefined)) continue
    const candidate = candidateOf(ns, ordered, conditions, undefined)
    const { accesses } = candidate.plan
    const isServing = (one: Access) => isBounded(one) && isComplete(one, known)
    if (accesses.every(isServing)) candidates.push(candidate)
  }
  for (const node of conditions.disjunctions) {
    const candidate = disjunctionOf(ns, node, conditions, known)
    if (candidate !== undefined) candidates.push(candidate)
  }
  return candidates.sort(byScore)[0]
}
