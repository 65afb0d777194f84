// Where the planner's rules leave more than one index, a look at the data decides: each plan reads
// its first few entries, and the one that ends there, or finds most of what it reads, wins. The
// choice is kept for queries of the same shape, and made again after a while.

import { LRUCache } from 'lru-cache'
import { planChoicesMax, planChoiceUses, planSampleDocuments, plansTried } from '../base/limits.js'
import type { Filter, FilterNode } from '../query/filter.js'
import type { Sort } from '../query/sort.js'
import type { Program, ReadTx } from '../store/store.js'
import type { Access, FieldBounds, Plan } from './plan.js'
import { isAll } from './plan-access.js'
import { type Found, Walk } from './sources/walk.js'
import type { Namespace } from './types.js'

interface Query {
  readonly filter: Filter
  readonly sort?: Sort | undefined
  readonly skip?: number | undefined
  /** 0 or undefined: no limit. */
  readonly limit?: number | undefined
}

interface Choice {
  readonly winner: string
  usesLeft: number
}

/** What was chosen for which shape; of this process, because it is advice and not data. */
export class PlanChoices {
  private readonly kept = new LRUCache<string, Choice>({ max: planChoicesMax })

  /** The plan that won for this shape; undefined where it has to be found out. */
  find(key: string, plans: readonly Plan[]): Plan | undefined {
    const choice = this.kept.get(key)
    if (choice === undefined || choice.usesLeft === 0) return undefined
    choice.usesLeft--
    return plans.find((plan) => nameOf(plan) === choice.winner)
  }

  keep(key: string, winner: Plan): void {
    this.kept.set(key, { winner: nameOf(winner), usesLeft: planChoiceUses })
  }
}

/**
 * `plan`, which the rules put first, or one of those it has `rejected`. Reads at most
 * planSampleDocuments of each.
 */
export function* choosePlan(
  tx: ReadTx,
  ns: Namespace,
  query: Query,
  plan: Plan,
  choices?: PlanChoices,
): Program<Plan> {
  if (plan.rejected.length === 0 || plan.isSingle) return plan
  const { limit = 0, skip = 0 } = query
  const wanted = limit > 0 ? limit + skip : undefined
  const rivals = plan.rejected.filter((other) => isRival(plan, other, wanted))
  if (rivals.length === 0) return plan
  const plans = [plan, ...rivals.slice(0, plansTried - 1)]
  const key = choices === undefined ? '' : shapeOf(ns, query)
  const known = choices?.find(key, plans)
  if (known !== undefined) return inFront(known, plan)
  const trials: Trial[] = []
  for (const one of plans) trials.push(yield* tryPlan(tx, ns, query, one))
  const winner = winnerOf(trials, wanted)
  choices?.keep(key, winner)
  return inFront(winner, plan)
}

function inFront(winner: Plan, plan: Plan): Plan {
  if (winner === plan) return plan
  const others = plan.rejected.filter((other) => other !== winner)
  return { ...winner, rejected: [{ ...plan, rejected: [] }, ...others] }
}

/** Whether another plan may turn out to be better than the one that the rules put first. */
function isRival(plan: Plan, other: Plan, wanted: number | undefined): boolean {
  const bounded = boundedPaths(other)
  // All entries in the order of the sort: good where few of them are wanted.
  if (bounded === undefined || bounded.size === 0) {
    return wanted !== undefined && other.isSorted && !plan.isSorted
  }
  const own = boundedPaths(plan)
  if (own === undefined) return true
  return [...bounded].some((path) => !own.has(path))
}

/** The fields that bound a plan's only scan; undefined where it has several. */
function boundedPaths({ accesses }: Plan): ReadonlySet<string> | undefined {
  const [access, ...others] = accesses
  if (access === undefined || others.length > 0) return undefined
  const paths = boundsOf(access).filter(({ intervals }) => !isAll(intervals))
  return new Set(paths.map(({ path }) => path))
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

interface Trial {
  readonly plan: Plan
  readonly examined: number
  readonly found: number
  /** Nothing is left to read. */
  readonly isDone: boolean
}

function* tryPlan(tx: ReadTx, ns: Namespace, { filter }: Query, plan: Plan): Program<Trial> {
  const walk = new Walk(ns, plan, filter)
  const found: Found = { documents: [] }
  yield* walk.sample(tx, planSampleDocuments, found)
  const examined = Math.max(walk.counters.keysExamined, walk.counters.docsExamined)
  return { plan, examined, found: found.documents.length, isDone: walk.drained }
}

/** Others must be clearly better than the first, whose place is due to the rules. */
const clearly = 1.2

function winnerOf(trials: readonly Trial[], wanted: number | undefined): Plan {
  const [first] = trials as [Trial, ...Trial[]]
  let best = first
  for (const trial of trials.slice(1)) if (isBetter(trial, best, wanted)) best = trial
  return best.plan
}

function isBetter(trial: Trial, best: Trial, wanted: number | undefined): boolean {
  if (trial.isDone && best.isDone) return trial.examined * clearly < best.examined
  if (trial.isDone || best.isDone) return trial.isDone
  if (trial.plan.isSorted !== best.plan.isSorted) {
    return trial.plan.isSorted && wanted !== undefined && trial.found >= wanted
  }
  return trial.found * best.examined > best.found * trial.examined * clearly
}

/** What tells plans of the same shape apart. */
function nameOf({ accesses }: Plan): string {
  return accesses
    .map((one) => (one.kind === 'entries' ? `${one.index.id}${one.reverse ? '-' : ''}` : one.kind))
    .join(' ')
}

/** The query without its values: the collection as it is, what is asked of paths, the order. */
function shapeOf(ns: Namespace, { filter, sort, limit = 0 }: Query): string {
  const order = (sort?.parts ?? []).map(({ path, direction }) => `${direction}${path.text}`)
  const cut = limit > 0 ? 'limit' : ''
  return [ns.id, ns.version, shapeOfNode(filter.tree), order.join(','), cut].join('\0')
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
