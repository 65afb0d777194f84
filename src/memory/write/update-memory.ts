// The changes of a written memory: until when it is valid, and whether another supersedes it. Text
// and entities are hashed; a correction is a new memory. (docs/memory.md, "Routes")

import { fail } from '../../base/errors.js'
import type { Program, Tx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { noteChange } from '../graph/graph-settings.js'
import type { MemoryStatus } from '../nodes/node.js'
import { writePostings } from '../postings/postings.js'
import { recordState } from '../proof/leaves/leaf-writing.js'
import { findDuplicate, requireMemory } from './memory-plan.js'
import { postedOf, replaceMemory } from './remember.js'

export interface MemoryChange {
  readonly status?: MemoryStatus | undefined
  /** Milliseconds since 1970; null: no end. */
  readonly validTo?: number | null | undefined
}

/** Returns the stored memory. Throws NodeNotFound, AlreadyExists. */
export function* updateMemory(
  tx: Tx,
  graph: Graph,
  id: string,
  change: MemoryChange,
  now: number,
): Program<Document> {
  const before = yield* requireMemory(tx, graph, id)
  const { status = before.status } = change
  const validTo = change.validTo === undefined ? before.validTo : (change.validTo ?? undefined)
  const { contentKey } = before
  if (status === 'active' && before.status !== 'active' && contentKey !== undefined) {
    const same = yield* findDuplicate(tx, graph, { contentKey })
    if (same !== undefined) throw fail('AlreadyExists', 'an active memory has the same content')
  }
  yield* writePostings(tx, graph.terms, (postings) =>
    postings.setStatus(postedOf(before), status === 'superseded'),
  )
  yield* noteChange(tx, graph.anchors)
  const after = yield* replaceMemory(tx, graph, { ...before, status, validTo, updatedAt: now })
  yield* recordState(tx, graph, after, now)
  return after
}
