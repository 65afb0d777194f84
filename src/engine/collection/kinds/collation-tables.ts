// Keys under a collation are made of a table that takes 80 to 240 ms, and more on a slow machine:
// after a start, or where very many collations are in use, it is missing. A thread makes it before
// a program goes on with a collection that has such keys.

import { Postponed } from '../../../store/steps.js'
import type { Elsewhere } from '../../../store/store.js'
import type { Collation } from '../../../value/collation/collation.js'
import type { Namespace } from '../../types.js'

/** Of one collection: as many as lie in memory together, with those of another one. */
const awaitedMax = 8

/** What a program has to wait for, if not all tables of the collection's collations are there. */
export function missingTables(ns: Namespace): Elsewhere | undefined {
  const collations = collationsOf(ns)
  if (collations === undefined) return undefined
  const making: Promise<void>[] = []
  for (const collation of collations) {
    const ready = collation.ready()
    if (ready !== undefined) making.push(ready)
  }
  if (making.length === 0) return undefined
  const done = Promise.all(making).then(() => {
    // Where the thread could not, the table is made here: the next run must find it.
    for (const collation of collations) collation.key('')
  })
  return { refusal: new Postponed(done), begin: () => ({ done, end: () => {} }) }
}

/** Undefined for nearly all collections: they have none. */
function collationsOf({ collation, indexes }: Namespace): ReadonlySet<Collation> | undefined {
  let found: Set<Collation> | undefined
  if (collation !== undefined) found = new Set([collation])
  for (let i = 0; i < indexes.length; i++) {
    const by = indexes[i]?.collation
    if (by === undefined) continue
    found ??= new Set()
    if (found.size < awaitedMax) found.add(by)
  }
  return found
}
