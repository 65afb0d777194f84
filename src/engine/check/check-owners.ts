// Checks ownership from the keys: every id in a key must belong to a collection, an index or
// garbage, and every chunked value to a record. A command may stage a value before it creates the
// collection.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { idKey, keyClass, ownersId } from '../../store/layout.js'
import type { Program, ReadTx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import {
  chunkRange,
  membersChunks,
  membersRange,
  stagingKey,
  type ValueId,
} from '../background/garbage.js'
import { findNamespaceById } from '../collection/catalog/catalog.js'
import { eachNamespace } from '../collection/catalog/catalog-walk.js'
import type { MembersId } from '../types.js'
import type { Container } from './check-container.js'
import { headAt } from './check-members.js'
import { isUnreadable, oneState } from './check-steps.js'
import { type Commits, certainStrays, idsOfValues, listedGarbage } from './check-strays.js'

interface Known {
  readonly namespaces: ReadonlySet<number>
  readonly indexes: ReadonlySet<number>
  /** Staging keys of values that are being staged or deleted, and the ids in their keys. */
  readonly values: ReadonlySet<string>
  readonly idsOfValues: ReadonlySet<number>
}

const u32Max = 0xffff_ffff

const classes = [
  { name: 'records', ofClass: keyClass.record, owners: 'namespaces' },
  { name: 'entries', ofClass: keyClass.entry, owners: 'indexes' },
  { name: 'chunks', ofClass: keyClass.chunk, owners: 'values' },
  { name: 'a count', ofClass: keyClass.count, owners: 'either' },
] as const

/** Chunks of members are checked one by one; the sums of owners belong to no collection. */
const firstIds: ReadonlyMap<number, number> = new Map([
  [keyClass.chunk, membersChunks + 1],
  [keyClass.count, ownersId + 1],
])

/** Chunked values that records refer to, and the containers that own members. */
interface Referred {
  readonly values: readonly ValueId[]
  readonly containers: readonly Container[]
}

/** Describes data without an owner. Pass `referred` only if every record could be read. */
export function* checkOwners(referred: Referred | undefined, commits: Commits): Sweep<string[]> {
  const texts: string[] = []
  const known = yield* readPhase(readKnown)
  for (const { name, ofClass, owners } of classes) {
    let from = firstIds.get(ofClass) ?? 0
    for (const owned of [...ownedIds(known, owners), u32Max + 1]) {
      if (owned < from) continue
      const gap: Gap = { name, ofClass, owners, from, end: owned }
      for (const text of yield* strayIds(gap)) texts.push(text)
      from = owned + 1
    }
  }
  if (referred === undefined) return texts
  const referredKeys = new Set(referred.values.map((value) => mapKey(stagingKey(value))))
  const ids = new Set(referred.containers.map(({ id }) => id))
  const suspects = {
    values: yield* strayValues(referredKeys),
    members: yield* strayMembers(ids),
  }
  const strays = yield* certainStrays(suspects, commits)
  for (const value of strays.values) {
    texts.push(`chunks of value ${value.number}, which no record refers to`)
  }
  for (const id of strays.members) texts.push(`members ${id}, which no key has`)
  for (const text of yield* sharedMembers(referred.containers)) texts.push(text)
  return texts
}

type Owners = (typeof classes)[number]['owners']

/** Ids that may own keys of a class, in order. */
function ownedIds({ namespaces, indexes, idsOfValues }: Known, owners: Owners): number[] {
  const ids = new Set([
    ...(owners === 'indexes' ? [] : namespaces),
    ...(owners === 'indexes' || owners === 'either' ? indexes : []),
    ...(owners === 'values' ? idsOfValues : []),
  ])
  return [...ids].sort((a, b) => a - b)
}

/** Ids of a class from `from` (inclusive) to `end` (exclusive) without a known owner. */
interface Gap {
  readonly name: string
  readonly ofClass: number
  readonly owners: Owners
  readonly from: number
  readonly end: number
}

/** Describes the data in a gap. It reads no owned data, which may be damaged. */
function* strayIds({ name, ofClass, owners, from, end }: Gap): Sweep<string[]> {
  const texts: string[] = []
  let start = from
  try {
    while (start < end) {
      const gap = { ofClass, from: start, end }
      const id = yield* readPhase((tx) => nextId(tx, gap))
      if (id === undefined) break
      if (yield* readPhase(strayId(ofClass, id, owners), oneState)) {
        texts.push(`${name} of id ${id}, which belongs to nothing`)
      }
      start = id + 1
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    texts.push(`${name} between those of what is known: ${error.message}`)
  }
  return texts
}

function* nextId(
  tx: ReadTx,
  { ofClass, from, end }: Pick<Gap, 'ofClass' | 'from' | 'end'>,
): Program<number | undefined> {
  const behind = end > u32Max ? Uint8Array.of(ofClass + 1) : idKey(ofClass, end)
  const [first] = yield* tx.scan({ start: idKey(ofClass, from), end: behind }, 1)
  return first === undefined ? undefined : viewOf(first.key).getUint32(1)
}

/** Checks keys and catalog again in one state: a collection may have been created or dropped. */
function strayId(ofClass: number, id: number, owners: Owners): (tx: ReadTx) => Program<boolean> {
  return function* (tx) {
    if (ownedIds(yield* readKnown(tx), owners).includes(id)) return false
    return (yield* nextId(tx, { ofClass, from: id, end: id + 1 })) === id
  }
}

function* readKnown(tx: ReadTx): Program<Known> {
  const namespaces = new Set<number>()
  const indexes = new Set<number>()
  const values = new Set<string>()
  yield* eachNamespace(tx, (ns) => {
    namespaces.add(ns.id)
    for (const index of ns.indexes) indexes.add(index.id)
    return undefined
  })
  const listed = yield* listedGarbage(tx)
  for (const garbage of listed) {
    if ('namespace' in garbage) namespaces.add(garbage.namespace)
    else if (garbage.what === 'index') indexes.add(garbage.index)
    else if (garbage.what === 'value') values.add(mapKey(stagingKey(garbage.value)))
  }
  return { namespaces, indexes, values, idsOfValues: idsOfValues(listed) }
}

/**
 * Chunked values that have no reference, are not on a list, and belong to no dropped collection.
 */
function* strayValues(referred: ReadonlySet<string>): Sweep<ValueId[]> {
  const stray: ValueId[] = []
  let start: Bytes = Uint8Array.of(keyClass.chunk)
  for (;;) {
    const from = start
    const value = yield* readPhase((tx) => nextValue(tx, from))
    if (value === undefined) return stray
    const isReferred = referred.has(mapKey(stagingKey(value)))
    if (!isReferred && (yield* readPhase(strayValue(value), oneState))) stray.push(value)
    start = chunkRange(value).end
  }
}

function* nextValue(tx: ReadTx, start: Bytes): Program<ValueId | undefined> {
  const [first] = yield* tx.scan({ start, end: Uint8Array.of(keyClass.chunk + 1) }, 1)
  if (first === undefined) return undefined
  const view = viewOf(first.key)
  const number = view.getUint32(5) * 0x1_0000_0000 + view.getUint32(9)
  return { namespace: view.getUint32(1) as ValueId['namespace'], number }
}

function strayValue(value: ValueId): (tx: ReadTx) => Program<boolean> {
  return function* (tx) {
    const { values, idsOfValues: ids } = yield* readKnown(tx)
    if (values.has(mapKey(stagingKey(value)))) return false
    if (value.namespace === membersChunks || ids.has(value.namespace)) return true
    return (yield* findNamespaceById(tx, value.namespace)) !== undefined
  }
}

/** Ids of members that no known container has. */
function* strayMembers(seen: ReadonlySet<MembersId>): Sweep<MembersId[]> {
  const stray: MembersId[] = []
  let start: Bytes = Uint8Array.of(keyClass.member)
  for (;;) {
    const from = start
    const id = yield* readPhase((tx) => nextMembers(tx, from))
    if (id === undefined) return stray
    if (!seen.has(id)) stray.push(id)
    start = membersRange(id).end
  }
}

function* nextMembers(tx: ReadTx, start: Bytes): Program<MembersId | undefined> {
  const [first] = yield* tx.scan({ start, end: Uint8Array.of(keyClass.member + 1) }, 1)
  if (first === undefined) return undefined
  const view = viewOf(first.key)
  return (view.getUint32(1) * 0x1_0000_0000 + view.getUint32(5)) as MembersId
}

/**
 * Finds two keys with the same members. Both are read in one state, since a key may have been
 * renamed.
 */
function* sharedMembers(containers: readonly Container[]): Sweep<string[]> {
  const first = new Map<MembersId, Container>()
  const texts: string[] = []
  for (const container of containers) {
    const other = first.get(container.id)
    if (other === undefined) first.set(container.id, container)
    else if (yield* readPhase((tx) => haveBoth(tx, [container, other]), oneState)) {
      texts.push(`members ${container.id} of both ${other.name} and ${container.name}`)
    }
  }
  return texts
}

function* haveBoth(tx: ReadTx, containers: readonly Container[]): Program<boolean> {
  for (const { record, id } of containers) {
    if ((yield* headAt(tx, record))?.head.id !== id) return false
  }
  return true
}

function viewOf(bytes: Bytes): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
