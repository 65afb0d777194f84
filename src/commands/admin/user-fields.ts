// What commands about service users accept: names, roles, mechanisms. Texts and codes are MongoDB's
// where it refuses the same thing. Source: MongoDB manual, User Management Commands.

import { fail } from '../../base/errors.js'
import { userCustomDataBytesMax } from '../../base/limits/identity.js'
import {
  anyValue,
  array,
  arrayOf,
  bool,
  object,
  optional,
  string,
  withDefault,
} from '../../bus/document/params.js'
import { type UserRole, userRoles } from '../../identity/identity.js'
import { elementsOf, fieldIn } from '../../value/elements.js'
import { bsonType, type Document, stringOf, type Value } from '../../value/value.js'

/** Fields of createUser and updateUser beside `roles`. */
export const userFields = {
  pwd: optional(string),
  customData: optional(object),
  digestPassword: withDefault(bool, true),
  authenticationRestrictions: optional(array),
  mechanisms: optional(arrayOf(string)),
} as const

export const rolesField = arrayOf(anyValue)

interface UserArgs {
  readonly digestPassword: boolean
  readonly customData: Document | undefined
  readonly authenticationRestrictions: Value | undefined
  readonly mechanisms: readonly string[] | undefined
}

/**
 * The only mechanism with a stored verifier. Deviation: MongoDB also stores one for SCRAM-SHA-1.
 */
const kept = 'SCRAM-SHA-256'

/** Throws BadValue for arguments that a service user cannot have. */
export function requireUserArgs(args: UserArgs): void {
  const { mechanisms, authenticationRestrictions: restrictions, customData } = args
  if (mechanisms !== undefined) requireMechanisms(mechanisms)
  if (!args.digestPassword) {
    throw fail('BadValue', `Use of ${kept} requires undigested passwords`)
  }
  if (restrictions !== undefined && elementsOf(restrictions).length > 0) {
    throw fail('BadValue', 'authenticationRestrictions of users are not supported')
  }
  if (customData !== undefined && customData.length > userCustomDataBytesMax) {
    throw fail('BadValue', `customData of a user has at most ${userCustomDataBytesMax} bytes`)
  }
}

function requireMechanisms(mechanisms: readonly string[]): void {
  if (mechanisms.length === 0) throw fail('BadValue', 'mechanisms field must not be empty')
  for (const name of mechanisms) {
    if (name === kept || name === 'SCRAM-SHA-1') continue
    throw fail('BadValue', `Unknown auth mechanism '${name}'`)
  }
  if (!mechanisms.includes(kept)) {
    throw fail('BadValue', `SCRAM-SHA-1 is not supported: mechanisms must have ${kept}`)
  }
}

/**
 * Parses roles: a string, of this database, or {role, db}. Throws RoleNotFound. Deviation: MongoDB
 * knows more roles, and a user may have roles of other databases.
 */
export function rolesOf(given: readonly Value[], database: string): UserRole[] {
  const asked = new Set(given.map((value) => roleOf(value, database)))
  return userRoles.filter((role) => asked.has(role))
}

function roleOf(value: Value, database: string): UserRole {
  const [name, db] = nameOf(value, database)
  const role = userRoles.find((known) => known === name)
  if (role !== undefined && db === database) return role
  const why = role === undefined ? '' : `: a user of ${database} has roles of that database alone`
  throw fail('RoleNotFound', `Could not find role: ${name}@${db}${why}`)
}

/** Name and database of a role. */
export function nameOf(value: Value, database: string): [name: string, db: string] {
  if (value.type === bsonType.string) return [stringOf(value), database]
  if (value.type !== bsonType.object) {
    throw fail('BadValue', 'Role names must be either strings or objects')
  }
  return [textIn(value, 'role'), textIn(value, 'db')]
}

function textIn(value: Value, name: string): string {
  const found = fieldIn(value, name)
  if (found === undefined) throw fail('NoSuchKey', `Missing expected field "${name}"`)
  if (found.type === bsonType.string) return stringOf(found)
  throw fail('TypeMismatch', `Expected field "${name}" to have a value of type string`)
}

/** Whether a value selects that user: 1, a name, {user, db}, {forAllDBs: true}, or an array. */
export function asksFor(target: Value, db: string, user: string, database: string): boolean {
  switch (target.type) {
    case bsonType.string:
      return db === database && stringOf(target) === user
    case bsonType.array:
      return elementsOf(target).some((element) => asksFor(element, db, user, database))
    case bsonType.object: {
      if (fieldIn(target, 'forAllDBs') !== undefined) return true
      return textIs(fieldIn(target, 'user'), user) && textIs(fieldIn(target, 'db'), database)
    }
    default:
      return db === database
  }
}

function textIs(value: Value | undefined, text: string): boolean {
  return value?.type === bsonType.string && stringOf(value) === text
}
