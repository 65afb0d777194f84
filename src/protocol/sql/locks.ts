// Parses the locking clauses of a SELECT, and refuses them where a row of the result is no row of a
// table. (PostgreSQL 17, "The Locking Clause")

import type { RowLocks, SelectStatement } from './ast.js'
import { sqlState } from './sql-error.js'
import type { TokenStream } from './token-stream.js'

/**
 * `FOR UPDATE [OF table, …] [NOWAIT | SKIP LOCKED]` and the weaker locks of a SELECT. Undefined if
 * nothing is locked. Throws 42601.
 */
export function parseLocks(tokens: TokenStream): RowLocks | undefined {
  let locks: RowLocks | undefined
  while (tokens.has('for')) {
    if (tokens.accept('for', 'read', 'only')) continue
    const strength = strengths.find((words) => tokens.accept('for', ...words.split(' ')))
    if (strength === undefined) {
      tokens.take()
      throw tokens.unexpected()
    }
    const tables = tokens.accept('of') ? tokens.list(() => tokens.name(), lockedTablesMax) : []
    const isAll = tables.length === 0 || locks?.tables.length === 0
    locks = {
      strength: locks?.strength ?? strength.toUpperCase(),
      tables: isAll ? [] : [...(locks?.tables ?? []), ...tables],
    }
    if (!tokens.accept('nowait')) tokens.accept('skip', 'locked')
  }
  return locks
}

const strengths = ['update', 'no key update', 'share', 'key share']
/** As the joins of a statement. */
const lockedTablesMax = 65

/** Throws 0A000 where a row of the result is no row of a table. */
export function requireLockable(
  tokens: TokenStream,
  { strength }: RowLocks,
  { isDistinct, groupBy, having }: Pick<SelectStatement, 'isDistinct' | 'groupBy' | 'having'>,
): void {
  const grouped = groupBy.length > 0 ? 'GROUP BY' : having === undefined ? undefined : 'HAVING'
  const clause = isDistinct ? 'DISTINCT' : grouped
  if (clause === undefined) return
  const text = `FOR ${strength} is not allowed with ${clause} clause`
  throw tokens.refuse(text, tokens.at, sqlState.featureNotSupported)
}
