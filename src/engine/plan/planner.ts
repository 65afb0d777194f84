// Lists the plans of a query, best first by fixed rules: the same query on the same indexes always
// gets the same list. If the first has rivals, plan-choice.ts runs a trial. In order of weight:
//   nothing can match; at most one document (point on `_id` or a unique index); few points of a
//   unique index; more fields bound to values; a bounded range on the field after them; no sort
//   needed; no filter needed; fewer ranges; fewer fields; `_id` before others, older before newer.

import type { FilterNode } from '../../query/filter.js'
import type { Sort } from '../../query/sort.js'
import { isCollatable } from '../../value/collation/collatable.js'
import { sameCollation } from '../../value/collation/collation.js'
import { bsonType, type Value } from '../../value/value.js'
import { isHashedKey, recordKey } from '../collection/collections.js'
import { isSequenced } from '../collection/kinds/capped-order.js'
import type { Namespace } from '../types.js'
import { type Conditions, conditionsOf } from './bounds.js'
import { type Interval, point } from './intervals.js'
import type { Access, FieldBounds, Ordered, Plan } from './plan.js'
import { wholeSpan } from './plan-access.js'
import { planBetween } from './plan-between.js'
import {
  byScore,
  type Candidate,
  candidateOf,
  isBounded,
  isIndexed,
  isUseful,
  mayServe,
} from './plan-candidate.js'
import { plansTried } from './plan-choice.js'
import { hintedOrdered, naturalDirection, type PlanRequest } from './plan-hint.js'
import { isComplete } from './plan-membership.js'
import { hasKeysOf, servingOrderings, withConditions } from './plan-orderings.js'
import { uselessHint, wildcardOrderings } from './wildcard-plan.js'

/** Comparisons to plan the branches of $or: about 10 ms. Above it they are planned less well. */
const planStepsMax = 200_000

/** Maximum residual conditions that rejected plans may hold together, for explain. */
export const planConditionsMax = 10_000

const nothingPlan: Plan = {
  accesses: [{ kind: 'nothing' }],
  isExact: true,
  residual: [],
  isSorted: true,
  isSingle: false,
  rejected: [],
}

/**
 * The plan for a query. Throws BadValue for a hint that names no usable index, and 51173 to 51175
 * for a range that does not fit the hinted index.
 */
export function planQuery(ns: Namespace, request: PlanRequest): Plan {
  const { range } = request
  if (range === undefined) return planOfId(ns, request) ?? planAny(ns, request)
  return planBetween(ns, request, range, conditionsOf(request.filter.tree, ns.collation))
}

/** The value of a query `{_id: value}` for one record; undefined for other queries. */
export function idAsked(ns: Namespace, { filter, hint, sort }: PlanRequest): Value | undefined {
  const { tree } = filter
  if (isSequenced(ns)) return undefined
  if (tree.op !== 'eq' || hint !== undefined || tree.path.text !== '_id') return undefined
  const { value } = tree
  if (value.isNullish || value.type === bsonType.array || sort?.natural !== undefined) {
    return undefined
  }
  if (!sameCollation(tree.collation, ns.collation) && isCollatable(value)) return undefined
  return value
}

/** Fast path for the most common query, by `_id`. */
function planOfId(ns: Namespace, request: PlanRequest): Plan | undefined {
  const value = idAsked(ns, request)
  if (value === undefined) return undefined
  const { tree } = request.filter
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

/** Built only for explain. */
class PointBounds implements FieldBounds {
  readonly path = '_id'
  readonly direction = 1

  constructor(private readonly value: Value) {}

  get intervals(): readonly Interval[] {
    return [point(this.value)]
  }
}

function planAny(ns: Namespace, request: PlanRequest): Plan {
  const { sort, filter } = request
  const conditions = conditionsOf(filter.tree, ns.collation, (path) => hasKeysOf(ns, path))
  const direction = naturalDirection(request)
  if (conditions.isNever) return nothingPlan
  if (direction !== undefined) return naturalPlan(ns, conditions, sort, direction)
  const hinted = hintedOrdered(ns, request.hint)
  if (hinted !== undefined) return hintedPlan(ns, hinted, conditions, sort)
  const candidates: Candidate[] = []
  const { conjuncts } = conditions
  const work: Work = { left: planStepsMax }
  for (const ordered of servingOrderings(ns, conditions)) {
    if (!isAffordable(work, conjuncts.length / 8)) break
    if (!mayServe(ordered, conditions, sort)) continue
    const candidate = candidateOf(ns, ordered, conditions, sort)
    if (isUseful(candidate, ordered, sort, conjuncts)) candidates.push(candidate)
    // At most one document: no other plan can be better.
    if (candidate.plan.isSingle && ordered.index === undefined) return candidate.plan
  }
  for (const node of conditions.disjunctions) {
    const candidate = disjunctionOf(ns, node, conditions, conjuncts, work)
    if (candidate !== undefined) candidates.push(candidate)
  }
  candidates.sort(byScore)
  const [best, ...others] = candidates
  if (best === undefined) return naturalPlan(ns, conditions, sort, 1)
  const rejectedMax = Math.max(plansTried, Math.floor(planConditionsMax / (conjuncts.length + 1)))
  const indexed = others.filter(({ plan }) => isIndexed(plan)).slice(0, rejectedMax)
  const rejected = indexed.map(({ plan }) => plan)
  return rejected.length === 0 ? best.plan : { ...best.plan, rejected }
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

function hintedPlan(
  ns: Namespace,
  hinted: Ordered,
  conditions: Conditions,
  sort: Sort | undefined,
): Plan {
  const { index } = hinted
  if (index?.wildcard === undefined) {
    return candidateOf(ns, withConditions(ns, hinted, conditions), conditions, sort).plan
  }
  const candidates = [...wildcardOrderings(index, conditions.under(index.collation))]
    .filter((ordered) => mayServe(ordered, conditions, sort))
    .map((ordered) => candidateOf(ns, ordered, conditions, sort))
  const [best] = candidates.sort(byScore)
  if (best === undefined) throw uselessHint()
  return best.plan
}

/** Remaining planning steps: a filter of many clauses gets fewer candidates. */
interface Work {
  left: number
}

function isAffordable(work: Work, steps: number): boolean {
  work.left -= steps
  return work.left >= 0
}

/** Cost of building a candidate, in planning steps. */
const candidateSteps = 16

// $or: each branch uses its own index.

function disjunctionOf(
  ns: Namespace,
  node: FilterNode,
  conditions: Conditions,
  around: readonly FilterNode[],
  work: Work,
): Candidate | undefined {
  if (node.op !== 'or' || !isAffordable(work, around.length)) return undefined
  const accesses: Access[] = []
  const others = around.filter((other) => other !== node)
  let isExact = true
  let worst: readonly number[] | undefined
  for (const child of node.children) {
    if (!isAffordable(work, 1 + ns.indexes.length + others.length / 8)) return undefined
    const branch = bestBranch(ns, conditionsOf(child, conditions.collation), others, work)
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
  // Scored half a field below the same bounds without an $or.
  return { plan, score: [0, 0, 0, Math.max(points - 0.5, 0), range, 0, 0, -accesses.length, 0] }
}

/** `around` holds too: conditions of a partial index may be beside the $or. */
function bestBranch(
  ns: Namespace,
  conditions: Conditions,
  around: readonly FilterNode[],
  work: Work,
): Candidate | undefined {
  const known = [...conditions.conjuncts, ...around]
  const candidates: Candidate[] = []
  for (const ordered of servingOrderings(ns, conditions)) {
    if (!mayServe(ordered, conditions, undefined)) continue
    if (!isAffordable(work, candidateSteps)) return undefined
    const candidate = candidateOf(ns, ordered, conditions, undefined)
    const { accesses } = candidate.plan
    const isServing = (one: Access) => isBounded(one) && isComplete(one, known, ordered.index)
    if (accesses.every(isServing)) candidates.push(candidate)
  }
  for (const node of conditions.disjunctions) {
    const candidate = disjunctionOf(ns, node, conditions, known, work)
    if (candidate !== undefined) candidates.push(candidate)
  }
  return candidates.sort(byScore)[0]
}
