// What key-value commands share: services from the composition root, and those that the bus adds
// for its handlers. Each part has its own file beside this one. Nothing here may name the bus, a
// running call or the handler of a row.

import type { ByteShare } from '../../base/heap/byte-shares.js'
import type { ReplyRoom } from '../../base/heap/reply-room.js'
import type { KeyEvent } from '../../engine/keyspace/work.js'
import type { ObservedStore } from '../../engine/observed-store.js'
import type { Identity } from '../../identity/identity.js'
import type { Allow } from '../../identity/rights/allow.js'
import type { CommandCounts } from '../document/bus-view.js'
import type { Services } from '../services.js'
import type { HomeLimit } from '../spaces/home-limit.js'
import type { SpaceChoice } from '../spaces/space-choice.js'
import type { Arguments } from './arguments.js'
import type { Channels } from './clients/channels.js'
import type { Clients } from './clients/clients.js'
import type { Monitors } from './clients/monitors.js'
import type { Notifications } from './clients/notifications.js'
import type { Pause } from './clients/pause.js'
import type { ScanCursors } from './clients/scan-cursors.js'
import type { KeyValueSession, Multi } from './clients/session.js'
import type { Figures } from './figures.js'
import type { KeyValueFacts } from './row-facts.js'
import type { KeyValueSettings } from './settings.js'
import type { SlowLog } from './slow-log.js'

export interface KeyValueServices
  extends Pick<
    Services,
    | 'clock'
    | 'random'
    | 'log'
    | 'version'
    | 'credentials'
    | 'keyLimit'
    | 'keyUse'
    | 'slowCommandMs'
    | 'rules'
    | 'revocation'
    | 'quotas'
    | 'audit'
  > {
  /** Chooses the space of a caller. */
  readonly spaces: SpaceChoice
  /** The limits of homes; no limits without it. */
  readonly homes?: HomeLimit
  /** Decides whether a caller has a privilege. */
  readonly allow: Allow
  /** Setting AUTH_MODE=off: there are no passwords. */
  readonly authOff: boolean
  /** The connected clients. */
  readonly clients: Clients
  /** The subscribers of channels. */
  readonly channels: Channels
  /** The clients in MONITOR. */
  readonly monitors: Monitors
  /** The state of CONFIG SET notify-keyspace-events. */
  readonly notifications: Notifications
  /** The positions of iterations. */
  readonly cursors: ScanCursors
  /** The values of CONFIG. */
  readonly settings: KeyValueSettings
  /** The counters of INFO. */
  readonly figures: Figures
  /** The slowest commands. */
  readonly slowLog: SlowLog
  /** The state of CLIENT PAUSE. */
  readonly pause: Pause
  /** Publishes committed events, in commit order. */
  announce: (events: readonly KeyEvent[]) => void
}

/** A command of the table, as others see it. */
export interface KnownCommand {
  readonly row: KeyValueFacts
  readonly isWrite: boolean
  readonly subcommands: ReadonlyMap<string, KnownCommand>
  readonly counts: CommandCounts
  readonly rejected: number
  /** Itself or a subcommand; undefined if unknown. */
  resolve(args: Arguments): KnownCommand | undefined
  takes(count: number): boolean
}

export interface KnownCommands {
  /** Containers and plain commands, by name. */
  readonly commands: ReadonlyMap<string, KnownCommand>
  /** A command or `container|name`, in any case. */
  find(name: string): KnownCommand | undefined
  /** Every command, each followed by its subcommands. */
  all(): Iterable<KnownCommand>
}

/** Changes of connections by handlers; the bus keeps this state. */
export interface Sessions {
  /** Changes a connection's identity. State of another identity or another place ends. */
  become(session: KeyValueSession, identity: Identity, named: string | undefined): void
  /** Ends MULTI, WATCH and subscriptions. */
  forgetState(session: KeyValueSession): void
  /** Ends the queueing of commands; undefined if none was active. */
  endMulti(session: KeyValueSession): Multi | undefined
  /** CLIENT UNBLOCK; false if the client does not wait. */
  unblock(session: KeyValueSession, withError: boolean): boolean
  /** A share of memory for the session's current owner. */
  openRoom(session: KeyValueSession): ByteShare
  /** The memory of the reply that its commands are making. */
  replyRoom(session: KeyValueSession): ReplyRoom
}

/** What a handler may use. */
export interface HandlerServices extends KeyValueServices {
  readonly table: KnownCommands
  readonly store: ObservedStore
  /** The database of the server's own keyspaces. */
  readonly mainDatabase: string
  readonly sessions: Sessions
  /** Counts of programs since the start; `changed` counts since the last SAVE. */
  readonly programs: { readonly hits: number; readonly misses: number; changed: number }
  readonly expiry: { readonly expired: number }
}
