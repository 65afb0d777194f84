// The PostgreSQL protocol, for psql and PostgreSQL libraries. Each admitted socket gets a
// connection with a session; a CancelRequest is routed to its connection.

import { timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Clock, Random } from '../base/clock.js'
import type { MemoryAccount } from '../base/heap/memory-account.js'
import { anonymousSocketsMax, sqlConnectionsMax } from '../base/limits/connections.js'
import type { Log } from '../base/log.js'
import type { Scheduler } from '../base/work/scheduler.js'
import type { Request } from '../bus/document/request.js'
import type { ConnectionCounts } from '../bus/services.js'
import { Session } from '../bus/session.js'
import { anonymous, everyone, type Identity } from '../identity/identity.js'
import { type Credentials, Login } from '../identity/sign-in/login.js'
import { MessageWriter } from '../protocol/pgwire/message-writer.js'
import type { Awaitable } from '../store/store.js'
import type { OpenTransactions } from '../store/transactions/open-transactions.js'
import type { Document } from '../value/value.js'
import { EdgeTime } from './edge-time.js'
import { isLoopback, requireSafeNetwork } from './network.js'
import { type ConnectionQuota, type SocketBounds, SocketServer } from './socket-server.js'
import { endedFields, tooManyFields } from './sql/answers.js'
import { ColumnTypes } from './sql/column-types.js'
import { SqlConnection, type SqlHost } from './sql/connection.js'
import type { ChannelHost } from './sql/notifications.js'
import type { TlsCertificate } from './tls-certificate.js'

interface SqlOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  readonly tls: TlsCertificate | undefined
  /** Setting ALLOW_INSECURE: opens on a network without TLS. */
  readonly allowInsecure: boolean
  /** Setting AUTH_MODE=off: every connection is the operator's. */
  readonly authOff: boolean
  readonly bus: {
    readonly run: (request: Request, session: Session) => Awaitable<Document>
    readonly scheduler?: Scheduler | undefined
    readonly inFlight: () => Iterable<{ readonly session: Session; kill(): void }>
  }
  readonly transactions: OpenTransactions
  /** The channels of LISTEN and NOTIFY. */
  readonly channels: ChannelHost
  readonly credentials: Credentials
  readonly memory: MemoryAccount
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Setting DATABASE: the default database of clients. */
  readonly database: string
  /** Of Sigil's package. */
  readonly version: string
  /** Most sockets, and most of them before login; limits/connections.ts has the defaults. */
  readonly bounds?: SocketBounds
  /** Connections for each wallet; unlimited if missing. */
  readonly quotas?: ConnectionQuota
}

const usualBounds = { sockets: sqlConnectionsMax, anonymous: anonymousSocketsMax } as const
/** Length of a cancel key in protocol version 3.0. */
const secretBytes = 4

export interface SqlListener {
  readonly port: number
  readonly connections: () => ConnectionCounts
  /** Closes the connections of these identities after their running statements. */
  closeSessions(matches: (identity: Identity) => boolean): void
  /** Stops accepting, lets running statements finish, closes the rest after `graceMs`. */
  close(graceMs: number): Promise<void>
}

/**
 * Opens the listener. Rejects with InvalidOptions if a network could see logins without TLS, and
 * with the socket's own error (EADDRINUSE …).
 */
export async function openSql(options: SqlOptions): Promise<SqlListener> {
  requireSafeNetwork('the PostgreSQL protocol', options)
  const listener = new Listener(options)
  await listener.listen()
  return listener
}

class Listener implements SqlListener {
  private readonly server: SocketServer<SqlConnection>
  private readonly sqlHost: SqlHost
  private nextId = 1

  constructor(private readonly options: SqlOptions) {
    const { host, port, log, bus, memory, clock, authOff, quotas, bounds = usualBounds } = options
    const run = (request: Request, session: Session) => bus.run(request, session)
    this.sqlHost = {
      memory,
      log,
      edge: new EdgeTime(clock, bus.scheduler),
      clock,
      channels: options.channels,
      kept: memory.shares,
      run,
      transactions: options.transactions,
      types: new ColumnTypes(run, clock),
      onLogin: (isIn, connection) => this.server.onLogin(isIn, connection),
      tls: () => options.tls,
      interrupt: (session) => {
        for (const call of bus.inFlight()) if (call.session === session) call.kill()
      },
    }
    // If every client is the operator, none is unauthenticated.
    const unknownMax = authOff ? Number.POSITIVE_INFINITY : bounds.anonymous
    this.server = new SocketServer<SqlConnection>({
      name: 'PostgreSQL',
      host,
      port,
      log,
      bounds: { ...bounds, anonymous: unknownMax },
      quotas,
      // TLS starts inside the protocol.
      tls: undefined,
      connect: (socket) => this.connect(socket),
      disconnected: () => {},
      refuse: (socket) => {
        const writer = new MessageWriter()
        writer.errorResponse(tooManyFields)
        socket.end(writer.take())
      },
    })
  }

  get port(): number {
    return this.server.port
  }

  readonly connections = (): ConnectionCounts => this.server.counts

  listen(): Promise<void> {
    return this.server.listen()
  }

  closeSessions(matches: (identity: Identity) => boolean): void {
    for (const connection of this.server.connected) {
      if (matches(connection.session.identity)) connection.end(endedFields)
    }
  }

  close(graceMs: number): Promise<void> {
    return this.server.close(graceMs)
  }

  private connect(socket: Socket): SqlConnection {
    const { authOff, clock, credentials, random, tls, database, version } = this.options
    const address = socket.remoteAddress ?? ''
    const identity: Identity = authOff ? everyone : anonymous
    const remoteAddress = `${address}:${socket.remotePort ?? 0}`
    const session = new Session({ protocol: 'sql', id: this.nextId++, remoteAddress, identity })
    const login = new Login({
      credentials,
      clock,
      random,
      allowsPlain: false,
      address,
      initial: identity,
    })
    return new SqlConnection(socket, session, this.sqlHost, {
      login,
      database,
      version,
      isOpen: authOff,
      secret: random.bytes(secretBytes),
      offersTls: tls !== undefined,
      requiresTls: tls !== undefined && !isLoopback(address),
      cancel: (processId, secret) => this.cancel(processId, secret, address),
    })
  }

  /** A wrong cancel key counts, and is delayed, as a failed login of the address. */
  private cancel(
    processId: number,
    secret: Uint8Array,
    address: string,
  ): Promise<unknown> | undefined {
    for (const connection of this.server.connected) {
      if (connection.session.id !== processId) continue
      const isRight =
        secret.length === connection.secret.length && timingSafeEqual(secret, connection.secret)
      if (!isRight) break
      connection.cancel()
      return undefined
    }
    return this.options.credentials.delay?.failed(address, `cancel ${processId}`)
  }
}
