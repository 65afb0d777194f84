// The search for the one document that an update, delete or findAndModify will change: a read phase
// answers a candidate, and the write program that follows asks whether it still is one.

import { type Bytes, compareBytes, equalBytes } from '../../base/bytes.js'
import { pullDocumentsMax } from '../../base/limits.js'
import { entryUnits } from '../../base/work-figures.js'
import type { Sort } from '../../query/sort.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { findNamespace } from '../collection/catalog.js'
import { choosePlan } from '../plan/plan-choice.js'
import { planQuery } from '../plan/planner.js'
import { type FoundPlaces, Walk } from '../sources/walk.js'
import type { Guarded, NamespaceId } from '../types.js'
import { requireAssumed, type Selection, type Target } from './modify-spec.js'

export interface Candidate {
  readonly namespaceId: NamespaceId
  readonly key: Bytes
  /** Its place in the order that was asked for. */
  readonly sortKey: Bytes | undefined
  /** Where the search goes on; undefined where it has to begin again. */
  readonly walk: Walk | undefined
}

/**
 * The first document that matches, or the next one after `from`; undefined where there is none.
 * `single`: a unique index answers, so a write program can look for itself.
 */
export function* findCandidate(
  tx: ReadTx & Guarded,
  target: Target,
  selection: Selection,
  from: Walk | undefined,
): Program<Candidate | 'single' | undefined> {
  const ns = yield* findNamespace(tx, target.db, target.name)
  if (ns === undefined) return undefined
  if (from !== undefined) return yield* nextOf(tx, from, ns.id)
  requireAssumed(ns, selection)
  const first = planQuery(ns, selection)
  const plan = yield* choosePlan(tx, ns, { ...selection, limit: 1 }, first, target.choices)
  if (plan.isSingle) return 'single'
  const { sort, filter } = selection
  const walk = new Walk(ns, plan, filter)
  if (sort === undefined) return yield* nextOf(tx, walk, ns.id)
  return plan.isSorted
    ? yield* firstOf(tx, walk, sort, ns.id)
    : yield* leastOf(tx, walk, sort, ns.id)
}

/** Whether a document as it is now would be chosen again. */
export function isStillBest(
  { filter, sort }: Selection,
  { sortKey }: Candidate,
  document: Document,
): boolean {
  if (!filter.matches(document)) return false
  return sort === undefined || sortKey === undefined || equalBytes(sort.key(document), sortKey)
}

function* nextOf(tx: ReadTx, walk: Walk, namespaceId: NamespaceId): Program<Candidate | undefined> {
  const found: FoundPlaces = { documents: [], keys: [] }
  yield* walk.read(tx, 1, found)
  const [key] = found.keys
  return key === undefined ? undefined : { namespaceId, key, sortKey: undefined, walk }
}

function* firstOf(
  tx: ReadTx,
  walk: Walk,
  sort: Sort,
  namespaceId: NamespaceId,
): Program<Candidate | undefined> {
  const found: FoundPlaces = { documents: [], keys: [] }
  yield* walk.read(tx, 1, found)
  const [document] = found.documents
  const [key] = found.keys
  if (document === undefined || key === undefined) return undefined
  return { namespaceId, key, sortKey: sort.key(document), walk: undefined }
}

function* leastOf(
  tx: ReadTx,
  walk: Walk,
  sort: Sort,
  namespaceId: NamespaceId,
): Program<Candidate | undefined> {
  let least: Candidate | undefined
  while (!walk.drained) {
    const found: FoundPlaces = { documents: [], keys: [] }
    yield* walk.read(tx, pullDocumentsMax, found)
    found.documents.forEach((document, i) => {
      const key = found.keys[i] as Bytes
      const sortKey = sort.key(document)
      if (least?.sortKey !== undefined && compareBytes(sortKey, least.sortKey) >= 0) return
      least = { namespaceId, key, sortKey, walk: undefined }
    })
    yield* tx.pause(found.documents.length * entryUnits)
  }
  return least
}
