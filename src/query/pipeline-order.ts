// Moves stages to where they save work and gives the same documents: conditions and limits towards
// the source, a limit into the sort before it, an unwinding into its join. What a stage does is
// told by stage-effects.ts; the property test compares pipelines with and without this.

import { pipelineMovesMax } from '../base/limits.js'
import { fieldsOf } from '../value/elements.js'
import { type FieldPath, parsePath } from '../value/path.js'
import { bsonType, documentValue, nullValue, type Value } from '../value/value.js'
import { DocumentWriter } from '../value/writer.js'
import { type FilterNode, isLeaf, type LeafNode } from './filter/node.js'
import { type Filter, filterOf, filterToDocument } from './filter.js'
import { type Effect, effectOf, fieldName } from './stage-effects.js'
import { limitPlan, matchPlan, skipPlan } from './stages/limit.js'
import { sortPlan } from './stages/sort.js'
import type { MatchPlan, StagePlan } from './stages/stage.js'
import { unwindOptionsOf } from './stages/unwind.js'

/** What may still be spent on moving conditions: what is left of them then stays where it is. */
interface Work {
  left: number
}

/** The stages of a pipeline in the order in which they are run. */
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

/** A sort learns of the limit after it; what is skipped between them must be sorted, too. */
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

/** Neighbouring $match stages as one, so that many of them are moved and put together once. */
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

/** Each condition of a $match goes as far as the stages before it leave its fields alone. */
function placeMatch(ordered: StagePlan[], plan: MatchPlan, work: Work): void {
  const { tree, collation } = plan.filter
  let moving = conjunctsOf(tree)
  let at = ordered.length
  for (; at > 0; at--) {
    const before = ordered[at - 1] as StagePlan
    work.left -= moving.length
    if (work.left < 0) break
    // Texts of one group may differ in their bytes where a collation made them equal.
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
    // Printed for explain only: conditions are combined more often than they are shown.
    get spec() {
      return documentValue(filterToDocument(tree))
    },
  }
}

/** Whether a condition tells apart strings that a collation takes for equal. */
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

/** The condition as it reads before a stage; undefined where it has to stay behind it. */
function beforeStage(node: FilterNode, stage: StagePlan, work: Work): FilterNode | undefined {
  if (stage.kind === 'sort') return stage.limit === undefined ? node : undefined
  if (stage.name === '$group') return beforeGroup(node, stage.spec, work)
  const effect = effectOf(stage)
  if (effect === undefined) return undefined
  return moved(node, (leaf) => (--work.left < 0 ? undefined : pathBefore(leaf, effect)))
}

/** What a leaf looks at before a stage that may have changed or renamed its field. */
function pathBefore({ op, path }: LeafNode, effect: Effect): FieldPath | undefined {
  const [name = '', ...deeper] = path.parts
  if (!effect.changes(name)) return path
  // Its conditions have paths of their own.
  const source = op === 'elemMatch' ? undefined : effect.sourceOf?.(name)
  return source === undefined ? undefined : parsePath([source, ...deeper].join('.'))
}

/** The condition with the paths that each leaf is given; undefined where one gets none. */
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

/** A condition on a group's `_id`, as one on the fields that `_id` is made of. */
function beforeGroup(node: FilterNode, spec: Value, work: Work): FilterNode | undefined {
  const id = new Map(fieldsOf(spec)).get('_id')
  if (id === undefined) return undefined
  return moved(node, (leaf) =>
    --work.left >= 0 && isOfGroup(leaf) ? sourceOf(leaf.path, id) : undefined,
  )
}

/** The top-level field that a path into a group's `_id` stands for. */
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
 * Only leaves that see no difference between a missing field and null, nor between equal values of
 * different types: a group's `_id` is null where its field is missing, and one of its equals.
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

/** Where a cut of the stream may stand: before all stages that make one document of each. */
function placeOfCut(ordered: readonly StagePlan[]): number {
  let at = ordered.length
  while (isMap(ordered[at - 1])) at--
  return at
}

/** `$skip` and then `$limit` is a larger `$limit` and then `$skip`: it may go on to a sort. */
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

/** An $unwind of what the join before it puts into documents is part of that join. */
function joinsUnwind(ordered: StagePlan[], plan: StagePlan): boolean {
  const join = ordered.at(-1)
  if (plan.name !== '$unwind' || join?.kind !== 'lookup' || join.unwind !== undefined) return false
  const { path, keepsEmpty, indexPath } = unwindOptionsOf(plan.spec)
  if (join.as.includes('.') || path.parts.join('.') !== join.as) return false
  const unwind = { keepsEmpty, indexPath }
  ordered[ordered.length - 1] = { ...join, unwind, spec: withUnwind(join.spec, plan.spec) }
  return true
}

/** The join as explain shows it. */
function withUnwind(spec: Value, unwind: Value): Value {
  const writer = new DocumentWriter()
  for (const [name, value] of fieldsOf(spec)) writer.value(name, value)
  if (unwind.type === bsonType.object) writer.value('unwinding', unwind)
  else writer.openDocument('unwinding').value('path', unwind).close()
  return writer.finishValue()
}
