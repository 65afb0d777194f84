// The effects of stages, from their specifications: which top-level fields a stage changes, whether
// it maps each document to one, and which input fields it reads. If a specification is unclear, the
// conservative answer is given.

import { elementsOf, fieldsOf } from '../value/elements.js'
import { numberOf } from '../value/numbers.js'
import { boolOf, bsonType, stringOf, type Value } from '../value/value.js'
import { type FilterNode, isLeaf } from './filter/node.js'
import type { StagePlan } from './stages/stage.js'

export interface Effect {
  /** Whether each input document gives one output document, in order. */
  readonly isMap: boolean
  /** Whether this top-level field may have another value in the output. */
  changes(name: string): boolean
  /** For a changed name: the top-level input field whose value, missing or not, it now has. */
  sourceOf?(name: string): string | undefined
}

/** A cache, because every stage that may move before this one asks for its effect. */
const known = new WeakMap<StagePlan, Effect>()

/** Undefined for a stage that combines or creates documents. */
export function effectOf(plan: StagePlan): Effect | undefined {
  const before = known.get(plan)
  if (before !== undefined) return before
  const effect = readEffect(plan)
  if (effect !== undefined) known.set(plan, effect)
  return effect
}

function readEffect(plan: StagePlan): Effect | undefined {
  switch (plan.name) {
    case '$addFields':
    case '$set':
      return { ...changing(true, topNames(plan.spec)), sourceOf: renamesOf(plan.spec) }
    case '$unset':
      return changing(true, unsetNames(plan.spec))
    case '$project':
      return projectEffect(plan.spec)
    case '$replaceRoot':
    case '$replaceWith':
      return { isMap: true, changes: () => true }
    case '$unwind':
      return unwindEffect(plan.spec)
    case '$lookup':
    case '$graphLookup':
      return joinEffect(plan)
    default:
      return undefined
  }
}

function changing(isMap: boolean, names: ReadonlySet<string>): Effect {
  return { isMap, changes: (name) => names.has(name) }
}

function topOf(path: string): string {
  const dot = path.indexOf('.')
  return dot < 0 ? path : path.slice(0, dot)
}

function topNames(spec: Value): Set<string> {
  return new Set([...fieldsOf(spec)].map(([path]) => topOf(path)))
}

/** `{b: '$a'}`: the value of `a` is then in `b`. */
function renamesOf(spec: Value): (name: string) => string | undefined {
  const sources = new Map<string, string>()
  for (const [name, value] of fieldsOf(spec)) {
    const source = fieldName(value)
    if (source !== undefined && !name.includes('.')) sources.set(name, source)
  }
  return (name) => sources.get(name)
}

/** The top-level field of an expression that is only a path. */
export function fieldName(value: Value | undefined): string | undefined {
  if (value?.type !== bsonType.string) return undefined
  const text = stringOf(value)
  return /^\$[^$.]+$/.test(text) ? text.slice(1) : undefined
}

function unsetNames(spec: Value): Set<string> {
  const paths = spec.type === bsonType.string ? [spec] : elementsOf(spec)
  return new Set(paths.map((path) => topOf(stringOf(path))))
}

function unwindEffect(spec: Value): Effect {
  const fields = spec.type === bsonType.string ? [spec] : [...fieldsOf(spec)].map(([, v]) => v)
  const paths = fields.filter(({ type }) => type === bsonType.string).map(stringOf)
  return changing(false, new Set(paths.map((path) => topOf(path.replace(/^\$/, '')))))
}

function joinEffect(plan: StagePlan): Effect {
  const as = new Map(fieldsOf(plan.spec)).get('as')
  const isUnwound = plan.kind === 'lookup' && plan.unwind !== undefined
  const index = isUnwound ? plan.unwind?.indexPath : undefined
  const names = new Set([as === undefined ? '' : topOf(stringOf(as))])
  if (index !== undefined) names.add(topOf(index))
  return changing(!isUnwound, names)
}

/** The fields of a $project: kept whole, removed, and all others. */
interface ProjectFields {
  readonly kept: ReadonlySet<string>
  readonly removed: ReadonlySet<string>
  readonly others: ReadonlySet<string>
  /** Whether it drops all unnamed fields; undefined if its fields do not decide. */
  readonly isInclusion: boolean | undefined
}

function projectFields(spec: Value): ProjectFields {
  const kept = new Set<string>()
  const removed = new Set<string>()
  const others = new Set<string>()
  let includes = false
  let excludes = false
  for (const [path, value] of fieldsOf(spec)) {
    const isFlag = value.isNumber || value.type === bsonType.bool
    const isKept = isFlag && (value.isNumber ? numberOf(value) !== 0 : boolOf(value))
    if (isFlag && !isKept) removed.add(topOf(path))
    else if (isFlag && !path.includes('.')) kept.add(path)
    else others.add(topOf(path))
    if (path === '_id') continue
    if (isKept || (!isFlag && value.type !== bsonType.object)) includes = true
    if (isFlag && !isKept) excludes = true
  }
  const isOfId = !includes && !excludes && others.size === 0
  const isInclusion = includes || (isOfId && kept.has('_id'))
  const isKnown = isInclusion || excludes || (isOfId && removed.has('_id'))
  if (isInclusion && !removed.has('_id') && !others.has('_id')) kept.add('_id')
  return { kept, removed, others, isInclusion: isKnown ? isInclusion : undefined }
}

function projectEffect(spec: Value): Effect {
  const { kept, removed, others, isInclusion } = projectFields(spec)
  if (isInclusion === undefined) return { isMap: true, changes: () => true }
  if (isInclusion) {
    const changes = (name: string) => !kept.has(name) || others.has(name)
    return { isMap: true, changes, sourceOf: renamesOf(spec) }
  }
  return { isMap: true, changes: (name) => removed.has(name) || others.has(name) }
}

/** Collects the top-level fields that are read. */
class Needs {
  readonly names = new Set<string>()
  /** Whether whole documents are read. */
  isAll = false

  filter(node: FilterNode): void {
    if (isLeaf(node)) this.names.add(node.path.parts[0] ?? '')
    else if (node.op === 'not') this.filter(node.child)
    else if ('children' in node) for (const child of node.children) this.filter(child)
    else if (node.op === 'expr') this.expression(node.value)
    else if (node.op === 'jsonSchema') this.isAll = true
  }

  /** Every text that begins with `$` counts as a path; too many paths do no harm. */
  expression(value: Value): void {
    if (value.type === bsonType.string) this.text(stringOf(value))
    else if (value.type === bsonType.array)
      for (const one of elementsOf(value)) this.expression(one)
    else if (value.type === bsonType.object) {
      for (const [name, inner] of fieldsOf(value)) {
        if (looksAtRoot.has(name)) this.isAll = true
        this.expression(inner)
      }
    }
  }

  private text(text: string): void {
    if (!text.startsWith('$')) return
    const name = topOf(text)
    if (!name.startsWith('$$')) this.names.add(name.slice(1))
    else if (name === '$$ROOT' || name === '$$CURRENT') this.isAll = true
  }
}

/** Operators that read the document without a `$` path. */
const looksAtRoot: ReadonlySet<string> = new Set([
  '$getField',
  '$meta',
  '$top',
  '$topN',
  '$bottom',
  '$bottomN',
])

/** The top-level input fields that a pipeline reads; undefined if it may read all of them. */
export function neededFields(stages: readonly StagePlan[]): ReadonlySet<string> | undefined {
  const needs = new Needs()
  for (const stage of stages) {
    const isLast = addNeeds(stage, needs)
    if (isLast === undefined || needs.isAll) return undefined
    if (isLast) return needs.names
  }
  return undefined
}

/** Whether later stages no longer see the stage's input; undefined if it may read all fields. */
function addNeeds(stage: StagePlan, needs: Needs): boolean | undefined {
  if (stage.kind === 'match') needs.filter(stage.filter.tree)
  else if (stage.kind === 'sort') {
    for (const { path } of stage.sort.parts) needs.names.add(path.parts[0] ?? '')
  } else if (stage.kind !== 'limit' && stage.kind !== 'skip') return addTransform(stage, needs)
  return false
}

function addTransform({ name, spec }: StagePlan, needs: Needs): boolean | undefined {
  switch (name) {
    case '$group':
    case '$sortByCount':
      needs.expression(spec)
      return true
    case '$project': {
      const { kept, others, isInclusion } = projectFields(spec)
      if (isInclusion === undefined) return undefined
      for (const field of [...kept, ...others]) needs.names.add(field)
      needs.expression(spec)
      return isInclusion
    }
    case '$addFields':
    case '$set':
    case '$unwind':
      needs.expression(spec)
      return false
    case '$unset':
      return false
    default:
      return undefined
  }
}
