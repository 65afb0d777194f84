// What the commands need of the process, passed in once by the composition root. Commands therefore
// never reach for a clock, a setting or a socket directly.

import type { Bytes } from '../base/bytes/bytes.js'
import type { Clock, Random } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Topology } from '../base/setting-kinds.js'
import type { PrivacyMode } from '../engine/types.js'
import type { Audit } from '../identity/audit.js'
import type { KeyLimit } from '../identity/keys/key-limit.js'
import type { KeyService } from '../identity/keys/key-service.js'
import type { KeyUse } from '../identity/keys/key-use.js'
import type { Allow, Rules } from '../identity/rights/allow.js'
import type { RevocationCheck } from '../identity/rights/revocation-check.js'
import type { Credentials } from '../identity/sign-in/login.js'
import type { SignIn } from '../identity/sign-in/sign-in.js'
import type { UserService } from '../identity/users/user-service.js'
import type { ObjectIds } from '../value/object-id.js'
import type { Ulids } from '../value/ulids.js'
import type { FailPoint } from './document/fail-point.js'
import type { ProtocolSwitches } from './protocols.js'
import type { Quotas } from './quota.js'
import type { Session } from './session.js'
import type { HomeLimit } from './spaces/home-limit.js'
import type { SpaceChoice } from './spaces/space-choice.js'

export interface ConnectionCounts {
  readonly current: number
  /** Number of further connections that would be accepted. */
  readonly available: number
  readonly totalCreated: number
  /** Bytes since the start, closed sockets included. */
  readonly bytesIn?: number
  readonly bytesOut?: number
}

/** Where clients reach this server, for lines to copy. */
export interface ServerPlaces {
  readonly host: string
  /** Name and port of the document wire, for members of a replica set. */
  readonly wire: string
  /** Origin of the HTTP routes. */
  readonly http: string
  readonly isTls: boolean
  readonly ports: { readonly wire: number; readonly redis: number; readonly sql: number }
  readonly database: string
}

export interface Services {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly objectIds: ObjectIds
  /** Ids of memories, in order of their commands. */
  readonly ulids: Ulids
  /** Chooses the space of a caller; without it no wallet has a home. */
  readonly spaces?: SpaceChoice
  /** The limits of homes; no limits without it. */
  readonly homes?: HomeLimit
  /** Setting DEFAULT_PRIVACY: the mode of collections that a write creates. */
  readonly defaultPrivacy: PrivacyMode
  /** Setting TOPOLOGY; a standalone server by default. */
  readonly topology?: Topology
  /** 12 bytes that tell this process from others; without it hello cannot be awaited. */
  readonly processId?: Bytes
  /** Setting SLOW_COMMAND_MS. */
  readonly slowCommandMs: number
  /** Version of Sigil's package. */
  readonly version: string
  /** Checks passwords at sign-in. */
  readonly credentials: Credentials
  /** API keys of wallets; without it there are none. */
  readonly keys?: KeyService
  /** Passwords of service users; without it there are none. */
  readonly users?: UserService
  /** The rate limit of an API key; no limit without it. */
  readonly keyLimit?: KeyLimit
  /** Counts the use of API keys; not counted without it. */
  readonly keyUse?: KeyUse
  /** Quotas of wallets; no limits without it. */
  readonly quotas?: Quotas
  /** Addresses for lines to copy; known once the ports are open. */
  readonly places?: () => ServerPlaces
  /** Sockets of the document wire. */
  readonly connections: () => ConnectionCounts
  /** The sessions of those sockets; none by default. */
  readonly sessions?: () => Iterable<Session>
  /** The switches of the protocols; without it none can be switched. */
  readonly protocols?: ProtocolSwitches
  /** The rules about rights from the settings; the strictest by default. */
  readonly rules?: Rules
  /** The decision about rights; by default `allow` of the identity room under these rules. */
  readonly allow?: Allow
  /** Whether a wallet's login is still valid; without it there are no wallets. */
  readonly revocation?: RevocationCheck
  /** How wallets get sessions; without it they get none. */
  readonly signIn?: SignIn
  /** Setting TEST_COMMANDS: the fail point for tests of drivers. */
  readonly failPoint?: FailPoint
  /** Begins the shutdown of the process; without it `shutdown` is refused. */
  readonly shutdown?: () => void
  /** Records the acts that rows mark; without it nothing is recorded. */
  readonly audit?: Audit
  /** `Proofs` of the memory room, passed on untyped; without it there is no chain. */
  readonly proofs?: object
  /** Address of the key registry, for owners of collections; undefined if unknown. */
  readonly contractAddress?: () => string | undefined
}
