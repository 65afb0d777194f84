// Creates the records of catalog-index.ts for a store of an earlier version. It runs once, in steps
// that a crash may interrupt, since putting a record again changes nothing.

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
 * Version of the records: 1 lacked the unfinished collections; 2 stored them with the graphs that
 * wait for an anchor, which a start removed together.
 */
const doneVersion = 3
/** Collections in one step. */
const atOnce = 500

/** Resolves when every collection has its records. */
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

/** Returns the start of the next page; undefined at the end, which is then recorded. */
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

/** Creates the owners' sums in a folder of an earlier version, before any space is freed. */
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

/** Records the ICU version of the keys under collations. */
const keysVersionKey = Uint8Array.of(keyClass.catalog, 0x00, 0x08)

/**
 * Marks collections with keys of another ICU version as unfinished. All are checked once after the
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

/** The start of the next page; undefined after the last. */
function nextOf(page: readonly { readonly key: Bytes }[]): Bytes | undefined {
  const last = page.length < atOnce ? undefined : page.at(-1)
  return last && concatBytes(last.key, Uint8Array.of(0))
}
