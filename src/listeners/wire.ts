// The document wire: mongosh and the official drivers. Opens the port, with TLS when there is a
// certificate, makes a connection of each socket, and keeps the bounds on how many there are.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Clock, Random } from '../base/clock.js'
import { anonymousIdleMs, anonymousSocketsMax, wireConnectionsMax } from '../base/limits.js'
import type { Log } from '../base/log.js'
import type { ConnectionCounts } from '../bus/services.js'
import { type Request, Session } from '../bus/session.js'
import { anonymous, type Identity, operator } from '../identity/identity.js'
import { type Credentials, Login } from '../identity/login.js'
import type { Awaitable } from '../store/store.js'
import type { Document } from '../value/value.js'
import type { ByteBudget } from './budget.js'
import { isLoopback, requireSafeNetwork } from './network.js'
import { type ConnectionHost, WireConnection } from './wire/connection.js'

export interface WireOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** Setting ALLOW_INSECURE: opens on a network without TLS. */
  readonly allowInsecure: boolean
  /** Setting AUTH_MODE=off: every connection is the operator's. */
  readonly authOff: boolean
  readonly bus: {
    readonly run: (request: Request, session: Session) => Awaitable<Document>
    /** Told once when a client is gone. */
    readonly sessionClosed?: (session: Session) => void
  }
  readonly credentials: Credentials
  readonly budget: ByteBudget
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Sockets in all, and of those the ones that have not signed in; the limits unless given. */
  readonly bounds?: { readonly sockets: number; readonly anonymous: number }
}

const usualBounds = { sockets: wireConnectionsMax, anonymous: anonymousSocketsMax } as const

export interface WireListener {
  readonly port: number
  readonly connections: () => ConnectionCounts
  /** Closes the connections of those identities, behind what is in flight. */
  closeSessions(matches: (identity: Identity) => boolean): void
  /** Stops accepting, lets commands in flight finish, closes what is left after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Opens the listener. Rejects with InvalidOptions where a network would see logins in the clear,
 * and with the socket's own error (EADDRINUSE …).
 */
export async function openWire(options: WireOptions): Promise<WireListener> {
  requireSafeNetwork('the document wire', options)
  const listener = new Listener(options)
  await listener.listen()
  return listener
}

class Listener implements WireListener {
  /** Known once it listens; kept after that, for whoever asks during a stop. */
  port = 0
  private readonly options: WireOptions
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  private readonly connected = new Set<WireConnection>()
  private signedIn = 0
  private accepted = 0
  private nextId = 1
  private readonly host: ConnectionHost
  private readonly bounds: { readonly sockets: number; readonly anonymous: number }

  constructor(options: WireOptions) {
    this.options = options
    this.bounds = options.bounds ?? usualBounds
    this.host = {
      run: (request, session) => options.bus.run(request, session),
      budget: options.budget,
      log: options.log,
      onLogin: (isIn) => {
        this.signedIn += isIn ? 1 : -1
      },
    }
    const { tls } = options
    const connect = (socket: Socket) => this.connect(socket)
    this.server =
      tls === undefined
        ? createServer(connect)
        : createTlsServer({ ...tls, handshakeTimeout: anonymousIdleMs }, connect)
    this.server.prependListener('connection', (socket: Socket) => this.admit(socket))
    this.server.on('tlsClientError', (error) => options.log.debug({ err: error }, 'TLS handshake'))
  }

  readonly connections = (): ConnectionCounts => ({
    current: this.sockets.size,
    available: this.bounds.sockets - this.sockets.size,
    totalCreated: this.accepted,
  })

  listen(): Promise<void> {
    const { server, options } = this
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(options.port, options.host, () => {
        this.port = (server.address() as AddressInfo).port
        server.off('error', reject)
        server.on('error', (error) => options.log.error({ err: error }, 'wire listener'))
        resolve()
      })
    })
  }

  closeSessions(matches: (identity: Identity) => boolean): void {
    for (const connection of this.connected) {
      if (matches(connection.session.identity)) connection.end()
    }
  }

  close(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        for (const socket of this.sockets) socket.destroy()
      }, graceMs)
      this.server.close(() => {
        clearTimeout(late)
        resolve()
      })
      for (const connection of this.connected) connection.end()
    })
  }

  /** Counts a socket from its first byte on: a TLS handshake is not yet a connection. */
  private admit(socket: Socket): void {
    const anonymousSockets = this.sockets.size - this.signedIn
    const { bounds } = this
    if (this.sockets.size >= bounds.sockets || anonymousSockets >= bounds.anonymous) {
      this.options.log.warn(
        { sockets: this.sockets.size, anonymousSockets },
        'too many connections',
      )
      socket.destroy()
      return
    }
    this.accepted++
    this.sockets.add(socket)
    socket.once('close', () => this.sockets.delete(socket))
  }

  private connect(socket: Socket): void {
    if (socket.destroyed) return
    const connection = new WireConnection(socket, this.openSession(socket), this.host)
    this.connected.add(connection)
    socket.once('close', () => {
      this.connected.delete(connection)
      this.options.bus.sessionClosed?.(connection.session)
    })
  }

  private openSession(socket: Socket): Session {
    const { authOff, clock, credentials, random, tls } = this.options
    const address = socket.remoteAddress ?? ''
    const identity: Identity = authOff ? operator : anonymous
    const peer = `${address}:${socket.remotePort ?? 0}`
    const session = new Session({ protocol: 'wire', id: this.nextId++, peer, identity })
    const allowsPlain = tls !== undefined || isLoopback(address)
    session.conversation = new Login({
      ...{ credentials, clock, random, allowsPlain, address },
      initial: identity,
    })
    return session
  }
}
