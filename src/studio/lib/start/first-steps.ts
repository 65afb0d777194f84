// What of the three first steps is done, and where this server's protocols are: all by routes that
// any caller may ask.

import { ApiError, askJson } from '../api.js'
import { listKeys } from '../api-keys.js'
import type { Server } from './first-query.js'
import { firstCollection, ownName } from './sample.js'

export interface FirstSteps {
  readonly server: Server
  readonly hasCollections: boolean
  /** The sample's collection that the caller may read. */
  readonly collection: string
  /** Undefined for the operator: HTTP tells of no service users. */
  readonly hasKeys: boolean | undefined
  /** Whether a client has come since, as far as the server tells the caller. */
  readonly isUsed: boolean
}

interface Protocols {
  readonly protocols: readonly { readonly name: string; readonly port?: number }[]
}

interface Collections {
  readonly collections: readonly { readonly name: string }[]
}

export async function findSteps(address: string | null, signal: AbortSignal): Promise<FirstSteps> {
  const get = <T>(path: string) => askJson<T>('GET', `/api/v1/${path}`, undefined, { signal })
  const [{ protocols }, { collections }, keys, isUsed] = await Promise.all([
    get<Protocols>('protocols'),
    get<Collections>('collections'),
    address === null ? undefined : listKeys(signal),
    address === null ? clientsCame(signal) : keysWereUsed(signal),
  ])
  const names = new Set(collections.map(({ name }) => name))
  const own = ownName(firstCollection, address)
  const collection = names.has(own) ? own : firstCollection
  const ports = Object.fromEntries(protocols.map(({ name, port }) => [name, port]))
  const { origin: url, hostname: host } = location
  return {
    server: { url, host, ports, database: await defaultDatabase(signal) },
    hasCollections: names.size > 0,
    collection,
    hasKeys: keys === undefined ? undefined : keys.length > 0,
    isUsed,
  }
}

async function keysWereUsed(signal: AbortSignal): Promise<boolean> {
  const path = '/api/v1/analytics/overview'
  type Overview = { readonly overview: { readonly totalRequests: number } }
  const { overview } = await askJson<Overview>('GET', path, undefined, { signal })
  return overview.totalRequests > 0
}

interface Metrics {
  readonly requests: { readonly byProtocol: Readonly<Record<string, number>> }
}

/** The page itself uses HTTP alone. */
async function clientsCame(signal: AbortSignal): Promise<boolean> {
  const { requests } = await askJson<Metrics>('GET', '/api/v1/metrics', undefined, { signal })
  const { http: _, ...others } = requests.byProtocol
  return Object.values(others).some((count) => count > 0)
}

/** The database of a namespace, such as `main.none`; a collection that is missing has one too. */
async function defaultDatabase(signal: AbortSignal): Promise<string> {
  const path = '/api/v1/collections/none/find'
  try {
    type Found = { readonly cursor: { readonly ns: string } }
    const { cursor } = await askJson<Found>('POST', path, { limit: 1 }, { signal })
    return cursor.ns.slice(0, cursor.ns.indexOf('.'))
  } catch (error) {
    // Another wallet has a collection of that name: the default is the best guess.
    if (error instanceof ApiError && error.status === 403) return 'main'
    throw error
  }
}
