// Derives an API key from a wallet's signature, and from the key its public values: commitment,
// salt and SCRAM verifiers. Every byte is fixed forever: a key is recovered by deriving it again.
// (docs/keys.md, "Derive, register, recover"; golden vectors: protocol-fixtures/keys)

import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Bytes, concatBytes, utf8 } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { scramIterations } from '../../base/limits/identity.js'
import { deriveVerifier, type ScramVerifier } from '../../protocol/scram/verifier.js'
import { bytesOfAddress } from '../address.js'
import { type KeyMode, writeKey } from './key-format.js'

/** The text that the wallet signs (EIP-191), with the EIP-55 form: another gives another key. */
export function derivationText(address: string, index: number): string {
  return `Sigil API Key #${index} for ${address}`
}

/** Order of secp256k1 (SEC 2, 2.4.1). */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const highBit = 1n << 255n

/**
 * The one form of a signature that keys are derived from: r, s and v in 65 bytes, s in the lower
 * half of the curve's order (EIP-2), v 27 or 28. Also accepts v as 0 or 1, the 64 bytes of
 * ERC-2098, and a high s. Throws BadValue for anything else.
 */
export function normaliseSignature(given: Bytes): Bytes {
  if (given.length !== 64 && given.length !== 65) throw notSignature('64 or 65 bytes are expected')
  const r = wordOf(given, 0)
  let s = wordOf(given, 32)
  let parity: number
  if (given.length === 64) {
    parity = s >= highBit ? 1 : 0
    s &= highBit - 1n
  } else {
    const v = given[64] ?? 0
    if (v !== 0 && v !== 1 && v !== 27 && v !== 28) throw notSignature('v is 0, 1, 27 or 28')
    parity = v % 27
  }
  if (r === 0n || s === 0n || r >= curveOrder || s >= curveOrder) {
    throw notSignature('r and s are numbers below the order of the curve')
  }
  if (s > curveOrder / 2n) {
    s = curveOrder - s
    parity = 1 - parity
  }
  return concatBytes(bytesOfWord(r), bytesOfWord(s), Uint8Array.of(27 + parity))
}

/** The key of a wallet's signature over `derivationText`, in any accepted form. */
export function deriveKey(signature: Bytes, mode: KeyMode): string {
  return writeKey(mode, hexOf(keccak_256(normaliseSignature(signature))))
}

/** keccak-256 of the whole key as 64 hex digits: public, and the key's `hash` in routes. */
export function commitmentOf(key: string): string {
  return hexOf(keccak_256(utf8(key)))
}

/** Salt of the on-chain key `index` of a wallet; public and computable for any wallet. */
export function onChainSalt(address: string, index: number): Bytes {
  return saltOf(address, BigInt(index))
}

/** Salt of the server-issued key `sN`: numbers that on-chain indexes never reach. */
export function issuedSalt(address: string, index: number): Bytes {
  return saltOf(address, highBit + BigInt(index))
}

/**
 * Salt of `<wallet>` while none of its keys is active on the chain, with or without issued keys, so
 * a login reveals nothing about them. It is that of `s0`: the verifier of a first key then serves
 * both of its names.
 */
export function walletSalt(address: string): Bytes {
  return issuedSalt(address, 0)
}

/** What the chain or the store keeps of a key. Takes about 0.8 ms, off the event loop. */
export function keyVerifier(key: string, salt: Bytes): Promise<ScramVerifier> {
  return deriveVerifier(key, salt, scramIterations)
}

/** Bytes of `0x…`. Throws BadValue with the field's name for invalid hexadecimal text. */
export function bytesOfHex(text: string, where: string): Bytes {
  if (/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
  throw fail('BadValue', `field '${where}' must be bytes in hexadecimal, 0x first`)
}

export function hexOf(bytes: Bytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

/** abi.encodePacked(address, uint256): 52 bytes. */
function saltOf(address: string, index: bigint): Bytes {
  return keccak_256(concatBytes(bytesOfAddress(address), bytesOfWord(index)))
}

function wordOf(bytes: Bytes, at: number): bigint {
  return BigInt(`0x${hexOf(bytes.subarray(at, at + 32))}`)
}

function bytesOfWord(word: bigint): Bytes {
  return new Uint8Array(Buffer.from(word.toString(16).padStart(64, '0'), 'hex'))
}

function notSignature(why: string): Error {
  return fail('BadValue', `not a signature: ${why}`)
}
