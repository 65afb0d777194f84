// CREATE and DROP INDEX: they translate to index specifications of the document protocol, and
// follow its rules.

import { fail } from '../../../base/errors.js'
import { findNamespace, shownNamespaces } from '../../../engine/collection/catalog/catalog.js'
import { idIndexName } from '../../../engine/index/index-spec.js'
import { dropIndexes, meantIndexes } from '../../../engine/index/indexes.js'
import type { Namespace } from '../../../engine/types.js'
import type { CreateIndexStatement, DropIndexStatement } from '../../../protocol/sql/ast.js'
import type { Program, Tx } from '../../../store/store.js'
import { documentValue, stringValue, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { isRuling } from '../../document/indexes/indexes-task.js'
import { hasColumn, type KnownTable } from '../catalog/known-table.js'
import { collectionOf, type SqlCall, scopeOf } from '../change/change-call.js'
import { changeError } from '../change/change-error.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { Names } from '../select/names.js'
import { foldedStatement } from '../statement-cache.js'
import { typedCondition } from '../typing/operand-types.js'
import { partialFilter } from './ddl-partial.js'
import { dependOnContents } from './in-transaction.js'

/** The result of a definition, for its reply. */
export interface Defined {
  readonly collection: string
  readonly index?: string
  /** Why nothing was done, if so. */
  readonly note?: string
}

/** One of the `indexes` of createIndexes. Throws 42701, and 0A000 for an unsupported WHERE. */
export function indexSpecOf(
  call: SqlCall,
  { name: given, table, columns, isUnique, where }: CreateIndexStatement,
): { readonly name: string; readonly spec: Value } {
  const keys = columns.map(({ target, descends }) => ({
    path: target.path.join('.'),
    direction: descends ? -1 : 1,
    at: target.at,
  }))
  for (const [i, { path, at }] of keys.entries()) {
    if (keys.findIndex((key) => key.path === path) === i) continue
    const message = `column "${path}" appears twice in the index`
    throw changeError('BadValue', '42701', message, { text: call.target, offset: at })
  }
  const name = given ?? keys.map(({ path, direction }) => `${path}_${direction}`).join('_')
  const scope = scopeOf(call, [table.name])
  const spec = writeDocument((out) => {
    out.openDocument('key')
    for (const { path, direction } of keys) out.int32(path, direction)
    out.close().string('name', name)
    if (isUnique) out.bool('unique', true)
    if (where !== undefined) out.document('partialFilterExpression', partialFilter(where, scope))
  })
  return { name, spec: documentValue(spec) }
}

/** Throws 42703 and 42804 for columns that a declared table does not have. */
export function requireIndexed(
  { table, columns, where }: CreateIndexStatement,
  known: KnownTable | undefined,
): void {
  if (known === undefined) return
  for (const { target } of columns) {
    const name = String(target.path[0])
    if (hasColumn(known, name)) continue
    throw evaluationError(evaluationState.undefinedColumn, `column "${name}" does not exist`)
  }
  if (where === undefined) return
  const names = new Names([table.name], [known])
  typedCondition(names.bound(where), names, 'WHERE')
}

export function* dropIndex(
  tx: Tx,
  call: SqlCall,
  { name: written, table, ifExists }: DropIndexStatement,
): Program<Defined> {
  const { db } = call
  const given = table === undefined ? undefined : collectionOf(table)
  const { name, ns } =
    given === undefined
      ? yield* indexNamed(tx, call, written)
      : { name: written, ns: yield* findNamespace(tx, db, given) }
  const collection = given ?? ns?.name ?? '$cmd'
  if (ns === undefined && given !== undefined && !ifExists) {
    throw fail('NamespaceNotFound', `relation "${given}" does not exist`, { sqlState: '42P01' })
  }
  const isThere = name === idIndexName || ns?.indexes.some((index) => index.name === name) === true
  if (ns === undefined || !isThere) {
    const text = `index "${name}" does not exist`
    if (ifExists) return { collection, note: `${text}, skipping` }
    throw fail('IndexNotFound', text, { sqlState: '42704' })
  }
  const which = stringValue(name)
  if (meantIndexes(ns, which).some(isRuling) && !call.mayAt('own', ns)) {
    throw call.unauthorized()
  }
  dependOnContents(call, ns)
  yield* dropIndexes(tx, db, ns.name, which)
  return { collection }
}

/** Finds an index by the name as written, then by the folded name. */
function* indexNamed(
  tx: Tx,
  call: SqlCall,
  name: string,
): Program<{ readonly name: string; readonly ns: Namespace | undefined }> {
  const ns = yield* withIndex(tx, call, name)
  const folded = foldedStatement(call.target)
  if (ns !== undefined || folded.kind !== 'dropIndex' || folded.name === name) return { name, ns }
  return { name: folded.name, ns: yield* withIndex(tx, call, folded.name) }
}

/** The only collection with an index of that name, among those that the caller may change. */
function* withIndex(tx: Tx, call: SqlCall, name: string): Program<Namespace | undefined> {
  const found: Namespace[] = []
  for (const ns of yield* shownNamespaces(tx, call.db)) {
    const has = ns.indexes.some((index) => index.name === name)
    if (has && call.mayAt('index', ns)) found.push(ns)
  }
  const [only, other] = found
  if (only === undefined || other === undefined) return only
  const text = `index name "${name}" is ambiguous`
  throw fail('BadValue', text, {
    sqlState: '42P09',
    hint: `Name the collection: DROP INDEX ${name} ON ${only.name}.`,
  })
}
