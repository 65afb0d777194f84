// Loads the sample data: documents by the import route, keys as key-value commands. What is there
// already stays as it is.

import { ApiError, ask, askJson } from '../api.js'
import { routeOf } from '../collections/collection-place.js'
import { runCommand } from '../keyspace.js'
import { sampleCollections, sampleCommands } from './sample-data.js'

/** The collection whose name a first query uses. */
export const firstCollection = 'demo_books'
/** The key that a first command reads. */
export const firstKey = 'demo:shop'

/** A name of the caller's own, where another has taken the plain one. */
export function ownName(name: string, address: string | null): string {
  return `${name}_${address === null ? 'operator' : address.slice(2, 8).toLowerCase()}`
}

/** Rejects with the server's error if it refuses a part. */
export async function loadSample(address: string | null): Promise<void> {
  const { collections } = await askJson<Listed>('GET', '/api/v1/collections')
  for (const [name, documents] of Object.entries(sampleCollections)) {
    const known = collections.find((one) => one.name === name)
    const isTaken = known !== undefined && known.ownerAddress !== address
    try {
      await loadInto(isTaken ? ownName(name, address) : name, documents)
    } catch (error) {
      // One that the caller may not read is not listed.
      if (isTaken || !(error instanceof ApiError && error.status === 403)) throw error
      await loadInto(ownName(name, address), documents)
    }
  }
  for (const command of sampleCommands) await runCommand(0, command)
}

interface Listed {
  readonly collections: readonly {
    readonly name: string
    readonly ownerAddress: string | null
  }[]
}

interface Imported {
  readonly errors: readonly { readonly code: number; readonly errmsg: string }[]
}

const duplicateKey = 11_000

async function loadInto(name: string, documents: readonly object[]): Promise<void> {
  const path = routeOf({ name, database: '' }, 'import', { ordered: 'false' })
  const body = documents.map((document) => `${JSON.stringify(document)}\n`).join('')
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await ask('POST', path, { body, headers })
  const { errors } = (await answer.json()) as Imported
  const problem = errors.find(({ code }) => code !== duplicateKey)
  if (problem !== undefined) throw new Error(`${name}: ${problem.errmsg}`)
}
