// For whom a connection holds memory: a wallet with all of its keys, the operator, or before a
// login the address that it came from. With AUTH_MODE=off everybody is the operator: there the
// address counts too, so that one client does not use up what another one needs.

import { clientOf } from '../base/client-address.js'
import { holderOf } from '../engine/sources/cursors.js'
import { type Identity, identityKey } from '../identity/identity.js'

export function memoryOwner(identity: Identity, address: string | undefined): string {
  const isOpen = identity.kind === 'operator' && identity.isOpen === true
  if (identity.kind !== 'anonymous' && !isOpen) return holderOf(identityKey(identity))
  return `address ${clientOf(address ?? '')}`
}
