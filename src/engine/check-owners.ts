// The part of a check that starts from the keys: every id that stands in one must belong to a
// collection, an index or something that is being deleted, and every chunked value to a record.

import { type Bytes, mapKey } from '../base/bytes.js'
import { idKey, keyClass } from '../store/layout.js'
import type { Program, ReadTx } from '../store/store.js'
import { readPhase, type Sweep } from '../store/sweep.js'
import { listNamespaces } from './catalog.js'
import type { Container } from './check-container.js'
import { headAt } from './check-members.js'
import { oneState } from './check-steps.js'
import { type Commits, certainStrays, listedGarbage } from './check-strays.js'
import { chunkRange, membersChunks, membersRange, stagingKey, type ValueId } from './garbage.js'
import type { MembersId } from './types.js'

interface Known {
  readonly namespaces: ReadonlySet<number>
  readonly indexes: ReadonlySet<number>
  /** Staging keys of values that are being staged or deleted. */
  readonly values: ReadonlySet<string>
}

const u32Max = 0xffff_ffff

const classes = [
  { name: 'records', ofClass: keyClass.record, owners: 'namespaces' },
  { name: 'entries', ofClass: keyClass.entry, owners: 'indexes' },
  { name: 'chunks', ofClass: keyClass.chunk, owners: 'namespaces' },
  { name: 'a count', ofClass: keyClass.count, owners: 'either' },
] as const

/** What was seen to be referred to, and the containers that members were seen to belong to. */
export interface Referred {
  readonly values: readonly ValueId[]
  readonly containers: readonly Container[]
}

/** Texts about what nobody owns. `referred` only where every record could be read. */
export function* checkOwners(referred: Referred | undefined, commits: Commits): Sweep<string[]> {
  const texts: string[] = []
  const known = yield* readPhase(readKnown)
  for (const { name, ofClass, owners } of classes) {
    // The chunks of members are looked at one by one.
    let from = ofClass === keyClass.chunk ? membersChunks + 1 : 0
    for (;;) {
      const start = from
      const id = yield* readPhase((tx) => nextId(tx, ofClass, start))
      if (id === undefined) break
      if (
        !isOwner(known, owners, id) &&
        (yield* readPhase(strayId(ofClass, id, owners), oneState))
      ) {
        texts.push(`${name} of id ${id}, which belongs to nothing`)
      }
      if (id === u32Max) break
      from = id + 1
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

function isOwner({ namespaces, indexes }: Known, owners: Owners, id: number): boolean {
  if (owners !== 'indexes' && namespaces.has(id)) return true
  return owners !== 'namespaces' && indexes.has(id)
}

function* nextId(tx: ReadTx, ofClass: number, from: number): Program<number | undefined> {
  const range = { start: idKey(ofClass, from), end: Uint8Array.of(ofClass + 1) }
  const [first] = yield* tx.scan(range, 1)
  return first === undefined ? undefined : viewOf(first.key).getUint32(1)
}

/** Looks again, at keys and catalog together: others may have made or dropped a collection. */
function strayId(ofClass: number, id: number, owners: Owners): (tx: ReadTx) => Program<boolean> {
  return function* (tx) {
    if ((yield* nextId(tx, ofClass, id)) !== id) return false
    return !isOwner(yield* readKnown(tx), owners, id)
  }
}

function* readKnown(tx: ReadTx): Program<Known> {
  const namespaces = new Set<number>()
  const indexes = new Set<number>()
  const values = new Set<string>()
  for (const ns of yield* listNamespaces(tx)) {
    namespaces.add(ns.id)
    for (const index of ns.indexes) indexes.add(index.id)
  }
  for (const garbage of yield* listedGarbage(tx)) {
    if ('namespace' in garbage) namespaces.add(garbage.namespace)
    else if (garbage.what === 'index') indexes.add(garbage.index)
    else if (garbage.what === 'value') values.add(mapKey(stagingKey(garbage.value)))
  }
  return { namespaces, indexes, values }
}

/** Chunked values that are neither referred to nor on a list nor a dropped collection's. */
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
    const { values } = yield* readKnown(tx)
    if (values.has(mapKey(stagingKey(value)))) return false
    if (value.namespace === membersChunks) return true
    const live = yield* listNamespaces(tx)
    return live.some((ns) => ns.id === value.namespace)
  }
}

/** Ids that members lie under and no container was seen to have. */
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

/** Two keys with the same members: looked at together, since a key may have been renamed. */
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
