// If the planner's rules leave several indexes, a trial decides: each plan reads its first entries,
// and the one that ends, or has the best yield, wins. The choice is cached for queries of the same
// shape, and renewed after a while.

import type { Filter, FilterNode } from '../../query/filter.js'
import type { Sort } from '../../query/sort.js'
import type { Program, ReadTx } from '../../store/store.js'
import { pathField } from '../index/wildcard-paths.js'
import { Walk } from '../sources/walk.js'
import type { Guarded, IndexDescriptor, Namespace } from '../types.js'
import type { Access, FieldBounds, Plan } from './plan.js'
import { isAll } from './plan-access.js'
import { type PlanChoices, type Shaped, type Trial, worksOf } from './plan-cache.js'

/** Plans tried on the data, and documents that each trial reads. */
export const plansTried = 4
const planSampleDocuments = 64

interface Query {
  readonly filter: Filter
  readonly sort?: Sort | undefined
  readonly skip?: number | undefined
  /** 0 or undefined means no limit. */
  readonly limit?: number | undefined
}

/**
 * Chooses between `plan`, which the rules prefer, and those it `rejected`. Reads at most
 * planSampleDocuments of each.
 */
export function* choosePlan(
  tx: ReadTx & Guarded,
  ns: Namespace,
  query: Query,
  plan: Plan,
  choices?: PlanChoices,
): Program<Plan> {
  return (yield* comparePlans(tx, ns, query, plan, choices)).plan
}

/**
 * Like choosePlan, with its trials, best first; none if there was no rival or a choice was cached.
 */
export function* comparePlans(
  tx: ReadTx & Guarded,
  ns: Namespace,
  query: Query,
  plan: Plan,
  choices?: PlanChoices,
): Program<{ readonly plan: Plan; readonly trials: readonly Trial[] }> {
  if (plan.rejected.length === 0 || plan.isSingle) return { plan, trials: [] }
  const { limit = 0, skip = 0 } = query
  const wanted = limit > 0 ? limit + skip : undefined
  const rivals = plan.rejected.filter((other) => isRival(plan, other, wanted))
  if (rivals.length === 0) return { plan, trials: [] }
  const plans = [plan, ...rivals.slice(0, plansTried - 1)]
  const shaped = choices === undefined ? undefined : shapedOf(ns, query)
  const known = shaped === undefined ? undefined : choices?.find(shaped, plans, nameOf)
  if (known !== undefined) return { plan: inFront(known, plan), trials: [] }
  const trials: Trial[] = []
  for (const one of plans) trials.push(yield* tryPlan(tx, ns, query, one))
  const best = bestOf(trials, wanted)
  const others = trials.filter((trial) => trial !== best)
  if (shaped !== undefined) {
    const tried = { filter: query.filter, sort: query.sort, now: tx.now }
    choices?.keep(shaped, nameOf(best.plan), [best, ...others], tried)
  }
  return { plan: inFront(best.plan, plan), trials: [best, ...others] }
}

function inFront(winner: Plan, plan: Plan): Plan {
  if (winner === plan) return plan
  const others = plan.rejected.filter((other) => other !== winner)
  return { ...winner, rejected: [{ ...plan, rejected: [] }, ...others] }
}

/** Whether another plan may be better than the one that the rules prefer. */
function isRival(plan: Plan, other: Plan, wanted: number | undefined): boolean {
  const bounded = boundedPaths(other)
  // A full scan in sort order is good if few results are wanted.
  if (bounded === undefined || bounded.size === 0) {
    return wanted !== undefined && other.isSorted && !plan.isSorted
  }
  const own = boundedPaths(plan)
  if (own === undefined) return true
  return [...bounded].some((path) => !own.has(path))
}

/** The fields that bound a plan's only scan; undefined if it has several scans. */
function boundedPaths({ accesses }: Plan): ReadonlySet<string> | undefined {
  const [access, ...others] = accesses
  if (access === undefined || others.length > 0) return undefined
  const paths = boundsOf(access).filter(({ intervals }) => !isAll(intervals))
  // The path field is not a condition of the query.
  return new Set(paths.map(({ path }) => path).filter((path) => path !== pathField))
}

function boundsOf(access: Access): readonly FieldBounds[] {
  switch (access.kind) {
    case 'nothing':
      return []
    case 'points':
      return [access.bounds]
    case 'records':
      return access.bounds === undefined ? [] : [access.bounds]
    case 'entries':
      return access.bounds
  }
}

function* tryPlan(tx: ReadTx, ns: Namespace, { filter }: Query, plan: Plan): Program<Trial> {
  const walk = new Walk(ns, plan, filter)
  yield* walk.sample(tx, planSampleDocuments)
  const { keysExamined, docsExamined, returned } = walk.counters
  const isDone = walk.drained
  return { plan, keysExamined, docsExamined, found: returned, isDone }
}

/** Factor by which others must beat the first plan, which the rules prefer. */
const clearly = 1.2

function bestOf(trials: readonly Trial[], wanted: number | undefined): Trial {
  const [first] = trials as [Trial, ...Trial[]]
  let best = first
  for (const trial of trials.slice(1)) if (isBetter(trial, best, wanted)) best = trial
  return best
}

function isBetter(trial: Trial, best: Trial, wanted: number | undefined): boolean {
  const [works, bestWorks] = [worksOf(trial), worksOf(best)]
  if (trial.isDone && best.isDone) return works * clearly < bestWorks
  if (trial.isDone || best.isDone) return trial.isDone
  if (trial.plan.isSorted !== best.plan.isSorted) {
    return trial.plan.isSorted && wanted !== undefined && trial.found >= wanted
  }
  return trial.found * bestWorks > best.found * works * clearly
}

/** The name that distinguishes plans of one shape. */
function nameOf({ accesses }: Plan): string {
  return accesses
    .map((one) => (one.kind === 'entries' ? nameOfScan(one.index, one.reverse) : one.kind))
    .join(' ')
}

function nameOfScan({ id, wildcard }: IndexDescriptor, reverse: boolean): string {
  const path = wildcard === undefined ? '' : ` ${wildcard.scan?.path ?? ''}`
  return `${id}${reverse ? '-' : ''}${path}`
}

/** The query without its values: conditions on paths, order and collection. */
export function shapedOf(ns: Namespace, { filter, sort, limit = 0 }: Query): Shaped {
  const order = (sort?.parts ?? []).map(({ path, direction }) => `${direction}${path.text}`)
  const cut = limit > 0 ? 'limit' : ''
  const by = filter.collation?.id ?? ''
  const text = [shapeOfNode(filter.tree), order.join(','), cut, by].join('\0')
  return { collection: ns.id, version: ns.version, text }
}

function shapeOfNode(node: FilterNode): string {
  switch (node.op) {
    case 'and':
    case 'or':
    case 'nor':
      return `${node.op}(${node.children.map(shapeOfNode).join(' ')})`
    case 'not':
      return `not(${shapeOfNode(node.child)})`
    case 'elemMatch':
      return `${node.path.text} elemMatch(${shapeOfNode(node.child)})`
    default:
      return 'path' in node ? `${node.path.text} ${node.op}` : node.op
  }
}
