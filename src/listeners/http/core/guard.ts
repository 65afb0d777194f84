// Checks before a request is processed: the Host and Origin rules against web pages in a local
// browser, the client address behind trusted proxies, and whether credentials may use this
// transport.
// (docs/sign-in.md, "What a session's requests must carry"; docs/design/threat-model.md, "Known
// risks")

import type { IncomingMessage } from 'node:http'
import { plainAddress } from '../../../base/client-address.js'
import { fail } from '../../../base/errors.js'

/** The sender of a request that another gateway has passed on. */
export interface Sender {
  readonly address: string
  readonly isEncrypted: boolean
}

export interface GuardOptions {
  readonly port: number
  readonly isLoopback: boolean
  readonly isTls: boolean
  readonly publicUrl: string | undefined
  readonly allowedHosts: readonly string[]
  readonly trustedProxies: readonly string[]
  /** Setting ALLOW_INSECURE: credentials may cross a network without TLS. */
  readonly allowInsecure: boolean
  /** AUTH_MODE=off: no key is needed, so pages of other origins are refused. */
  readonly authOff: boolean
  /** The sender of a request that another gateway has checked and passed on. */
  readonly senderOf?: ((incoming: IncomingMessage) => Sender | undefined) | undefined
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** The server's hosts and origins; made once, when the port is known. */
export class Guard {
  /** Few, and each request has a new host string: comparing is faster than hashing it. */
  private readonly hosts: readonly string[]
  private readonly origins: Set<string>
  /** Origins of Sigil's pages, which may act with a cookie. */
  private readonly pageOrigins: readonly string[]

  constructor(private readonly options: GuardOptions) {
    const local = loopbackNames.map((name) => `${name}:${options.port}`)
    const allowed = options.allowedHosts.map((host) => host.toLowerCase())
    const { publicUrl } = options
    this.hosts = [
      ...local,
      ...allowed,
      ...(publicUrl === undefined ? [] : [new URL(publicUrl).host]),
    ]
    this.pageOrigins = pageOrigins(options)
    this.origins = new Set([...loopbackOrigins(options), ...this.pageOrigins])
  }

  /** Throws Misdirected for a foreign Host on loopback (DNS rebinding). */
  checkHost(incoming: IncomingMessage): void {
    if (!this.options.isLoopback) return
    const host = (incoming.headers.host ?? '').toLowerCase()
    if (!this.hosts.includes(host) && !this.isForwarded(incoming)) {
      throw fail('MisdirectedRequest', `host ${JSON.stringify(host)} is not served here`)
    }
  }

  /** Throws Unauthorized (403) for a page of another site if no key is required. */
  checkOrigin({ headers }: IncomingMessage): void {
    const { origin } = headers
    const isForeign = origin !== undefined && !this.origins.has(origin)
    if (isForeign || headers['sec-fetch-site'] === 'cross-site') throw foreignSite()
  }

  /** As checkOrigin; a page that makes changes with a cookie must have the server's own origin. */
  checkPage(incoming: IncomingMessage): void {
    this.checkOrigin(incoming)
    const { origin } = incoming.headers
    if (origin === undefined || !isUnsafe(incoming)) return
    if (!this.pageOrigins.includes(origin)) throw foreignSite()
  }

  /** Throws Unauthorized if credentials came over a network without TLS. */
  checkTransport(incoming: IncomingMessage): void {
    const { isLoopback, allowInsecure } = this.options
    if (this.isEncrypted(incoming) || this.isForwarded(incoming)) return
    if (!this.isByProxy(incoming) && (isLoopback || allowInsecure)) return
    throw fail('Unauthorized', 'credentials are only taken over https', { reason: 'plaintext' })
  }

  /** TLS here, or at a trusted proxy. */
  isEncrypted(incoming: IncomingMessage): boolean {
    const sender = this.options.senderOf?.(incoming)
    if (sender !== undefined) return sender.isEncrypted
    if (this.isByProxy(incoming)) return incoming.headers['x-forwarded-proto'] === 'https'
    return this.options.isTls
  }

  /**
   * The client's address: that of the socket, or behind trusted proxies the last one that is no
   * proxy.
   */
  addressOf(incoming: IncomingMessage): string {
    const sender = this.options.senderOf?.(incoming)
    if (sender !== undefined) return sender.address
    let address = remoteAddressOf(incoming)
    if (!this.isProxy(address)) return address
    const forwarded = String(incoming.headers['x-forwarded-for'] ?? '').split(',')
    while (this.isProxy(address) && forwarded.length > 0) {
      const next = forwarded.pop()?.trim() ?? ''
      if (next === '') break
      address = plainAddress(withoutPort(next))
    }
    return address
  }

  /** Another gateway has checked where the request comes from. */
  isForwarded(incoming: IncomingMessage): boolean {
    return this.options.senderOf?.(incoming) !== undefined
  }

  /** Most servers have no proxy: then the remote address is not read. */
  private isByProxy(incoming: IncomingMessage): boolean {
    return this.options.trustedProxies.length > 0 && this.isProxy(remoteAddressOf(incoming))
  }

  private isProxy(address: string): boolean {
    return this.options.trustedProxies.includes(address)
  }
}

/** Methods that may change something; other requests must not. */
export function isUnsafe({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

type Addresses = Pick<GuardOptions, 'isTls' | 'port' | 'publicUrl'>

/**
 * Origins of pages that may sign in and act with a cookie: PUBLIC_URL, or without it the loopback
 * names with this port.
 */
export function pageOrigins(options: Addresses): readonly string[] {
  const { publicUrl } = options
  return publicUrl === undefined ? loopbackOrigins(options) : [new URL(publicUrl).origin]
}

function loopbackOrigins({ isTls, port }: Addresses): readonly string[] {
  const scheme = isTls ? 'https' : 'http'
  // In a browser's form: without the scheme's default port.
  return loopbackNames.map((name) => new URL(`${scheme}://${name}:${port}`).origin)
}

function foreignSite(): Error {
  return fail('Unauthorized', 'requests from other sites are refused', { reason: 'origin' })
}

function remoteAddressOf(incoming: IncomingMessage): string {
  return plainAddress(incoming.socket.remoteAddress ?? '')
}

/** Without the port, which some proxies add. */
function withoutPort(address: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address
}
