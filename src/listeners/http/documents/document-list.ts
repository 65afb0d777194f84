// Lists of documents by page: `GET /docs?filter=&fields=&sort=&limit=&cursor=`. A page starts at
// the sort values where the last one ended, not at a number. So later pages cost no more, and an
// insert does not make a page skip documents.

import { fail } from '../../../base/errors.js'
import { documentBytesMax } from '../../../base/limits/documents.js'
import {
  cutBytesMin,
  httpPageDefault,
  httpPageMax,
  pageSortFieldsMax,
} from '../../../base/limits/http.js'
import { elementsOf, field, fieldIn } from '../../../value/elements.js'
import { jsonToValue } from '../../../value/json/json.js'
import { documentFrom } from '../../../value/literal.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  nullValue,
  type Value,
} from '../../../value/value.js'
import { writeArray, writeDocument } from '../../../value/writer.js'
import { asciiJson, type JsonText, jsonBetween } from '../../json-thread.js'
import type { HttpCall } from '../core/call.js'
import type { Route } from '../core/route.js'
import { cutDocuments } from './cut-values.js'
import { cursorBatch } from './document-routes.js'
import { widenIds } from './ids.js'
import { after, idsAfter, type SortField, sortKey } from './keyset.js'
import { openCursor, scopeOf, sealCursor } from './page-cursor.js'

export const documentListRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/collections/:name/docs',
    access: 'key',
    inTransactions: true,
    query: {
      filter: 'json',
      fields: 'string',
      sort: 'string',
      limit: 'whole',
      cursor: 'string',
      maxValueBytes: 'whole',
    },
    run: list,
  },
]

interface Asked {
  readonly filter: Value
  readonly fields: readonly string[]
  readonly sort: readonly SortField[]
  readonly limit: number
  /** The last sort values of the previous page. */
  readonly from: readonly Value[] | undefined
}

/** A document and its sort values. */
interface Listed {
  readonly document: Value
  readonly key: readonly Value[]
}

async function list(call: HttpCall): Promise<JsonText> {
  const sort = sortOf(call.query('sort'))
  const filter = filterOf(call.query('filter'))
  const order = sort.map(({ name, direction }) => `${direction}${name}`)
  const bytes = Buffer.from(documentOf(filter)).toString('base64')
  const scope = scopeOf([call.database, call.collection, bytes, ...order])
  const cursor = call.query('cursor')
  const asked: Asked = {
    filter: widenIds(filter),
    sort,
    fields: fieldsOf(call.query('fields')),
    limit: limitOf(call.query('limit')),
    from: cursor === undefined ? undefined : openCursor(call.pageKey, scope, cursor),
  }
  const found = sort.length === 1 ? await listById(call, asked) : await listSorted(call, asked)
  const page = found.slice(0, asked.limit)
  const last = found.length > page.length ? page.at(-1) : undefined
  const next = last === undefined ? null : sealCursor(call.pageKey, scope, last.key)
  const bytesMax = valueBytesOf(call.query('maxValueBytes'))
  const whole = page.map(({ document }) => document)
  const { documents, cut } =
    bytesMax === undefined
      ? { documents: whole, cut: undefined }
      : await cutDocuments(whole, bytesMax)
  const cutNames = cut === undefined ? '' : `,"cut":[${cut.map(namesJson).join()}]`
  const end = `${cutNames},"cursor":${JSON.stringify(next)},"ok":1}`
  return jsonBetween('{"documents":', writeArray(documents), end, call.mode)
}

/** By `_id` alone: its index finds the position directly. */
async function listById(call: HttpCall, { filter, ...asked }: Asked): Promise<readonly Listed[]> {
  const { fields, sort, limit, from } = asked
  const [{ direction }] = sort as readonly [SortField]
  const [place] = from ?? []
  const ranges = place === undefined ? [{}] : idsAfter(place, direction)
  const projection = Object.fromEntries(fields.map((name) => [name, 1]))
  const found: Listed[] = []
  for (const range of ranges) {
    const missing = limit + 1 - found.length
    if (missing === 0) break
    const query = documentFrom({
      find: call.collection,
      filter: { $and: [filter, range] },
      sort: { _id: direction },
      projection,
      limit: missing,
      batchSize: missing,
      singleBatch: true,
    })
    for (const document of elementsOf(cursorBatch(await call.run(query), 'firstBatch'))) {
      found.push({ document, key: [fieldIn(document, '_id') ?? nullValue] })
    }
  }
  return found
}

async function listSorted(call: HttpCall, asked: Asked): Promise<readonly Listed[]> {
  const { filter, fields, sort, limit, from } = asked
  const order = writeDocument((writer) => {
    for (const { name, direction } of sort) writer.int32(name, direction)
  })
  const shown = Object.fromEntries(fields.map((name) => [`d.${name}`, 1]))
  const pipeline = [
    { $match: from === undefined ? filter : { $and: [filter, after(sort, from)] } },
    { $sort: documentValue(order) },
    { $limit: limit + 1 },
    { $project: { _id: 0, k: sort.map(sortKey), d: '$$ROOT' } },
    ...(fields.length === 0 ? [] : [{ $project: { k: 1, 'd._id': 1, ...shown } }]),
  ]
  const cursor = { batchSize: limit + 1 }
  const reply = await call.run(documentFrom({ aggregate: call.collection, pipeline, cursor }))
  return elementsOf(cursorBatch(reply, 'firstBatch')).map(listed)
}

function listed(row: Value): Listed {
  const whole: Document = documentOf(row)
  const document = field(whole, 'd')
  const key = field(whole, 'k')
  if (document === undefined || key === undefined) throw fail('InternalError', 'a row without d, k')
  return { document, key: elementsOf(key) }
}

/** The filter of a query. Throws BadValue. */
export function filterOf(text: string | undefined): Value {
  if (text === undefined) return documentValue(documentFrom({}))
  const filter = jsonToValue(text)
  if (filter.type === bsonType.object) return filter
  throw fail('BadValue', "query 'filter' must be a JSON object")
}

/** `a,b.c`: the fields to show beside `_id`. */
function fieldsOf(text: string | undefined): readonly string[] {
  if (text === undefined) return []
  return text.split(',').map((name) => requireName(name, 'fields'))
}

/** `-age,name`, then `_id`, which makes the order total. */
function sortOf(text: string | undefined): readonly SortField[] {
  const sort: SortField[] = []
  for (const part of text === undefined ? [] : text.split(',')) {
    const name = requireName(part.replace(/^-/, ''), 'sort')
    if (name.includes('.')) {
      throw fail('BadValue', `query 'sort' takes fields of the document itself, not '${name}'`)
    }
    if (sort.some((known) => known.name === name)) {
      throw fail('BadValue', `query 'sort' names '${name}' twice`)
    }
    sort.push({ name, direction: part.startsWith('-') ? -1 : 1 })
  }
  if (sort.length > pageSortFieldsMax) {
    throw fail('BadValue', `query 'sort' takes at most ${pageSortFieldsMax} fields`)
  }
  const id = sort.findIndex(({ name }) => name === '_id')
  // Fields after `_id` have no effect.
  return id < 0 ? [...sort, { name: '_id', direction: 1 }] : sort.slice(0, id + 1)
}

function requireName(name: string, query: string): string {
  const isName = name !== '' && !name.includes('\0') && !/(^|\.)(\$|\.|$)/.test(name)
  if (isName) return name
  throw fail('BadValue', `query '${query}' must be names of fields, separated by commas`)
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return httpPageDefault
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= httpPageMax) return limit
  throw fail('BadValue', `query 'limit' must be 1 to ${httpPageMax}`)
}

function valueBytesOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const bytes = /^\d{1,8}$/.test(text) ? Number(text) : 0
  if (bytes >= cutBytesMin && bytes <= documentBytesMax) return bytes
  throw fail('BadValue', `query 'maxValueBytes' must be ${cutBytesMin} to ${documentBytesMax}`)
}

function namesJson(names: readonly string[]): string {
  return `[${names.map(asciiJson).join()}]`
}
