// The records of service users, one for each (database, name), for all protocols. A record has a
// SCRAM verifier, never the password. Decoded records are cached while their bytes stay the same,
// because each program of the user reads its record again. (docs/users.md)

import { type Bytes, concatBytes, equalBytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import { assert, fail } from '../../base/errors.js'
import { lastUsed } from '../../base/heap/last-used.js'
import { databaseNameBytesMax } from '../../base/limits/documents.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import { userNameBytesMax, usersMax } from '../../base/limits/identity.js'
import { checkDatabaseName } from '../../engine/collection/catalog/names.js'
import type { ScramVerifier } from '../../protocol/scram/verifier.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { elementsOf, field, fieldIn } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import {
  binaryValue,
  boolOf,
  type Document,
  documentOf,
  stringOf,
  type Value,
} from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import {
  allPermissions,
  type KeyPattern,
  type KeyValueRights,
  type UserIdentity,
  userRoles,
} from '../identity.js'

/** A row kind of the identity class, which no command can name. */
const kind = 0x60

export interface UserRecord {
  readonly identity: UserIdentity
  /** 16 bytes: `userId` of usersInfo. */
  readonly id: Bytes
  readonly verifier: ScramVerifier
  /** As createUser received it. */
  readonly customData: Document | undefined
}

export interface UserName {
  readonly database: string
  readonly name: string
}

interface Known {
  readonly bytes: Bytes
  readonly record: UserRecord
}

const known = lastUsed<string, Known>(usersMax)

/** The record of a user; undefined if it does not exist. */
export function* readUser(
  tx: ReadTx,
  { database, name }: UserName,
): Program<UserRecord | undefined> {
  const bytes = yield* tx.get(keyOf(database, name))
  return bytes === undefined ? undefined : recordOf(database, name, bytes)
}

/** The identity of a user, from its record. */
export function* readUserIdentity(tx: ReadTx, user: UserName): Program<UserIdentity | undefined> {
  return (yield* readUser(tx, user))?.identity
}

/** The users of a database, or all, sorted by database and name in byte order. */
export function* listUsers(tx: ReadTx, database?: string): Program<UserRecord[]> {
  const found: UserRecord[] = []
  let { start, end } = rangeOf(database)
  for (;;) {
    const entries = yield* tx.scan({ start, end }, scanEntriesMax)
    for (const { key, value } of entries) found.push(recordOf(...nameOfKey(key), value))
    const last = entries.at(-1)
    if (last === undefined || entries.length < scanEntriesMax) return found
    start = concatBytes(last.key, Uint8Array.of(0))
  }
}

/** Adds a user. Throws Location51003 if it exists, BadValue at usersMax. */
export function* addUser(tx: Tx, record: UserRecord): Program<void> {
  const { database, name } = record.identity
  if ((yield* readUser(tx, { database, name })) !== undefined) {
    throw fail('Location51003', `User "${name}@${database}" already exists`)
  }
  if ((yield* listUsers(tx)).length >= usersMax) {
    throw fail('BadValue', `there are ${usersMax} service users, no more fit`)
  }
  putUser(tx, record)
}

/** Writes a record, or replaces it. */
export function putUser(tx: Tx, record: UserRecord): void {
  const { database, name } = record.identity
  tx.put(keyOf(database, name), encode(record))
}

/** Removes a user; returns whether it existed. */
export function* removeUser(tx: Tx, { database, name }: UserName): Program<boolean> {
  const key = keyOf(database, name)
  if ((yield* tx.get(key)) === undefined) return false
  tx.remove(key)
  return true
}

/** Names with another meaning, or that a client cannot write in a connection string. */
const refusedNames: readonly RegExp[] = [
  /^(?:w_)?0x[0-9a-f]{40}/i,
  /^(?:operator|default|__system)$/i,
  /^svc_/i,
  /[~:]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  /[\u0000-\u001f\u007f]/,
]

/** Throws BadValue for a name that no service user may have. */
export function requireUserName(name: string): void {
  const isLong = Buffer.byteLength(name) > userNameBytesMax
  if (name !== '' && !isLong && !refusedNames.some((form) => form.test(name))) return
  throw fail(
    'BadValue',
    `a service user has a name of 1 to ${userNameBytesMax} bytes without '~', ':' and control ` +
      "characters, which is not like an address, not 'operator' or 'default', and does not begin " +
      "with 'svc_'",
  )
}

/**
 * Throws BadValue (InvalidNamespace for an empty name) if the database cannot have service users.
 */
export function requireUserDatabase(database: string): void {
  if (database === '$external') {
    const text = "Cannot set the password for users defined on the '$external' database"
    throw fail('BadValue', text)
  }
  checkDatabaseName(database)
  const isServers = ['admin', 'config', 'local'].includes(database)
  if (!isServers && !/^w_0x/i.test(database)) return
  const why = "a service user acts on the operator's collections of its own database"
  const text = `Cannot create users in the ${database} database`
  throw fail('BadValue', database === 'local' ? text : `${text}: ${why}`)
}

function keyOf(database: string, name: string): Bytes {
  return concatBytes(Uint8Array.of(keyClass.identity, kind), utf8(`${database}\0${name}`))
}

function nameOfKey(key: Bytes): [database: string, name: string] {
  const middle = key.indexOf(0, 2)
  return [textOf(key, 2, middle), textOf(key, middle + 1)]
}

function rangeOf(database: string | undefined): { start: Bytes; end: Bytes } {
  const prefix = Uint8Array.of(keyClass.identity, kind)
  if (database === undefined)
    return { start: prefix, end: Uint8Array.of(keyClass.identity, kind + 1) }
  assert(Buffer.byteLength(database) <= databaseNameBytesMax, 'the name of a database is bounded')
  const name = utf8(database)
  return {
    start: concatBytes(prefix, name, Uint8Array.of(0)),
    end: concatBytes(prefix, name, Uint8Array.of(1)),
  }
}

function recordOf(database: string, name: string, bytes: Bytes): UserRecord {
  const key = `${database}\0${name}`
  const before = known.get(key)
  if (before !== undefined && equalBytes(before.bytes, bytes)) return before.record
  const kept = bytes.slice()
  const record = decode(database, name, kept)
  known.set(key, { bytes: kept, record })
  return record
}

function encode({ identity, id, verifier, customData }: UserRecord): Document {
  return writeDocument((writer) => {
    writer.value('id', binaryValue(0, id)).openArray('roles')
    for (const [index, role] of identity.roles.entries()) writer.string(String(index), role)
    writer.close().value('salt', binaryValue(0, verifier.salt))
    writer.int32('iterations', verifier.iterations)
    writer.value('storedKey', binaryValue(0, verifier.storedKey))
    writer.value('serverKey', binaryValue(0, verifier.serverKey))
    if (customData !== undefined) writer.document('customData', customData)
    const { keyValue } = identity
    if (keyValue === undefined) return
    writer.openDocument('keyValue').openArray('permissions')
    for (const [index, name] of keyValue.permissions.entries()) writer.string(String(index), name)
    writer.close()
    if (keyValue.patterns !== undefined) {
      writer.openArray('patterns')
      for (const { glob, read, write } of keyValue.patterns) {
        writer.pushOpenDocument().value('glob', binaryValue(0, glob))
        writer.bool('read', read).bool('write', write).close()
      }
      writer.close()
    }
    writer.close()
  })
}

function decode(database: string, name: string, bytes: Document): UserRecord {
  const id = bytesIn(bytes, 'id')
  const stored = new Set(elementsOf(required(bytes, 'roles')).map(stringOf))
  const keyValue = field(bytes, 'keyValue')
  const customData = field(bytes, 'customData')
  return {
    identity: {
      kind: 'user',
      database,
      name,
      id: Buffer.from(id).toString('hex'),
      roles: userRoles.filter((role) => stored.has(role)),
      keyValue: keyValue === undefined ? undefined : rightsIn(keyValue),
    },
    id,
    verifier: {
      salt: bytesIn(bytes, 'salt'),
      iterations: numberOf(required(bytes, 'iterations')),
      storedKey: bytesIn(bytes, 'storedKey'),
      serverKey: bytesIn(bytes, 'serverKey'),
    },
    customData: customData === undefined ? undefined : documentOf(customData),
  }
}

function rightsIn(value: Value): KeyValueRights {
  const document = documentOf(value)
  const stored = new Set(elementsOf(required(document, 'permissions')).map(stringOf))
  const patterns = field(document, 'patterns')
  return {
    permissions: allPermissions.filter((permission) => stored.has(permission)),
    patterns: patterns === undefined ? undefined : elementsOf(patterns).map(patternIn),
  }
}

function patternIn(value: Value): KeyPattern {
  const glob = fieldIn(value, 'glob')
  const read = fieldIn(value, 'read')
  const write = fieldIn(value, 'write')
  assert(glob !== undefined && read !== undefined && write !== undefined, 'a pattern is whole')
  return { glob: glob.payload().slice(5), read: boolOf(read), write: boolOf(write) }
}

function required(document: Document, name: string): Value {
  const value = field(document, name)
  assert(value !== undefined, `a user's record has ${name}`)
  return value
}

/** Body of a binary field: after its length and subtype. */
function bytesIn(document: Document, name: string): Bytes {
  return required(document, name).payload().slice(5)
}
