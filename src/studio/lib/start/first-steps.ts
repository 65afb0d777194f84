// What of the three first steps is done, and where this server's protocols are: all by routes that
// any caller may ask.

import { askJson } from '../api.js'
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

interface Caller {
  readonly address: string | null
  readonly database: string
}

export async function findSteps(
  { address, database }: Caller,
  signal: AbortSignal,
): Promise<FirstSteps> {
  const get = <T>(path: string) => askJson<T>('GET', `/api/v1/${path}`, undefined, { signal })
  const [{ protocols }, { collections }, use] = await Promise.all([
    get<Protocols>('protocols'),
    get<Collections>('collections'),
    address === null ? useOfServer(signal) : useOfKeys(signal),
  ])
  const names = new Set(collections.map(({ name }) => name))
  const own = ownName(firstCollection, address)
  const collection = names.has(own) ? own : firstCollection
  const ports = Object.fromEntries(protocols.map(({ name, port }) => [name, port]))
  const { origin: url, hostname: host } = location
  return {
    server: { url, host, ports, database },
    hasCollections: names.size > 0,
    collection,
    ...use,
  }
}

type Use = Pick<FirstSteps, 'hasKeys' | 'isUsed'>

async function useOfKeys(signal: AbortSignal): Promise<Use> {
  const path = '/api/v1/analytics/overview'
  type Overview = {
    readonly overview: { readonly totalRequests: number; readonly keys: number }
  }
  const { overview } = await askJson<Overview>('GET', path, undefined, { signal })
  return { hasKeys: overview.keys > 0, isUsed: overview.totalRequests > 0 }
}

interface Metrics {
  readonly requests: { readonly byProtocol: Readonly<Record<string, number>> }
}

/** The page itself uses HTTP alone. */
async function useOfServer(signal: AbortSignal): Promise<Use> {
  const { requests } = await askJson<Metrics>('GET', '/api/v1/metrics', undefined, { signal })
  const { http: _, ...others } = requests.byProtocol
  return { hasKeys: undefined, isUsed: Object.values(others).some((count) => count > 0) }
}
