// Collation keys need a table that takes 80 to 240 ms to build, longer on slow machines. It is
// missing after a start, or if very many collations are in use. A thread builds it before a program
// continues on a collection that needs it.

import { Postponed } from '../../../store/steps.js'
import type { Elsewhere } from '../../../store/store.js'
import type { Collation } from '../../../value/collation/collation.js'
import type { Namespace } from '../../types.js'

/**
 * Maximum tables awaited for one collection: as many as fit in memory beside those of another one.
 */
const awaitedMax = 8

/** What a program must wait for if a table of the collection's collations is missing. */
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
    // If the thread failed, the table is built here: the next run must find it.
    for (const collation of collations) collation.key('')
  })
  return { refusal: new Postponed(done), begin: () => ({ done, end: () => {} }) }
}

/** Undefined for collections without a collation, which are nearly all. */
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
