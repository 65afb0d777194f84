// MongoDB Atlas' discontinued Data API: its applications work with their base address set to
// `<here>/app/<any>/endpoint/data/v1`. Each action is one MongoDB command.
// (docs/http.md, "The Data API")

import { fail, type GatewayError } from '../../../base/errors.js'
import {
  dataApiAnswerBytesMax,
  dataApiLimitDefault,
  dataApiLimitMax,
} from '../../../base/limits/http.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import { Elements, elementsOf, field } from '../../../value/elements.js'
import { documentFrom } from '../../../value/literal.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  int64Value,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { writeArray } from '../../../value/writer.js'
import { type JsonText, joinedJson, jsonBetween } from '../../json-thread.js'
import { jsonOf, wholeField } from '../core/call.js'
import type { HttpAnswer, RawCall, ReplyRoute } from '../core/route.js'
import {
  cursorBatch,
  cursorId,
  identified,
  numberField,
  writeErrors,
  writeFailure,
} from './document-routes.js'
import { widenIds, widenPipeline } from './ids.js'

/** Documents of one batch of a response. */
const dataApiBatchDocuments = 1_000

export const dataApiRoutes: readonly ReplyRoute[] = [
  {
    method: 'POST',
    path: '/app/:app/endpoint/data/:version/action/:action',
    mutates: true,
    access: 'key',
    inTransactions: true,
    keyHeaders: ['api-key', 'apikey'],
    fields: {
      dataSource: 'string',
      database: 'string!',
      collection: 'string!',
      filter: 'object',
      projection: 'object',
      sort: 'object',
      limit: 'whole',
      skip: 'whole',
      document: 'object',
      documents: 'array',
      update: 'update',
      replacement: 'object',
      upsert: 'bool',
      arrayFilters: 'array',
      pipeline: 'array',
    },
    errorBody,
    reply: answer,
  },
]

type Plain = Readonly<Record<string, unknown>>

const actions: Readonly<Record<string, (call: RawCall) => Promise<HttpAnswer>>> = {
  findOne: (call) => find(call, true),
  find: (call) => find(call, false),
  insertOne: (call) => insert(call, [required(call, 'document')], true),
  insertMany: (call) => insert(call, elementsOf(required(call, 'documents')), false),
  updateOne: (call) => update(call, 'update', false),
  updateMany: (call) => update(call, 'update', true),
  replaceOne: (call) => update(call, 'replacement', false),
  deleteOne: (call) => remove(call, 1),
  deleteMany: (call) => remove(call, 0),
  aggregate,
}

function answer(call: RawCall): Promise<HttpAnswer> {
  const [version, name] = [call.param('version'), call.param('action')]
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action !== undefined && (version === 'v1' || version === 'beta')) return action(call)
  throw fail('CommandNotFound', `no action ${name} of version ${version}`)
}

function errorBody(error: GatewayError): string {
  return JSON.stringify({ error: error.message, error_code: error.codeName })
}

async function find(call: RawCall, isOne: boolean): Promise<HttpAnswer> {
  const limit = isOne ? 1 : (wholeField(call.fields, 'limit') ?? dataApiLimitDefault)
  if (limit < 1 || limit > dataApiLimitMax) {
    throw fail('BadValue', `field 'limit' must be 1 to ${dataApiLimitMax}`)
  }
  const reply = await run(call, {
    find: nameOf(call),
    filter: filterOf(call),
    ...given(call, ['projection', 'sort', 'skip']),
    limit,
    batchSize: Math.min(limit, dataApiBatchDocuments),
  })
  const documents = await allOf(call, reply)
  if (isOne) return { status: 200, body: `{"document":${documents[0] ?? 'null'}}` }
  return { status: 200, body: joinedJson('{"documents":[', documents, ',', ']}') }
}

async function aggregate(call: RawCall): Promise<HttpAnswer> {
  const pipeline = required(call, 'pipeline')
  const reply = await run(call, {
    aggregate: nameOf(call),
    pipeline: call.widensIds ? widenPipeline(pipeline) : pipeline,
    cursor: { batchSize: dataApiBatchDocuments },
  })
  const documents = await allOf(call, reply)
  return { status: 200, body: joinedJson('{"documents":[', documents, ',', ']}') }
}

/** All documents of a cursor as JSON, up to the bound of one response. */
async function allOf(call: RawCall, first: Document): Promise<JsonText[]> {
  const documents: JsonText[] = []
  const turns = new WorkTurns()
  let chars = 0
  let batch = cursorBatch(first, 'firstBatch')
  let id = cursorId(first)
  for (;;) {
    for (const document of elementsOf(batch)) {
      const text = await jsonBetween('', document, '', call.mode)
      documents.push(text)
      chars += text.length
      if (turns.isDue) await turns.pause()
    }
    const isTooLarge = chars > dataApiAnswerBytesMax || documents.length > dataApiLimitMax
    if (isTooLarge && id !== 0) await endCursor(call, id)
    if (isTooLarge) {
      const most = `${dataApiLimitMax} documents and ${dataApiAnswerBytesMax} bytes`
      throw fail('BSONObjectTooLarge', `an answer holds at most ${most}`)
    }
    if (id === 0) return documents
    const cursor = { getMore: int64Value(BigInt(id)), collection: nameOf(call) }
    const reply = await run(call, { ...cursor, batchSize: dataApiBatchDocuments })
    batch = cursorBatch(reply, 'nextBatch')
    id = cursorId(reply)
  }
}

async function endCursor(call: RawCall, id: number): Promise<void> {
  const cursors = writeArray([int64Value(BigInt(id))])
  await run(call, { killCursors: nameOf(call), cursors })
}

async function insert(call: RawCall, given: readonly Value[], isOne: boolean): Promise<HttpAnswer> {
  if (given.length === 0) throw fail('BadValue', "field 'documents' must not be empty")
  const all = given.map((value) => identified(call, value))
  const documents = writeArray(all.map(([document]) => documentValue(document)))
  requireDone(await run(call, { insert: nameOf(call), documents }))
  const ids = all.map(([, id]) => id)
  const body = isOne
    ? `{"insertedId":${jsonOf(call, ids[0])}}`
    : `{"insertedIds":${jsonOf(call, writeArray(ids))}}`
  return { status: 201, body }
}

async function update(
  call: RawCall,
  name: 'update' | 'replacement',
  multi: boolean,
): Promise<HttpAnswer> {
  required(call, 'filter')
  const u = required(call, name)
  requireKind(u, name)
  const change = { q: filterOf(call), u, multi }
  const updates = [{ ...change, ...given(call, ['upsert', 'arrayFilters']) }]
  const reply = await run(call, { update: nameOf(call), updates })
  requireDone(reply)
  const [upserted] = elementsOf(field(reply, 'upserted') ?? writeArray([]))
  const id = upserted === undefined ? undefined : field(documentOf(upserted), '_id')
  const matched = numberField(reply, 'n') - (id === undefined ? 0 : 1)
  const counts = `"matchedCount":${matched},"modifiedCount":${numberField(reply, 'nModified')}`
  if (id === undefined) return { status: 200, body: `{${counts}}` }
  return { status: 201, body: `{${counts},"upsertedId":${jsonOf(call, id)}}` }
}

/** Update operators and replacement documents must not be confused. */
function requireKind(given: Value, name: 'update' | 'replacement'): void {
  if (given.type === bsonType.array) return
  const elements = new Elements(given.bytes, given.start)
  while (elements.next()) {
    const isOperator = given.bytes[elements.nameStart] === 0x24
    if (isOperator === (name === 'update')) continue
    const wanted = isOperator
      ? 'must hold no operators'
      : "must hold operators only, such as '$set'"
    throw fail('BadValue', `the ${name} ${wanted}`)
  }
}

async function remove(call: RawCall, limit: 0 | 1): Promise<HttpAnswer> {
  required(call, 'filter')
  const deletes = [{ q: filterOf(call), limit }]
  const reply = await run(call, { delete: nameOf(call), deletes })
  requireDone(reply)
  return { status: 200, body: `{"deletedCount":${numberField(reply, 'n')}}` }
}

async function run(call: RawCall, command: Plain): Promise<Document> {
  return await call.runIn(stringOf(required(call, 'database')), documentFrom(command))
}

function requireDone(reply: Document): void {
  const [error] = writeErrors(reply)
  if (error !== undefined) throw writeFailure(error)
}

function nameOf(call: RawCall): string {
  return stringOf(required(call, 'collection'))
}

function filterOf(call: RawCall): Value {
  const filter = call.fields.get('filter') ?? documentValue(documentFrom({}))
  return call.widensIds ? widenIds(filter) : filter
}

function required(call: RawCall, name: string): Value {
  const value = call.fields.get(name)
  if (value !== undefined) return value
  throw fail('BadValue', `field '${name}' is required in the request body`)
}

function given(call: RawCall, names: readonly string[]): Plain {
  const fields = names.map((name) => [name, call.fields.get(name)] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}
