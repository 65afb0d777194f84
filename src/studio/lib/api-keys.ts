// A wallet's API keys: made, replaced and ended by its session, on the chain where the wallet signs
// for it. (docs/keys.md)

import { askJson } from './api.js'
import { type DerivedKey, derivationText, deriveKey } from './key-derivation.js'
import { signText, signTyped, type Wallet } from './wallets.js'

export interface ApiKey {
  readonly hash: string
  readonly label: string
  readonly prefix: string
  readonly permissions: readonly string[]
  /** Requests a minute; 0 for no limit. */
  readonly rateLimit: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly source: 'issued' | 'onchain'
  readonly index: number
}

export interface Registry {
  readonly domain: Readonly<Record<string, unknown>> & { readonly chainId: number }
  readonly address: string
  readonly nextIndex: number
  readonly nonce: number
  /** Seconds since 1970. */
  readonly chainTime: number
  /** Whether the server pays for what a wallet has signed. */
  readonly relays: boolean
  readonly keyMode: string
}

export interface MadeKey {
  readonly apiKey: string
  readonly connection: Readonly<Record<'user' | 'wire' | 'redis' | 'sql' | 'http', string>>
}

interface Wishes {
  readonly label: string
  readonly permissions: readonly string[]
  readonly rateLimit: number
}

type GivenKey = Omit<MadeKey, 'apiKey'> & { readonly apiKey: string | null }

const keys = '/api/v1/keys'
/** How long a signature for the chain holds. */
const signedForSeconds = 900
/** What the server writes in lines of a key that it has not seen. */
const placeholder = 'API_KEY'

const number = (name: string) => ({ name, type: 'uint256' })
const word = (name: string) => ({ name, type: 'bytes32' })
const wallet = { name: 'wallet', type: 'address' }
const material = [word('commitment'), word('storedKey'), word('serverKey')]
const validity = [number('nonce'), number('deadline')]
const types = {
  RegisterKey: [wallet, number('index'), ...material, ...validity],
  RevokeKey: [wallet, number('index'), ...validity],
  RotateKey: [wallet, number('oldIndex'), number('newIndex'), ...material, ...validity],
} as const

export async function listKeys(signal: AbortSignal): Promise<readonly ApiKey[]> {
  const answer = await askJson<{ keys: ApiKey[] }>('GET', keys, undefined, { signal })
  return answer.keys
}

export function registryOf(address: string, signal?: AbortSignal): Promise<Registry> {
  const path = `/api/v1/registry?address=${address}`
  return askJson('GET', path, undefined, signal === undefined ? {} : { signal })
}

/** On the chain with a wallet that signs for it, otherwise a server key. */
export async function makeKey(
  wishes: Wishes,
  given?: { readonly wallet: Wallet; readonly registry: Registry },
): Promise<MadeKey> {
  const path = `${keys}/generate`
  if (given === undefined) return shown(await askJson<GivenKey>('POST', path, wishes))
  const { onChain, derived } = await nextPart('RegisterKey', given, (index) => ({ index }))
  return shown(await askJson<GivenKey>('POST', path, { ...wishes, onChain }), derived)
}

/** A key that takes the place of this one, which fails at once. */
export async function rotateKey({ hash, index }: ApiKey, given?: Signer): Promise<MadeKey> {
  const path = `${keys}/${hash}/rotate`
  if (given === undefined) return shown(await askJson<GivenKey>('POST', path, {}))
  const registry = await registryOf(given.address)
  const of = { wallet: given.wallet, registry }
  const fields = (newIndex: number) => ({ oldIndex: index, newIndex })
  const { onChain, derived } = await nextPart('RotateKey', of, fields)
  return shown(await askJson<GivenKey>('POST', path, { onChain }), derived)
}

export interface Signer {
  readonly wallet: Wallet
  readonly address: string
}

/** With a wallet the key of the chain ends there too, not on this server alone. */
export async function revokeKey({ hash, index }: ApiKey, given?: Signer): Promise<void> {
  if (given === undefined) {
    await askJson('DELETE', `${keys}/${hash}`, {})
    return
  }
  const registry = await registryOf(given.address)
  const onChain = await signFor('RevokeKey', { wallet: given.wallet, registry }, { index })
  await askJson('DELETE', `${keys}/${hash}`, { onChain })
}

export async function setPermissions(
  { hash }: ApiKey,
  permissions: readonly string[],
): Promise<void> {
  await askJson('PUT', `${keys}/${hash}/permissions`, { permissions })
}

interface Signing {
  readonly wallet: Wallet
  readonly registry: Registry
}

/** Derives the wallet's next key, and signs for it. */
async function nextPart(
  name: 'RegisterKey' | 'RotateKey',
  { wallet, registry }: Signing,
  fields: (index: number) => object,
) {
  const { address, nextIndex: index, keyMode: mode } = registry
  const signature = await signText(wallet, address, derivationText(address, index))
  const derived = await deriveKey(signature, { address, index, mode })
  const { apiKey: _, ...verifiers } = derived
  const values = { ...fields(index), ...verifiers }
  const signed = await signFor(name, { wallet, registry }, values)
  return { derived, onChain: { index, ...verifiers, ...signed } }
}

async function signFor(name: keyof typeof types, { wallet, registry }: Signing, values: object) {
  const { address, domain, nonce, chainTime } = registry
  const deadline = chainTime + signedForSeconds
  const message = { wallet: address, ...values, nonce, deadline }
  const data = { domain, types: { [name]: types[name] }, primaryType: name, message }
  return { metaSignature: await signTyped(wallet, address, data), deadline }
}

function shown({ apiKey, connection }: GivenKey, derived?: DerivedKey): MadeKey {
  const key = apiKey ?? derived?.apiKey ?? ''
  const filled = Object.entries(connection).map(([name, line]) => [
    name,
    line.replaceAll(placeholder, key),
  ])
  return { apiKey: key, connection: Object.fromEntries(filled) as MadeKey['connection'] }
}
