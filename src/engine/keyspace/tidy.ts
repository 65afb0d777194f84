// What is left of a key-value database of a home when its last key is gone: nothing, as before its
// first key, unless its owner has said something of it. A million homes that were used once must
// not cost what a million homes in use do.

import type { Program, Tx } from '../../store/store.js'
import { removeKeyspace } from '../collection/catalog/catalog.js'
import { countOf } from '../collection/counters.js'
import type { Access } from '../types.js'
import type { Keyspace } from './keyspace.js'

/** Removes the record of a database that is empty and as it would be made again. */
export function* tidy(tx: Tx, { place, ns }: Keyspace): Program<void> {
  const { space } = place
  const isPlain = ns.indexes.length === 0 && ns.options.length === emptyBytes
  if (space.isMain || !isPlain || !isUsual(ns.access, space.owner)) return
  if ((yield* countOf(tx, ns)).documents > 0) return
  yield* removeKeyspace(tx, ns)
}

function isUsual({ owner, mode, roles }: Access, expected: string | null): boolean {
  return owner === expected && mode === 'private' && Object.keys(roles).length === 0
}

/** Of `{}`. */
const emptyBytes = 5
