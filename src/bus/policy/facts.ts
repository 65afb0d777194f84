// What a row of either table of commands says of its command, without its handler: the policy of
// both executors reads these facts. They stand apart from the rows, whose handlers take calls.

import type { RoleMark } from '../../identity/rights/user-rights.js'
import type { Meter } from './meters.js'

/**
 * Who may send it: all clients; those who may read (all under ANONYMOUS=read); those who have
 * signed in; a wallet by its session; administrators; the operator alone.
 */
export type RowAccess = 'anonymous' | 'reader' | 'identity' | 'session' | 'admin' | 'operator'

/**
 * What a command may make larger of what counts as its owner's: over its space quota, a wallet may
 * still send what grows nothing, and whatever does not grow in the event (bus/quota.ts).
 */
export const growths = ['nothing', 'documents', 'indexes', 'keys', 'ownership'] as const

export type Growth = (typeof growths)[number]

/** Facts of each command, whichever table it stands in. */
export interface CommandFacts {
  readonly name: string
  readonly access?: RowAccess
  readonly grows: Growth
  /** What it is to the roles of service users, where that is more than its privileges. */
  readonly roles?: readonly RoleMark[]
}

export const failings = ['whole', 'inPart'] as const
export const endings = ['nothing', 'names'] as const

/** What a document command does; key-value commands are atomic, and end no name. */
export interface Effects {
  readonly grows: Growth
  /** `inPart`: its reply tells of operations that failed beside others that did not. */
  readonly fails: (typeof failings)[number]
  /** What it counts as. */
  readonly metered: Meter
  /** `names`: after it a name stands for another collection, or for none. */
  readonly ends: (typeof endings)[number]
}
