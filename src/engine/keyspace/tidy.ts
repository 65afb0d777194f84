// Removes the record of a home's key-value database when its last key is gone, unless its owner has
// changed settings. So a million homes that were used once cost nothing.

import type { Program, Tx } from '../../store/store.js'
import { removeKeyspace } from '../collection/catalog/catalog.js'
import { countOf } from '../collection/counters.js'
import type { Access } from '../types.js'
import type { Keyspace } from './keyspace.js'

/** Removes the record of a database that is empty and has default settings. */
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

/** Bytes of `{}`. */
const emptyBytes = 5
