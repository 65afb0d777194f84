// Work whose outcome tells which of it has happened: lanes of numbered operations on documents with
// two indexes, some of them large, each counted in one head document by the same program. Whatever
// a crash leaves, the head says which operations must be there; everything else follows from them.

import { idRange } from '../../../src/engine/background/garbage.js'
import { createNamespace, findNamespace } from '../../../src/engine/collection/catalog/catalog.js'
import {
  findById,
  insertDocument,
  recordKey,
  removeDocument,
  replaceDocument,
  stagedWrite,
} from '../../../src/engine/collection/collections.js'
import { documentOfRecord } from '../../../src/engine/collection/records.js'
import type { Staged } from '../../../src/engine/collection/staging.js'
import { parseIndexSpecs } from '../../../src/engine/index/index-spec.js'
import { declareIndexes } from '../../../src/engine/index/indexes.js'
import type { Namespace } from '../../../src/engine/types.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../../../src/store/store.js'
import { runSweep } from '../../../src/store/sweep.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import type { Document } from '../../../src/value/value.js'
import { createOptions, indexSpecs } from '../engine-room.js'
import { toObject } from '../literal.js'

export const lanes = 8
/** Documents of a lane live for so many of its operations. */
const lifetime = 40
/** Above what is kept in one record. */
const largeBytes = 350_000
const db = 'main'

/** One operation that was acknowledged: the `count`-th of all, the `number`-th of its lane. */
export interface Done {
  readonly count: number
  readonly lane: number
  readonly number: number
}

/** What the head says: operations of all, and of each lane. */
export interface Head {
  readonly count: number
  readonly lanes: readonly number[]
}

interface Change {
  readonly id: string
  /** Undefined: removed. */
  readonly document: Document | undefined
}

type Plain = Readonly<Record<string, unknown>>

/** The collections, empty; the head last, so that where it is everything is. */
export async function makeLedger(store: Store): Promise<void> {
  const specs = parseIndexSpecs(indexSpecs([{ amount: 1 }], [{ tags: 1, lane: -1 }]))
  await store.write((tx) => declareIndexes(tx, db, 'things', specs, createOptions))
  await store.write(function* (tx) {
    const ns = yield* createNamespace(tx, db, 'head', createOptions)
    yield* insertDocument(tx, ns, headDocument({ count: 0, lanes: new Array(lanes).fill(0) }))
  })
}

/** Runs the next operation of a lane; resolves with what was done. */
export function runNext(store: Store, lane: number): Promise<Done> {
  return runSweep(
    store,
    stagedWrite((tx, staged) => next(tx, lane, staged)),
  )
}

function* next(tx: Tx, lane: number, staged: Staged): Program<Done> {
  const heads = yield* collection(tx, 'head')
  const things = yield* collection(tx, 'things')
  const headBytes = yield* findById(tx, heads, valueFrom(0))
  if (headBytes === undefined) throw new Error('the head is missing')
  const head = headOf(headBytes)
  const number = (head.lanes[lane] ?? 0) + 1
  for (const { id, document } of changesOf(lane, number)) {
    const key = valueFrom(id)
    const before = yield* findById(tx, things, key)
    const at = recordKey(things, key)
    if (document === undefined) {
      if (before !== undefined) yield* removeDocument(tx, things, at, before)
    } else if (before === undefined) yield* insertDocument(tx, things, document, staged)
    else yield* replaceDocument(tx, things, at, before, document, staged)
  }
  const after = { count: head.count + 1, lanes: head.lanes.with(lane, number) }
  const at = recordKey(heads, valueFrom(0))
  yield* replaceDocument(tx, heads, at, headBytes, headDocument(after))
  return { count: after.count, lane, number }
}

/** The head and what is wrong with the documents; undefined where the ledger was not made yet. */
export async function readLedger(
  store: Store,
): Promise<{ head: Head; problems: string[] } | undefined> {
  const head = await store.read(readHead)
  if (head === undefined) return undefined
  const expected = documentsAfter(head)
  const problems: string[] = []
  const found = await store.read(readThings)
  for (const [id, document] of found) {
    const wanted = expected.get(id)
    if (wanted === undefined) problems.push(`document ${id} is there, but was removed`)
    else if (Buffer.compare(wanted, document) !== 0) problems.push(`document ${id} is another`)
  }
  for (const id of expected.keys()) {
    if (!found.has(id)) problems.push(`document ${id} is missing`)
  }
  const sum = head.lanes.reduce((all, count) => all + count, 0)
  if (sum !== head.count) problems.push(`the lanes' counts are ${sum} together, not ${head.count}`)
  return { head, problems }
}

/** The documents that must be there, by id. */
export function documentsAfter(head: Head): Map<string, Document> {
  const documents = new Map<string, Document>()
  for (const [lane, count] of head.lanes.entries()) {
    for (const [id, document] of laneAfter(lane, count)) documents.set(id, document)
  }
  return documents
}

/** Whether an acknowledged operation is there, by the head. */
export function holds(head: Head, { count, lane, number }: Done): boolean {
  return head.count >= count && (head.lanes[lane] ?? 0) >= number
}

function* readHead(tx: ReadTx): Program<Head | undefined> {
  const ns = yield* findNamespace(tx, db, 'head')
  const found = ns === undefined ? undefined : yield* findById(tx, ns, valueFrom(0))
  return found === undefined ? undefined : headOf(found)
}

function* readThings(tx: ReadTx): Program<Map<string, Document>> {
  const ns = yield* collection(tx, 'things')
  const found = new Map<string, Document>()
  const { end, ...range } = idRange(keyClass.record, ns.id)
  for (let { start } = range; ; ) {
    const entries = yield* tx.scan({ start, end }, 500)
    for (const { value } of entries) {
      const document = yield* documentOfRecord(tx, value)
      found.set(String(toObject(document)._id), document)
    }
    const last = entries.at(-1)
    if (last === undefined) return found
    start = Uint8Array.of(...last.key, 0)
  }
}

function* collection(tx: ReadTx, name: string): Program<Namespace> {
  const ns = yield* findNamespace(tx, db, name)
  if (ns === undefined) throw new Error(`the collection ${name} is missing`)
  return ns
}

/** The documents of a lane after its first `count` operations. */
function laneAfter(lane: number, count: number): Map<string, Document> {
  const documents = new Map<string, Document>()
  for (let number = Math.max(1, count - 2 * lifetime); number <= count; number++) {
    for (const { id, document } of changesOf(lane, number)) {
      if (document === undefined) documents.delete(id)
      else documents.set(id, document)
    }
  }
  for (const id of documents.keys()) {
    if (Number(id.split('-')[1]) <= count - lifetime) documents.delete(id)
  }
  return documents
}

/** What operation `number` of a lane does; a later one may put and remove the same documents. */
function changesOf(lane: number, number: number): Change[] {
  const put = (of: number) => ({ id: `${lane}-${of}`, document: thing(lane, of, number) })
  const remove = (of: number) => ({ id: `${lane}-${of}`, document: undefined })
  const expired = remove(number - lifetime)
  switch (number % 8) {
    case 5:
      return [put(number), put(number - 4), expired]
    case 6:
      return [put(number - 3), expired]
    case 7:
      return [remove(number - 5), put(number), expired]
    case 0:
      return [put(number), put(number - 7), put(number - 6), remove(number - 1), expired]
    default:
      return [put(number), expired]
  }
}

/** A document as operation `number` puts it. */
function thing(lane: number, of: number, number: number): Document {
  const mix = (lane * 7_919 + of * 104_729 + number * 1_299_709) >>> 0
  const isLarge = of === number && number % 100 === 12 * lane + 1
  const document: Plain = {
    _id: `${lane}-${of}`,
    lane,
    amount: mix % 1_000,
    tags: [`t${mix % 13}`, `t${mix % 29}`, number],
    text: `${mix} `.repeat(isLarge ? largeBytes / 8 : mix % 70),
  }
  return documentFrom(document)
}

function headDocument({ count, lanes: counts }: Head): Document {
  return documentFrom({ _id: 0, count, lanes: counts })
}

function headOf(document: Document): Head {
  const { count, lanes: counts } = toObject(document) as { count: unknown; lanes: unknown[] }
  return { count: Number(count), lanes: counts.map(Number) }
}
