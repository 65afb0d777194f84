// The facts that the rows of both command tables share, without handlers. The policy of both
// executors reads them. They are separate from the rows, whose handlers take calls.

import { assert } from '../../base/errors.js'
import type { RoleMark } from '../../identity/rights/user-rights.js'
import { type Meter, meters } from './meters.js'

/**
 * Which callers may send it. `anonymous`: all clients. `reader`: those who may read; with
 * ANONYMOUS=read all clients. `identity`: signed-in clients. `session`: a wallet with a session.
 * `admin`: administrators. `operator`: only the operator.
 */
const accesses = ['anonymous', 'reader', 'identity', 'session', 'admin', 'operator'] as const

export type RowAccess = (typeof accesses)[number]

/**
 * Which data of its owner a command may make larger. Over its space quota, a wallet may still send
 * commands that grow nothing, and calls that turn out to grow nothing (bus/quota.ts).
 */
const growths = ['nothing', 'documents', 'indexes', 'keys', 'ownership'] as const
const failings = ['whole', 'inPart'] as const
const endings = ['nothing', 'names', 'transaction'] as const

export type Growth = (typeof growths)[number]

/** What the policy knows of a command, of either table. */
export interface CommandFacts {
  readonly name: string
  readonly access: RowAccess
  readonly grows: Growth
  /** `inPart`: its reply may list failed operations beside successful ones. */
  readonly fails: (typeof failings)[number]
  /** The meter that counts it. */
  readonly metered: Meter
  /**
   * `names`: afterwards a name stands for another collection, or for none. `transaction`: the one
   * that it names.
   */
  readonly ends: (typeof endings)[number]
  /** How roles of service users treat it, beyond its privileges. */
  readonly roles: readonly RoleMark[]
}

/** For a command that grows nothing, has the default meter, and is no special case of a role. */
export const plain = {
  grows: 'nothing',
  fails: 'whole',
  metered: 'command',
  ends: 'nothing',
  roles: [],
} as const satisfies Omit<CommandFacts, 'name' | 'access'>

/** A command without one of the facts throws here, at start. */
export function checkFacts(facts: CommandFacts): void {
  const { name, access, grows, fails, metered, ends, roles } = facts
  assert(accesses.includes(access), `${name}: it does not say who may send it`)
  assert(growths.includes(grows), `${name}: it does not say what it makes larger`)
  assert(failings.includes(fails), `${name}: it does not say how it fails`)
  assert(metered in meters, `${name}: it does not say how it is metered`)
  assert(endings.includes(ends), `${name}: it does not say what it ends`)
  assert(Array.isArray(roles), `${name}: it does not say how roles treat it`)
}
