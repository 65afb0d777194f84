// What the roles of a service user allow, by the commands that the document database gives them to:
// `readWrite` drops and indexes but changes no validator, `dbAdmin` shapes collections and reads no
// document. Everything is within one database, and only where no wallet is the owner.
// (docs/users.md, "Roles")

import { isGraphPart } from '../../engine/collection/catalog/descriptors.js'
import { keyspaceIndex } from '../../engine/collection/catalog/homes.js'
import type { Access, Need } from '../../engine/types.js'
import type { Permission, UserIdentity, UserRole } from '../identity.js'

/** Where a need is: the database, and the collection unless it is the database as a whole. */
export interface Place {
  readonly db: string
  readonly collection?: string
}

/** Commands that tell figures and shapes, and no content. */
const metadata: ReadonlySet<string> = new Set([
  ...['collStats', 'dbStats', 'dataSize', 'listCollections', 'listDatabases', 'listIndexes'],
  ...['collectionSummaries', 'validate', 'sqlShow'],
])

/** Commands by which `readWrite` has more than its documents and plain indexes. */
const shaping: ReadonlySet<string> = new Set([
  ...['create', 'createIndexes', 'dropIndexes', 'sqlDefine', 'convertToCapped'],
  'cloneCollectionAsCapped',
])
const removing: ReadonlySet<string> = new Set([
  ...['drop', 'renameCollection', 'convertToCapped', 'sqlDefine', 'sqlChange'],
  ...['flushdb', 'flushall', 'swapdb'],
])

/** Commands that only make a collection. */
const making: ReadonlySet<string> = new Set(['create', 'sqlDefine'])
const administering: ReadonlySet<string> = new Set([...removing, 'dropDatabase', 'compact'])

type Decision = (need: Need, command: string) => boolean

/** A need that is not named is refused: privacy and roles of collections are the operator's. */
const decisions: Readonly<Record<UserRole, Decision>> = {
  read: (need) => need === 'read',
  readWrite: (need, command) => {
    if (need === 'read' || need === 'write' || need === 'index') return true
    if (need === 'own') return shaping.has(command)
    return need === 'admin' && removing.has(command)
  },
  dbAdmin: (need, command) => {
    if (need === 'index' || need === 'own') return !writing.has(command)
    if (need === 'read') return metadata.has(command)
    if (need === 'write') return making.has(command)
    return need === 'admin' && administering.has(command)
  },
}

/** Commands that need `own` because they write past a validator. */
const writing: ReadonlySet<string> = new Set([
  ...['insert', 'update', 'findAndModify', 'findAndModifyIf', 'aggregate', 'sqlChange'],
])

/** Of the rights in `kvN`. */
const permissionOf: Readonly<Partial<Record<Need, Permission>>> = {
  read: 'read',
  write: 'write',
  admin: 'admin',
}

/** Whether a service user may do `need` there by that command. */
export function allowsUser(
  { database, roles, keyValue }: UserIdentity,
  need: Need,
  access: Access | undefined,
  place: Place | undefined,
  command: string,
): boolean {
  if (place === undefined || place.db !== database) return false
  if (access !== undefined && (access.owner !== null || access.isGraph === true)) return false
  const { collection = '' } = place
  if (isGraphPart(collection)) return false
  if (keyValue !== undefined && keyspaceIndex(collection) !== undefined) {
    const permission = permissionOf[need]
    return permission !== undefined && keyValue.permissions.includes(permission)
  }
  return roles.some((role) => decisions[role](need, command))
}

/** What a view of a service user may read: what a reader of its database may. */
export function allowsView(database: string, access: Access | undefined, place: Place): boolean {
  const reader: UserIdentity = {
    kind: 'user',
    database,
    name: '',
    id: '',
    roles: ['read'],
    keyValue: undefined,
  }
  return access?.audience === undefined && allowsUser(reader, 'read', access, place, 'find')
}
