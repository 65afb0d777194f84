// The home of a wallet: the database `w_` plus its address in lower case. It holds the wallet's
// keys, channels and graphs unless a command names another space. The form is reserved, so no
// client can take the home of a future wallet. (docs/rights.md, "Spaces")

import { checksumAddress } from '../../../base/bytes/eip55.js'
import { fail } from '../../../base/errors.js'
import type { Access } from '../../types.js'

const homeForm = /^w_0x([0-9a-f]{40})$/
const reservedForm = /^w_0x/i

/** The home database of a wallet; `address` in any case. */
export function homeOf(address: string): string {
  return `w_${address.toLowerCase()}`
}

/** Whether a database is the home of a wallet. */
export function isHome(db: string): boolean {
  return db.length === 44 && homeForm.test(db)
}

/** EIP-55 address of the wallet that owns the home; undefined for other databases. */
export function ownerOfHome(db: string): string | undefined {
  const [, digits] = homeForm.exec(db) ?? []
  return digits === undefined ? undefined : checksumAddress(digits)
}

/** Throws InvalidNamespace for a name that looks like a home but is not a valid one. */
export function requireHomeForm(db: string): void {
  if (!reservedForm.test(db) || isHome(db)) return
  const form = 'w_0x and 40 lower-case hexadecimal digits'
  throw fail('InvalidNamespace', `database name '${db}' is reserved: a home is ${form}`)
}

/**
 * The access of a collection made or moved into a database. In a home the wallet owns everything,
 * whichever identity creates it. Throws Unauthorized if another wallet owns it.
 */
export function accessIn(db: string, access: Access): Access {
  const owner = ownerOfHome(db)
  if (owner === undefined || owner === access.owner) return access
  if (access.owner === null) return { ...access, owner }
  throw fail('Unauthorized', `database ${db} is the home of another wallet`, { reason: 'HOME' })
}

/** The access of a missing collection in a home; undefined for any other database. */
export function homeAccess(db: string): Access | undefined {
  const owner = isHome(db) ? ownerOfHome(db) : undefined
  return owner === undefined ? undefined : { owner, mode: 'private', roles: {} }
}

/** The collection of a key-value database: `kv0`. */
export function keyspaceName(index: number): string {
  return `kv${index}`
}

/** The number of the key-value database of that collection; undefined for other names. */
export function keyspaceIndex(name: string): number | undefined {
  if (!name.startsWith('kv')) return undefined
  const [, digits] = /^kv(\d|1[0-5])$/.exec(name) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Throws Unauthorized if a wallet creates key-value databases or channels in a space that is not
 * its home.
 */
export function requireOwnSpace(db: string, name: string, owner: string | null): void {
  if (owner === null || isHome(db)) return
  if (name !== channelsName && keyspaceIndex(name) === undefined) return
  const text = `${db}.${name} is the operator's to make: yours is ${homeOf(owner)}.${name}`
  throw fail('Unauthorized', text, { reason: 'HOME' })
}

/**
 * The collection whose rights apply to the channels: read allows listening, write allows
 * publishing.
 */
export const channelsName = 'pubsub'
