// The document routes. Each turns a JSON body into one MongoDB command, runs it on the bus and
// returns its reply as JSON.

import { fail, kindOf } from '../../../base/errors.js'
import { httpPageDefault, httpPageMax } from '../../../base/limits/http.js'
import { work } from '../../../base/work/work-budget.js'
import { bytesPerUnit, entryUnits } from '../../../base/work/work-figures.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import type { Request } from '../../../bus/document/request.js'
import { emptyDocument } from '../../../commands/document/arguments.js'
import { nothingFound } from '../../../commands/document/reading/cursors.js'
import { FindOneRequest } from '../../../commands/document/reading/find-one.js'
import { isWriting } from '../../../query/pipeline.js'
import type { Awaitable } from '../../../store/store.js'
import { Elements, elementsOf, field, fieldIn, idName } from '../../../value/elements.js'
import { integerOf } from '../../../value/numbers.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  int64Value,
  nullValue,
  objectIdValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { type DocumentWriter, writeArray, writeDocument } from '../../../value/writer.js'
import { asciiJson, type JsonText, jsonBetween, jsonOfReply } from '../../json-thread.js'
import { command, copyFields, type HttpCall, jsonOf, wholeField } from '../core/call.js'
import type { Route } from '../core/route.js'
import { widenIds, widenPipeline } from './ids.js'

const post = { method: 'POST', access: 'key', inTransactions: true } as const
const path = (operation: string): string => `/api/v1/collections/:name/${operation}`

const findFields = {
  filter: 'object',
  projection: 'object',
  sort: 'object',
  limit: 'whole',
  skip: 'whole',
  batchSize: 'whole',
  hint: 'any',
  let: 'object',
  maxTimeMS: 'whole',
} as const
const updateFields = {
  filter: 'object!',
  update: 'update!',
  upsert: 'bool',
  arrayFilters: 'array',
  hint: 'any',
} as const
const deleteFields = { filter: 'object!', hint: 'any' } as const

export const documentRoutes: readonly Route[] = [
  {
    ...post,
    path: path('insertOne'),
    mutates: true,
    fields: { document: 'object!' },
    run: insertOne,
  },
  {
    ...post,
    path: path('insertMany'),
    mutates: true,
    fields: { documents: 'array!', ordered: 'bool' },
    run: insertMany,
  },
  { ...post, path: path('find'), fields: findFields, run: find, stream: findCommand },
  { ...post, path: path('findOne'), fields: findFields, run: findOne },
  {
    ...post,
    path: path('updateOne'),
    mutates: true,
    fields: updateFields,
    run: (call) => update(call, false),
  },
  {
    ...post,
    path: path('updateMany'),
    mutates: true,
    fields: updateFields,
    run: (call) => update(call, true),
  },
  {
    ...post,
    path: path('deleteOne'),
    mutates: true,
    fields: deleteFields,
    run: (call) => remove(call, 1),
  },
  {
    ...post,
    path: path('deleteMany'),
    mutates: true,
    fields: deleteFields,
    run: (call) => remove(call, 0),
  },
  {
    ...post,
    path: path('count'),
    fields: { filter: 'object', limit: 'whole', skip: 'whole', hint: 'any', maxTimeMS: 'whole' },
    run: count,
  },
  {
    ...post,
    path: path('distinct'),
    fields: { field: 'string!', filter: 'object', maxTimeMS: 'whole' },
    run: distinct,
  },
  {
    ...post,
    path: path('aggregate'),
    fields: {
      pipeline: 'array!',
      batchSize: 'whole',
      hint: 'any',
      let: 'object',
      allowDiskUse: 'bool',
      maxTimeMS: 'whole',
    },
    run: aggregate,
    stream: aggregateCommand,
  },
  {
    ...post,
    path: path('getMore'),
    fields: { cursor: 'whole!', batchSize: 'whole' },
    names: 'cursor',
    run: getMore,
  },
]

async function insertOne(call: HttpCall): Promise<string> {
  const [document, id] = identified(call, call.fields.get('document'))
  const reply = await call.ask(insertRequest(call, [document], true))
  const [error] = writeErrors(reply)
  if (error !== undefined) throw writeFailure(error)
  return `{"acknowledged":true,"insertedId":${jsonOf(call, id)},"insertedCount":1,"ok":1}`
}

async function insertMany(call: HttpCall): Promise<JsonText> {
  const { documents, ids } = await documentsOf(call)
  if (documents.length === 0) throw fail('BadValue', "field 'documents' must not be empty")
  const ordered = !isFalse(call, 'ordered')
  const reply = await call.ask(insertRequest(call, documents, ordered))
  const errors = writeErrors(reply)
  const failed = new Set(errors.map((error) => numberField(error, 'index')))
  const stop = ordered && errors[0] ? numberField(errors[0], 'index') : ids.length
  const inserted = ids.filter((_, index) => index < stop && !failed.has(index))
  const [first] = errors
  if (first !== undefined) {
    throw writeFailure(first, {
      insertedCount: numberField(reply, 'n'),
      insertedIds: writeArray(inserted),
      writeErrors: writeArray(errors.map(documentValue)),
    })
  }
  const head = `{"acknowledged":true,"insertedCount":${inserted.length},"insertedIds":`
  return await jsonBetween(head, writeArray(inserted), ',"ok":1}', call.mode)
}

/** The documents of a body with their ids, read with pauses. */
async function documentsOf(call: HttpCall): Promise<{ documents: Document[]; ids: Value[] }> {
  const documents: Document[] = []
  const ids: Value[] = []
  const given = call.fields.get('documents') ?? writeArray([])
  const turns = new WorkTurns()
  const elements = new Elements(given.bytes, given.start)
  while (elements.next()) {
    const [document, id] = identified(call, elements.value())
    documents.push(document)
    ids.push(id)
    work.note(entryUnits + document.length / bytesPerUnit)
    if (turns.isDue) await turns.pause()
  }
  return { documents, ids }
}

function isFalse(call: HttpCall, name: string): boolean {
  const value = call.fields.get(name)
  return value !== undefined && value.bytes[value.start] === 0
}

/** The document with its `_id`, generated if missing. */
export function identified(call: HttpCall, value: Value | undefined): [Document, Value] {
  if (value === undefined || value.type !== bsonType.object) {
    throw fail('BadValue', 'every document must be an object')
  }
  const document = documentOf(value)
  const given = field(document, '_id')
  if (given !== undefined) return [document, given]
  const id = objectIdValue(call.makeId())
  const whole = writeDocument((writer) => {
    writer.value('_id', id).elementsBut(document, idName)
  })
  return [whole, id]
}

/**
 * The documents are a separate sequence: inside the command they would be copied and parsed again.
 */
function insertRequest(call: HttpCall, documents: readonly Document[], ordered: boolean): Request {
  const body = command(call, 'insert', (writer) => writer.bool('ordered', ordered))
  return { db: call.database, body, sequences: new Map([['documents', documents]]) }
}

async function find(call: HttpCall): Promise<JsonText> {
  return cursorJson(call, await call.run(findCommand(call, httpPageMax)), 'firstBatch')
}

/** The find command of a body; `page` is the most documents of a batch. */
function findCommand(call: HttpCall, page: number, streams = false): Document {
  const limit = wholeField(call.fields, 'limit')
  const asked = wholeField(call.fields, 'batchSize')
  const total = limit ?? (asked === undefined && !streams ? httpPageDefault : 0)
  return command(call, 'find', (writer) => {
    writeFilter(writer, call, 'filter')
    copyFields(writer, call.fields, ['projection', 'sort', 'skip', 'hint', 'let', 'maxTimeMS'])
    if (total > 0) writer.value('limit', int64Value(BigInt(total)))
    writer.int32('batchSize', Math.min(asked ?? page, page))
  })
}

function findOne(call: HttpCall): Awaitable<JsonText> {
  const { fields } = call
  const filter = fields.get('filter')
  if (fields.size > (filter === undefined ? 0 : 1)) return findOneSo(call)
  const given = filter ?? documentValue(emptyDocument)
  const wide = call.widensIds ? widenIds(given) : given
  const found = call.ask(new FindOneRequest(call.database, call.collection, documentOf(wide)))
  if (found instanceof Uint8Array) return documentJson(call, found)
  return found.then((document) => documentJson(call, document))
}

function documentJson(call: HttpCall, found: Document): Awaitable<JsonText> {
  const value = found === nothingFound ? nullValue : documentValue(found)
  return jsonBetween('{"document":', value, ',"ok":1}', call.mode)
}

/** As findOne, with options besides the filter. */
function findOneSo(call: HttpCall): Awaitable<JsonText> {
  const query = command(call, 'find', (writer) => {
    writeFilter(writer, call, 'filter')
    copyFields(writer, call.fields, ['projection', 'sort', 'skip', 'hint', 'let', 'maxTimeMS'])
    writer.int32('limit', 1).bool('singleBatch', true)
  })
  const reply = call.run(query)
  if (reply instanceof Uint8Array) return foundJson(call, reply)
  return reply.then((found) => foundJson(call, found))
}

function foundJson(call: HttpCall, reply: Document): Awaitable<JsonText> {
  const batch = cursorField(reply, 'firstBatch')
  const elements = new Elements(batch.bytes, batch.start)
  const found = elements.next() ? elements.value() : nullValue
  return jsonBetween('{"document":', found, ',"ok":1}', call.mode)
}

async function update(call: HttpCall, multi: boolean): Promise<string> {
  requireOperators(call.fields.get('update'))
  const reply = await call.run(
    command(call, 'update', (writer) => {
      writer.openArray('updates').pushOpenDocument()
      writeFilter(writer, call, 'q', 'filter')
      const changes = call.fields.get('update')
      if (changes !== undefined) writer.value('u', changes)
      writer.bool('multi', multi)
      copyFields(writer, call.fields, ['upsert', 'arrayFilters', 'hint'])
      writer.close().close()
    }),
  )
  const [error] = writeErrors(reply)
  if (error !== undefined) throw writeFailure(error)
  const upserted = field(reply, 'upserted')
  const [entry] = upserted === undefined ? [] : elementsOf(upserted)
  const id = entry === undefined ? undefined : field(documentOf(entry), '_id')
  const matched = numberField(reply, 'n') - (id === undefined ? 0 : 1)
  const modified = numberField(reply, 'nModified')
  return (
    `{"acknowledged":true,"matchedCount":${matched},"modifiedCount":${modified},` +
    `"upsertedId":${jsonOf(call, id)},"ok":1}`
  )
}

/** updateOne and updateMany change fields; a replacement document is a client's mistake here. */
function requireOperators(changes: Value | undefined): void {
  if (changes === undefined || changes.type === bsonType.array) return
  const elements = new Elements(changes.bytes, changes.start)
  while (elements.next()) {
    if (changes.bytes[elements.nameStart] !== 0x24) {
      throw fail('BadValue', "the update must hold operators only, such as '$set'")
    }
  }
}

async function remove(call: HttpCall, limit: 0 | 1): Promise<string> {
  const reply = await call.run(
    command(call, 'delete', (writer) => {
      writer.openArray('deletes').pushOpenDocument()
      writeFilter(writer, call, 'q', 'filter')
      writer.int32('limit', limit)
      copyFields(writer, call.fields, ['hint'])
      writer.close().close()
    }),
  )
  const [error] = writeErrors(reply)
  if (error !== undefined) throw writeFailure(error)
  return `{"acknowledged":true,"deletedCount":${numberField(reply, 'n')},"ok":1}`
}

async function count(call: HttpCall): Promise<string> {
  if (call.isInTransaction) return countByPipeline(call)
  const reply = await call.run(
    command(call, 'count', (writer) => {
      writeFilter(writer, call, 'query', 'filter')
      copyFields(writer, call.fields, ['limit', 'skip', 'hint', 'maxTimeMS'])
    }),
  )
  return `{"count":${numberField(reply, 'n')},"ok":1}`
}

/** The command `count` is no statement of a transaction. */
async function countByPipeline(call: HttpCall): Promise<string> {
  const reply = await call.run(
    command(call, 'aggregate', (writer) => {
      const stages = writer.openArray('pipeline')
      writeFilter(stages.pushOpenDocument(), call, '$match', 'filter')
      stages.close()
      for (const [name, stage] of [
        ['skip', '$skip'],
        ['limit', '$limit'],
      ] as const) {
        const given = wholeField(call.fields, name) ?? 0
        if (given > 0)
          stages
            .pushOpenDocument()
            .value(stage, int64Value(BigInt(given)))
            .close()
      }
      stages.pushOpenDocument().string('$count', 'n').close()
      stages.close().openDocument('cursor').close()
      copyFields(writer, call.fields, ['hint', 'maxTimeMS'])
    }),
  )
  const [found] = elementsOf(cursorBatch(reply, 'firstBatch'))
  return `{"count":${found === undefined ? 0 : numberField(documentOf(found), 'n')},"ok":1}`
}

async function distinct(call: HttpCall): Promise<JsonText> {
  const reply = await call.run(
    command(call, 'distinct', (writer) => {
      const key = call.fields.get('field')
      if (key !== undefined) writer.value('key', key)
      writeFilter(writer, call, 'query', 'filter')
      copyFields(writer, call.fields, ['maxTimeMS'])
    }),
  )
  return jsonBetween('{"values":', field(reply, 'values') ?? nullValue, ',"ok":1}', call.mode)
}

async function aggregate(call: HttpCall): Promise<JsonText> {
  return cursorJson(call, await call.run(aggregateCommand(call, httpPageMax)), 'firstBatch')
}

/** The aggregate command of a body; without batchSize its result ends at the default page. */
function aggregateCommand(call: HttpCall, page: number, streams = false): Document {
  const given = call.fields.get('pipeline') ?? writeArray([])
  const stages = elementsOf(call.widensIds ? widenPipeline(given) : given)
  const asked = wholeField(call.fields, 'batchSize')
  if (asked === undefined && !streams && !isWriting(given)) {
    const bound = writeDocument((writer) => writer.int32('$limit', httpPageDefault))
    stages.push(documentValue(bound))
  }
  return command(call, 'aggregate', (writer) => {
    writer.value('pipeline', writeArray(stages))
    writer.openDocument('cursor')
    writer.int32('batchSize', Math.min(asked ?? page, page)).close()
    copyFields(writer, call.fields, ['hint', 'let', 'allowDiskUse', 'maxTimeMS'])
  })
}

async function getMore(call: HttpCall): Promise<JsonText> {
  const id = wholeField(call.fields, 'cursor') ?? 0
  const asked = wholeField(call.fields, 'batchSize') ?? httpPageDefault
  return cursorJson(call, await call.run(getMoreCommand(call.collection, id, asked)), 'nextBatch')
}

/** The next batch of a cursor; at most httpPageMax documents. */
export function getMoreCommand(collection: string, id: number, batchSize: number): Document {
  return writeDocument((writer) => {
    writer.int64('getMore', id).string('collection', collection)
    writer.int32('batchSize', Math.min(batchSize, httpPageMax))
  })
}

function writeFilter(writer: DocumentWriter, call: HttpCall, as: string, name = as): void {
  const filter = call.fields.get(name)
  if (filter === undefined) {
    writer.openDocument(as).close()
    return
  }
  writer.value(as, call.widensIds ? widenIds(filter) : filter)
}

function cursorField(reply: Document, name: string): Value {
  const cursor = field(reply, 'cursor')
  const value = cursor === undefined ? undefined : fieldIn(cursor, name)
  if (value === undefined) throw fail('InternalError', `a cursor reply without ${name}`)
  return value
}

/** Cursor id of a reply; 0 when drained. Ids stay below 2^53. */
export function cursorId(reply: Document): number {
  return integerOf(cursorField(reply, 'id')) ?? 0
}

/** The collection of a reply's cursor, as getMore needs it. */
export function cursorCollection({ database }: HttpCall, reply: Document): string {
  return stringOf(cursorField(reply, 'ns')).slice(database.length + 1)
}

/** The batch of a reply, as an array value. */
export function cursorBatch(reply: Document, name: 'firstBatch' | 'nextBatch'): Value {
  return cursorField(reply, name)
}

function cursorJson(
  call: HttpCall,
  reply: Document,
  batch: 'firstBatch' | 'nextBatch',
): Awaitable<JsonText> {
  const documents = cursorField(reply, batch)
  const ns = asciiJson(stringOf(cursorField(reply, 'ns')))
  const end = `,"id":${cursorId(reply)},"ns":${ns}},"ok":1}`
  return jsonOfReply(`{"cursor":{"${batch}":`, documents, end, call.mode)
}

export function numberField(document: Document, name: string): number {
  const value = field(document, name)
  return (value === undefined ? undefined : integerOf(value)) ?? 0
}

/** The failures of a write command's reply. */
export function writeErrors(reply: Document): Document[] {
  const errors = field(reply, 'writeErrors')
  return errors === undefined ? [] : elementsOf(errors).map(documentOf)
}

/** A write error in the reply as the error of the whole request. */
export function writeFailure(error: Document, extra: Record<string, unknown> = {}): Error {
  const message = field(error, 'errmsg')
  const pattern = field(error, 'keyPattern')
  const value = field(error, 'keyValue')
  const info = field(error, 'errInfo')
  return fail(kindOf(numberField(error, 'code')), message === undefined ? '' : stringOf(message), {
    ...(pattern === undefined ? {} : { keyPattern: pattern }),
    ...(value === undefined ? {} : { keyValue: value }),
    ...(info === undefined ? {} : { errInfo: info }),
    ...extra,
  })
}
