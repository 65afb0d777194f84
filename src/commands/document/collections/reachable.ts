// The collections that a caller may read in any database, for listings and the SQL catalogue. A
// wallet's are found through its rights, so the cost does not grow with the number of homes. A
// service user's are in its database. The operator's walk goes through the whole catalog in turns.

import { descriptorUnits } from '../../../base/work/work-figures.js'
import type { Call } from '../../../bus/document/call.js'
import { isShown, listNamespaces } from '../../../engine/collection/catalog/catalog.js'
import { eachNamespace, listReachable } from '../../../engine/collection/catalog/catalog-walk.js'
import type { Guarded, Namespace } from '../../../engine/types.js'
import { walletOf } from '../../../identity/identity.js'
import type { Program, ReadTx } from '../../../store/store.js'

/** Yields the collections of listings one by one, so that a walk holds few in memory. */
export function* eachReachable(
  tx: ReadTx & Guarded,
  call: Reader,
  see: (ns: Namespace) => Program<void>,
): Program<void> {
  const { identity } = call
  const seeReadable = function* (ns: Namespace): Program<void> {
    if (call.mayAt('read', ns) && (yield* isShown(tx, ns))) yield* see(ns)
  }
  if (identity.kind !== 'user' && call.readsAll) return yield* eachNamespace(tx, seeReadable)
  const some =
    identity.kind === 'user'
      ? yield* listNamespaces(tx, identity.database)
      : yield* listReachable(tx, walletOf(identity))
  for (const ns of some) {
    yield* seeReadable(ns)
    yield* tx.pause(descriptorUnits)
  }
}

export type Reader = Pick<Call<unknown, unknown>, 'identity' | 'mayAt' | 'readsAll'>
