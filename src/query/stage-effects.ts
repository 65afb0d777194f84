// What stages do to documents, read off their specifications: which top-level fields one changes,
// whether it makes one document of each, and which fields of its input a pipeline looks at. Where
// that is not plain, the answer is the careful one.

import { elementsOf, fieldsOf } from '../value/elements.js'
import { numberOf } from '../value/numbers.js'
import { boolOf, bsonType, stringOf, type Value } from '../value/value.js'
import { type FilterNode, isLeaf } from './filter/node.js'
import type { StagePlan } from './stages/stage.js'

export interface Effect {
  /** One document comes out for each that goes in, in their order. */
  readonly isMap: boolean
  /** Whether a document that comes out may have another value under this top-level name. */
  changes(name: string): boolean
  /** Of a name that it changes: the top-level field whose value, missing or not, it now has. */
  sourceOf?(name: string): string | undefined
}

/** Read off once: a stage is asked by all that may move before it. */
const known = new WeakMap<StagePlan, Effect>()

/** Undefined for a stage whose documents are not each made of one of the input's. */
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

/** `{b: '$a'}`: what was under `a` is then under `b`. */
function renamesOf(spec: Value): (name: string) => string | undefined {
  const sources = new Map<string, string>()
  for (const [name, value] of fieldsOf(spec)) {
    const source = fieldName(value)
    if (source !== undefined && !name.includes('.')) sources.set(name, source)
  }
  return (name) => sources.get(name)
}

/** The top-level field that an expression stands for. */
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

/** The fields of a $project: kept whole, taken away, and all else. */
interface ProjectFields {
  readonly kept: ReadonlySet<string>
  readonly removed: ReadonlySet<string>
  readonly others: ReadonlySet<string>
  /** It keeps no field that it does not name; undefined where its fields do not tell. */
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

/** Top-level fields that are looked at. */
class Needs {
  readonly names = new Set<string>()
  /** Something looks at whole documents. */
  isAll = false

  filter(node: FilterNode): void {
    if (isLeaf(node)) this.names.add(node.path.parts[0] ?? '')
    else if (node.op === 'not') this.filter(node.child)
    else if ('children' in node) for (const child of node.children) this.filter(child)
    else if (node.op === 'expr') this.expression(node.value)
    else if (node.op === 'jsonSchema') this.isAll = true
  }

  /** Every text that begins with `$` is taken for a path: too many are no harm. */
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

/** Operators that look at the document without naming a path with `$`. */
const looksAtRoot: ReadonlySet<string> = new Set([
  '$getField',
  '$meta',
  '$top',
  '$topN',
  '$bottom',
  '$bottomN',
])

/**
 * The top-level fields of its input that a pipeline looks at; undefined where that may be all of
 * them.
 */
export function neededFields(stages: readonly StagePlan[]): ReadonlySet<string> | undefined {
  const needs = new Needs()
  for (const stage of stages) {
    const isLast = addNeeds(stage, needs)
    if (isLast === undefined || needs.isAll) return undefined
    if (isLast) return needs.names
  }
  return undefined
}

/** Whether nothing behind the stage sees its input; undefined where it may look at all of it. */
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
