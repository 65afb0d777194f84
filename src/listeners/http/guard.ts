// What is looked at before a request may say anything: the Host and Origin rules that keep web
// pages of this machine's browser out, the peer's address behind trusted proxies, and the limit of
// requests an address. (DESIGN.md, "browsers on loopback"; API document, limits)

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { addressesTrackedMax, requestsPerWindowMax, requestWindowMs } from '../../base/limits.js'

export interface GuardOptions {
  readonly port: number
  readonly isLoopback: boolean
  readonly isTls: boolean
  readonly publicUrl: string | undefined
  readonly allowedHosts: readonly string[]
  readonly trustedProxies: readonly string[]
  /** AUTH_MODE=off: a web page needs no key, so it must not come from elsewhere. */
  readonly authOff: boolean
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Hosts and origins that are ours; made once, when the port is known. */
export class Guard {
  private readonly hosts: Set<string>
  private readonly origins: Set<string>

  constructor(private readonly options: GuardOptions) {
    const local = loopbackNames.map((name) => `${name}:${options.port}`)
    this.hosts = new Set([...local, ...options.allowedHosts.map((host) => host.toLowerCase())])
    const scheme = options.isTls ? 'https' : 'http'
    this.origins = new Set(local.map((host) => `${scheme}://${host}`))
    if (options.publicUrl !== undefined) {
      const url = new URL(options.publicUrl)
      this.hosts.add(url.host)
      this.origins.add(url.origin)
    }
  }

  /** Throws Misdirected for a foreign Host on loopback (a rebound name). */
  checkHost(headers: IncomingHttpHeaders): void {
    if (!this.options.isLoopback) return
    const host = (headers.host ?? '').toLowerCase()
    if (!this.hosts.has(host)) {
      throw fail('MisdirectedRequest', `host ${JSON.stringify(host)} is not served here`)
    }
  }

  /** Throws Unauthorized (403) where another site's page speaks and no key is asked for. */
  checkOrigin(headers: IncomingHttpHeaders): void {
    if (!this.options.authOff) return
    const { origin } = headers
    const isForeign = origin !== undefined && !this.origins.has(origin)
    if (isForeign || headers['sec-fetch-site'] === 'cross-site') {
      throw fail('Unauthorized', 'requests from other sites are refused', { reason: 'origin' })
    }
  }

  /** Throws Unauthorized where a proxy passes on credentials that came without TLS. */
  checkTransport(incoming: IncomingMessage): void {
    if (!this.isProxy(peerOf(incoming))) return
    if (incoming.headers['x-forwarded-proto'] === 'https') return
    throw fail('Unauthorized', 'credentials are only taken over https', { reason: 'plaintext' })
  }

  /**
   * The client's address: the socket's, or behind trusted proxies the last that is none of them.
   */
  addressOf(incoming: IncomingMessage): string {
    let address = peerOf(incoming)
    if (!this.isProxy(address)) return address
    const forwarded = String(incoming.headers['x-forwarded-for'] ?? '').split(',')
    while (this.isProxy(address) && forwarded.length > 0) {
      const next = forwarded.pop()?.trim() ?? ''
      if (next === '') break
      address = normalise(next)
    }
    return address
  }

  private isProxy(address: string): boolean {
    return this.options.trustedProxies.includes(address)
  }
}

function peerOf(incoming: IncomingMessage): string {
  return normalise(incoming.socket.remoteAddress ?? '')
}

function normalise(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

/** What is left of an address's window. */
export interface Allowance {
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

/** Requests an address, fixed window. IPv6 addresses count by their /64. */
export class RateLimit {
  private readonly windows = new LRUCache<string, { startedMs: number; count: number }>({
    max: addressesTrackedMax,
  })

  constructor(private readonly clock: Clock) {}

  /** Counts one request; `remaining` below zero means refused. */
  take(address: string): Allowance {
    const key = address.includes(':') ? address.split(':').slice(0, 4).join(':') : address
    const now = this.clock.elapsed()
    let window = this.windows.get(key)
    if (window === undefined || now - window.startedMs >= requestWindowMs) {
      window = { startedMs: now, count: 0 }
      this.windows.set(key, window)
    }
    window.count++
    return {
      remaining: requestsPerWindowMax - window.count,
      resetSeconds: Math.ceil((window.startedMs + requestWindowMs - now) / 1000),
    }
  }
}
