// The checksum in the letter case of an address. All code that reads or writes addresses uses it,
// and signed texts contain it, so it is defined once. (EIP-55)

import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8 } from './bytes.js'

/**
 * `0x` and the 40 digits in EIP-55 form; `lower` is the digits in lower case. A letter is upper
 * case if the hash has 8 or more at its position.
 */
export function checksumAddress(lower: string): string {
  const digest = keccak_256(utf8(lower))
  let written = '0x'
  for (let i = 0; i < lower.length; i++) {
    const byte = digest[i >> 1] ?? 0
    const nibble = i % 2 === 0 ? byte >> 4 : byte & 0x0f
    const digit = lower[i] ?? ''
    written += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return written
}
