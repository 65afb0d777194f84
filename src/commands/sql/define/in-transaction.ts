// Definitions in a transaction are part of it like other changes. A collection that is dropped or
// emptied goes as a whole and its counters are given back, so the commit fails if another operation
// has added or removed documents meanwhile. (docs/transactions.md, "SQL")

import { fail } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import { countKey } from '../../../engine/collection/counters.js'
import type { Namespace } from '../../../engine/types.js'

/** For a program that has read the collection. Throws 0A000 for a key-value database. */
export function dependOnContents(
  { statement }: Pick<Call<unknown, unknown>, 'statement'>,
  ns: Namespace,
): void {
  if (statement === undefined) return
  if (ns.keyspace === true) {
    const text = `"${ns.name}" is a key-value database, which no transaction drops or empties`
    throw fail('OperationNotSupportedInTransaction', text)
  }
  const { transaction } = statement
  transaction.dependOn(countKey(ns.id))
  for (const { id } of ns.indexes) transaction.dependOn(countKey(id))
}

/** Throws 0A000: other clients see the documents without the index until the commit. */
export function notBuilt(collection: string): Error {
  const text = `an index of "${collection}" cannot be built in a transaction that is open`
  const hint = 'Create it before the first row, or outside of the transaction.'
  return fail('OperationNotSupportedInTransaction', text, { hint })
}
