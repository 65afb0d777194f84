// The owner of the memory of a connection: a wallet with all its keys, the operator, or before a
// login the remote address. With AUTH_MODE=off every client is the operator; there the address
// counts too, so that one client cannot use up the memory of another.

import { clientOf } from '../base/client-address.js'
import { holderOf } from '../engine/sources/cursors.js'
import { type Identity, identityKey } from '../identity/identity.js'

export function memoryOwner(identity: Identity, address: string | undefined): string {
  const isOpen = identity.kind === 'operator' && identity.isOpen === true
  if (identity.kind !== 'anonymous' && !isOpen) return holderOf(identityKey(identity))
  return `address ${clientOf(address ?? '')}`
}
