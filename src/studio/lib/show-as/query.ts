// What can be shown in other languages: one query or change of the documents page, or one statement
// of the console.

import type { Ejson } from '../ejson.js'
import { exactJson, NotShown } from './quote.js'

/** Filter and sort as the page writes them: JSON, and `-year,title`. Empty: none. */
export interface Find {
  readonly kind: 'find'
  readonly collection: string
  readonly filter: string
  readonly sort: string
  readonly limit: number
  /** Names of fields with commas, as the route takes them; `_id` comes in addition. */
  readonly fields: string
}

/** Documents as the text of an editor, in Extended JSON. */
interface Insert {
  readonly kind: 'insert'
  readonly collection: string
  readonly document: string
}

interface Replace {
  readonly kind: 'replace'
  readonly collection: string
  readonly id: Ejson
  readonly document: string
}

interface Update {
  readonly kind: 'update'
  readonly collection: string
  readonly id: Ejson
  /** An object: top-level fields with their new values. */
  readonly set: string
}

interface Delete {
  readonly kind: 'delete'
  readonly collection: string
  readonly id: Ejson
}

export type DocumentQuery = Find | Insert | Replace | Update | Delete

export type Statement =
  | { readonly kind: 'sql'; readonly text: string }
  | { readonly kind: 'command'; readonly words: readonly string[] }

export type Query = DocumentQuery | Statement

/** Where the queries go. */
export interface Place {
  /** Of the HTTP port, without a path. */
  readonly url: string
}

export function filterOf({ filter }: Find): Ejson {
  return exactJson(filter === '' ? '{}' : filter, 'filter')
}

/** The fields of the list's order, which always ends by `_id`. */
export function orderOf({ sort }: Find): readonly (readonly [string, 1 | -1])[] {
  if (sort === '') return [['_id', 1]]
  const parts = sort.split(',').map((part) => part.trim())
  const order = parts.map((part) =>
    part.startsWith('-') ? ([part.slice(1), -1] as const) : ([part, 1] as const),
  )
  if (order.some(([name]) => name === '')) throw new NotShown('The sort has an empty name.')
  return order.some(([name]) => name === '_id') ? order : [...order, ['_id', 1]]
}

export function fieldsOf({ fields }: Find): readonly string[] {
  return fields === '' ? [] : fields.split(',').map((name) => name.trim())
}
