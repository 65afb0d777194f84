// The Redis protocol, for redis-cli and Redis libraries. Each admitted socket gets a connection
// with a session that CLIENT LIST shows.

import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.js'
import type { MemoryAccount } from '../base/heap/memory-account.js'
import { anonymousSocketsMax, respConnectionsMax } from '../base/limits/connections.js'
import type { Log } from '../base/log.js'
import type { KeyValueBus } from '../bus/keyvalue/bus.js'
import { type ClientSocket, KeyValueSession } from '../bus/keyvalue/clients/session.js'
import { anonymous, everyone, type Identity } from '../identity/identity.js'
import { NameTable } from '../protocol/resp/name-table.js'
import { EdgeTime } from './edge-time.js'
import { requireSafeNetwork } from './network.js'
import { RespConnection, type RespHost } from './resp/connection.js'
import { type ConnectionQuota, type SocketBounds, SocketServer } from './socket-server.js'
import type { TlsCertificate } from './tls-certificate.js'
import { Turn } from './turn.js'

/** Commands between two looks at the length of the turn, 0.5 ms. */
const commandsPerLook = 64

export interface RespOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  readonly tls: TlsCertificate | undefined
  /** Setting ALLOW_INSECURE: opens on a network without TLS. */
  readonly allowInsecure: boolean
  /** Setting AUTH_MODE=off: every connection is the operator's. */
  readonly authOff: boolean
  readonly bus: KeyValueBus
  readonly memory: MemoryAccount
  readonly clock: Clock
  readonly log: Log
  /** Most sockets, and most of them before login; limits/connections.ts has the defaults. */
  readonly bounds?: SocketBounds
  /** Connections for each wallet; unlimited if missing. */
  readonly quotas?: ConnectionQuota
}

const usualBounds = { sockets: respConnectionsMax, anonymous: anonymousSocketsMax } as const
const tooManyClients = '-ERR max number of clients reached\r\n'

export interface RespListener {
  readonly port: number
  /** Closes the connections of these identities after their running commands. */
  closeSessions(matches: (identity: Identity) => boolean): void
  /** Sends every connection an unrequested error and closes it. */
  farewell(text: string): void
  /** Stops accepting, lets running commands finish, closes the rest after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Opens the listener. Rejects with InvalidOptions if a network could see keys without TLS, and with
 * the socket's own error (EADDRINUSE …).
 */
export async function openResp(options: RespOptions): Promise<RespListener> {
  requireSafeNetwork('the key-value protocol', options)
  const listener = new Listener(options)
  await listener.listen()
  return listener
}

class Listener implements RespListener {
  private readonly server: SocketServer<RespConnection>
  private nextId = 1

  constructor(private readonly options: RespOptions) {
    const {
      host,
      port,
      tls,
      log,
      authOff,
      bus,
      memory,
      quotas,
      bounds = usualBounds,
      clock,
    } = options
    const { clients } = bus.services
    const respHost: RespHost = {
      bus,
      memory,
      log,
      turn: new Turn(clock, commandsPerLook),
      edge: new EdgeTime(clock, bus.engine.store.scheduler),
      names: new NameTable([...bus.table.commands]),
      onLogin: (isIn, connection) => this.server.onLogin(isIn, connection),
    }
    // If every client is the operator, none is unauthenticated.
    const unknownMax = authOff ? Number.POSITIVE_INFINITY : bounds.anonymous
    this.server = new SocketServer<RespConnection>({
      name: 'key-value',
      host,
      port,
      tls,
      log,
      bounds: { ...bounds, anonymous: unknownMax },
      quotas,
      allowHalfOpen: true,
      connect: (socket) => {
        const open = (client: ClientSocket) => this.openSession(socket, client)
        const connection = new RespConnection(socket, open, respHost)
        clients.add(connection.session)
        return connection
      },
      disconnected: ({ session }) => clients.remove(session),
      refuse: (socket) => {
        clients.rejected++
        if (tls === undefined) socket.write(tooManyClients)
        socket.destroySoon()
      },
    })
  }

  get port(): number {
    return this.server.port
  }

  listen(): Promise<void> {
    return this.server.listen()
  }

  closeSessions(matches: (identity: Identity) => boolean): void {
    for (const { session } of this.server.connected) {
      if (!matches(session.identity)) continue
      // A blocked client would wait for its key with an invalid identity.
      if (session.isBlocked) session.socket.destroy()
      else session.socket.end()
    }
  }

  farewell(text: string): void {
    for (const { session } of this.server.connected) {
      session.socket.push({ kind: 'error', text })
      // After pending pushes; a client that waits for a key would never end.
      if (session.isBlocked) setImmediate(() => session.socket.destroy())
      else session.socket.end()
    }
  }

  close(graceMs: number): Promise<void> {
    return this.server.close(graceMs)
  }

  private openSession(socket: Socket, client: ClientSocket): KeyValueSession {
    const { authOff, clock, bus } = this.options
    const identity = authOff ? everyone : anonymous
    return new KeyValueSession({
      protocol: 'resp',
      id: this.nextId++,
      remoteAddress: addressOf(socket.remoteAddress, socket.remotePort),
      local: addressOf(socket.localAddress, socket.localPort),
      identity,
      place: bus.placeOf(identity, undefined),
      nowMs: clock.elapsed(),
      socket: client,
    })
  }
}

/** As CLIENT LIST shows it: IPv6 in brackets. */
function addressOf(address: string | undefined, port: number | undefined): string {
  const text = address ?? ''
  const plain = text.startsWith('::ffff:') ? text.slice(7) : text
  return `${plain.includes(':') ? `[${plain}]` : plain}:${port ?? 0}`
}
