// FOR UPDATE and the other locking clauses. There are no locks: the rows of the result come under
// the check of the transaction's commit, which fails if another transaction has changed one.
// Outside of a transaction the clause has no effect. (docs/transactions.md, "SQL")

import type { Call } from '../../../bus/document/call.js'
import { recordKey } from '../../../engine/collection/collections.js'
import { isSequenced } from '../../../engine/collection/kinds/capped-order.js'
import type { Namespace } from '../../../engine/types.js'
import type { RowLocks } from '../../../protocol/sql/ast.js'
import { type Emit, StreamTransform, type Transform } from '../../../query/stages/stage.js'
import { field } from '../../../value/elements.js'
import type { Document } from '../../../value/value.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import type { RowOf } from './row-stages.js'

interface LockedTable {
  /** Its alias, or its name. */
  readonly name: string
  readonly ns: Namespace | undefined
}

/**
 * Passes rows, and puts those of its tables under the check. Undefined outside of a
 * transaction. Throws 42P01 for a name that is no table of the statement.
 */
export function lockedRows(
  { statement }: Pick<Call<unknown, unknown>, 'statement'>,
  tables: readonly LockedTable[],
  { strength, tables: names }: RowLocks,
  rowOf: RowOf,
): Transform | undefined {
  for (const name of names) {
    if (tables.some((table) => table.name === name)) continue
    const text = `relation "${name}" in FOR ${strength} clause not found in FROM clause`
    throw evaluationError(evaluationState.undefinedTable, text)
  }
  if (statement === undefined) return undefined
  const { transaction } = statement
  const locked = tables.map(({ name, ns }) => {
    const isNamed = names.length === 0 || names.includes(name)
    return isNamed && ns?.view === undefined ? ns : undefined
  })
  return new LockedRows((document) => {
    for (const [at, row] of rowOf(document).entries()) {
      const ns = locked[at]
      const id = row === undefined ? undefined : field(row, '_id')
      // Nothing in a transaction can write to capped and time-series collections.
      if (ns === undefined || id === undefined || isSequenced(ns)) continue
      transaction.dependOn(recordKey(ns, id))
    }
  })
}

class LockedRows extends StreamTransform {
  constructor(private readonly lock: (document: Document) => void) {
    super()
  }

  push(document: Document, emit: Emit): void {
    this.lock(document)
    emit(document)
  }
}
