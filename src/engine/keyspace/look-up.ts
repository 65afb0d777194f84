// A read as a step object. On an embedded store it is already finished, so the most common commands
// continue without a generator.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { ReadTx, Step } from '../../store/store.js'

/** Use `yield*` unless the step is `Done`. */
export function lookUp(tx: ReadTx, key: Bytes): Step<Bytes | undefined> {
  return tx.get(key)
}
