// What an editor would do, as queries: the change of some fields where the text changes no more,
// which more languages can say than the replacement of the whole document.

import { type Ejson, isObject } from '../ejson.js'
import type { Query } from './query.js'

interface Texts {
  readonly before: string
  readonly edited: string
}

interface Titled {
  readonly title: string
  readonly query: Query
}

/** `id` is missing for a new document. */
export function changesShown(
  collection: string,
  id: Ejson | undefined,
  { before, edited }: Texts,
): readonly Titled[] {
  if (id === undefined) {
    return [{ title: 'Insert', query: { kind: 'insert', collection, document: edited } }]
  }
  const type = /^kv\d+$/.test(collection) ? objectIn(before)?.type : undefined
  // Each type of key has its own command that reads it.
  const filter = JSON.stringify({ _id: id, ...(type === undefined ? {} : { type }) })
  const set = changedFields(before, edited)
  return [
    ...(set === undefined
      ? []
      : [{ title: 'Change', query: { kind: 'update', collection, id, set } } as const]),
    { title: 'Save', query: { kind: 'replace', collection, id, document: edited } },
    {
      title: 'Read',
      query: { kind: 'find', collection, filter, sort: '', limit: 1, fields: '' },
    },
    { title: 'Delete', query: { kind: 'delete', collection, id } },
  ]
}

/** Undefined if nothing or more than values of top-level fields has changed. */
function changedFields(before: string, edited: string): string | undefined {
  const [old, now] = [objectIn(before), objectIn(edited)]
  if (old === undefined || now === undefined) return undefined
  if (Object.keys(old).some((name) => !Object.hasOwn(now, name))) return undefined
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(old[name]) !== JSON.stringify(value),
  )
  const isPlain = changed.every(([name]) => name !== '_id' && !/[.$]/.test(name))
  if (changed.length === 0 || !isPlain) return undefined
  return JSON.stringify(Object.fromEntries(changed))
}

function objectIn(text: string): { readonly [name: string]: Ejson } | undefined {
  try {
    const value = JSON.parse(text) as Ejson
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
