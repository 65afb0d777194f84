// Runs several operations of one command that each name an `_id` in one write program. With a
// commit for each, a thousand updates would wait for a thousand commits. The result is the same as
// one by one. (docs/design/transactions.md, rule 2)

import { GatewayError, hasKind } from '../../base/errors.js'
import { sweepBytesTarget } from '../../base/limits/engine.js'
import { isTooMuchWork, work } from '../../base/work/work-budget.js'
import { ReadAhead } from '../../store/read-ahead.js'
import type { Program, Tx } from '../../store/store.js'
import type { Sweep } from '../../store/sweep.js'
import { findNamespace } from '../collection/catalog/catalog.js'
import { recordKey, stagedWrite } from '../collection/collections.js'
import { isSequenced } from '../collection/kinds/capped-order.js'
import type { Staged } from '../collection/staging.js'
import type { Guarded, Namespace } from '../types.js'
import { changeSingle, idsOf, isPointOfId } from './modify.js'
import {
  type ChangeAt,
  type Changed,
  type Ran,
  removalAt,
  type Selection,
  type Target,
  type UpdateSpec,
  updateAt,
} from './modify-spec.js'
import { insertUnlessMatched } from './upsert.js'

/** An update or delete of the one document that its filter names by `_id`. */
export interface PointOperation {
  readonly selection: Selection
  readonly changeAt: ChangeAt
  /** For an update with upsert: the update to insert from if nothing matches. */
  readonly upsert: UpdateSpec | undefined
}

export type PointOutcome =
  /** Undefined if nothing matches. */
  | { readonly changed: Changed | undefined }
  | { readonly error: GatewayError }
  /** An earlier attempt of a retryable write has run it. */
  | { readonly ran: Ran }

/** The operation of an update; undefined if it must search for its document. */
export function pointUpdate(spec: UpdateSpec): PointOperation | undefined {
  if (!isPoint(spec)) return undefined
  return { selection: spec, changeAt: updateAt(spec), upsert: spec.upsert ? spec : undefined }
}

/** The operation of a delete; undefined if it must search for its document. */
export function pointDelete(selection: Selection): PointOperation | undefined {
  return isPoint(selection)
    ? { selection, changeAt: removalAt(selection), upsert: undefined }
    : undefined
}

/**
 * Whether the operation reads by `_id`: only then a program sees its own earlier changes. Index
 * scans show the state at the program's start.
 */
function isPoint({ filter, hint }: Selection): boolean {
  return hint === undefined && isPointOfId(filter)
}

/**
 * Runs operations in order, as many as fit one write program; one outcome for each that ran, none
 * if the first must search. An error belongs to one operation; with `stopAtError` it is the last
 * outcome.
 */
export function* changePoints(
  target: Target,
  operations: readonly PointOperation[],
  stopAtError: boolean,
): Sweep<readonly PointOutcome[]> {
  for (let size = operations.length; ; size >>>= 1) {
    const part = operations.slice(0, size)
    try {
      return yield* stagedWrite((tx, staged) => changeAll(tx, target, part, stopAtError, staged))
    } catch (error) {
      if (isTooMuchWork(error) && size <= 1) return [{ error: error as GatewayError }]
      const isTooLarge = hasKind(error, 'TransactionTooLarge') || isTooMuchWork(error)
      if (!isTooLarge || size <= 1) throw error
    }
  }
}

function* changeAll(
  tx: Tx & Guarded,
  target: Target,
  operations: readonly PointOperation[],
  stopAtError: boolean,
  staged: Staged,
): Program<readonly PointOutcome[]> {
  const outcomes: PointOutcome[] = []
  let bytes = 0
  const ns = yield* findNamespace(tx, target.db, target.name)
  // With sequence numbers an `_id` is found by an index, if at all: see isPoint.
  const most = ns !== undefined && isSequenced(ns) ? 1 : operations.length
  const ahead = ns === undefined ? undefined : pointsAhead(tx, ns, operations.slice(0, most))
  for (const [index, operation] of operations.slice(0, most).entries()) {
    if (ahead !== undefined) yield* ahead.before(index)
    const outcome = yield* changeOne(tx, target, operation, staged)
    if (outcome === undefined) break
    outcomes.push(outcome)
    const isError = 'error' in outcome
    if (isError && stopAtError) break
    if ('changed' in outcome) bytes += outcome.changed?.after?.length ?? 0
    if (bytes >= sweepBytesTarget || work.isDue) break
  }
  // The statements of a command share their rows.
  const record = operations[0]?.selection.record
  if (record !== undefined) yield* record.flush(tx)
  return outcomes
}

/** For a loop over operations: their documents. */
function pointsAhead(
  tx: Tx,
  ns: Namespace,
  operations: readonly PointOperation[],
): ReadAhead | undefined {
  return ReadAhead.of(tx, {
    count: operations.length,
    keysOf(index, keys) {
      const { selection } = operations[index] as PointOperation
      for (const id of idsOf(selection.filter)) keys.push(recordKey(ns, id))
    },
  })
}

/** Undefined if the operation must search. A refused change leaves no trace. */
function* changeOne(
  tx: Tx & Guarded,
  target: Target,
  { selection, changeAt, upsert }: PointOperation,
  staged: Staged,
): Program<PointOutcome | undefined> {
  try {
    const ran = selection.record === undefined ? undefined : yield* selection.record.ran(tx)
    if (ran !== undefined) return { ran }
    const found = yield* changeSingle(tx, target, selection, changeAt, staged)
    if (found.kind === 'changed') return { changed: found.changed }
    if (found.kind !== 'missing') return undefined
    if (upsert === undefined) return { changed: undefined }
    const inserted = yield* insertUnlessMatched(tx, target, upsert, staged)
    return inserted === undefined ? undefined : { changed: inserted }
  } catch (error) {
    if (!(error instanceof GatewayError) || endsBatch(error)) throw error
    return { error }
  }
}

/** Whether a rerun, or a smaller batch, may succeed. */
function endsBatch(error: unknown): boolean {
  return hasKind(error, 'TransactionTooLarge', 'WriteConflict') || isTooMuchWork(error)
}
