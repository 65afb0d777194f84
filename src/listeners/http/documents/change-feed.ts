// One stream of changes: reads the cursor as fast as the client reads the stream, so it holds one
// batch, of fewer events where they are large. Every batch checks the rights again, as each getMore
// does. (docs/changes.md, "Over HTTP")

import { setTimeout as wait } from 'node:timers/promises'
import { type GatewayError, toGatewayError } from '../../../base/errors.js'
import {
  changeStreamBatch,
  eventStreamPingMs,
  eventStreamRetryMs,
} from '../../../base/limits/http.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import { elementsOf, field, fieldIn } from '../../../value/elements.js'
import { type Document, documentOf, stringOf, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { jsonBetween } from '../../json-thread.js'
import type { EventStream } from '../core/event-stream.js'
import { errorBody } from '../core/respond.js'
import type { RawCall } from '../core/route.js'
import { cursorBatch, cursorId } from './document-routes.js'
import { killCommand } from './ndjson.js'

/** What is watched: a stream of all is opened on the database `admin`. */
export interface ChangeSpec {
  readonly database: string
  readonly collection: string | undefined
  readonly pipeline: Value
}

/** Bytes of events that a stream reads at once, as far as its last batch tells their size. */
const batchBytesTarget = 256 * 1024
/** Events of the first batch, whose size is not known. */
const firstBatch = 4

export class ChangeFeed {
  /** Events of the next batch. */
  private batchSize = firstBatch
  /** Events have ids. A client of several feeds cannot go on behind one of their events. */
  private hasIds = true

  private constructor(
    private readonly call: RawCall,
    private readonly database: string,
    private readonly collection: string,
    /** Of its cursor; 0 when the stream is over. */
    private id: number,
    /** From where a client goes on. */
    private token: string,
  ) {}

  /** Rejects with the refusals of $changeStream. */
  static async open(call: RawCall, spec: ChangeSpec): Promise<ChangeFeed> {
    const { database, collection, pipeline } = spec
    const command = writeDocument((writer) => {
      if (collection === undefined) writer.int32('aggregate', 1)
      else writer.string('aggregate', collection)
      writer.value('pipeline', pipeline).openDocument('cursor').int32('batchSize', 0).close()
    })
    const reply = await call.runIn(database, command)
    const name = collection ?? '$cmd.aggregate'
    return new ChangeFeed(call, database, name, cursorId(reply), tokenOf(reply))
  }

  /** Writes until the stream ends on either side. Never rejects. */
  async run(stream: EventStream, { hasIds }: { readonly hasIds: boolean }): Promise<void> {
    this.hasIds = hasIds
    try {
      stream.send(`retry: ${eventStreamRetryMs}\n${this.idLine()}`)
      while (this.id !== 0 && !stream.isOver) {
        const reply = await this.more(stream)
        if (reply !== undefined) await this.write(stream, reply)
      }
    } catch (thrown) {
      const error = toGatewayError(thrown)
      if (!stream.isOver) stream.send(`event: error\ndata: ${errorBody(error)}\n`)
    }
    stream.end()
    await this.close()
  }

  /** If closing fails, the idle time closes the cursor. */
  async close(): Promise<void> {
    if (this.id === 0) return
    const command = killCommand(this.collection, this.id)
    this.id = 0
    try {
      await this.call.runIn(this.database, command)
    } catch {
      return
    }
  }

  /** The next batch; undefined if the key had to wait for its limit of requests. */
  private async more(stream: EventStream): Promise<Document | undefined> {
    const command = writeDocument((writer) => {
      writer.int64('getMore', this.id).string('collection', this.collection)
      writer.int32('batchSize', this.batchSize).int32('maxTimeMS', eventStreamPingMs)
    })
    try {
      return await this.call.runIn(this.database, command)
    } catch (thrown) {
      const error = toGatewayError(thrown)
      if (error.kind !== 'IngressRequestRateLimitExceeded') throw thrown
      if (!stream.isOver) await wait(secondsOf(error) * 1_000, undefined, { ref: false })
      return undefined
    }
  }

  private async write(stream: EventStream, reply: Document): Promise<void> {
    const turns = new WorkTurns()
    const events = elementsOf(cursorBatch(reply, 'nextBatch'))
    const fitting = Math.floor((batchBytesTarget * events.length) / reply.length)
    if (events.length > 0) this.batchSize = Math.min(Math.max(fitting, 1), changeStreamBatch)
    for (const event of events) {
      this.token = dataOf(fieldIn(event, '_id')) ?? this.token
      stream.write(await jsonBetween(`${this.idLine()}data: `, event, '\n\n', this.call.mode))
      await stream.taken()
      if (stream.isOver) return
      if (turns.isDue) await turns.pause()
    }
    this.id = cursorId(reply)
    const token = tokenOf(reply)
    if (token === this.token || this.id === 0) return
    // An id without data is no event, but a browser keeps it.
    this.token = token
    if (this.hasIds) stream.send(this.idLine())
  }

  private idLine(): string {
    return this.hasIds ? `id: ${this.token}\n` : ''
  }
}

function tokenOf(reply: Document): string {
  const cursor = field(reply, 'cursor')
  const token = cursor === undefined ? undefined : fieldIn(cursor, 'postBatchResumeToken')
  return dataOf(token) ?? ''
}

function dataOf(token: Value | undefined): string | undefined {
  const data = token === undefined ? undefined : field(documentOf(token), '_data')
  return data === undefined ? undefined : stringOf(data)
}

function secondsOf({ extra }: GatewayError): number {
  return typeof extra.retryAfter === 'number' ? extra.retryAfter : 1
}
