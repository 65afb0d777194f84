// sqlDefine: CREATE and DROP of tables and indexes. It is a task, because the reply waits until a
// new index is built. Each statement changes the catalog in one write program.
// (docs/sql.md, "Tables")

import { fail } from '../../../base/errors.js'
import { CommandReadTx } from '../../../bus/document/command-tx.js'
import { string } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import { dropNamespace, findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { parseIndexSpecs } from '../../../engine/index/index-spec.js'
import { declareIndexes } from '../../../engine/index/indexes.js'
import type { Resource } from '../../../engine/types.js'
import type { CreateIndexStatement, Statement } from '../../../protocol/sql/ast.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import type { Document } from '../../../value/value.js'
import { collectionOf, type SqlCall, sqlParams } from '../change/change-call.js'
import { uniqueViolation } from '../change/unique-violation.js'
import { withPosition } from '../expression/evaluation-error.js'
import { declaredStatement, meaning, relationNames, statementOver } from '../relation-names.js'
import { canFold, parsedStatement } from '../statement-cache.js'
import { type Defined, dropIndex, indexSpecOf, requireIndexed } from './ddl-index.js'
import { createTable, rulesRows } from './ddl-table.js'
import { declaredTable } from './declared-table.js'
import { dependOnContents, notBuilt } from './in-transaction.js'

type Definition = Extract<
  Statement,
  { kind: 'createIndex' | 'dropIndex' | 'createTable' | 'dropTable' }
>

function definitionOf({ target }: Pick<SqlCall, 'target'>): Definition {
  const { statement } = parsedStatement(target)
  switch (statement.kind) {
    case 'createIndex':
    case 'dropIndex':
    case 'createTable':
    case 'dropTable':
      return statement
    default:
      throw fail('BadValue', 'sqlDefine takes CREATE and DROP statements')
  }
}

export const sqlDefineRow = documentRow({
  name: 'sqlDefine',
  isStatement: true,
  ...plain,
  inTransactions: true,
  grows: 'indexes',
  roles: ['shapes', 'removes', 'makes'],
  grain: 'task',
  access: 'identity',
  target: string,
  params: sqlParams,
  resources: (call) => resourcesOf(call),
  help: 'Runs a CREATE or DROP statement of SQL for a table or an index.',
  run: async (call) => {
    try {
      return await define(call, await call.read((tx) => meantDefinition(tx, call)))
    } catch (thrown) {
      throw withPosition(uniqueViolation(thrown, call, true), call.target)
    }
  },
})

/** The statement with folded names, if CREATE TABLE makes or made its table. */
function* meantDefinition(tx: ReadTx, call: SqlCall): Program<Definition> {
  const written = definitionOf(call)
  if (!canFold(written)) return written
  if (written.kind === 'createTable') return declaredStatement(call.target) as Definition
  const found = tx instanceof CommandReadTx ? tx.namespace() : undefined
  return statementOver(call.target, written, [found]) as Definition
}

function resourcesOf(call: Pick<SqlCall, 'db' | 'target'>): readonly Resource[] {
  const written = definitionOf(call)
  if (written.kind === 'createTable') {
    return [resourceOf(call.db, declaredStatement(call.target) as Definition)]
  }
  const resource = resourceOf(call.db, written)
  const [name] = relationNames(call.target, written)
  return [name === undefined ? resource : meaning(resource, name)]
}

/** The resources of the equivalent commands of the document protocol. */
function resourceOf(db: string, statement: Definition): Resource {
  switch (statement.kind) {
    case 'createIndex': {
      const collection = collectionOf(statement.table)
      return { db, collection, privileges: [statement.isUnique ? 'own' : 'index'] }
    }
    case 'dropIndex': {
      const { table } = statement
      if (table === undefined) return { db, privileges: [] }
      return { db, collection: collectionOf(table), privileges: ['index'] }
    }
    case 'createTable': {
      const privileges = [rulesRows(statement) ? 'own' : 'write'] as const
      return { db, collection: collectionOf(statement.table), privileges, views: 'allow' }
    }
    case 'dropTable':
      return {
        db,
        collection: collectionOf(statement.table),
        privileges: ['admin'],
        views: 'allow',
      }
  }
}

async function define(call: SqlCall, statement: Definition): Promise<Document> {
  switch (statement.kind) {
    case 'createIndex':
      return await createIndex(call, statement)
    case 'dropIndex':
      return replyOf(call, await call.write((tx) => dropIndex(tx, call, statement)))
    case 'createTable':
      return replyOf(call, await call.write((tx) => createTable(tx, call, statement)))
    case 'dropTable': {
      const collection = collectionOf(statement.table)
      return replyOf(call, await call.write((tx) => dropTable(tx, call, collection, statement)))
    }
  }
}

async function createIndex(call: SqlCall, statement: CreateIndexStatement): Promise<Document> {
  const { db } = call
  const collection = collectionOf(statement.table)
  const { name, spec } = indexSpecOf(call, statement)
  const declared = await call.write(function* (tx) {
    const ns = yield* findNamespace(tx, db, collection)
    if (ns?.indexes.some((index) => index.name === name) === true) {
      const text = `relation "${name}" already exists`
      if (statement.ifNotExists) return { note: `${text}, skipping` }
      throw fail('IndexOptionsConflict', text, { sqlState: '42P07' })
    }
    requireIndexed(statement, declaredTable(ns))
    if (ns !== undefined) dependOnContents(call, ns)
    return yield* declareIndexes(tx, db, collection, parseIndexSpecs([spec]), call.creation())
  })
  if ('note' in declared) return replyOf(call, { collection, index: name, note: declared.note })
  if (call.statement === undefined) await call.engine.builds.finish(declared, call.requireSpace)
  else if (declared.building.length > 0) throw notBuilt(collection)
  return replyOf(call, { collection, index: name })
}

function* dropTable(
  tx: Tx,
  call: SqlCall,
  collection: string,
  { ifExists }: Extract<Statement, { kind: 'dropTable' }>,
): Program<Defined> {
  const ns = yield* findNamespace(tx, call.db, collection)
  if (ns !== undefined) {
    dependOnContents(call, ns)
    yield* dropNamespace(tx, ns)
    return { collection }
  }
  const text = `table "${collection}" does not exist`
  if (ifExists) return { collection, note: `${text}, skipping` }
  throw fail('NamespaceNotFound', text, { sqlState: '42P01' })
}

/** `{acknowledged: true, indexName?, note?, cursor, ok: 1}`. */
function replyOf({ db }: SqlCall, { collection, index, note }: Defined): Document {
  return reply((writer) => {
    writer.bool('acknowledged', true)
    if (index !== undefined) writer.string('indexName', index)
    if (note !== undefined) writer.string('note', note)
    writer.openDocument('cursor').openArray('firstBatch').close()
    writer.int64('id', 0).string('ns', `${db}.${collection}`).close()
  })
}
