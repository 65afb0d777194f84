// What the commands need of the process around them, given once by the composition root, so that
// nothing here reaches for a clock, a setting or a socket by itself.

import type { Clock, Random } from '../base/clock.js'
import type { Log } from '../base/log.js'
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
  /** Further ones that would be accepted. */
  readonly available: number
  readonly totalCreated: number
  /** Bytes since the start, over sockets that are closed too. */
  readonly bytesIn?: number
  readonly bytesOut?: number
}

/** Where clients reach this server: for lines to copy. */
export interface ServerPlaces {
  readonly host: string
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
  /** Ids of memories, which rise as their commands come. */
  readonly ulids: Ulids
  /** Which space a caller means; without it no wallet has a home. */
  readonly spaces?: SpaceChoice
  /** How many homes there may be; without it there is no bound. */
  readonly homes?: HomeLimit
  /** Setting DEFAULT_PRIVACY: the mode of collections that writing makes. */
  readonly defaultPrivacy: PrivacyMode
  /** Setting SLOW_COMMAND_MS. */
  readonly slowCommandMs: number
  /** Of Sigil's package. */
  readonly version: string
  /** Who may sign in with a password. */
  readonly credentials: Credentials
  /** Wallets' keys; without it there are none. */
  readonly keys?: KeyService
  /** Passwords of service users; without it there are none. */
  readonly users?: UserService
  /** The limit that a key has of its own; without it there is none. */
  readonly keyLimit?: KeyLimit
  /** Counts how much keys are used; without it nothing does. */
  readonly keyUse?: KeyUse
  /** What each wallet may have; without it there is no bound. */
  readonly quotas?: Quotas
  /** For lines to copy; known once the ports are. */
  readonly places?: () => ServerPlaces
  /** Sockets of the document wire. */
  readonly connections: () => ConnectionCounts
  /** Of those sockets; none unless given. */
  readonly sessions?: () => Iterable<Session>
  /** The switches of the protocols; without them there are none. */
  readonly protocols?: ProtocolSwitches
  /** What the settings say about rights; the strictest unless given. */
  readonly rules?: Rules
  /** The decision about rights; `allow` of the identity room under the rules unless given. */
  readonly allow?: Allow
  /** Whether a wallet stands as its login saw it; without it there are no wallets. */
  readonly revocation?: RevocationCheck
  /** How wallets get sessions; without it none does. */
  readonly signIn?: SignIn
  /** Setting TEST_COMMANDS: what tests of drivers make commands fail with; else there is none. */
  readonly failPoint?: FailPoint
  /** Begins the end of the process; without it `shutdown` is refused. */
  readonly shutdown?: () => void
  /** Where acts that rows mark are written down; nowhere unless given. */
  readonly audit?: Audit
  /** `Proofs` of the memory room, handed on unseen; without it there is no chain. */
  readonly proofs?: object
  /** Address of the key registry, for owners of collections; undefined while it is unknown. */
  readonly contractAddress?: () => string | undefined
}
