// A read as a step in hand: on an embedded store it is finished already, and the commonest commands
// go on from it without a generator of their own.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { ReadTx, Step } from '../../store/store.js'

/** To be asked with `yield*` unless it is `Done`. */
export function lookUp(tx: ReadTx, key: Bytes): Step<Bytes | undefined> {
  return tx.get(key)
}
