// The parts of the framework's context that a route needs: Node's request and response, and the
// parameters of path and query.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { HttpExchange } from './request.js'

type HttpContext = Context<{ Bindings: HttpBindings }>

export function exchangeOf({ env, req }: HttpContext): HttpExchange {
  const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse }
  return { incoming, outgoing, param: (name) => req.param(name), query: (name) => req.query(name) }
}
