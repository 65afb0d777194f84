// Describes the columns of a statement before it runs: clients of the extended protocol request
// them before they bind. A query runs with sample values for its placeholders. A change must not
// run, so its RETURNING list and the catalog give the columns.

import type { Session } from '../../bus/session.js'
import { staticType } from '../../commands/sql/select/column-type.js'
import { resultNames } from '../../commands/sql/select/result.js'
import { foldedStatement, parsedStatement } from '../../commands/sql/statement-cache.js'
import { commandFor } from '../../commands/sql/translate.js'
import type { PgTypeName } from '../../protocol/pgwire/types.js'
import type { Expression, ResultItem, Statement, TableReference } from '../../protocol/sql/ast.js'
import type { Awaitable } from '../../store/store.js'
import {
  type Document,
  doubleValue,
  int32Value,
  int64Value,
  nullValue,
  trueValue,
  type Value,
} from '../../value/value.js'
import type { ColumnTypes, TableTypes } from './column-types.js'
import { type ColumnHead, closingOf, columnsOf, Layout, Rows, typeNamed } from './rows.js'

interface Described {
  readonly statement: Statement | undefined
  readonly text: string
  /** Number of its placeholders. */
  readonly count: number
  readonly parameters: readonly { readonly type: PgTypeName }[]
  readonly db: string
  readonly session: Session
  readonly types: Pick<ColumnTypes, 'of'>
  readonly send: (body: Document, db?: string) => Awaitable<Document>
}

/** Rows that are sampled if no placeholder changes the result types. */
const sampledRows = 100

/** Whether running it writes. */
export function isChange(kind: Statement['kind'] | undefined): boolean {
  return kind === 'insert' || kind === 'update' || kind === 'delete'
}

export async function describedColumns(asked: Described): Promise<readonly ColumnHead[]> {
  const { types, session, db } = asked
  const statement = await meantStatement(asked)
  switch (statement?.kind) {
    case 'insert':
    case 'update':
    case 'delete': {
      const known = await types.of(session, db, statement.table.name)
      return listed(statement.returning, statement.table, withWritten(known, statement), [])
    }
    case 'show':
      return [{ name: statement.name, type: 'text' }]
    case 'select': {
      const heads = await tried(asked)
      const { from, joins, results } = statement
      const isPlain = from !== undefined && from.schema === undefined && joins.length === 0
      if (asked.count === 0 || !isPlain) return heads
      return listed(results, from, await types.of(session, db, from.name), heads)
    }
    default:
      return tried(asked)
  }
}

/** With folded names if they belong to a declared table. */
async function meantStatement({ statement, text, types, session, db }: Described) {
  if (statement === undefined || !parsedStatement(text).canFold) return statement
  const folded = foldedStatement(text)
  const [own, other] = [tableOf(statement), tableOf(folded)]
  if (own === undefined || other === undefined) return statement
  const names = own === other ? [own] : [other, own]
  for (const name of names) {
    const { isDeclared } = await types.of(session, db, name)
    if (isDeclared === true) return folded
  }
  return statement
}

function tableOf(statement: Statement): string | undefined {
  if (statement.kind === 'select') return statement.from?.name
  return 'table' in statement ? statement.table?.name : undefined
}

/** The columns of a written row: those of the table, else an _id and the names of INSERT. */
function withWritten(known: TableTypes, statement: Statement): TableTypes {
  if (known.isDeclared === true) return known
  const types = new Map([['_id', known.get('_id') ?? 'text'] as const, ...known])
  for (const { path } of statement.kind === 'insert' ? (statement.columns ?? []) : []) {
    const name = String(path[0])
    if (!types.has(name)) types.set(name, 'text')
  }
  return types
}

/** Sample values for placeholders by type; others are NULL. */
const samples = new Map<PgTypeName, Value>([
  ['int2', int32Value(1)],
  ['int4', int32Value(1)],
  ['int8', int64Value(1n)],
  ['float4', doubleValue(1)],
  ['float8', doubleValue(1)],
  ['bool', trueValue],
])

/** By a trial run with numbers and booleans for such placeholders, and NULL for others. */
async function tried(asked: Described): Promise<readonly ColumnHead[]> {
  const { parameters, count } = asked
  const values = parameters.slice(0, count).map(({ type }) => samples.get(type) ?? nullValue)
  try {
    return await triedWith(asked, values)
  } catch (error) {
    if (count === 0) throw error
    return triedWith(asked, new Array(count).fill(nullValue))
  }
}

async function triedWith(
  { text, count, send }: Described,
  params: readonly Value[],
): Promise<readonly ColumnHead[]> {
  const { body } = commandFor({ text, params, batchSize: count === 0 ? sampledRows : 1 })
  if (body === undefined) return []
  const reply = await send(body)
  const { cursor } = new Rows(new Layout([]), reply)
  if (cursor !== undefined) await send(closingOf(cursor), cursor.db)
  return columnsOf(reply)
}

/** `heads` come from a trial run without rows. */
function listed(
  items: readonly ResultItem[],
  table: TableReference,
  known: TableTypes,
  heads: readonly ColumnHead[],
): readonly ColumnHead[] {
  const names = resultNames(items)
  const said = new Map(heads.map(({ name, type }) => [name, type]))
  return items.flatMap(({ expression }, i): readonly ColumnHead[] => {
    const name = names[i]
    if (name === undefined) {
      if (known.size === 0) return heads.filter((head) => !names.includes(head.name))
      return [...known].map(([column, type]) => ({ name: column, type }))
    }
    const fixed = staticType(expression)
    const type = fixed === undefined ? undefined : typeNamed(fixed)
    return [
      { name, type: type ?? columnType(expression, table, known) ?? said.get(name) ?? 'text' },
    ]
  })
}

function columnType(
  expression: Expression,
  { name, alias }: TableReference,
  known: TableTypes,
): ColumnHead['type'] | undefined {
  if (expression.kind !== 'column') return undefined
  const [first, second] = expression.path
  const isNamed = expression.path.length > 1 && first === (alias ?? name)
  const column = isNamed ? second : first
  if (expression.path.length !== (isNamed ? 2 : 1)) return undefined
  return known.get(String(column))
}
