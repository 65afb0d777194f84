// The modes of transactions: isolation, READ ONLY and DEFERRABLE. The defaults are settings of the
// session; a transaction changes its own before its first query. (PostgreSQL 17, "SET TRANSACTION")

import { fail } from '../../base/errors.js'
import type { SqlKind } from '../../commands/sql/translate.js'
import { pgError, pgState } from '../../protocol/pgwire/pg-error.js'
import type { IsolationLevel, RowLocks, TransactionModes } from '../../protocol/sql/ast.js'

export type Modes = Required<TransactionModes>

/** Statements that a READ ONLY transaction refuses, as PostgreSQL names them. */
const changing: Partial<Record<SqlKind, string>> = {
  insert: 'INSERT',
  update: 'UPDATE',
  delete: 'DELETE',
  truncate: 'TRUNCATE TABLE',
  createIndex: 'CREATE INDEX',
  dropIndex: 'DROP INDEX',
  createTable: 'CREATE TABLE',
  dropTable: 'DROP TABLE',
}

export function isChanging(kind: SqlKind): boolean {
  return changing[kind] !== undefined
}

/** Throws 25006. */
export function requireWritable(modes: Modes, kind: SqlKind, locks?: RowLocks): void {
  const what = changing[kind] ?? (locks && `SELECT FOR ${locks.strength}`)
  if (!modes.isReadOnly || what === undefined) return
  throw pgError(pgState.readOnly, `cannot execute ${what} in a read-only transaction`)
}

/** READ UNCOMMITTED is READ COMMITTED, as in PostgreSQL: each statement has a state of its own. */
export function isRenewed({ isolation }: Modes): boolean {
  return isolation === 'read committed' || isolation === 'read uncommitted'
}

/** The modes that a transaction begins with. */
export function defaultModes(settings: { show(name: string): string }): Modes {
  return {
    isolation: settings.show('default_transaction_isolation') as IsolationLevel,
    isReadOnly: settings.show('default_transaction_read_only') === 'on',
    isDeferrable: settings.show('default_transaction_deferrable') === 'on',
  }
}

/** The settings that SET SESSION CHARACTERISTICS sets. */
export function* defaultSettings(modes: TransactionModes): Generator<readonly [string, string]> {
  const { isolation, isReadOnly, isDeferrable } = modes
  if (isolation !== undefined) yield ['default_transaction_isolation', isolation]
  if (isReadOnly !== undefined) yield ['default_transaction_read_only', onOff(isReadOnly)]
  if (isDeferrable !== undefined) yield ['default_transaction_deferrable', onOff(isDeferrable)]
}

/** What SHOW answers for the modes of the current transaction; undefined for other settings. */
export function shownMode(name: string, modes: Modes): string | undefined {
  switch (name) {
    case 'transaction_isolation':
      return modes.isolation
    case 'transaction_read_only':
      return onOff(modes.isReadOnly)
    case 'transaction_deferrable':
      return onOff(modes.isDeferrable)
    default:
      return undefined
  }
}

/** `SET transaction_isolation = …` as modes; undefined for other settings. Throws 22023. */
export function modesOfSetting(
  name: string,
  values: readonly string[],
): TransactionModes | undefined {
  const value = values.join(' ')
  switch (name) {
    case 'transaction_isolation':
      return { isolation: isolationOf(name, value) }
    case 'transaction_read_only':
      return { isReadOnly: boolOf(name, value) }
    case 'transaction_deferrable':
      return { isDeferrable: boolOf(name, value) }
    default:
      return undefined
  }
}

export function isolationOf(name: string, value: string): IsolationLevel {
  const level = levels.find((each) => each === value.toLowerCase())
  if (level === undefined) {
    const hint = `Available values: ${levels.toReversed().join(', ')}.`
    const text = `invalid value for parameter "${name}": "${value}"`
    throw fail('BadValue', text, { sqlState: pgState.badParameter, hint })
  }
  return level
}

export function boolOf(name: string, value: string): boolean {
  const lower = value.toLowerCase()
  if (/^(?:on|true|tru|tr|t|yes|ye|y|1)$/.test(lower)) return true
  if (/^(?:off|of|false|fals|fal|fa|f|no|n|0)$/.test(lower)) return false
  throw pgError(pgState.badParameter, `parameter "${name}" requires a Boolean value`)
}

const levels: readonly IsolationLevel[] = [
  'read uncommitted',
  'read committed',
  'repeatable read',
  'serializable',
]

export function onOff(value: boolean): string {
  return value ? 'on' : 'off'
}

/**
 * The modes of a transaction after SET TRANSACTION. Throws 25001 for what has to come before its
 * first query, or outside of a savepoint.
 */
export function changedModes(
  before: Modes,
  wanted: TransactionModes,
  { hasQueried, isNested }: { readonly hasQueried: boolean; readonly isNested: boolean },
): Modes {
  const { isolation, isReadOnly, isDeferrable } = wanted
  if (isolation !== undefined && isolation !== before.isolation) {
    requireEarly('SET TRANSACTION ISOLATION LEVEL', hasQueried, isNested)
  }
  if (isDeferrable !== undefined && (hasQueried || isNested)) {
    requireEarly('SET TRANSACTION [NOT] DEFERRABLE', hasQueried, isNested)
  }
  if (isReadOnly === false && before.isReadOnly && (hasQueried || isNested)) {
    const text = isNested
      ? 'cannot set transaction read-write mode inside a read-only transaction'
      : 'transaction read-write mode must be set before any query'
    throw pgError(pgState.activeTransaction, text)
  }
  return { ...before, ...wanted }
}

function requireEarly(what: string, hasQueried: boolean, isNested: boolean): void {
  if (hasQueried)
    throw pgError(pgState.activeTransaction, `${what} must be called before any query`)
  if (!isNested) return
  throw pgError(pgState.activeTransaction, `${what} must not be called in a subtransaction`)
}
