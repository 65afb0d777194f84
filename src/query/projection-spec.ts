// Parses a projection ({a: 1, "b.c": 0, d: "$x", e: {f: 1}}) to a tree. find and $project share the
// grammar. projection.ts adds what only find has ($slice, $elemMatch, `a.$`). Codes and texts are
// MongoDB's.

import { fail } from '../base/errors.js'
import { Elements, elementsOf } from '../value/elements.js'
import { integerOf, numberOf } from '../value/numbers.js'
import { shellText } from '../value/shell.js'
import { boolOf, bsonType, type Document, stringOf, type Value } from '../value/value.js'
import type { Expression } from './expressions/operator.js'
import {
  type ProjectionKind,
  type ProjectionLeaf,
  ProjectionNode,
  ProjectionTree,
} from './projection-tree.js'

/** What the caller of parseProjection supports. */
interface ProjectionForms {
  compile(expression: Value): Expression
  /** Whether there is an expression of that name. */
  knows(name: string): boolean
  /** Present only for find. */
  readonly find?: {
    slice(operand: Value): ProjectionLeaf | undefined
    /** `condition` is the whole `{$elemMatch: …}`. */
    elemMatch(path: string, condition: Value): ProjectionLeaf
    /** `path` without its `.$`. */
    positional(path: string): void
  }
}

/**
 * The tree of a projection. Throws 31249 and 31250 (collisions), 31253 and 31254 (inclusion with
 * exclusion), 31252 and 31310 (expressions in an exclusion) and the errors of expressions.
 */
export function parseProjection(spec: Document, forms: ProjectionForms): ProjectionTree {
  const parser = new Parser(forms)
  const elements = new Elements(spec)
  while (elements.next()) parser.element(elements.name(), elements.value(), '')
  return parser.finish()
}

class Parser {
  private readonly root = new ProjectionNode()
  private kind: ProjectionKind | undefined
  private hasId = false
  private includesId = false
  private hasSlice = false
  private hasElemMatch = false
  private hasPositional = false

  constructor(private readonly forms: ProjectionForms) {}

  /** Parses one field; `prefix` is the path of its parents, with a dot at its end. */
  element(name: string, value: Value, prefix: string): void {
    const path = prefix + name
    if (path === '_id' || path.startsWith('_id.')) this.hasId = true
    const isPositional = name === '$' || name.endsWith('.$') || name.includes('.$.')
    if (isPositional && this.forms.find === undefined) {
      requirePositionalPath(path)
      throw fail('Location31324', 'Cannot use positional projection in aggregation projection')
    }
    if (value.type === bsonType.object) {
      if (isPositional) {
        const text = 'positional projection cannot be used with an expression or sub object'
        throw fail('Location31271', text)
      }
      requirePath(name)
      this.object(name, value, prefix)
    } else if (value.isNumber || value.type === bsonType.bool) {
      if (!isTrue(value)) {
        if (isPositional) throw positionalExclusion(path)
        this.exclude(name, path)
      } else if (isPositional) this.positional(name, path)
      else this.include(name, path)
    } else {
      if (isPositional) {
        throw fail('Location31308', 'positional projection cannot be used with a literal')
      }
      requirePath(name)
      this.computed(path, value)
    }
  }

  finish(): ProjectionTree {
    const kind = this.kind ?? this.usualKind()
    if (kind === 'inclusion' && !this.hasId) this.root.add('_id', { kind: 'include' })
    if (kind === 'exclusion' && this.includesId) this.root.remove('_id')
    return new ProjectionTree(kind, this.root)
  }

  /** The kind if only _id could decide: {_id: 1} and a lone $elemMatch include, $slice does not. */
  private usualKind(): ProjectionKind {
    if (this.includesId) return 'inclusion'
    return this.hasElemMatch && !this.hasSlice ? 'inclusion' : 'exclusion'
  }

  private include(name: string, path: string): void {
    requirePath(name)
    this.root.add(path, { kind: 'include' })
    if (path === '_id') this.includesId = true
    else this.requireInclusion(name)
  }

  private requireInclusion(name: string): void {
    if (this.kind === 'exclusion') {
      const text = `Cannot do inclusion on field ${name} in exclusion projection`
      throw fail('Location31253', text)
    }
    this.kind = 'inclusion'
  }

  private exclude(name: string, path: string): void {
    requirePath(name)
    this.root.add(path, { kind: 'exclude' })
    if (path === '_id') return
    if (this.kind === 'inclusion') {
      const text = `Cannot do exclusion on field ${name} in inclusion projection`
      throw fail('Location31254', text)
    }
    this.kind = 'exclusion'
  }

  private positional(name: string, path: string): void {
    if (this.hasPositional) {
      const text = 'Cannot specify more than one positional projection per query.'
      throw fail('Location31276', text)
    }
    if (this.hasElemMatch) throw positionalBesideElemMatch('Location31256')
    if (name.endsWith('.$.')) throw fail('Location31270', "Path cannot end with '.$.'")
    const first = requirePositionalPath(path)
    const before = path.slice(0, first)
    requirePath(before)
    this.forms.find?.positional(before)
    this.root.add(before, { kind: 'include' })
    this.hasPositional = true
    this.requireInclusion(name)
  }

  /** `{a: {…}}`: an operator or the fields below a. */
  private object(name: string, object: Value, prefix: string): void {
    const path = prefix + name
    const elements = new Elements(object.bytes, object.start)
    if (!elements.next()) {
      const text = 'An empty sub-projection is not a valid value. Found empty object at path'
      throw fail('Location51270', text)
    }
    const first = elements.name()
    const operand = elements.value()
    if (first.startsWith('$') && !elements.next()) {
      this.operator(path, first, operand, object)
      return
    }
    const fields = new Elements(object.bytes, object.start)
    while (fields.next()) this.element(fields.name(), fields.value(), `${path}.`)
  }

  private operator(path: string, name: string, operand: Value, whole: Value): void {
    const { find } = this.forms
    if (name === '$elemMatch') {
      if (find === undefined) {
        throw fail('InvalidPipelineOperator', 'Cannot use $elemMatch in this context')
      }
      if (operand.type !== bsonType.object) {
        throw fail('Location31274', 'elemMatch: Invalid argument, object required')
      }
      if (this.hasPositional) throw positionalBesideElemMatch('Location31255')
      if (path.includes('.')) {
        throw fail('Location31275', 'Cannot use $elemMatch projection on a nested field.')
      }
      this.root.add(path, find.elemMatch(path, whole))
      this.hasElemMatch = true
      return
    }
    const slice = name === '$slice' ? find?.slice(operand) : undefined
    if (slice !== undefined) {
      this.root.add(path, slice)
      this.hasSlice = true
      return
    }
    if (name === '$meta') throw metaError(operand)
    if (this.kind === 'exclusion') {
      const text = 'Cannot use expression other than $meta in exclusion projection'
      throw fail('Location31252', text)
    }
    this.kind = 'inclusion'
    if (!this.forms.knows(name)) throw fail('Location31325', `Unknown expression ${name}`)
    this.root.add(path, { kind: 'computed', expression: this.forms.compile(whole) })
  }

  private computed(path: string, value: Value): void {
    if (this.kind === 'exclusion') {
      const text = `Cannot use an expression ${shellText(value)} in an exclusion projection`
      throw fail('Location31310', text)
    }
    this.kind = 'inclusion'
    this.root.add(path, { kind: 'computed', expression: this.forms.compile(value) })
  }
}

/** Offset of the `.$`. Throws 16410 if there is none, 31394 if it is not at the end. */
function requirePositionalPath(path: string): number {
  const first = path.indexOf('.$')
  if (first < 0 || path.startsWith('$')) requirePath(path)
  if (first === path.length - 2) return first
  throw fail(
    'Location31394',
    "As of 4.4, it's illegal to specify positional operator in the middle of a path. " +
      'Positional projection may only be used at the end, for example: a.b.$. If the query ' +
      "previously used a form like a.b.$.d, remove the parts following the '$' and the " +
      'results will be equivalent.',
  )
}

function positionalExclusion(path: string): Error {
  requirePositionalPath(path)
  return fail('Location31395', 'positional projection cannot be used with exclusion')
}

function positionalBesideElemMatch(code: 'Location31255' | 'Location31256') {
  return fail(code, 'Cannot specify positional operator and $elemMatch.')
}

/** Checks a dotted field path: no empty part, no part that starts with `$`. */
export function requirePath(path: string): void {
  if (path === '') throw fail('Location40352', 'FieldPath cannot be constructed with empty string')
  if (path.endsWith('.')) throw fail('Location40353', "FieldPath must not end with a '.'.")
  for (const part of path.split('.')) {
    if (part === '') throw fail('Location15998', 'FieldPath field names may not be empty strings.')
    if (part.startsWith('$')) {
      throw fail(
        'Location16410',
        "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
      )
    }
  }
}

/** Whether a bool or number in a projection is true. */
function isTrue(value: Value): boolean {
  return value.type === bsonType.bool ? boolOf(value) : numberOf(value) !== 0
}

/** The error for `{$meta: …}`: Sigil has no text index and no sort keys beside documents. */
export function metaError(operand: Value): Error {
  const name = operand.type === bsonType.string ? stringOf(operand) : undefined
  if (name === undefined) {
    return fail('Location17307', '$meta only supports string arguments')
  }
  if (name === 'textScore') {
    const text = 'query requires text score metadata, but it is not available'
    return fail('Location40218', text)
  }
  const known = ['indexKey', 'sortKey', 'recordId', 'randVal', 'searchScore']
  if (known.includes(name)) return fail('NotImplemented', `$meta "${name}" is not supported`)
  return fail('Location17308', `Unsupported argument to $meta: ${name}`)
}

/** `n` or `[skip, n]` of find's $slice as whole numbers; undefined for an expression. */
export function sliceOf(operand: Value): { skip: number | undefined; limit: number } | undefined {
  if (operand.isNumber) return { skip: undefined, limit: wholeOf(operand) }
  if (operand.type !== bsonType.array) {
    throw fail('Location31273', '$slice only supports numbers and [skip, limit] arrays')
  }
  const [skip, limit, ...more] = elementsOf(operand)
  if (skip === undefined || limit === undefined || more.length > 0) {
    if (skip?.isNumber === true || skip === undefined) {
      throw fail('Location31272', '$slice array argument should be of form [skip, limit]')
    }
    return undefined
  }
  if (!skip.isNumber) return undefined
  if (!limit.isNumber) {
    throw fail('Location31258', '$slice expects the limit argument to be a number')
  }
  const count = wholeOf(limit)
  if (count <= 0) throw fail('Location31259', `$slice limit must be positive, got ${count}`)
  return { skip: wholeOf(skip), limit: count }
}

/** Truncated to 32 bits; NaN is 0. */
function wholeOf(value: Value): number {
  const whole = integerOf(value) ?? Math.trunc(numberOf(value))
  return Number.isNaN(whole) ? 0 : Math.max(-0x80000000, Math.min(0x7fffffff, whole))
}
