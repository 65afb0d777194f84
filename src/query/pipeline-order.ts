// Reorders stages to save work with the same result: conditions and limits move toward the source,
// a limit into the sort before it, $unwind into its join. stage-effects.ts describes what a stage
// does; a property test compares pipelines with and without reordering.

import { fieldsOf } from '../value/elements.js'
import { type FieldPath, parsePath } from '../value/path.js'
import { bsonType, documentValue, nullValue, type Value } from '../value/value.js'
import { DocumentWriter } from '../value/writer.js'
import { type FilterNode, isLeaf, type LeafNode } from './filter/node.js'
import { type Filter, filterOf, filterToDocument } from './filter.js'
import { effectOf } from './stage-effects.js'
import { type Effect, fieldName } from './stages/effects.js'
import { limitPlan, matchPlan, skipPlan } from './stages/limit.js'
import { sortPlan } from './stages/sort.js'
import type { MatchPlan, StagePlan } from './stages/stage.js'
import { unwindOptionsOf } from './stages/unwind.js'

/**
 * Comparisons to move conditions towards the source of a pipeline: about 10 ms. Above it the query
 * still runs, only without the optimization.
 */
export const pipelineMovesMax = 100_000

/** The remaining budget for moving conditions; when it is used up, the rest stay in place. */
interface Work {
  left: number
}

/** The stages of a pipeline in execution order. */
export function orderStages(plans: readonly StagePlan[]): StagePlan[] {
  const ordered: StagePlan[] = []
  const work: Work = { left: pipelineMovesMax }
  for (const plan of joinMatches(plans)) {
    if (plan.kind === 'match') placeMatch(ordered, plan, work)
    else if (plan.kind === 'limit') placeLimit(ordered, plan.count)
    else if (plan.kind === 'skip') placeSkip(ordered, plan.count)
    else if (!joinsUnwind(ordered, plan)) ordered.push(plan)
  }
  return withLimits(ordered)
}

/** Gives a sort the limit after it, plus the skip between them. */
export function withLimits(plans: readonly StagePlan[]): StagePlan[] {
  return plans.map((plan, i) => {
    if (plan.kind !== 'sort') return plan
    let skipped = 0
    for (const next of plans.slice(i + 1)) {
      if (next.kind === 'skip') skipped += next.count
      else if (next.kind === 'limit') {
        const limit = skipped + next.count
        return Number.isSafeInteger(limit) ? sortPlan(plan.spec, plan.sort, limit) : plan
      } else break
    }
    return plan
  })
}

/** Merges adjacent $match stages, so that their conditions are moved and combined once. */
function joinMatches(plans: readonly StagePlan[]): StagePlan[] {
  const joined: StagePlan[] = []
  for (let at = 0; at < plans.length; at++) {
    const plan = plans[at] as StagePlan
    const nodes: FilterNode[] = []
    for (let next = plan; next.kind === 'match'; next = plans[++at] as StagePlan) {
      for (const node of conjunctsOf(next.filter.tree)) nodes.push(node)
      if (plans[at + 1]?.kind !== 'match') break
    }
    const isOne = plan.kind !== 'match' || plans[at] === plan
    joined.push(isOne ? plan : matchOf(nodes, plan.filter))
  }
  return joined
}

/** Moves each condition of a $match before stages that do not change its fields. */
function placeMatch(ordered: StagePlan[], plan: MatchPlan, work: Work): void {
  const { tree, collation } = plan.filter
  let moving = conjunctsOf(tree)
  let at = ordered.length
  for (; at > 0; at--) {
    const before = ordered[at - 1] as StagePlan
    work.left -= moving.length
    if (work.left < 0) break
    // With a collation, texts of one group may differ in their bytes.
    const isMerging = before.name === '$group' && collation !== undefined
    const passed = moving.map((node) =>
      isMerging && looksAtBytes(node) ? undefined : beforeStage(node, before, work),
    )
    if (passed.every((node) => node === undefined)) break
    const staying = moving.filter((_, i) => passed[i] === undefined)
    if (staying.length > 0) ordered.splice(at, 0, matchOf(staying, plan.filter))
    moving = passed.filter((node) => node !== undefined)
  }
  const before = ordered[at - 1]
  const known = before?.kind === 'match' ? conjunctsOf(before.filter.tree) : undefined
  if (known !== undefined) work.left -= known.length
  const isWhole = at === ordered.length && known === undefined
  if (isWhole) ordered.push(plan)
  else if (known !== undefined && work.left >= 0) {
    ordered[at - 1] = matchOf([...known, ...moving], plan.filter)
  } else ordered.splice(at, 0, matchOf(moving, plan.filter))
}

function conjunctsOf(tree: FilterNode): readonly FilterNode[] {
  return tree.op === 'and' ? tree.children : [tree]
}

function matchOf(nodes: readonly FilterNode[], of: Filter): MatchPlan {
  const [only] = nodes
  const tree: FilterNode =
    nodes.length === 1 && only !== undefined ? only : { op: 'and', children: nodes }
  return {
    ...matchPlan(nullValue, filterOf(tree, of)),
    // Only explain prints it, so it is built on demand.
    get spec() {
      return documentValue(filterToDocument(tree))
    },
  }
}

/** Whether a condition distinguishes strings that a collation treats as equal. */
function looksAtBytes(node: FilterNode): boolean {
  switch (node.op) {
    case 'regex':
      return true
    case 'in':
      return node.regexes.length > 0
    case 'elemMatch':
    case 'not':
      return looksAtBytes(node.child)
    case 'and':
    case 'or':
    case 'nor':
      return node.children.some(looksAtBytes)
    default:
      return false
  }
}

/** The condition before a stage; undefined if it must stay after it. */
function beforeStage(node: FilterNode, stage: StagePlan, work: Work): FilterNode | undefined {
  if (stage.kind === 'sort') return stage.limit === undefined ? node : undefined
  if (stage.name === '$group') return beforeGroup(node, stage.spec, work)
  const effect = effectOf(stage)
  if (effect === undefined) return undefined
  return moved(node, (leaf) => (--work.left < 0 ? undefined : pathBefore(leaf, effect)))
}

/** The path of a leaf before a stage that may have changed or renamed its field. */
function pathBefore({ op, path }: LeafNode, effect: Effect): FieldPath | undefined {
  const [name = '', ...deeper] = path.parts
  if (!effect.changes(name)) return path
  // Conditions of $elemMatch have paths of their own.
  const source = op === 'elemMatch' ? undefined : effect.sourceOf?.(name)
  return source === undefined ? undefined : parsePath([source, ...deeper].join('.'))
}

/** The condition with new paths of its leaves; undefined if a leaf has none. */
function moved(
  node: FilterNode,
  pathOf: (leaf: LeafNode) => FieldPath | undefined,
): FilterNode | undefined {
  if (isLeaf(node)) {
    const path = pathOf(node)
    if (path === undefined) return undefined
    return path === node.path ? node : { ...node, path }
  }
  switch (node.op) {
    case 'always':
    case 'never':
      return node
    case 'not': {
      const child = moved(node.child, pathOf)
      return child && { op: 'not', child }
    }
    case 'expr':
    case 'jsonSchema':
      return undefined
    default: {
      const children = node.children.map((child) => moved(child, pathOf))
      const known = children.filter((child) => child !== undefined)
      return known.length === children.length ? { op: node.op, children: known } : undefined
    }
  }
}

/** Translates a condition on a group's `_id` to its source fields. */
function beforeGroup(node: FilterNode, spec: Value, work: Work): FilterNode | undefined {
  const id = new Map(fieldsOf(spec)).get('_id')
  if (id === undefined) return undefined
  return moved(node, (leaf) =>
    --work.left >= 0 && isOfGroup(leaf) ? sourceOf(leaf.path, id) : undefined,
  )
}

/** The top-level field for a path into a group's `_id`. */
function sourceOf({ parts }: FieldPath, id: Value): FieldPath | undefined {
  if (parts[0] !== '_id') return undefined
  const [, name, ...deeper] = parts
  if (name === undefined) return simpleField(id)
  if (deeper.length > 0 || id.type !== bsonType.object) return undefined
  return simpleField(new Map(fieldsOf(id)).get(name))
}

function simpleField(value: Value | undefined): FieldPath | undefined {
  const name = fieldName(value)
  return name === undefined ? undefined : parsePath(name)
}

/**
 * Whether a leaf treats missing like null, and equal values of different types alike. A group's
 * `_id` is null for a missing field, and one of several equal values.
 */
function isOfGroup(node: LeafNode): boolean {
  if (node.op === 'eq') return true
  if (node.op === 'in') return node.regexes.length === 0
  const isOrder = node.op === 'lt' || node.op === 'lte' || node.op === 'gt' || node.op === 'gte'
  return isOrder && !node.value.isNullish
}

function isMap(plan: StagePlan | undefined): boolean {
  return plan !== undefined && effectOf(plan)?.isMap === true
}

/** The position for a limit: before all stages that return one document for each input. */
function placeOfCut(ordered: readonly StagePlan[]): number {
  let at = ordered.length
  while (isMap(ordered[at - 1])) at--
  return at
}

/** `$skip` then `$limit` equals a larger `$limit` then `$skip`, which may reach a sort. */
function placeLimit(ordered: StagePlan[], count: number): void {
  const at = placeOfCut(ordered)
  const before = ordered[at - 1]
  if (before?.kind === 'limit') {
    ordered[at - 1] = limitPlan(Math.min(before.count, count))
    return
  }
  if (before?.kind === 'skip' && Number.isSafeInteger(before.count + count)) {
    const after = ordered.splice(at - 1)
    placeLimit(ordered, before.count + count)
    ordered.push(...after)
    return
  }
  ordered.splice(at, 0, limitPlan(count))
}

function placeSkip(ordered: StagePlan[], count: number): void {
  const at = placeOfCut(ordered)
  const before = ordered[at - 1]
  const whole = before?.kind === 'skip' ? before.count + count : count
  if (before?.kind === 'skip' && Number.isSafeInteger(whole)) ordered[at - 1] = skipPlan(whole)
  else ordered.splice(at, 0, skipPlan(count))
}

/** Whether $unwind is merged into the join whose output it unwinds. */
function joinsUnwind(ordered: StagePlan[], plan: StagePlan): boolean {
  const join = ordered.at(-1)
  if (plan.name !== '$unwind' || join?.kind !== 'lookup' || join.unwind !== undefined) return false
  const { path, keepsEmpty, indexPath } = unwindOptionsOf(plan.spec)
  if (join.as.includes('.') || path.parts.join('.') !== join.as) return false
  const unwind = { keepsEmpty, indexPath }
  ordered[ordered.length - 1] = { ...join, unwind, spec: withUnwind(join.spec, plan.spec) }
  return true
}

/** The join as explain prints it. */
function withUnwind(spec: Value, unwind: Value): Value {
  const writer = new DocumentWriter()
  for (const [name, value] of fieldsOf(spec)) writer.value(name, value)
  if (unwind.type === bsonType.object) writer.value('unwinding', unwind)
  else writer.openDocument('unwinding').value('path', unwind).close()
  return writer.finishValue()
}
