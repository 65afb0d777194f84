// Counts index entries without reading records, for queries whose bounds are exact on an index
// where each entry represents one document.

import { scanEntriesMax } from '../../base/limits/engine.js'
import type { Program, ReadTx } from '../../store/store.js'
import { findAgain } from '../collection/catalog/catalog.js'
import { hasSameArrays } from '../index/wildcard-paths.js'
import { type Access, isMultikey } from '../plan/plan.js'
import type { IndexDescriptor, Namespace } from '../types.js'
import { SpanCursor } from './span-cursor.js'

/**
 * Number of entries in the spans of an access to a non-multikey index, up to `enough`. Undefined if
 * the index changed meanwhile, so that an entry may no longer represent one document.
 */
export function* countEntries(
  tx: ReadTx,
  ns: Namespace,
  access: Extract<Access, { kind: 'entries' }>,
  enough: number,
): Program<number | undefined> {
  const position = new SpanCursor(access.spans, false)
  let count = 0
  for (let range = position.range(); range !== undefined; range = position.range()) {
    if (count >= enough) break
    const limit = Math.min(scanEntriesMax, enough - count)
    const entries = yield* tx.scan(range, limit)
    count += entries.length
    const last = entries.at(-1)
    if (last === undefined || entries.length < limit) position.finishSpan()
    else position.passed(last.key)
  }
  const now = yield* findAgain(tx, ns)
  if (now?.id !== ns.id) return undefined
  const index = now.indexes.find((other) => other.id === access.index.id)
  return index !== undefined && isUnchanged(access.index, index) ? count : undefined
}

function isUnchanged(before: IndexDescriptor, now: IndexDescriptor): boolean {
  return before.wildcard === undefined ? !isMultikey(now) : hasSameArrays(before, now)
}
