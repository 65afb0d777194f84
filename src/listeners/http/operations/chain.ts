// `POST /chain`: the local chain as JSON-RPC, for wallets, tools and a second Sigil. Only if the
// listener is on loopback. Bodies and responses pass unchanged between the client and the chain's
// worker.

import type { ServerResponse } from 'node:http'
import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../../base/errors.js'
import { chainBodyBytesMax } from '../../../base/limits/chain.js'
import type { RawCall, RawRoute } from '../core/route.js'

interface ChainRouteOptions {
  /** The local chain's responder: undefined if no request in the body expects a response. */
  readonly serve: (body: Bytes) => Promise<Bytes | undefined>
  readonly isLoopback: boolean
}

/** No route unless the listener is on loopback. */
export function chainRoutes({ serve, isLoopback }: ChainRouteOptions): readonly RawRoute[] {
  if (!isLoopback) return []
  return [
    {
      method: 'POST',
      path: '/chain',
      access: 'none',
      takes: ['application/json'],
      // No cookies: a wallet's own page is a foreign one here, and needs none.
      credentials: 'keys',
      limit: 'chain',
      bodyBytesMax: chainBodyBytesMax,
      errorBody: (error) => refusal(error, codeOf(error)),
      send: (call, outgoing, headers) => answer(serve, call, outgoing, headers),
    },
  ]
}

async function answer(
  serve: ChainRouteOptions['serve'],
  call: RawCall,
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  // A page of another site needs a preflight for this type, which is never allowed.
  const type = call.incoming.headers['content-type'] ?? 'none'
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw fail('UnsupportedMediaType', `content type ${type} is not application/json`)
  }
  const body = await call.body((bytes) => bytes)
  const reply = await serve(body).catch((error) => {
    throw unavailable(error)
  })
  if (outgoing.destroyed) return
  if (reply === undefined) outgoing.writeHead(204, withoutType(headers)).end()
  else outgoing.writeHead(200, headers).end(reply)
}

function withoutType({ 'content-type': _, ...rest }: Readonly<Record<string, string>>) {
  return rest
}

const limitExceeded = -32005
const internalError = -32603
const invalidRequest = -32600

/** Too many requests, or no chain: clients should retry. */
function unavailable(error: unknown): GatewayError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const text = error instanceof Error ? error.message : String(error)
  if (code === limitExceeded) {
    return fail('IngressRequestRateLimitExceeded', text, { retryAfter: 1 })
  }
  return fail('HostUnreachable', text, { reason: 'CHAIN_UNAVAILABLE' })
}

function codeOf({ kind }: GatewayError): number {
  if (kind === 'IngressRequestRateLimitExceeded') return limitExceeded
  return kind === 'HostUnreachable' || kind === 'InternalError' ? internalError : invalidRequest
}

function refusal({ message }: GatewayError, code: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
}
