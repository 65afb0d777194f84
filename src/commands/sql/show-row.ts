// sqlShow: SHOW TABLES, SHOW INDEXES and DESCRIBE, limited to what the caller may read. Columns
// come from CREATE TABLE, else from the first documents. (docs/sql.md, "Catalog")

import { fail } from '../../base/errors.js'
import type { CommandReadTx } from '../../bus/document/command-tx.js'
import { string } from '../../bus/document/params.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { shownNamespaces } from '../../engine/collection/catalog/catalog.js'
import { listedIndexes } from '../../engine/index/indexes.js'
import { documentsSource } from '../../engine/sources/source.js'
import type { Resource } from '../../engine/types.js'
import type { Statement, TableName } from '../../protocol/sql/ast.js'
import type { Program } from '../../store/store.js'
import { field, fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { boolOf, bsonType, type Document, stringOf, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { emptyDocument } from '../document/arguments.js'
import { firstBatch } from '../document/reading/cursors.js'
import { isVirtual } from './catalog/catalog.js'
import { sampledColumns } from './catalog/sampled-columns.js'
import { collectionOf, type SqlCall, scopeOf, sqlParams } from './change/change-call.js'
import { declaredColumns } from './define/ddl-columns.js'
import { meaning } from './relation-names.js'
import { type Column, withColumns } from './select/column-type.js'
import { openTable, resourceOf } from './select/from.js'
import { foldedStatement, parsedStatement } from './statement-cache.js'

type ShowStatement = Extract<Statement, { kind: 'showTables' | 'showIndexes' | 'describe' }>

function shownBy({ target }: Pick<SqlCall, 'target'>): ShowStatement {
  const { statement } = parsedStatement(target)
  switch (statement.kind) {
    case 'showTables':
    case 'showIndexes':
    case 'describe':
      return statement
    default:
      throw fail('BadValue', 'sqlShow takes SHOW TABLES, SHOW INDEXES and DESCRIBE')
  }
}

export const sqlShowRow = documentRow({
  name: 'sqlShow',
  isStatement: true,
  ...plain,
  inTransactions: true,
  roles: ['metadata'],
  grain: 'read',
  access: 'reader',
  target: string,
  params: sqlParams,
  resources: (call) => [shownResource(call, shownBy(call))],
  help: 'Runs SHOW TABLES, SHOW INDEXES and DESCRIBE of SQL.',
  *run(tx, call) {
    const statement = shownBy(call)
    const { columns, rows, collection } = yield* shown(tx, call, statement)
    const source = documentsSource(rows)
    const batchSize = call.args.batchSize ?? Math.max(rows.length, 1)
    return withColumns(yield* firstBatch(tx, call, { source, batchSize, collection }), columns)
  },
})

function shownResource(
  { db, target }: Pick<SqlCall, 'db' | 'target'>,
  statement: ShowStatement,
): Resource {
  switch (statement.kind) {
    case 'showTables':
      return { db, privileges: [] }
    case 'showIndexes': {
      const { table } = statement
      const resource: Resource = { db, collection: collectionOf(table), privileges: ['read'] }
      return meaning(resource, { written: table, folded: foldedTable(target, table) })
    }
    case 'describe':
      return resourceOf(db, {
        written: statement.table,
        folded: foldedTable(target, statement.table),
      })
  }
}

interface Shown {
  readonly columns: readonly Column[]
  readonly rows: readonly Document[]
  readonly collection: string
}

function* shown(tx: CommandReadTx, call: SqlCall, statement: ShowStatement): Program<Shown> {
  switch (statement.kind) {
    case 'showTables':
      return { columns: tableColumns, rows: yield* tables(tx, call), collection: '$cmd.sql' }
    case 'showIndexes': {
      const collection = tx.namespace()?.name ?? collectionOf(statement.table)
      return { columns: indexColumns, rows: indexes(tx, call, collection), collection }
    }
    case 'describe': {
      const table = meantTable(tx, call, statement.table)
      const rows = yield* described(tx, call, table)
      return { columns: describedColumns, rows, collection: table.name }
    }
  }
}

const tableColumns: readonly Column[] = [
  { name: 'name', type: 'text' },
  { name: 'type', type: 'text' },
]

function* tables(tx: CommandReadTx, call: SqlCall): Program<Document[]> {
  const seen = (yield* shownNamespaces(tx, call.db)).filter((ns) => call.mayAt('read', ns))
  return seen.map(({ name, view }) =>
    writeDocument((out) => {
      out.string('name', name).string('type', view === undefined ? 'table' : 'view')
    }),
  )
}

const indexColumns: readonly Column[] = [
  { name: 'name', type: 'text' },
  { name: 'columns', type: 'text' },
  { name: 'unique', type: 'bool' },
  { name: 'specification', type: 'jsonb' },
]

function indexes(tx: CommandReadTx, { db }: SqlCall, collection: string): Document[] {
  const ns = tx.namespace()
  if (ns === undefined) {
    const text = `relation "${db}.${collection}" does not exist`
    throw fail('NamespaceNotFound', text, { sqlState: '42P01' })
  }
  return listedIndexes(ns).map((spec) => {
    const name = field(spec, 'name')
    const key = field(spec, 'key')
    const unique = field(spec, 'unique')
    const isUnique = unique?.type === bsonType.bool && boolOf(unique)
    const text = name === undefined ? '' : stringOf(name)
    return writeDocument((out) => {
      out.string('name', text).string('columns', key === undefined ? '' : textOfKey(key))
      out.bool('unique', isUnique || text === '_id_').document('specification', spec)
    })
  })
}

/** `a, b DESC`; for other kinds of index, the kind. */
function textOfKey(key: Value): string {
  const parts = [...fieldsOf(key)].map(([path, how]) => {
    if (!how.isNumber) return `${path} ${how.type === bsonType.string ? stringOf(how) : ''}`
    return numberOf(how) < 0 ? `${path} DESC` : path
  })
  return parts.join(', ')
}

const describedColumns: readonly Column[] = [
  { name: 'column', type: 'text' },
  { name: 'type', type: 'text' },
  { name: 'nullable', type: 'bool' },
]

function* described(tx: CommandReadTx, call: SqlCall, table: TableName): Program<Document[]> {
  const opened = yield* openTable(tx, call, table, 0, scopeOf(call, []))
  const declared = opened.ns === undefined ? [] : (declaredColumns(opened.ns.options) ?? [])
  const line = (name: string, type: string, isNullable: boolean): Document =>
    writeDocument((out) => {
      out.string('column', name).string('type', type).bool('nullable', isNullable)
    })
  if (declared.length > 0) {
    return declared.map(({ name, type, isRequired }) => line(name, type, !isRequired))
  }
  const columns = yield* sampledColumns(tx, yield* opened.open(tx, emptyDocument))
  return columns.map(({ name, type }) => line(name, type, name !== '_id'))
}

function foldedTable(text: string, table: TableName): TableName {
  const folded = foldedStatement(text)
  return folded.kind === 'describe' || folded.kind === 'showIndexes' ? folded.table : table
}

/** The table under its stored name. */
function meantTable(tx: CommandReadTx, { target }: SqlCall, table: TableName): TableName {
  const folded = foldedTable(target, table)
  if (isVirtual(folded)) return folded
  return { ...table, name: tx.namespace()?.name ?? table.name }
}
