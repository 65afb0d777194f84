// Puts the records of catalog-index.ts for collections of a store from before there were any: once,
// in steps that a crash may interrupt, since a record that is put again is the same one.

import { type Bytes, concatBytes, textOf, utf8 } from '../../../base/bytes/bytes.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, Store, Tx } from '../../../store/store.js'
import { keysVersion } from '../../../value/collation/collation.js'
import { countUsage, usageCounted } from '../counters.js'
import { namespacesFrom } from './catalog.js'
import { isUnfinished, putIndex, putWaiting } from './catalog-index.js'
import { countHoldings, heldCounted } from './holdings.js'

const doneKey = Uint8Array.of(keyClass.catalog, 0x00, 0x05)
/**
 * Which records are there: 1 had none of what is unfinished, 2 had them among those of graphs that
 * wait for an anchor, which a start took away with them.
 */
const doneVersion = 3
/** Collections of one step. */
const atOnce = 500

/** Resolves when everything that is there can be found by its records. */
export async function indexCatalog(store: Store): Promise<void> {
  const isDone = await store.read(function* (tx) {
    return ((yield* tx.get(doneKey))?.[0] ?? 0) >= doneVersion
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
  for (const { ns } of page) {
    putIndex(tx, ns)
    putWaiting(tx, ns)
  }
  const next = nextOf(page)
  if (next !== undefined) return next
  tx.put(doneKey, Uint8Array.of(doneVersion))
  return undefined
}

/** Makes the sums of owners where a folder of before has none; before anything is given back. */
export async function countOwners(store: Store): Promise<void> {
  const sums = [
    { counted: usageCounted, count: countUsage },
    { counted: heldCounted, count: countHoldings },
  ]
  for (const { counted, count } of sums) {
    let isDone = (await store.read(counted)).isDone
    while (!isDone) {
      isDone = await store.write(function* (tx) {
        const { next: start } = yield* counted(tx)
        const page = yield* namespacesFrom(tx, start, atOnce)
        const next = nextOf(page)
        yield* count(
          tx,
          page.map(({ ns }) => ns),
          next,
        )
        return next === undefined
      })
    }
  }
}

/** The keys under collations are those of this version. */
const keysVersionKey = Uint8Array.of(keyClass.catalog, 0x00, 0x08)

/**
 * Marks collections with keys of another ICU as unfinished: all are looked at once, after the
 * runtime has changed.
 */
export async function markOldKeys(store: Store): Promise<void> {
  const isMarked = await store.read(function* (tx) {
    const version = yield* tx.get(keysVersionKey)
    return version !== undefined && textOf(version) === keysVersion
  })
  if (isMarked) return
  let from: Bytes | undefined
  do {
    const start = from
    from = await store.write((tx) => markPage(tx, start))
  } while (from !== undefined)
  await store.write(function* (tx) {
    tx.put(keysVersionKey, utf8(keysVersion))
  })
}

function* markPage(tx: Tx, start: Bytes | undefined): Program<Bytes | undefined> {
  const page = yield* namespacesFrom(tx, start, atOnce)
  for (const { ns } of page) if (isUnfinished(ns)) putIndex(tx, ns)
  return nextOf(page)
}

/** Where the next page begins; undefined behind the last. */
function nextOf(page: readonly { readonly key: Bytes }[]): Bytes | undefined {
  const last = page.length < atOnce ? undefined : page.at(-1)
  return last && concatBytes(last.key, Uint8Array.of(0))
}
