// Compiles a filter's tree to closures: one for a whole document, one for a single value (array
// elements under $elemMatch, $pull and array filters). Values on a path are read in place.

import { work } from '../../base/work/work-budget.js'
import { bytesPerUnit, elementUnits, valueUnits } from '../../base/work/work-figures.js'
import { positionOf, typeClass } from '../../value/compare.js'
import { Elements, findElement } from '../../value/elements.js'
import { hashKey } from '../../value/key.js'
import { type FieldPath, parsePath, walkPath } from '../../value/path.js'
import { bsonType, type Document, documentValue, type Value } from '../../value/value.js'
import { comparisonTest, membershipTest } from './comparison.js'
import type { LongList } from './long-lists.js'
import {
  type AllNode,
  type ComparisonNode,
  type FilterNode,
  type InNode,
  isLeaf,
  type LeafNode,
  type ValueTest,
} from './node.js'

/** Work units of one test, beside the value's own cost: 0.03 µs. */
const testUnits = 0.3

type DocumentTest = (document: Document) => boolean

/** Whether a document matches. */
export function documentTest(node: FilterNode): DocumentTest {
  if (node.op === 'all') return allListed(node)
  if (isLeaf(node)) return pathTest(node)
  switch (node.op) {
    case 'always':
      return () => true
    case 'never':
      return () => false
    case 'and':
      return conjunction(node.children)
    case 'or':
      return some(gathered(node.children).map(documentTest))
    case 'nor': {
      const matchesAny = some(gathered(node.children).map(documentTest))
      return (document) => !matchesAny(document)
    }
    case 'not': {
      const matches = documentTest(node.child)
      return (document) => !matches(document)
    }
    case 'expr':
    case 'jsonSchema':
      return (document) => node.test(documentValue(document))
  }
}

/** Tests a value itself against leaves; their paths are ignored. */
function singleTest(node: FilterNode): ValueTest {
  return valueTest(node, singleLeafTest)
}

/** As singleTest, with arrays entered as at the end of a path: for $pull and array filters. */
export function reachingTest(node: FilterNode): ValueTest {
  return valueTest(node, (leaf) => {
    const test = leafTest(leaf)
    return leaf.op === 'exists' && !leaf.exists ? (value) => !test(value) : test
  })
}

function valueTest(node: FilterNode, leafTestOf: (leaf: LeafNode) => ValueTest): ValueTest {
  if (isLeaf(node)) return leafTestOf(node)
  switch (node.op) {
    case 'always':
      return () => true
    case 'never':
    case 'expr':
    case 'jsonSchema':
      return () => false
    case 'and':
      return all(node.children.map((child) => valueTest(child, leafTestOf)))
    case 'or':
      return some(gathered(node.children).map((child) => valueTest(child, leafTestOf)))
    case 'nor': {
      const matchesAny = some(gathered(node.children).map((child) => valueTest(child, leafTestOf)))
      return (value) => !matchesAny(value)
    }
    case 'not': {
      const matches = valueTest(node.child, leafTestOf)
      return (value) => !matches(value)
    }
  }
}

/** The test of $elemMatch for one array element. */
export function elementTest(form: 'object' | 'value', child: FilterNode): ValueTest {
  if (form === 'value') return singleTest(child)
  const matches = documentTest(child)
  // An array is read like a document with its positions as names.
  return (element) =>
    (element?.type === bsonType.object || element?.type === bsonType.array) &&
    matches(element.payload())
}

/**
 * The position of the matching array element in a matching document: the meaning of `$` in an
 * update or a projection. It is a position in the outermost array, from the last condition that
 * entered one.
 */
export function matchedPosition(node: FilterNode, document: Document): number | undefined {
  if (isLeaf(node)) {
    return node.op === 'exists' && !node.exists ? undefined : leafPosition(node, document)
  }
  if (node.op === 'and') {
    for (let i = node.children.length - 1; i >= 0; i--) {
      const position = matchedPosition(node.children[i] as FilterNode, document)
      if (position !== undefined) return position
    }
  } else if (node.op === 'or') {
    const found = node.children.find((child) => {
      work.spend(valueUnits)
      return documentTest(child)(document)
    })
    return found === undefined ? undefined : matchedPosition(found, document)
  }
  return undefined
}

function all<T>(tests: readonly ((subject: T) => boolean)[]): (subject: T) => boolean {
  const [first, second] = tests
  if (first === undefined) return () => true
  if (second === undefined) return first
  if (tests.length === 2) return (subject) => first(subject) && second(subject)
  return (subject) => {
    for (let i = 0; i < tests.length; i++) {
      work.spend(testUnits)
      if (!(tests[i] as (subject: T) => boolean)(subject)) return false
    }
    return true
  }
}

function some<T>(tests: readonly ((subject: T) => boolean)[]): (subject: T) => boolean {
  return (subject) => {
    for (let i = 0; i < tests.length; i++) {
      work.spend(testUnits)
      if ((tests[i] as (subject: T) => boolean)(subject)) return true
    }
    return false
  }
}

/** From this many on, equalities of one path are tested together. */
const togetherMin = 8

/** The equalities of paths with many of them, and the other nodes. */
function byPath(nodes: readonly FilterNode[]): {
  many: ComparisonNode[][]
  others: FilterNode[]
} {
  if (nodes.length < togetherMin) return { many: [], others: [...nodes] }
  const paths = new Map<string, ComparisonNode[]>()
  for (const node of nodes) {
    work.spend(testUnits)
    if (!isEqual(node)) continue
    const { text } = node.path
    const known = paths.get(text)
    if (known === undefined) paths.set(text, [node])
    else known.push(node)
  }
  const many = [...paths.values()].filter((equalities) => equalities.length >= togetherMin)
  const together = new Set<FilterNode>(many.flat())
  return { many, others: nodes.filter((node) => !together.has(node)) }
}

/** The alternatives of an $or; many equalities of one path become one membership test. */
function gathered(nodes: readonly FilterNode[]): FilterNode[] {
  const { many, others } = byPath(nodes)
  for (const equalities of many) {
    const [{ path, value, collation }] = equalities as [ComparisonNode]
    const values = equalities.map((equality) => equality.value)
    const test = membershipTest(values, [], collation)
    const node = { op: 'in', path, value, reach: 'each', test, values, regexes: [], collation }
    others.push(node as InNode)
  }
  return others
}

/** A conjunction; many equalities of one path ($all) are tested in one pass over its values. */
function conjunction(nodes: readonly FilterNode[]): DocumentTest {
  const { many, others } = byPath(nodes)
  return all([...many.map(allEqual), ...others.map(documentTest)])
}

/** As allEqual, for a list that was read ahead. */
function allListed({ path, list }: AllNode): DocumentTest {
  return (document) => {
    const missing = new Missing(list)
    return walkPath(document, path, (leaf, isElement) => missing.fill(leaf, isElement))
  }
}

/** The values of a list that were not yet found. */
class Missing {
  private readonly found: Uint8Array
  private count: number

  constructor(private readonly list: LongList) {
    this.count = list.members.length
    work.spend(this.count / bytesPerUnit)
    this.found = new Uint8Array(this.count)
  }

  /** Whether a value and, if it is an array, its elements, are the last that were missing. */
  fill(value: Value | undefined, isElement = false): boolean {
    if (value === undefined) return false
    this.meet(value)
    if (!isElement && value.type === bsonType.array) {
      const elements = new Elements(value.bytes, value.start)
      while (this.count > 0 && elements.next()) this.meet(elements.value())
    }
    return this.count === 0
  }

  private meet(value: Value): void {
    const { kinds, members } = this.list
    work.spend(elementUnits)
    const at = kinds.has(typeClass(value.type)) ? members.positionOf(value) : undefined
    if (at === undefined || this.found[at] === 1) return
    this.found[at] = 1
    this.count--
  }
}

function allEqual(equalities: readonly ComparisonNode[]): DocumentTest {
  const [{ path, collation }] = equalities as [ComparisonNode]
  const wanted = new Map<string | number, number>()
  // In particular, an array is hashed as a whole only if an operand is an array.
  const kinds = new Set(equalities.map(({ value }) => typeClass(value.type)))
  return (document) => {
    if (wanted.size === 0) {
      for (const { value } of equalities) {
        const key = hashKey(value, collation)
        if (!wanted.has(key)) wanted.set(key, wanted.size)
      }
    }
    work.spend(wanted.size / bytesPerUnit)
    const found = new Uint8Array(wanted.size)
    let missing = wanted.size
    const meets = (value: Value): void => {
      work.spend(elementUnits)
      if (!kinds.has(typeClass(value.type))) return
      const place = wanted.get(hashKey(value, collation))
      if (place === undefined || found[place] === 1) return
      found[place] = 1
      missing--
    }
    return walkPath(document, path, (leaf, isElement) => {
      if (leaf === undefined) return false
      meets(leaf)
      if (!isElement && leaf.type === bsonType.array) {
        const elements = new Elements(leaf.bytes, leaf.start)
        while (missing > 0 && elements.next()) meets(elements.value())
      }
      return missing === 0
    })
  }
}

function pathTest(node: LeafNode): DocumentTest {
  const { path } = node
  const test = leafTest(node)
  const [name] = path.names
  const matches: DocumentTest =
    path.names.length === 1 && name !== undefined
      ? (document) => test(findElement(document, 0, name))
      : (document) => walkPath(document, path, test)
  if (node.op !== 'exists' || node.exists) return matches
  return (document) => !matches(document)
}

/**
 * The test of the value at the end of a path, with arrays as whole values. An element selected by
 * position is not entered, except by $elemMatch.
 */
function leafTest(node: LeafNode): (leaf: Value | undefined, isElement?: boolean) => boolean {
  const { test, reach } = node
  if (reach === 'whole') return test
  if (node.op === 'all') return (leaf, isElement) => new Missing(node.list).fill(leaf, isElement)
  const isEach = reach === 'each'
  if (isEqual(node)) {
    const { value, collation } = node
    return (leaf, isElement = false) => {
      if (test(leaf)) return true
      if (isElement || leaf?.type !== bsonType.array) return false
      return positionOf(leaf, value, collation) >= 0
    }
  }
  return (leaf, isElement = false) => {
    if (isEach && test(leaf)) return true
    if (isEach && isElement) return false
    return leaf?.type === bsonType.array && hasElement(leaf, test)
  }
}

/** Whether it is an equality that can be found by the bytes of elements: all except null. */
function isEqual(node: FilterNode): node is ComparisonNode {
  return node.op === 'eq' && !node.value.isNullish
}

function hasElement(array: Value, test: ValueTest): boolean {
  return elementPosition(array, test) !== undefined
}

function elementPosition(array: Value, test: ValueTest): number | undefined {
  const elements = new Elements(array.bytes, array.start)
  for (let i = 0; elements.next(); i++) {
    work.spend(testUnits)
    if (test(elements.value())) return i
  }
  return undefined
}

function singleLeafTest(node: LeafNode): ValueTest {
  const { test } = node
  if (node.op === 'exists' && !node.exists) return (value) => !test(value)
  if (node.reach !== 'elements') return test
  return (value) => value?.type === bsonType.array && hasElement(value, test)
}

/** The matching element of the first array on the leaf's path. */
function leafPosition(given: LeafNode, document: Document): number | undefined {
  const node = given.op === 'all' ? lastOf(given) : given
  const { path } = node
  let holder = documentValue(document)
  for (let i = 0; i < path.names.length; i++) {
    const found = findElement(holder.bytes, holder.start, path.names[i] as Uint8Array)
    if (found === undefined) return undefined
    if (found.type === bsonType.array) {
      const isLast = i === path.names.length - 1
      if (isLast) return node.reach === 'whole' ? undefined : elementPosition(found, node.test)
      return innerPosition(found, path, i + 1, node)
    }
    if (found.type !== bsonType.object) return undefined
    holder = found
  }
  return undefined
}

/** The last equality of a list, whose position counts. */
function lastOf({ path, list, collation }: AllNode): ComparisonNode {
  const test = comparisonTest('eq', list.last, collation)
  return { op: 'eq', path, value: list.last, reach: 'each', test, collation }
}

function innerPosition(
  array: Value,
  path: FieldPath,
  from: number,
  node: LeafNode,
): number | undefined {
  const rest = parsePath(path.parts.slice(from).join('.'))
  const test = leafTest(node)
  return elementPosition(
    array,
    (element) => element?.type === bsonType.object && walkPath(element.payload(), rest, test),
  )
}
