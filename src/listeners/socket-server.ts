// The port of a protocol that keeps its connections: opened with TLS when there is a certificate,
// bounded in how many sockets there are and how many of them have not signed in, and closed with
// time for what is in flight.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { anonymousIdleMs, anonymousSocketsOfAddressMax } from '../base/limits.js'
import type { Log } from '../base/log.js'
import type { ConnectionCounts } from '../bus/services.js'
import { accountOf, type Identity } from '../identity/identity.js'
import { keyOf, SilentSockets } from './silent-sockets.js'
import { keepCertificate, type TlsCertificate } from './tls-certificate.js'

export interface SocketBounds {
  readonly sockets: number
  /** Of those, the ones that have not signed in. */
  readonly anonymous: number
  /** Of these, of one address; anonymousSocketsOfAddressMax unless given. */
  readonly anonymousOfAddress?: number
}

/** How many connections of a wallet there may be, over all protocols. */
export interface ConnectionQuota {
  /** False where there are as many as there may be. */
  connect(wallet: string): boolean
  disconnect(wallet: string): void
}

interface SocketServerOptions<C extends Connection> {
  /** Of the listener, in the log. */
  readonly name: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly tls: TlsCertificate | undefined
  readonly bounds: SocketBounds
  /** What each wallet may have; without it there is no bound. */
  readonly quotas?: ConnectionQuota | undefined
  readonly log: Log
  /** Whether the connection ends the socket of a client that has sent its end; not under TLS. */
  readonly allowHalfOpen?: boolean
  /** Makes the connection of a socket that is admitted and, under TLS, secure. */
  readonly connect: (socket: Socket) => C
  readonly disconnected: (connection: C) => void
  /** Tells a socket that there are too many, and ends it. */
  readonly refuse: (socket: Socket) => void
}

interface Connection {
  readonly session: { readonly identity: Identity }
  /** As it came to `connect`. */
  readonly socket: Socket
  /** Ends it behind what is in flight. */
  end(): void
}

export class SocketServer<C extends Connection> {
  /** Known once it listens; kept after that, for requests during a stop. */
  port = 0
  /** Sockets admitted since the start. */
  accepted = 0
  readonly connected = new Set<C>()
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  /** Of sockets that are closed. */
  private bytesRead = 0
  private bytesWritten = 0
  /** Under way to their end; a secure socket is another object than the one that was admitted. */
  private readonly refused = new WeakSet<Socket>()
  private readonly silent: SilentSockets
  /** Newcomers take the places of others: told once, until it is over. */
  private isCrowded = false
  /** Connections that count as a wallet's. */
  private readonly wallets = new Map<C, string>()

  constructor(private readonly options: SocketServerOptions<C>) {
    const { tls, log, bounds } = options
    const { anonymous: all, anonymousOfAddress = anonymousSocketsOfAddressMax } = bounds
    const ofAddress = Number.isFinite(all) ? anonymousOfAddress : all
    this.silent = new SilentSockets({ all, ofAddress })
    const connect = (socket: Socket) => this.connect(socket)
    const { allowHalfOpen = false } = options
    this.server =
      tls === undefined ? createServer({ allowHalfOpen }, connect) : openTls(tls, connect)
    this.server.prependListener('connection', (socket: Socket) => this.admit(socket))
    this.server.on('tlsClientError', (error) => log.debug({ err: error }, 'TLS handshake'))
  }

  /** Sockets that are open. */
  get count(): number {
    return this.sockets.size
  }

  /** What serverStatus and the metrics tell. */
  get counts(): ConnectionCounts {
    const { count, accepted, options } = this
    let [bytesIn, bytesOut] = [this.bytesRead, this.bytesWritten]
    for (const socket of this.sockets) {
      bytesIn += socket.bytesRead
      bytesOut += socket.bytesWritten
    }
    const available = options.bounds.sockets - count
    return { current: count, available, totalCreated: accepted, bytesIn, bytesOut }
  }

  /** A connection has signed in, or out again; one too many of its wallet's is ended. */
  onLogin(isIn: boolean, connection: C): void {
    const { socket } = connection
    if (isIn) this.silent.remove(keyOf(socket))
    else if (!socket.destroyed) this.silent.add(socket)
    const { quotas, log, name } = this.options
    if (quotas === undefined) return
    const counted = this.wallets.get(connection)
    if (counted !== undefined) quotas.disconnect(counted)
    this.wallets.delete(connection)
    const wallet = isIn ? accountOf(connection.session.identity) : undefined
    if (wallet === undefined) return
    if (quotas.connect(wallet)) this.wallets.set(connection, wallet)
    else {
      log.warn({ wallet }, `too many ${name} connections of one wallet`)
      connection.end()
    }
  }

  /** Rejects with the socket's own error (EADDRINUSE …). */
  listen(): Promise<void> {
    const { server, options } = this
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(options.port, options.host, () => {
        this.port = (server.address() as AddressInfo).port
        server.off('error', reject)
        server.on('error', (error) => options.log.error({ err: error }, `${options.name} listener`))
        resolve()
      })
    })
  }

  /** Stops accepting, lets commands in flight finish, closes what is left after `graceMs`. */
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
    const { bounds, log, name, refuse } = this.options
    const isFull = this.sockets.size >= bounds.sockets
    if (isFull && !this.silent.makeRoom()) {
      log.warn({ sockets: this.sockets.size }, `too many ${name} connections`)
      this.refused.add(socket)
      refuse(socket)
      return
    }
    this.accepted++
    this.sockets.add(socket)
    const isCrowded = this.silent.add(socket) || isFull
    if (isCrowded && !this.isCrowded) {
      const { size: unknown } = this.silent
      log.warn({ unknown }, `too many ${name} connections without login: the oldest are closed`)
    }
    this.isCrowded = isCrowded
    socket.once('close', () => {
      this.sockets.delete(socket)
      this.bytesRead += socket.bytesRead
      this.bytesWritten += socket.bytesWritten
    })
  }

  private connect(socket: Socket): void {
    if (socket.destroyed || this.refused.has(socket)) return
    const connection = this.options.connect(socket)
    this.connected.add(connection)
    socket.once('close', () => {
      this.connected.delete(connection)
      this.options.disconnected(connection)
    })
  }
}

function openTls(tls: TlsCertificate, connect: (socket: Socket) => void): Server {
  const { cert, key } = tls
  const server = createTlsServer({ cert, key, handshakeTimeout: anonymousIdleMs }, connect)
  keepCertificate(server, tls)
  return server
}
