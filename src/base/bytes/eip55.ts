// The checksum that the case of an address's letters carries. Code that writes or reads an address
// needs it, and the form is part of texts that are signed, so there is one place for it. (EIP-55)

import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8 } from './bytes.js'

/**
 * `0x` and the 40 digits in EIP-55 form; `lower` is the digits in lower case. A letter is a capital
 * where the digit at its place in the hash of all is 8 or more.
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
