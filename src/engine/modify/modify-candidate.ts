// Searches for the one document that an update, delete or findAndModify will change. A read phase
// returns a candidate, and the following write program checks that it still matches.

import { type Bytes, compareBytes, equalBytes } from '../../base/bytes/bytes.js'
import { pullDocumentsMax } from '../../base/limits/engine.js'
import { entryUnits } from '../../base/work/work-figures.js'
import type { Sort } from '../../query/sort.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { findNamespace } from '../collection/catalog/catalog.js'
import { choosePlan } from '../plan/plan-choice.js'
import { planQuery } from '../plan/planner.js'
import { type FoundPlaces, Walk } from '../sources/walk.js'
import type { Guarded, NamespaceId } from '../types.js'
import { requireAssumed, type Selection, type Target } from './modify-spec.js'

export interface Candidate {
  readonly namespaceId: NamespaceId
  /** The first matches, in the requested order. */
  readonly places: readonly CandidatePlace[]
  /** Where the search continues; undefined if it must restart. */
  readonly walk: Walk | undefined
}

interface CandidatePlace {
  readonly key: Bytes
  /** Its sort key. */
  readonly sortKey: Bytes | undefined
}

/**
 * The first document that matches, or the next after `from`; undefined if there is none. `single`:
 * a unique index decides, so a write program can search itself. With a sort it returns the first
 * `count`, so that concurrent consumers of one queue find different documents.
 */
export function* findCandidate(
  tx: ReadTx & Guarded,
  target: Target,
  selection: Selection,
  from: Walk | undefined,
  count: number,
): Program<Candidate | 'single' | undefined> {
  const ns = yield* findNamespace(tx, target.db, target.name)
  if (ns === undefined) return undefined
  if (from !== undefined) return yield* nextOf(tx, from, ns.id)
  requireAssumed(ns, selection)
  const first = planQuery(ns, selection)
  const query = { limit: count, ...selection }
  const plan = yield* choosePlan(tx, ns, query, first, target.choices)
  if (plan.isSingle) return 'single'
  const { sort, filter } = selection
  const walk = new Walk(ns, plan, filter)
  if (sort === undefined) return yield* nextOf(tx, walk, ns.id)
  const places = plan.isSorted
    ? yield* firstOf(tx, walk, sort, count)
    : yield* leastOf(tx, walk, sort, count)
  return places.length === 0 ? undefined : { namespaceId: ns.id, places, walk: undefined }
}

/** Whether a matching document still has the sort position at which it was found. */
export function isInPlace(
  { sort }: Selection,
  { sortKey }: CandidatePlace,
  document: Document,
): boolean {
  return sort === undefined || sortKey === undefined || equalBytes(sort.key(document), sortKey)
}

function* nextOf(tx: ReadTx, walk: Walk, namespaceId: NamespaceId): Program<Candidate | undefined> {
  const found: FoundPlaces = { documents: [], keys: [] }
  yield* walk.read(tx, 1, found)
  const [key] = found.keys
  if (key === undefined) return undefined
  return { namespaceId, places: [{ key, sortKey: undefined }], walk }
}

function* firstOf(
  tx: ReadTx,
  walk: Walk,
  sort: Sort,
  count: number,
): Program<readonly CandidatePlace[]> {
  const places: CandidatePlace[] = []
  while (!walk.drained && places.length < count) {
    places.push(...(yield* readPlaces(tx, walk, sort, count - places.length)))
  }
  return places
}

function* leastOf(
  tx: ReadTx,
  walk: Walk,
  sort: Sort,
  count: number,
): Program<readonly CandidatePlace[]> {
  const least: CandidatePlace[] = []
  while (!walk.drained) {
    for (const place of yield* readPlaces(tx, walk, sort, pullDocumentsMax)) {
      keepLeast(least, place, count)
    }
  }
  return least
}

/** Among equal positions, the one found first stays first. */
function keepLeast(least: CandidatePlace[], place: CandidatePlace, count: number): void {
  let at = least.length
  while (at > 0 && bySortKey(least[at - 1] as CandidatePlace, place) > 0) at--
  if (at >= count) return
  least.splice(at, 0, place)
  if (least.length > count) least.pop()
}

function* readPlaces(tx: ReadTx, walk: Walk, sort: Sort, most: number): Program<CandidatePlace[]> {
  const found: FoundPlaces = { documents: [], keys: [] }
  yield* walk.read(tx, most, found)
  yield* tx.pause(found.documents.length * entryUnits)
  return found.documents.map((document, i) => ({
    key: found.keys[i] as Bytes,
    sortKey: sort.key(document),
  }))
}

function bySortKey(a: CandidatePlace, b: CandidatePlace): number {
  return compareBytes(a.sortKey as Bytes, b.sortKey as Bytes)
}
