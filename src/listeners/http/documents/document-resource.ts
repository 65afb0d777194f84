// One document at `/docs/:id`: read, replaced, changed and removed, with HTTP conditions. The
// writing command checks a condition in its own transaction; nothing is read before it.

import { fail } from '../../../base/errors.js'
import { documentBytesMax } from '../../../base/limits/documents.js'
import { equalValues } from '../../../value/compare.js'
import { Elements, elementsOf, field, fieldIn, idName } from '../../../value/elements.js'
import { jsonToValue } from '../../../value/json/json.js'
import { documentFrom } from '../../../value/literal.js'
import { integerOf } from '../../../value/numbers.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  objectIdValue,
  stringValue,
  type Value,
} from '../../../value/value.js'
import { writeArray, writeDocument } from '../../../value/writer.js'
import { jsonBetween, readValue } from '../../json-thread.js'
import { requireJsonType } from '../core/request.js'
import type { HttpAnswer, RawCall, ReplyRoute } from '../core/route.js'
import { writeErrors, writeFailure } from './document-routes.js'
import {
  type Conditions,
  conditionsOf,
  documentTags,
  entityTag,
  isKnown,
  requireMatch,
} from './entity-tag.js'
import { mergePatch } from './merge-patch.js'

const path = '/api/v1/collections/:name/docs/:id'
const ejson = 'application/ejson'
const resource = { path, access: 'key', query: { id: 'string' }, inTransactions: true } as const

export const resourceRoutes: readonly ReplyRoute[] = [
  { ...resource, method: 'GET', reply: get },
  { ...resource, method: 'PUT', takes: ['application/json', ejson], reply: put },
  {
    ...resource,
    method: 'PATCH',
    takes: ['application/json', ejson, 'application/merge-patch+json'],
    reply: patch,
  },
  { ...resource, method: 'DELETE', reply: remove },
]

async function get(call: RawCall): Promise<HttpAnswer> {
  const { ifMatch, ifNoneMatch } = conditionsOf(call.incoming.headers)
  const filter = { _id: idFilter(idsOf(call)) }
  const query = { find: call.collection, filter, sort: { _id: 1 }, limit: 1, singleBatch: true }
  const reply = await call.run(documentFrom(query))
  const cursor = field(reply, 'cursor')
  const batch = cursor === undefined ? undefined : fieldIn(cursor, 'firstBatch')
  const [found] = batch === undefined ? [] : elementsOf(batch)
  if (found === undefined) {
    throw ifMatch === undefined ? noDocument() : fail('PreconditionFailed', 'no such document')
  }
  const document = documentOf(found)
  requireMatch(document, ifMatch)
  const etag = entityTag(document, call.mode)
  const headers = { etag, 'cache-control': 'private, no-cache' }
  if (isKnown(etag, ifNoneMatch)) return { status: 304, headers, body: null }
  return { status: 200, headers, body: await jsonBetween('', found, '', call.mode) }
}

async function put(call: RawCall): Promise<HttpAnswer> {
  const conditions = conditionsOf(call.incoming.headers)
  const ids = idsOf(call)
  const { ifMatch, ifNoneMatch } = conditions
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') {
    throw fail('BadValue', 'If-None-Match of a PUT must be *')
  }
  const update = replacement(await readBody(call), ids)
  const reply = await call.run(
    changeCommand(call, ids, {
      update,
      upsert: ifMatch === undefined,
      ...(ifNoneMatch === undefined ? {} : { absent: true }),
      ...tagsIn(conditions),
    }),
  )
  return changed(call, reply, conditions)
}

async function patch(call: RawCall): Promise<HttpAnswer> {
  const conditions = changeConditions(call)
  const ids = idsOf(call)
  const type = call.incoming.headers['content-type'] ?? ''
  const isMerge = /^application\/merge-patch\+json\s*(;|$)/i.test(type)
  const body = await readBody(call)
  const update = isMerge ? mergePatch(withoutId(body, ids)) : operators(body)
  const reply = await call.run(changeCommand(call, ids, { update, ...tagsIn(conditions) }))
  return changed(call, reply, conditions)
}

async function remove(call: RawCall): Promise<HttpAnswer> {
  const conditions = changeConditions(call)
  const { tags } = tagsIn(conditions)
  const ids = idsOf(call)
  const isGone = tags === undefined ? await removed(call, ids) : await removedIf(call, ids, tags)
  if (!isGone) throw missing(conditions)
  return { status: 200, body: '{"acknowledged":true,"deletedCount":1,"ok":1}' }
}

async function removed(call: RawCall, ids: readonly Value[]): Promise<boolean> {
  const deletes = [{ q: { _id: idFilter(ids) }, limit: 1 }]
  const reply = await call.run(documentFrom({ delete: call.collection, deletes }))
  const [error] = writeErrors(reply)
  if (error !== undefined) throw writeFailure(error)
  const n = field(reply, 'n')
  return n !== undefined && integerOf(n) === 1
}

async function removedIf(
  call: RawCall,
  ids: readonly Value[],
  tags: readonly string[],
): Promise<boolean> {
  const reply = await call.run(changeCommand(call, ids, { remove: true, tags }))
  return field(reply, 'value')?.type === bsonType.object
}

/** Conditions for changes of an existing document. */
function changeConditions(call: RawCall): Conditions {
  const conditions = conditionsOf(call.incoming.headers)
  if (conditions.ifNoneMatch === undefined) return conditions
  throw fail('BadValue', 'If-None-Match is for GET and PUT')
}

function tagsIn({ ifMatch }: Conditions): { readonly tags?: readonly string[] } {
  return ifMatch === undefined || ifMatch === '*' ? {} : { tags: documentTags(ifMatch) }
}

/**
 * The ids that the last path segment may mean: a string, and the ObjectId too if it has 24
 * hexadecimal digits; with `?id=ejson` any value. Throws BadValue.
 */
function idsOf(call: RawCall): readonly Value[] {
  const text = call.param('id')
  const form = call.query('id')
  if (form === 'ejson') return [jsonToValue(text)]
  if (form !== undefined) throw fail('BadValue', "query 'id' must be ejson")
  const plain = stringValue(text)
  if (!/^[0-9a-fA-F]{24}$/.test(text)) return [plain]
  return [plain, objectIdValue(Buffer.from(text, 'hex'))]
}

function idFilter(ids: readonly Value[]): Readonly<Record<string, unknown>> {
  return ids.length === 1 ? { $eq: ids[0] } : { $in: writeArray(ids) }
}

/** Of two documents that one path could mean, the one with the string as `_id`. */
function changeCommand(
  call: RawCall,
  ids: readonly Value[],
  change: Readonly<Record<string, unknown>>,
): Document {
  return documentFrom({
    findAndModifyIf: call.collection,
    query: { _id: idFilter(ids) },
    ...(ids.length === 1 ? {} : { sort: { _id: 1 } }),
    ...change,
  })
}

function readBody(call: RawCall): Promise<Value> {
  const type = call.incoming.headers['content-type']
  requireJsonType(type)
  return call.body((bytes) => {
    if (bytes.length === 0) throw fail('BadValue', 'a body is required')
    if (type === undefined) throw fail('UnsupportedMediaType', 'a content type is required')
    return readValue(bytes)
  })
}

function operators(body: Value): Value {
  const isPipeline = body.type === bsonType.array
  const elements = new Elements(body.bytes, body.start)
  if (!isPipeline && body.type !== bsonType.object) {
    throw fail('BadValue', 'a patch must be an object')
  }
  while (!isPipeline && elements.next()) {
    if (body.bytes[elements.nameStart] === 0x24) continue
    const text =
      "a patch holds operators such as '$set', or is of type application/merge-patch+json"
    throw fail('BadValue', text)
  }
  return body
}

/** The document without `_id`, which the path gives. Throws ImmutableField for another one. */
function withoutId(body: Value, ids: readonly Value[]): Value {
  if (body.type !== bsonType.object) throw fail('BadValue', 'the document must be an object')
  const given = fieldIn(body, '_id')
  if (given === undefined) return body
  if (!ids.some((id) => equalValues(id, given))) {
    throw fail('ImmutableField', 'the _id of the body is not the one of the path')
  }
  const document = writeDocument((writer) => {
    writer.elementsBut(documentOf(body), idName)
  })
  return documentValue(document)
}

/**
 * The update of a PUT. If the path could mean two ids, the filter gives a new document no id, and a
 * replacement could not keep the existing one: a pipeline stage can do both.
 */
function replacement(body: Value, ids: readonly Value[]): unknown {
  const document = withoutId(body, ids)
  if (document.end - document.start > documentBytesMax) {
    throw fail('BSONObjectTooLarge', `the document is larger than ${documentBytesMax} bytes`)
  }
  const elements = new Elements(document.bytes, document.start)
  while (elements.next()) {
    if (document.bytes[elements.nameStart] !== 0x24) continue
    throw fail('BadValue', `a document holds no operators such as '${elements.name()}'`)
  }
  if (ids.length === 1) return document
  const _id = { $ifNull: ['$_id', { $literal: fieldIn(body, '_id') ?? ids[0] }] }
  return [{ $replaceWith: { $mergeObjects: [{ _id }, { $literal: document }] } }]
}

/** The response to a change: the document as it is now. */
async function changed(
  call: RawCall,
  reply: Document,
  conditions: Conditions,
): Promise<HttpAnswer> {
  const found = field(reply, 'value')
  if (found === undefined || found.type !== bsonType.object) throw missing(conditions)
  const result = field(reply, 'lastErrorObject')
  const isNew = result !== undefined && fieldIn(result, 'upserted') !== undefined
  const etag = entityTag(documentOf(found), call.mode)
  const body = await jsonBetween('', found, '', call.mode)
  if (!isNew) return { status: 200, headers: { etag }, body }
  return { status: 201, headers: { etag, location: call.incoming.url ?? '' }, body }
}

function missing({ ifMatch }: Conditions): Error {
  return ifMatch === undefined ? noDocument() : fail('PreconditionFailed', 'no such document')
}

function noDocument(): Error {
  return fail('NoMatchingDocument', 'no such document')
}
