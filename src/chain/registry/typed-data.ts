// The data that a wallet signs for the gas station: EIP-712 domain and types of the key registry,
// as its contract hashes them. Wallets show these names; a change needs a new version. (EIP-712;
// docs/contracts.md, "Signed requests")

import { getBytes, hexlify, recoverAddress, Signature, TypedDataEncoder } from 'ethers'
import type { RegistryTypedData, TypedField } from './registry.js'

const uint = (name: string): TypedField => ({ name, type: 'uint256' })
const word = (name: string): TypedField => ({ name, type: 'bytes32' })

const wallet: TypedField = { name: 'wallet', type: 'address' }
const material = [word('commitment'), word('storedKey'), word('serverKey')]
const validity = [uint('nonce'), uint('deadline')]

/** The order of the fields is part of the hash. */
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

/** The 32 signed bytes, as hex. `values` are the fields of `primary`. */
export function digestOf(
  { domain, types }: RegistryTypedData,
  primary: PrimaryType,
  values: Readonly<Record<string, unknown>>,
): string {
  return TypedDataEncoder.hash(domain, { [primary]: [...types[primary]] }, values)
}

/** The curve's order, and half of it: contracts refuse the second form of s above it. */
const order = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
const hexForm = /^0x(?:[0-9a-fA-F]{2})+$/

/**
 * A signature in the form that contracts accept. One of an account (65 bytes with v of 0, 1, 27 or
 * 28, or the 64 of ERC-2098) becomes 65 bytes with low s. Any other length is a contract wallet's
 * and stays unchanged. Undefined if it is not hex.
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

/** The account that signed `digest`; undefined if the signature is invalid. */
export function signerOf(digest: string, signature: string): string | undefined {
  try {
    return recoverAddress(digest, signature)
  } catch {
    return undefined
  }
}
