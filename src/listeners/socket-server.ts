// The port of a protocol with lasting connections: TLS if there is a certificate, bounds on all
// sockets and on those before login, and a close that waits for running commands.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { anonymousIdleMs, anonymousSocketsOfAddressMax } from '../base/limits/connections.js'
import type { Log } from '../base/log.js'
import type { ConnectionCounts } from '../bus/services.js'
import { accountOf, type Identity } from '../identity/identity.js'
import { keyOf, SilentSockets } from './silent-sockets.js'
import { keepCertificate, type TlsCertificate } from './tls-certificate.js'

export interface SocketBounds {
  readonly sockets: number
  /** Most sockets before login. */
  readonly anonymous: number
  /** Of these, of one address; anonymousSocketsOfAddressMax by default. */
  readonly anonymousOfAddress?: number
}

/** Bounds the connections of a wallet over all protocols. */
export interface ConnectionQuota {
  /** Returns false at the bound; may end the connection later. */
  connect(wallet: string, connection: { end(): void }): boolean
  disconnect(wallet: string, connection: { end(): void }): void
}

interface SocketServerOptions<C extends Connection> {
  /** Name of the listener in the log. */
  readonly name: string
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  readonly tls: TlsCertificate | undefined
  readonly bounds: SocketBounds
  /** Connections for each wallet; unlimited if missing. */
  readonly quotas?: ConnectionQuota | undefined
  readonly log: Log
  /** Whether the connection closes the socket of a client that ended its side; not under TLS. */
  readonly allowHalfOpen?: boolean
  /** Makes the connection of an admitted, and under TLS secured, socket. */
  readonly connect: (socket: Socket) => C
  readonly disconnected: (connection: C) => void
  /** Tells a socket that there are too many, and closes it. */
  readonly refuse: (socket: Socket) => void
}

interface Connection {
  readonly session: { readonly identity: Identity }
  /** The socket passed to `connect`. */
  readonly socket: Socket
  /** Closes it after the running commands. */
  end(): void
}

export class SocketServer<C extends Connection> {
  /** Set once it listens, and kept, for requests during a stop. */
  port = 0
  /** Sockets admitted since the start. */
  accepted = 0
  readonly connected = new Set<C>()
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  /** Of closed sockets. */
  private bytesRead = 0
  private bytesWritten = 0
  /** Sockets being closed; a TLS socket is another object than the admitted one. */
  private readonly refused = new WeakSet<Socket>()
  private readonly silent: SilentSockets
  /** New sockets replace others: logged once until it is over. */
  private isCrowded = false
  /** Connections that count for a wallet. */
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

  /** For serverStatus and the metrics. */
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

  /** A connection has logged in or out; closes it if its wallet has too many. */
  onLogin(isIn: boolean, connection: C): void {
    const { socket } = connection
    if (isIn) this.silent.remove(keyOf(socket))
    else if (!socket.destroyed) this.silent.add(socket)
    const { quotas, log, name } = this.options
    if (quotas === undefined) return
    const counted = this.wallets.get(connection)
    if (counted !== undefined) quotas.disconnect(counted, connection)
    this.wallets.delete(connection)
    const wallet = isIn ? accountOf(connection.session.identity) : undefined
    if (wallet === undefined) return
    if (quotas.connect(wallet, connection)) this.wallets.set(connection, wallet)
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

  /** Stops accepting, lets running commands finish, closes the rest after `graceMs`. */
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
