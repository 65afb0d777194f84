// A read as a step object. On an embedded store it is already finished, so the most common commands
// continue without a generator.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { ReadTx, Step, Versioned } from '../../store/store.js'

/** Use `yield*` unless the step is `Done`. */
export function lookUp(tx: ReadTx, key: Bytes): Step<Bytes | undefined> {
  return tx.get(key)
}

/** The same, with the version of the record. */
export function lookUpVersioned(tx: ReadTx, key: Bytes): Step<Versioned | undefined> {
  return tx.getVersioned(key)
}
