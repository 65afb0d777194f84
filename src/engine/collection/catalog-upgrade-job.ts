// Puts the records of catalog-index.ts for collections of a store from before there were any: once,
// in steps that a crash may interrupt, since a record that is put again is the same one.

import { type Bytes, concatBytes } from '../../base/bytes.js'
import { keyClass } from '../../store/layout.js'
import type { Program, Store, Tx } from '../../store/store.js'
import { namespacesFrom } from './catalog.js'
import { putIndex } from './catalog-index.js'

const doneKey = Uint8Array.of(keyClass.catalog, 0x00, 0x05)
const done = Uint8Array.of(1)
/** Collections of one step. */
const atOnce = 500

/** Resolves when everything that is there can be found by its records. */
export async function indexCatalog(store: Store): Promise<void> {
  const isDone = await store.read(function* (tx) {
    return (yield* tx.get(doneKey)) !== undefined
  })
  if (isDone) return
  let from: Bytes | undefined
  do {
    const start = from
    from = await store.write((tx) => indexPage(tx, start))
  } while (from !== undefined)
}

/** Where to go on; undefined at the end, which is written down. */
function* indexPage(tx: Tx, start: Bytes | undefined): Program<Bytes | undefined> {
  const page = yield* namespacesFrom(tx, start, atOnce)
  for (const { ns } of page) putIndex(tx, ns)
  const last = page.at(-1)
  if (last !== undefined && page.length === atOnce) {
    return concatBytes(last.key, Uint8Array.of(0))
  }
  tx.put(doneKey, done)
  return undefined
}
