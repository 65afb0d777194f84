// Passes what a program has read ahead of a large sorted set to later programs. Only the version of
// the set's record tells whether it still holds (kept-aheads.ts).

import { type Bytes, equalBytes } from '../../../base/bytes/bytes.js'
import { Done } from '../../../store/steps.js'
import type { Program } from '../../../store/store.js'
import type { Head } from '../containers/head.js'
import type { Keyspace } from '../keyspace.js'
import { lookUpVersioned } from '../look-up.js'
import type { Ahead } from './sorted-set-ahead.js'

/** The head of an open set, and the store's key of its record. */
interface Opened {
  readonly head: Head | undefined
  readonly record: Bytes
}

/** Continues with what an earlier program read ahead, if the set is unchanged since. */
export function* recallAhead(
  { tx, work }: Keyspace,
  ahead: Ahead,
  { head, record }: Opened,
): Program<void> {
  if (!ahead.isUntouched || head === undefined) return
  const kept = work.hints?.recallAhead(head.id)
  if (kept === undefined || !equalBytes(kept.record, record)) return
  const stored = yield* tx.getVersioned(record)
  if (stored?.version === kept.version) ahead.recall(kept.rest)
}

/** Keeps what was read ahead for later programs; the set's record is up to date. */
export function keepAhead({ tx, work }: Keyspace, ahead: Ahead, { head, record }: Opened): void {
  const { hints, prepares } = work
  // The changes of an optimistic program get other versions when they are applied.
  if (hints === undefined || prepares || head === undefined) return
  const rest = ahead.rest()
  if (rest === undefined) return
  const stored = lookUpVersioned(tx, record)
  const version = stored instanceof Done ? stored.value?.version : undefined
  if (version !== undefined) hints.keepAhead(head.id, { record, version, rest })
}
