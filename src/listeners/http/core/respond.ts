// Writes responses: one string body and one plain headers object, because anything else leaves the
// framework's fast path. (docs/design/http.md)

import type { ServerResponse } from 'node:http'
import { type ErrorExtra, fail, type GatewayError } from '../../../base/errors.js'
import { smallMessageBytesMax } from '../../../base/limits/connections.js'
import { jsonInThreadBytes } from '../../../base/limits/engine.js'
import { type JsonMode, valueToJson } from '../../../value/json/json.js'
import { valueFrom } from '../../../value/literal.js'
import { documentValue, Value } from '../../../value/value.js'
import { asciiJson, type JsonText, joinedJson, jsonBetween } from '../../json-thread.js'

const contentTypes = {
  plain: 'application/json; charset=utf-8',
  relaxed: 'application/ejson; mode=relaxed; charset=utf-8',
  canonical: 'application/ejson; charset=utf-8',
} as const satisfies Record<JsonMode, string>

/** `Vary` of every API response; with ALLOWED_ORIGINS it includes the origin. */
export const variesByAccept = 'Accept'
export const variesByOrigin = 'Accept, Origin'

/** Headers of every API response; `id` is the request's, `vary` names further headers. */
export function answerHeaders(
  mode: JsonMode,
  id: string,
  vary: string = variesByAccept,
): Record<string, string> {
  return {
    'content-type': contentTypes[mode],
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    vary,
    'x-request-id': id,
  }
}

/** A whole response; null means no body. */
export interface Answer {
  readonly status: number
  readonly body: JsonText | null
  readonly headers: Readonly<Record<string, string>>
  /** A refusal that may change: it is not kept under an Idempotency-Key. */
  readonly isPassing?: boolean
}

/**
 * Uses the adapter's light Response: the framework's `body()` makes a Headers object for more than
 * one header, which costs as much as all the rest.
 */
export function respond({ status, body, headers }: Answer): Response {
  return new Response(body, { status, headers })
}

/** Whether its unsent bytes count. */
export function isLarge({ body }: Answer): boolean {
  return body !== null && body.length > smallMessageBytesMax
}

/** Writes the response to its socket, head and body at once. */
export function writeAnswer(outgoing: ServerResponse, { status, body, headers }: Answer): void {
  // A response that waited behind others gets no event when its socket closes.
  if (outgoing.destroyed || outgoing.req.socket.destroyed) return
  if (outgoing.headersSent) {
    // Part of another response was sent: the client sees the error by the closed connection.
    outgoing.destroy()
    return
  }
  const text = body ?? ''
  const bytes = typeof text === 'string' ? Buffer.byteLength(text) : text.length
  // A list, because an object with a varying number of fields is slow to make.
  const list = ['Content-Length', String(bytes)]
  for (const name in headers) list.push(name, headers[name] ?? '')
  outgoing.writeHead(status, list)
  // Sent as latin1 if every character is one byte: Node would check each again.
  if (typeof text !== 'string') outgoing.end(text)
  else outgoing.end(text, bytes === text.length ? 'latin1' : 'utf8')
}

/** `{ok: 0, code, codeName, errmsg, …}`; an internal error does not show its cause. */
export function errorBody(error: GatewayError): string {
  const head = `"ok":0,"code":${error.code},"codeName":${JSON.stringify(error.codeName)}`
  return `{${head},"errmsg":${JSON.stringify(error.message)}${extraJson(error.extra)}}`
}

/** As errorBody, in the thread, for an error with long lists; undefined if it has none. */
export function longErrorBody(error: GatewayError): Promise<JsonText> | undefined {
  const extra = Object.entries(error.extra)
  if (!extra.some(([, given]) => sizeOf(given) > jsonInThreadBytes)) return undefined
  const short = fail(error.kind, error.message)
  const parts = extra.map(([name, given]) =>
    jsonBetween(`,${asciiJson(name)}:`, asValue(given), '', 'plain'),
  )
  return Promise.all(parts).then((texts) =>
    joinedJson(errorBody(short).slice(0, -1), texts, '', '}'),
  )
}

function sizeOf(given: unknown): number {
  if (given instanceof Value) return given.end - given.start
  return given instanceof Uint8Array ? given.length : 0
}

function extraJson(extra: ErrorExtra): string {
  let json = ''
  for (const [name, given] of Object.entries(extra)) {
    json += `,${JSON.stringify(name)}:${valueToJson(asValue(given), 'plain')}`
  }
  return json
}

function asValue(given: unknown): Value {
  if (given instanceof Value) return given
  return given instanceof Uint8Array ? documentValue(given) : valueFrom(given)
}

/** The JSON mode of an Accept header: EJSON if requested, otherwise plain. */
export function modeOf(accept: string | undefined, query: string | undefined): JsonMode {
  if (query === 'relaxed' || query === 'canonical') return query
  if (accept === undefined || !accept.includes('application/ejson')) return 'plain'
  return /application\/ejson\s*;\s*mode=relaxed/.test(accept) ? 'relaxed' : 'canonical'
}
