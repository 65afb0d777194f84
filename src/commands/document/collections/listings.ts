// Lists of databases, collections and indexes. A caller sees only what it may read, so two callers
// may get different lists.

import { createHash } from 'node:crypto'
import { fail } from '../../../base/errors.js'
import { documentBytesMax } from '../../../base/limits/documents.js'
import { entryUnits } from '../../../base/work/work-figures.js'
import type { Call } from '../../../bus/document/call.js'
import {
  anyValue,
  bool,
  collection,
  ignored,
  object,
  optional,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import {
  findNamespace,
  isShown,
  shownNamespaces,
} from '../../../engine/collection/catalog/catalog.js'
import { countOf } from '../../../engine/collection/counters.js'
import { indexCountOf } from '../../../engine/collection/kinds/capped-order.js'
import { isClustered } from '../../../engine/collection/kinds/clustered.js'
import { viewsName } from '../../../engine/collection/kinds/view-options.js'
import { seesDefinition } from '../../../engine/collection/kinds/views.js'
import { idIndexSpecOf } from '../../../engine/index/index-spec.js'
import { listedIndexes } from '../../../engine/index/indexes.js'
import { documentsSource } from '../../../engine/sources/source.js'
import type { Namespace } from '../../../engine/types.js'
import { compileFilter } from '../../../query/filter.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Collation } from '../../../value/collation/collation.js'
import { field } from '../../../value/elements.js'
import { binaryValue, bsonType, type Document, stringOf } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { emptyDocument, isEmpty, optionalCursor, targetResource } from '../arguments.js'
import { firstBatch } from '../reading/cursors.js'
import { storageOf } from './figures.js'
import { writeOwnRights } from './own-rights.js'
import { eachReachable } from './reachable.js'

const bytesPerMiB = 1024 * 1024
const uuidSubtype = 4

const listDatabases = documentRow({
  name: 'listDatabases',
  ...plain,
  roles: ['metadata'],
  grain: 'read',
  access: 'reader',
  adminOnly: true,
  stable: true,
  target: anyValue,
  params: {
    filter: optional(object),
    nameOnly: withDefault(bool, false),
    authorizedDatabases: ignored,
  },
  help: 'Lists the databases with data that the caller may read.',
  *run(tx, call) {
    const { filter: spec, nameOnly } = call.args
    const filter = isEmpty(spec) ? undefined : compileFilter(spec, call.context)
    const chosen: Document[] = []
    let total = 0
    let length = 0
    const list = (name: string, bytes: number): void => {
      const document = databaseOf(name, bytes)
      if (!(filter?.matches(document) ?? true)) return
      total += bytes
      const shown = nameOnly ? namesOf(document, ['name']) : document
      chosen.push(shown)
      length += shown.length
      // As in MongoDB: if the homes exceed one reply, the client must filter the list.
      if (length <= documentBytesMax) return
      throw fail('BSONObjectTooLarge', 'the list of databases is larger than a reply may be')
    }
    // Every MongoDB server has these databases, and operators expect them.
    if (call.identity.kind === 'operator') for (const name of serverDatabases) list(name, 0)
    // Collections come ordered by database, so only one database is held in memory.
    let last: { readonly name: string; bytes: number } | undefined
    yield* eachReachable(tx, call, function* (ns) {
      const { totalBytes } = yield* storageOf(tx, ns)
      yield* tx.pause(entryUnits)
      if (last !== undefined && last.name !== ns.db) {
        list(last.name, last.bytes)
        last = undefined
      }
      last ??= { name: ns.db, bytes: 0 }
      last.bytes += totalBytes
    })
    if (last !== undefined) list(last.name, last.bytes)
    return reply((writer) => {
      writer.openArray('databases')
      for (const document of chosen) writer.pushDocument(document)
      writer.close()
      if (nameOnly) return
      writer.int64('totalSize', total).int64('totalSizeMb', Math.floor(total / bytesPerMiB))
    })
  },
})

/** Databases that exist in name only. */
const serverDatabases: readonly string[] = ['admin', 'config', 'local']

function databaseOf(name: string, bytes: number): Document {
  return writeDocument((writer) => {
    writer.string('name', name).int64('sizeOnDisk', bytes)
    writer.bool('empty', serverDatabases.includes(name))
  })
}

function namesOf(document: Document, names: readonly string[]): Document {
  return writeDocument((writer) => {
    for (const name of names) {
      const value = field(document, name)
      if (value !== undefined) writer.value(name, value)
    }
  })
}

const listCollections = documentRow({
  name: 'listCollections',
  ...plain,
  roles: ['metadata'],
  grain: 'read',
  access: 'reader',
  stable: true,
  target: anyValue,
  params: {
    filter: optional(object),
    nameOnly: withDefault(bool, false),
    authorizedCollections: ignored,
    cursor: optionalCursor,
  },
  resources: ({ db }) => [{ db, privileges: [] }],
  help: 'Lists the collections of a database that the caller may read.',
  *run(tx, call) {
    const { filter: spec, nameOnly, cursor } = call.args
    const filter = isEmpty(spec) ? undefined : compileFilter(spec, call.context)
    const may: typeof call.mayAt = (privilege, at) => call.mayAt(privilege, at)
    const seen = (yield* namespacesOf(tx, call, spec)).filter((ns) => may('read', ns))
    const lines: Document[] = []
    for (const ns of seen) lines.push(collectionOf(ns, yield* seesDefinition(tx, ns, may)))
    if (seen.some(({ view }) => view !== undefined)) lines.push(viewsLine(call.db))
    const found = lines
      .filter((line) => filter?.matches(line) ?? true)
      .map((line) => (nameOnly ? namesOf(line, ['name', 'type']) : line))
    const source = documentsSource(found)
    const { batchSize } = cursor
    return yield* firstBatch(tx, call, { source, batchSize, collection: '$cmd.listCollections' })
  },
})

/** The namespaces to check: one if the filter names it, else all of the database. */
function* namespacesOf(
  tx: ReadTx,
  { db }: Pick<Call<unknown, unknown>, 'db'>,
  filter: Document | undefined,
): Program<Namespace[]> {
  const name = filter === undefined ? undefined : field(filter, 'name')
  const isOne = name?.type === bsonType.string && stringOf(name) !== viewsName
  if (name === undefined || !isOne) return yield* shownNamespaces(tx, db)
  const ns = yield* findNamespace(tx, db, stringOf(name))
  return ns !== undefined && (yield* isShown(tx, ns)) ? [ns] : []
}

/** The entry of `system.views`, listed if the caller sees a view. It stores nothing. */
function viewsLine(db: string): Document {
  const hash = createHash('sha256').update(`${db}\0${viewsName}`).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x40
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return collectionLine(viewsName, emptyDocument, hash, undefined)
}

/** With `isWhole`, the entry of a view includes its definition. */
function collectionOf(ns: Namespace, isWhole: boolean): Document {
  const type = ns.view !== undefined ? 'view' : ns.timeSeries && 'timeseries'
  if (type === undefined) return collectionLine(ns.name, ns.options, ns.uuid, ns.collation)
  return writeDocument((writer) => {
    const options = isWhole ? ns.options : emptyDocument
    writer.string('name', ns.name).string('type', type).document('options', options)
    writer
      .openDocument('info')
      .bool('readOnly', type === 'view')
      .close()
  })
}

function collectionLine(
  name: string,
  options: Document,
  uuid: Uint8Array,
  collation: Collation | undefined,
): Document {
  return writeDocument((writer) => {
    writer.string('name', name).string('type', 'collection').document('options', options)
    writer.openDocument('info').bool('readOnly', false)
    writer.value('uuid', binaryValue(uuidSubtype, uuid)).close()
    if (!isClustered(options)) writer.document('idIndex', idIndexSpecOf(collation))
  })
}

const listIndexes = documentRow({
  name: 'listIndexes',
  ...plain,
  roles: ['metadata'],
  grain: 'read',
  access: 'reader',
  stable: true,
  target: collection,
  params: { cursor: optionalCursor, includeIndexBuildInfo: ignored, includeBuildUUIDs: ignored },
  resources: targetResource('read'),
  help: 'Lists the indexes of a collection.',
  *run(tx, call) {
    const ns = tx.namespace()
    if (ns === undefined) {
      throw fail('NamespaceNotFound', `ns does not exist: ${call.db}.${call.target}`)
    }
    const source = documentsSource(listedIndexes(ns))
    const { batchSize } = call.args.cursor
    return yield* firstBatch(tx, call, { source, batchSize, collection: call.target })
  },
})

/** The list of collections for HTTP; this command is Sigil's own. */
const collectionSummaries = documentRow({
  name: 'collectionSummaries',
  ...plain,
  roles: ['metadata'],
  grain: 'read',
  access: 'reader',
  target: anyValue,
  params: {},
  resources: ({ db }) => [{ db, privileges: [] }],
  help: 'Lists the collections of a database with counts, owner and mode, for the HTTP route.',
  *run(tx, call) {
    const summaries: Document[] = []
    for (const ns of yield* shownNamespaces(tx, call.db)) {
      if (ns.view !== undefined || !call.mayAt('read', ns)) continue
      summaries.push(yield* summaryOf(tx, ns, call))
    }
    return reply((writer) => {
      writer.openArray('collections')
      for (const summary of summaries) writer.pushDocument(summary)
      writer.close()
    })
  },
})

function* summaryOf(
  tx: ReadTx,
  ns: Namespace,
  call: Pick<Call<unknown, unknown>, 'mayAt'>,
): Program<Document> {
  const { documents } = yield* countOf(tx, ns)
  return writeDocument((writer) => {
    writer.string('name', ns.name).int64('documentCount', documents)
    writer.int32('indexCount', indexCountOf(ns)).int64('createdAt', ns.createdAt)
    if (ns.access.owner === null) writer.null('ownerAddress')
    else writer.string('ownerAddress', ns.access.owner)
    writer.string('mode', ns.access.mode)
    if (ns.capped !== undefined) writer.bool('capped', true)
    if (ns.timeSeries !== undefined) writer.bool('timeseries', true)
    writeOwnRights(writer, ns, call)
  })
}

export const listingRows = [listDatabases, listCollections, listIndexes, collectionSummaries]
