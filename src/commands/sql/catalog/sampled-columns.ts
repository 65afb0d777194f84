// The columns of a collection that declares none: those of its first documents. Documents may be of
// megabytes and have hundreds of thousands of fields, so their bytes and columns have bounds.

import { showSampleBytes, showSampleDocuments } from '../../../base/limits/engine.js'
import { pgColumnsMax } from '../../../base/limits/sql.js'
import { bytesOfAll, type Source } from '../../../engine/sources/holding-source.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Document } from '../../../value/value.js'
import { type Column, columnsInTurns } from '../select/column-type.js'

/** Closes the source. */
export function* sampledColumns(tx: ReadTx, source: Source): Program<Column[]> {
  const documents: Document[] = []
  let bytes = 0
  while (documents.length < showSampleDocuments && bytes < showSampleBytes && !source.drained) {
    const want = showSampleDocuments - documents.length
    const some = yield* source.pull(tx, want, showSampleBytes - bytes)
    documents.push(...some)
    bytes += bytesOfAll(some)
  }
  source.close()
  return (yield* columnsInTurns(tx, undefined, [], documents)).slice(0, pgColumnsMax)
}
