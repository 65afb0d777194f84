// What the roles of a service user allow. They follow MongoDB: `readWrite` drops and indexes but
// changes no validator; `dbAdmin` shapes collections and reads no document. Roles apply within one
// database, only to unowned collections. (docs/users.md, "Roles")

import { isGraphPart } from '../../engine/collection/catalog/descriptors.js'
import { keyspaceIndex } from '../../engine/collection/catalog/homes.js'
import type { Access, Privilege } from '../../engine/types.js'
import type { Permission, UserIdentity, UserRole } from '../identity.js'

/** The place of a privilege: a database, and a collection unless it is the whole database. */
export interface Place {
  readonly db: string
  readonly collection?: string
}

/**
 * What a command means to the roles, beyond its privileges. `metadata` returns figures and shapes,
 * no content. `shapes` and `removes` are what `readWrite` has beside documents and plain indexes.
 * `makes` only makes a collection; `administers` needs `dbAdmin`; `writes` writes documents, also
 * past a validator.
 */
export type RoleMark = 'metadata' | 'shapes' | 'removes' | 'makes' | 'administers' | 'writes'

type Decision = (privilege: Privilege, is: (mark: RoleMark) => boolean) => boolean

/** A need that is missing here is refused: only the operator sets privacy and roles. */
const decisions: Readonly<Record<UserRole, Decision>> = {
  read: (privilege) => privilege === 'read',
  readWrite: (privilege, is) => {
    if (privilege === 'read' || privilege === 'write' || privilege === 'index') return true
    if (privilege === 'own') return is('shapes')
    return privilege === 'admin' && is('removes')
  },
  dbAdmin: (privilege, is) => {
    if (privilege === 'index' || privilege === 'own') return !is('writes')
    if (privilege === 'read') return is('metadata')
    if (privilege === 'write') return is('makes')
    return privilege === 'admin' && (is('removes') || is('administers'))
  },
}

/** The permission that a privilege needs in `kvN`. */
const permissionOf: Readonly<Partial<Record<Privilege, Permission>>> = {
  read: 'read',
  write: 'write',
  admin: 'admin',
}

/** Whether a service user may do `need` at this place with a command of these marks. */
export function allowsUser(
  { database, roles, keyValue }: UserIdentity,
  privilege: Privilege,
  access: Access | undefined,
  place: Place | undefined,
  marks: readonly RoleMark[] = [],
): boolean {
  if (place === undefined || place.db !== database) return false
  if (access !== undefined && (access.owner !== null || access.isGraph === true)) return false
  const { collection = '' } = place
  if (isGraphPart(collection)) return false
  if (keyValue !== undefined && keyspaceIndex(collection) !== undefined) {
    const permission = permissionOf[privilege]
    return permission !== undefined && keyValue.permissions.includes(permission)
  }
  return roles.some((role) => decisions[role](privilege, (mark) => marks.includes(mark)))
}

/** Whether a view of a service user may read this: what a reader of its database may. */
export function allowsView(database: string, access: Access | undefined, place: Place): boolean {
  const reader: UserIdentity = {
    kind: 'user',
    database,
    name: '',
    id: '',
    roles: ['read'],
    keyValue: undefined,
  }
  return access?.audience === undefined && allowsUser(reader, 'read', access, place)
}
