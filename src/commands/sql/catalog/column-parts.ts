// Paths below the columns of known tables. Only arrays, JSON and rows have parts. A part of any
// other value would be NULL, and a condition on it could meet every row: it is PostgreSQL's error.

import type { PathPart } from '../../../protocol/sql/ast.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { columnTypeOf } from './catalog-types.js'
import type { KnownTable } from './known-table.js'

const documents = /^(?:jsonb?|record)\b/

/** A name or a target, with its offset in the text. */
interface Placed {
  readonly path: readonly PathPart[]
  readonly at: number
}

/** Throws 42P01, 42804, 42809, 0A000. `below` are the parts of the name after the column. */
export function requireParts(
  known: KnownTable,
  column: string,
  name: Placed,
  below: readonly PathPart[],
): void {
  eachPart(known, column, below, name.at, (part, type, depth) =>
    depth === 0 ? missing(name) : noFields(part, type, name.at),
  )
}

/** A target of UPDATE and INSERT. Throws 42804. */
export function requireTargetParts(known: KnownTable, { path, at }: Placed): void {
  const [column = '', ...below] = path
  eachPart(known, String(column), below, at, (part, type) => {
    const why = `its type ${titleOf(type)} is not a composite type`
    const message = `cannot assign to field "${part}" of column "${column}" because ${why}`
    return evaluationError(evaluationState.wrongType, message, at)
  })
}

/** Throws 42804 for a place, and what `refused` returns for a field, of a value that has none. */
function eachPart(
  known: KnownTable,
  column: string,
  below: readonly PathPart[],
  at: number,
  refused: (part: string, type: string, depth: number) => Error,
): void {
  const type = known.columns.get(column)
  // `_id` of a table that does not declare it may be a document.
  if (type === undefined) return
  for (const [depth, part] of below.entries()) {
    const element = elementOf(type, depth)
    if (documents.test(element)) return
    if (typeof part === 'number') requirePlaces(type, at)
    else throw refused(part, element, depth)
  }
}

/** `(column).name`. Throws 42809. */
export function requireFields(type: string | undefined, name: string, at: number): void {
  if (type !== undefined && !documents.test(type)) throw noFields(name, type, at)
}

/** `(column)[i]`. Throws 42804. */
export function requirePlaces(type: string | undefined, at: number): void {
  if (type === undefined || documents.test(type) || hasPlaces(type)) return
  const message = `cannot subscript type ${titleOf(type)} because it does not support subscripting`
  throw evaluationError(evaluationState.wrongType, message, at)
}

function hasPlaces(type: string): boolean {
  return type.endsWith('[]') || type.endsWith('vector')
}

/** An array has one type for any number of dimensions. */
function elementOf(type: string, depth: number): string {
  return depth > 0 && type.endsWith('[]') ? type.slice(0, -2) : type
}

function titleOf(type: string): string {
  return columnTypeOf(type).title
}

function noFields(name: string, type: string, at: number): Error {
  const why = `applied to type ${titleOf(type)}, which is not a composite type`
  return evaluationError(evaluationState.wrongObject, `column notation .${name} ${why}`, at)
}

/** 42P01: PostgreSQL reads `a.b` as a column of a table, `a.b.c` as one of a table in a schema. */
export function missing({ path, at }: Placed): Error {
  const end = path.findIndex((part) => typeof part === 'number')
  const names = end < 0 ? path : path.slice(0, end)
  if (names.length > 3) {
    const message = `cross-database references are not implemented: ${names.join('.')}`
    return evaluationError(evaluationState.featureNotSupported, message, at)
  }
  return missingTable(String(names.at(-2)), at)
}

export function missingTable(name: string, at: number): Error {
  const message = `missing FROM-clause entry for table "${name}"`
  return evaluationError(evaluationState.undefinedTable, message, at)
}
