// Import and export of whole collections over HTTP, one JSON document a line. Imports are read as
// they arrive; exports are written as fast as the client reads. EJSON keeps types, so an export can
// be imported again.

import type { ServerResponse } from 'node:http'
import { fail } from '../../../base/errors.js'
import { streamBatchDocuments } from '../../../base/limits/http.js'
import { documentFrom } from '../../../value/literal.js'
import type { HttpAnswer, RawCall, RawRoute, ReplyRoute } from '../core/route.js'
import { filterOf } from './document-list.js'
import { widenIds } from './ids.js'
import { Import } from './import.js'
import { streamCursor } from './ndjson.js'

const collection = '/api/v1/collections/:name'
const lines = 'application/x-ndjson'

export const transferRoutes: readonly (RawRoute | ReplyRoute)[] = [
  {
    method: 'POST',
    path: `${collection}/import`,
    access: 'key',
    query: { ordered: 'string', mode: 'string' },
    takes: [lines],
    reply: importLines,
  },
  {
    method: 'GET',
    path: `${collection}/export`,
    access: 'key',
    query: { filter: 'json' },
    answers: lines,
    send: exportLines,
  },
]

/** A single document is also a line. */
const lineTypes = /^application\/(x-ndjson|ndjson|jsonl|json|ejson)\s*(;|$)/i

async function importLines(call: RawCall): Promise<HttpAnswer> {
  const type = call.incoming.headers['content-type']
  if (type === undefined || !lineTypes.test(type)) {
    throw fail('UnsupportedMediaType', 'an import is of type application/x-ndjson')
  }
  const ordered = choice(call, 'ordered', ['true', 'false']) === 'true'
  const mode = choice(call, 'mode', ['insert', 'upsert'])
  return { status: 200, body: await new Import(call, { ordered, mode }).run() }
}

/** A query parameter; the first choice by default. Throws BadValue for an unknown value. */
function choice<const T extends readonly [string, ...string[]]>(
  call: RawCall,
  name: string,
  values: T,
): T[number] {
  const given = call.query(name) ?? values[0]
  if (values.includes(given)) return given
  throw fail('BadValue', `query '${name}' must be one of ${values.join(', ')}`)
}

async function exportLines(
  call: RawCall,
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  if (call.incoming.method === 'HEAD') throw fail('MethodNotAllowed', 'HEAD exports nothing')
  const filter = widenIds(filterOf(call.query('filter')))
  const query = { find: call.collection, filter, sort: { _id: 1 }, batchSize: streamBatchDocuments }
  const first = await call.run(documentFrom(query))
  const mode = call.mode === 'canonical' ? 'canonical' : 'relaxed'
  await streamCursor(call, first, outgoing, headers, mode)
}
