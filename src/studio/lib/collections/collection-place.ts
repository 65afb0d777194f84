// A collection and the database that it is in: of the address, so that a page of a wallet's home,
// and what it still has to send when another page is open, go to the right place.

import { route } from '../route.js'

export interface CollectionPlace {
  readonly name: string
  /** Empty: the server's default database. */
  readonly database: string
}

/** The collection that the page's address names. */
export function placeInAddress(name: string): CollectionPlace {
  return { name, database: route.value.query.get('database') ?? '' }
}

/** The address of a route of the collection, such as `docs`. */
export function routeOf(
  { name, database }: CollectionPlace,
  part: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries({ ...query, database }).filter(([, value]) => value !== '')
  const search = new URLSearchParams(given).toString()
  const path = `/api/v1/collections/${encodeURIComponent(name)}/${part}`
  return search === '' ? path : `${path}?${search}`
}
