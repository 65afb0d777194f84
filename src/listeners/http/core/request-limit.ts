// Request limits by address and by key: fixed windows, a bounded number of them; and the headers
// that tell clients, the three old ones and those of the IETF draft.
// (docs/operations.md, "Limits of requests")

import type { LRUCache } from 'lru-cache'
import type { Clock } from '../../../base/clock.js'
import { fail, type GatewayError } from '../../../base/errors.js'
import { lastUsed } from '../../../base/heap/last-used.js'
import type { Count, SettledCounts } from '../../../identity/keys/settled-counts.js'

/** Requests in one window. */
export interface RequestLimit {
  readonly max: number
  readonly windowMs: number
}

/** Routes with a separate limit. */
export type LimitedRoute = 'nonce' | 'verify' | 'me' | 'logout' | 'chain'

/** The RATE_ settings. */
export interface Rates extends Readonly<Record<LimitedRoute, RequestLimit>> {
  readonly address: RequestLimit
  readonly key: RequestLimit
}

/** The rest of an address's window. */
interface Allowance {
  readonly limit: number
  /** Length of the window. */
  readonly windowSeconds: number
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

interface Window {
  readonly startedMs: number
  count: number
}

/** What is counted over all gateways of a store. */
interface Settling {
  readonly settled: SettledCounts
  /** Unique among all that is counted. */
  readonly kind: string
}

export class RequestWindows {
  private readonly windows: LRUCache<string, Window>
  private readonly tell: Count | undefined

  constructor(
    private readonly clock: Clock,
    private readonly limit: RequestLimit,
    trackedMax: number,
    settling?: Settling,
  ) {
    this.windows = lastUsed(trackedMax)
    this.tell = settling?.settled.of(settling.kind, (name, count) => {
      this.current(name).count += count
    })
  }

  /** Number of tracked names. */
  get size(): number {
    return this.windows.size
  }

  has(name: string): boolean {
    return this.windows.has(name)
  }

  /** Counts one request of a name; `remaining` below zero means refused. */
  take(name: string): Allowance {
    const { max, windowMs } = this.limit
    const window = this.current(name)
    window.count++
    // A flood that is refused here must not use up the windows of the others.
    if (this.tell !== undefined && window.count <= max) this.tell(name)
    const leftMs = window.startedMs + windowMs - this.clock.elapsed()
    return {
      limit: max,
      windowSeconds: windowMs / 1000,
      remaining: max - window.count,
      resetSeconds: Math.ceil(leftMs / 1000),
    }
  }

  private current(name: string): Window {
    const now = this.clock.elapsed()
    const before = this.windows.get(name)
    if (before !== undefined && now - before.startedMs < this.limit.windowMs) return before
    const window = { startedMs: now, count: 0 }
    this.windows.set(name, window)
    return window
  }
}

/** Throws IngressRequestRateLimitExceeded if nothing is left. */
export function requireAllowance(allowance: Allowance): void {
  if (allowance.remaining >= 0) return
  throw fail(
    'IngressRequestRateLimitExceeded',
    'too many requests from this address, or with this key',
    {
      retryAfter: allowance.resetSeconds,
      limit: allowance.limit,
      windowSeconds: allowance.windowSeconds,
    },
  )
}

/** For client libraries: the requests left, and the seconds until the window ends. */
export function allowanceHeaders(allowance: Allowance): Record<string, string> {
  return {
    'ratelimit-limit': String(allowance.limit),
    'ratelimit-remaining': String(Math.max(allowance.remaining, 0)),
    'ratelimit-reset': String(allowance.resetSeconds),
  }
}

/**
 * All headers of a refusal by a limit, and the challenge of a missing identity (RFC 9110 11.6.1);
 * none for other errors.
 */
export function refusalHeaders({ extra, httpStatus }: GatewayError): Record<string, string> {
  if (httpStatus === 401) return { 'www-authenticate': 'Bearer' }
  const { retryAfter, limit, windowSeconds } = extra
  if (typeof retryAfter !== 'number') return {}
  const wait = { 'retry-after': String(retryAfter) }
  if (typeof limit !== 'number' || typeof windowSeconds !== 'number') return wait
  return {
    ...wait,
    ...allowanceHeaders({ limit, windowSeconds, remaining: 0, resetSeconds: retryAfter }),
    'ratelimit-policy': `"api";q=${limit};w=${windowSeconds}`,
    ratelimit: `"api";r=0;t=${retryAfter}`,
  }
}
