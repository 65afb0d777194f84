// The rights that settings define, read once at the start: administrators beside the operator, what
// anonymous clients may read, and who may claim unowned collections.

import type { Settings } from '../../base/settings.js'
import { readAdministrators } from './administrators.js'
import type { Rules } from './allow.js'

interface Place {
  /** HOST is a loopback address. */
  readonly isLoopback: boolean
}

/** Throws InvalidOptions for an invalid administrator address. */
export function rulesOf(settings: Settings, { isLoopback }: Place): Rules {
  const { ADMIN_ADDRESSES, ANONYMOUS, CLAIM_UNOWNED, TRUSTED_PROXIES } = settings
  const administrators = readAdministrators(ADMIN_ADDRESSES)
  // Behind a proxy, a loopback address does not mean that clients are local.
  const isLocal = isLoopback && TRUSTED_PROXIES.length === 0
  return {
    anonymousReads: ANONYMOUS === 'read',
    claimsUnowned: CLAIM_UNOWNED === 'first' || (CLAIM_UNOWNED === 'auto' && isLocal),
    isAdministrator: (address) => administrators.has(address),
  }
}
