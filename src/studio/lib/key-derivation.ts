// Derives an API key from the wallet's signature in the page, so that the server never sees the
// key, and the values by which the registry knows it. (docs/keys.md, "Derive, register, recover")

import { hmac } from '@noble/hashes/hmac.js'
import { pbkdf2Async } from '@noble/hashes/pbkdf2.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** Order of secp256k1 (SEC 2, 2.4.1). */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** Of SCRAM, as the registry has them. */
const iterations = 4_096

export interface DerivedKey {
  readonly apiKey: string
  readonly commitment: string
  readonly storedKey: string
  readonly serverKey: string
}

/** The text that the wallet signs; another would give another key. */
export function derivationText(address: string, index: number): string {
  return `Sigil API Key #${index} for ${address}`
}

export async function deriveKey(
  signature: string,
  { address, index, mode }: { address: string; index: number; mode: string },
): Promise<DerivedKey> {
  const apiKey = `svc_${mode}_${bytesToHex(keccak_256(ownForm(signature)))}`
  const number = hexToBytes(index.toString(16).padStart(64, '0'))
  const salt = keccak_256(concatBytes(hexToBytes(address.slice(2)), number))
  const salted = await pbkdf2Async(sha256, apiKey, salt, { c: iterations, dkLen: 32 })
  return {
    apiKey,
    commitment: `0x${bytesToHex(keccak_256(utf8ToBytes(apiKey)))}`,
    storedKey: `0x${bytesToHex(sha256(hmac(sha256, salted, utf8ToBytes('Client Key'))))}`,
    serverKey: `0x${bytesToHex(hmac(sha256, salted, utf8ToBytes('Server Key')))}`,
  }
}

/** r, s and v of 27 or 28. Throws for what a wallet without a private key signs. */
function ownForm(signature: string): Uint8Array {
  const bytes = /^0x[\da-fA-F]{130}$/.test(signature) ? hexToBytes(signature.slice(2)) : undefined
  const s = BigInt(`0x${bytes === undefined ? '0' : bytesToHex(bytes.subarray(32, 64))}`)
  const v = bytes?.[64] ?? -1
  const isKnown = v === 0 || v === 1 || v === 27 || v === 28
  if (bytes === undefined || !isKnown || s === 0n || s > curveOrder / 2n) {
    throw new Error('Keys are not derived from such a signature: make a server key.')
  }
  bytes[64] = 27 + (v % 27)
  return bytes
}
