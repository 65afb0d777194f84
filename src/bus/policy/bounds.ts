// Which bounds apply to a caller: the limit of its API key, which both executors count, and the
// quotas of wallets and service users. The operator has no quotas.

import type { Identity } from '../../identity/identity.js'
import type { KeyLimit } from '../../identity/keys/key-limit.js'
import type { KeyUse } from '../../identity/keys/key-use.js'
import { isRevocable } from '../../identity/rights/revocation-check.js'
import type { Quotas } from '../quota.js'
import type { Session } from '../session.js'
import type { RowAccess } from './facts.js'

interface KeyBounds {
  readonly keyUse?: KeyUse
  readonly keyLimit?: KeyLimit
}

/**
 * Counts a command of an API key under its name in the listings of use. Throws if the key is over
 * its limit. Commands that all clients may send are not counted.
 */
export function meetKey(
  { keyUse, keyLimit }: KeyBounds,
  { identity, protocol }: Session,
  access: RowAccess,
  family: string,
  command: string,
): void {
  if (identity.kind !== 'key' || access === 'anonymous') return
  // HTTP counts by route instead.
  if (protocol !== 'http') keyUse?.count(identity, `${family}:${command}`)
  keyLimit?.take(identity)
}

/** The quotas of a caller; undefined if none apply. */
export function quotasOf(quotas: Quotas | undefined, identity: Identity): Quotas | undefined {
  return isRevocable(identity) ? quotas : undefined
}

/** The shorter of two time limits; 0 means no limit. */
export function shorterLimit(a: number, b: number): number {
  return a === 0 || b === 0 ? a + b : Math.min(a, b)
}
