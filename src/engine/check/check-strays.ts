// Decides whether suspected members and chunks are unreferenced. A check in steps can miss an owner
// that moved or was created during the check. So suspects are checked in one state. If that takes
// too long, they are checked without concurrent writes; if that fails too, nothing is reported.

import { mapKey } from '../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import { keyClass } from '../../store/layout.js'
import type { Entry, Program, ReadTx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import {
  chunkRange,
  type Garbage,
  garbageOf,
  garbageRange,
  heldRange,
  idRange,
  membersChunks,
  membersRange,
  stagingKey,
  stagingRange,
  type ValueId,
} from '../background/garbage.js'
import { eachNamespace } from '../collection/catalog/catalog-walk.js'
import { headOf } from '../collection/records.js'
import { isHead, readHead } from '../keyspace/containers/head.js'
import { chunksOfMember } from '../keyspace/containers/members.js'
import { readKeyDocument } from '../keyspace/keys/key.js'
import type { MembersId } from '../types.js'
import { isTooOld, oneState, pagesOf } from './check-steps.js'

interface Strays {
  readonly values: readonly ValueId[]
  readonly members: readonly MembersId[]
}

/** Number of commits so far; undefined if the store does not count them. */
export type Commits = () => number | undefined

/** The suspects that are certainly unreferenced. */
export function* certainStrays(suspects: Strays, commits: Commits): Sweep<Strays> {
  if (suspects.values.length + suspects.members.length === 0) return suspects
  const program = (tx: ReadTx) => withoutOwner(tx, suspects)
  try {
    return yield* readPhase(program, oneState)
  } catch (error) {
    if (!isTooOld(error)) throw error
  }
  const before = commits()
  const strays = yield* readPhase(program)
  return before !== undefined && commits() === before ? strays : { values: [], members: [] }
}

/** The ids of key-value databases, including dropped ones that are not deleted yet. */
export function* keyspaceIds(tx: ReadTx): Program<Set<number>> {
  const ids = new Set<number>()
  yield* eachNamespace(tx, ({ id, keyspace }) => {
    if (keyspace === true) ids.add(id)
    return undefined
  })
  for (const garbage of yield* listedGarbage(tx)) {
    if (garbage.what === 'keyspace') ids.add(garbage.namespace)
  }
  return ids
}

/** All garbage and staging records, and what the change log holds. */
export function* listedGarbage(tx: ReadTx): Program<Garbage[]> {
  const found: Garbage[] = []
  for (const range of [garbageRange, stagingRange, heldRange]) {
    yield* pagesOf(tx, range, scanEntriesMax, function* (entries) {
      for (const { key } of entries) found.push(garbageOf(key))
      return true
    })
  }
  return found
}

/**
 * Ids in the keys of listed values. A command may stage a value before it creates the collection.
 * Those of dropped collections are left out: all their chunks are listed.
 */
export function idsOfValues(listed: readonly Garbage[]): ReadonlySet<number> {
  const dropped = new Set<number>()
  for (const garbage of listed) if ('namespace' in garbage) dropped.add(garbage.namespace)
  const ids = new Set<number>()
  for (const garbage of listed) {
    if (garbage.what === 'value' && !dropped.has(garbage.value.namespace)) {
      ids.add(garbage.value.namespace)
    }
  }
  return ids
}

function* withoutOwner(tx: ReadTx, suspects: Strays): Program<Strays> {
  const values = new Map(suspects.values.map((value) => [nameOf(value), value]))
  const members = new Set(suspects.members)
  const live = new Set<number>([membersChunks])
  yield* eachNamespace(tx, ({ id }) => {
    live.add(id)
    return undefined
  })
  const listed = yield* listedGarbage(tx)
  for (const id of idsOfValues(listed)) live.add(id)
  for (const [name, value] of values) if (!live.has(value.namespace)) values.delete(name)
  for (const garbage of listed) {
    if (garbage.what === 'value') values.delete(nameOf(garbage.value))
    else if ('members' in garbage) members.delete(garbage.members)
  }
  const keyspaces = yield* keyspaceIds(tx)
  for (const id of new Set([...live, ...keyspaces])) {
    const isKeyspace = keyspaces.has(id)
    yield* pagesOf(tx, idRange(keyClass.record, id), scanEntriesMax, function* (entries) {
      for (const { value } of entries) {
        const head = headOf(value)
        if (head !== undefined) values.delete(nameOf(head.value))
        else if (isKeyspace && members.size > 0) forgetOwned(members, value)
      }
      return values.size + members.size > 0
    })
  }
  if (values.size > 0) yield* forgetHeld(tx, values)
  return { values: yield* stillThere(tx, values), members: yield* stillKept(tx, members) }
}

function forgetOwned(members: Set<MembersId>, record: Entry['value']): void {
  try {
    const { value } = readKeyDocument(record.subarray(1))
    if (isHead(value)) members.delete(readHead(value).id)
  } catch {
    // Not a document; the check of records reports it.
  }
}

function* forgetHeld(tx: ReadTx, values: Map<string, ValueId>): Program<void> {
  const range = { start: Uint8Array.of(keyClass.member), end: Uint8Array.of(keyClass.member + 1) }
  yield* pagesOf(tx, range, scanEntriesMax, function* (entries) {
    for (const { value } of entries) {
      const chunks = chunksOfMember(value)
      if (chunks !== undefined) values.delete(nameOf(chunks))
    }
    return values.size > 0
  })
}

function* stillThere(tx: ReadTx, values: ReadonlyMap<string, ValueId>): Program<ValueId[]> {
  const found: ValueId[] = []
  for (const value of values.values()) {
    if ((yield* tx.scan(chunkRange(value), 1)).length > 0) found.push(value)
  }
  return found
}

function* stillKept(tx: ReadTx, members: ReadonlySet<MembersId>): Program<MembersId[]> {
  const found: MembersId[] = []
  for (const id of members) if ((yield* tx.scan(membersRange(id), 1)).length > 0) found.push(id)
  return found
}

function nameOf(value: ValueId): string {
  return mapKey(stagingKey(value))
}
