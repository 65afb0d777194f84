// The collections that a caller may read, in whatever database: what listings of databases and
// SQL's catalogue are made of. A wallet's are found by what it may reach, so that a list of a few
// costs the same beside a million homes; a service user's lie in its database; the operator, who
// reads all, walks the catalog.

import type { Call } from '../../bus/call.js'
import { listReachable, showable, shownNamespaces } from '../../engine/collection/catalog.js'
import type { Guarded, Namespace } from '../../engine/types.js'
import { walletOf } from '../../identity/identity.js'
import type { Program, ReadTx } from '../../store/store.js'

/** Those that listings show. */
export function* reachable(
  tx: ReadTx & Guarded,
  call: Pick<Call<unknown, unknown>, 'identity' | 'mayAt' | 'readsAll'>,
): Program<Namespace[]> {
  const { identity } = call
  const all =
    identity.kind === 'user'
      ? yield* shownNamespaces(tx, identity.database)
      : call.readsAll
        ? yield* shownNamespaces(tx)
        : yield* showable(tx, yield* listReachable(tx, walletOf(identity)))
  return all.filter((ns) => call.mayAt('read', ns))
}
