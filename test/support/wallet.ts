// Wallets of tests: private keys made from a number, and everything that their owner would do with
// them: derive a key, sign for the registry.

import { keccak256, toUtf8Bytes, Wallet } from 'ethers'
import type { KeyMaterial, RegistryTypedData } from '../../src/chain/registry/registry.js'
import {
  bytesOfHex,
  commitmentOf,
  derivationText,
  deriveKey,
  hexOf,
  keyVerifier,
  onChainSalt,
} from '../../src/identity/keys/key-derivation.js'
import type { KeyMode } from '../../src/identity/keys/key-format.js'

/** The same wallet for the same name; worth nothing outside tests. */
export function testWallet(name: string): Wallet {
  return new Wallet(keccak256(toUtf8Bytes(`a wallet of Sigil's tests: ${name}`)))
}

export interface DerivedKey {
  readonly apiKey: string
  readonly hash: string
  /** Over the derivation text. */
  readonly signature: string
  readonly material: KeyMaterial
}

/** The key `index` of a wallet, as the documentation says to derive it. */
export async function derivedKey(
  wallet: Wallet,
  index: number,
  mode: KeyMode = 'live',
): Promise<DerivedKey> {
  const signature = await wallet.signMessage(derivationText(wallet.address, index))
  const apiKey = deriveKey(bytesOfHex(signature, 'signature'), mode)
  return { ...(await materialOf(apiKey, wallet.address, index)), apiKey, signature }
}

/** What of a key is registered for a wallet: its owner's, or a thief's. */
export async function materialOf(apiKey: string, address: string, index: number) {
  const { storedKey, serverKey } = await keyVerifier(apiKey, onChainSalt(address, index))
  const commitment = commitmentOf(apiKey)
  return { hash: commitment, material: { commitment, storedKey, serverKey } }
}

interface RegisterRequest {
  readonly data: RegistryTypedData
  readonly index: number
  readonly material: KeyMaterial
  readonly nonce: number
  readonly deadline: number
}

/** Signs RegisterKey. */
export function signRegister(wallet: Wallet, request: RegisterRequest): Promise<string> {
  const { data, index, material, nonce, deadline } = request
  const value = { wallet: wallet.address, index, ...words(material), nonce, deadline }
  return wallet.signTypedData(data.domain, { RegisterKey: [...data.types.RegisterKey] }, value)
}

/** Signs RotateKey. */
export function signRotate(
  wallet: Wallet,
  { oldIndex, ...request }: RegisterRequest & { readonly oldIndex: number },
): Promise<string> {
  const { data, index: newIndex, material, nonce, deadline } = request
  const value = { wallet: wallet.address, oldIndex, newIndex, ...words(material), nonce, deadline }
  return wallet.signTypedData(data.domain, { RotateKey: [...data.types.RotateKey] }, value)
}

/** Signs RevokeKey. */
export function signRevoke(
  wallet: Wallet,
  request: Omit<RegisterRequest, 'material'>,
): Promise<string> {
  const { data, index, nonce, deadline } = request
  const value = { wallet: wallet.address, index, nonce, deadline }
  return wallet.signTypedData(data.domain, { RevokeKey: [...data.types.RevokeKey] }, value)
}

function words({ commitment, storedKey, serverKey }: KeyMaterial) {
  return {
    commitment: `0x${commitment}`,
    storedKey: `0x${hexOf(storedKey)}`,
    serverKey: `0x${hexOf(serverKey)}`,
  }
}
