// What is known of a collection beside its documents: its indexes and their use, the fields of a
// sample, and how a query finds its documents.

import { askJson } from '../api.js'
import { type CollectionPlace, routeOf } from './collection-place.js'
import type { Plan } from './plan.js'

export interface Index {
  readonly name: string
  readonly key: Readonly<Record<string, unknown>>
  readonly isUnique: boolean
  /** How often queries have used it since the start; undefined where it is not told. */
  readonly uses: number | undefined
}

export interface Schema {
  /** Documents that were looked at. */
  readonly sampled: number
  readonly fields: readonly {
    readonly path: string
    readonly count: number
    readonly types: Readonly<Record<string, number>>
  }[]
  /** Whether there are more fields. */
  readonly truncated: boolean
}

export async function listIndexes(
  at: CollectionPlace,
  signal: AbortSignal,
): Promise<readonly Index[]> {
  const ask = <T>(path: string) => askJson<T>('GET', routeOf(at, path), undefined, { signal })
  const [{ indexes }, used] = await Promise.all([
    ask<{ indexes: { name: string; key: Index['key']; unique: boolean }[] }>('indexes'),
    ask<{ indexes: { name: string; ops: unknown }[] }>('indexes/use'),
  ])
  return indexes.map(({ name, key, unique }) => {
    const use = used.indexes.find((one) => one.name === name)
    return { name, key, isUnique: unique, uses: use === undefined ? undefined : Number(use.ops) }
  })
}

export async function createIndex(
  at: CollectionPlace,
  wishes: { readonly fields: string; readonly indexName: string; readonly isUnique: boolean },
): Promise<void> {
  const key = keyPattern(wishes.fields)
  const named = wishes.indexName === '' ? {} : { name: wishes.indexName }
  const unique = wishes.isUnique ? { unique: true } : {}
  await askJson('POST', routeOf(at, 'createIndex'), { key, ...named, ...unique })
}

export async function dropIndex(at: CollectionPlace, index: string): Promise<void> {
  await askJson('POST', routeOf(at, 'dropIndex'), { name: index })
}

export function schemaOf(at: CollectionPlace, signal: AbortSignal): Promise<Schema> {
  return askJson('GET', routeOf(at, 'schema'), undefined, { signal })
}

/** Of a find with a filter (JSON) and a sort (`-year,title`); either may be empty. */
export async function explainFind(
  at: CollectionPlace,
  { filter, sort }: { readonly filter: string; readonly sort: string },
  signal: AbortSignal,
): Promise<Plan> {
  const given = {
    ...(filter === '' ? {} : { filter: JSON.parse(filter) as unknown }),
    ...(sort === '' ? {} : { sort: keyPattern(sort) }),
  }
  return askJson('POST', routeOf(at, 'explain'), given, { signal })
}

/** `-year,title`, or the JSON of a pattern. */
function keyPattern(text: string): Readonly<Record<string, unknown>> {
  const given = text.trim()
  if (given.startsWith('{')) return JSON.parse(given) as Readonly<Record<string, unknown>>
  const names = given.split(',').map((part) => part.trim())
  return Object.fromEntries(names.map((one) => [one.replace(/^[-+]/, ''), one[0] === '-' ? -1 : 1]))
}
