// How much the wallet's keys are used, and a key that its wallet's signature gives again: the
// server has none to give back.

import { askJson } from './api.js'
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

/** The lines that the server gives with a new key. */
async function connectionOf(user: string, apiKey: string): Promise<MadeKey['connection']> {
  interface Protocols {
    readonly protocols: readonly { readonly name: string; readonly port: number | null }[]
  }
  const { protocols } = await askJson<Protocols>('GET', '/api/v1/protocols')
  const isSafe = location.protocol === 'https:'
  const placeOf = (name: string) => {
    const port = protocols.find((one) => one.name === name)?.port ?? 0
    return `${encodeURIComponent(user)}:${apiKey}@${location.hostname}:${port}`
  }
  return {
    user,
    wire: `mongosh "mongodb://${placeOf('wire')}/${isSafe ? '?tls=true' : ''}"`,
    redis: `redis-cli -u ${isSafe ? 'rediss' : 'redis'}://${placeOf('redis')}`,
    sql: `psql "postgresql://${placeOf('sql')}/${isSafe ? '?sslmode=require' : ''}"`,
    http: `curl -H "Authorization: Bearer ${apiKey}" ${location.origin}/api/v1/collections`,
  }
}
