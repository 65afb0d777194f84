// The facts that the rows of both command tables share, without handlers. The policy of both
// executors reads them. They are separate from the rows, whose handlers take calls.

import type { RoleMark } from '../../identity/rights/user-rights.js'
import type { Meter } from './meters.js'

/**
 * Which callers may send it. `anonymous`: all clients. `reader`: those who may read; with
 * ANONYMOUS=read all clients. `identity`: signed-in clients. `session`: a wallet with a session.
 * `admin`: administrators. `operator`: only the operator.
 */
export type RowAccess = 'anonymous' | 'reader' | 'identity' | 'session' | 'admin' | 'operator'

/**
 * Which data of its owner a command may make larger. Over its space quota, a wallet may still send
 * commands that grow nothing, and calls that turn out to grow nothing (bus/quota.ts).
 */
export const growths = ['nothing', 'documents', 'indexes', 'keys', 'ownership'] as const

export type Growth = (typeof growths)[number]

/** Facts of each command of either table. */
export interface CommandFacts {
  readonly name: string
  readonly access?: RowAccess
  readonly grows: Growth
  /** How roles of service users treat it, beyond its privileges. */
  readonly roles?: readonly RoleMark[]
}

export const failings = ['whole', 'inPart'] as const
export const endings = ['nothing', 'names'] as const

/** Effects of a document command. Key-value commands have none: they are atomic and end no name. */
export interface Effects {
  readonly grows: Growth
  /** `inPart`: its reply may list failed operations beside successful ones. */
  readonly fails: (typeof failings)[number]
  /** The meter that counts it. */
  readonly metered: Meter
  /** `names`: afterwards a name stands for another collection, or for none. */
  readonly ends: (typeof endings)[number]
}
