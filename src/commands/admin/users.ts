// Who one is and what accounts there are. Accounts are not made by commands here: the operator is
// the only one that the document protocol can name yet.

import { anyValue, bool, ignored, strictBool, withDefault } from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import { saslMechanisms } from '../../identity/login.js'
import { operatorName } from '../../identity/operator.js'
import { elementsOf, field } from '../../value/elements.js'
import { bsonType, documentOf, stringOf, type Value } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'

const accountDatabase = 'admin'
const operatorRole = 'root'

const connectionStatus = documentRow({
  name: 'connectionStatus',
  grain: 'local',
  access: 'anonymous',
  target: anyValue,
  params: { showPrivileges: withDefault(bool, false) },
  help: 'Tells as whom the connection has signed in.',
  run: (call) => {
    const isOperator = call.session.identity.kind === 'operator'
    return reply((writer) => {
      writer.openDocument('authInfo').openArray('authenticatedUsers')
      if (isOperator) {
        writer.pushOpenDocument().string('user', operatorName).string('db', accountDatabase).close()
      }
      writer.close().openArray('authenticatedUserRoles')
      if (isOperator) writeRole(writer)
      writer.close()
      if (call.args.showPrivileges) writePrivileges(writer, isOperator)
      writer.close()
    })
  },
})

function writeRole(writer: DocumentWriter): void {
  writer.pushOpenDocument().string('role', operatorRole).string('db', accountDatabase).close()
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
  grain: 'local',
  access: 'operator',
  target: anyValue,
  params: {
    showCredentials: ignored,
    showCustomData: ignored,
    showPrivileges: ignored,
    showAuthenticationRestrictions: ignored,
    filter: ignored,
  },
  help: 'Lists the accounts of the document protocol: the operator.',
  run: (call) =>
    reply((writer) => {
      writer.openArray('users')
      if (namesOperator(call.target, call.db)) {
        writer.pushOpenDocument().string('_id', `${accountDatabase}.${operatorName}`)
        writer.string('user', operatorName).string('db', accountDatabase).openArray('roles')
        writeRole(writer)
        writer.close().openArray('mechanisms')
        for (const [index, name] of saslMechanisms.entries()) writer.string(String(index), name)
        writer.close().close()
      }
      writer.close()
    }),
})

/** 1 (all of this database), a name, {user, db}, {forAllDBs: true}, or an array of names. */
function namesOperator(target: Value, db: string): boolean {
  switch (target.type) {
    case bsonType.string:
      return db === accountDatabase && stringOf(target) === operatorName
    case bsonType.array:
      return elementsOf(target).some((element) => namesOperator(element, db))
    case bsonType.object: {
      const document = documentOf(target)
      if (field(document, 'forAllDBs') !== undefined) return true
      return (
        textIs(field(document, 'user'), operatorName) &&
        textIs(field(document, 'db'), accountDatabase)
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
