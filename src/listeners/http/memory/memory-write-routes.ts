// Write routes of the graph memory: single memories and batches, edges, entities, graphs and their
// rights, and anchoring on request. (docs/memory.md, "Routes")

import { type CodeName, fail } from '../../../base/errors.js'
import { memoryBatchBodyBytesMax, memoryBodyBytesMax } from '../../../base/limits/memory.js'
import { elementsOf, field, fieldIn } from '../../../value/elements.js'
import { valueToJson } from '../../../value/json/json.js'
import { boolOf, type Document, documentOf, stringValue, type Value } from '../../../value/value.js'
import { type BodySchema, copyFields } from '../core/call.js'
import type { HttpAnswer, QuerySchema } from '../core/route.js'
import { memoryError } from './memory-errors.js'
import {
  answered,
  commandOn,
  graphCommand,
  isYes,
  type MemoryRequest,
  type MemoryRoute,
  replyJson,
} from './memory-route.js'

const memoryFields = {
  text: 'string!',
  entities: 'array',
  keywords: 'array',
  source: 'object',
  edges: 'array',
  supersedes: 'string',
  validFrom: 'any',
  validTo: 'any',
} as const satisfies BodySchema

const ofGraph = { graph: 'string' } as const satisfies QuerySchema
const edgeEnds = { from: 'string', to: 'string', type: 'string' } as const
const edgeFields = {
  from: 'string!',
  to: 'string!',
  type: 'string!',
  weight: 'any',
  validFrom: 'any',
  validTo: 'any',
  source: 'string',
} as const satisfies BodySchema

const writes: readonly MemoryRoute[] = [
  {
    method: 'POST',
    path: '/api/memories',
    fields: { graph: 'string', ...memoryFields, idempotencyKey: 'string' },
    answer: rememberOne,
  },
  {
    method: 'POST',
    path: '/api/memories/batch',
    fields: { graph: 'string', memories: 'array!', mode: 'string' },
    bodyBytesMax: memoryBatchBodyBytesMax,
    answer: rememberMany,
  },
  {
    method: 'PATCH',
    path: '/api/memories/:id',
    query: ofGraph,
    fields: { graph: 'string', validTo: 'nullable', status: 'string' },
    answer: async (request) =>
      answered(await request.run(nodeCommand('updateMemory', request, ['validTo', 'status']))),
  },
  {
    method: 'DELETE',
    path: '/api/memories/:id',
    query: ofGraph,
    answer: async (request) => answered(await request.run(nodeCommand('forgetMemory', request))),
  },
  {
    method: 'POST',
    path: '/api/edges',
    fields: { graph: 'string', ...edgeFields },
    answer: relate,
  },
  {
    method: 'DELETE',
    path: '/api/edges',
    query: { ...ofGraph, id: 'string', ...edgeEnds },
    fields: { graph: 'string', id: 'string', ...edgeEnds },
    answer: unrelate,
  },
  {
    method: 'POST',
    path: '/api/entities/merge',
    fields: { graph: 'string', from: 'string!', into: 'string!' },
    answer: async (request) =>
      answered(await request.run(bodyCommand('mergeEntities', request, ['from', 'into']))),
  },
  {
    method: 'POST',
    path: '/api/anchor',
    fields: { graph: 'string', ids: 'array' },
    answer: async (request) =>
      answered(await request.run(bodyCommand('anchorGraph', request, ['ids'])), 202),
  },
  {
    method: 'PUT',
    path: '/api/graphs/:name',
    fields: { mode: 'string', roles: 'object', k1: 'any', b: 'any', ownerAddress: 'string' },
    answer: setGraph,
  },
  {
    method: 'DELETE',
    path: '/api/graphs/:name',
    query: { release: 'string' },
    answer: dropGraph,
  },
]

/** Each may be repeated with its Idempotency-Key. */
export const memoryWriteRoutes: readonly MemoryRoute[] = writes.map((route) => ({
  bodyBytesMax: memoryBodyBytesMax,
  mutates: true,
  ...route,
}))

function bodyCommand(name: string, request: MemoryRequest, fields: readonly string[]): Document {
  return commandOn(name, request, (writer) => copyFields(writer, request.fields, fields))
}

function nodeCommand(
  name: string,
  request: MemoryRequest,
  fields: readonly string[] = [],
): Document {
  return commandOn(name, request, (writer) =>
    copyFields(writer.string('id', request.param('id')), request.fields, fields),
  )
}

/** 201, or 200 if the same memory existed. */
async function rememberOne(request: MemoryRequest): Promise<HttpAnswer> {
  const command = commandOn('rememberMemories', request, (writer) => {
    writer.openArray('memories').pushOpenDocument()
    copyFields(writer, request.fields, Object.keys(memoryFields))
    // An error is the whole response.
    writer.close().close().string('mode', 'all')
  })
  const results = field(await request.run(command), 'results')
  const [result] = results === undefined ? [] : elementsOf(results)
  if (result === undefined) throw new Error('a memory was not answered')
  const stored = documentOf(result)
  const duplicate = field(stored, 'duplicate')
  const isDuplicate = duplicate !== undefined && boolOf(duplicate)
  return { status: isDuplicate ? 200 : 201, body: await replyJson(stored, ['index']) }
}

/** Errors of single memories are among the results, in the same form as alone. */
async function rememberMany(request: MemoryRequest): Promise<HttpAnswer> {
  const command = bodyCommand('rememberMemories', request, ['memories', 'mode'])
  return { status: 200, body: await replyJson(await request.run(command), [], resultJson) }
}

function resultJson(result: Value): string {
  const json = valueToJson(result, 'plain')
  if (fieldIn(result, 'error') === undefined) return json
  const { error, ...rest } = JSON.parse(json) as Result
  return JSON.stringify({ ...rest, error: memoryError(fail(error.code, error.message)) })
}

interface Result {
  readonly error: { readonly code: CodeName; readonly message: string }
}

async function relate(request: MemoryRequest): Promise<HttpAnswer> {
  const reply = await request.run(bodyCommand('relateNodes', request, Object.keys(edgeFields)))
  const created = field(reply, 'created')
  return answered(reply, created !== undefined && boolOf(created) ? 201 : 200)
}

/** From the body, or the query for clients that send no body with a DELETE. */
async function unrelate(request: MemoryRequest): Promise<HttpAnswer> {
  const { query } = request
  const fields = new Map([...query].map(([name, text]) => [name, stringValue(text)] as const))
  for (const [name, value] of request.fields) fields.set(name, value)
  const command = bodyCommand('unrelateNodes', { ...request, fields }, ['id', 'from', 'to', 'type'])
  return answered(await request.run(command))
}

async function setGraph({ param, fields, run }: MemoryRequest): Promise<HttpAnswer> {
  const command = graphCommand('setGraph', param('name'), (writer) =>
    copyFields(writer, fields, ['mode', 'roles', 'k1', 'b', 'ownerAddress']),
  )
  return answered(await run(command))
}

/** With `release=true` the name becomes free. */
async function dropGraph({ param, query, run }: MemoryRequest): Promise<HttpAnswer> {
  const command = graphCommand('dropGraph', param('name'), (writer) => {
    if (isYes(query.get('release'))) writer.bool('release', true)
  })
  return answered(await run(command))
}
