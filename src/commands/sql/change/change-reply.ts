// Replies of changes: the figures of the document routes, a cursor with the rows of RETURNING, and
// its columns. (docs/http.md, "SQL")

import { smallMessageBytesMax } from '../../../base/limits/connections.js'
import { cursorReply, reply } from '../../../bus/document/reply.js'
import { bytesOfAll } from '../../../engine/sources/holding-source.js'
import { documentsSource } from '../../../engine/sources/source.js'
import type { ResultItem } from '../../../protocol/sql/ast.js'
import { readPhase, type Sweep } from '../../../store/sweep.js'
import { Elements } from '../../../value/elements.js'
import type { Document } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { firstBatch } from '../../document/reading/cursors.js'
import type { Scope } from '../expression/scope.js'
import { type Column, columnsInTurns, columnsOf, withColumns } from '../select/column-type.js'
import { compileResults, type Results } from '../select/result.js'
import type { SqlCall } from './change-call.js'

/** The results of RETURNING; undefined without it. */
export function returningOf(items: readonly ResultItem[], scope: Scope): Results | undefined {
  return items.length === 0 ? undefined : compileResults(items, scope)
}

/** What RETURNING gives: rows, and their columns. Programs end with it, so it holds no function. */
export interface Returned extends Pick<Results, 'columns' | 'named'> {
  readonly rows: readonly Document[]
}

export function returnedWith({ columns, named }: Results, rows: readonly Document[]): Returned {
  return { columns, named, rows }
}

/** `{acknowledged: true, …figures, cursor: {firstBatch, id, ns}, columns?, ok: 1}`. */
export function* changeReply(
  call: SqlCall,
  collection: string,
  figures: (writer: DocumentWriter) => void,
  returned?: Returned,
): Sweep<Document> {
  // Before the reply is made: others may come in between, and it is held once more for each.
  const columns = returned && (yield* columnsFor(returned))
  const cursor = yield* cursorOf(call, collection, returned?.rows ?? [])
  const whole = reply((writer) => {
    figures(writer.bool('acknowledged', true))
    const elements = new Elements(cursor)
    if (elements.next()) writer.element(cursor, elements.start, elements.valueEnd)
  })
  return columns === undefined ? whole : withColumns(whole, columns)
}

function* columnsFor({ columns, named, rows }: Returned): Sweep<readonly Column[]> {
  if (bytesOfAll(rows) <= smallMessageBytesMax) return columnsOf(columns, named, rows)
  return yield* readPhase((tx) => columnsInTurns(tx, columns, named, rows))
}

/** A batch that does not count needs no transaction, which may cost as much as the change. */
function* cursorOf(call: SqlCall, collection: string, rows: readonly Document[]): Sweep<Document> {
  const batchSize = call.args.batchSize ?? Math.max(rows.length, 1)
  if (rows.length <= batchSize && bytesOfAll(rows) <= smallMessageBytesMax) {
    const ns = `${call.db}.${collection}`
    return cursorReply({ name: 'firstBatch', documents: rows, id: 0, ns })
  }
  const source = documentsSource(rows)
  return yield* readPhase((tx) => firstBatch(tx, call, { source, batchSize, collection }))
}
