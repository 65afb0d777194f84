// Which bounds hold for a caller: the limit of its key, which both executors count, and the quotas
// of wallets and service users, which the operator does not have.

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
 * Counts a key's command by what it is called in the listings of use. Throws where the key has had
 * its share; commands that all clients may send are not counted.
 */
export function meetKey(
  { keyUse, keyLimit }: KeyBounds,
  { identity, protocol }: Session,
  access: RowAccess,
  family: string,
  command: string,
): void {
  if (identity.kind !== 'key' || access === 'anonymous') return
  // HTTP counts by its routes.
  if (protocol !== 'http') keyUse?.count(identity, `${family}:${command}`)
  keyLimit?.take(identity)
}

/** The quotas that hold for a caller; undefined where none do. */
export function quotasOf(quotas: Quotas | undefined, identity: Identity): Quotas | undefined {
  return isRevocable(identity) ? quotas : undefined
}
