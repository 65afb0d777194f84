// The effects and needs that rows of stages refer to: which top-level fields a stage changes,
// whether it maps each document to one, and which input fields it reads. If a specification is
// unclear, the conservative answer is given.

import { elementsOf, fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { boolOf, bsonType, stringOf, type Value } from '../../value/value.js'
import { readsRoot } from '../expression.js'
import { type FilterNode, isLeaf } from '../filter/node.js'

export interface Effect {
  /** Whether each input document gives one output document, in order. */
  readonly isMap: boolean
  /** Whether this top-level field may have another value in the output. */
  changes(name: string): boolean
  /** For a changed name: the top-level input field whose value, missing or not, it now has. */
  sourceOf?(name: string): string | undefined
}

function changing(isMap: boolean, names: ReadonlySet<string>): Effect {
  return { isMap, changes: (name) => names.has(name) }
}

function topOf(path: string): string {
  const dot = path.indexOf('.')
  return dot < 0 ? path : path.slice(0, dot)
}

export function addedEffect(spec: Value): Effect {
  const names = new Set([...fieldsOf(spec)].map(([path]) => topOf(path)))
  return { ...changing(true, names), sourceOf: renamesOf(spec) }
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

export function unsetEffect(spec: Value): Effect {
  const paths = spec.type === bsonType.string ? [spec] : elementsOf(spec)
  return changing(true, new Set(paths.map((path) => topOf(stringOf(path)))))
}

export function unwindEffect(spec: Value): Effect {
  const fields = spec.type === bsonType.string ? [spec] : [...fieldsOf(spec)].map(([, v]) => v)
  const paths = fields.filter(({ type }) => type === bsonType.string).map(stringOf)
  return changing(false, new Set(paths.map((path) => topOf(path.replace(/^\$/, '')))))
}

/** A join writes `as`; a merged $unwind also writes its index. */
export function joinEffect(
  spec: Value,
  unwind?: { readonly indexPath: string | undefined },
): Effect {
  const as = new Map(fieldsOf(spec)).get('as')
  const names = new Set([as === undefined ? '' : topOf(stringOf(as))])
  if (unwind?.indexPath !== undefined) names.add(topOf(unwind.indexPath))
  return changing(unwind === undefined, names)
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

export function projectEffect(spec: Value): Effect {
  const { kept, removed, others, isInclusion } = projectFields(spec)
  if (isInclusion === undefined) return replacingEffect
  if (isInclusion) {
    const changes = (name: string) => !kept.has(name) || others.has(name)
    return { isMap: true, changes, sourceOf: renamesOf(spec) }
  }
  return { isMap: true, changes: (name) => removed.has(name) || others.has(name) }
}

/** A stage that replaces the document. */
export const replacingEffect: Effect = { isMap: true, changes: () => true }

/** The needs of a stage of expressions that passes its input on. */
export function expressionNeeds(spec: Value, needs: Needs): boolean {
  needs.expression(spec)
  return false
}

export function projectNeeds(spec: Value, needs: Needs): boolean | undefined {
  const { kept, others, isInclusion } = projectFields(spec)
  if (isInclusion === undefined) return undefined
  for (const field of [...kept, ...others]) needs.names.add(field)
  needs.expression(spec)
  return isInclusion
}

/** Collects the top-level fields that are read. */
export class Needs {
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
        if (readsRoot(name)) this.isAll = true
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
