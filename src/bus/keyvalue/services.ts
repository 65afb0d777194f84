// What key-value commands share: given once by the composition root, and what the bus adds for its
// handlers. Each part is a file of its own beside this one; a family that needs something new adds
// it here. Nothing here names the bus, a running call or a row's handler.

import type { ByteShare } from '../../base/heap/byte-shares.js'
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
  /** Which space a caller means. */
  readonly spaces: SpaceChoice
  /** How many homes there may be; without it there is no bound. */
  readonly homes?: HomeLimit
  /** The decision about rights. */
  readonly allow: Allow
  /** Setting AUTH_MODE=off: there is no password. */
  readonly authOff: boolean
  /** Who is connected. */
  readonly clients: Clients
  /** Who listens to what is published. */
  readonly channels: Channels
  /** Who is shown every command. */
  readonly monitors: Monitors
  /** What CONFIG SET notify-keyspace-events changes. */
  readonly notifications: Notifications
  /** Where iterations go on. */
  readonly cursors: ScanCursors
  /** What CONFIG reads and sets. */
  readonly settings: KeyValueSettings
  /** What INFO counts. */
  readonly figures: Figures
  /** Which commands took longest. */
  readonly slowLog: SlowLog
  /** Who has to wait because of CLIENT PAUSE. */
  readonly pause: Pause
  /** Told of what has been committed, in that order. */
  announce: (events: readonly KeyEvent[]) => void
}

/** A command of the table, as others see it. */
export interface KnownCommand {
  readonly row: KeyValueFacts
  readonly isWrite: boolean
  readonly subcommands: ReadonlyMap<string, KnownCommand>
  readonly counts: CommandCounts
  readonly rejected: number
  /** Itself or a subcommand; undefined for an unknown one. */
  resolve(args: Arguments): KnownCommand | undefined
  takes(count: number): boolean
}

export interface KnownCommands {
  /** Containers and plain commands, by name. */
  readonly commands: ReadonlyMap<string, KnownCommand>
  /** A command or `container|name`, in any case. */
  find(name: string): KnownCommand | undefined
  /** Every command with its subcommands behind it. */
  all(): Iterable<KnownCommand>
}

/** What handlers do to connections, of which the bus keeps state. */
export interface Sessions {
  /** A connection signs in, or out: what another identity, or one elsewhere, has begun ends. */
  become(session: KeyValueSession, identity: Identity, named: string | undefined): void
  /** Ends MULTI, WATCH and subscriptions. */
  forgetState(session: KeyValueSession): void
  /** Ends the queueing of commands; undefined where there was none. */
  endMulti(session: KeyValueSession): Multi | undefined
  /** CLIENT UNBLOCK; false where it does not wait. */
  unblock(session: KeyValueSession, withError: boolean): boolean
  /** Of memory, for whom that session speaks at the moment. */
  openRoom(session: KeyValueSession): ByteShare
}

/** What a handler has at hand. */
export interface HandlerServices extends KeyValueServices {
  readonly table: KnownCommands
  readonly store: ObservedStore
  /** Database that the server's own keyspaces lie in. */
  readonly mainDatabase: string
  readonly sessions: Sessions
  /** What programs have done since the start; `changed` since the last SAVE. */
  readonly programs: { readonly hits: number; readonly misses: number; changed: number }
  readonly expiry: { readonly expired: number }
}
