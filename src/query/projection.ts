// Projections of find: the tree of projection-tree.ts, with $slice, $elemMatch and the positional
// `a.$`, which shows the array element that the filter matched.

import { type Bytes, utf8 } from '../base/bytes/bytes.js'
import { fail } from '../base/errors.js'
import { Elements, elementsOf, findElement } from '../value/elements.js'
import { numberOf } from '../value/numbers.js'
import { type FieldPath, parsePath } from '../value/path.js'
import {
  boolOf,
  bsonType,
  type Document,
  documentOf,
  documentValue,
  type Value,
} from '../value/value.js'
import { DocumentWriter, writeArray } from '../value/writer.js'
import type { QueryContext } from './context.js'
import { contextData, Detachable, type RecipeData, resultOf } from './detached.js'
import { compileExpression, envOf, isOperatorName, scopeOf } from './expression.js'
import { emptyObject } from './expressions/operator.js'
import { isLeaf } from './filter/node.js'
import { parseCondition } from './filter/parse.js'
import { type Filter, filterToDocument } from './filter.js'
import { parseProjection, sliceOf } from './projection-spec.js'
import type { ProjectionLeaf } from './projection-tree.js'

export interface Projection {
  apply(document: Document): Document
  /** Names of the kept top-level fields, if the projection only lists such fields. */
  readonly wholeFields?: readonly string[]
}

/**
 * Compiles a projection of find. `filter` is the query's, for positional paths. Throws the errors
 * of parseProjection; applying a positional path throws 51246 and 51247.
 */
export function compileProjection(
  spec: Document,
  filter: Filter | undefined,
  context: QueryContext,
): Projection {
  const scope = scopeOf(context)
  let positional: FieldPath | undefined
  const tree = parseProjection(spec, {
    compile: (expression) => compileExpression(expression, scope),
    knows: isOperatorName,
    find: {
      slice: sliceLeaf,
      elemMatch: (path, condition) => elemMatchLeaf(path, condition, context),
      positional: (path) => {
        if (filter === undefined) throw noMatcher()
        positional = parsePath(path)
      },
    },
  })
  if (tree.keepsAll) return { apply: (document) => document }
  const environment = envOf(emptyObject, context)
  const cutPath = positional
  const wholeFields = wholeFieldsOf(spec)
  const act = (document: Document): Document => {
    environment.root = documentValue(document)
    if (cutPath === undefined) return tree.apply(document, environment)
    const cut = cutArray(document, cutPath, filter?.matchedIndex(document))
    return tree.apply(cut, environment)
  }
  const describe = (): RecipeData => ({
    kind: 'projection',
    projection: new Uint8Array(spec),
    filter: filter === undefined ? undefined : new Uint8Array(filterToDocument(filter.tree)),
    context: contextData(context),
  })
  const detachable = new Detachable(act, describe, ([cell]) => documentOf(resultOf(cell) as Value))
  return {
    apply: (document) => detachable.of(document),
    ...(wholeFields === undefined ? undefined : { wholeFields }),
  }
}

/** The names of `{a: 1, b: true, _id: 0}`; undefined for everything else. */
function wholeFieldsOf(spec: Document): readonly string[] | undefined {
  const names = new Set<string>()
  let keepsId = true
  const elements = new Elements(spec)
  while (elements.next()) {
    const name = elements.name()
    const value = elements.value()
    if (name.includes('.') || !(value.isNumber || value.type === bsonType.bool)) return undefined
    const isKept = value.isNumber ? numberOf(value) !== 0 : boolOf(value)
    if (name === '_id') keepsId = isKept
    else if (isKept) names.add(name)
    else return undefined
  }
  if (names.size === 0 && (!keepsId || spec.length <= 5)) return undefined
  return keepsId ? ['_id', ...names] : [...names]
}

function noMatcher(): Error {
  return fail('Location51050', 'Projections with a positional operator require a matcher')
}

/** `{$slice: n}` and `{$slice: [skip, n]}`; undefined if the operand is an expression. */
function sliceLeaf(operand: Value): ProjectionLeaf | undefined {
  const slice = sliceOf(operand)
  if (slice === undefined) return undefined
  const { skip, limit } = slice
  const transform = (value: Value): Value => {
    if (value.type !== bsonType.array) return value
    const elements = elementsOf(value)
    if (skip === undefined) {
      return writeArray(limit < 0 ? elements.slice(limit) : elements.slice(0, limit))
    }
    const from = skip < 0 ? Math.max(0, elements.length + skip) : skip
    return writeArray(elements.slice(from, from + limit))
  }
  return { kind: 'transform', transform }
}

/** The first matching element; without one the field is omitted. */
function elemMatchLeaf(path: string, condition: Value, context: QueryContext): ProjectionLeaf {
  const node = parseCondition(parsePath(path), condition, context)
  const name = utf8(path)
  const matches = isLeaf(node) ? node.test : () => false
  const expression = {
    evaluate: ({ root }: { root: Value }): Value | undefined => {
      const array = findElement(root.bytes, root.start, name)
      if (array?.type !== bsonType.array) return undefined
      const found = elementsOf(array).find(matches)
      return found === undefined ? undefined : writeArray([found])
    },
  }
  return { kind: 'computed', expression }
}

/** The document with the first array on the path reduced to its element at `index`. */
function cutArray(document: Document, path: FieldPath, index: number | undefined): Document {
  const writer = new DocumentWriter()
  cutObject(document, 0, path, 0, index, writer)
  return writer.finish()
}

function cutObject(
  bytes: Bytes,
  start: number,
  path: FieldPath,
  part: number,
  index: number | undefined,
  writer: DocumentWriter,
): void {
  const name = path.names[part] as Bytes
  const isLast = part + 1 === path.names.length
  const elements = new Elements(bytes, start)
  while (elements.next()) {
    const isNamed = elements.nameIs(name)
    if (isNamed && elements.type === bsonType.array) {
      writer.value(path.parts[part] as string, matchedElement(elements.value(), index, isLast))
    } else if (isNamed && elements.type === bsonType.object && !isLast) {
      writer.openDocument(path.parts[part] as string)
      cutObject(bytes, elements.valueStart, path, part + 1, index, writer)
      writer.close()
    } else writer.element(bytes, elements.start, elements.valueEnd)
  }
}

/** Throws 51246 if none matched, 51247 if it is missing or lacks the fields of the path. */
function matchedElement(array: Value, index: number | undefined, isLast: boolean): Value {
  if (index === undefined) {
    const text = "positional operator '.$' couldn't find a matching element in the array"
    throw fail('Location51246', text)
  }
  const element = elementsOf(array)[index]
  if (element !== undefined && (isLast || element.type === bsonType.object)) {
    return writeArray([element])
  }
  throw fail('Location51247', "positional operator '.$' element mismatch")
}
