// SQL over HTTP: one statement a request, with its parameters. It becomes the same command as on
// the SQL port; the response is that command's reply as JSON. (docs/http.md, "SQL")

import { fail, type GatewayError } from '../../../base/errors.js'
import { httpPageDefault, httpPageMax } from '../../../base/limits/http.js'
import { sqlParametersMax } from '../../../base/limits/sql.js'
import { sqlStateOf } from '../../../base/sql-state.js'
import { parsedAhead } from '../../../commands/sql/read-ahead-task.js'
import { commandFor } from '../../../commands/sql/translate.js'
import type { Awaitable } from '../../../store/store.js'
import { Elements, elementsOf, fieldIn, fieldsOf } from '../../../value/elements.js'
import { valueToJson } from '../../../value/json/json.js'
import { integerOf } from '../../../value/numbers.js'
import { bsonType, type Document, nullValue, stringOf, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { asciiJson, type JsonText, joinedJson, jsonBetween } from '../../json-thread.js'
import { copyFields, type HttpCall, jsonOf, wholeField } from '../core/call.js'
import { errorBody } from '../core/respond.js'
import type { Route } from '../core/route.js'

export const sqlRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/sql',
    mutates: true,
    access: 'key',
    inTransactions: true,
    protocol: 'sql',
    fields: { query: 'string!', params: 'any', batchSize: 'whole', maxTimeMS: 'whole' },
    errorBody: sqlErrorBody,
    run: async (call) => {
      const reply = await call.run(await statementCommand(call, httpPageMax))
      return joinedJson('{"ok":1,"result":', [await resultJson(call, reply)], '', '}')
    },
    stream: statementCommand,
  },
]

/** The command of the statement; `page` is the most rows of a batch. */
async function statementCommand(call: HttpCall, page: number, streams = false): Promise<Document> {
  const query = call.fields.get('query')
  const text = query === undefined ? '' : stringOf(query)
  await parsedAhead(text)
  const asked = wholeField(call.fields, 'batchSize')
  const hasDefault = asked === undefined && !streams
  const { body, kind } = commandFor({
    text,
    ...valuesOf(call.fields.get('params')),
    batchSize: Math.min(asked ?? page, page),
    rowsDefault: hasDefault ? httpPageDefault : undefined,
  })
  if (body === undefined) {
    const text = `${kind.toUpperCase()} is about a session, which only the SQL port has`
    throw fail('CommandNotSupported', text, { sqlState: '0A000' })
  }
  if (call.fields.get('maxTimeMS') === undefined) return body
  return writeDocument((writer) => {
    const elements = new Elements(body)
    while (elements.next()) writer.element(body, elements.start, elements.valueEnd)
    copyFields(writer, call.fields, ['maxTimeMS'])
  })
}

/** An array for `$1` and `?`, an object for `:name`. */
function valuesOf(params: Value | undefined): {
  readonly params: readonly Value[]
  readonly named?: ReadonlyMap<string, Value>
} {
  if (params === undefined) return { params: [] }
  if (params.type === bsonType.array) return { params: elementsOf(params) }
  if (params.type === bsonType.object) return { params: [], named: namedValues(params) }
  throw fail('BadValue', "field 'params' must be an array or an object", { sqlState: '08P01' })
}

/** No statement has more; a body may have hundreds of thousands, which would take a long turn. */
function namedValues(params: Value): ReadonlyMap<string, Value> {
  const named = new Map<string, Value>()
  for (const [name, value] of fieldsOf(params)) {
    named.set(name, value)
    if (named.size <= sqlParametersMax) continue
    const text = `more than ${sqlParametersMax} values of parameters were given`
    throw fail('BadValue', text, { sqlState: '08P01' })
  }
  return named
}

/** Figures and names are plain in every JSON mode; document values follow the request's mode. */
async function resultJson(call: HttpCall, reply: Document): Promise<JsonText> {
  const parts: JsonText[] = []
  const elements = new Elements(reply)
  while (elements.next()) {
    const name = elements.name()
    if (name === 'ok') continue
    const value = elements.value()
    const json =
      name === 'cursor'
        ? await cursorJson(call, value)
        : name === 'insertedIds'
          ? jsonOf(call, value)
          : valueToJson(value, 'plain')
    parts.push(joinedJson(`${JSON.stringify(name)}:`, [json], '', ''))
  }
  return joinedJson('{', [...parts, '"ok":1'], ',', '}')
}

function cursorJson(call: HttpCall, cursor: Value): Awaitable<JsonText> {
  const id = fieldIn(cursor, 'id')
  const ns = fieldIn(cursor, 'ns')
  const batch = fieldIn(cursor, 'firstBatch') ?? nullValue
  const name = asciiJson(ns === undefined ? '' : stringOf(ns))
  const end = `,"id":${id === undefined ? 0 : integerOf(id)},"ns":${name}}`
  return jsonBetween('{"firstBatch":', batch, end, call.mode)
}

/** Every error has its SQLSTATE. */
function sqlErrorBody(error: GatewayError): string {
  const { message, extra, kind } = error
  return errorBody(fail(kind, message, { ...extra, sqlState: sqlStateOf(error) }))
}
