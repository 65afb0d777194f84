// The caller's identity, and the accounts: the operator sees its own and all service users, every
// other identity only its own. Credentials are never shown. (docs/users.md)

import {
  anyValue,
  bool,
  ignored,
  object,
  optional,
  withDefault,
} from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import {
  accountDatabaseOf,
  allPermissions,
  type Identity,
  type UserIdentity,
  type UserRole,
  userRoles,
} from '../../identity/identity.js'
import { accountNameOf } from '../../identity/sign-in/credentials.js'
import { saslMechanisms } from '../../identity/sign-in/login.js'
import { listUsers, readUser, type UserRecord } from '../../identity/users/users.js'
import type { QueryContext } from '../../query/context.js'
import { compileFilter } from '../../query/filter.js'
import type { Program, ReadTx } from '../../store/store.js'
import { elementsOf } from '../../value/elements.js'
import { bsonType, type Document, type Value } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import { asksFor, nameOf } from './user-fields.js'

const accountDatabase = 'admin'
const operatorRole = 'root'
const userMechanism = 'SCRAM-SHA-256'
const uuidSubtype = 4

const connectionStatus = documentRow({
  name: 'connectionStatus',
  ...plain,
  grain: 'local',
  access: 'anonymous',
  target: anyValue,
  params: { showPrivileges: withDefault(bool, false) },
  help: 'Returns the identity of the connection.',
  run: (call) => {
    const { identity } = call
    const user = accountNameOf(identity)
    const database = accountDatabaseOf(identity)
    return reply((writer) => {
      writer.openDocument('authInfo').openArray('authenticatedUsers')
      if (user !== undefined) {
        writer.pushOpenDocument().string('user', user).string('db', database).close()
      }
      writer.close().openArray('authenticatedUserRoles')
      writeRoles(writer, identity)
      writer.close()
      if (call.args.showPrivileges) writePrivileges(writer, identity)
      writer.close()
    })
  },
})

/** The operator gets MongoDB's role `root`; a key gets the names of its permissions. */
function writeRoles(writer: DocumentWriter, identity: Identity): void {
  const database = accountDatabaseOf(identity)
  for (const role of roleNames(identity)) writeRole(writer, role, database)
}

function roleNames(identity: Identity): readonly string[] {
  switch (identity.kind) {
    case 'operator':
      return [operatorRole]
    case 'session':
      return allPermissions
    case 'key':
      return identity.permissions
    case 'user':
      return identity.roles
    case 'anonymous':
      return []
  }
}

function writeRole(writer: DocumentWriter, role: string, database: string): void {
  writer.pushOpenDocument().string('role', role).string('db', database).close()
}

/** The actions of each role under MongoDB's names; tools check them before they offer an action. */
const reading = ['collStats', 'dbStats', 'find', 'listCollections', 'listIndexes']
const shaping = ['createCollection', 'createIndex', 'dropCollection', 'dropIndex']
const actions: Readonly<Record<UserRole, readonly string[]>> = {
  read: reading,
  readWrite: [...reading, ...shaping, 'insert', 'remove', 'renameCollectionSameDB', 'update'],
  dbAdmin: [
    ...['collMod', 'collStats', 'dbStats', 'dropDatabase', 'listCollections', 'listIndexes'],
    ...[...shaping, 'renameCollectionSameDB', 'validate'],
  ],
}

function writePrivileges(writer: DocumentWriter, identity: Identity): void {
  writer.openArray('authenticatedUserPrivileges')
  if (identity.kind === 'operator') {
    writer.pushOpenDocument().openDocument('resource').bool('anyResource', true).close()
    writer.openArray('actions').string('0', 'anyAction').close().close()
  } else if (identity.kind === 'user') writePrivilege(writer, identity)
  writer.close()
}

function writePrivilege(writer: DocumentWriter, { database, roles }: UserIdentity): void {
  writer.pushOpenDocument().openDocument('resource').string('db', database)
  writer.string('collection', '').close().openArray('actions')
  const all = [...new Set(roles.flatMap((role) => actions[role]))].sort()
  for (const [index, action] of all.entries()) writer.string(String(index), action)
  writer.close().close()
}

const usersInfo = documentRow({
  name: 'usersInfo',
  ...plain,
  grain: 'read',
  access: 'identity',
  target: anyValue,
  params: {
    showCredentials: ignored,
    showCustomData: withDefault(bool, true),
    showPrivileges: withDefault(bool, false),
    showAuthenticationRestrictions: ignored,
    filter: optional(object),
  },
  help: "Returns the caller's account; to the operator also the service users.",
  *run(tx, { identity, args, target, db, context }) {
    const found = [
      ...ownAccount(identity, target, db),
      ...(yield* usersFor(tx, identity)).filter((user) => isAsked(target, db, user.identity)),
    ]
    const shown = found.map((account) => ('id' in account ? describe(account, args) : account.text))
    const accounts = filtered(shown, args.filter, context)
    return reply((writer) => {
      writer.openArray('users')
      for (const account of accounts) writer.pushDocument(account)
      writer.close()
    })
  },
})

function isAsked(target: Value, db: string, { name, database }: UserIdentity): boolean {
  return asksFor(target, db, name, database)
}

/** The service users that the caller may see. */
function* usersFor(tx: ReadTx, identity: Identity): Program<readonly UserRecord[]> {
  if (identity.kind === 'operator') return yield* listUsers(tx)
  const own = identity.kind === 'user' ? yield* readUser(tx, identity) : undefined
  return own === undefined ? [] : [own]
}

/** The account of the operator or of a wallet, if `target` selects it. */
function ownAccount(identity: Identity, target: Value, db: string): { text: Document }[] {
  const user = identity.kind === 'user' ? undefined : accountNameOf(identity)
  if (user === undefined || !asksFor(target, db, user, accountDatabase)) return []
  const text = writeDocument((writer) => {
    writer.string('_id', `${accountDatabase}.${user}`)
    writer.string('user', user).string('db', accountDatabase).openArray('roles')
    writeRoles(writer, identity)
    writer.close().openArray('mechanisms')
    for (const [index, name] of saslMechanisms.entries()) writer.string(String(index), name)
    writer.close()
  })
  return [{ text }]
}

interface Shown {
  readonly showCustomData: boolean
  readonly showPrivileges: boolean
}

function describe({ identity, id, customData }: UserRecord, shown: Shown): Document {
  const { database, name } = identity
  return writeDocument((writer) => {
    writer.string('_id', `${database}.${name}`).binary('userId', uuidSubtype, id)
    writer.string('user', name).string('db', database)
    if (customData !== undefined && shown.showCustomData) writer.document('customData', customData)
    writer.openArray('roles')
    writeRoles(writer, identity)
    writer.close().openArray('mechanisms').string('0', userMechanism).close()
    if (!shown.showPrivileges) return
    writer.openArray('inheritedRoles')
    writeRoles(writer, identity)
    writer.close().openArray('inheritedPrivileges')
    writePrivilege(writer, identity)
    writer.close()
  })
}

function filtered(
  accounts: readonly Document[],
  filter: Document | undefined,
  context: QueryContext,
): readonly Document[] {
  if (filter === undefined) return accounts
  const compiled = compileFilter(filter, context)
  return accounts.filter((account) => compiled.matches(account))
}

const rolesInfo = documentRow({
  name: 'rolesInfo',
  ...plain,
  grain: 'local',
  access: 'operator',
  target: anyValue,
  params: {
    showBuiltinRoles: withDefault(bool, false),
    showPrivileges: ignored,
    showAuthenticationRestrictions: ignored,
  },
  help: 'Lists the built-in roles: those of service users, and that of the operator.',
  run: ({ args, target, db }) =>
    reply((writer) => {
      writer.openArray('roles')
      const all = args.showBuiltinRoles ? builtinRoles(db) : []
      const named = target.isNumber ? all : rolesNamed(target, db)
      for (const [role, database] of named) writeBuiltinRole(writer, role, database)
      writer.close()
    }),
})

type RoleName = readonly [role: string, database: string]

/** The roles that a user of this database can have. */
function builtinRoles(database: string): readonly RoleName[] {
  if (database === accountDatabase) return [[operatorRole, database]]
  return userRoles.map((role) => [role, database])
}

/** Parses a role's name, {role, db}, or an array of those; a number means all roles. */
function rolesNamed(target: Value, db: string): readonly RoleName[] {
  if (target.isNumber) return []
  if (target.type === bsonType.array) {
    return elementsOf(target).flatMap((element) => rolesNamed(element, db))
  }
  const [name, database] = nameOf(target, db)
  return builtinRoles(database).filter(([role]) => role === name)
}

function writeBuiltinRole(writer: DocumentWriter, role: string, database: string): void {
  writer.pushOpenDocument().string('_id', `${database}.${role}`)
  writer.string('role', role).string('db', database).bool('isBuiltin', true)
  writer.openArray('roles').close().openArray('inheritedRoles').close().close()
}

export const userRows = [connectionStatus, usersInfo, rolesInfo]
