// How much the wallet's keys are used, and a key that its wallet's signature gives again: the
// server has none to give back.

import { askJson } from './api.js'
import { connectionOf } from './api-keys/connection-lines.js'
import { type ApiKey, type MadeKey, registryOf, type Signer } from './api-keys.js'
import { derivationText, deriveKey } from './key-derivation.js'
import { signText } from './wallets.js'

export interface KeyUse {
  readonly totalRequests: number
  readonly byEndpoint: Readonly<Record<string, number>>
  /** Oldest first; the last is today. */
  readonly byDay: readonly { readonly date: string; readonly count: number }[]
}

export async function useOfKey(hash: string, days: number, signal: AbortSignal): Promise<KeyUse> {
  const path = `/api/v1/keys/${hash}/analytics?days=${days}`
  return (await askJson<{ analytics: KeyUse }>('GET', path, undefined, { signal })).analytics
}

/** Requests of the last seven days, by the hash of the key. */
export async function useOfAll(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  interface Overview {
    readonly byKey: readonly { readonly hash: string; readonly count: number }[]
  }
  const path = '/api/v1/analytics/overview'
  const { overview } = await askJson<{ overview: Overview }>('GET', path, undefined, { signal })
  return new Map(overview.byKey.map(({ hash, count }) => [hash, count]))
}

/** Throws if the wallet signs otherwise than when the key was made. */
export async function recoverKey({ index, hash }: ApiKey, given: Signer): Promise<MadeKey> {
  const { wallet, address } = given
  const { keyMode: mode } = await registryOf(address)
  const signature = await signText(wallet, address, derivationText(address, index))
  const { apiKey, commitment } = await deriveKey(signature, { address, index, mode })
  if (commitment.slice(2) !== hash.replace(/^0x/, ''))
    throw new Error('This signature gives another key: make a new one.')
  return { apiKey, connection: await connectionOf(`${address}:${index}`, apiKey) }
}
