// Finds the name of a stored pair's owner, for messages about damage: keys hold ids, and operators
// know names. The store knows no catalog, so it reports only ids.

import type { Program, ReadTx } from '../../store/store.js'
import { listNamespaces } from '../collection/catalog/catalog.js'

/** `db.collection`, plus the index name if the id is an index's; undefined for an old id. */
export function* ownerName(tx: ReadTx, id: number): Program<string | undefined> {
  for (const { db, name, id: own, indexes } of yield* listNamespaces(tx)) {
    if (own === id) return `${db}.${name}`
    const index = indexes.find((each) => each.id === id)
    if (index !== undefined) return `index ${index.name} of ${db}.${name}`
  }
  return undefined
}
