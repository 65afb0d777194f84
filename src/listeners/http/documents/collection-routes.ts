// The routes of collections and indexes: each runs one MongoDB command, or one of Sigil's own if
// MongoDB has no such figures.

import { fail } from '../../../base/errors.js'
import { elementsOf, field, fieldsOf } from '../../../value/elements.js'
import { shellText } from '../../../value/shell.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { command, copyFields, type HttpCall, jsonOf } from '../core/call.js'
import type { Route } from '../core/route.js'

const collections = '/api/v1/collections'

export const collectionRoutes: readonly Route[] = [
  { method: 'GET', path: collections, access: 'key', run: list },
  { method: 'GET', path: `${collections}/:name/stats`, access: 'key', run: stats },
  {
    method: 'POST',
    path: `${collections}/:name/drop`,
    mutates: true,
    access: 'key',
    fields: { release: 'bool' },
    run: drop,
  },
  {
    method: 'POST',
    path: `${collections}/:name/createIndex`,
    mutates: true,
    access: 'key',
    inTransactions: true,
    fields: { field: 'string', key: 'object', unique: 'bool', name: 'string' },
    run: createIndex,
  },
  { method: 'GET', path: `${collections}/:name/indexes`, access: 'key', run: listIndexes },
  {
    method: 'POST',
    path: `${collections}/:name/dropIndex`,
    mutates: true,
    access: 'key',
    fields: { name: 'string!' },
    run: dropIndex,
  },
]

async function list(call: HttpCall): Promise<string> {
  const reply = await call.run(writeDocument((writer) => writer.int32('collectionSummaries', 1)))
  return `{"collections":${jsonOf(call, field(reply, 'collections'))},"ok":1}`
}

async function stats(call: HttpCall): Promise<string> {
  const reply = await call.run(command(call, 'collectionStats', () => undefined))
  const names = ['documentCount', 'indexCount', 'storageSizeBytes']
  const ofKind = ['capped', 'maxSizeBytes', 'maxDocuments', 'timeseries']
  const rules = ['validator', 'validationLevel', 'validationAction']
  const further = [...ofKind, ...rules, 'may'].filter((name) => field(reply, name) !== undefined)
  const shown = [...names, ...further]
  const figures = shown.map((name) => `"${name}":${jsonOf(call, field(reply, name))}`)
  return `{${figures.join(',')},"indexes":${indexesJson(call, field(reply, 'indexes'))},"ok":1}`
}

async function drop(call: HttpCall): Promise<string> {
  const reply = await call.run(
    command(call, 'drop', (writer) => copyFields(writer, call.fields, ['release'])),
  )
  if (field(reply, 'ns') === undefined) throw missing(call)
  return '{"acknowledged":true,"dropped":true,"ok":1}'
}

async function createIndex(call: HttpCall): Promise<string> {
  const key = indexKey(call)
  const given = call.fields.get('name')
  const name = given === undefined ? indexName(key) : stringOf(given)
  await call.run(
    command(call, 'createIndexes', (writer) => {
      writer.openArray('indexes').pushOpenDocument()
      writer.document('key', key).string('name', name)
      const unique = call.fields.get('unique')
      if (unique !== undefined) writer.value('unique', unique)
      writer.close().close()
    }),
  )
  return `{"acknowledged":true,"indexName":${JSON.stringify(name)},"ok":1}`
}

/** `field` alone, or the whole pattern as `key`. */
function indexKey(call: HttpCall): Document {
  const path = call.fields.get('field')
  const key = call.fields.get('key')
  if ((path === undefined) === (key === undefined)) {
    throw fail('BadValue', "exactly one of 'field' and 'key' is required in the request body")
  }
  if (key !== undefined) return documentOf(key)
  return writeDocument((writer) => writer.int32(path === undefined ? '' : stringOf(path), 1))
}

function indexName(key: Document): string {
  const parts: string[] = []
  for (const [path, direction] of fieldsOf(documentValue(key))) {
    const shown = direction.type === bsonType.string ? stringOf(direction) : shellText(direction)
    parts.push(`${path}_${shown}`)
  }
  return parts.join('_')
}

async function listIndexes(call: HttpCall): Promise<string> {
  const reply = await call.run(command(call, 'collectionStats', () => undefined))
  return `{"indexes":${indexesJson(call, field(reply, 'indexes'))},"ok":1}`
}

async function dropIndex(call: HttpCall): Promise<string> {
  const name = call.fields.get('name')
  await call.run(
    command(call, 'dropIndexes', (writer) => {
      if (name !== undefined) writer.value('index', name)
    }),
  )
  return '{"acknowledged":true,"ok":1}'
}

/** Index resources: {name, field, unique, key}. */
function indexesJson(call: HttpCall, indexes: Value | undefined): string {
  const parts =
    indexes === undefined ? [] : elementsOf(indexes).map((spec) => indexJson(call, spec))
  return `[${parts.join(',')}]`
}

function indexJson(call: HttpCall, spec: Value): string {
  const document = documentOf(spec)
  const key = field(document, 'key')
  const [first] = key === undefined ? [] : [...fieldsOf(key)]
  const name = jsonOf(call, field(document, 'name'))
  const isPrimary = first?.[0] === '_id' && name === '"_id_"'
  const unique = isPrimary || field(document, 'unique') !== undefined
  const path = JSON.stringify(first?.[0] ?? '')
  return `{"name":${name},"field":${path},"unique":${unique},"key":${jsonOf(call, key)}}`
}

function missing(call: HttpCall): Error {
  return fail('NamespaceNotFound', `ns not found: ${call.database}.${call.collection}`)
}
