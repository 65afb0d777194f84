// Begins to record a scope of the change log. It resolves when every later change is recorded, so
// the first stream of a scope misses none. (docs/design/changes.md, "Recording")

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import type { KeyRange, Program, ReadTx, Tx } from '../../store/store.js'
import { readPhase, type Sweep, writePhase } from '../../store/sweep.js'
import { saveNamespace } from '../collection/catalog/catalog.js'
import { listRange, nameOfKey, namespaceKey } from '../collection/catalog/catalog-keys.js'
import { decodeNamespace } from '../collection/catalog/descriptors.js'
import { beginScope, coveredSince, finishScope, newestKey, type Scope } from './recording.js'

/** Collections that one program marks: each puts its descriptor and its index records. */
const marksPerProgram = 50

export function* beginRecording(scope: Scope): Sweep<void> {
  if ((yield* readPhase((tx) => coveredSince(tx, scope))) !== undefined) return
  yield* writePhase((tx) => beginScope(tx, scope))
  let range: KeyRange | undefined = collectionsOf(scope)
  while (range !== undefined) {
    const next: KeyRange = range
    range = yield* writePhase((tx) => markSome(tx, next))
  }
  yield* readPhase(olderWritesOver)
  const newest = yield* readPhase(newestKey)
  assert(newest !== undefined, 'the beginning of a scope is in the change log')
  yield* writePhase((tx) => finishScope(tx, scope, newest))
}

/** A write program of another gateway may have looked for a flag before it was set. */
export function* olderWritesOver(tx: ReadTx): Program<void> {
  const { olderWrites } = tx
  if (olderWrites !== undefined) yield* tx.elsewhere(olderWrites)
}

/** The catalog keys of the scope's collections. */
export function collectionsOf({ db, name }: Scope): KeyRange {
  if (db === undefined || name === undefined) return listRange(db)
  const start = namespaceKey(db, name)
  return { start, end: behind(start) }
}

/** Marks the first collections of a range; returns the rest of it. */
function* markSome(tx: Tx, { start, end }: KeyRange): Program<KeyRange | undefined> {
  const entries = yield* tx.scanOwn({ start, end }, marksPerProgram)
  for (const { key, value } of entries) {
    const [db, name] = nameOfKey(key)
    const ns = decodeNamespace(db, name, value)
    if (ns.recorded !== true) saveNamespace(tx, { ...ns, recorded: true })
  }
  const last = entries.at(-1)
  if (last === undefined || entries.length < marksPerProgram) return undefined
  return { start: behind(last.key), end }
}

export function behind(key: Bytes): Bytes {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}
