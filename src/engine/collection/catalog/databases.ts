// The names of databases: how each is spelled, and how many of them are homes of wallets. A
// database exists with its first collection. (docs/design/storage.md, "Key space")

import { textOf, utf8 } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import type { Guarded } from '../../types.js'
import { numberBytes, readNumber } from './catalog-ids.js'
import { databaseKey, kind, listRange } from './catalog-keys.js'
import { isHome } from './homes.js'

/** Key of the number of wallets that have a home. */
const homesKey = Uint8Array.of(keyClass.catalog, kind.counter, 0x04)

/**
 * Records the spelling of a database with its first collection: names that differ only in case
 * conflict.
 */
export function* claimDatabase(
  tx: Tx & Guarded,
  db: string,
  makingHome: Guarded['makingHome'] = (home, homes) => tx.makingHome?.(home, homes),
): Program<void> {
  const key = databaseKey(db)
  const stored = yield* tx.get(key)
  const spelled = stored === undefined ? undefined : textOf(stored)
  if (spelled === db) return
  if (isHome(db)) {
    // Other spellings from before homes were reserved do not block a wallet.
    const homes = yield* countHomes(tx)
    makingHome?.(db, homes)
    tx.put(homesKey, numberBytes(homes + 1))
  } else if (spelled !== undefined) {
    throw fail(
      'DatabaseDifferCase',
      `db already exists with different case already have: [${spelled}] trying to create [${db}]`,
    )
  }
  tx.put(key, utf8(db))
}

export function* releaseDatabase(tx: Tx, db: string): Program<void> {
  if ((yield* tx.scanOwn(listRange(db), 1)).length > 0) return
  const stored = yield* tx.get(databaseKey(db))
  if (stored === undefined || textOf(stored) !== db) return
  tx.remove(databaseKey(db))
  if (isHome(db)) tx.put(homesKey, numberBytes(Math.max((yield* countHomes(tx)) - 1, 0)))
}

/** How many wallets have a home. */
export function* countHomes(tx: ReadTx): Program<number> {
  return (yield* readNumber(tx, homesKey)) ?? 0
}
