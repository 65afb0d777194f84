// What a wallet signs so that the gas station may act for it: EIP-712 domain and types of the key
// registry, exactly as its contract hashes them. Wallets show these names; they never change
// without a new version. (EIP-712; docs/contracts.md, "Signed requests")

import { getBytes, hexlify, recoverAddress, Signature, TypedDataEncoder } from 'ethers'
import type { RegistryTypedData, TypedField } from './registry.js'

const uint = (name: string): TypedField => ({ name, type: 'uint256' })
const word = (name: string): TypedField => ({ name, type: 'bytes32' })

const wallet: TypedField = { name: 'wallet', type: 'address' }
const material = [word('commitment'), word('storedKey'), word('serverKey')]
const validity = [uint('nonce'), uint('deadline')]

/** The order of the fields is part of what is hashed. */
export const registryTypes: RegistryTypedData['types'] = {
  RegisterKey: [wallet, uint('index'), ...material, ...validity],
  RevokeKey: [wallet, uint('index'), ...validity],
  RotateKey: [wallet, uint('oldIndex'), uint('newIndex'), ...material, ...validity],
}

export type PrimaryType = keyof RegistryTypedData['types']

export function registryTypedData(chainId: number, contract: string): RegistryTypedData {
  const domain = { name: 'Sigil Key Registry', version: '1', chainId, verifyingContract: contract }
  return { domain, types: registryTypes }
}

/** The 32 bytes that are signed, as hex. `values` are those of `primary`'s fields. */
export function digestOf(
  { domain, types }: RegistryTypedData,
  primary: PrimaryType,
  values: Readonly<Record<string, unknown>>,
): string {
  return TypedDataEncoder.hash(domain, { [primary]: [...types[primary]] }, values)
}

/** Order of the curve, and half of it: above that, s has a twin that contracts refuse. */
const order = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
const hexForm = /^0x(?:[0-9a-fA-F]{2})+$/

/**
 * A signature as contracts take it: what is one of an account (65 bytes with v of 0, 1, 27 or 28,
 * or the 64 of ERC-2098) becomes 65 bytes with low s; any other length is a contract wallet's and
 * stays as it is. Undefined where it is not hex.
 */
export function normalSignature(text: string): string | undefined {
  if (!hexForm.test(text)) return undefined
  const bytes = getBytes(text)
  if (bytes.length !== 65 && bytes.length !== 64) return text.toLowerCase()
  try {
    if (bytes.length === 64) return Signature.from(text).serialized
    const s = BigInt(hexlify(bytes.subarray(32, 64)))
    if (s <= order / 2n) return Signature.from(text).serialized
    const v = bytes[64] ?? 0
    const parity = v >= 27 ? v - 27 : v
    if (parity > 1 || s >= order) return text.toLowerCase()
    const low = (order - s).toString(16).padStart(64, '0')
    const r = hexlify(bytes.subarray(0, 32))
    return Signature.from({ r, s: `0x${low}`, v: 28 - parity }).serialized
  } catch {
    return text.toLowerCase()
  }
}

/** The account whose signature of `digest` this is; undefined where it is none. */
export function signerOf(digest: string, signature: string): string | undefined {
  try {
    return recoverAddress(digest, signature)
  } catch {
    return undefined
  }
}
