// The part of a check that starts from the keys: every id that stands in one must belong to a
// collection, an index or something that is being deleted, and every chunked value to a record.

import { type Bytes, mapKey } from '../base/bytes.js'
import { scanEntriesMax } from '../base/limits.js'
import { idKey, keyClass } from '../store/layout.js'
import type { Program, ReadTx } from '../store/store.js'
import { readPhase, type Sweep } from '../store/sweep.js'
import { listNamespaces } from './catalog.js'
import {
  chunkRange,
  garbageOf,
  garbageRange,
  stagingKey,
  stagingRange,
  type ValueId,
} from './garbage.js'

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

/** Texts about what nobody owns. `referred` are the values that records refer to. */
export function* checkOwners(referred: readonly ValueId[]): Sweep<string[]> {
  const texts: string[] = []
  const known = yield* readPhase(readKnown)
  for (const { name, ofClass, owners } of classes) {
    let from = 0
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
  const referredKeys = new Set(referred.map((value) => mapKey(stagingKey(value))))
  for (const value of yield* strayValues(referredKeys)) {
    texts.push(`chunks of value ${value.number}, which no record refers to`)
  }
  return texts
}

const oneState = { snapshot: true } as const

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
  for (const range of [garbageRange, stagingRange]) {
    let { start } = range
    for (;;) {
      const entries = yield* tx.scan({ start, end: range.end }, scanEntriesMax)
      for (const { key } of entries) {
        const garbage = garbageOf(key)
        if (garbage.what === 'namespace') namespaces.add(garbage.namespace)
        else if (garbage.what === 'index') indexes.add(garbage.index)
        else values.add(mapKey(stagingKey(garbage.value)))
      }
      const last = entries.at(-1)
      if (last === undefined || entries.length < scanEntriesMax) break
      start = Buffer.concat([last.key, Uint8Array.of(0)])
    }
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
    const live = yield* listNamespaces(tx)
    return live.some((ns) => ns.id === value.namespace)
  }
}

function viewOf(bytes: Bytes): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
