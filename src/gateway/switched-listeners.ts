// The listeners of the three protocols that can be disabled, with their options, at the start and
// at run time.

import type { Random } from '../base/clock.js'
import type { Settings } from '../base/settings.js'
import type { Bus } from '../bus/document/bus.js'
import type { KeyValueBus } from '../bus/keyvalue/bus.js'
import type { SwitchedProtocol } from '../bus/protocols.js'
import type { ConnectionCounts } from '../bus/services.js'
import type { Session } from '../bus/session.js'
import type { Credentials } from '../identity/sign-in/login.js'
import { openResp, type RespListener, type RespOptions } from '../listeners/resp.js'
import type { ChannelHost } from '../listeners/sql/notifications.js'
import { openSql, type SqlListener } from '../listeners/sql.js'
import { openWire, type WireListener } from '../listeners/wire.js'
import type { OpenTransactions } from '../store/transactions/open-transactions.js'
import { onPort } from './ports.js'
import type { Protocols } from './protocols.js'

/** Options of all listeners. */
type Shared = Omit<RespOptions, 'port' | 'bus' | 'bounds'>

interface SwitchedOptions {
  readonly settings: Settings
  readonly shared: Shared
  readonly bus: Bus
  readonly transactions: OpenTransactions
  readonly keyValue: KeyValueBus
  readonly credentials: Credentials
  readonly random: Random
  /** Of Sigil's package. */
  readonly version: string
  /** Sentences for the operator. */
  readonly notes: string[]
}

/** The current listeners. */
export class SwitchedListeners {
  private wireListener: WireListener | undefined
  private respListener: RespListener | undefined
  private sqlListener: SqlListener | undefined

  constructor(
    private readonly protocols: Protocols,
    private readonly options: SwitchedOptions,
  ) {
    const { settings, notes } = options
    protocols.add('redis', {
      open: () => onPort(settings, 'REDIS_PORT', notes, (port) => this.openRedis(port)),
      reopen: (port) => this.openRedis(port),
      farewell: (listener) => (listener as RespListener).farewell(disabledText),
    })
    protocols.add('wire', {
      open: () => onPort(settings, 'WIRE_PORT', notes, (port) => this.openWire(port)),
      reopen: (port) => this.openWire(port),
    })
    protocols.add('sql', {
      open: () => onPort(settings, 'SQL_PORT', notes, (port) => this.openSql(port)),
      reopen: (port) => this.openSql(port),
    })
  }

  /** Opens the enabled ones; closes them again if one fails. */
  async start(): Promise<void> {
    try {
      for (const name of ['redis', 'wire', 'sql'] as const) await this.protocols.start(name)
    } catch (error) {
      await this.protocols.close(0)
      throw error
    }
  }

  /** Sockets of the MongoDB protocol. */
  connections(): ConnectionCounts {
    return this.wireListener?.connections() ?? noConnections
  }

  /** Sessions of the MongoDB protocol's connections. */
  *sessions(): Generator<Session> {
    if (this.protocols.isOpen('wire')) yield* this.wireListener?.sessions() ?? []
  }

  /** Open sockets. */
  counts(): Readonly<Record<SwitchedProtocol, number>> {
    return {
      wire: this.wireListener?.connections().current ?? 0,
      redis: this.options.keyValue.services.clients.sessions.size,
      sql: this.sqlListener?.connections().current ?? 0,
    }
  }

  private async openRedis(port: number): Promise<RespListener> {
    const { shared, keyValue } = this.options
    this.respListener = await openResp({ ...shared, port, bus: keyValue })
    return this.respListener
  }

  private async openWire(port: number): Promise<WireListener> {
    const { shared, bus, credentials, random, settings } = this.options
    const topology = settings.TOPOLOGY
    this.wireListener = await openWire({ ...shared, port, bus, topology, credentials, random })
    return this.wireListener
  }

  private async openSql(port: number): Promise<SqlListener> {
    const { shared, bus, transactions, keyValue, credentials, random, settings, version } =
      this.options
    this.sqlListener = await openSql({
      ...shared,
      port,
      bus,
      transactions,
      credentials,
      random,
      version,
      database: settings.DATABASE,
      channels: channelHost(keyValue),
    })
    return this.sqlListener
  }
}

function channelHost(bus: KeyValueBus): ChannelHost {
  const { channels, settings } = bus.services
  return {
    channels,
    spaceOf: (identity, db) => bus.placeOf(identity, db).space,
    requireChannels: (identity, space, privilege) =>
      bus.requireChannels(identity, space, privilege),
    bounds: () => settings.outputBounds.pubsub,
  }
}

export const noConnections = { current: 0, available: 0, totalCreated: 0 } as const

const disabledText = 'ERR this protocol has been disabled by an administrator'
