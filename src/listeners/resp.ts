// The key-value protocol: redis-cli and its libraries. Opens the port, with TLS when there is a
// certificate, makes a connection of each socket, and keeps the bounds on how many there are.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Clock } from '../base/clock.js'
import { anonymousIdleMs, anonymousSocketsMax, respConnectionsMax } from '../base/limits.js'
import type { Log } from '../base/log.js'
import type { KeyValueBus } from '../bus/keyvalue/bus.js'
import { KeyValueSession } from '../bus/keyvalue/session.js'
import { anonymous, type Identity, operator } from '../identity/identity.js'
import { NameTable } from '../protocol/resp/name-table.js'
import type { ByteBudget } from './budget.js'
import { requireSafeNetwork } from './network.js'
import { RespConnection, type RespHost } from './resp/connection.js'

export interface RespOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** Setting ALLOW_INSECURE: opens on a network without TLS. */
  readonly allowInsecure: boolean
  /** Setting AUTH_MODE=off: every connection is the operator's. */
  readonly authOff: boolean
  readonly bus: KeyValueBus
  readonly budget: ByteBudget
  readonly clock: Clock
  readonly log: Log
  /** Sockets in all, and of those the ones that have not signed in; the limits unless given. */
  readonly bounds?: { readonly sockets: number; readonly anonymous: number }
}

const usualBounds = { sockets: respConnectionsMax, anonymous: anonymousSocketsMax } as const
const tooManyClients = '-ERR max number of clients reached\r\n'

export interface RespListener {
  readonly port: number
  /** Closes the connections of those identities, behind what is in flight. */
  closeSessions(matches: (identity: Identity) => boolean): void
  /** Stops accepting, lets commands in flight finish, closes what is left after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Opens the listener. Rejects with InvalidOptions where a network would see keys in the clear, and
 * with the socket's own error (EADDRINUSE …).
 */
export async function openResp(options: RespOptions): Promise<RespListener> {
  requireSafeNetwork('the key-value protocol', options)
  const listener = new Listener(options)
  await listener.listen()
  return listener
}

class Listener implements RespListener {
  port = 0
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  private readonly connected = new Set<RespConnection>()
  private readonly host: RespHost
  private readonly bounds: { readonly sockets: number; readonly anonymous: number }
  private signedIn = 0
  private nextId = 1

  constructor(private readonly options: RespOptions) {
    const { bus, budget, log, tls } = options
    this.bounds = options.bounds ?? usualBounds
    this.host = {
      ...{ bus, budget, log },
      names: new NameTable([...bus.table.commands]),
      onLogin: (isIn) => {
        this.signedIn += isIn ? 1 : -1
      },
    }
    const connect = (socket: Socket) => this.connect(socket)
    this.server =
      tls === undefined
        ? createServer(connect)
        : createTlsServer({ ...tls, handshakeTimeout: anonymousIdleMs }, connect)
    this.server.prependListener('connection', (socket: Socket) => this.admit(socket))
    this.server.on('tlsClientError', (error) => log.debug({ err: error }, 'TLS handshake'))
  }

  listen(): Promise<void> {
    const { server, options } = this
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(options.port, options.host, () => {
        this.port = (server.address() as AddressInfo).port
        server.off('error', reject)
        server.on('error', (error) => options.log.error({ err: error }, 'key-value listener'))
        resolve()
      })
    })
  }

  closeSessions(matches: (identity: Identity) => boolean): void {
    for (const { session } of this.connected) {
      if (!matches(session.identity)) continue
      // Who waits for a key would wait for it as somebody who is gone.
      if (session.isBlocked) session.socket.destroy()
      else session.socket.end()
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
    const { bounds, options } = this
    const unknown = this.sockets.size - this.signedIn
    if (this.sockets.size >= bounds.sockets || (unknown >= bounds.anonymous && !options.authOff)) {
      options.log.warn({ sockets: this.sockets.size, unknown }, 'too many key-value connections')
      options.bus.services.clients.rejected++
      if (options.tls === undefined) socket.write(tooManyClients)
      socket.destroySoon()
      return
    }
    this.sockets.add(socket)
    socket.once('close', () => this.sockets.delete(socket))
  }

  private connect(socket: Socket): void {
    if (socket.destroyed || !this.sockets.has(socket)) return
    const { authOff, bus, clock } = this.options
    const connection = new RespConnection(
      socket,
      (client) =>
        new KeyValueSession({
          protocol: 'resp',
          id: this.nextId++,
          peer: addressOf(socket.remoteAddress, socket.remotePort),
          local: addressOf(socket.localAddress, socket.localPort),
          identity: authOff ? operator : anonymous,
          nowMs: clock.elapsed(),
          socket: client,
        }),
      this.host,
    )
    this.connected.add(connection)
    const { clients } = bus.services
    clients.add(connection.session)
    socket.once('close', () => {
      this.connected.delete(connection)
      clients.remove(connection.session)
    })
  }
}

/** As CLIENT LIST shows it: IPv6 in brackets. */
function addressOf(address: string | undefined, port: number | undefined): string {
  const text = address ?? ''
  const plain = text.startsWith('::ffff:') ? text.slice(7) : text
  return `${plain.includes(':') ? `[${plain}]` : plain}:${port ?? 0}`
}
