// Who one is. Accounts are not made by commands here: there is the operator, and there are wallets
// with their keys; nobody is told of another's.

import { anyValue, bool, ignored, strictBool, withDefault } from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import { accountNameOf } from '../../identity/credentials.js'
import { allPermissions, type Identity } from '../../identity/identity.js'
import { saslMechanisms } from '../../identity/login.js'
import { elementsOf, field } from '../../value/elements.js'
import { bsonType, documentOf, stringOf, type Value } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'

const accountDatabase = 'admin'
const operatorRole = 'root'

const connectionStatus = documentRow({
  name: 'connectionStatus',
  grows: 'nothing',
  grain: 'local',
  access: 'anonymous',
  target: anyValue,
  params: { showPrivileges: withDefault(bool, false) },
  help: 'Tells as whom the connection has signed in.',
  run: (call) => {
    const { identity } = call
    const user = accountNameOf(identity)
    return reply((writer) => {
      writer.openDocument('authInfo').openArray('authenticatedUsers')
      if (user !== undefined) {
        writer.pushOpenDocument().string('user', user).string('db', accountDatabase).close()
      }
      writer.close().openArray('authenticatedUserRoles')
      writeRoles(writer, identity)
      writer.close()
      if (call.args.showPrivileges) writePrivileges(writer, identity.kind === 'operator')
      writer.close()
    })
  },
})

/** The operator has the peer's role for everything, a key the names of its permissions. */
function writeRoles(writer: DocumentWriter, identity: Identity): void {
  if (identity.kind === 'operator') writeRole(writer, operatorRole)
  else if (identity.kind === 'session') writeAll(writer, allPermissions)
  else if (identity.kind === 'key') writeAll(writer, identity.permissions)
}

function writeAll(writer: DocumentWriter, roles: readonly string[]): void {
  for (const role of roles) writeRole(writer, role)
}

function writeRole(writer: DocumentWriter, role: string): void {
  writer.pushOpenDocument().string('role', role).string('db', accountDatabase).close()
}

function writePrivileges(writer: DocumentWriter, isOperator: boolean): void {
  writer.openArray('authenticatedUserPrivileges')
  if (isOperator) {
    writer.pushOpenDocument().openDocument('resource').bool('anyResource', true).close()
    writer.openArray('actions').string('0', 'anyAction').close().close()
  }
  writer.close()
}

const usersInfo = documentRow({
  name: 'usersInfo',
  grows: 'nothing',
  grain: 'local',
  access: 'identity',
  target: anyValue,
  params: {
    showCredentials: ignored,
    showCustomData: ignored,
    showPrivileges: ignored,
    showAuthenticationRestrictions: ignored,
    filter: ignored,
  },
  help: 'Tells of the account that one has signed in as; of no other.',
  run: (call) =>
    reply((writer) => {
      const user = accountNameOf(call.identity) ?? ''
      writer.openArray('users')
      if (namesAccount(call.target, call.db, user)) {
        writer.pushOpenDocument().string('_id', `${accountDatabase}.${user}`)
        writer.string('user', user).string('db', accountDatabase).openArray('roles')
        writeRoles(writer, call.identity)
        writer.close().openArray('mechanisms')
        for (const [index, name] of saslMechanisms.entries()) writer.string(String(index), name)
        writer.close().close()
      }
      writer.close()
    }),
})

/** 1 (all of this database), a name, {user, db}, {forAllDBs: true}, or an array of names. */
function namesAccount(target: Value, db: string, account: string): boolean {
  switch (target.type) {
    case bsonType.string:
      return db === accountDatabase && stringOf(target) === account
    case bsonType.array:
      return elementsOf(target).some((element) => namesAccount(element, db, account))
    case bsonType.object: {
      const document = documentOf(target)
      if (field(document, 'forAllDBs') !== undefined) return true
      return (
        textIs(field(document, 'user'), account) && textIs(field(document, 'db'), accountDatabase)
      )
    }
    default:
      return db === accountDatabase
  }
}

function textIs(value: Value | undefined, text: string): boolean {
  return value?.type === bsonType.string && stringOf(value) === text
}

const rolesInfo = documentRow({
  name: 'rolesInfo',
  grows: 'nothing',
  grain: 'local',
  access: 'operator',
  target: anyValue,
  params: {
    showBuiltinRoles: withDefault(strictBool, false),
    showPrivileges: ignored,
    showAuthenticationRestrictions: ignored,
  },
  help: 'Lists roles of the document protocol: none but the built-in one of the operator.',
  run: (call) =>
    reply((writer) => {
      writer.openArray('roles')
      if (call.args.showBuiltinRoles && call.db === accountDatabase) {
        writer.pushOpenDocument().string('role', operatorRole).string('db', accountDatabase)
        writer.bool('isBuiltin', true).openArray('roles').close()
        writer.openArray('inheritedRoles').close().close()
      }
      writer.close()
    }),
})

export const userRows = [connectionStatus, usersInfo, rolesInfo]
