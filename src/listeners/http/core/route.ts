// Rows of the table of HTTP routes. There are three kinds: a route returns a body, returns a status
// and headers too, or writes to the socket itself.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GatewayError } from '../../../base/errors.js'
import type { SwitchedProtocol } from '../../../bus/protocols.js'
import type { Session } from '../../../bus/session.js'
import type { Awaitable } from '../../../store/store.js'
import type { Document } from '../../../value/value.js'
import type { JsonText } from '../../json-thread.js'
import type { BodySchema, HttpCall } from './call.js'
import type { LimitedRoute } from './request-limit.js'

/** Names of query parameters, with their types. */
export type QuerySchema = Readonly<Record<string, 'string' | 'whole' | 'json' | 'string!'>>

export interface RouteHead {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/*` at the end matches every longer path. */
  readonly path: string
  /**
   * `none` is open to all, `key` needs a session or a key, `session` a wallet's session, `admin` an
   * administrator, `operator` the operator. `metrics` is open on loopback; over a network it needs
   * an administrator or METRICS_TOKEN.
   */
  readonly access: 'none' | 'session' | 'key' | 'operator' | 'admin' | 'metrics'
  /** With access `session`: the operator is admitted too. */
  readonly operatorToo?: true
  /**
   * `keys`: cookies are ignored. `none`: wallets' keys too, since a caller that signs in has none.
   */
  readonly credentials?: 'keys' | 'none'
  /** The protocol of the route: while it is disabled, the route answers 503. */
  readonly protocol?: SwitchedProtocol
  /** Further headers that may contain a key. */
  readonly keyHeaders?: readonly string[]
  /** A separate limit for each address, instead of the one that other routes share. */
  readonly limit?: LimitedRoute
  /** A POST that makes changes: its Idempotency-Key is used. */
  readonly mutates?: true
  /** Its commands may be statements of the transaction that the header names. */
  readonly inTransactions?: true
  /**
   * What the parameter `id` or the field `cursor` names: of several gateways one has it, and the
   * others pass the request on.
   */
  readonly names?: 'transaction' | 'cursor'
  /** Largest body; messageBytesMax by default. */
  readonly bodyBytesMax?: number
  /** Query parameters that the route reads, for its documentation; it checks them itself. */
  readonly query?: QuerySchema
  /** Media types of a body that the route reads itself. */
  readonly takes?: readonly string[]
  /** Media type of its response; JSON by default. */
  readonly answers?: string
  /** Present if the route takes a JSON body. */
  readonly fields?: BodySchema
  /** The body of a refusal, if the route's clients expect another format. */
  readonly errorBody?: (error: GatewayError) => string
}

export interface Route extends RouteHead {
  /** The reply body. */
  readonly run: (call: HttpCall) => Awaitable<JsonText>
  /** For `Accept: application/x-ndjson`: the command whose cursor is streamed. */
  readonly stream?: (call: HttpCall, batchSize: number, streams: true) => Awaitable<Document>
}

/** The request, for a route that writes its own response. */
export interface RawCall extends HttpCall {
  readonly incoming: IncomingMessage
  readonly session: Session
  /** The database in the header `x-sigil-database` or the query `database`. */
  readonly namedDatabase: string | undefined
  /** The space of the request, or the caller's home. */
  readonly space: string
  /** Runs a command on another database. */
  readonly runIn: (database: string, command: Document) => Awaitable<Document>
  /** Throws Unauthorized (403) for a page of another site. */
  readonly checkOrigin: () => void
  /** TLS here, or at a trusted proxy. */
  readonly isEncrypted: () => boolean
  /** The result of `read` on the whole body; once, if the row has no fields. */
  readonly body: <T>(read: (bytes: Buffer) => Awaitable<T>) => Promise<T>
  /** Counts an error inside a response of 200, by its code. */
  readonly failedInPart: (code: number) => void
  /** Waits for memory, released after the response; `charge` takes more at once. */
  readonly reserve: (bytes: number) => Promise<{ readonly charge: (bytes: number) => void }>
}

/** A route that writes its own response; errors before that are answered as usual. */
export interface RawRoute extends RouteHead {
  readonly send: (
    call: RawCall,
    outgoing: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ) => Promise<void>
  /** Checks a HEAD request, whose response has the headers alone; without it `send` writes them. */
  readonly head?: (call: RawCall) => Promise<void>
}

/** A response with a status and headers. */
export interface HttpAnswer {
  readonly status: number
  /** Headers beside those of every response. */
  readonly headers?: Readonly<Record<string, string>>
  /** Null: no body, as with status 304. */
  readonly body: JsonText | null
  /** A refusal that may change: it is not kept under an Idempotency-Key. */
  readonly isPassing?: boolean
}

/** A route with varying status or headers. */
export interface ReplyRoute extends RouteHead {
  readonly reply: (call: RawCall) => Promise<HttpAnswer>
  /**
   * Checks the caller's rights for a stored response, if they are not those of MongoDB commands.
   * Throws or rejects if the request would be refused now.
   */
  readonly checkRevocation?: (call: RawCall) => Awaitable<void>
}

export type AnyRoute = Route | RawRoute | ReplyRoute
