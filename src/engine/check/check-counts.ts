// Compares the counters of records, entries and their bytes with actual counts. Clients may be
// writing, so a difference must show in one state.

import { concatBytes } from '../../base/bytes/bytes.js'
import { backgroundRecordsMax } from '../../base/limits/engine.js'
import { keyClass } from '../../store/layout.js'
import type { Count, Entry, KeyRange, Program, ReadTx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import { idRange } from '../background/garbage.js'
import { StepSize } from '../background/step-size.js'
import { findNamespace } from '../collection/catalog/catalog.js'
import { countKey } from '../collection/counters.js'
import { headOf } from '../collection/records.js'
import { entryBytes } from '../index/entries.js'
import type { Namespace } from '../types.js'
import { bytesOf, isTooOld, oneState, pagesOf } from './check-steps.js'

/** Maximum recounts to tell a lasting difference from concurrent writes. */
const countsMax = 5

type SizeOf = (entry: Entry) => number

export const recordSize: SizeOf = ({ value }) => headOf(value)?.length ?? value.length - 1
export const entrySize: SizeOf = ({ key, value }) => entryBytes(key, value)

/**
 * Compares a counter with a count. Clients may be writing, so a difference must show in one state.
 * If counting takes longer than a state is kept, the difference must stay the same.
 */
export function* countProblem(
  ns: Namespace,
  id: number,
  ofClass: number,
  what: string,
): Sweep<string | undefined> {
  const sizeOf = ofClass === keyClass.record ? recordSize : entrySize
  const range = idRange(ofClass, id)
  let before = yield* difference(id, range, sizeOf, what)
  if (before === undefined) return undefined
  let text: string | undefined
  try {
    text = yield* readPhase((tx) => differenceNow(tx, id, range, sizeOf, what), oneState)
  } catch (error) {
    if (!isTooOld(error)) throw error
    for (let attempt = 1; attempt < countsMax && before !== undefined; attempt++) {
      const again: string | undefined = yield* difference(id, range, sizeOf, what)
      if (again === before) text = again
      before = again === before ? undefined : again
    }
  }
  if (text === undefined) return undefined
  // A drop removes records before the counter, and ids are never reused. So a counter that still
  // exists now existed during the whole count.
  const isLive = yield* readPhase((tx) => hasCounter(tx, ns, id))
  return isLive ? text : undefined
}

function* hasCounter(tx: ReadTx, { db, name, id }: Namespace, counter: number): Program<boolean> {
  const ns = yield* findNamespace(tx, db, name)
  if (ns?.id !== id) return false
  return counter === id || ns.indexes.some((index) => index.id === counter)
}

function* difference(
  id: number,
  range: KeyRange,
  sizeOf: SizeOf,
  what: string,
): Sweep<string | undefined> {
  const counter = yield* readPhase((tx) => counterOf(tx, id))
  return differenceOf(counter, yield* countRange(range, sizeOf), what)
}

function* differenceNow(
  tx: ReadTx,
  id: number,
  range: KeyRange,
  sizeOf: SizeOf,
  what: string,
): Program<string | undefined> {
  let documents = 0
  let bytes = 0
  yield* pagesOf(tx, range, backgroundRecordsMax, function* (entries) {
    documents += entries.length
    for (const entry of entries) bytes += sizeOf(entry)
    return true
  })
  return differenceOf(yield* counterOf(tx, id), { documents, bytes }, what)
}

function differenceOf(counter: Count, counted: Count, what: string): string | undefined {
  if (counter.documents === counted.documents && counter.bytes === counted.bytes) return undefined
  const stored = `${counted.documents} ${what} of ${counted.bytes} bytes are stored`
  return `${stored}, counted as ${counter.documents} of ${counter.bytes}`
}

function* counterOf(tx: ReadTx, id: number): Program<Count> {
  return yield* tx.count(countKey(id))
}

function* countRange(range: KeyRange, sizeOf: SizeOf): Sweep<Count> {
  const size = new StepSize()
  let { start } = range
  let documents = 0
  let bytes = 0
  for (;;) {
    const part: KeyRange = { start, end: range.end }
    const { limit } = size
    const entries = yield* readPhase(function* (tx) {
      return yield* tx.scan(part, limit)
    })
    documents += entries.length
    for (const entry of entries) bytes += sizeOf(entry)
    const last = entries.at(-1)
    if (last === undefined || entries.length < limit) return { documents, bytes }
    start = concatBytes(last.key, Uint8Array.of(0))
    size.saw(entries.length, bytesOf(entries))
  }
}

/** Whether the counter equals the count of one pass; otherwise the exact check follows. */
export function* isCounted(id: number, counted: Count): Sweep<boolean> {
  const { documents, bytes } = yield* readPhase((tx) => counterOf(tx, id))
  return documents === counted.documents && bytes === counted.bytes
}
