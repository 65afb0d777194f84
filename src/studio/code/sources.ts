// What completions are made of: the fields of a collection from its sample, and the names of the
// collections. Each is asked for once, and again after a failure.

import { askJson } from '../lib/api.js'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { schemaOf } from '../lib/collections/inspection.js'

interface KnownField {
  readonly path: string
  /** The types of its values, most frequent first. */
  readonly types: string
}

const fields = new Map<string, Promise<readonly KnownField[]>>()
let tables: Promise<readonly string[]> | undefined

/** None if the caller may not read the collection, or there is no answer. */
export function fieldsOf(collection: CollectionPlace): Promise<readonly KnownField[]> {
  const key = JSON.stringify(collection)
  const asked = fields.get(key) ?? askFields(collection)
  fields.set(key, asked)
  return asked
}

async function askFields(collection: CollectionPlace): Promise<readonly KnownField[]> {
  try {
    const schema = await schemaOf(collection, new AbortController().signal)
    return schema.fields.map(({ path, types }) => ({ path, types: byCount(types) }))
  } catch {
    fields.delete(JSON.stringify(collection))
    return []
  }
}

function byCount(types: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(types).toSorted(([, one], [, other]) => other - one)
  return sorted.map(([name]) => name).join(', ')
}

export function tableNames(): Promise<readonly string[]> {
  tables ??= askJson<{ collections: { name: string }[] }>('GET', '/api/v1/collections').then(
    ({ collections }) => collections.map(({ name }) => name),
    () => {
      tables = undefined
      return []
    },
  )
  return tables
}
