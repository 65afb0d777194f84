// Applies the changes that a program has buffered, in the write program that makes them visible.
// (docs/design/transactions.md, rules 2 and 18)

import type { Bytes } from '../../base/bytes/bytes.js'
import type { WriteBuffer } from '../programs/write-buffer.js'
import type { KeyChange, Tx } from '../store.js'

/**
 * Applies everything but the changes and records of a large buffer, which the store makes itself.
 * Returns the counters that were added to.
 */
export function applyBuffer(tx: Tx, buffer: WriteBuffer): readonly Bytes[] {
  const counters: Bytes[] = []
  if (!buffer.isLarge) {
    for (const change of buffer.changes) applyChange(tx, change)
    for (const record of buffer.appended ?? []) tx.append(record)
  }
  for (const { key, documents, bytes } of buffer.additions?.values() ?? []) {
    tx.add(key, documents, bytes)
    counters.push(key)
  }
  for (const event of buffer.announced ?? []) tx.announce?.(event)
  return counters
}

export function applyChange(tx: Tx, { key, value }: KeyChange): void {
  if (value === undefined) tx.remove(key)
  else tx.put(key, value)
}
