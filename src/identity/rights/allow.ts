// The one decision about rights, a pure function. The bus reads the collection's access in the
// command's transaction and asks once for each privilege that the command's row declares.
// (docs/rights.md)

import type { Access, Namespace, Privilege } from '../../engine/types.js'
import {
  type Identity,
  isLocked,
  type KeyIdentity,
  type Permission,
  type WalletIdentity,
} from '../identity.js'
import { allowsUser, type Place, type RoleMark } from './user-rights.js'

/** Rights from the settings. */
export interface Rules {
  /** ANONYMOUS=read: clients without login may read `public` collections. */
  readonly anonymousReads: boolean
  /** CLAIM_UNOWNED=first: the first wallet that sets a mode becomes the owner. */
  readonly claimsUnowned: boolean
  /** Whether a wallet (EIP-55) is in ADMIN_ADDRESSES. */
  readonly isAdministrator: (address: string) => boolean
}

export const strictRules: Rules = {
  anonymousReads: false,
  claimsUnowned: false,
  isAdministrator: () => false,
}

/** What a service user's rights also depend on: the place and the command. */
export interface Asked {
  readonly place: Place
  /** The marks of the command's row. */
  readonly marks: readonly RoleMark[] | undefined
}

/** What a command requests in a collection. */
export function askedOf(
  { db, name }: Pick<Namespace, 'db' | 'name'>,
  marks?: readonly RoleMark[],
): Asked {
  return { place: { db, collection: name }, marks }
}

/**
 * Whether `identity` has the privilege `need` on a collection with this `access`; undefined if the
 * collection does not exist and its name is not reserved. Without `asked` a service user has no
 * rights.
 */
export function allow(
  identity: Identity,
  privilege: Privilege,
  access: Access | undefined,
  rules: Rules = strictRules,
  asked?: Asked,
): boolean {
  if (access?.audience !== undefined)
    return privilege === 'read' && isAdministrator(identity, rules)
  switch (identity.kind) {
    case 'operator':
      return privilege === 'read' || !isLocked(identity)
    case 'anonymous':
      return rules.anonymousReads && privilege === 'read' && access?.mode === 'public'
    case 'session':
      return access === undefined || allowsWallet(identity, privilege, access, rules)
    case 'key':
      if (!permits(identity, privilege)) return false
      return access === undefined || allowsWallet(identity, privilege, access, rules)
    case 'user':
      return allowsUser(identity, privilege, access, asked?.place, asked?.marks)
  }
}

/** The reason of a refusal for the caller: missing permission of a key, or right of the owner. */
export function reasonOf(
  identity: Identity,
  privilege: Privilege,
): 'PERMISSION' | 'NOT_OWNER' | 'LOCKED' | 'forbidden' {
  if (isLocked(identity)) return 'LOCKED'
  if (identity.kind === 'key' && !permits(identity, privilege)) return 'PERMISSION'
  return privilege === 'read' || privilege === 'write' ? 'forbidden' : 'NOT_OWNER'
}

export type Allow = (
  identity: Identity,
  privilege: Privilege,
  access: Access | undefined,
  asked?: Asked,
) => boolean

/** The decision under the settings of this process. */
export function allowUnder(rules: Rules): Allow {
  return (identity, privilege, access, asked) => allow(identity, privilege, access, rules, asked)
}

/** Operator, or a wallet of ADMIN_ADDRESSES; with a key only if it has the permission `with`. */
export function isAdministrator(
  identity: Identity,
  { isAdministrator }: Rules,
  permission: Permission = 'read',
): boolean {
  switch (identity.kind) {
    case 'operator':
      return true
    case 'anonymous':
    case 'user':
      return false
    case 'session':
      return isAdministrator(identity.address)
    case 'key':
      return identity.permissions.includes(permission) && isAdministrator(identity.address)
  }
}

/** A key cannot exceed its permissions, whatever its wallet may do. */
function permits({ permissions }: KeyIdentity, privilege: Privilege): boolean {
  return permissions.includes(permissionOf[privilege])
}

const permissionOf: Readonly<Record<Privilege, Permission>> = {
  read: 'read',
  write: 'write',
  index: 'write',
  own: 'write',
  admin: 'admin',
  claim: 'admin',
}

function allowsWallet(
  { address }: WalletIdentity,
  privilege: Privilege,
  access: Access,
  rules: Rules,
): boolean {
  const { owner, mode, roles } = access
  if (owner === address) return true
  const role = roles[address]
  switch (privilege) {
    case 'read':
      return mode !== 'private' || role !== undefined
    case 'write':
      return mode === 'shared' || role === 2
    case 'index':
      return role === 2
    case 'own':
    case 'admin':
      return false
    case 'claim':
      return rules.claimsUnowned && owner === null && access.isSettled !== true
  }
}
