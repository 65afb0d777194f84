// Walks over all collections, if no index record leads to them: listings of the operator, totals,
// checks. Also walks over those that a wallet may reach. Wallets are free and each may have a home,
// so a walk holds one page of descriptors at a time and pauses between pages.

import { type Bytes, concatBytes } from '../../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { descriptorUnits } from '../../../base/work/work-figures.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { readPhase, type Sweep } from '../../../store/sweep.js'
import type { Guarded, Namespace } from '../../types.js'
import { reachableNames } from './catalog-index.js'
import { listRange, nameOfKey, namespaceKey } from './catalog-keys.js'
import { decodeNamespace } from './descriptors.js'

interface Page {
  readonly namespaces: readonly Namespace[]
  /** Undefined at the end. */
  readonly next: Bytes | undefined
}

/** Reads a page of collections from a catalog key on, or from the first. */
function* pageFrom(tx: ReadTx, from: Bytes | undefined): Program<Page> {
  const { start, end } = listRange(undefined)
  const entries = yield* tx.scan({ start: from ?? start, end }, scanEntriesMax)
  const namespaces: Namespace[] = []
  for (const { key, value } of entries) {
    const [db, name] = nameOfKey(key)
    namespaces.push(decodeNamespace(db, name, value))
    yield* tx.pause(descriptorUnits)
  }
  const last = entries.length < scanEntriesMax ? undefined : entries.at(-1)
  return { namespaces, next: last && concatBytes(last.key, Uint8Array.of(0)) }
}

/** Visits every collection, by name in byte order; for read programs. */
export function* eachNamespace(
  tx: ReadTx,
  see: (ns: Namespace) => Program<void> | undefined,
): Program<void> {
  let from: Bytes | undefined
  do {
    const { namespaces, next } = yield* pageFrom(tx, from)
    for (const ns of namespaces) {
      const seeing = see(ns)
      if (seeing !== undefined) yield* seeing
      yield* tx.pause(0)
    }
    from = next
  } while (from !== undefined)
}

/** Visits the current descriptors of the collections that a wallet, or every client, may reach. */
export function* listReachable(
  tx: ReadTx & Guarded,
  address: string | undefined,
): Program<Namespace[]> {
  const names = yield* reachableNames(tx, address)
  const found: Namespace[] = []
  for (let from = 0; from < names.length; from += scanEntriesMax) {
    const page = names.slice(from, from + scanEntriesMax)
    const records = yield* tx.getMany(page.map(({ db, name }) => namespaceKey(db, name)))
    for (const [i, { db, name }] of page.entries()) {
      const bytes = records[i]
      if (bytes !== undefined) found.push(decodeNamespace(db, name, bytes))
      yield* tx.pause(descriptorUnits)
    }
  }
  return found
}

/** Like eachNamespace, in the steps of a sweep: each page is one read, and `see` may add phases. */
export function* sweepNamespaces(see: (ns: Namespace) => Sweep<void>): Sweep<void> {
  let from: Bytes | undefined
  do {
    const start = from
    const page: Page = yield* readPhase((tx) => pageFrom(tx, start))
    for (const ns of page.namespaces) yield* see(ns)
    from = page.next
  } while (from !== undefined)
}
