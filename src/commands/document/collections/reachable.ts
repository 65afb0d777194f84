// The collections that a caller may read, in whatever database: what listings of databases and
// SQL's catalogue are made of. A wallet's are found by what it may reach, so that a list of a few
// costs the same beside a million homes; a service user's lie in its database; the operator, who
// reads all, walks the catalog in turns.

import { descriptorUnits } from '../../../base/work/work-figures.js'
import type { Call } from '../../../bus/document/call.js'
import { isShown, listNamespaces } from '../../../engine/collection/catalog/catalog.js'
import { eachNamespace, listReachable } from '../../../engine/collection/catalog/catalog-walk.js'
import type { Guarded, Namespace } from '../../../engine/types.js'
import { walletOf } from '../../../identity/identity.js'
import type { Program, ReadTx } from '../../../store/store.js'

/** Shows those that listings show, one after the other: a walk over the catalog holds none. */
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
