// A route of the graph memory: the parts of a request that it reads, and how they come from HTTP.
// MCP tools use the same routes without an HTTP request. (docs/memory.md, "Routes")

import { setImmediate as nextTurn } from 'node:timers/promises'
import { fail, toGatewayError } from '../../../base/errors.js'
import { KiB } from '../../../base/units.js'
import type { Awaitable } from '../../../store/store.js'
import { elementsOf, fieldsOf } from '../../../value/elements.js'
import { valueToJson } from '../../../value/json/json.js'
import {
  bsonType,
  type Document,
  documentValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'
import type { BodyFields } from '../core/call.js'
import { requireUtf8 } from '../core/request.js'
import type { HttpAnswer, QuerySchema, RawCall, ReplyRoute, RouteHead } from '../core/route.js'
import { conditionsOf, isKnown } from '../documents/entity-tag.js'

/** Bytes of a reply that are converted to JSON in one turn: about 2 ms. */
const jsonBytesAtOnce = 256 * KiB

const defaultGraph = 'default'

/** A request for a route of the memory, over HTTP or MCP. */
export interface MemoryRequest {
  /** A path parameter by its name in the route's template. */
  readonly param: (name: string) => string
  /** The query parameters that the route names, each given once. */
  readonly query: ReadonlyMap<string, string>
  readonly fields: BodyFields
  /** For a caller with cached responses: whether the one with this tag is among them. */
  readonly isKnown: ((tag: string) => boolean) | undefined
  /** Runs a command as the caller; throws GatewayError. */
  readonly run: (command: Document) => Awaitable<Document>
}

export interface MemoryRoute
  extends Pick<RouteHead, 'method' | 'path' | 'query' | 'fields' | 'mutates' | 'bodyBytesMax'> {
  readonly answer: (request: MemoryRequest) => Promise<HttpAnswer>
}

const jsonType = { 'content-type': 'application/json; charset=utf-8' } as const

/** Adds the headers of every memory response. */
export function overHttp({ answer, ...head }: MemoryRoute): ReplyRoute {
  const reply = async (call: RawCall): Promise<HttpAnswer> => {
    const { incoming, fields } = call
    const { ifNoneMatch } = conditionsOf(incoming.headers)
    const found = await answer({
      fields,
      query: queryOf(incoming.url ?? '', head.query ?? {}),
      param: (name) => call.param(name),
      isKnown: ifNoneMatch === undefined ? undefined : (tag) => isKnown(tag, ifNoneMatch),
      run: (command) => runAsCaller(call, command),
    })
    return { ...found, headers: { ...jsonType, ...found.headers } }
  }
  return { ...head, access: 'key', reply }
}

/**
 * Runs in the space of the request, or the caller's home. An anonymous caller gets 401, not 403.
 */
async function runAsCaller(call: RawCall, command: Document): Promise<Document> {
  try {
    return await call.runIn(call.space, command)
  } catch (thrown) {
    const isForbidden = toGatewayError(thrown).httpStatus === 403
    if (isForbidden && call.session.identity.kind === 'anonymous') {
      throw fail('Unauthorized', 'a session or an API key is needed')
    }
    throw thrown
  }
}

/** Throws BadValue if a parameter is repeated or missing; ignores unknown ones. */
function queryOf(url: string, schema: QuerySchema): ReadonlyMap<string, string> {
  requireUtf8(url)
  const mark = url.indexOf('?')
  const given = new URLSearchParams(mark < 0 ? '' : url.slice(mark))
  const query = new Map<string, string>()
  for (const [name, kind] of Object.entries(schema)) {
    const values = given.getAll(name)
    if (values.length > 1) throw fail('BadValue', `query '${name}' is given more than once`)
    const [value] = values
    if (value !== undefined) query.set(name, value)
    else if (kind.endsWith('!')) throw fail('BadValue', `query '${name}' is required`)
  }
  return query
}

/** A whole number of the query, or undefined. Throws BadValue. */
export function wholeOf(query: MemoryRequest['query'], name: string): number | undefined {
  const text = query.get(name)
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw fail('BadValue', `query '${name}' must be a whole number`)
}

export function isYes(text: string | undefined): boolean {
  return text === '1' || text === 'true'
}

/** From the body if it names a graph, else from the query. */
function graphOf({ fields, query }: MemoryRequest): string {
  const named = fields.get('graph')
  return named === undefined ? (query.get('graph') ?? defaultGraph) : stringOf(named)
}

/** `{<name>: <graph>, …}`. */
export function graphCommand(
  name: string,
  graph: string,
  fill: (writer: DocumentWriter) => void = () => undefined,
): Document {
  return writeDocument((writer) => fill(writer.string(name, graph)))
}

/** As graphCommand, for the graph of the request. */
export function commandOn(
  name: string,
  request: MemoryRequest,
  fill?: (writer: DocumentWriter) => void,
): Document {
  return graphCommand(name, graphOf(request), fill)
}

const plainJson = (value: Value): string => valueToJson(value, 'plain')

/** The reply as a body, without some fields; a large one pauses for other work. */
export async function replyJson(
  reply: Document,
  without: readonly string[] = [],
  itemJson = plainJson,
): Promise<string> {
  const fields: string[] = []
  for (const [name, value] of fieldsOf(documentValue(reply))) {
    if (name === 'ok' || without.includes(name)) continue
    const isList = value.type === bsonType.array
    const text = isList ? await listJson(value, itemJson) : plainJson(value)
    fields.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${fields.join()}}`
}

async function listJson(list: Value, itemJson: (item: Value) => string): Promise<string> {
  const items: string[] = []
  let bytes = 0
  for (const item of elementsOf(list)) {
    items.push(itemJson(item))
    bytes += item.end - item.start
    if (bytes < jsonBytesAtOnce) continue
    bytes = 0
    await nextTurn()
  }
  return `[${items.join()}]`
}

export async function answered(reply: Document, status = 200): Promise<HttpAnswer> {
  return { status, body: await replyJson(reply) }
}
