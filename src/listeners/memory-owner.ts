// For whom a connection holds memory: a wallet with all of its keys, the operator, or before a
// login the address that it came from.

import { clientOf } from '../base/client-address.js'
import { holderOf } from '../engine/sources/cursors.js'
import { type Identity, identityKey } from '../identity/identity.js'

export function memoryOwner(identity: Identity, address: string | undefined): string {
  if (identity.kind !== 'anonymous') return holderOf(identityKey(identity))
  return `address ${clientOf(address ?? '')}`
}
