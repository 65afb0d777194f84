// Cursor replies: the first batch of every command that replies with a cursor, the batches of
// getMore, and killCursors.

import { fail, hasKind } from '../../../base/errors.js'
import { batchBytesMax, firstBatchDocuments } from '../../../base/limits/documents.js'
import type { Call } from '../../../bus/document/call.js'
import { CommandReadTx } from '../../../bus/document/command-tx.js'
import {
  arrayOf,
  collection,
  countNumber,
  ignored,
  longNumber,
  optional,
  string,
} from '../../../bus/document/params.js'
import { changeReply, cursorReply, reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import { fillBatch, requireAlive, type Tail } from '../../../engine/sources/cursors.js'
import type { Source } from '../../../engine/sources/holding-source.js'
import type { Resource } from '../../../engine/types.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Document } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { emptyDocument } from '../arguments.js'
import { aggregating, withContext } from '../writing/write-errors.js'
import { awaitedBatch } from './awaited-batch-task.js'
import { giveUp, nextBatch } from './next-batch.js'

type AnyCall = Call<unknown, unknown>

interface FirstBatch {
  readonly source: Source
  readonly batchSize: number | undefined
  /** Documents that the source has at most, if that is known. */
  readonly limit?: number | undefined
  /** The collection that getMore must name; usually the command's own. */
  readonly collection: string
  /** The cursor ends with this batch, even if documents remain. */
  readonly singleBatch?: boolean
  readonly noCursorTimeout?: boolean
  readonly tail?: Tail | undefined
  /** Further fields of the reply, which depend on its documents. */
  readonly beside?: (documents: readonly Document[]) => Program<Document>
  /** Bytes of a batch, also of the next ones, if not those of a reply. */
  readonly batchBytes?: number | undefined
  /** The reply is only the first document. */
  readonly takesDocument?: boolean | undefined
}

type FirstCall = Pick<
  AnyCall,
  | 'db'
  | 'engine'
  | 'owner'
  | 'lsid'
  | 'txnNumber'
  | 'snapshot'
  | 'resources'
  | 'request'
  | 'command'
  | 'traces'
>

/** Stands for no document, for a listener that takes the document as the reply. */
export const nothingFound: Document = emptyDocument.slice()

/** Replies with the first batch; the cursor of the returned id holds the rest. */
export function* firstBatch(tx: ReadTx, call: FirstCall, options: FirstBatch): Program<Document> {
  const { source, batchSize, collection, singleBatch, noCursorTimeout, tail } = options
  const documentsMax = batchSize ?? firstBatchDocuments
  const limits = {
    documentsMax,
    documentsLeft: options.limit,
    bytesMax: options.batchBytes ?? batchBytesMax,
  }
  const read = fillBatch(tx, source, limits)
  const { documents, drained } = yield* closedOnError(source, read, contexts.get(call.command))
  if (options.takesDocument === true) {
    source.close()
    return documents[0] ?? nothingFound
  }
  const { db } = call
  const ns = `${db}.${collection}`
  const beside = options.beside && (yield* closedOnError(source, options.beside(documents)))
  const token = source.resumeToken?.(documents)
  const replyWith = (id: number): Document => {
    const batch = { name: 'firstBatch', documents, id, ns, beside } as const
    return token === undefined ? cursorReply(batch) : changeReply(batch, token)
  }
  if (drained || singleBatch === true) {
    source.close()
    return replyWith(0)
  }
  const { owner, lsid, txnNumber } = call
  // Besides the declared resources, the current ones that its views added.
  const resources = tx instanceof CommandReadTx ? tx.resources : call.resources
  const id = call.engine.cursors.open(source, {
    db,
    collection,
    owner,
    lsid,
    txnNumber,
    snapshot: call.snapshot?.time,
    resources,
    commandBytes: call.request.body.length,
    ...(noCursorTimeout === true ? { noCursorTimeout } : {}),
    ...(tail === undefined ? {} : { tail }),
    ...(options.batchBytes === undefined ? {} : { batchBytes: options.batchBytes }),
  })
  call.traces.opened(() => call.engine.cursors.kill(id, { db, collection, owner }))
  return replyWith(id)
}

/** MongoDB's prefixes for errors of a running plan. */
const contexts: ReadonlyMap<string, string> = new Map([
  ['find', 'Executor error during find command'],
  ['aggregate', aggregating],
])

/** Closes a source that failed, so that no file of a sort stays open. */
function* closedOnError<T>(source: Source, program: Program<T>, context?: string): Program<T> {
  try {
    return yield* program
  } catch (thrown) {
    source.close()
    throw context === undefined ? thrown : withContext(context, thrown)
  }
}

/** The resources of the command that opened the cursor; none if it is not the caller's. */
function cursorResources(call: Call<unknown, number | bigint>): readonly Resource[] {
  return call.engine.cursors.find(call.target, call.owner)?.meta.resources ?? []
}

const getMore = documentRow({
  name: 'getMore',
  ...plain,
  inTransactions: true,
  snapshots: 'continues',
  metered: 'getMore',
  hasTimeField: true,
  grain: 'read',
  access: 'reader',
  stable: true,
  target: longNumber,
  params: {
    collection: string,
    batchSize: optional(countNumber),
    term: ignored,
    lastKnownCommittedOpTime: ignored,
  },
  resources: cursorResources,
  help:
    'Returns the next batch of a cursor. A cursor with awaitData waits for data up to ' +
    'maxTimeMS.',
  waiting: awaitedBatch,
  *run(tx, call) {
    const { cursors } = call.engine
    const { db, owner, lsid, txnNumber, args, target } = call
    const { collection: name } = args
    const cursor = cursors.take(target, { db, collection: name, owner, lsid, txnNumber })
    if (call.generic.maxTimeMs > 0) {
      cursors.release(cursor)
      throw fail('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor')
    }
    try {
      const { documents } = yield* fillBatch(tx, cursor.source, {
        documentsMax: args.batchSize || Number.POSITIVE_INFINITY,
        bytesMax: cursor.meta.batchBytes ?? batchBytesMax,
      })
      requireAlive(cursor)
      return nextBatch(call, cursor, documents)
    } catch (thrown) {
      giveUp(call, cursor)
      // MongoDB notices a dropped collection before its plan continues, so the error has no
      // context.
      if (hasKind(thrown, 'QueryPlanKilled')) throw thrown
      throw withContext('Executor error during getMore', thrown)
    }
  },
})

const killCursors = documentRow({
  name: 'killCursors',
  ...plain,
  inTransactions: true,
  grain: 'local',
  access: 'reader',
  stable: true,
  target: collection,
  params: { cursors: arrayOf(longNumber) },
  help: "Closes the caller's cursors.",
  run: (call) => {
    const { db, target, owner, args } = call
    const killed: (number | bigint)[] = []
    const missing: (number | bigint)[] = []
    for (const id of args.cursors) {
      const isKilled = call.engine.cursors.kill(id, { db, collection: target, owner })
      if (isKilled) killed.push(id)
      else missing.push(id)
    }
    return reply((writer) => {
      writeIds(writer, 'cursorsKilled', killed)
      writeIds(writer, 'cursorsNotFound', missing)
      writeIds(writer, 'cursorsAlive', [])
      writeIds(writer, 'cursorsUnknown', [])
    })
  },
})

function writeIds(writer: DocumentWriter, name: string, ids: readonly (number | bigint)[]): void {
  writer.openArray(name)
  for (const [index, id] of ids.entries()) writer.int64(String(index), id)
  writer.close()
}

export const cursorRows = [getMore, killCursors]
