// Derives bounds of index keys from filter conditions. A predicate's intervals contain at least one
// key of every document that meets the condition. It is exact if every document with a key in them
// meets it. Arrays, null and missing fields determine most rules: keys are made by `keyValues` of
// value/path.ts, filters use its `walkPath`.

import type { LongList } from '../../query/filter/long-lists.js'
import type {
  ComparisonNode,
  ElemMatchNode,
  ExprNode,
  InNode,
  LeafNode,
} from '../../query/filter/node.js'
import type { FilterNode } from '../../query/filter.js'
import { regexPrefixOf } from '../../query/regex.js'
import { isCollatable } from '../../value/collation/collatable.js'
import { type Collation, sameCollation } from '../../value/collation/collation.js'
import { Elements, elementsOf, fieldsOf } from '../../value/elements.js'
import { encodeKey } from '../../value/key.js'
import { type FieldPath, parsePath } from '../../value/path.js'
import {
  bsonType,
  nullValue,
  stringOf,
  stringValue,
  undefinedValue,
  type Value,
} from '../../value/value.js'
import {
  bound,
  bracketOf,
  Interval,
  isNotANumber,
  nullIntervals,
  point,
  stringInterval,
  union,
} from './intervals.js'
import { type Intervals, isMade, Points, together } from './points.js'

export interface Predicate {
  /** The condition in the filter's outermost $and. */
  readonly node: FilterNode
  /** Sorted and disjoint; an empty list means that nothing can match. */
  readonly intervals: Intervals
  readonly isExact: boolean
  /** The $elemMatch whose one element meets all conditions of this scope. */
  readonly scope: object | undefined
}

export interface Conditions {
  /** All of them must hold. */
  readonly conjuncts: readonly FilterNode[]
  readonly byPath: ReadonlyMap<string, readonly Predicate[]>
  /** Conjuncts that are an $or over more than one path. */
  readonly disjunctions: readonly FilterNode[]
  /** Whether nothing matches. */
  readonly isNever: boolean
  /** Collation of the keys that the intervals are for. */
  readonly collation: Collation | undefined
  /** The conditions for keys of another collation. */
  under(collation: Collation | undefined): Conditions
}

/** Whether some index, or the records, may have keys of a path. */
type HasKeys = (path: string) => boolean
const always: HasKeys = () => true

/** A longer membership gets bounds only if there are keys: a bound for each value costs. */
const longMembership = 1_000

function isLongWithoutKeys(node: FilterNode, hasKeys: HasKeys): boolean {
  const within = node.op === 'elemMatch' && node.form === 'value' ? node.child : node
  const parts = within.op === 'and' ? within.children : [within]
  return parts.some(
    (part) => part.op === 'in' && part.values.length > longMembership && !hasKeys(part.path.text),
  )
}

/** Conditions of one path from which bounds are derived. */
const predicatesMax = 1_000

/**
 * Extracts from a filter what an index with `collation` can use. Of conditions with another
 * collation it takes only those that compare no string.
 */
export function conditionsOf(
  tree: FilterNode,
  collation?: Collation,
  hasKeys: HasKeys = always,
): Conditions {
  const conjuncts: FilterNode[] = []
  flatten(tree, conjuncts)
  const byPath = new Map<string, Predicate[]>()
  const disjunctions: FilterNode[] = []
  for (const node of conjuncts) {
    // The others stay conditions: an $all of hundreds of thousands gives no better bounds.
    const isKnown = 'path' in node && (byPath.get(node.path.text)?.length ?? 0) >= predicatesMax
    if (isKnown || isLongWithoutKeys(node, hasKeys)) continue
    for (const { path, predicate } of predicatesOf(node, collation)) {
      const known = byPath.get(path)
      if (known === undefined) byPath.set(path, [predicate])
      else known.push(predicate)
    }
    if (node.op === 'or' && sharedPath(node.children, collation) === undefined)
      disjunctions.push(node)
  }
  const isNever = conjuncts.some(({ op }) => op === 'never')
  const under = (other: Collation | undefined): Conditions => conditionsOf(tree, other, hasKeys)
  return { conjuncts, byPath, disjunctions, isNever, collation, under }
}

function flatten(node: FilterNode, into: FilterNode[]): void {
  if (node.op === 'and') for (const child of node.children) flatten(child, into)
  else if (node.op !== 'always') into.push(node)
}

interface Placed {
  readonly path: string
  readonly predicate: Predicate
}

function predicatesOf(node: FilterNode, keys: Collation | undefined): Placed[] {
  if (node.op === 'elemMatch') return elementPredicates(node, keys)
  if (node.op === 'or') return disjunctionPredicates(node.children, node, keys)
  if (node.op === 'expr') return expressionPredicates(node.value, node, keys)
  if (!('path' in node)) return []
  const range = rangeOf(node, keys)
  if (range === undefined) return []
  // A key may come from an element that the filter ignores: {a: [[1]]} has one for `a.0: 1`.
  const isExact = range.isExact && !hasPosition(node.path)
  const { intervals } = range
  return [{ path: node.path.text, predicate: { intervals, isExact, node, scope: undefined } }]
}

/** Merges `{$or: [{a: 1}, {a: {$gt: 5}}]}` into one set of keys of `a`. */
function disjunctionPredicates(
  children: readonly FilterNode[],
  node: FilterNode,
  keys: Collation | undefined,
): Placed[] {
  const path = sharedPath(children, keys)
  if (path === undefined) return []
  const ranges = children.map((child) => rangeOf(child as LeafNode, keys))
  const intervals = union(ranges.flatMap(shortIn))
  const isExact = ranges.every((range) => range?.isExact === true) && !hasPosition(parsePath(path))
  return [{ path, predicate: { intervals, isExact, node, scope: undefined } }]
}

function shortIn(range: Range | undefined): readonly Interval[] {
  return range === undefined || isMade(range.intervals) ? [] : range.intervals
}

/** The path of all children, if each is a condition on it that gives bounds, none of them long. */
function sharedPath(
  children: readonly FilterNode[],
  keys: Collation | undefined,
): string | undefined {
  const [first] = children
  if (first === undefined || !('path' in first)) return undefined
  const { text } = first.path
  const isShared = children.every((child) => {
    if (!('path' in child) || child.path.text !== text) return false
    const range = rangeOf(child, keys)
    return range !== undefined && !isMade(range.intervals)
  })
  return isShared ? text : undefined
}

/** Conditions on one element: they hold together, but not for every key of the document. */
function elementPredicates(node: ElemMatchNode, keys: Collation | undefined): Placed[] {
  const { child, form, path } = node
  const { byPath } = conditionsOf(child, keys)
  if (form === 'value') {
    const inner = byPath.get(path.text)
    if (inner === undefined) return []
    const { intervals } = together(inner)
    return [{ path: path.text, predicate: { intervals, isExact: false, node, scope: undefined } }]
  }
  const placed: Placed[] = []
  for (const [text, predicates] of byPath) {
    // Here a number denotes an element of nested arrays, which no key of the whole path shows.
    if (hasPosition(parsePath(text))) continue
    for (const { intervals } of predicates) {
      const predicate = { intervals, isExact: false, node, scope: node }
      placed.push({ path: `${path.text}.${text}`, predicate })
    }
  }
  return placed
}

/**
 * `{$expr: {$eq: ['$a', 5]}}`: an expression matches fewer documents than the same filter equality.
 */
function expressionPredicates(
  expression: Value,
  node: ExprNode,
  keys: Collation | undefined,
): Placed[] {
  if (expression.type !== bsonType.object) return []
  const placed: Placed[] = []
  for (const [operator, operand] of fieldsOf(expression)) {
    if (operand.type !== bsonType.array) continue
    const [left, right, ...others] = elementsOf(operand)
    if (operator === '$and') {
      for (const part of elementsOf(operand)) placed.push(...expressionPredicates(part, node, keys))
    } else if (operator === '$eq' && right !== undefined && others.length === 0) {
      for (const [name, value] of [
        [left, right],
        [right, left],
      ]) {
        const path = fieldNameOf(name)
        const constant = constantOf(value)
        if (path === undefined || constant === undefined) continue
        if (!tells(constant, node.collation, keys)) continue
        const range = equality(constant, parsePath(path), keys)
        if (range === undefined) continue
        const { intervals } = range
        placed.push({ path, predicate: { intervals, isExact: false, node, scope: undefined } })
      }
    }
  }
  return placed
}

/** `a.b` of `$a.b`; undefined for variables and other values. */
function fieldNameOf(expression: Value | undefined): string | undefined {
  if (expression?.type !== bsonType.string) return undefined
  const text = stringOf(expression)
  return text.startsWith('$') && !text.startsWith('$$') ? text.slice(1) : undefined
}

/** A scalar constant. */
function constantOf(expression: Value | undefined): Value | undefined {
  if (expression === undefined) return undefined
  const { type } = expression
  if (type === bsonType.object) {
    const [only, ...others] = fieldsOf(expression)
    if (only?.[0] !== '$literal' || others.length > 0) return undefined
    return only[1].type === bsonType.array ? undefined : only[1]
  }
  if (type === bsonType.array || type === bsonType.undefined) return undefined
  return type === bsonType.string && stringOf(expression).startsWith('$') ? undefined : expression
}

function hasPosition(path: FieldPath): boolean {
  return path.positions.some((position) => position >= 0)
}

type Range = Pick<Predicate, 'intervals' | 'isExact'>

/** The keys of one condition; undefined if it gives no bounds. */
function rangeOf(node: LeafNode, keys: Collation | undefined): Range | undefined {
  switch (node.op) {
    case 'eq':
      return tells(node.value, node.collation, keys)
        ? equality(node.value, node.path, keys)
        : undefined
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return tells(node.value, node.collation, keys) ? comparison(node, keys) : undefined
    case 'in':
      return node.list === undefined ? membership(node, keys) : listed(node.list, node.path, keys)
    case 'all': {
      const { last } = node.list
      const range = tells(last, node.collation, keys) ? equality(last, node.path, keys) : undefined
      return range && { intervals: range.intervals, isExact: false }
    }
    case 'exists':
      return node.exists ? undefined : { intervals: [point(nullValue)], isExact: false }
    case 'regex':
      // Collation keys do not preserve text prefixes.
      return node.prefix === undefined || keys !== undefined
        ? undefined
        : regexRange(node.value, node.prefix, node.isPrefixOnly)
    default:
      return undefined
  }
}

/** Whether a condition with collation `own` can use keys of collation `keys`. */
function tells(value: Value, own: Collation | undefined, keys: Collation | undefined): boolean {
  return sameCollation(own, keys) || !isCollatable(value)
}

function equality(value: Value, path: FieldPath, keys: Collation | undefined): Range | undefined {
  // An element without the field `0` counts as missing, but has no key when there is a position 0.
  if (value.isNullish) return hasPosition(path) ? undefined : nothingThere
  if (value.type === bsonType.array)
    return { intervals: arrayIntervals(value, keys), isExact: false }
  return { intervals: [point(value, keys)], isExact: true }
}

/** An empty array has the key of undefined, so matches must be verified. */
const nothingThere: Range = { intervals: nullIntervals, isExact: false }

/** An array is found by its first element, or as a whole if it is an element itself. */
function arrayIntervals(array: Value, keys: Collation | undefined): Interval[] {
  const elements = new Elements(array.bytes, array.start)
  const first = elements.next() ? elements.value() : undefinedValue
  return union([point(first, keys), point(array, keys)])
}

function comparison(
  { op, value, path }: ComparisonNode,
  keys: Collation | undefined,
): Range | undefined {
  const isInclusive = op === 'lte' || op === 'gte'
  if (value.isNullish || isNotANumber(value)) {
    return isInclusive ? equality(value, path, keys) : { intervals: [], isExact: true }
  }
  const bracket = bracketOf(value.type)
  // Arrays are compared as a whole, and MinKey and MaxKey with every type: no key decides.
  if (bracket === undefined) return undefined
  const end = bound(value, isInclusive, keys)
  const isUpper = op === 'lt' || op === 'lte'
  const interval = isUpper ? new Interval(bracket.low, end) : new Interval(end, bracket.high)
  // For `{$lt: ''}` and similar, the bound is outside the type's values.
  return { intervals: interval.isEmpty ? [] : [interval], isExact: true }
}

function membership(
  { values, regexes, path, collation }: InNode,
  keys: Collation | undefined,
): Range | undefined {
  if (regexes.length > 0 && keys !== undefined) return undefined
  const intervals: Interval[] = []
  let isExact = true
  for (const value of values) {
    if (!tells(value, collation, keys)) return undefined
    const range = equality(value, path, keys)
    if (range === undefined) return undefined
    if (!range.isExact) isExact = false
    for (const interval of shortIn(range)) intervals.push(interval)
  }
  for (const regex of regexes) {
    const { prefix, isPrefixOnly } = regexPrefixOf(regex)
    if (prefix === undefined) return undefined
    const range = regexRange(regex, prefix, isPrefixOnly)
    if (!range.isExact) isExact = false
    intervals.push(...shortIn(range))
  }
  return { intervals: union(intervals), isExact }
}

function listed(list: LongList, path: FieldPath, keys: Collation | undefined): Range | undefined {
  if (keys !== undefined && list.isCollatable) return undefined
  if (list.hasNull && hasPosition(path)) return undefined
  return { intervals: new Points(list), isExact: !list.hasNull && !list.hasArray }
}

/** Strings with a prefix, and the regular expression itself as a stored value. */
function regexRange(regex: Value, prefix: string, isPrefixOnly: boolean): Range {
  const text = stringValue(prefix)
  const key = encodeKey(text)
  // Without its end byte, a key is the prefix of every longer text's key.
  const strings = stringInterval(text, key.subarray(0, key.length - 1))
  return { intervals: union([strings, point(regex)]), isExact: isPrefixOnly }
}
