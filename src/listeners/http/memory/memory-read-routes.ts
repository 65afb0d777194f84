// Read routes of the graph memory: the snapshot for viewers, the search, verdicts on a memory and
// on a graph, single memories, and the list of graphs. (docs/memory.md, "Routes")

import { fail } from '../../../base/errors.js'
import {
  contextNodesMax,
  memoryBodyBytesMax,
  memoryIdCharsMax,
} from '../../../base/limits/memory.js'
import { elementsOf, field } from '../../../value/elements.js'
import { integerOf } from '../../../value/numbers.js'
import { type Document, documentOf } from '../../../value/value.js'
import { copyFields } from '../core/call.js'
import type { HttpAnswer, QuerySchema } from '../core/route.js'
import {
  answered,
  commandOn,
  graphCommand,
  isYes,
  type MemoryRequest,
  type MemoryRoute,
  replyJson,
  wholeOf,
} from './memory-route.js'

const recallQuery = {
  graph: 'string',
  q: 'string',
  entity: 'string',
  hops: 'whole',
  limit: 'whole',
  include: 'string',
  explain: 'string',
  neighbours: 'string',
} as const satisfies QuerySchema

export const memoryReadRoutes: readonly MemoryRoute[] = [
  {
    method: 'GET',
    path: '/api/graph',
    query: { graph: 'string', limit: 'whole', brief: 'string' },
    answer: snapshot,
  },
  {
    method: 'POST',
    path: '/api/graph/nodes',
    fields: { graph: 'string', ids: 'array', cursor: 'string', limit: 'whole', brief: 'bool' },
    bodyBytesMax: memoryBodyBytesMax,
    answer: nodes,
  },
  {
    method: 'GET',
    path: '/api/entities',
    query: { graph: 'string', name: 'string' },
    answer: entities,
  },
  {
    method: 'POST',
    path: '/api/preview',
    fields: { graph: 'string', memory: 'object!' },
    bodyBytesMax: memoryBodyBytesMax,
    answer: preview,
  },
  { method: 'GET', path: '/api/recall', query: recallQuery, answer: recall },
  {
    method: 'GET',
    path: '/api/verify',
    query: { id: 'string!', graph: 'string' },
    answer: verify,
  },
  {
    method: 'POST',
    path: '/api/verify',
    fields: { graph: 'string', ids: 'array!', brief: 'bool' },
    bodyBytesMax: memoryBodyBytesMax,
    answer: verifyMany,
  },
  {
    method: 'GET',
    path: '/api/verify/graph',
    query: { graph: 'string', cursor: 'string' },
    answer: sweep,
  },
  {
    method: 'GET',
    path: '/api/evidence',
    query: { id: 'string!', graph: 'string' },
    answer: async (request) => answered(await request.run(onMemory('exportEvidence', request))),
  },
  {
    method: 'GET',
    path: '/api/memories/:id',
    query: { graph: 'string' },
    answer: getMemory,
  },
  {
    method: 'GET',
    path: '/api/graphs',
    answer: async ({ run }) => answered(await run(graphCommand('listGraphs', ''))),
  },
  { method: 'GET', path: '/api/graphs/:name', answer: graphSettings },
]

async function snapshot(request: MemoryRequest): Promise<HttpAnswer> {
  const limit = wholeOf(request.query, 'limit') ?? contextNodesMax
  const isBrief = isYes(request.query.get('brief'))
  const taken = (most: number) =>
    request.run(
      commandOn('graphSnapshot', request, (writer) =>
        writer.int32('limit', most).bool('brief', isBrief),
      ),
    )
  const tagOf = (reply: Document) => `"${seqOf(reply)}-${limit}${isBrief ? '-brief' : ''}"`
  if (request.isKnown !== undefined) {
    // The smallest snapshot has the change count too.
    const tag = tagOf(await taken(1))
    if (request.isKnown(tag)) return { status: 304, body: null, headers: snapshotHeaders(tag) }
  }
  const reply = await taken(limit)
  return { status: 200, body: await replyJson(reply), headers: snapshotHeaders(tagOf(reply)) }
}

/** The change count of a graph, which never repeats for its name. */
function seqOf(reply: Document): number {
  const seq = field(reply, 'seq')
  return (seq === undefined ? undefined : integerOf(seq)) ?? 0
}

function snapshotHeaders(etag: string): Record<string, string> {
  return { etag, 'cache-control': 'private, no-cache' }
}

/** Read-only, as verifyMany. */
async function nodes(request: MemoryRequest): Promise<HttpAnswer> {
  const command = commandOn('graphNodes', request, (writer) =>
    copyFields(writer, request.fields, ['ids', 'cursor', 'limit', 'brief']),
  )
  return answered(await request.run(command))
}

async function entities(request: MemoryRequest): Promise<HttpAnswer> {
  const name = request.query.get('name') ?? ''
  const command = commandOn('findEntities', request, (writer) => writer.string('name', name))
  return answered(await request.run(command))
}

/** Read-only, as verifyMany. */
async function preview(request: MemoryRequest): Promise<HttpAnswer> {
  const command = commandOn('previewMemory', request, (writer) =>
    copyFields(writer, request.fields, ['memory']),
  )
  return answered(await request.run(command))
}

async function recall(request: MemoryRequest): Promise<HttpAnswer> {
  const { query } = request
  const command = commandOn('recallMemories', request, (writer) => {
    // A form also sends empty fields.
    for (const name of ['q', 'entity', 'include']) {
      const text = query.get(name)
      if (text !== undefined && text !== '') writer.string(name, text)
    }
    for (const name of ['hops', 'limit']) {
      const whole = wholeOf(query, name)
      if (whole !== undefined) writer.int32(name, whole)
    }
    const share = shareOf(query.get('neighbours'))
    if (share !== undefined) writer.double('neighbours', share)
    if (isYes(query.get('explain'))) writer.bool('explain', true)
  })
  return answered(await request.run(command))
}

async function getMemory(request: MemoryRequest): Promise<HttpAnswer> {
  const id = request.param('id')
  const command = commandOn('getMemory', request, (writer) => writer.string('id', id))
  return answered(await request.run(command))
}

async function verify(request: MemoryRequest): Promise<HttpAnswer> {
  return answered(await request.run(onMemory('verifyMemory', request)))
}

/** A command on the memory in the query. Throws BadValue. */
function onMemory(name: string, request: MemoryRequest): Document {
  const id = request.query.get('id') ?? ''
  if (id === '' || [...id].length > memoryIdCharsMax) {
    throw fail('BadValue', `query 'id' must have 1 to ${memoryIdCharsMax} characters`)
  }
  return commandOn(name, request, (writer) => writer.string('id', id))
}

/**
 * Verifies several memories with one read of the anchors. It is read-only, so it has no idempotency
 * key.
 */
async function verifyMany(request: MemoryRequest): Promise<HttpAnswer> {
  const command = commandOn('verifyMemories', request, (writer) =>
    copyFields(writer, request.fields, ['ids', 'brief']),
  )
  return answered(await request.run(command))
}

async function sweep(request: MemoryRequest): Promise<HttpAnswer> {
  const cursor = request.query.get('cursor')
  const command = commandOn('verifyGraph', request, (writer) => {
    if (cursor !== undefined && cursor !== '') writer.string('cursor', cursor)
  })
  return answered(await request.run(command))
}

/** One entry of the list, which shows what the caller may read. */
async function graphSettings({ param, run }: MemoryRequest): Promise<HttpAnswer> {
  const command = graphCommand('listGraphs', '', (writer) => writer.string('name', param('name')))
  const listed = field(await run(command), 'graphs')
  const [found] = listed === undefined ? [] : elementsOf(listed)
  if (found === undefined) throw fail('GraphNotFound', 'no such graph, or none that you may read')
  return { status: 200, body: await replyJson(documentOf(found)) }
}

/** From 0 to 1. Throws BadValue. */
function shareOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/.test(text)) return Number(text)
  throw fail('BadValue', "query 'neighbours' must be a number from 0 to 1")
}
