// Sizes and counts of collections and databases, in the forms of the document protocol and of HTTP.
// All come from exact counters, so no scan is needed.

import { hostname } from 'node:os'
import { fail } from '../../../base/errors.js'
import {
  anyValue,
  bool,
  collection,
  ignored,
  safeInt,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import type { LatencyBucket, NamespaceCounts, Spent } from '../../../bus/namespace-use.js'
import { plain } from '../../../bus/policy/facts.js'
import { latencyKinds } from '../../../bus/policy/meters.js'
import { shownNamespaces } from '../../../engine/collection/catalog/catalog.js'
import { countKey, countOf } from '../../../engine/collection/counters.js'
import {
  indexCountOf,
  keptIdIndex,
  secondaryIndexes,
} from '../../../engine/collection/kinds/capped-order.js'
import type { CollectionScans } from '../../../engine/index/index-use.js'
import { listedIndexes } from '../../../engine/index/indexes.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { field } from '../../../value/elements.js'
import { type Document, numberValue } from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'
import { targetResource } from '../arguments.js'
import { writeOwnRights } from './own-rights.js'

interface StorageFigures {
  readonly documents: number
  /** BSON bytes of the documents. */
  readonly bytes: number
  /** Bytes of index entries by index; `_id_` stands for the records themselves. */
  readonly indexBytes: readonly (readonly [name: string, bytes: number])[]
  readonly indexBytesTotal: number
  readonly totalBytes: number
}

const nothing: StorageFigures = {
  documents: 0,
  bytes: 0,
  indexBytes: [],
  indexBytesTotal: 0,
  totalBytes: 0,
}

export function* storageOf(tx: ReadTx, ns: Namespace | undefined): Program<StorageFigures> {
  if (ns === undefined) return nothing
  const { documents, bytes } = yield* countOf(tx, ns)
  const ofId = keptIdIndex(ns)
  let indexBytesTotal = ofId === undefined ? 0 : (yield* tx.count(countKey(ofId.id))).bytes
  const indexBytes: [string, number][] = []
  if (ns.timeSeries === undefined) indexBytes.push(['_id_', indexBytesTotal])
  for (const index of ns.timeSeries === undefined ? secondaryIndexes(ns) : ns.indexes) {
    const entries = yield* tx.count(countKey(index.id))
    indexBytes.push([index.name, entries.bytes])
    indexBytesTotal += entries.bytes
  }
  return { documents, bytes, indexBytes, indexBytesTotal, totalBytes: bytes + indexBytesTotal }
}

/** The figures in the form of collStats and of `$collStats: {storageStats}`. */
function writeStorage(
  writer: DocumentWriter,
  ns: Namespace | undefined,
  figures: StorageFigures,
  scale: number,
): void {
  const scaled = (bytes: number) => numberValue(Math.floor(bytes / scale))
  writer.value('size', scaled(figures.bytes)).value('count', numberValue(figures.documents))
  if (figures.documents > 0) {
    writer.value('avgObjSize', numberValue(Math.floor(figures.bytes / figures.documents)))
  }
  writer.int32('numOrphanDocs', 0).value('storageSize', scaled(figures.bytes))
  writer.int32('freeStorageSize', 0).bool('capped', ns?.capped !== undefined)
  if (ns?.capped !== undefined) {
    const { documentsMax = 0, bytesMax } = ns.capped
    writer.value('max', numberValue(documentsMax)).value('maxSize', scaled(bytesMax))
  }
  if (ns?.timeSeries !== undefined) writeSeries(writer, ns, figures)
  const listed = ns === undefined ? 0 : indexCountOf(ns)
  writer.int32('nindexes', listed).openArray('indexBuilds')
  for (const index of ns?.indexes ?? []) {
    if (index.state === 'building') writer.string(String(writer.size), index.name)
  }
  writer.close().value('totalIndexSize', scaled(figures.indexBytesTotal))
  writer.value('totalSize', scaled(figures.totalBytes)).openDocument('indexSizes')
  for (const [name, bytes] of figures.indexBytes) writer.value(name, scaled(bytes))
  writer.close().value('scaleFactor', numberValue(scale))
}

/** Reports each measurement as a bucket of its own, because Sigil stores them singly. */
function writeSeries(
  writer: DocumentWriter,
  { db, name }: Pick<Namespace, 'db' | 'name'>,
  { documents, bytes }: StorageFigures,
): void {
  writer.openDocument('timeseries').string('bucketsNs', `${db}.system.buckets.${name}`)
  writer.value('bucketCount', numberValue(documents))
  writer.value('avgBucketSize', numberValue(documents === 0 ? 0 : Math.floor(bytes / documents)))
  writer.close()
}

export function requireScale(scale: number): number {
  if (scale >= 1) return scale
  throw fail('Location51024', `BSON field 'scale' value must be >= 1, actual value '${scale}'`)
}

const collStats = documentRow({
  name: 'collStats',
  ...plain,
  roles: ['metadata'],
  aliases: ['collstats'],
  grain: 'read',
  access: 'reader',
  target: collection,
  params: { scale: withDefault(safeInt, 1), waitForLock: ignored, verbose: ignored },
  resources: targetResource('read'),
  help: 'Sizes and counts of a collection; zeros for a missing one.',
  *run(tx, call) {
    const scale = requireScale(call.args.scale)
    const ns = tx.namespace()
    const figures = yield* storageOf(tx, ns)
    return reply((writer) => {
      writer.string('ns', `${call.db}.${call.target}`)
      writeStorage(writer, ns, figures, scale)
    })
  },
})

const dbStats = documentRow({
  name: 'dbStats',
  ...plain,
  roles: ['metadata'],
  aliases: ['dbstats'],
  grain: 'read',
  access: 'reader',
  target: anyValue,
  params: { scale: withDefault(safeInt, 1), freeStorage: withDefault(bool, false) },
  resources: ({ db }) => [{ db, privileges: [] }],
  help: 'Sizes and counts of the collections of a database that the caller may read.',
  *run(tx, call) {
    const { scale } = call.args
    if (scale < 1) throw fail('BadValue', 'scale has to be > 0')
    const sum = { collections: 0, views: 0, documents: 0, bytes: 0, indexes: 0, indexBytes: 0 }
    for (const ns of yield* shownNamespaces(tx, call.db)) {
      if (!call.mayAt('read', ns)) continue
      if (ns.view !== undefined) {
        sum.views++
        continue
      }
      const figures = yield* storageOf(tx, ns)
      sum.collections++
      sum.documents += figures.documents
      sum.bytes += figures.bytes
      sum.indexes += figures.indexBytes.length
      sum.indexBytes += figures.indexBytesTotal
    }
    const average = sum.documents === 0 ? 0 : sum.bytes / sum.documents
    const scaled = (bytes: number) => numberValue(Math.floor(bytes / scale))
    return reply((writer) => {
      writer.string('db', call.db).int32('collections', sum.collections).int32('views', sum.views)
      writer.value('objects', numberValue(sum.documents)).double('avgObjSize', average)
      writer.value('dataSize', scaled(sum.bytes)).value('storageSize', scaled(sum.bytes))
      writer.int32('indexes', sum.indexes).value('indexSize', scaled(sum.indexBytes))
      writer.value('totalSize', scaled(sum.bytes + sum.indexBytes))
      if (call.args.freeStorage) {
        writer.int32('freeStorageSize', 0).int32('indexFreeStorageSize', 0)
        writer.int32('totalFreeStorageSize', 0)
      }
      writer.value('scaleFactor', numberValue(scale))
    })
  },
})

/** The figures of a collection for HTTP; this command is Sigil's own. */
const collectionStats = documentRow({
  name: 'collectionStats',
  ...plain,
  grain: 'read',
  access: 'reader',
  target: collection,
  params: {},
  resources: targetResource('read'),
  help:
    'Returns counts, size with index entries, and indexes of a collection, for the HTTP ' +
    'routes.',
  *run(tx, call) {
    const ns = tx.namespace()
    if (ns === undefined) {
      throw fail('NamespaceNotFound', `ns not found: ${call.db}.${call.target}`)
    }
    const figures = yield* storageOf(tx, ns)
    return reply((writer) => {
      writer.int64('documentCount', figures.documents)
      writer.int32('indexCount', indexCountOf(ns))
      writer.int64('storageSizeBytes', figures.totalBytes)
      if (ns.capped !== undefined) {
        const { bytesMax, documentsMax } = ns.capped
        writer.bool('capped', true).int64('maxSizeBytes', bytesMax)
        if (documentsMax !== undefined) writer.int64('maxDocuments', documentsMax)
      }
      if (ns.timeSeries !== undefined) writer.bool('timeseries', true)
      for (const name of ['validator', 'validationLevel', 'validationAction']) {
        const value = field(ns.options, name)
        if (value !== undefined) writer.value(name, value)
      }
      writeOwnRights(writer, ns, call)
      writer.openArray('indexes')
      for (const index of listedIndexes(ns)) writer.pushDocument(index)
      writer.close()
    })
  },
})

/** The sections of `$collStats` that its specification selects. */
interface CollStatsSections {
  /** `db.collection`, which need not exist. */
  readonly name: string
  readonly storageScale: number | undefined
  readonly count: boolean
  readonly latency: { readonly histograms: boolean } | undefined
  readonly scans: boolean
  /** Durations of the commands on it. */
  readonly use: NamespaceCounts | undefined
  readonly collectionScans: CollectionScans
  readonly now: number
}

export function* collStatsDocument(
  tx: ReadTx,
  ns: Namespace | undefined,
  sections: CollStatsSections,
): Program<Document> {
  const figures = yield* storageOf(tx, ns)
  return writeDocument((writer) => {
    writer.string('ns', sections.name).string('host', hostname())
    writer.date('localTime', sections.now)
    if (sections.latency !== undefined) writeLatency(writer, sections)
    if (sections.storageScale !== undefined) {
      writer.openDocument('storageStats')
      writeStorage(writer, ns, figures, sections.storageScale)
      writer.close()
    }
    if (sections.count) writer.value('count', numberValue(figures.documents))
    if (sections.scans) {
      writer.openDocument('queryExecStats').openDocument('collectionScans')
      const { total, tailable } = sections.collectionScans
      writer
        .int64('total', total)
        .int64('nonTailable', total - tailable)
        .close()
        .close()
    }
  })
}

/** Writes the latencies counted for this name; those of transactions are 0. */
function writeLatency(writer: DocumentWriter, { latency, use }: CollStatsSections): void {
  writer.openDocument('latencyStats')
  for (const kind of latencyKinds) {
    const { micros, count } = use?.latencyOf(kind) ?? noTime
    writeSpent(writer, kind, latency, micros, count, use?.histogram(kind) ?? [])
  }
  writeSpent(writer, 'transactions', latency, 0, 0, [])
  writer.close()
}

const noTime: Spent = { micros: 0, count: 0 }

function writeSpent(
  writer: DocumentWriter,
  kind: string,
  options: CollStatsSections['latency'],
  micros: number,
  count: number,
  histogram: readonly LatencyBucket[],
): void {
  writer.openDocument(kind)
  if (options?.histograms === true) {
    writer.openArray('histogram')
    for (const bucket of histogram) {
      writer.pushOpenDocument().int64('micros', bucket.micros).int64('count', bucket.count).close()
    }
    writer.close()
  }
  writer.int64('latency', micros).int64('ops', count).close()
}

export const figureRows = [collStats, dbStats, collectionStats]
