// The HTTP listener: one Hono app over a table of routes. Order of checks: route, method, host,
// identity and rate limit, content type, body, then the bus. It uses no middleware: each stock one
// costs more than the whole request. (docs/design/http.md)

import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { fail, type GatewayError, toGatewayError } from '../../../base/errors.js'
import {
  anonymousSocketsMax,
  anonymousSocketsOfAddressMax,
} from '../../../base/limits/connections.js'
import { streamBatchDocuments } from '../../../base/limits/http.js'
import type { SwitchedProtocol } from '../../../bus/protocols.js'
import type { Identity } from '../../../identity/identity.js'
import type { Awaitable } from '../../../store/store.js'
import type { JsonMode } from '../../../value/json/json.js'
import type { Document } from '../../../value/value.js'
import { EdgeTime } from '../../edge-time.js'
import type { JsonText } from '../../json-thread.js'
import { keyOf, SilentSockets, unboundedSockets } from '../../silent-sockets.js'
import { DirectRoutes, type Handle } from '../documents/direct.js'
import { streamCursor } from '../documents/ndjson.js'
import { isMcpUrl, isMemoryUrl, mcpRefusal, memoryRefusal } from '../memory/memory-errors.js'
import { Authenticator } from './authenticate.js'
import { SlowBodies } from './body.js'
import { BodyCheck } from './call.js'
import { Guard } from './guard.js'
import { exchangeOf } from './hono-exchange.js'
import type { HttpOptions } from './http-options.js'
import { bodyKey, type Turn } from './idempotency.js'
import { openApiDocument, openApiRoute } from './openapi.js'
import { isShared, OtherOrigins } from './other-origins.js'
import { noteUnsent, repliesOf } from './replies.js'
import { byPath, type HttpExchange, HttpRequest, hasBody, type RequestServices } from './request.js'
import { refusalHeaders } from './request-limit.js'
import {
  type Answer,
  answerHeaders,
  errorBody,
  isLarge,
  longErrorBody,
  respond,
  variesByAccept,
  variesByOrigin,
} from './respond.js'
import type { AnyRoute, RawRoute, ReplyRoute, RouteHead } from './route.js'
import { routes } from './routes.js'

interface Refusal {
  readonly headers?: Readonly<Record<string, string>>
  /** A command of the request has reached the bus. */
  readonly hasRun?: boolean
  /** The whole body has been read. */
  readonly hasRead?: boolean
  readonly bodyOf?: ((error: GatewayError) => string) | undefined
  readonly body?: JsonText | undefined
}

/** A request on its way through the checks to its route. */
interface Work {
  readonly exchange: HttpExchange
  readonly route: AnyRoute
  readonly check: BodyCheck | undefined
  readonly turn: Turn | undefined
  request: HttpRequest | undefined
}

/** Answers the requests of the listener. */
export class HttpHandler {
  readonly app = new Hono<{ Bindings: HttpBindings }>({ router: new TrieRouter() })
  readonly direct: DirectRoutes
  private guard: Guard
  private services: RequestServices
  private healthOf: () => Awaitable<string>
  private readonly authenticator: Authenticator
  /** Sockets without credentials so far. */
  readonly silent: SilentSockets
  /** Undefined if there are none: then requests skip the check. */
  private readonly origins: OtherOrigins | undefined
  private readonly vary: string
  private requests = 0
  /**
   * Unique to this process, so that request names differ in one log. Drawn at the first request: a
   * start must not consume randomness that later code is given.
   */
  private idPrefix: string | undefined

  constructor(private readonly options: HttpOptions) {
    this.guard = new Guard(options)
    const { budget } = options.memory
    const edge = new EdgeTime(options.clock, options.bus.scheduler)
    const slowBodies = new SlowBodies()
    this.services = { ...options, budget, edge, guard: this.guard, slowBodies }
    this.healthOf = options.health(options.port)
    const { authOff, trustedProxies } = options
    const bounds = { all: anonymousSocketsMax, ofAddress: anonymousSocketsOfAddressMax }
    // All clients of a proxy share its address, and the proxy handles silent ones.
    this.silent = new SilentSockets(authOff ? unboundedSockets : bounds, (address) =>
      trustedProxies.includes(address),
    )
    const { allowedOrigins = [] } = options
    this.origins =
      allowedOrigins.length === 0 ? undefined : new OtherOrigins({ ...options, allowedOrigins })
    this.vary = this.origins === undefined ? variesByAccept : variesByOrigin
    this.authenticator = new Authenticator(options, this.origins)
    this.direct = new DirectRoutes(options.clock, (exchange, thrown) =>
      this.refuse(exchange, toGatewayError(thrown)),
    )
    const health = { method: 'GET', path: '/health', access: 'none' } as const
    const tellHealth = this.marking(health, (exchange) => this.health(exchange))
    this.serve('/health', new Map([['GET', tellHealth]]), [health])
    const described = openApiRoute(() => openApiDocument([health, ...rows], options.version))
    const rows = [...routes, ...options.rawRoutes, described]
    for (const [path, methods] of byPath(rows)) {
      const handles = methods.map((route) => [route.method, this.answering(route)] as const)
      this.serve(path, new Map(handles), methods)
    }
    this.app.notFound((context) => {
      const exchange = exchangeOf(context)
      this.origins?.mark(exchange)
      return respond(this.refuse(exchange, fail('CommandNotFound', 'no such route')))
    })
    this.app.onError((thrown, context) =>
      respond(this.refuse(exchangeOf(context), toGatewayError(thrown))),
    )
  }

  /** Called when the port, and so the server's own addresses, are known. */
  listening(port: number): void {
    this.guard = new Guard({ ...this.options, port })
    this.services = { ...this.services, guard: this.guard }
    this.healthOf = this.options.health(port)
  }

  /** One handler for each path: for two, the framework composes them with promises and closures. */
  private serve(
    path: string,
    methods: ReadonlyMap<string, Handle>,
    rows: readonly RouteHead[],
  ): void {
    const allowed = [...methods.keys()].join(', ')
    const shared = rows.filter(isShared).map(({ method }) => method)
    this.app.all(path, async (context) => {
      const { method } = context.req
      const handle = methods.get(method === 'HEAD' ? 'GET' : method)
      const exchange = exchangeOf(context)
      const answer =
        handle === undefined
          ? this.withoutHandle(exchange, allowed, shared)
          : await handle(exchange)
      // The framework drains unfinished bodies: this request needs no draining.
      const { incoming } = exchange
      if (incoming.readableDidRead && !incoming.readableEnded) incoming.resume()
      if (answer === undefined) noteUnsent(exchange.outgoing)
      else if (isLarge(answer)) setImmediate(noteUnsent, exchange.outgoing)
      return answer === undefined ? RESPONSE_ALREADY_SENT : respond(answer)
    })
  }

  private answering(route: AnyRoute): Handle {
    const check = route.fields === undefined ? undefined : new BodyCheck(route.fields)
    const once = (exchange: HttpExchange) => this.answer(exchange, route, check)
    const answering = route.mutates === true ? this.perhapsAgain(route, check) : once
    const handle = this.marking(route, answering)
    this.direct.add(route, handle)
    return handle
  }

  /** Adds the headers for pages of other origins, if any are allowed. */
  private marking(route: RouteHead, handle: Handle): Handle {
    const { origins } = this
    if (origins === undefined || !isShared(route)) return handle
    return (exchange) => {
      origins.mark(exchange)
      return handle(exchange)
    }
  }

  /** A method that the path lacks: refused, unless it is an OPTIONS preflight. */
  private withoutHandle(
    exchange: HttpExchange,
    allowed: string,
    shared: readonly string[],
  ): Answer {
    const { origins, guard } = this
    const { incoming } = exchange
    if (origins === undefined || shared.length === 0) return this.refuseMethod(exchange, allowed)
    origins.mark(exchange)
    if (!origins.isPreflight(incoming)) return this.refuseMethod(exchange, allowed)
    try {
      guard.checkHost(incoming)
      return origins.preflight(incoming, guard.addressOf(incoming), shared)
    } catch (thrown) {
      return this.refuse(exchange, toGatewayError(thrown))
    }
  }

  /** As answer, for a request that may be a repetition. */
  private perhapsAgain(route: AnyRoute, check: BodyCheck | undefined): Handle {
    const { idempotency } = this.options
    const inBody = route.fields !== undefined && bodyKey in route.fields
    const again = async (exchange: HttpExchange, key: string | undefined) => {
      const turn = idempotency.turn(key)
      const answer = await this.answer(exchange, route, check, turn)
      await turn.end(answer)
      return answer
    }
    return (exchange) => {
      const key = exchange.incoming.headers['idempotency-key']
      if (typeof key === 'string') return again(exchange, key)
      return inBody ? again(exchange, undefined) : this.answer(exchange, route, check)
    }
  }

  private async health(exchange: HttpExchange): Promise<Answer> {
    const { incoming } = exchange
    try {
      const { guard } = this
      guard.checkHost(incoming)
      this.authenticator.countHealth(exchange, guard.addressOf(incoming))
      const body = await this.healthOf()
      const headers = answerHeaders('plain', this.requestId(incoming), this.vary)
      return { status: 200, body, headers }
    } catch (thrown) {
      return this.refuse(exchange, toGatewayError(thrown))
    }
  }

  private answer(
    exchange: HttpExchange,
    route: AnyRoute,
    check: BodyCheck | undefined,
    turn?: Turn,
  ): Awaitable<Answer | undefined> {
    const work: Work = { exchange, route, check, turn, request: undefined }
    let answer: Awaitable<Answer | undefined>
    try {
      answer = this.begin(work)
    } catch (thrown) {
      answer = this.refused(work, thrown)
    }
    if (answer instanceof Promise) return this.answerLater(work, answer)
    work.request?.answered()
    return answer
  }

  private async answerLater(
    work: Work,
    answer: Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    try {
      return await answer
    } catch (thrown) {
      const isPlain = work.route.errorBody === undefined
      const body = isPlain ? await longErrorBody(toGatewayError(thrown)) : undefined
      return this.refused(work, thrown, body)
    } finally {
      work.request?.answered()
    }
  }

  // Synchronous work uses no promise: a request proceeds step by step as far as possible.

  private begin(work: Work): Awaitable<Answer | undefined> {
    const { exchange, route } = work
    const { incoming } = exchange
    const remoteAddress = this.guard.addressOf(incoming)
    this.guard.checkHost(incoming)
    const known = this.authenticator.authenticate(this.guard, route, exchange, remoteAddress)
    return known instanceof Promise
      ? known.then((identity) => this.admit(work, remoteAddress, identity))
      : this.admit(work, remoteAddress, known)
  }

  private admit(work: Work, address: string, identity: Identity): Awaitable<Answer | undefined> {
    const replies = repliesOf(work.exchange.incoming)
    if (replies !== undefined) {
      replies.speaksFor(identity, address)
      if (identity.kind !== 'anonymous' && !replies.isKnown) {
        replies.isKnown = true
        this.silent.remove(keyOf(work.exchange.incoming.socket))
      }
      const room = this.options.memory.isQuiet ? undefined : replies.room()
      if (room !== undefined) return room.then(() => this.accept(work, address, identity))
    }
    return this.accept(work, address, identity)
  }

  private accept(work: Work, address: string, identity: Identity): Awaitable<Answer | undefined> {
    const { exchange, route, turn } = work
    const isCounted = identity.kind === 'key' && !this.guard.isForwarded(exchange.incoming)
    if (isCounted) this.options.keyUse?.count(identity, route.path)
    if (route.protocol !== undefined) this.requireEnabled(route.protocol)
    const request = new HttpRequest(exchange, route, this.services, {
      remoteAddress: address,
      identity,
    })
    work.request = request
    if (turn !== undefined) request.onBody = (bytes) => turn.read(bytes)
    return this.passed(work, request) ?? this.read(work, request)
  }

  /** Undefined if the request is for this gateway, as nearly all are. */
  private passed(work: Work, request: HttpRequest): Promise<Answer | undefined> | undefined {
    const { exchange, route } = work
    const passed = this.options.forwarding?.pass(request, route, exchange.outgoing)
    if (passed === undefined) return undefined
    const isRead = request.held.isRead
    return passed.then(async (isAnswered) => {
      if (isAnswered) return undefined
      return isRead ? this.run(work, request) : this.read(work, request)
    })
  }

  private read(work: Work, request: HttpRequest): Awaitable<Answer | undefined> {
    const { check } = work
    const fields = check === undefined ? request.fields : request.readFields(check)
    if (fields instanceof Promise) {
      return fields.then((read) => {
        request.fields = read
        return this.perform(work, request)
      })
    }
    request.fields = fields
    return this.perform(work, request)
  }

  private perform(work: Work, request: HttpRequest): Awaitable<Answer | undefined> {
    const passed = work.route.names === 'cursor' ? this.passed(work, request) : undefined
    return passed ?? this.run(work, request)
  }

  private run(work: Work, request: HttpRequest): Awaitable<Answer | undefined> {
    const { route, turn, exchange } = work
    const { headers } = exchange.incoming
    const requestId = this.requestId(exchange.incoming)
    request.session.requestId = requestId
    if (turn !== undefined) return this.performOnce(work, request, turn, requestId)
    if (!('run' in route)) return this.performOwn(route, exchange, request, requestId)
    // An Idempotency-Key keeps one response, never a stream.
    const wantsLines = headers.accept?.includes('application/x-ndjson') === true
    if (wantsLines && route.stream !== undefined) {
      const begin = (command: Document) => this.stream(exchange, request, command, requestId)
      const command = route.stream(request, streamBatchDocuments, true)
      return command instanceof Promise ? command.then(begin) : begin(command)
    }
    const text = route.run(request)
    return text instanceof Promise
      ? text.then((body) => this.answered(body, request.mode, requestId))
      : this.answered(text, request.mode, requestId)
  }

  /** Runs a request that may be a repetition. */
  private async performOnce(
    work: Work,
    request: HttpRequest,
    turn: Turn,
    requestId: string,
  ): Promise<Answer | undefined> {
    const { route, exchange } = work
    const before = await turn.begin(request)
    if (before !== undefined) {
      if ('checkRevocation' in route) await route.checkRevocation?.(request)
      return { ...before, headers: { ...before.headers, 'x-request-id': requestId } }
    }
    if (!('run' in route)) return this.performOwn(route, exchange, request, requestId)
    return this.answered(await route.run(request), request.mode, requestId)
  }

  /** A route that writes its own response, or has a status and headers. */
  private async performOwn(
    route: RawRoute | ReplyRoute,
    { outgoing }: HttpExchange,
    request: HttpRequest,
    requestId: string,
  ): Promise<Answer | undefined> {
    if ('send' in route) {
      const plainHeaders = answerHeaders('plain', requestId, this.vary)
      if (route.head !== undefined && request.incoming.method === 'HEAD') {
        const type = await route.head(request).then(() => route.answers ?? 'application/json')
        return { status: 200, body: null, headers: { ...plainHeaders, 'content-type': type } }
      }
      await route.send(request, outgoing, plainHeaders)
      return undefined
    }
    const { status, headers: own, body, isPassing = false } = await route.reply(request)
    const headers = { ...answerHeaders(request.mode, requestId, this.vary), ...own }
    return { status, body, headers, isPassing }
  }

  private async stream(
    { outgoing }: HttpExchange,
    request: HttpRequest,
    command: Document,
    requestId: string,
  ): Promise<undefined> {
    const first = await request.run(command)
    const headers = answerHeaders(request.mode, requestId, this.vary)
    await streamCursor(request, first, outgoing, headers)
  }

  private refused({ exchange, route, request }: Work, thrown: unknown, body?: JsonText): Answer {
    const hasRun = request?.hasRun === true
    const hasRead = request?.held.isRead === true
    const error = toGatewayError(thrown)
    return this.refuse(exchange, error, { hasRun, hasRead, bodyOf: route.errorBody, body })
  }

  private requireEnabled(protocol: SwitchedProtocol): void {
    if (this.options.isEnabled?.(protocol) !== false) return
    throw fail('ProtocolDisabled', `the protocol ${protocol} is disabled`)
  }

  private refuseMethod(exchange: HttpExchange, allowed: string): Answer {
    const { method } = exchange.incoming
    const error = fail('MethodNotAllowed', `method ${method} is not allowed here`)
    return this.refuse(exchange, error, { headers: { allow: allowed } })
  }

  private refuse(
    { incoming, isDeferred }: HttpExchange,
    error: GatewayError,
    { headers: more, hasRun = false, hasRead = false, bodyOf, body: made }: Refusal = {},
  ): Answer {
    this.options.bus.counters.httpFailed(error, hasRun)
    const requestId = this.requestId(incoming)
    if (error.code === 1) {
      const cause = error.cause instanceof Error ? error.cause.stack : String(error.cause)
      this.options.log.error({ requestId, cause }, error.message)
    }
    // The rest of a refused body is not read, so the connection cannot be reused.
    const mayBeHere = incoming.complete && isDeferred !== true
    const unread = !hasRead && !mayBeHere && hasBody(incoming)
    const headers = {
      ...answerHeaders('plain', requestId, this.vary),
      ...refusalHeaders(error),
      ...more,
      ...(unread ? { connection: 'close' } : {}),
    }
    const { url = '' } = incoming
    if (bodyOf === undefined && isMemoryUrl(url)) return { ...memoryRefusal(error), headers }
    const write = bodyOf ?? (isMcpUrl(url) ? mcpRefusal : errorBody)
    return { status: error.httpStatus, body: made ?? write(error), headers }
  }

  private answered(body: JsonText, mode: JsonMode, requestId: string): Answer {
    return { status: 200, body, headers: answerHeaders(mode, requestId, this.vary) }
  }

  private requestId(incoming: IncomingMessage): string {
    const given = incoming.headers['x-request-id']
    if (typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given)) return given
    this.idPrefix ??= `${Buffer.from(this.options.random.bytes(5)).toString('hex')}-`
    return this.idPrefix + (this.requests++).toString(36)
  }
}
