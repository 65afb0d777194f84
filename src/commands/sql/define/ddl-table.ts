// CREATE TABLE: creates a collection in one program. Its columns become the validator, its keys
// become unique indexes.

import { fail, type GatewayError } from '../../../base/errors.js'
import { createNamespace, findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { requireOptionsSize } from '../../../engine/collection/option-changes.js'
import { requireValidator } from '../../../engine/collection/validation.js'
import { parseIndexSpecs } from '../../../engine/index/index-spec.js'
import { declareIndexes } from '../../../engine/index/indexes.js'
import type { CreateTableStatement } from '../../../protocol/sql/ast.js'
import type { Program, Tx } from '../../../store/store.js'
import { documentValue, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { collectionOf, type SqlCall } from '../change/change-call.js'
import { changeError } from '../change/change-error.js'
import { validatorOf } from './ddl-columns.js'
import type { Defined } from './ddl-index.js'

/** Whether it restricts which documents may exist. */
export function rulesRows({ columns, keys }: CreateTableStatement): boolean {
  return columns.length > 0 || keys.length > 0
}

export function* createTable(
  tx: Tx,
  call: SqlCall,
  statement: CreateTableStatement,
): Program<Defined> {
  const { db } = call
  const { columns, ifNotExists, table } = statement
  const collection = collectionOf(table)
  const keys = keysOf(call, statement)
  const required = requiredOf(statement, keys)
  if ((yield* findNamespace(tx, db, collection)) !== undefined) {
    const text = `relation "${collection}" already exists`
    if (ifNotExists) return { collection, note: `${text}, skipping` }
    throw fail('NamespaceExists', text, { sqlState: '42P07' })
  }
  const validator = validatorOf(columns, required)
  if (validator !== undefined) requireValidator(validator)
  const options = writeDocument((out) => {
    if (validator !== undefined) out.document('validator', validator)
  })
  requireOptionsSize(options)
  const creation = call.creation(options)
  yield* createNamespace(tx, db, collection, creation)
  const specs = keys.filter(({ paths }) => !isId(paths)).map(specOf)
  if (specs.length > 0) {
    yield* declareIndexes(tx, db, collection, parseIndexSpecs(specs), creation)
  }
  return { collection }
}

interface Key {
  readonly name: string
  readonly paths: readonly string[]
  readonly isPrimary: boolean
}

/** Named as in PostgreSQL. Throws 42P16, 42701, 42703. */
function keysOf(call: SqlCall, { columns, keys, table }: CreateTableStatement): readonly Key[] {
  const refuse = (sqlState: string, message: string): GatewayError =>
    changeError('BadValue', sqlState, message, { text: call.target, offset: table.at })
  const names = new Set<string>()
  for (const { name } of columns) {
    if (names.has(name)) throw refuse('42701', `column "${name}" specified more than once`)
    if (name.startsWith('$')) throw refuse('42602', `a field must not be called "${name}"`)
    names.add(name)
  }
  const given = [
    ...columns.flatMap(({ name, isPrimaryKey, isUnique }) => [
      ...(isPrimaryKey ? [{ columns: [name], isPrimary: true }] : []),
      ...(isUnique ? [{ columns: [name], isPrimary: false }] : []),
    ]),
    ...keys,
  ]
  if (given.filter(({ isPrimary }) => isPrimary).length > 1) {
    throw refuse('42P16', `multiple primary keys for table "${table.name}" are not allowed`)
  }
  const found = new Map<string, Key>()
  for (const { columns: paths, isPrimary } of given) {
    const unknown = paths.find((path) => !names.has(path))
    if (unknown !== undefined) {
      throw refuse('42703', `column "${unknown}" named in key does not exist`)
    }
    if (new Set(paths).size < paths.length) {
      throw refuse('42701', 'a column appears twice in a key')
    }
    const name = isPrimary ? `${table.name}_pkey` : `${table.name}_${paths.join('_')}_key`
    const same = paths.join('\0')
    if (isPrimary || !found.has(same)) found.set(same, { name, paths, isPrimary })
  }
  return [...found.values()]
}

function requiredOf({ columns }: CreateTableStatement, keys: readonly Key[]): ReadonlySet<string> {
  const required = new Set<string>()
  for (const { name, isRequired } of columns) {
    const isKey = keys.some(({ isPrimary, paths }) => isPrimary && paths.includes(name))
    if (isRequired || isKey) required.add(name)
  }
  return required
}

function isId(paths: readonly string[]): boolean {
  return paths.length === 1 && paths[0] === '_id'
}

function specOf({ name, paths }: Key): Value {
  const spec = writeDocument((out) => {
    out.openDocument('key')
    for (const path of paths) out.int32(path, 1)
    out.close().string('name', name).bool('unique', true)
  })
  return documentValue(spec)
}
