// Changes many documents: a pausable read collects keys, and bounded write programs change the
// documents. If changes could move entries still to be found, all keys are collected first
// (Halloween problem). If those are too many, it walks the records, whose keys no update changes.
// (docs/design/transactions.md, rules 2 and 3)

import type { Bytes } from '../../base/bytes/bytes.js'
import { GatewayError, hasKind } from '../../base/errors.js'
import { pullDocumentsMax, sweepBytesTarget, sweepDocumentsMax } from '../../base/limits/engine.js'
import { MiB } from '../../base/units.js'
import { isTooMuchWork, work } from '../../base/work/work-budget.js'
import type { Update } from '../../query/update.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import { parsePath } from '../../value/path.js'
import { documentValue } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { findNamespace } from '../collection/catalog/catalog.js'
import { stagedWrite } from '../collection/collections.js'
import { documentOfRecord } from '../collection/records.js'
import type { Staged } from '../collection/staging.js'
import type { Plan } from '../plan/plan.js'
import { choosePlan } from '../plan/plan-choice.js'
import { planQuery } from '../plan/planner.js'
import { type FoundPlaces, Walk } from '../sources/walk.js'
import type { Guarded, Namespace, NamespaceId } from '../types.js'
import { type ChangeAt, requireAssumed, type Selection, type Target } from './modify-spec.js'

/**
 * Keys that a sweep collects before it changes anything, bytes
 * (docs/design/transactions.md, rule 3).
 */
const sweepKeysBytesMax = 64 * MiB

interface ManyChange {
  readonly selection: Selection
  /** The update, which may move entries; undefined for a delete. */
  readonly update: Update | undefined
  readonly changeAt: ChangeAt
}

export interface Tally {
  matched: number
  modified: number
}

/**
 * Changes every document that matches, and counts changes in `tally`, including those before an
 * error, which ends the sweep.
 */
export function* changeMany(target: Target, change: ManyChange, tally: Tally): Sweep<void> {
  let from: Walk | undefined
  let size = sweepDocumentsMax
  do {
    const walk = from
    const found = yield* readPhase((tx) => collect(tx, target, change, walk))
    if (found === undefined) return
    size = yield* changeKeys(target, change, found, tally, size)
    from = found.walk
  } while (!from.drained)
}

/** Keys to change, found by a read, and where the read continues. */
interface Keys {
  readonly namespaceId: NamespaceId
  readonly keys: readonly Bytes[]
  readonly walk: Walk
}

/** All keys, or those of the next batch; undefined if there is no collection. */
function* collect(
  tx: ReadTx & Guarded,
  target: Target,
  { selection, update }: ManyChange,
  from: Walk | undefined,
): Program<Keys | undefined> {
  const ns = yield* findNamespace(tx, target.db, target.name)
  if (ns === undefined) return undefined
  if (from !== undefined) return yield* nextKeys(tx, ns, from)
  requireAssumed(ns, selection)
  const { filter, hint } = selection
  const first = planQuery(ns, { filter, hint })
  const plan = yield* choosePlan(tx, ns, { filter }, first, target.choices)
  const walk = new Walk(ns, plan, filter)
  if (!mayMove(plan, update)) return yield* nextKeys(tx, ns, walk)
  const all = yield* allKeys(tx, ns, walk)
  if (all !== undefined) return all
  const natural = planQuery(ns, { filter, hint: naturalHint })
  return yield* nextKeys(tx, ns, new Walk(ns, natural, filter))
}

const naturalHint = documentValue(writeDocument((out) => out.int32('$natural', 1)))

/** Whether the plan's scan could meet changed documents again. */
function mayMove(plan: Plan, update: Update | undefined): boolean {
  if (update === undefined) return false
  return plan.accesses.some((access) => {
    if (access.kind !== 'entries') return false
    const { fields, wildcard } = access.index
    // Its entries may be of any path.
    if (wildcard !== undefined && wildcard.scan?.path === undefined) return true
    return fields.some(({ path }) => update.changes(parsePath(path)))
  })
}

function* nextKeys(tx: ReadTx, ns: Namespace, walk: Walk): Program<Keys> {
  const found: FoundPlaces = { documents: [], keys: [] }
  yield* walk.read(tx, pullDocumentsMax, found)
  return { namespaceId: ns.id, keys: found.keys, walk }
}

/** Undefined if they exceed sweepKeysBytesMax. */
function* allKeys(tx: ReadTx, ns: Namespace, walk: Walk): Program<Keys | undefined> {
  const keys: Bytes[] = []
  let bytes = 0
  while (!walk.drained) {
    const next = yield* nextKeys(tx, ns, walk)
    for (const key of next.keys) {
      bytes += key.length
      keys.push(key)
    }
    if (bytes > sweepKeysBytesMax) return undefined
  }
  return { namespaceId: ns.id, keys, walk }
}

/** The progress of a write program. */
interface Done {
  /** Keys processed. */
  readonly keys: number
  readonly tally: Tally
  /** Why it stopped; earlier changes are committed. */
  readonly error?: GatewayError
}

/** `atFirst`: keys for the first program. Returns those for the next one behind all of these. */
function* changeKeys(
  target: Target,
  change: ManyChange,
  { keys, namespaceId }: Keys,
  tally: Tally,
  atFirst: number,
): Sweep<number> {
  let size = atFirst
  for (let at = 0; at < keys.length; ) {
    const part = keys.slice(at, at + size)
    let done: Done
    try {
      done = yield* stagedWrite((tx, staged) =>
        changePart(tx, target, change, namespaceId, part, staged),
      )
    } catch (error) {
      const isTooLarge = hasKind(error, 'TransactionTooLarge') || isTooMuchWork(error)
      if (!isTooLarge || size === 1) throw error
      size = Math.ceil(size / 2)
      continue
    }
    at += done.keys
    tally.matched += done.tally.matched
    tally.modified += done.tally.modified
    if (done.error !== undefined) throw done.error
    // A program that stopped before its last key has read more records than it needed.
    size = done.keys < part.length ? done.keys : Math.min(size * 2, pullDocumentsMax)
  }
  return size
}

function* changePart(
  tx: Tx & Guarded,
  target: Target,
  { selection, changeAt }: ManyChange,
  namespaceId: NamespaceId,
  keys: readonly Bytes[],
  staged: Staged,
): Program<Done> {
  const tally: Tally = { matched: 0, modified: 0 }
  const ns = yield* findNamespace(tx, target.db, target.name)
  // The collection was dropped meanwhile, so nothing of it exists.
  if (ns?.id !== namespaceId) return { keys: keys.length, tally }
  const count = Math.min(keys.length, documentsMax(tx))
  const records = yield* tx.getMany(keys.slice(0, count))
  let bytes = 0
  for (let i = 0; i < count; i++) {
    const record = records[i]
    if (record === undefined) continue
    const document = yield* documentOfRecord(tx, record)
    if (!selection.filter.matches(document)) continue
    try {
      const place = { key: keys[i] as Bytes, document }
      const { before, after } = yield* changeAt(tx, ns, place, staged)
      if (before !== after) tally.modified++
    } catch (error) {
      // A refused document leaves no trace, so earlier changes are kept.
      if (!(error instanceof GatewayError) || isTooMuchWork(error)) throw error
      if (hasKind(error, 'TransactionTooLarge')) throw error
      return { keys: i, tally, error }
    }
    tally.matched++
    bytes += document.length
    if (bytes >= sweepBytesTarget || work.isDue) return { keys: i + 1, tally }
  }
  return { keys: count, tally }
}

/** Where a program costs round trips, it takes all keys that one read collects. */
function documentsMax(tx: Tx): number {
  return tx.readAhead === undefined ? sweepDocumentsMax : pullDocumentsMax
}
