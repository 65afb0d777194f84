// Calls of the registry contract as a transaction carries them: all their arguments are numbers and
// words of 32 bytes. (docs/contracts.md, "Functions")

import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

const functions = {
  RegisterKey: 'registerKey(uint256,bytes32,bytes32,bytes32)',
  RevokeKey: 'revokeKey(uint256)',
  RotateKey: 'rotateKey(uint256,uint256,bytes32,bytes32,bytes32)',
} as const

/** Numbers, and words of 32 bytes in hexadecimal digits. */
export function callData(
  name: keyof typeof functions,
  words: readonly (number | string)[],
): string {
  const selector = bytesToHex(keccak_256(utf8ToBytes(functions[name])).subarray(0, 4))
  const padded = words.map((word) =>
    typeof word === 'number' ? word.toString(16).padStart(64, '0') : word.replace(/^0x/, ''),
  )
  return `0x${selector}${padded.join('')}`
}
