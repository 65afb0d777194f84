// Checks expiry times. A key that expires has exactly one record in the expiry class. Each record
// there belongs to a key that expires at that time. Both are read in one state.

import { type Bytes, equalBytes } from '../../base/bytes/bytes.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Sweep } from '../../store/sweep.js'
import type { Document } from '../../value/value.js'
import { documentOfRecord } from '../collection/records.js'
import { dueOf, expiryKey, namespaceOfRecord } from '../keyspace/keys/expiry.js'
import { never, readKeyDocument } from '../keyspace/keys/key.js'
import { hexOf, isUnreadable, messageOf, stepRange } from './check-steps.js'
import { keyspaceIds } from './check-strays.js'

/** Class, time and the id of a collection. */
const expiryKeyBytesMin = 13

/** Describes expiry records that belong to no key. */
export function* checkExpiry(): Sweep<string[]> {
  const texts: string[] = []
  const range = { start: Uint8Array.of(keyClass.expiry), end: Uint8Array.of(keyClass.expiry + 1) }
  const look = function* (tx: ReadTx, entries: readonly { readonly key: Bytes }[]) {
    if (entries.length === 0) return []
    const keyspaces = yield* keyspaceIds(tx)
    const found: string[] = []
    for (const { key } of entries) {
      const wrong = yield* wrongTime(tx, key, keyspaces)
      if (wrong !== undefined) found.push(`time ${hexOf(key)} ${wrong}`)
    }
    return found
  }
  const end = yield* stepRange(range, look, (found) => texts.push(...found))
  return end === undefined ? texts : [...texts, `times: ${end}`]
}

/** Describes a missing expiry record of a key; the key is `document`, under `record`. */
export function* missingTime(
  tx: ReadTx,
  record: Bytes,
  document: Document,
): Program<string | undefined> {
  const { expiresAt } = readKeyDocument(document)
  if (expiresAt === never) return undefined
  const key = expiryKey(expiresAt, record)
  if ((yield* tx.get(key)) !== undefined) return undefined
  return `time ${hexOf(key)} is missing`
}

function* wrongTime(
  tx: ReadTx,
  key: Bytes,
  keyspaces: ReadonlySet<number>,
): Program<string | undefined> {
  if (key.length < expiryKeyBytesMin) return 'leads nowhere'
  const { record } = dueOf(key)
  const stored = yield* tx.get(record)
  if (stored === undefined) return 'leads to no record'
  if (!keyspaces.has(namespaceOfRecord(record))) return 'leads to what is no key'
  try {
    const { expiresAt } = readKeyDocument(yield* documentOfRecord(tx, stored))
    const isRight = expiresAt !== never && equalBytes(expiryKey(expiresAt, record), key)
    return isRight ? undefined : 'is not when its key ends'
  } catch (error) {
    // The check of records reports an unreadable record.
    if (isUnreadable(error)) return undefined
    return `leads to a record that is no key: ${messageOf(error)}`
  }
}
