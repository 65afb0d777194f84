// The one decision about rights. It is pure: the bus reads the collection's access in the command's
// own transaction and asks here, once for each need that the command's row declares.

import type { Access, Need } from '../engine/types.js'
import type { Identity } from './identity.js'

export type Allow = typeof allow

/**
 * Whether `identity` may do what `need` says to a collection with that `access`; undefined where
 * the collection does not exist yet. The operator may do everything, an unknown caller nothing: a
 * `public` or `shared` collection is open to those who have signed in, not to anyone.
 */
export function allow(identity: Identity, _need: Need, _access: Access | undefined): boolean {
  switch (identity.kind) {
    case 'operator':
      return true
    case 'anonymous':
      return false
  }
}
