// Bounds of the change log: records beyond an age or a size are removed, oldest first, and scopes
// without a watcher are no longer recorded. (docs/design/changes.md, "Retention")

import type { Bytes } from '../../base/bytes/bytes.js'
import { changeRange, changeTimeOf } from '../../store/layout.js'
import type { KeyRange, Program, Tx } from '../../store/store.js'
import { type Sweep, writePhase } from '../../store/sweep.js'
import { field } from '../../value/elements.js'
import { bigintOf } from '../../value/value.js'
import { releaseChunks, releaseValue } from '../background/garbage.js'
import { saveNamespace } from '../collection/catalog/catalog.js'
import { nameOfKey } from '../collection/catalog/catalog-keys.js'
import { decodeNamespace } from '../collection/catalog/descriptors.js'
import { headOf } from '../collection/records.js'
import type { NamespaceId } from '../types.js'
import { behind, collectionsOf } from './begin-recording.js'
import { changeBytesKey, decodeChange, part } from './change-record.js'
import { isCovered, newestKey, putTrimmed, type Recorded, removeUnwatched } from './recording.js'

/** Records that one program removes, and collections that one program unmarks. */
const removalsPerProgram = 256
const unmarksPerProgram = 50

interface RetentionBounds {
  /** Records of an earlier second are removed. */
  readonly oldestSeconds: number
  readonly bytesMax: number
}

/**
 * Removes the oldest records that are out of bounds, but never the newest record: the store's times
 * go on behind it. Returns whether more may be left.
 */
export function* trimSome(tx: Tx, bounds: RetentionBounds): Program<boolean> {
  const newest = yield* newestKey(tx)
  if (newest === undefined) return false
  const log = yield* tx.count(changeBytesKey)
  const range: KeyRange = { start: changeRange.start, end: newest }
  const entries = yield* tx.scanOwn(range, removalsPerProgram)
  let removed = 0
  let bytes = 0
  for (const { key, value } of entries) {
    const isOld = changeTimeOf(key).seconds < bounds.oldestSeconds
    if (!isOld && log.bytes - bytes <= bounds.bytesMax) break
    tx.remove(key)
    bytes += value.length + releaseHeld(tx, value)
    removed++
  }
  const last = entries[removed - 1]
  if (last === undefined) return false
  tx.add(changeBytesKey, -removed, -bytes)
  putTrimmed(tx, last.key)
  return removed === removalsPerProgram
}

/** No later record refers to the chunks that this one holds. Returns their bytes. */
function releaseHeld(tx: Tx, record: Bytes): number {
  const { kind, body } = decodeChange(record)
  if (kind === 'hold') {
    releaseChunks(tx, Number(bigintOf(part(body, 'g'))) as NamespaceId)
    return Number(bigintOf(part(body, 'z')))
  }
  const held = field(body, 'h')
  const head = held === undefined ? undefined : headOf(held.payload().subarray(binaryHeadBytes))
  if (head === undefined) return 0
  releaseValue(tx, head.value)
  return head.length
}

/** Length and subtype of a binary value. */
const binaryHeadBytes = 5

/**
 * Ends the recording of a scope, unless it was noted as watched since it was found. A watcher that
 * comes meanwhile begins it anew.
 */
export function* endRecording({ scope, watchedMs }: Recorded): Sweep<void> {
  const isEnded = yield* writePhase((tx) => removeUnwatched(tx, scope, watchedMs))
  if (!isEnded) return
  let range: KeyRange | undefined = collectionsOf(scope)
  while (range !== undefined) {
    const next: KeyRange = range
    range = yield* writePhase((tx) => unmarkSome(tx, next))
  }
}

function* unmarkSome(tx: Tx, { start, end }: KeyRange): Program<KeyRange | undefined> {
  const entries = yield* tx.scanOwn({ start, end }, unmarksPerProgram)
  for (const { key, value } of entries) {
    const [db, name] = nameOfKey(key)
    const { recorded, ...ns } = decodeNamespace(db, name, value)
    if (recorded !== true || ns.hasImages === true) continue
    if (!(yield* isCovered(tx, db, name))) saveNamespace(tx, ns)
  }
  const last = entries.at(-1)
  if (last === undefined || entries.length < unmarksPerProgram) return undefined
  return { start: behind(last.key), end }
}
