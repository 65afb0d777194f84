// ON CONFLICT: a row with a duplicate key is skipped, or changes the existing row. Columns select
// the key and must have a unique index. (PostgreSQL 17, INSERT, ON CONFLICT Clause)

import { mapKey } from '../../../base/bytes/bytes.js'
import { fail, hasKind } from '../../../base/errors.js'
import { insertDocument, replaceDocument } from '../../../engine/collection/collections.js'
import type { Staged } from '../../../engine/collection/staging.js'
import { type ConflictIndex, conflictIndex, findHolder } from '../../../engine/index/conflict.js'
import type { Guarded, Namespace } from '../../../engine/types.js'
import type { InsertStatement } from '../../../protocol/sql/ast.js'
import type { Program, Tx } from '../../../store/store.js'
import type { Document } from '../../../value/value.js'
import { declaredColumns } from '../define/ddl-columns.js'
import { compile } from '../expression/compile.js'
import type { Row } from '../expression/truth.js'
import { rowSpender } from '../select/row-stages.js'
import { type SqlCall, scopeOf } from './change-call.js'
import type { BoundChange } from './change-names.js'
import { compileSet } from './update.js'

export interface Conflicts {
  /**
   * The arbiter for a collection, in one run of the write program. Throws 42P10 if no unique index
   * has the columns.
   */
  arbiterIn(ns: Namespace): Arbiter
  /** Whether existing rows may change. */
  readonly updates: boolean
}

interface Arbiter {
  /** Undefined: any unique index. */
  readonly index: ConflictIndex | undefined
  /** The new row, from the existing and the excluded one; undefined keeps the existing row. */
  readonly update: ((old: Document, excluded: Document) => Document | undefined) | undefined
  /** Record keys of the rows that the statement inserted or changed. */
  readonly touched: Set<string>
}

interface RowOutcome {
  readonly document: Document
  readonly isNew: boolean
}

/** Undefined without ON CONFLICT. Throws errors of compiling. */
export function conflictsOf(
  call: SqlCall,
  { statement: { conflict, table }, tables, known }: BoundChange<InsertStatement>,
): Conflicts | undefined {
  if (conflict === undefined) return undefined
  const { action, columns } = conflict
  const paths = columns.map(({ path }) => path.join('.'))
  const excluded = known && [...known, ...known]
  const scope = scopeOf(call, [...tables, 'excluded'], excluded)
  const updateIn = (ns: Namespace | undefined): Arbiter['update'] => {
    if (action === 'nothing') return undefined
    const declared = ns === undefined ? undefined : declaredColumns(ns.options)
    const change = compileSet(action.set, scope, declared, call, table.name)
    const where = action.where === undefined ? undefined : compile(action.where, scope)
    const all = [action.where, ...action.set.map(({ value }) => value)]
    const spend = rowSpender(all.filter((expression) => expression !== undefined))
    return (old, excluded) => {
      spend()
      const row: Row = [old, excluded]
      return where === undefined || where.truth(row) === true ? change(old, row) : undefined
    }
  }
  // Compiled here so that errors are reported even without a conflict.
  updateIn(undefined)
  return {
    updates: action !== 'nothing',
    arbiterIn: (ns) => {
      const index = paths.length === 0 ? undefined : conflictIndex(ns, paths)
      if (paths.length > 0 && index === undefined) {
        const message =
          'there is no unique or exclusion constraint matching the ON CONFLICT specification'
        throw fail('BadValue', message, { sqlState: '42P10' })
      }
      return { index, update: updateIn(ns), touched: new Set() }
    },
  }
}

/** Inserts a row, or applies ON CONFLICT; undefined if nothing was done. */
export function* insertRow(
  tx: Tx & Guarded,
  ns: Namespace,
  document: Document,
  arbiter: Arbiter | undefined,
  staged: Staged,
): Program<RowOutcome | undefined> {
  if (arbiter === undefined) {
    yield* insertDocument(tx, ns, document, staged)
    return { document, isNew: true }
  }
  const { index, update, touched } = arbiter
  const holder = index === undefined ? undefined : yield* findHolder(tx, ns, index, document)
  if (holder === undefined) return yield* insertFree(tx, ns, document, arbiter, staged)
  if (update === undefined) return undefined
  const key = mapKey(holder.key)
  if (touched.has(key)) {
    const text = 'ON CONFLICT DO UPDATE command cannot affect row a second time'
    throw fail('BadValue', text, { sqlState: '21000' })
  }
  const after = update(holder.document, document)
  if (after === undefined) return undefined
  touched.add(key)
  yield* replaceDocument(tx, ns, holder.key, holder.document, after, staged)
  return { document: after, isNew: false }
}

/** Inserts a row when no existing row has its key. */
function* insertFree(
  tx: Tx & Guarded,
  ns: Namespace,
  document: Document,
  { index, touched }: Arbiter,
  staged: Staged,
): Program<RowOutcome | undefined> {
  try {
    yield* insertDocument(tx, ns, document, staged)
  } catch (thrown) {
    const isTaken = hasKind(thrown, 'DuplicateKey')
    if (isTaken && index === undefined) return undefined
    throw thrown
  }
  if (index !== undefined) {
    const own = yield* findHolder(tx, ns, index, document)
    if (own !== undefined) touched.add(mapKey(own.key))
  }
  return { document, isNew: true }
}
