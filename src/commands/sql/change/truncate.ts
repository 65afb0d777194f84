// TRUNCATE: deletes all documents at once, for any number; indexes, options and owner stay. It is a
// flush and needs the same privilege.

import { findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { countOf } from '../../../engine/collection/counters.js'
import { truncateNamespace } from '../../../engine/collection/truncate.js'
import { type Sweep, writePhase } from '../../../store/sweep.js'
import { type Document, numberValue } from '../../../value/value.js'
import { dependOnContents } from '../define/in-transaction.js'
import { requireRelation } from '../select/from.js'
import { collectionOf, type SqlCall, type TruncateStatement } from './change-call.js'
import { changeReply } from './change-reply.js'

export function* runTruncate(call: SqlCall, { table }: TruncateStatement): Sweep<Document> {
  const collection = collectionOf(table)
  const deleted = yield* writePhase(function* (tx) {
    const ns = yield* findNamespace(tx, call.db, collection)
    if (ns === undefined) {
      requireRelation(call, table)
      return 0
    }
    dependOnContents(call, ns)
    const { documents } = yield* countOf(tx, ns)
    yield* truncateNamespace(tx, ns)
    return documents
  })
  return yield* changeReply(call, collection, (writer) => {
    writer.value('deletedCount', numberValue(deleted))
  })
}
