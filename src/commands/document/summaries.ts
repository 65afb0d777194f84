// Sigil's own two commands behind the collection routes of HTTP: the fields of the API document,
// exact, from the catalog and its counters.

import { fail } from '../../base/errors.js'
import { anyValue, collection } from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import { countOf, entryCountOf, findNamespace, listNamespaces } from '../../engine/catalog.js'
import { listedIndexes } from '../../engine/indexes.js'
import type { Namespace } from '../../engine/types.js'
import { allow } from '../../identity/allow.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { DocumentWriter } from '../../value/writer.js'
import { touchesTarget } from './arguments.js'

const collectionSummaries = documentRow({
  name: 'collectionSummaries',
  grain: 'read',
  access: 'identity',
  target: anyValue,
  params: {},
  touches: (call) => [{ db: call.db, needs: ['read'] }],
  help: 'Lists the collections of a database that the caller may read, with counts and ownership.',
  *run(tx, call) {
    const namespaces: Namespace[] = []
    const counts: number[] = []
    for (const ns of yield* listNamespaces(tx, call.db)) {
      if (!allow(call.session.identity, 'read', ns.access)) continue
      namespaces.push(ns)
      counts.push((yield* countOf(tx, ns)).documents)
    }
    return reply((writer) => {
      writer.openArray('collections')
      for (const [index, ns] of namespaces.entries()) writeSummary(writer, ns, counts[index] ?? 0)
      writer.close()
    })
  },
})

function writeSummary(writer: DocumentWriter, ns: Namespace, documents: number): void {
  writer.pushOpenDocument().string('name', ns.name).int64('documentCount', documents)
  writer.int32('indexCount', ns.indexes.length + 1).int64('createdAt', ns.createdAt)
  if (ns.access.owner === null) writer.null('ownerAddress')
  else writer.string('ownerAddress', ns.access.owner)
  writer.string('mode', ns.access.mode).close()
}

const collectionStats = documentRow({
  name: 'collectionStats',
  grain: 'read',
  access: 'identity',
  target: collection,
  params: {},
  touches: touchesTarget('read'),
  help: 'Counts documents and bytes of one collection, index entries included, and lists its indexes.',
  *run(tx, call) {
    const ns = yield* findNamespace(tx, call.db, call.target)
    if (ns === undefined) {
      throw fail('NamespaceNotFound', `ns does not exist: ${call.db}.${call.target}`)
    }
    const { documents } = yield* countOf(tx, ns)
    const bytes = yield* sizeOf(tx, ns)
    return reply((writer) => {
      writer.int64('documentCount', documents).int32('indexCount', ns.indexes.length + 1)
      writer.int64('storageSizeBytes', bytes).openArray('indexes')
      for (const spec of listedIndexes(ns)) writer.pushDocument(spec)
      writer.close()
    })
  },
})

/** BSON bytes of the documents and bytes of the index entries. */
function* sizeOf(tx: ReadTx, ns: Namespace): Program<number> {
  let { bytes } = yield* countOf(tx, ns)
  for (const index of ns.indexes) bytes += (yield* entryCountOf(tx, index)).bytes
  return bytes
}

export const summaryRows = [collectionSummaries, collectionStats]
