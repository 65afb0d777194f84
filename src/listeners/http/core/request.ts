// One running HTTP request: its sender, its memory, and its data for the routes. It is an object
// with methods, because closures for each request would cost as much as its routing.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import type { ByteBudget } from '../../../base/heap/byte-budget.js'
import { databaseNameBytesMax } from '../../../base/limits/documents.js'
import { jsonInThreadBytes } from '../../../base/limits/engine.js'
import type { Bus } from '../../../bus/document/bus.js'
import { listsAhead } from '../../../bus/document/lists-ahead.js'
import type { Request } from '../../../bus/document/request.js'
import { type Declared, Session } from '../../../bus/session.js'
import { requireHomeForm } from '../../../engine/collection/catalog/homes.js'
import type { Identity } from '../../../identity/identity.js'
import type { Awaitable } from '../../../store/store.js'
import { type JsonMode, jsonToDocument } from '../../../value/json/json.js'
import type { ObjectIds } from '../../../value/object-id.js'
import type { Document } from '../../../value/value.js'
import type { EdgeTime } from '../../edge-time.js'
import { readDocument } from '../../json-thread.js'
import { type Held, readBody, reserve, type SlowBodies } from './body.js'
import type { BodyCheck, BodyFields } from './call.js'
import type { Guard } from './guard.js'
import { modeOf } from './respond.js'
import type { AnyRoute, RawCall } from './route.js'
import { transactionOf } from './transaction-header.js'

/** A request and its response, with the parts of its URL. */
export interface HttpExchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** A path parameter by its name in the route's template. */
  readonly param: (name: string) => string | undefined
  /** A parameter of the URL's query. */
  readonly query: (name: string) => string | undefined
  /** Checked when its body may have arrived unread. */
  readonly isDeferred?: boolean
}

/** Services of the server for each request. */
export interface RequestServices {
  readonly bus: Bus
  readonly ids: ObjectIds
  readonly budget: ByteBudget
  readonly slowBodies: SlowBodies
  readonly guard: Guard
  readonly edge: EdgeTime
  /** The default database. */
  readonly database: string
  readonly pageKey: Bytes
}

export class HttpRequest implements RawCall {
  readonly incoming: IncomingMessage
  readonly session: Session
  readonly collection: string
  readonly database: string
  readonly namedDatabase: string | undefined
  readonly mode: JsonMode
  readonly widensIds: boolean
  fields: BodyFields = noFields
  /** Receives the raw body before it is parsed. */
  onBody: ((bytes: Uint8Array) => void) | undefined = undefined
  /** A command was passed to the bus, which counts it. */
  hasRun = false
  /** Budget bytes of the request's body, released after the response. */
  readonly held: Held = { release: undefined, isRead: false }

  /** Throws InvalidNamespace if the database name is too long. */
  constructor(
    private readonly exchange: HttpExchange,
    private readonly route: AnyRoute,
    private readonly services: RequestServices,
    { remoteAddress, identity }: { readonly remoteAddress: string; readonly identity: Identity },
  ) {
    const { incoming, outgoing } = exchange
    this.incoming = incoming
    this.session = new RequestSession(outgoing, remoteAddress, identity)
    this.session.transaction = transactionOf(incoming, route)
    const { headers, url = '' } = incoming
    this.namedDatabase = namedIn(headers['x-sigil-database'], this.databaseQuery(url))
    this.database = this.namedDatabase ?? services.database
    // No character takes more than three bytes, so short names need not be measured.
    const { length } = this.database
    if (
      length * 3 > databaseNameBytesMax &&
      Buffer.byteLength(this.database) > databaseNameBytesMax
    ) {
      throw fail('InvalidNamespace', `Invalid database name: '${this.database}'`)
    }
    this.collection = this.param('name')
    this.widensIds = headers['content-type']?.startsWith('application/ejson') !== true
    this.mode = modeOf(headers.accept, url.includes('?') ? this.query('ejson') : undefined)
  }

  /** Its answer is made: releases its memory. */
  answered(): void {
    this.held.release?.()
    this.session.replied()
  }

  param(name: string): string {
    return this.decoded(this.exchange.param(name)) ?? ''
  }

  query(name: string): string | undefined {
    return this.decoded(this.exchange.query(name))
  }

  /** Nearly all URLs have none: then the query is not parsed. */
  private databaseQuery(url: string): string | undefined {
    return url.includes('database=') ? this.query('database') : undefined
  }

  /** The framework leaves undecodable parts unchanged. */
  private decoded(part: string | undefined): string | undefined {
    if (part?.includes('%') === true) requireUtf8(this.incoming.url ?? '')
    return part
  }

  get pageKey(): Bytes {
    return this.services.pageKey
  }

  get space(): string {
    const { spaces } = this.services.bus.services
    const { namedDatabase } = this
    if (spaces === undefined) return namedDatabase ?? this.services.database
    return spaces.of(this.session.identity, namedDatabase)
  }

  get isInTransaction(): boolean {
    return this.session.transaction !== undefined
  }

  makeId(): Uint8Array {
    return this.services.ids.next()
  }

  run(body: Document): Awaitable<Document> {
    return this.runIn(this.database, body)
  }

  runIn(db: string, body: Document): Awaitable<Document> {
    return this.ask({ db, body, sequences: noSequences })
  }

  ask(request: Request): Awaitable<Document> {
    this.hasRun = true
    const { bus } = this.services
    const ahead = listsAhead(request)
    if (ahead === undefined) return bus.run(request, this.session)
    return ahead.then(() => bus.run(request, this.session))
  }

  checkRevocation(declared: Declared): Awaitable<void> {
    return this.services.bus.checkRevocation(declared, this.session)
  }

  failedInPart(code: number): void {
    this.services.bus.counters.failedInPart(code)
  }

  checkOrigin(): void {
    this.services.guard.checkOrigin(this.incoming)
  }

  isEncrypted(): boolean {
    return this.services.guard.isEncrypted(this.incoming)
  }

  async body<T>(read: (bytes: Buffer) => Awaitable<T>): Promise<T> {
    return this.wholeBody(read)
  }

  private wholeBody<T>(read: (bytes: Buffer) => Awaitable<T>): Awaitable<T> {
    const { incoming, services, held, route } = this
    return readBody(incoming, services, held, read, route.bodyBytesMax)
  }

  reserve(bytes: number): Promise<{ readonly charge: (bytes: number) => void }> {
    return reserve(this.incoming, this.services.budget, this.held, bytes)
  }

  /** Reads the JSON body; throws or rejects if it is invalid. */
  readFields(check: BodyCheck): Awaitable<BodyFields> {
    const { headers } = this.incoming
    const type = headers['content-type']
    if (type === undefined && headers['content-length'] === '0') return check.fields(emptyBody)
    requireJsonType(type)
    return this.wholeBody((bytes) => {
      if (bytes.length > jsonInThreadBytes && type !== undefined)
        return this.longFields(check, bytes)
      this.onBody?.(bytes)
      if (bytes.length === 0) return check.fields(emptyBody)
      if (type === undefined) throw fail('UnsupportedMediaType', 'a content type is required')
      return check.fields(this.parsed(bytes))
    })
  }

  private parsed(bytes: Buffer): Document {
    const { edge } = this.services
    const isTimed = edge.begin(bytes.length)
    try {
      return jsonToDocument(bytes)
    } finally {
      if (isTimed) edge.end(this.session)
    }
  }

  private async longFields(check: BodyCheck, bytes: Buffer): Promise<BodyFields> {
    if (this.onBody !== undefined) {
      for (let at = 0; at < bytes.length; at += hashedAtOnce) {
        this.onBody(bytes.subarray(at, at + hashedAtOnce))
        await nextTurn()
      }
    }
    return check.fields(await readDocument(bytes))
  }
}

/** From the header or the query; if both are given they must agree. */
function namedIn(
  header: string | string[] | undefined,
  query: string | undefined,
): string | undefined {
  if (Array.isArray(header)) throw fail('BadValue', 'header x-sigil-database is given twice')
  if (header !== undefined && query !== undefined && header !== query) {
    throw fail('BadValue', "header x-sigil-database and query 'database' name two databases")
  }
  const named = header ?? query
  if (named !== undefined) requireHomeForm(named)
  return named
}

/**
 * A caller that exists until the response is written; it adds a listener only once a command waits.
 */
class RequestSession extends Session {
  constructor(
    private readonly outgoing: ServerResponse,
    remoteAddress: string,
    identity: Identity,
  ) {
    super({ protocol: 'http', remoteAddress, identity })
  }

  override get closed(): boolean {
    return this.outgoing.destroyed || super.closed
  }

  override set closed(closed: boolean) {
    super.closed = closed
  }

  override whenClosed(tell: () => void): () => void {
    this.outgoing.once('close', tell)
    const forget = super.whenClosed(tell)
    return () => {
      this.outgoing.off('close', tell)
      forget()
    }
  }
}

/** Throws BadValue if the URL is not valid UTF-8: it would be read as another one. */
export function requireUtf8(url: string): void {
  if (!url.includes('%')) return
  try {
    // A percent sign that encodes nothing is literal.
    decodeURIComponent(url.replace(/%(?![\da-f]{2})/gi, '%25'))
  } catch {
    throw fail('BadValue', 'the URL is not UTF-8')
  }
}

/** Throws UnsupportedMediaType for a content type other than JSON; a missing one passes. */
export function requireJsonType(type: string | undefined): void {
  if (type === undefined || type === 'application/json' || jsonTypes.test(type)) return
  throw fail('UnsupportedMediaType', `content type ${type} is not JSON`)
}

const jsonTypes = /^application\/(?:json|ejson|[\w.+-]+\+json)\s*(?:;|$)/i
/** Bytes of a long body that are hashed in one turn: about 2 ms. */
const hashedAtOnce = 1024 * 1024
const noFields: BodyFields = new Map()
const noSequences = new Map<string, readonly Document[]>()
const emptyBody = Uint8Array.of(5, 0, 0, 0, 0)

/** Groups routes by path. */
export function byPath(rows: readonly AnyRoute[]): Map<string, AnyRoute[]> {
  const paths = new Map<string, AnyRoute[]>()
  for (const route of rows) paths.set(route.path, [...(paths.get(route.path) ?? []), route])
  return paths
}

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}
