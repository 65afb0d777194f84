// Checked arguments of the key commands: permissions by name, labels that can be shown, sensible
// limits, and the parts of a request for the chain.

import { fail } from '../../base/errors.js'
import { keyLabelCharsMax, keyRateLimitMax } from '../../base/limits/identity.js'
import type { Call } from '../../bus/document/call.js'
import { arrayOf, number, optional, string, structure } from '../../bus/document/params.js'
import { allPermissions, type Permission } from '../../identity/identity.js'
import { isKeyHash } from '../../identity/keys/key-format.js'
import type { KeyChanges, KeyService, KeyWishes, Owner } from '../../identity/keys/key-service.js'
import type { OnChainPart, RelayPart } from '../../identity/keys/on-chain-part.js'
import { type Granted, permissionsOf } from '../../identity/keys/wallet-keys.js'

export const permissionList = arrayOf(string)

const relayFields = { metaSignature: string, deadline: number } as const

/** The wallet's signature for ending a key on the chain too. */
export const relayPart = structure(relayFields)

/** The same for a new key, with its derivation signature or its verifiers. */
export const onChainPart = structure({
  index: number,
  signature: optional(string),
  commitment: optional(string),
  storedKey: optional(string),
  serverKey: optional(string),
  ...relayFields,
})

/** The key service, and the owner of the keys. Throws Unauthorized without a wallet's session. */
export function ownerOf<A, T>(call: Call<A, T>): { service: KeyService; owner: Owner } {
  const { identity, now } = call
  if (identity.kind !== 'session') {
    throw fail('Unauthorized', "keys are a wallet's own: sign in with it")
  }
  return { service: serviceOf(call), owner: { programs: call, address: identity.address, now } }
}

export function serviceOf<A, T>({ services }: Call<A, T>): KeyService {
  if (services.keys !== undefined) return services.keys
  throw fail('CommandNotSupported', 'this server has no key registry')
}

export function requireHash(text: string): string {
  if (isKeyHash(text)) return text
  throw fail('NamespaceNotFound', 'there is no such key', { reason: 'KEY_NOT_FOUND' })
}

/** `all` means all three, and is stored as `all`. Throws BadValue for an unknown name or none. */
function readPermissions(given: readonly string[]): Granted {
  const found = new Set<Permission>()
  for (const name of given) {
    const known = allPermissions.find((permission) => permission === name)
    if (known !== undefined) found.add(known)
    else if (name === 'all') for (const permission of allPermissions) found.add(permission)
    else throw fail('BadValue', `permissions are all, read, write and admin, not '${name}'`)
  }
  if (found.size === 0) throw fail('BadValue', "field 'permissions' must name at least one")
  return { permissions: permissionsOf(found), isAll: given.includes('all') }
}

interface GivenWishes {
  readonly label: string
  readonly permissions: readonly string[]
  readonly rateLimit: number
}

export function readWishes({ label, permissions, rateLimit }: GivenWishes): KeyWishes {
  requireLabel(label)
  requireRateLimit(rateLimit)
  return { label, ...readPermissions(permissions), rateLimit }
}

interface GivenChanges {
  readonly label: string | undefined
  readonly permissions: readonly string[]
  readonly rateLimit: number | undefined
}

/** What is not given stays as it is. */
export function readChanges({ label, permissions, rateLimit }: GivenChanges): KeyChanges {
  if (label !== undefined) requireLabel(label)
  if (rateLimit !== undefined) requireRateLimit(rateLimit)
  return {
    ...readPermissions(permissions),
    ...(label === undefined ? {} : { label }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
  }
}

function requireLabel(label: string): void {
  if ([...label].length <= keyLabelCharsMax && !/\p{Cc}/u.test(label)) return
  throw fail('BadValue', `field 'label' is text of at most ${keyLabelCharsMax} characters`)
}

function requireRateLimit(rateLimit: number): void {
  if (Number.isInteger(rateLimit) && rateLimit >= 0 && rateLimit <= keyRateLimitMax) return
  throw fail('BadValue', `field 'rateLimit' is a whole number from 0 to ${keyRateLimitMax}`)
}

/** Throws BadValue for a number that is not a valid time. */
export function requireRelay<R extends RelayPart | undefined>(part: R): R {
  if (part !== undefined) requireWhole(part.deadline, 'onChain.deadline')
  return part
}

/** Throws BadValue for numbers that are not a valid index or time. */
export function requireOnChain<R extends OnChainPart | undefined>(part: R): R {
  if (part !== undefined) requireWhole(part.index, 'onChain.index')
  return requireRelay(part)
}

function requireWhole(given: number, where: string): void {
  if (Number.isSafeInteger(given) && given >= 0) return
  throw fail('BadValue', `field '${where}' must be a whole number of at least 0`)
}
