// Streams of changes for browsers and curl: `GET …/changes` as server-sent events. The id of an
// event is its resume token, so a client that connects again misses nothing. The events come from
// $changeStream and getMore. (docs/changes.md, "Over HTTP")

import type { ServerResponse } from 'node:http'
import { fail, toGatewayError } from '../../../base/errors.js'
import { changeFeedsMax, changeStreamsMax } from '../../../base/limits/http.js'
import { memoryOwner } from '../../../bus/memory-owner.js'
import { elementsOf } from '../../../value/elements.js'
import { jsonToValue } from '../../../value/json/json.js'
import {
  bsonType,
  documentValue,
  stringOf,
  timestampValue,
  type Value,
} from '../../../value/value.js'
import { type DocumentWriter, writeArray, writeDocument } from '../../../value/writer.js'
import type { EventStreams } from '../core/event-stream.js'
import type { QuerySchema, RawCall, RawRoute } from '../core/route.js'
import { ChangeFeed, type ChangeSpec } from './change-feed.js'
import { widenPipeline } from './ids.js'

const query: QuerySchema = {
  pipeline: 'json',
  fullDocument: 'string',
  fullDocumentBeforeChange: 'string',
  showExpandedEvents: 'string',
  startAtOperationTime: 'string',
  startAfter: 'string',
  resumeAfter: 'string',
  ejson: 'string',
}

type Headers = Readonly<Record<string, string>>

/** Of a collection; of a database, of all that the caller may read, or of several collections. */
export function changeRoutes(streams: EventStreams): readonly RawRoute[] {
  const open = new Opened(streams)
  const row = { method: 'GET', access: 'key', answers: 'text/event-stream' } as const
  const send: RawRoute['send'] = (call, outgoing, headers) => open.send(call, outgoing, headers)
  const head: RawRoute['head'] = (call) => open.head(call)
  return [
    { ...row, path: '/api/v1/collections/:name/changes', query, send, head },
    {
      ...row,
      path: '/api/v1/changes',
      query: { ...query, all: 'string', of: 'json' },
      send,
      head,
    },
  ]
}

class Opened {
  /** Open streams by owner. */
  private readonly counts = new Map<string, number>()

  constructor(private readonly streams: EventStreams) {}

  /** Errors before the stream starts are answered as those of other routes. */
  async send(call: RawCall, outgoing: ServerResponse, headers: Headers): Promise<void> {
    const specs = specsOf(call)
    const leave = this.enter(call, specs.length)
    let isStarted = false
    try {
      const feeds = await openFeeds(call, specs)
      if (outgoing.destroyed) {
        await Promise.all(feeds.map((feed) => feed.close()))
        return
      }
      const stream = this.streams.open(outgoing, headers, call.session.identity, leave)
      isStarted = true
      const options = { hasIds: specs.length === 1 }
      for (const feed of feeds) void feed.run(stream, options)
    } finally {
      if (!isStarted) leave()
    }
  }

  async head(call: RawCall): Promise<void> {
    const feeds = await openFeeds(call, specsOf(call))
    await Promise.all(feeds.map((feed) => feed.close()))
  }

  /** Counts streams for their owner. Throws IngressRequestRateLimitExceeded above the bound. */
  private enter({ session }: RawCall, streams: number): () => void {
    const { identity, remoteAddress } = session
    if (identity.kind === 'operator') return () => {}
    const owner = memoryOwner(identity, remoteAddress)
    const count = this.counts.get(owner) ?? 0
    if (count + streams > changeStreamsMax) {
      const text = `at most ${changeStreamsMax} streams of changes are open at once`
      throw fail('IngressRequestRateLimitExceeded', text, { retryAfter: 1 })
    }
    this.counts.set(owner, count + streams)
    return () => {
      const left = (this.counts.get(owner) ?? streams) - streams
      if (left > 0) this.counts.set(owner, left)
      else this.counts.delete(owner)
    }
  }
}

/** Of several collections, those that the caller may not read are left out, unless none is left. */
async function openFeeds(
  call: RawCall,
  specs: readonly ChangeSpec[],
): Promise<readonly ChangeFeed[]> {
  const feeds: ChangeFeed[] = []
  let refusal: unknown
  for (const spec of specs) {
    try {
      feeds.push(await ChangeFeed.open(call, spec))
    } catch (thrown) {
      refusal = thrown
      if (toGatewayError(thrown).kind === 'Unauthorized') continue
      await Promise.all(feeds.map((feed) => feed.close()))
      throw thrown
    }
  }
  if (feeds.length === 0) throw refusal
  return feeds
}

/** One, or with the parameter `of` one for each namespace. Throws BadValue. */
function specsOf(call: RawCall): readonly ChangeSpec[] {
  const text = call.query('of')
  if (text === undefined) return [specOf(call, flagOf(call, 'all'))]
  const given = jsonToValue(text)
  const names = given.type === bsonType.array ? elementsOf(given) : []
  if (names.length === 0 || names.length > changeFeedsMax) {
    throw fail('BadValue', `query 'of' must be a JSON array of 1 to ${changeFeedsMax} namespaces`)
  }
  const spec = specOf(call, false)
  return names.map((name) => ({ ...spec, ...namespaceOf(name) }))
}

function namespaceOf(value: Value): Pick<ChangeSpec, 'database' | 'collection'> {
  const text = value.type === bsonType.string ? stringOf(value) : ''
  const dot = text.indexOf('.')
  if (dot < 1 || dot === text.length - 1) {
    throw fail('BadValue', 'query \'of\' has namespaces such as "main.orders"')
  }
  return { database: text.slice(0, dot), collection: text.slice(dot + 1) }
}

function specOf(call: RawCall, isAll: boolean): ChangeSpec {
  const { collection } = call
  const options = writeDocument((writer) => {
    writer.openDocument('$changeStream')
    if (isAll) writer.bool('allChangesForCluster', true)
    for (const name of ['fullDocument', 'fullDocumentBeforeChange']) {
      const value = call.query(name)
      if (value !== undefined) writer.string(name, value)
    }
    if (flagOf(call, 'showExpandedEvents')) writer.bool('showExpandedEvents', true)
    writeStart(writer, call)
    writer.close()
  })
  return {
    database: isAll ? 'admin' : call.database,
    collection: collection === '' ? undefined : collection,
    pipeline: writeArray([documentValue(options), ...stagesOf(call)]),
  }
}

/** A browser that connects again sends the id of the last event; it says more than the URL. */
function writeStart(writer: DocumentWriter, call: RawCall): void {
  const last = call.incoming.headers['last-event-id']
  const token = (data: string) => writeDocument((out) => out.string('_data', data))
  if (typeof last === 'string' && last !== '') {
    // It may be the id of an `invalidate`, behind which only startAfter goes on.
    writer.document('startAfter', token(last))
    return
  }
  for (const name of ['startAfter', 'resumeAfter']) {
    const data = call.query(name)
    if (data !== undefined) writer.document(name, token(data))
  }
  const at = call.query('startAtOperationTime')
  if (at !== undefined) writer.value('startAtOperationTime', timeOf(at))
}

/** `1700000000`, `1700000000,3` or `{"$timestamp":{"t":1700000000,"i":3}}`. Throws BadValue. */
function timeOf(text: string): Value {
  const [, seconds, increment = '1'] = /^(\d{1,10})(?:,(\d{1,10}))?$/.exec(text) ?? []
  if (seconds !== undefined && Number(seconds) < 2 ** 32 && Number(increment) < 2 ** 32) {
    return timestampValue(Number(seconds), Number(increment))
  }
  const value = text.startsWith('{') ? jsonToValue(text) : undefined
  if (value?.type === bsonType.timestamp) return value
  const forms = 'seconds, \'seconds,increment\' or {"$timestamp":{"t":…,"i":…}}'
  throw fail('BadValue', `query 'startAtOperationTime' must be ${forms}`)
}

function stagesOf(call: RawCall): readonly Value[] {
  const text = call.query('pipeline')
  if (text === undefined) return []
  const pipeline = jsonToValue(text)
  if (pipeline.type === bsonType.array) return elementsOf(widenPipeline(pipeline))
  throw fail('BadValue', "query 'pipeline' must be a JSON array")
}

/** Throws BadValue. */
function flagOf(call: RawCall, name: string): boolean {
  const text = call.query(name)
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw fail('BadValue', `query '${name}' must be true or false`)
}
