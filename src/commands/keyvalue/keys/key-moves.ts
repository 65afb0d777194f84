// Commands that give keys other names or move them to other databases. A move costs the same for
// any value; a copy of a large container copies its members.

import { noSuchKey, refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { copyKey } from '../../../engine/keyspace/keys/copy.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Program } from '../../../store/store.js'
import { requireDatabase } from '../connection/connection.js'

const shared = { categories: ['keyspace'], group: 'generic' } as const

const sameObject = () => refuse('ERR source and destination objects are the same')

/** Renames a key; false if `mayReplace` is false and the new name is taken. */
function* renameKey(ks: Keyspace, call: KeyValueCall, mayReplace: boolean): Program<boolean> {
  const [from, to] = [call.arg(1), call.arg(2)]
  const key = yield* ks.key(from)
  if (!key.exists) throw noSuchKey()
  if (from.equals(to)) return mayReplace
  const target = yield* ks.keyAround(to)
  if (target.exists && !mayReplace) return false
  yield* ks.rename(key, target)
  ks.notify('g', 'rename_from', from)
  ks.notify('g', 'rename_to', to)
  return true
}

const rename: KeyValueRow = {
  ...shared,
  name: 'rename',
  uses: 'RW access delete 1; OW update 2',
  grows: 'keys',
  arity: 3,
  flags: ['write'],
  keys: [1, 2, 1],
  summary: 'Renames a key and replaces an existing one. The expiry is kept.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'key newkey',
  grain: 'write',
  *run(ks, call) {
    yield* renameKey(ks, call, true)
    return ok
  },
}

const renamenx: KeyValueRow = {
  ...shared,
  name: 'renamenx',
  uses: 'RW access delete 1; OW insert 2',
  grows: 'keys',
  arity: 3,
  flags: ['write', 'fast'],
  keys: [1, 2, 1],
  summary: 'Renames a key if the new name does not exist.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'key newkey',
  grain: 'write',
  *run(ks, call) {
    return (yield* renameKey(ks, call, false)) ? 1 : 0
  },
}

interface CopyOptions {
  readonly mayReplace: boolean
  readonly database: number
}

function readCopyOptions(call: KeyValueCall): CopyOptions {
  let mayReplace = false
  let { database } = call
  for (let i = 3; i < call.count; i++) {
    if (call.is(i, 'replace')) mayReplace = true
    else if (call.is(i, 'db') && i + 1 < call.count) database = requireDatabase(call, ++i)
    else throw syntaxError()
  }
  return { mayReplace, database }
}

/** Databases that a command names; none if its words will be refused. */
function named(read: (call: KeyValueCall) => number): (call: KeyValueCall) => readonly number[] {
  return (call) => {
    try {
      return [read(call)]
    } catch {
      return []
    }
  }
}

const copy: KeyValueRow = {
  ...shared,
  name: 'copy',
  uses: 'RO access 1; OW update 2',
  grows: 'keys',
  arity: -3,
  flags: ['write', 'denyoom'],
  keys: [1, 2, 1],
  privileges: ['read', 'write'],
  databases: named((call) => readCopyOptions(call).database),
  summary: 'Copies a key with its expiry, also to another database.',
  since: '6.2.0',
  complexity: 'O(1) for strings and small containers, else O(N) with N members',
  syntax: 'source destination [DB destination-db] [REPLACE]',
  grain: 'write',
  run: copyTo,
}

function* copyTo(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  const { mayReplace, database } = readCopyOptions(call)
  const [from, to] = [call.arg(1), call.arg(2)]
  const target = call.keyspace(database)
  if (target.place === ks.place && from.equals(to)) throw sameObject()
  const key = yield* ks.key(from)
  if (!key.exists) return 0
  const place = yield* target.keyAround(to)
  if (place.exists && !mayReplace) return 0
  yield* copyKey(ks, key, target, place)
  target.notify('g', 'copy_to', to)
  return 1
}

const move: KeyValueRow = {
  ...shared,
  name: 'move',
  uses: 'RW access update',
  grows: 'keys',
  arity: 3,
  flags: ['write', 'fast'],
  // The other database may have other readers.
  privileges: ['read', 'write'],
  keys: [1, 1, 1],
  databases: named((call) => requireDatabase(call, 2)),
  summary: 'Moves a key to another database, unless its name exists there.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'key db',
  grain: 'write',
  *run(ks, call) {
    const target = call.keyspace(requireDatabase(call, 2))
    if (target.place === ks.place) throw sameObject()
    const name = call.arg(1)
    const key = yield* ks.key(name)
    if (!key.exists) return 0
    const place = yield* target.keyAround(name)
    if (place.exists) return 0
    yield* ks.rename(key, place, target)
    ks.notify('g', 'move_from', name)
    target.notify('g', 'move_to', name)
    return 1
  },
}

export const keyMoveRows: readonly KeyValueRow[] = [rename, renamenx, copy, move]
