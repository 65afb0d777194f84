// Unlimited results, one JSON document a line. The cursor is read only as fast as the client reads,
// so a result of any size needs the memory of one batch.

import type { ServerResponse } from 'node:http'
import { toGatewayError } from '../../../base/errors.js'
import { streamBatchDocuments } from '../../../base/limits/http.js'
import { KiB } from '../../../base/units.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import { Elements } from '../../../value/elements.js'
import type { JsonMode } from '../../../value/json/json.js'
import { type Document, int64Value, type Value } from '../../../value/value.js'
import { writeArray, writeDocument } from '../../../value/writer.js'
import { jsonBetween } from '../../json-thread.js'
import type { HttpCall } from '../core/call.js'
import { noteUnsent } from '../core/replies.js'
import { errorBody } from '../core/respond.js'
import { cursorBatch, cursorCollection, cursorId, getMoreCommand } from './document-routes.js'

/** Lines that are written together, characters. */
const piecesChars = 256 * KiB

/**
 * Streams the cursor of `first`. An error after the start cannot change the status: it is sent as
 * the last line, and the connection is closed.
 */
export async function streamCursor(
  call: HttpCall,
  first: Document,
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
  mode: JsonMode = call.mode,
): Promise<void> {
  outgoing.writeHead(200, { ...headers, 'content-type': 'application/x-ndjson; charset=utf-8' })
  const collection = cursorCollection(call, first)
  const cursor = { id: cursorId(first), mode, collection }
  try {
    await pump(call, first, outgoing, cursor)
    outgoing.end()
  } catch (thrown) {
    outgoing.end(`${errorBody(toGatewayError(thrown))}\n`, () => outgoing.destroy())
  }
  if (cursor.id !== 0) await dropCursor(call, collection, cursor.id)
}

/** Writes batches one after the other, as fast as the socket takes them. */
async function pump(
  call: HttpCall,
  first: Document,
  outgoing: ServerResponse,
  cursor: { id: number; readonly mode: JsonMode; readonly collection: string },
): Promise<void> {
  await writeLines(cursor.mode, cursorBatch(first, 'firstBatch'), outgoing)
  while (cursor.id !== 0) {
    // The socket may have drained while a thread made the last line.
    if (outgoing.writableNeedDrain) await drained(outgoing)
    if (outgoing.destroyed) return
    const next = getMoreCommand(cursor.collection, cursor.id, streamBatchDocuments)
    const reply = await call.run(next)
    cursor.id = cursorId(reply)
    await writeLines(cursor.mode, cursorBatch(reply, 'nextBatch'), outgoing)
  }
}

/** For a client that disconnected. If closing fails, the idle time closes the cursor. */
async function dropCursor(call: HttpCall, collection: string, id: number): Promise<void> {
  try {
    await call.run(killCommand(collection, id))
  } catch {
    return
  }
}

/**
 * Pauses for other work in long batches. A batch becomes text as fast as the client reads: the text
 * of a whole one would be held beside it.
 */
async function writeLines(mode: JsonMode, batch: Value, outgoing: ServerResponse): Promise<void> {
  const turns = new WorkTurns()
  let lines: string[] = []
  let size = 0
  const elements = new Elements(batch.bytes, batch.start)
  while (elements.next()) {
    const text = jsonBetween('', elements.value(), '\n', mode)
    if (typeof text === 'string') lines.push(text)
    size += typeof text === 'string' ? text.length : piecesChars
    if (size >= piecesChars) {
      if (lines.length > 0) outgoing.write(lines.join(''))
      lines = []
      size = 0
      if (typeof text !== 'string') outgoing.write(await text)
      noteUnsent(outgoing)
      if (outgoing.writableNeedDrain) await drained(outgoing)
      if (outgoing.destroyed) return
    }
    if (turns.isDue) await turns.pause()
  }
  if (lines.length > 0) outgoing.write(lines.join(''))
  noteUnsent(outgoing)
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done)
      resolve()
    }
    outgoing.on('drain', done).on('close', done)
  })
}

export function killCommand(collection: string, id: number): Document {
  return writeDocument((writer) => {
    writer.string('killCursors', collection)
    writer.value('cursors', writeArray([int64Value(BigInt(id))]))
  })
}
