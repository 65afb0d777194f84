// Figures of collections and databases: collStats, dbStats and the stages $collStats and
// $indexStats. All come from counters that every write keeps, never from a scan. Sizes are BSON
// bytes; an index's size is that of its entries, and `_id_` has none, being the records themselves.

import { fail } from '../base/errors.js'
import type { Program, ReadTx } from '../store/store.js'
import { field, fieldsOf } from '../value/elements.js'
import { integerOf } from '../value/numbers.js'
import { bsonType, type Document, numberValue, type Value } from '../value/value.js'
import { type DocumentWriter, writeDocument } from '../value/writer.js'
import { countKey, countOf, listNamespaces } from './catalog.js'
import { idIndexName, idIndexSpec } from './index-spec.js'
import type { IndexUse } from './index-use.js'
import type { Provider } from './pipeline-source.js'
import type { Guarded, IndexDescriptor, Namespace } from './types.js'

interface IndexFigures {
  readonly name: string
  readonly state: IndexDescriptor['state']
  readonly bytes: number
}

export interface CollectionFigures {
  readonly documents: number
  /** Bytes of the documents. */
  readonly bytes: number
  /** Without `_id_`. */
  readonly indexes: readonly IndexFigures[]
  /** Bytes of all index entries. */
  readonly indexBytes: number
}

const nothing: CollectionFigures = { documents: 0, bytes: 0, indexes: [], indexBytes: 0 }

/** Zeros for a missing collection. */
export function* collectionFigures(
  tx: ReadTx,
  ns: Namespace | undefined,
): Program<CollectionFigures> {
  if (ns === undefined) return nothing
  const { documents, bytes } = yield* countOf(tx, ns)
  const indexes: IndexFigures[] = []
  let indexBytes = 0
  for (const { id, name, state } of ns.indexes) {
    const count = yield* tx.count(countKey(id))
    indexes.push({ name, state, bytes: count.bytes })
    indexBytes += count.bytes
  }
  return { documents, bytes, indexes, indexBytes }
}

/** The storage part of collStats and $collStats, in units of `scale` bytes. */
export function writeStorageStats(
  out: DocumentWriter,
  figures: CollectionFigures,
  scale: number,
): void {
  const { documents, bytes, indexes, indexBytes } = figures
  const scaled = (n: number): Value => numberValue(Math.floor(n / scale))
  out.value('size', scaled(bytes)).value('count', numberValue(documents))
  if (documents > 0) out.value('avgObjSize', numberValue(Math.floor(bytes / documents)))
  out.int32('numOrphanDocs', 0).value('storageSize', scaled(bytes)).int32('freeStorageSize', 0)
  out
    .bool('capped', false)
    .int32('nindexes', indexes.length + 1)
    .openArray('indexBuilds')
  indexes
    .filter(({ state }) => state === 'building')
    .forEach(({ name }, i) => {
      out.string(String(i), name)
    })
  out.close().value('totalIndexSize', scaled(indexBytes))
  out.value('totalSize', scaled(bytes + indexBytes)).openDocument('indexSizes')
  out.int32(idIndexName, 0)
  for (const { name, bytes: size } of indexes) out.value(name, scaled(size))
  out.close().value('scaleFactor', numberValue(scale))
}

/** The reply of collStats without `ok`. */
export function collStatsDocument(
  name: string,
  figures: CollectionFigures,
  scale: number,
): Document {
  return writeDocument((out) => {
    out.string('ns', name)
    writeStorageStats(out, figures, scale)
  })
}

/** Sizes of the file system, bytes. */
export interface FileSystemSizes {
  readonly usedBytes: number
  readonly totalBytes: number
}

/** The reply of dbStats without `ok`, over the collections that `isVisible` lets through. */
export function* dbStats(
  tx: ReadTx & Guarded,
  db: string,
  scale: number,
  files: FileSystemSizes,
  isVisible: (ns: Namespace) => boolean = () => true,
): Program<Document> {
  const sum = { collections: 0, documents: 0, bytes: 0, indexes: 0, indexBytes: 0 }
  for (const ns of yield* listNamespaces(tx, db)) {
    if (!isVisible(ns)) continue
    const figures = yield* collectionFigures(tx, ns)
    sum.collections++
    sum.documents += figures.documents
    sum.bytes += figures.bytes
    sum.indexes += figures.indexes.length + 1
    sum.indexBytes += figures.indexBytes
  }
  return writeDocument((out) => {
    const { collections, documents, bytes, indexes, indexBytes } = sum
    out.string('db', db).int32('collections', collections).int32('views', 0)
    out.value('objects', numberValue(documents))
    out.double('avgObjSize', documents === 0 ? 0 : bytes / documents)
    out.double('dataSize', bytes / scale).double('storageSize', bytes / scale)
    out.int32('indexes', indexes).double('indexSize', indexBytes / scale)
    out.double('totalSize', (bytes + indexBytes) / scale).double('scaleFactor', scale)
    out.double('fsUsedSize', files.usedBytes / scale)
    out.double('fsTotalSize', files.totalBytes / scale)
  })
}

/** `scale` of collStats, dbStats and storageStats: a number from 1; its fraction is cut. */
export function scaleOf(value: Value | undefined): number {
  if (value === undefined) return 1
  if (!value.isNumber) {
    throw fail('TypeMismatch', "BSON field 'scale' is the wrong type, expected type 'number'")
  }
  const scale = integerOf(value) ?? 0
  if (scale >= 1) return scale
  throw fail('BadValue', 'Scale factor must be greater than zero')
}

/** What the providers print of this process. */
export interface StatsPlace {
  readonly host: string
  /** Milliseconds since 1970. */
  readonly now: number
}

const latencyKinds = ['reads', 'writes', 'commands', 'transactions'] as const

/** $collStats. Throws NamespaceNotFound for a missing collection. */
export function collStatsProvider({ host, now }: StatsPlace, name: string): Provider {
  return function* (tx, ns, { spec }) {
    if (ns === undefined) throw fail('NamespaceNotFound', `Collection [${name}] not found.`)
    const asked = new Map(fieldsOf(spec))
    for (const option of asked.keys()) requireKnown(option)
    const figures = yield* collectionFigures(tx, ns)
    const document = writeDocument((out) => {
      out.string('ns', name).string('host', host).date('localTime', now)
      if (asked.has('latencyStats')) writeLatencies(out)
      const storage = asked.get('storageStats')
      if (storage !== undefined) {
        const scale =
          storage.type === bsonType.object ? field(storage.payload(), 'scale') : undefined
        out.openDocument('storageStats')
        writeStorageStats(out, figures, scaleOf(scale))
        out.close()
      }
      if (asked.has('count')) out.value('count', numberValue(figures.documents))
      if (asked.has('queryExecStats')) {
        out.openDocument('queryExecStats').openDocument('collectionScans')
        out.int64('total', 0).int64('nonTailable', 0).close().close()
      }
    })
    return [document]
  }
}

const collStatsOptions = ['latencyStats', 'storageStats', 'count', 'queryExecStats']

function requireKnown(option: string): void {
  if (collStatsOptions.includes(option)) return
  throw fail('Location40415', `BSON field '$collStats.${option}' is an unknown field.`)
}

/** Latencies are not measured by collection: the shape with zeros. */
function writeLatencies(out: DocumentWriter): void {
  out.openDocument('latencyStats')
  for (const kind of latencyKinds) {
    out.openDocument(kind).int64('latency', 0).int64('ops', 0).close()
  }
  out.close()
}

/** $indexStats; nothing for a missing collection. */
export function indexStatsProvider({ host }: StatsPlace, use: IndexUse): Provider {
  return function* (_tx, ns) {
    if (ns === undefined) return []
    const lines = ns.indexes.map((index) => ({
      name: index.name,
      spec: index.spec,
      operations: use.operations(index),
    }))
    const all = [{ name: idIndexName, spec: idIndexSpec, operations: use.points(ns) }, ...lines]
    return all.map(({ name, spec, operations }) =>
      writeDocument((out) => {
        out.string('name', name)
        const key = field(spec, 'key')
        if (key !== undefined) out.value('key', key)
        out.string('host', host).openDocument('accesses')
        out.int64('ops', operations).date('since', use.sinceMs).close().document('spec', spec)
      }),
    )
  }
}
