// Pages of other origins (ALLOWED_ORIGINS): the routes they may call, CORS headers and preflights.
// They may only use a wallet's key; routes for sign-in and key management are closed to them.
// Source: Fetch standard, CORS protocol.
// (docs/http.md, "Pages of other origins")

import type { IncomingMessage } from 'node:http'
import { clientOf } from '../../../base/client-address.js'
import type { Clock } from '../../../base/clock.js'
import { fail } from '../../../base/errors.js'
import { addressesTrackedMax, preflightAgeSeconds } from '../../../base/limits/http.js'
import type { SettledCounts } from '../../../identity/keys/settled-counts.js'
import type { HttpExchange } from './request.js'
import { type Rates, RequestWindows, requireAllowance } from './request-limit.js'
import type { Answer } from './respond.js'
import type { RouteHead } from './route.js'

interface OtherOriginsOptions {
  /** Setting ALLOWED_ORIGINS; checked by requireOrigins. */
  readonly allowedOrigins: readonly string[]
  readonly clock: Clock
  /** Undefined if requests are not counted. */
  readonly rates: Rates | undefined
  /** Of the other gateways of the store. */
  readonly settled?: SettledCounts | undefined
}

/** Throws InvalidOptions unless each is exactly an origin, as a browser writes it. */
export function requireOrigins(origins: readonly string[]): void {
  for (const text of origins) {
    const isWeb = /^https?:\/\/[^*]+$/.test(text)
    if (isWeb && URL.canParse(text) && new URL(text).origin === text) continue
    const example = 'an exact origin such as https://app.example.com'
    throw fail(
      'InvalidOptions',
      `setting ALLOWED_ORIGINS: ${JSON.stringify(text)} is not ${example}`,
    )
  }
}

/** Routes for sign-in, key management, and this server's own pages. */
const closedPaths = ['/api/v1/auth', '/api/v1/keys', '/studio', '/chain', '/mcp'] as const

/** Whether pages of other origins may call a route: those that keys open, and public ones. */
export function isShared({ path, access, credentials }: RouteHead): boolean {
  if (credentials === 'none' || (access !== 'key' && access !== 'admin' && access !== 'none')) {
    return false
  }
  return !closedPaths.some((closed) => path === closed || path.startsWith(`${closed}/`))
}

const allowedHeaders: ReadonlySet<string> = new Set([
  ...['authorization', 'x-api-key', 'content-type', 'accept', 'idempotency-key'],
])
const allowedPrefixes = ['x-sigil-', 'upstash-'] as const

/** Response headers that a page may read in addition to the safelisted ones. */
const exposedHeaders =
  'etag, location, link, retry-after, x-request-id, ratelimit-limit, ratelimit-remaining, ' +
  'ratelimit-reset'

export class OtherOrigins {
  private readonly origins: ReadonlySet<string>
  /** For preflights, which have no key to count by. */
  private readonly windows: RequestWindows | undefined

  constructor(options: OtherOriginsOptions) {
    this.origins = new Set(options.allowedOrigins)
    const { clock, rates, settled } = options
    const settling = settled === undefined ? undefined : { settled, kind: 'http preflight' }
    this.windows =
      rates === undefined
        ? undefined
        : new RequestWindows(clock, rates.address, addressesTrackedMax, settling)
  }

  /** Whether the request comes from a page of an allowed origin. */
  allows({ headers }: IncomingMessage): boolean {
    return headers.origin !== undefined && this.origins.has(headers.origin)
  }

  /** Lets a page of an allowed origin read the response, whatever it is. */
  mark({ incoming, outgoing }: Pick<HttpExchange, 'incoming' | 'outgoing'>): void {
    const { origin } = incoming.headers
    if (origin === undefined || !this.origins.has(origin)) return
    outgoing.setHeader('access-control-allow-origin', origin)
    outgoing.setHeader('access-control-expose-headers', exposedHeaders)
  }

  /** Whether the request is a preflight of a page of an allowed origin. */
  isPreflight(incoming: IncomingMessage): boolean {
    const { method, headers } = incoming
    const asked = headers['access-control-request-method']
    return method === 'OPTIONS' && asked !== undefined && this.allows(incoming)
  }

  /**
   * The response to a preflight on a path with these methods. Throws
   * IngressRequestRateLimitExceeded if the address has sent too many.
   */
  preflight(
    { headers }: IncomingMessage,
    remoteAddress: string,
    methods: readonly string[],
  ): Answer {
    if (this.windows !== undefined) requireAllowance(this.windows.take(clientOf(remoteAddress)))
    const asked = (headers['access-control-request-headers'] ?? '').toLowerCase().split(',')
    const allowed = asked.map((name) => name.trim()).filter(isAllowedHeader)
    return {
      status: 204,
      body: null,
      headers: {
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': [...new Set([...allowedHeaders, ...allowed])].join(', '),
        'access-control-max-age': String(preflightAgeSeconds),
        vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
        'cache-control': 'no-store',
      },
    }
  }
}

/** A known name, or a known prefix followed by characters that are valid in a header name. */
function isAllowedHeader(name: string): boolean {
  if (allowedHeaders.has(name)) return true
  return /^[a-z0-9-]+$/.test(name) && allowedPrefixes.some((prefix) => name.startsWith(prefix))
}
