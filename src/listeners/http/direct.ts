// The short way to the routes of documents, which are asked most: one look at the path, and the
// answer goes to the socket as it is. The framework makes four objects and as many promises for
// each request on its way to the same handler; whatever is not plainly one of these is its own.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnyRoute, HttpExchange } from './request.js'
import { type Answer, writeAnswer } from './respond.js'

/** Undefined: the route has written its answer. */
export type Handle = (exchange: HttpExchange) => Promise<Answer | undefined>

const prefix = '/api/v1/collections/'
const template = `${prefix}:name/`

/** As the framework takes them without a look at more: others it may refuse. */
const plainHost = /^[a-z0-9._-]+(?::[1-6]?\d{4})?$/

/** Nothing that is encoded, and no dot, which a path may be shortened by. */
const plainName = /^[\w-]+$/

/** `POST /api/v1/collections/<name>/<operation>`, nothing in it encoded and without a query. */
export class DirectRoutes {
  private readonly handles = new Map<string, Handle>()

  constructor(private readonly refuse: (exchange: HttpExchange, thrown: unknown) => Answer) {}

  /** Takes the route if it is one of these: its body is always read whole. */
  add(route: AnyRoute, handle: Handle): void {
    const { method, path, fields } = route
    if (method !== 'POST' || fields === undefined || !path.startsWith(template)) return
    const operation = path.slice(template.length)
    if (/^\w+$/.test(operation)) this.handles.set(operation, handle)
  }

  /** Answers the request; false if it is not for here. */
  take(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { url = '', headers } = incoming
    if (incoming.method !== 'POST' || !url.startsWith(prefix)) return false
    const end = url.indexOf('/', prefix.length)
    const handle = end < 0 ? undefined : this.handles.get(url.slice(end + 1))
    if (handle === undefined || !plainHost.test(headers.host ?? '')) return false
    const name = url.slice(prefix.length, end)
    if (!plainName.test(name)) return false
    const exchange = new DirectExchange(incoming, outgoing, name)
    const write = (answer: Answer | undefined): void => {
      if (answer !== undefined) writeAnswer(outgoing, answer)
    }
    handle(exchange)
      .then(write)
      .catch((thrown) => write(this.refuse(exchange, thrown)))
    return true
  }
}

class DirectExchange implements HttpExchange {
  constructor(
    readonly incoming: IncomingMessage,
    readonly outgoing: ServerResponse,
    private readonly collection: string,
  ) {}

  param(name: string): string | undefined {
    return name === 'name' ? this.collection : undefined
  }

  query(): undefined {}
}
