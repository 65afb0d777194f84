// Wallet addresses: accepted in any case, always written in EIP-55 form. The form matters: it is
// part of the text from which keys are derived. (EIP-55)

import type { Bytes } from '../base/bytes/bytes.js'
import { checksumAddress } from '../base/bytes/eip55.js'
import { fail } from '../base/errors.js'

const form = /^0x[0-9a-fA-F]{40}$/
/** 20 bytes. */
const addressBytes = 20

/**
 * The address in EIP-55 form; undefined if it is none, or if its mixed case has a wrong checksum,
 * which means a mistyped digit.
 */
export function parseAddress(text: string): string | undefined {
  if (!form.test(text)) return undefined
  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  const written = checksumAddress(lower)
  const isPlain = digits === lower || digits === digits.toUpperCase()
  return isPlain || written === text ? written : undefined
}

/** As parseAddress; throws BadValue with the name of the field. */
export function requireAddress(text: string, where: string): string {
  const address = parseAddress(text)
  if (address !== undefined) return address
  const why = form.test(text) ? 'its mixed-case checksum does not hold' : 'not an address'
  throw fail('BadValue', `field '${where}': ${why}`)
}

/** The 20 bytes of a parsed address. */
export function bytesOfAddress(address: string): Bytes {
  return new Uint8Array(Buffer.from(address.slice(2), 'hex'))
}

/** The EIP-55 form of 20 bytes. */
export function addressOfBytes(bytes: Bytes): string {
  return checksumAddress(Buffer.from(bytes.subarray(0, addressBytes)).toString('hex'))
}
