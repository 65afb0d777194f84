// The HTTP listener: one Hono app over a table of routes. Order of checks: route, method, host,
// who it is and whether too often, content type, body, then the bus. No middleware: each stock one
// costs more than the whole request. (facts: HTTP 4.1)

import type { IncomingMessage, Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import type { Bytes } from '../../base/bytes.js'
import type { Random } from '../../base/clock.js'
import { fail, type GatewayError, toGatewayError } from '../../base/errors.js'
import {
  headerBytesMax,
  importStreamMsMax,
  keepAliveMs,
  requestMsMax,
  streamBatchDocuments,
} from '../../base/limits.js'
import type { Log } from '../../base/log.js'
import type { Bus } from '../../bus/bus.js'
import type { Awaitable } from '../../store/store.js'
import type { ObjectIds } from '../../value/object-id.js'
import type { ByteBudget } from '../budget.js'
import { requireSafeNetwork } from '../network.js'
import { Authenticator, type AuthenticatorOptions } from './authenticate.js'
import { SlowBodies } from './body.js'
import { BodyCheck } from './call.js'
import { Guard, type GuardOptions } from './guard.js'
import { streamCursor } from './ndjson.js'
import { type AnyRoute, type HttpContext, HttpRequest, type RequestServices } from './request.js'
import { allowanceHeaders } from './request-limit.js'
import { answerHeaders, errorBody, respond } from './respond.js'
import { PathRouter } from './router.js'
import { routes } from './routes.js'

export interface HttpOptions extends Omit<GuardOptions, 'port'>, AuthenticatorOptions {
  readonly host: string
  readonly port: number
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly database: string
  readonly budget: ByteBudget
  readonly bus: Bus
  readonly random: Random
  readonly ids: ObjectIds
  /** Signs the cursors of lists. */
  readonly pageKey: Bytes
  readonly log: Log
  /** Makes the function that answers the Health object as JSON text, once the port is known. */
  readonly health: (httpPort: number) => () => Awaitable<string>
  /** Beside those of the table: what needs more than the bus. */
  readonly rawRoutes: readonly AnyRoute[]
}

export interface HttpListener {
  readonly port: number
  /** Sockets that are open. */
  readonly connections: () => number
  /** Stops accepting, lets requests in flight finish, closes what is left after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Opens the listener. Rejects with InvalidOptions where a network would see keys in the clear, and
 * with the socket's own error (EADDRINUSE …).
 */
export async function openHttp(options: HttpOptions): Promise<HttpListener> {
  requireSafeNetwork('HTTP', options)
  const handler = new HttpHandler(options)
  const serverOptions = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: requestMsMax,
    // Bodies that are read whole have a time of their own; an import takes longer.
    requestTimeout: importStreamMsMax,
  }
  const { tls } = options
  const server = createAdaptorServer({
    fetch: handler.app.fetch,
    ...(tls === undefined
      ? { serverOptions }
      : { createServer: createTlsServer, serverOptions: { ...serverOptions, ...tls } }),
  }) as Server
  server.keepAliveTimeout = keepAliveMs
  let connections = 0
  server.on('connection', (socket) => {
    connections++
    socket.once('close', () => connections--)
  })
  const port = await listen(server, options.port, options.host)
  handler.listening(port)
  return { port, connections: () => connections, close: (graceMs) => close(server, graceMs) }
}

interface Refusal {
  readonly headers?: Readonly<Record<string, string>>
  /** A command of the request has reached the bus. */
  readonly hasRun?: boolean
  readonly bodyOf?: ((error: GatewayError) => string) | undefined
}

type Handle = (context: HttpContext) => Promise<Response>

class HttpHandler {
  readonly app = new Hono<{ Bindings: HttpBindings }>({
    router: new PathRouter(documentsPath),
  })
  private guard: Guard
  private services: RequestServices
  private healthOf: () => Awaitable<string>
  private readonly authenticator: Authenticator
  private requests = 0

  constructor(private readonly options: HttpOptions) {
    this.guard = new Guard(options)
    this.services = { ...options, guard: this.guard, slowBodies: new SlowBodies() }
    this.healthOf = options.health(options.port)
    this.authenticator = new Authenticator(options)
    this.serve('/health', new Map([['GET', (context) => this.health(context)]]))
    for (const [path, methods] of byPath([...routes, ...options.rawRoutes])) {
      this.serve(path, new Map(methods.map((route) => [route.method, this.answering(route)])))
    }
    this.app.notFound((context) => this.refuse(context, fail('CommandNotFound', 'no such route')))
    this.app.onError((thrown, context) => this.refuse(context, toGatewayError(thrown)))
  }

  /** The port that was taken is known now, and with it our own addresses. */
  listening(port: number): void {
    this.guard = new Guard({ ...this.options, port })
    this.services = { ...this.services, guard: this.guard }
    this.healthOf = this.options.health(port)
  }

  /**
   * One handler a path: where two match, the framework composes them, with promises and a closure
   * for each that the single one is spared.
   */
  private serve(path: string, methods: ReadonlyMap<string, Handle>): void {
    const allowed = [...methods.keys()].join(', ')
    this.app.all(path, (context) => {
      const { method } = context.req
      const handle = methods.get(method === 'HEAD' ? 'GET' : method)
      return handle === undefined ? this.refuseMethod(context, allowed) : handle(context)
    })
  }

  private answering(route: AnyRoute): Handle {
    const check = route.fields === undefined ? undefined : new BodyCheck(route.fields)
    return (context) => this.answer(context, route, check)
  }

  private async health(context: HttpContext): Promise<Response> {
    try {
      this.guard.checkHost(context.env.incoming.headers)
      const body = await this.healthOf()
      return respond(200, body, answerHeaders('plain', this.requestId(context.env.incoming)))
    } catch (thrown) {
      return this.refuse(context, toGatewayError(thrown))
    }
  }

  private async answer(
    context: HttpContext,
    route: AnyRoute,
    check: BodyCheck | undefined,
  ): Promise<Response> {
    const { incoming, outgoing } = context.env
    const { headers } = incoming
    let request: HttpRequest | undefined
    try {
      const peer = this.guard.addressOf(incoming)
      this.guard.checkHost(headers)
      const known = this.authenticator.authenticate(this.guard, route, incoming, peer)
      const identity = known instanceof Promise ? await known : known
      request = new HttpRequest(context, route, this.services, { peer, identity })
      if (check !== undefined) request.fields = await request.readFields(check)
      const requestId = this.requestId(incoming)
      if ('send' in route) {
        await route.send(request, outgoing, answerHeaders('plain', requestId))
        return RESPONSE_ALREADY_SENT
      }
      if ('reply' in route) {
        const { status, headers: own, body } = await route.reply(request)
        return respond(status, body, { ...answerHeaders(request.mode, requestId), ...own })
      }
      const wantsLines = headers.accept?.includes('application/x-ndjson') === true
      if (wantsLines && route.stream !== undefined) {
        const first = await request.run(route.stream(request, streamBatchDocuments, true))
        await streamCursor(request, first, outgoing, answerHeaders(request.mode, requestId))
        return RESPONSE_ALREADY_SENT
      }
      const body = route.run(request)
      const text = typeof body === 'string' ? body : await body
      return respond(200, text, answerHeaders(request.mode, requestId))
    } catch (thrown) {
      const error = toGatewayError(thrown)
      const hasRun = request?.hasRun === true
      return this.refuse(context, error, { hasRun, bodyOf: route.errorBody })
    } finally {
      request?.held.release?.()
    }
  }

  private refuseMethod(context: HttpContext, allowed: string): Response {
    const error = fail('MethodNotAllowed', `method ${context.req.method} is not allowed here`)
    return this.refuse(context, error, { headers: { allow: allowed } })
  }

  private refuse(
    context: HttpContext,
    error: GatewayError,
    { headers: more, hasRun = false, bodyOf = errorBody }: Refusal = {},
  ): Response {
    const { incoming } = context.env
    this.options.bus.counters.httpFailed(error, hasRun)
    const requestId = this.requestId(incoming)
    if (error.code === 1) {
      const cause = error.cause instanceof Error ? error.cause.stack : String(error.cause)
      this.options.log.error({ requestId, cause }, error.message)
    }
    // What is left of a refused body is not read: the connection cannot be used again.
    const unread = hasUnreadBody(incoming)
    const headers = {
      ...answerHeaders('plain', requestId),
      ...rateHeaders(error),
      ...more,
      ...(unread ? { connection: 'close' } : {}),
    }
    return respond(error.httpStatus, bodyOf(error), headers)
  }

  private requestId(incoming: IncomingMessage): string {
    const given = incoming.headers['x-request-id']
    if (typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given)) return given
    return (this.requests++).toString(36)
  }
}

function byPath(rows: readonly AnyRoute[]): Map<string, AnyRoute[]> {
  const paths = new Map<string, AnyRoute[]>()
  for (const route of rows) paths.set(route.path, [...(paths.get(route.path) ?? []), route])
  return paths
}

/** All below are routes of collections and their documents. */
const documentsPath = '/api/v1/collections/'

function rateHeaders(error: GatewayError): Record<string, string> {
  const { retryAfter, limit } = error.extra
  if (typeof retryAfter !== 'number') return {}
  const wait = { 'retry-after': String(retryAfter) }
  if (typeof limit !== 'number') return wait
  return { ...wait, ...allowanceHeaders({ limit, remaining: 0, resetSeconds: retryAfter }) }
}

/** Whether a body is announced that has not come to its end. */
function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
