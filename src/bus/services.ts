// What the commands need of the process around them, given once by the composition root, so that
// nothing here reaches for a clock, a setting or a socket by itself.

import type { Clock, Random } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { PrivacyMode } from '../engine/types.js'
import type { Allow } from '../identity/allow.js'
import type { Credentials } from '../identity/login.js'
import type { ObjectIds } from '../value/object-id.js'

export interface ConnectionCounts {
  readonly current: number
  /** Further ones that would be accepted. */
  readonly available: number
  readonly totalCreated: number
}

export interface Services {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly objectIds: ObjectIds
  /** Setting DEFAULT_PRIVACY: the mode of collections that writing makes. */
  readonly defaultPrivacy: PrivacyMode
  /** Setting SLOW_COMMAND_MS. */
  readonly slowCommandMs: number
  /** Of Sigil's package. */
  readonly version: string
  /** Who may sign in with a password. */
  readonly credentials: Credentials
  /** Sockets of the document wire. */
  readonly connections: () => ConnectionCounts
  /** The decision about rights; `allow` of the identity room unless given. */
  readonly allow?: Allow
}
