// Plans for distinct values of a path: an index in which equal values are adjacent, so one entry of
// each suffices.

import type { FilterNode } from '../../query/filter.js'
import { sameCollation } from '../../value/collation/collation.js'
import type { Namespace } from '../types.js'
import { conditionsOf } from './bounds.js'
import { type Access, isMultikey, type Plan } from './plan.js'
import { byScore, type Candidate, candidateOf } from './plan-candidate.js'
import { hintedOrdered, naturalDirection, type PlanRequest } from './plan-hint.js'
import { isComplete } from './plan-membership.js'
import { orderings } from './plan-orderings.js'
import { arePoints } from './points.js'

/** A plan whose entries of one value are adjacent within each span. */
export interface DistinctPlan {
  readonly plan: Plan
  readonly access: Extract<Access, { kind: 'entries' }>
  /** Fields of the index up to the requested one. */
  readonly fields: number
}

/**
 * An index whose entries alone decide which documents match, and in which equal values of `path`
 * are adjacent. Undefined if there is none, or the hint names another.
 */
export function planDistinct(
  ns: Namespace,
  request: PlanRequest,
  path: string,
): DistinctPlan | undefined {
  if (ns.keyspace === true || naturalDirection(request) !== undefined) return undefined
  const conditions = conditionsOf(request.filter.tree, request.filter.collation)
  const hinted = hintedOrdered(ns, request.hint)
  const found: (DistinctPlan & Candidate)[] = []
  for (const ordered of hinted === undefined ? orderings(ns) : [hinted]) {
    const at = ordered.fields.findIndex((one) => one.path === path)
    const { index } = ordered
    if (index === undefined || at < 0 || isMultikey(index) || index.inexact) continue
    if (index.wildcard !== undefined) continue
    if (!sameCollation(index.collation, request.filter.collation)) continue
    const candidate = candidateOf(ns, ordered, conditions, undefined)
    const [access] = candidate.plan.accesses
    if (access?.kind !== 'entries' || !candidate.plan.isExact) continue
    const before = access.bounds.slice(0, at)
    if (!before.every(({ intervals }) => arePoints(intervals))) continue
    if (hinted === undefined && !hasAllValues(access, conditions.conjuncts, path)) continue
    found.push({ ...candidate, access, fields: at + 1 })
  }
  return found.sort(byScore)[0]
}

/** A sparse index on only this field lacks just the documents without a value. */
function hasAllValues(access: Access, conjuncts: readonly FilterNode[], path: string): boolean {
  if (isComplete(access, conjuncts)) return true
  if (access.kind !== 'entries' || conjuncts.length > 0) return false
  const { fields, sparse } = access.index
  return sparse === true && fields.length === 1 && fields[0]?.path === path
}
