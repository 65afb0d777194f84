// Secondary indexes of the catalog, so that no command lists all of it: the name for an id, the
// collections that a wallet may reach, those with TTL indexes. The records are put with each
// descriptor. Readers check the descriptor itself, so a stale record misleads no reader.
// (docs/design/storage.md, "Key space")

import { type Bytes, compareBytes, concatBytes, textOf, utf8 } from '../../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { entryUnits } from '../../../base/work/work-figures.js'
import { idKey, keyClass } from '../../../store/layout.js'
import type { KeyRange, Program, ReadTx, Tx } from '../../../store/store.js'
import type { Access, Namespace, NamespaceId } from '../../types.js'
import { isGraphPart } from './descriptors.js'
import { replacementPrefix } from './holdings.js'

/** Second byte of a catalog key. */
const kind = {
  name: 0x40,
  reach: 0x41,
  timed: 0x42,
  graph: 0x43,
  waiting: 0x44,
  unfinished: 0x45,
  maker: 0x46,
} as const

/** The name of a collection in the catalog. */
export interface CatalogName {
  readonly db: string
  readonly name: string
}

const addressBytes = 20
/** The presence of the record is its only content. */
const present = Uint8Array.of(1)
/** Stands for every wallet. */
const everybody: Bytes = new Uint8Array(addressBytes)

/** Puts the index records of a collection. */
export function putIndex(tx: Tx, ns: Namespace): void {
  const name = nameBytes(ns.db, ns.name)
  tx.put(idNameKey(ns.id), name)
  for (const reader of readersOf(ns.access)) tx.put(reachKey(reader, name), present)
  if (ns.indexes.some(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)) {
    tx.put(timedKey(name), present)
  }
  if (isGraph(ns)) tx.put(graphKey(name), present)
  if (isUnfinished(ns)) tx.put(unfinishedKey(name), present)
}

/** Removes the index records of a collection's name. */
export function removeIndex(tx: Tx, ns: Namespace): void {
  const name = nameBytes(ns.db, ns.name)
  tx.remove(idNameKey(ns.id))
  for (const reader of readersOf(ns.access)) tx.remove(reachKey(reader, name))
  if (ns.indexes.some(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)) {
    tx.remove(timedKey(name))
  }
  if (isGraph(ns)) tx.remove(graphKey(name))
  if (isUnfinished(ns)) tx.remove(unfinishedKey(name))
  if (ns.name.startsWith(replacementPrefix)) tx.remove(makerKey(name))
}

/** Whether a start must process it: a build, a replacement, or keys of another ICU version. */
export function isUnfinished({ name, indexes, keyedBy }: Namespace): boolean {
  if (name.startsWith(replacementPrefix) || keyedBy !== undefined) return true
  return indexes.some((index) => index.state === 'building' || index.keyedBy !== undefined)
}

/** Removes the records that make a start process the collection. */
export function removeUnfinished(tx: Tx, { db, name }: CatalogName): void {
  tx.remove(unfinishedKey(nameBytes(db, name)))
  if (name.startsWith(replacementPrefix)) tx.remove(makerKey(nameBytes(db, name)))
}

/** Notes the gateway that makes a replacement, if there are others. */
export function putMaker(tx: Tx, { db, name }: CatalogName): void {
  if (tx.gateway !== undefined) tx.put(makerKey(nameBytes(db, name)), utf8(tx.gateway))
}

/** The gateway that makes a replacement; undefined if it was alone. */
export function* makerOf(tx: ReadTx, { db, name }: CatalogName): Program<string | undefined> {
  const maker = yield* tx.get(makerKey(nameBytes(db, name)))
  return maker === undefined ? undefined : textOf(maker)
}

function makerKey(name: Bytes): Bytes {
  return concatBytes(Uint8Array.of(keyClass.catalog, kind.maker), name)
}

function unfinishedKey(name: Bytes): Bytes {
  return concatBytes(Uint8Array.of(keyClass.catalog, kind.unfinished), name)
}

/** A graph is listed by its part `anchors`. */
function isGraph({ name }: Namespace): boolean {
  return isGraphPart(name) && name.endsWith('.anchors')
}

/**
 * The keys of this range end with the database, a zero, and the name of a graph's part `anchors`.
 */
export const graphPartsRange: KeyRange = {
  start: Uint8Array.of(keyClass.catalog, kind.graph),
  end: Uint8Array.of(keyClass.catalog, kind.graph + 1),
}

/** Records of graphs that the anchoring job must process. */
export const waitingGraphsRange: KeyRange = {
  start: Uint8Array.of(keyClass.catalog, kind.waiting),
  end: Uint8Array.of(keyClass.catalog, kind.waiting + 1),
}

/** `name` is the graph's part `anchors`. */
export function waitingKey(db: string, name: string): Bytes {
  return concatBytes(waitingGraphsRange.start, nameBytes(db, name))
}

/** Makes the anchoring job process a graph, if the collection is its part `anchors`. */
export function putWaiting(tx: Tx, ns: Namespace): void {
  if (isGraph(ns)) tx.put(waitingKey(ns.db, ns.name), present)
}

function graphKey(name: Bytes): Bytes {
  return concatBytes(graphPartsRange.start, name)
}

/** Removes the record of an id that is no longer used. */
export function removeId(tx: Tx, id: NamespaceId): void {
  tx.remove(idNameKey(id))
}

/** Removes the readers that a collection's new access excludes. */
export function removeReach(tx: Tx, ns: Namespace, before: Access): void {
  const name = nameBytes(ns.db, ns.name)
  for (const reader of readersOf(before)) tx.remove(reachKey(reader, name))
}

/** The name recorded for this id; it may be stale. */
export function* nameOfId(tx: ReadTx, id: number): Program<CatalogName | undefined> {
  const bytes = yield* tx.get(idNameKey(id))
  return bytes === undefined ? undefined : nameIn(bytes, 0)
}

/**
 * Names of the collections that a wallet (EIP-55) may reach as owner, by a role or by their mode,
 * by database and name. Without a wallet: those that all clients may reach. May include some more.
 */
export function* reachableNames(
  tx: ReadTx,
  address: string | undefined,
): Program<readonly CatalogName[]> {
  const found = yield* namesIn(tx, reachKey(everybody, noName))
  if (address === undefined) return found
  return yield* merged(tx, yield* namesIn(tx, reachKey(readerOf(address), noName)), found)
}

/** Merges two lists in key order; a name in both appears once. */
function* merged(
  tx: ReadTx,
  own: readonly CatalogName[],
  all: readonly CatalogName[],
): Program<CatalogName[]> {
  const found: CatalogName[] = []
  let next = 0
  for (const each of all) {
    yield* tx.pause(entryUnits)
    const key = keyOfName(each)
    for (; next < own.length; next++) {
      const order = compareBytes(keyOfName(own[next] as CatalogName), key)
      if (order < 0) found.push(own[next] as CatalogName)
      else {
        if (order === 0) next++
        break
      }
    }
    found.push(each)
  }
  for (; next < own.length; next++) found.push(own[next] as CatalogName)
  return found
}

function keyOfName(name: CatalogName): Bytes {
  return utf8(textOfName(name))
}

/** Names of the collections with TTL indexes. May include some more. */
export function timedNames(tx: ReadTx): Program<CatalogName[]> {
  return namesIn(tx, timedKey(noName))
}

/** Names of the collections that a start must process. May include some more. */
export function unfinishedNames(tx: ReadTx): Program<CatalogName[]> {
  return namesIn(tx, unfinishedKey(noName))
}

function* namesIn(tx: ReadTx, prefix: Bytes): Program<CatalogName[]> {
  const found: CatalogName[] = []
  const end = prefix.slice()
  let last = end.length - 1
  while (end[last] === 0xff) last--
  end[last] = (end[last] ?? 0) + 1
  for (let start = prefix; ; ) {
    const page = yield* tx.scan({ start, end: end.subarray(0, last + 1) }, scanEntriesMax)
    for (const { key } of page) found.push(nameIn(key, prefix.length))
    const behind = page.at(-1)
    if (behind === undefined || page.length < scanEntriesMax) return found
    start = concatBytes(behind.key, Uint8Array.of(0))
  }
}

/** The wallets whose listings show the collection: its owner, role holders, or all by its mode. */
function readersOf({ owner, mode, roles }: Access): Bytes[] {
  const readers = [...(owner === null ? [] : [owner]), ...Object.keys(roles)].map(readerOf)
  return mode === 'private' ? readers : [...readers, everybody]
}

function readerOf(address: string): Bytes {
  return new Uint8Array(Buffer.from(address.slice(2), 'hex'))
}

const noName = new Uint8Array(0)

function idNameKey(id: number): Bytes {
  return concatBytes(Uint8Array.of(keyClass.catalog), idKey(kind.name, id))
}

function reachKey(reader: Bytes, name: Bytes): Bytes {
  return concatBytes(Uint8Array.of(keyClass.catalog, kind.reach), reader, name)
}

function timedKey(name: Bytes): Bytes {
  return concatBytes(Uint8Array.of(keyClass.catalog, kind.timed), name)
}

function nameBytes(db: string, name: string): Bytes {
  return utf8(`${db}\0${name}`)
}

function nameIn(bytes: Bytes, from: number): CatalogName {
  const middle = bytes.indexOf(0, from)
  return { db: textOf(bytes, from, middle), name: textOf(bytes, middle + 1) }
}

function textOfName({ db, name }: CatalogName): string {
  return `${db}\0${name}`
}
