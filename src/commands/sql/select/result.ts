// The results of SELECT and RETURNING: their names, and the document of each row. Names are unique:
// a repeated one gets the suffix `_2`. (docs/sql.md, "Results")

import { type Bytes, equalBytes, utf8 } from '../../../base/bytes/bytes.js'
import { work } from '../../../base/work/work-budget.js'
import type { Expression, ResultItem } from '../../../protocol/sql/ast.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { Elements, findElement } from '../../../value/elements.js'
import { bsonType, type Document, nullValue } from '../../../value/value.js'
import { DocumentWriter } from '../../../value/writer.js'
import { emptyDocument } from '../../document/arguments.js'
import { compile } from '../expression/compile.js'
import { compiledParts } from '../expression/compile-parts.js'
import { constantsAhead } from '../expression/constants-ahead.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { Parts } from '../expression/parts.js'
import type { Scope } from '../expression/scope.js'
import type { Evaluator, Row } from '../expression/truth.js'
import { DeclaredTypes } from '../typing/declared-type.js'
import { type Column, staticType } from './column-type.js'

export interface Results {
  /** Known before the first row; undefined if they include `*`. */
  readonly columns: readonly Partial<Column>[] | undefined
  /** The results other than `*`. */
  readonly named: readonly Partial<Column>[]
  /** The document of a row; a NULL result is null in it. */
  write(row: Row): Document
}

type Part =
  | { readonly kind: 'value'; readonly name: string; readonly evaluator: Evaluator }
  | { readonly kind: 'star'; readonly tables: readonly number[] }

/**
 * Throws errors of compiling, 42601 for `*` without a table, 42P01 for an unknown table. `merged`:
 * USING columns, which `*` shows once.
 */
export function compileResults(
  items: readonly ResultItem[],
  scope: Scope,
  merged: ReadonlySet<string> = new Set(),
  types: DeclaredTypes | undefined = typesOf(scope),
): Results {
  const names = resultNames(items)
  const parts = items.map(({ expression }, i): Part => {
    if (expression.kind === 'star') {
      // Throws in a grouped statement, where `*` has no rows to show.
      scope.replace?.(expression, scope)
      return { kind: 'star', tables: starTables(expression, scope) }
    }
    return { kind: 'value', name: names[i] ?? '', evaluator: compile(expression, scope) }
  })
  const named = items.flatMap(({ expression }, i) =>
    expression.kind === 'star' ? [] : [columnOf(names[i] ?? '', expression, scope, types)],
  )
  const columns = parts.every(({ kind }) => kind === 'value') ? named : undefined
  return { columns, named, write: writerOf(parts, items, scope, merged) }
}

/** Undefined where only rows tell types. */
function typesOf(scope: Scope): DeclaredTypes | undefined {
  const isOfDeclared = scope.known?.some((table) => table?.isDeclared === true) === true
  return isOfDeclared || scope.tables.length === 0 ? new DeclaredTypes(scope) : undefined
}

/**
 * As compileResults; large results are compiled part by part, with pauses. `isAsked`: there is a
 * row, for which their constants are computed ahead.
 */
export function* compileResultsInParts(
  tx: ReadTx,
  items: readonly ResultItem[],
  scope: Scope,
  merged: ReadonlySet<string>,
  isAsked = false,
): Program<Results> {
  const expressions = items.map(({ expression }) => expression)
  const within = yield* compiledParts(tx, expressions, scope)
  const types = typesOf(scope)
  if (types !== undefined) yield* new Parts().make(tx, expressions, (part) => types.of(part))
  const made = compileResults(items, within, merged, types)
  if (isAsked && within.parts !== undefined) yield* constantsAhead(tx, expressions, within.parts)
  return made
}

/** Types that staticType leaves to the rows, or shows as others. */
const shown = new Set('date bool[] int4[] int8[] float8[] numeric[] text[] varchar[]'.split(' '))

function columnOf(
  name: string,
  expression: Expression,
  scope: Scope,
  types: DeclaredTypes | undefined,
): Partial<Column> {
  const known = types?.of(expression)
  const type = known !== undefined && shown.has(known) ? known : staticType(expression, scope)
  return type === undefined ? { name } : { name, type }
}

function starTables(
  { table, at: place }: Extract<Expression, { kind: 'star' }>,
  { tables }: Scope,
): readonly number[] {
  if (tables.length === 0) {
    const message = 'SELECT * with no tables specified is not valid'
    throw evaluationError(evaluationState.syntax, message, place)
  }
  if (table === undefined) return tables.map((_, i) => i)
  const at = tables.indexOf(table)
  if (at >= 0) return [at]
  const message = `missing FROM-clause entry for table "${table}"`
  throw evaluationError(evaluationState.undefinedTable, message, place)
}

/** Unique names of all items; undefined for `*`. */
export function resultNames(items: readonly ResultItem[]): readonly (string | undefined)[] {
  const names = new Names()
  return items.map((item) => {
    if (item.expression.kind === 'star') return undefined
    return names.take(item.alias ?? nameOf(item.expression))
  })
}

/** The set of used names. */
class Names {
  private readonly taken: Set<string>
  /** For a repeated name, the next suffix to try; all lower ones are used. */
  private readonly nextOf = new Map<string, number>()

  constructor(taken: Iterable<string> = []) {
    this.taken = new Set(taken)
  }

  /** The name, with the first free suffix if it is already used. */
  take(name: string): string {
    let free = name
    if (this.taken.has(name)) {
      let n = this.nextOf.get(name) ?? 2
      while (this.taken.has(`${name}_${n}`)) n++
      this.nextOf.set(name, n + 1)
      free = `${name}_${n}`
    }
    this.taken.add(free)
    return free
  }
}

/** PostgreSQL's name for a result without an alias. */
export function nameOf(expression: Expression): string {
  return ownName(expression) ?? fallbackName(expression) ?? '?column?'
}

/** The name of the innermost column or function. */
function ownName(expression: Expression): string | undefined {
  switch (expression.kind) {
    case 'column':
      return String(expression.path.findLast((part) => typeof part === 'string'))
    case 'field':
    case 'call':
      return expression.name
    case 'subscript':
    case 'cast':
      return ownName(expression.operand)
    case 'case':
      return expression.otherwise && ownName(expression.otherwise)
    case 'array':
      return 'array'
    default:
      return undefined
  }
}

function fallbackName(expression: Expression): string | undefined {
  if (expression.kind === 'cast') return fallbackName(expression.operand) ?? expression.type.name
  return expression.kind === 'case' ? 'case' : undefined
}

function writerOf(
  parts: readonly Part[],
  items: readonly ResultItem[],
  scope: Scope,
  merged: ReadonlySet<string>,
): (row: Row) => Document {
  const [only] = parts
  if (parts.length === 1 && only?.kind === 'star' && only.tables.length === 1) {
    const [table = 0] = only.tables
    return (row) => row[table] ?? emptyDocument
  }
  const fields = fieldsOf(parts, items, scope)
  if (fields !== undefined) return fieldWriter(fields)
  const reserved = new Set(parts.flatMap((part) => (part.kind === 'value' ? [part.name] : [])))
  const hasStar = parts.some(({ kind }) => kind === 'star')
  return (row) => {
    const writer = new DocumentWriter()
    const names = hasStar ? new Names(reserved) : undefined
    for (const part of parts) {
      if (part.kind === 'value') writer.value(part.name, part.evaluator.value(row) ?? nullValue)
      else if (names !== undefined) writeTables(writer, row, part.tables, names, merged, scope)
    }
    return writer.finish()
  }
}

/** Results that are plain fields of one table's documents. */
interface Fields {
  readonly table: number
  /** Field names in the document, in order and without duplicates. */
  readonly sources: readonly Bytes[]
  readonly names: readonly string[]
}

function fieldsOf(
  parts: readonly Part[],
  items: readonly ResultItem[],
  { tables, known, replace }: Scope,
): Fields | undefined {
  const sources = new Map<string, Bytes>()
  let table = -1
  for (const { expression } of items) {
    if (known === undefined || expression.kind !== 'column') return undefined
    const [owner, name] = expression.path
    const at = tables.indexOf(String(owner))
    const isOther = table >= 0 && at !== table
    const isField = expression.path.length === 2 && typeof name === 'string'
    if (at < 0 || isOther || !isField || sources.has(name)) return undefined
    // In a grouped statement a column is not a field of a document.
    if (replace?.(expression, { tables, known, parameters: [], now: 0 }) !== undefined) {
      return undefined
    }
    table = at
    sources.set(name, utf8(name))
  }
  const names = parts.map((part) => (part.kind === 'value' ? part.name : ''))
  return { table, sources: [...sources.values()], names }
}

/** Reads each document once, because most have their fields in column order. */
function fieldWriter({ table, sources, names }: Fields): (row: Row) => Document {
  const { length } = sources
  const starts = new Int32Array(length)
  const ends = new Int32Array(length)
  const isSame = names.map((name, i) => equalBytes(utf8(name), sources[i] ?? emptyDocument))
  return (row) => {
    const writer = new DocumentWriter()
    const document = row[table]
    starts.fill(-1)
    if (document !== undefined) findFields(document, sources, starts, ends)
    for (let i = 0; i < length; i++) {
      const [start, end] = [starts[i] ?? -1, ends[i] ?? 0]
      const name = names[i] ?? ''
      if (document === undefined || start < 0) writer.null(name)
      else if (isSame[i]) writer.element(document, start, end)
      else writer.value(name, findElement(document, 0, sources[i] ?? emptyDocument) ?? nullValue)
    }
    return writer.finish()
  }
}

function findFields(
  document: Document,
  sources: readonly Bytes[],
  starts: Int32Array,
  ends: Int32Array,
): void {
  const elements = new Elements(document)
  let left = sources.length
  for (let next = 0; left > 0 && elements.next(); ) {
    const place = placeIn(elements, sources, next)
    if (place < 0 || (starts[place] ?? 0) >= 0) continue
    // The first field of a name is the column; undefined is NULL.
    if (elements.type !== bsonType.undefined) {
      starts[place] = elements.start
      ends[place] = elements.valueEnd
    }
    next = place + 1
    left--
  }
}

/** Index of the element among the sources; mostly the next one. */
function placeIn(elements: Elements, sources: readonly Bytes[], next: number): number {
  for (let i = next; i < sources.length; i++) {
    if (elements.nameIs(sources[i] as Bytes)) return i
  }
  for (let i = 0; i < next && i < sources.length; i++) {
    if (elements.nameIs(sources[i] as Bytes)) return i
  }
  return -1
}

/** Work units of a field of several tables, whose names must differ: 0.3 µs. */
const starFieldUnits = 3

/** The fields of all documents; of USING columns, the first that exists. */
function writeTables(
  writer: DocumentWriter,
  row: Row,
  tables: readonly number[],
  names: Names,
  merged: ReadonlySet<string>,
  { known }: Scope,
): void {
  const shown = new Set<string>()
  for (const table of tables) {
    const document = row[table]
    const columns = known?.[table]?.columns
    if (columns !== undefined) {
      for (const name of columns.keys()) {
        work.note(starFieldUnits)
        if (merged.has(name)) {
          if (shown.has(name)) continue
          shown.add(name)
        }
        const found = document === undefined ? undefined : findElement(document, 0, utf8(name))
        writer.value(names.take(name), found ?? nullValue)
      }
      continue
    }
    if (document === undefined) continue
    const elements = new Elements(document)
    while (elements.next()) {
      work.spend(starFieldUnits)
      const name = elements.name()
      if (merged.has(name)) {
        if (shown.has(name)) continue
        shown.add(name)
      }
      const free = names.take(name)
      if (free === name) writer.element(document, elements.start, elements.valueEnd)
      else writer.value(free, elements.value())
    }
  }
}
