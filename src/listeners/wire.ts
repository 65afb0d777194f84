// The MongoDB protocol, for mongosh and the official drivers. Each admitted socket gets a
// connection with a session.

import type { Socket } from 'node:net'
import type { Clock, Random } from '../base/clock.js'
import type { MemoryAccount } from '../base/heap/memory-account.js'
import { anonymousSocketsMax, wireConnectionsMax } from '../base/limits/connections.js'
import type { Log } from '../base/log.js'
import type { Topology } from '../base/setting-kinds.js'
import type { Scheduler } from '../base/work/scheduler.js'
import type { ClusterTime } from '../bus/document/cluster-time.js'
import { parsedAhead } from '../bus/document/operations-ahead.js'
import type { Request } from '../bus/document/request.js'
import type { CommandTable } from '../bus/document/table.js'
import type { ConnectionCounts } from '../bus/services.js'
import { Session } from '../bus/session.js'
import { parsedForCommand, sqlLongChars } from '../commands/sql/read-ahead-task.js'
import { anonymous, everyone, type Identity } from '../identity/identity.js'
import { type Credentials, Login } from '../identity/sign-in/login.js'
import type { Awaitable } from '../store/store.js'
import type { Document } from '../value/value.js'
import { EdgeTime } from './edge-time.js'
import { isLoopback, requireSafeNetwork } from './network.js'
import { type ConnectionQuota, type SocketBounds, SocketServer } from './socket-server.js'
import type { TlsCertificate } from './tls-certificate.js'
import { Turn } from './turn.js'
import { type ConnectionHost, WireConnection } from './wire/connection.js'
import { HelloOnly } from './wire/hello-only.js'

export interface WireOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  readonly tls: TlsCertificate | undefined
  /** Setting ALLOW_INSECURE: opens on a network without TLS. */
  readonly allowInsecure: boolean
  /** Setting TOPOLOGY. */
  readonly topology: Topology
  /** Setting AUTH_MODE=off: every connection is the operator's. */
  readonly authOff: boolean
  readonly bus: {
    readonly run: (request: Request, session: Session) => Awaitable<Document>
    readonly table?: Pick<CommandTable, 'statementIn'>
    readonly scheduler?: Scheduler | undefined
    /** Adds the times of a router to errors; successful replies have them. */
    readonly clusterTime?: Pick<ClusterTime, 'addTo'> | undefined
    /** Called once when a client disconnects. */
    readonly sessionClosed?: (session: Session) => void
  }
  readonly credentials: Credentials
  readonly memory: MemoryAccount
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Most sockets, and most of them before login; limits/connections.ts has the defaults. */
  readonly bounds?: SocketBounds
  /** Connections for each wallet; unlimited if missing. */
  readonly quotas?: ConnectionQuota
}

/** Commands between two looks at the length of the turn, 1 ms. */
const commandsPerLook = 16

const usualBounds = { sockets: wireConnectionsMax, anonymous: anonymousSocketsMax } as const

export interface WireListener {
  readonly port: number
  readonly connections: () => ConnectionCounts
  /** Of the open connections. */
  sessions(): Iterable<Session>
  /** Closes the connections of these identities after their running commands. */
  closeSessions(matches: (identity: Identity) => boolean): void
  /** Stops accepting, lets running commands finish, closes the rest after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Opens the listener. Rejects with InvalidOptions if a network could see logins without TLS, and
 * with the socket's own error (EADDRINUSE …).
 */
export async function openWire(options: WireOptions): Promise<WireListener> {
  requireSafeNetwork('the document wire', options)
  const listener = new Listener(options)
  await listener.listen()
  return listener
}

/** What a long message costs before its command begins, in turns; undefined for others. */
function readAhead(request: Request, bus: WireOptions['bus']): Promise<void> | undefined {
  const { body } = request
  const text = body.length > sqlLongChars ? bus.table?.statementIn(body) : undefined
  const statement = text === undefined ? undefined : parsedForCommand(text)
  return statement?.then(() => parsedAhead(request)) ?? parsedAhead(request)
}

class Listener implements WireListener {
  private readonly server: SocketServer<WireConnection>
  private nextId = 1

  constructor(private readonly options: WireOptions) {
    const {
      host,
      port,
      tls,
      log,
      bus,
      topology,
      memory,
      clock,
      quotas,
      bounds = usualBounds,
    } = options
    const connectionHost: ConnectionHost = {
      run: (request, session) => {
        const ahead = readAhead(request, bus)
        if (ahead === undefined) return bus.run(request, session)
        return ahead.then(() => bus.run(request, session))
      },
      clusterTime: bus.clusterTime,
      helloOnly: new HelloOnly(topology, clock, log),
      memory,
      log,
      edge: new EdgeTime(clock, bus.scheduler),
      turn: new Turn(clock, commandsPerLook),
      onLogin: (isIn, connection) => this.server.onLogin(isIn, connection),
    }
    this.server = new SocketServer<WireConnection>({
      name: 'wire',
      host,
      port,
      tls,
      log,
      bounds,
      quotas,
      connect: (socket) => new WireConnection(socket, this.openSession(socket), connectionHost),
      disconnected: ({ session }) => bus.sessionClosed?.(session),
      refuse: (socket) => socket.destroy(),
    })
  }

  get port(): number {
    return this.server.port
  }

  readonly connections = (): ConnectionCounts => this.server.counts

  listen(): Promise<void> {
    return this.server.listen()
  }

  *sessions(): Generator<Session> {
    for (const { session } of this.server.connected) yield session
  }

  closeSessions(matches: (identity: Identity) => boolean): void {
    for (const connection of this.server.connected) {
      if (matches(connection.session.identity)) connection.end()
    }
  }

  close(graceMs: number): Promise<void> {
    return this.server.close(graceMs)
  }

  private openSession(socket: Socket): Session {
    const { authOff, clock, credentials, random, tls } = this.options
    const address = socket.remoteAddress ?? ''
    const identity: Identity = authOff ? everyone : anonymous
    const remoteAddress = `${address}:${socket.remotePort ?? 0}`
    const session = new Session({ protocol: 'wire', id: this.nextId++, remoteAddress, identity })
    const allowsPlain = tls !== undefined || isLoopback(address)
    session.conversation = new Login({
      credentials,
      clock,
      random,
      allowsPlain,
      address,
      initial: identity,
    })
    return session
  }
}
