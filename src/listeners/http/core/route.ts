// What a row of the table of HTTP routes says. There are three kinds of routes: one returns a body,
// one returns a status and headers too, and one writes to the socket itself.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GatewayError } from '../../../base/errors.js'
import type { SwitchedProtocol } from '../../../bus/protocols.js'
import type { Session } from '../../../bus/session.js'
import type { Awaitable } from '../../../store/store.js'
import type { Document } from '../../../value/value.js'
import type { JsonText } from '../../json-thread.js'
import type { BodySchema, HttpCall } from './call.js'
import type { LimitedRoute } from './request-limit.js'

/** Names of a query's parts, with what each has to be. */
export type QuerySchema = Readonly<Record<string, 'string' | 'whole' | 'json' | 'string!'>>

export interface RouteHead {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/*` at its end: all that begins so. */
  readonly path: string
  /**
   * `none` is open to all, `key` needs a session or a key, `session` a wallet's
   * session, `admin` administrators, `operator` the operator alone. `metrics` is open on
   * loopback; over a network administrators, and METRICS_TOKEN.
   */
  readonly access: 'none' | 'session' | 'key' | 'operator' | 'admin' | 'metrics'
  /** Of access `session`: the operator is let in besides. */
  readonly operatorToo?: true
  /** `keys`: cookies are not looked at. `none`: nor are wallets' keys; who signs in has none. */
  readonly credentials?: 'keys' | 'none'
  /** The protocol that it speaks of: while that is switched off it answers 503. */
  readonly protocol?: SwitchedProtocol
  /** Headers that a key may come in, beside those of every route. */
  readonly keyHeaders?: readonly string[]
  /** A limit of its own for each address, instead of the one that all other routes share. */
  readonly limit?: LimitedRoute
  /** A POST that changes something: an Idempotency-Key is looked at. */
  readonly mutates?: true
  /** Largest body; messageBytesMax unless given. */
  readonly bodyBytesMax?: number
  /** What of the URL's query the route reads: for its documentation; it checks them itself. */
  readonly query?: QuerySchema
  /** Media types of a body that the route reads itself. */
  readonly takes?: readonly string[]
  /** Media type of its answer; JSON unless given. */
  readonly answers?: string
  /** Present where the route takes a JSON body. */
  readonly fields?: BodySchema
  /** The body of a refusal, where the route's clients expect another. */
  readonly errorBody?: (error: GatewayError) => string
}

export interface Route extends RouteHead {
  /** The reply body. */
  readonly run: (call: HttpCall) => Awaitable<JsonText>
  /** For `Accept: application/x-ndjson`: the command whose cursor is streamed. */
  readonly stream?: (call: HttpCall, batchSize: number, streams: true) => Document
}

/** What a route that writes its own answer has of the request. */
export interface RawCall extends HttpCall {
  readonly incoming: IncomingMessage
  readonly session: Session
  /** What the header `x-sigil-database`, or the query `database`, names. */
  readonly namedDatabase: string | undefined
  /** The space of keys and graphs that the request names, or the caller's own. */
  readonly space: string
  /** Runs a command on another database than the request's own. */
  readonly runIn: (database: string, command: Document) => Awaitable<Document>
  /** Throws Unauthorized (403) where a page of another site speaks. */
  readonly checkOrigin: () => void
  /** TLS here, or at a trusted proxy. */
  readonly isEncrypted: () => boolean
  /** What `read` makes of the whole body; once, where the row names no fields. */
  readonly body: <T>(read: (bytes: Buffer) => Awaitable<T>) => Promise<T>
  /** Counts an error that stands in an answer of 200, by its code. */
  readonly failedInPart: (code: number) => void
  /** Waits for room in memory, to be given back with the answer; `charge` takes more at once. */
  readonly reserve: (bytes: number) => Promise<{ readonly charge: (bytes: number) => void }>
}

/** A route that writes its own answer; what it throws before that is answered as usual. */
export interface RawRoute extends RouteHead {
  readonly send: (
    call: RawCall,
    outgoing: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ) => Promise<void>
}

/** An answer with a status and headers of its own. */
export interface HttpAnswer {
  readonly status: number
  /** Beside those of every answer. */
  readonly headers?: Readonly<Record<string, string>>
  /** Null: none at all, as status 304 has it. */
  readonly body: JsonText | null
  /** A refusal that may be another next time: it is not kept under an Idempotency-Key. */
  readonly isPassing?: boolean
}

/** A route whose answers differ in status or headers. */
export interface ReplyRoute extends RouteHead {
  readonly reply: (call: RawCall) => Promise<HttpAnswer>
  /**
   * Looks at the caller's rights for an answer that was kept, where they are not those of commands
   * of the document bus. Throws, or rejects, where the request would be refused now.
   */
  readonly checkRevocation?: (call: RawCall) => Awaitable<void>
}

export type AnyRoute = Route | RawRoute | ReplyRoute
