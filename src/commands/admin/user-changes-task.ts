// createUser and the commands that change service users. A verifier is derived off the event loop,
// before the program that stores it. A dropped user is refused at its next command, on every
// protocol. (docs/users.md)

import { fail } from '../../base/errors.js'
import type { Call } from '../../bus/document/call.js'
import { anyValue, optional, string } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { type UserIdentity, type UserRole, userRoles } from '../../identity/identity.js'
import type { UserService } from '../../identity/users/user-service.js'
import {
  addUser,
  listUsers,
  putUser,
  readUser,
  removeUser,
  requireUserDatabase,
  requireUserName,
  type UserRecord,
} from '../../identity/users/users.js'
import type { Program, Tx } from '../../store/store.js'
import { requireUserArgs, rolesField, rolesOf, userFields } from './user-fields.js'

type UserCall = Call<unknown, unknown>

const noPassword =
  "Must provide a 'pwd' field for all user documents, except those with '$external' as the " +
  "user's source db"

const createUser = documentRow({
  name: 'createUser',
  ...plain,
  grain: 'task',
  access: 'operator',
  target: string,
  params: { ...userFields, roles: rolesField },
  secrets: ['pwd'],
  audit: (call) => named(call, rolesOf(call.args.roles, call.db)),
  help: 'Creates a service user of this database.',
  async run(call) {
    const { args, db: database, target: name } = call
    const users = serviceOf(call)
    requireUserName(name)
    requireUserDatabase(database)
    requireUserArgs(args)
    if (args.pwd === undefined) throw fail('BadValue', noPassword)
    const roles = rolesOf(args.roles, database)
    const verifier = await users.verifierOf({ database, name }, args.pwd)
    const id = call.uuid()
    const identity: UserIdentity = {
      kind: 'user',
      database,
      name,
      id: Buffer.from(id).toString('hex'),
      roles,
      keyValue: undefined,
    }
    const { customData } = args
    await call.write((tx) => addUser(tx, { identity, id, verifier, customData }))
    return reply()
  },
})

const updateUser = documentRow({
  name: 'updateUser',
  ...plain,
  grain: 'task',
  access: 'operator',
  target: string,
  params: { ...userFields, roles: optional(rolesField) },
  secrets: ['pwd'],
  audit: (call) => {
    const { roles, pwd } = call.args
    const given = roles === undefined ? undefined : rolesOf(roles, call.db)
    return { ...named(call, given), password: pwd !== undefined }
  },
  help:
    'Changes the password, the roles or the custom data of a service user. A new password closes ' +
    "the user's connections.",
  async run(call) {
    const { args, db: database, target: name } = call
    const users = serviceOf(call)
    requireUserArgs(args)
    const { pwd, customData, mechanisms, authenticationRestrictions: restrictions } = args
    if (
      [pwd, customData, args.roles, mechanisms, restrictions].every((each) => each === undefined)
    ) {
      throw fail('BadValue', 'Must specify at least one field to update in updateUser')
    }
    const roles = args.roles === undefined ? undefined : rolesOf(args.roles, database)
    const verifier = pwd === undefined ? undefined : await users.verifierOf({ database, name }, pwd)
    await call.write((tx) =>
      change(tx, call, name, (before) => ({
        ...before,
        ...(verifier === undefined ? {} : { verifier }),
        ...(customData === undefined ? {} : { customData }),
        ...(roles === undefined ? {} : { identity: { ...before.identity, roles } }),
      })),
    )
    if (verifier !== undefined) users.onChanged({ database, name })
    return reply()
  },
})

function rolesRow(
  name: string,
  help: string,
  changed: (before: UserRecord, roles: readonly string[]) => UserRecord,
) {
  return documentRow({
    name,
    ...plain,
    grain: 'point',
    access: 'operator',
    target: string,
    params: { roles: rolesField },
    audit: (call) => named(call, rolesOf(call.args.roles, call.db)),
    help,
    *run(tx, call) {
      serviceOf(call)
      const roles = rolesOf(call.args.roles, call.db)
      yield* change(tx, call, call.target, (before) => changed(before, roles))
      return reply()
    },
  })
}

const grantRolesToUser = rolesRow(
  'grantRolesToUser',
  'Grants roles to a service user.',
  (before, granted) => withRoles(before, (role) => granted.includes(role)),
)

const revokeRolesFromUser = rolesRow(
  'revokeRolesFromUser',
  'Revokes roles of a service user.',
  (before, revoked) => {
    const roles = before.identity.roles.filter((role) => !revoked.includes(role))
    return { ...before, identity: { ...before.identity, roles } }
  },
)

const dropUser = documentRow({
  name: 'dropUser',
  ...plain,
  grain: 'point',
  access: 'operator',
  target: string,
  params: {},
  audit: (call) => named(call),
  help: 'Removes a service user. Its connections are refused at their next command.',
  *run(tx, call) {
    const { db: database, target: name } = call
    if (yield* removeUser(tx, { database, name })) return reply()
    throw fail('UserNotFound', `User '${name}@${database}' not found`)
  },
})

const dropAllUsersFromDatabase = documentRow({
  name: 'dropAllUsersFromDatabase',
  ...plain,
  grain: 'point',
  access: 'operator',
  target: anyValue,
  params: {},
  audit: ({ db }) => ({ db }),
  help: 'Removes the service users of this database; wallets and the operator stay.',
  *run(tx, { db }) {
    const all = yield* listUsers(tx, db)
    for (const { identity } of all) yield* removeUser(tx, identity)
    return reply((writer) => writer.int32('n', all.length))
  },
})

function* change(
  tx: Tx,
  { db: database }: UserCall,
  name: string,
  changed: (before: UserRecord) => UserRecord,
): Program<void> {
  const before = yield* readUser(tx, { database, name })
  if (before === undefined) throw fail('UserNotFound', `User ${name}@${database} not found`)
  putUser(tx, changed(before))
}

function withRoles(before: UserRecord, isGranted: (role: UserRole) => boolean): UserRecord {
  const { identity } = before
  const roles = userRoles.filter((role) => identity.roles.includes(role) || isGranted(role))
  return { ...before, identity: { ...identity, roles } }
}

/** Throws IllegalOperation if the server has no service users. */
function serviceOf({ services: { users }, command }: UserCall): UserService {
  if (users === undefined) throw fail('IllegalOperation', `${command} is not possible here`)
  users.requireOn(command)
  return users
}

interface NamedCall {
  readonly db: string
  readonly target: string
}

function named({ db, target: user }: NamedCall, roles?: readonly UserRole[]) {
  return roles === undefined ? { user, db } : { user, db, roles: roles.join(' ') }
}

export const userChangeRows = [
  ...[createUser, updateUser, grantRolesToUser, revokeRolesFromUser],
  ...[dropUser, dropAllUsersFromDatabase],
]
