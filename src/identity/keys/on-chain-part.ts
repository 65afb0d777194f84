// The on-chain part of a key request. It has the wallet's derivation signature, from which the
// server makes the key and returns it once; or only the verifiers, so the server never sees the
// key. It also has the wallet's signature for the chain. (docs/keys.md, "Routes")

import { fail } from '../../base/errors.js'
import type { KeyMaterial } from '../../chain/registry/registry.js'
import {
  bytesOfHex,
  commitmentOf,
  derivationText,
  deriveKey,
  hexOf,
  keyVerifier,
  normaliseSignature,
  onChainSalt,
} from './key-derivation.js'
import type { KeyMode } from './key-format.js'
import { isPublished } from './published-keys.js'

/** A typed signature of the wallet for the registry, and its expiry in chain seconds. */
export interface RelayPart {
  readonly metaSignature: string
  readonly deadline: number
}

/** Bytes are hexadecimal with 0x. */
export interface OnChainPart extends RelayPart {
  readonly index: number
  readonly signature?: string | undefined
  readonly commitment?: string | undefined
  readonly storedKey?: string | undefined
  readonly serverKey?: string | undefined
}

interface Derived {
  /** Undefined if the request has only the verifiers. */
  readonly apiKey: string | undefined
  readonly material: KeyMaterial
}

/**
 * The key and its verifiers. Throws BadValue if the signature is not the wallet's over the
 * documented text, if both or neither of the forms are given, and for public keys.
 */
export async function readMaterial(
  address: string,
  part: OnChainPart,
  mode: KeyMode,
): Promise<Derived> {
  const { signature } = part
  const derived =
    signature === undefined
      ? { apiKey: undefined, material: givenMaterial(part) }
      : await derive(address, part, signature, mode)
  if (isPublished(derived.material.commitment, mode)) {
    throw fail('BadValue', 'this key is published and known to everybody')
  }
  return derived
}

async function derive(
  address: string,
  { index, commitment, storedKey, serverKey }: OnChainPart,
  signature: string,
  mode: KeyMode,
): Promise<Derived> {
  if (commitment !== undefined || storedKey !== undefined || serverKey !== undefined) {
    throw fail('BadValue', 'onChain: a signature, or commitment, storedKey and serverKey')
  }
  const bytes = bytesOfHex(signature, 'onChain.signature')
  const text = derivationText(address, index)
  if ((await signerOf(text, `0x${hexOf(normaliseSignature(bytes))}`)) !== address) {
    throw fail('BadValue', `onChain.signature is not this wallet's over '${text}'`)
  }
  const apiKey = deriveKey(bytes, mode)
  const verifier = await keyVerifier(apiKey, onChainSalt(address, index))
  return { apiKey, material: { commitment: commitmentOf(apiKey), ...verifiersOf(verifier) } }
}

function verifiersOf({ storedKey, serverKey }: Omit<KeyMaterial, 'commitment'>) {
  return { storedKey, serverKey }
}

/** The signer of a personal message (EIP-191); undefined if no key can have made it. */
async function signerOf(text: string, signature: string): Promise<string | undefined> {
  const { verifyMessage } = await import('ethers')
  try {
    return verifyMessage(text, signature)
  } catch {
    return undefined
  }
}

function givenMaterial({ commitment, storedKey, serverKey }: OnChainPart): KeyMaterial {
  return {
    commitment: hexOf(wordOf(commitment, 'commitment')),
    storedKey: wordOf(storedKey, 'storedKey'),
    serverKey: wordOf(serverKey, 'serverKey'),
  }
}

const wordBytes = 32

function wordOf(text: string | undefined, name: string): Uint8Array {
  const bytes = bytesOfHex(text ?? '', `onChain.${name}`)
  if (bytes.length !== wordBytes || bytes.every((byte) => byte === 0)) {
    throw fail('BadValue', `field 'onChain.${name}' must be 32 bytes, not all of them zero`)
  }
  return bytes
}
