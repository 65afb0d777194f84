// A wallet's API keys: made, replaced and ended by its session, on the chain where the wallet signs
// for it. (docs/keys.md)

import { ApiError, askJson } from './api.js'
import { callData } from './api-keys/call-data.js'
import { type Connection, connectionOf } from './api-keys/connection-lines.js'
import { sendAtOwnCost } from './api-keys/own-cost.js'
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
  readonly domain: Readonly<Record<string, unknown>> & {
    readonly chainId: number
    readonly verifyingContract: string
  }
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
  readonly connection: Connection
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
export async function makeKey(wishes: Wishes, given?: Signer): Promise<MadeKey> {
  const path = `${keys}/generate`
  if (given === undefined) return shown(await askJson<GivenKey>('POST', path, wishes))
  const signing = await signingOf(given)
  const next = await nextKey(signing)
  if (given.sent !== undefined) return putOnChain(signing, 'RegisterKey', { ...next, wishes })
  const { index } = next
  const onChain = await signedPart('RegisterKey', signing, { ...next, fields: { index } })
  return shown(await askJson<GivenKey>('POST', path, { ...wishes, onChain }), next.derived)
}

/** A key that takes the place of this one, which fails at once. */
export async function rotateKey(old: ApiKey, given?: Signer): Promise<MadeKey> {
  const path = `${keys}/${old.hash}/rotate`
  if (given === undefined) return shown(await askJson<GivenKey>('POST', path, {}))
  const signing = await signingOf(given)
  const next = await nextKey(signing)
  if (given.sent !== undefined) {
    return putOnChain(signing, 'RotateKey', { ...next, wishes: old, old: old.index })
  }
  const fields = { oldIndex: old.index, newIndex: next.index }
  const onChain = await signedPart('RotateKey', signing, { ...next, fields })
  return shown(await askJson<GivenKey>('POST', path, { onChain }), next.derived)
}

export interface Signer {
  readonly wallet: Wallet
  readonly address: string
  /** The wallet sends the transaction itself and pays; told its hash. Else the server pays. */
  readonly sent?: ((hash: string) => void) | undefined
}

/** With a wallet the key of the chain ends there too, not on this server alone. */
export async function revokeKey({ hash, index }: ApiKey, given?: Signer): Promise<void> {
  if (given === undefined) {
    await askJson('DELETE', `${keys}/${hash}`, {})
    return
  }
  const signing = await signingOf(given)
  if (given.sent !== undefined) {
    const data = callData('RevokeKey', [index])
    await sendAtOwnCost(senderOf(signing), data, async () => !(await isListed(hash)))
    return
  }
  const onChain = await signFor('RevokeKey', signing, { index })
  await askJson('DELETE', `${keys}/${hash}`, { onChain })
}

export async function setPermissions(
  { hash }: ApiKey,
  permissions: readonly string[],
): Promise<void> {
  await askJson('PUT', `${keys}/${hash}/permissions`, { permissions })
}

interface Signing extends Signer {
  readonly registry: Registry
}

async function signingOf(given: Signer): Promise<Signing> {
  return { ...given, registry: await registryOf(given.address) }
}

interface NextKey {
  readonly index: number
  readonly derived: DerivedKey
}

/** Derives the wallet's next key. */
async function nextKey({ wallet, registry }: Signing): Promise<NextKey> {
  const { address, nextIndex: index, keyMode: mode } = registry
  const signature = await signText(wallet, address, derivationText(address, index))
  return { index, derived: await deriveKey(signature, { address, index, mode }) }
}

/** What the server sends to the registry for the wallet. */
async function signedPart(
  name: 'RegisterKey' | 'RotateKey',
  signing: Signing,
  { index, derived, fields }: NextKey & { readonly fields: object },
) {
  const { apiKey: _, ...verifiers } = derived
  const signed = await signFor(name, signing, { ...fields, ...verifiers })
  return { index, ...verifiers, ...signed }
}

interface OwnKey extends NextKey {
  readonly wishes: Wishes
  /** The index of the key that it replaces. */
  readonly old?: number
}

/** The key is shown once this server knows it, with the permissions that were asked for. */
async function putOnChain(
  signing: Signing,
  name: 'RegisterKey' | 'RotateKey',
  { index, derived, wishes, old }: OwnKey,
): Promise<MadeKey> {
  const { apiKey, commitment, storedKey, serverKey } = derived
  const indices = old === undefined ? [index] : [old, index]
  const data = callData(name, [...indices, commitment, storedKey, serverKey])
  const { label, permissions, rateLimit } = wishes
  const hash = commitment.slice(2)
  const path = `${keys}/${hash}/permissions`
  await sendAtOwnCost(senderOf(signing), data, async () => {
    if (!(await isListed(hash))) return false
    try {
      await askJson('PUT', path, { permissions, label, rateLimit })
      return true
    } catch (error) {
      // What finds keys by their hash may hear of a block a little later.
      if (error instanceof ApiError && error.status === 404) return false
      throw error
    }
  })
  return { apiKey, connection: await connectionOf(`${signing.address}:${index}`, apiKey) }
}

async function isListed(hash: string): Promise<boolean> {
  const answer = await askJson<{ keys: ApiKey[] }>('GET', keys)
  return answer.keys.some((key) => key.hash === hash)
}

function senderOf({ wallet, address, registry: { domain }, sent = () => {} }: Signing) {
  return { wallet, address, chainId: domain.chainId, contract: domain.verifyingContract, sent }
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
