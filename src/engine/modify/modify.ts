// Updates and deletes as sweeps: reads find record keys; write programs check the documents again
// and change them. So a write never searches far and never pauses. Completed changes are permanent,
// as on MongoDB. (docs/design/transactions.md, rules 1 to 3 and 17)

import { fail } from '../../base/errors.js'
import { modifyRunsMax } from '../../base/limits/documents.js'
import type { Filter } from '../../query/filter.js'
import type { Program, Tx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import type { Value } from '../../value/value.js'
import { findNamespace } from '../collection/catalog/catalog.js'
import { getDocument, stagedWrite } from '../collection/collections.js'
import type { Staged } from '../collection/staging.js'
import { conditionsOf } from '../plan/bounds.js'
import { planQuery } from '../plan/planner.js'
import { type FoundPlaces, Walk } from '../sources/walk.js'
import type { Guarded } from '../types.js'
import { type Candidate, findCandidate, isInPlace } from './modify-candidate.js'
import {
  type ChangeAt,
  type Changed,
  flushed,
  type Ran,
  removalAt,
  removeAt,
  requireAssumed,
  requireNew,
  type Selection,
  type Target,
  type UpdateResult,
  type UpdateSpec,
  updateAt,
} from './modify-spec.js'
import { changeMany, type Tally } from './modify-sweep.js'
import { upsert } from './upsert.js'

/** Maximum candidates of a search by sort, since other clients may take some meanwhile. */
const candidatesMax = 128

/**
 * Updates the first document that matches. Throws errors of the update and the indexes; the
 * document is then unchanged.
 */
export function* updateOne(target: Target, spec: UpdateSpec): Sweep<UpdateResult> {
  return resultOf(yield* updateFirst(target, spec))
}

/** The counts of one change. */
export function resultOf(changed: Changed | undefined): UpdateResult {
  if (changed === undefined) return { matched: 0, modified: 0 }
  const { before, after, upsertedId } = changed
  if (before === undefined) return { matched: 0, modified: 0, upsertedId }
  return { matched: 1, modified: before === after ? 0 : 1 }
}

/** The counts of a change that an earlier attempt has made. */
export function resultOfRan({ isModified, upsertedId }: Ran): UpdateResult {
  if (upsertedId !== undefined) return { matched: 0, modified: 0, upsertedId }
  return { matched: 1, modified: isModified ? 1 : 0 }
}

/** Updates all documents that match. Updates before an error stay. */
export function* updateMany(target: Target, spec: UpdateSpec): Sweep<UpdateResult> {
  const { update } = spec
  const change = { selection: spec, update, changeAt: updateAt(spec) }
  for (let run = 0; run < modifyRunsMax; run++) {
    const tally: Tally = { matched: 0, modified: 0 }
    yield* changeMany(target, change, tally)
    if (tally.matched > 0 || !spec.upsert) return tally
    const inserted = yield* upsert(target, spec, run === 0)
    if (inserted !== undefined) return resultOf(inserted)
  }
  throw keptChanging()
}

/** Deletes the first document that matches; returns the number of deleted documents. */
export function* deleteOne(target: Target, selection: Selection): Sweep<number> {
  return (yield* deleteFirst(target, selection)) === undefined ? 0 : 1
}

/** Deletes all documents that match; returns their number. */
export function* deleteMany(target: Target, selection: Selection): Sweep<number> {
  const tally: Tally = { matched: 0, modified: 0 }
  yield* changeMany(target, { selection, update: undefined, changeAt: removeAt }, tally)
  return tally.modified
}

/** findAndModify with an update: the document before and after; undefined if none matched. */
export function* updateFirst(target: Target, spec: UpdateSpec): Sweep<Changed | undefined> {
  const changeAt = updateAt(spec)
  for (let run = 0; run < modifyRunsMax; run++) {
    const changed = yield* changeFirst(target, spec, changeAt)
    if (changed !== undefined || !spec.upsert) return changed
    const inserted = yield* upsert(target, spec, run === 0)
    if (inserted !== undefined) return inserted
  }
  throw keptChanging()
}

/** findAndModify with remove: the deleted document as `before`; undefined if none matched. */
export function deleteFirst(target: Target, selection: Selection): Sweep<Changed | undefined> {
  return changeFirst(target, selection, removalAt(selection))
}

function keptChanging(): Error {
  return fail('WriteConflict', 'the documents kept changing while one of them was being selected')
}

/** The outcome of a write program. */
type Outcome =
  | { readonly kind: 'changed'; readonly changed: Changed }
  /** Nothing matches; the candidate no longer matches; more than one write program is needed. */
  | { readonly kind: 'missing' | 'stale' | 'search' }

const missing: Outcome = { kind: 'missing' }
const stale: Outcome = { kind: 'stale' }
const search: Outcome = { kind: 'search' }

/** Changes the first document that matches with `changeAt`; undefined if none matched. */
export function* changeFirst(
  target: Target,
  selection: Selection,
  changeAt: ChangeAt,
): Sweep<Changed | undefined> {
  for (let run = 0; run < modifyRunsMax; run++) {
    const outcome = yield* findAndChange(target, selection, changeAt, countIn(run))
    if (outcome.kind === 'changed') return outcome.changed
    if (outcome.kind === 'missing') return undefined
  }
  throw keptChanging()
}

/** Number of candidates of a search by sort: more after each lost race. */
function countIn(run: number): number {
  return Math.min(8 ** run, candidatesMax)
}

function* findAndChange(
  target: Target,
  selection: Selection,
  changeAt: ChangeAt,
  count: number,
): Sweep<Outcome> {
  if (isPointOfId(selection.filter)) {
    const outcome = yield* changePoint(target, selection, changeAt)
    if (outcome.kind !== 'search') return outcome
  }
  let walk: Walk | undefined
  for (;;) {
    const from = walk
    const next = yield* readPhase((tx) => findCandidate(tx, target, selection, from, count))
    if (next === undefined) return missing
    if (next === 'single') return yield* changePoint(target, selection, changeAt)
    const outcome = yield* stagedWrite((tx, staged) =>
      flushed(tx, selection, changeCandidate(tx, target, selection, next, changeAt, staged)),
    )
    // A candidate that changed meanwhile is skipped; with a sort, the search restarts.
    if (outcome.kind !== 'stale' || next.walk === undefined) return outcome
    walk = next.walk
  }
}

/** Whether the filter names one `_id`: then one write program suffices. */
export function isPointOfId(filter: Filter): boolean {
  return idsOf(filter).length > 0
}

/** The values that a filter requires of `_id`. */
export function idsOf(filter: Filter): Value[] {
  const predicates = conditionsOf(filter.tree, filter.collation).byPath.get('_id') ?? []
  const ids: Value[] = []
  for (const { intervals } of predicates) {
    const only = intervals.at(0)
    if (intervals.length === 1 && only?.isPoint === true) ids.push(only.low.value)
  }
  return ids
}

/** Finds and changes in one write program, if a unique key leads to the document. */
function changePoint(target: Target, selection: Selection, changeAt: ChangeAt): Sweep<Outcome> {
  return stagedWrite((tx, staged) =>
    flushed(tx, selection, changeNew(tx, target, selection, changeAt, staged)),
  )
}

/** Asks the record first: a store elsewhere then reads it together with the document. */
function* changeNew(
  tx: Tx & Guarded,
  target: Target,
  selection: Selection,
  changeAt: ChangeAt,
  staged: Staged,
): Program<Outcome> {
  yield* requireNew(tx, selection.record)
  return yield* changeSingle(tx, target, selection, changeAt, staged)
}

/** The program of changePoint; `search` if no unique key leads to the document. */
export function* changeSingle(
  tx: Tx & Guarded,
  target: Target,
  selection: Selection,
  changeAt: ChangeAt,
  staged: Staged,
): Program<Outcome> {
  const ns = yield* findNamespace(tx, target.db, target.name)
  if (ns === undefined) return missing
  requireAssumed(ns, selection)
  const plan = planQuery(ns, selection)
  if (plan.accesses.every(({ kind }) => kind === 'nothing')) return missing
  if (!plan.isSingle) return search
  const found: FoundPlaces = { documents: [], keys: [] }
  yield* new Walk(ns, plan, selection.filter).read(tx, 1, found)
  const [document] = found.documents
  const [key] = found.keys
  if (document === undefined || key === undefined) return missing
  return { kind: 'changed', changed: yield* changeAt(tx, ns, { key, document }, staged) }
}

function* changeCandidate(
  tx: Tx & Guarded,
  target: Target,
  selection: Selection,
  candidate: Candidate,
  changeAt: ChangeAt,
  staged: Staged,
): Program<Outcome> {
  const ns = yield* findNamespace(tx, target.db, target.name)
  if (ns?.id !== candidate.namespaceId) return stale
  for (const place of candidate.places) {
    const { key } = place
    const document = yield* getDocument(tx, ns, key)
    // Another client has taken it, so the next one is now first.
    if (document === undefined || !selection.filter.matches(document)) continue
    if (!isInPlace(selection, place, document)) return stale
    return { kind: 'changed', changed: yield* changeAt(tx, ns, { key, document }, staged) }
  }
  return stale
}
