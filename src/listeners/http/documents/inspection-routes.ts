// What a page shows of a collection beside its documents: how a query finds them, which indexes are
// used, and the fields of a sample. (docs/http.md, "Looking at a collection")

import { fail } from '../../../base/errors.js'
import { schemaFieldsMax, schemaSampleMax } from '../../../base/limits/http.js'
import { typeName } from '../../../query/expressions/operator.js'
import { elementsOf, field, fieldIn, fieldsOf } from '../../../value/elements.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'
import { asciiJson, type JsonText, joinedJson, jsonBetween } from '../../json-thread.js'
import { command, copyFields, type HttpCall, jsonOf } from '../core/call.js'
import type { Route } from '../core/route.js'
import { widenIds, widenPipeline } from './ids.js'

const path = (name: string): string => `/api/v1/collections/:name/${name}`

export const inspectionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: path('explain'),
    access: 'key',
    fields: {
      filter: 'object',
      projection: 'object',
      sort: 'object',
      limit: 'whole',
      skip: 'whole',
      pipeline: 'array',
      hint: 'any',
      let: 'object',
      maxTimeMS: 'whole',
      verbosity: 'string',
    },
    run: explain,
  },
  { method: 'GET', path: path('indexes/use'), access: 'key', run: indexUse },
  {
    method: 'GET',
    path: path('schema'),
    access: 'key',
    query: { sample: 'whole' },
    run: schema,
  },
]

async function explain(call: HttpCall): Promise<JsonText> {
  const { fields } = call
  const pipeline = fields.get('pipeline')
  if (pipeline !== undefined && fields.has('filter')) {
    throw fail('BadValue', "'filter' and 'pipeline' cannot be combined")
  }
  const inner = pipeline === undefined ? findOf(call) : aggregateOf(call, pipeline)
  const verbosity = fields.get('verbosity')
  const reply = await call.run(
    writeDocument((writer) => {
      writer.document('explain', inner)
      writer.string('verbosity', verbosity === undefined ? 'executionStats' : stringOf(verbosity))
    }),
  )
  const parts = fieldsOfReply(reply).filter(([name]) => !hidden.has(name))
  // A filter in the plan may be as long as a request.
  const texts = await Promise.all(
    parts.map(([name, value]) => jsonBetween(`${asciiJson(name)}:`, value, ',', call.mode)),
  )
  return joinedJson('{', texts, '', '"ok":1}')
}

/** Of the process, or repeated. */
const hidden: ReadonlySet<string> = new Set(['command', 'serverInfo', 'serverParameters', 'ok'])

function fieldsOfReply(reply: Document): (readonly [string, Value])[] {
  return [...fieldsOf(documentValue(reply))]
}

function findOf(call: HttpCall): Document {
  const filter = call.fields.get('filter')
  return command(call, 'find', (writer) => {
    if (filter !== undefined) writer.value('filter', call.widensIds ? widenIds(filter) : filter)
    const names = ['projection', 'sort', 'limit', 'skip', 'hint', 'let', 'maxTimeMS']
    copyFields(writer, call.fields, names)
  })
}

function aggregateOf(call: HttpCall, pipeline: Value): Document {
  return command(call, 'aggregate', (writer) => {
    writer.value('pipeline', call.widensIds ? widenPipeline(pipeline) : pipeline)
    writer.openDocument('cursor').close()
    copyFields(writer, call.fields, ['hint', 'let', 'maxTimeMS'])
  })
}

/** How often queries have used each index since the start. */
async function indexUse(call: HttpCall): Promise<string> {
  const found = await runPipeline(call, (writer) => {
    writer.pushOpenDocument().openDocument('$indexStats').close().close()
  })
  const indexes = found.map((one) => {
    const accesses = field(one, 'accesses')
    const [ops, since] = ['ops', 'since'].map((name) => {
      return jsonOf(call, accesses === undefined ? undefined : fieldIn(accesses, name))
    })
    const [name, key] = ['name', 'key'].map((part) => jsonOf(call, field(one, part)))
    return `{"name":${name},"key":${key},"ops":${ops},"since":${since}}`
  })
  return `{"indexes":[${indexes.join(',')}],"ok":1}`
}

async function schema(call: HttpCall): Promise<string> {
  const text = call.query('sample')
  const size = text === undefined ? schemaSampleMax : Number(text)
  if (!(Number.isInteger(size) && size >= 1 && size <= schemaSampleMax)) {
    throw fail('BadValue', `query 'sample' must be a whole number from 1 to ${schemaSampleMax}`)
  }
  const found = await runPipeline(call, (writer) => {
    writer.pushOpenDocument().openDocument('$sample').int32('size', size).close().close()
  })
  const sample = new FieldCounts()
  for (const document of found) sample.add(document)
  const fields = sample.list()
  return JSON.stringify({ sampled: found.length, fields, truncated: sample.isCut, ok: 1 })
}

interface FieldCount {
  /** Documents with the field. */
  count: number
  readonly types: Map<string, number>
}

/** Fields of the documents and of documents in them; not of arrays. */
class FieldCounts {
  isCut = false
  private readonly byPath = new Map<string, FieldCount>()

  add(document: Document): void {
    this.addFields(documentValue(document), '')
  }

  list() {
    return [...this.byPath].map(([path, { count, types }]) => ({
      path,
      count,
      types: Object.fromEntries(types),
    }))
  }

  private addFields(value: Value, before: string): void {
    for (const [name, inner] of fieldsOf(value)) {
      const path = `${before}${name}`
      const known = this.byPath.get(path) ?? this.enter(path)
      if (known === undefined) continue
      known.count++
      const type = typeName(inner)
      known.types.set(type, (known.types.get(type) ?? 0) + 1)
      if (inner.type === bsonType.object) this.addFields(inner, `${path}.`)
    }
  }

  private enter(path: string): FieldCount | undefined {
    if (this.byPath.size === schemaFieldsMax) {
      this.isCut = true
      return undefined
    }
    const entry = { count: 0, types: new Map<string, number>() }
    this.byPath.set(path, entry)
    return entry
  }
}

/** All documents of a short result. */
async function runPipeline(
  call: HttpCall,
  write: (writer: DocumentWriter) => void,
): Promise<Document[]> {
  const reply = await call.run(
    command(call, 'aggregate', (writer) => {
      write(writer.openArray('pipeline'))
      writer.close().openDocument('cursor').int32('batchSize', schemaSampleMax).close()
    }),
  )
  const cursor = field(reply, 'cursor')
  const batch = cursor === undefined ? undefined : fieldIn(cursor, 'firstBatch')
  return batch === undefined ? [] : elementsOf(batch).map(documentOf)
}
