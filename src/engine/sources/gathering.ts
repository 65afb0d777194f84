// Arrays of documents that lie apart in memory: one may have many thousands, so they are written in
// turns.

import { commandBytesMax } from '../../base/limits/documents.js'
import { work } from '../../base/work/work-budget.js'
import { gatherUnits } from '../../query/expressions/accumulator.js'
import type { Program, ReadTx } from '../../store/store.js'
import { type Document, documentValue, type Value } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'

/** Bytes of the type and the index of an element. */
export const elementHeadBytes = 9

/** Appends the documents to the open array of a writer. */
export function* pushEach(
  tx: ReadTx,
  writer: DocumentWriter,
  documents: readonly Document[],
): Program<void> {
  for (const document of documents) {
    writer.push(documentValue(document))
    work.note(gatherUnits(document.length))
    if (work.isDue) yield* tx.pause()
  }
}

/** An array of the documents. Far above what a client takes it may be refused as too much work. */
export function* gatheredArray(tx: ReadTx, documents: readonly Document[]): Program<Value> {
  let bytes = 0
  for (const { length } of documents) bytes += length + elementHeadBytes
  const writer = new DocumentWriter(true, Math.min(bytes, commandBytesMax))
  yield* pushEach(tx, writer, documents)
  return writer.finishValue()
}
