// The list of results of SELECT and RETURNING: what each is called, and the document that a row of
// the statement becomes. Names are unique: what comes later gets `_2` behind it.
// (docs/sql.md, "Results")

import type { Expression, ResultItem } from '../../../protocol/sql/ast.js'
import { Elements } from '../../../value/elements.js'
import { type Document, nullValue } from '../../../value/value.js'
import { DocumentWriter } from '../../../value/writer.js'
import { emptyDocument } from '../../document/arguments.js'
import { compile } from '../expression/compile.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import type { Scope } from '../expression/scope.js'
import type { Evaluator, Row } from '../expression/truth.js'
import { type Column, staticType } from './column-type.js'

export interface Results {
  /** What is known before the first row; undefined where `*` stands among them. */
  readonly columns: readonly Partial<Column>[] | undefined
  /** Of those that are no `*`. */
  readonly named: readonly Partial<Column>[]
  /** Each row a document; a result that is NULL is null in it. */
  write(row: Row): Document
}

type Part =
  | { readonly kind: 'value'; readonly name: string; readonly evaluator: Evaluator }
  | { readonly kind: 'star'; readonly tables: readonly number[] }

/**
 * Throws what compiling throws, 42601 for `*` without a table, 42P01 for that of an unknown one.
 * `merged`: columns of USING, which `*` shows once.
 */
export function compileResults(
  items: readonly ResultItem[],
  scope: Scope,
  merged: ReadonlySet<string> = new Set(),
): Results {
  const names = resultNames(items)
  const parts = items.map(({ expression }, i): Part => {
    if (expression.kind === 'star') {
      // Behind groups it throws: there are no rows to show.
      scope.replace?.(expression, scope)
      return { kind: 'star', tables: starTables(expression, scope) }
    }
    return { kind: 'value', name: names[i] ?? '', evaluator: compile(expression, scope) }
  })
  const named = items.flatMap(({ expression }, i) =>
    expression.kind === 'star' ? [] : [columnOf(names[i] ?? '', expression, scope)],
  )
  const columns = parts.every(({ kind }) => kind === 'value') ? named : undefined
  return { columns, named, write: writerOf(parts, merged) }
}

function columnOf(name: string, expression: Expression, scope: Scope): Partial<Column> {
  const type = staticType(expression, scope.parameters)
  return type === undefined ? { name } : { name, type }
}

function starTables({ table }: { readonly table?: string }, { tables }: Scope): readonly number[] {
  if (tables.length === 0) {
    const message = 'SELECT * with no tables specified is not valid'
    throw evaluationError(evaluationState.syntax, message)
  }
  if (table === undefined) return tables.map((_, i) => i)
  const at = tables.indexOf(table)
  if (at >= 0) return [at]
  const message = `missing FROM-clause entry for table "${table}"`
  throw evaluationError(evaluationState.undefinedTable, message)
}

/** Of every item, unique; nothing for `*`. */
export function resultNames(items: readonly ResultItem[]): readonly (string | undefined)[] {
  const names = new Names()
  return items.map((item) => {
    if (item.expression.kind === 'star') return undefined
    return names.take(item.alias ?? nameOf(item.expression))
  })
}

/** Names that are taken, each once. */
class Names {
  private readonly taken: Set<string>
  /** By a name that came twice, the number to try next: all below are taken. */
  private readonly nextOf = new Map<string, number>()

  constructor(taken: Iterable<string> = []) {
    this.taken = new Set(taken)
  }

  /** The name, with the first free number behind it where it is taken. */
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

/** As PostgreSQL calls what has no alias. */
export function nameOf(expression: Expression): string {
  return ownName(expression) ?? fallbackName(expression) ?? '?column?'
}

/** The name of the column or function that it comes down to. */
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

function writerOf(parts: readonly Part[], merged: ReadonlySet<string>): (row: Row) => Document {
  const [only] = parts
  if (parts.length === 1 && only?.kind === 'star' && only.tables.length === 1) {
    const [table = 0] = only.tables
    return (row) => row[table] ?? emptyDocument
  }
  const reserved = new Set(parts.flatMap((part) => (part.kind === 'value' ? [part.name] : [])))
  const hasStar = parts.some(({ kind }) => kind === 'star')
  return (row) => {
    const writer = new DocumentWriter()
    const names = hasStar ? new Names(reserved) : undefined
    for (const part of parts) {
      if (part.kind === 'value') writer.value(part.name, part.evaluator.value(row) ?? nullValue)
      else if (names !== undefined) writeTables(writer, row, part.tables, names, merged)
    }
    return writer.finish()
  }
}

/** The fields of documents side by side; of USING's columns the first that is there. */
function writeTables(
  writer: DocumentWriter,
  row: Row,
  tables: readonly number[],
  names: Names,
  merged: ReadonlySet<string>,
): void {
  const shown = new Set<string>()
  for (const table of tables) {
    const document = row[table]
    if (document === undefined) continue
    const elements = new Elements(document)
    while (elements.next()) {
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
