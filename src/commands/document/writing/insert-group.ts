// Inserts a group of documents in one write program, or in several if they exceed one. A group is
// atomic, its command is not. (docs/design/transactions.md, rule 2)

import { GatewayError, hasKind } from '../../../base/errors.js'
import { programPutsMax, sweepDocumentsMax } from '../../../base/limits/engine.js'
import { isTooMuchWork, work } from '../../../base/work/work-budget.js'
import type { Call } from '../../../bus/document/call.js'
import { ensureNamespace } from '../../../engine/collection/catalog/catalog.js'
import { insertDocument, stagedWrite } from '../../../engine/collection/collections.js'
import { insertsAhead } from '../../../engine/collection/inserts-ahead.js'
import type { Staged } from '../../../engine/collection/staging.js'
import type { Ran } from '../../../engine/modify/modify-spec.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program, Tx } from '../../../store/store.js'
import type { Sweep } from '../../../store/sweep.js'
import type { Document } from '../../../value/value.js'
import { requireOwn, type WriteFailure } from './write-errors.js'

/** A document ready to be stored, with its position in the command. */
export interface Numbered {
  readonly index: number
  readonly document: Document
}

interface Outcome {
  readonly inserted: number
  readonly failures: readonly WriteFailure[]
  /** The documents for the next program. */
  readonly rest?: readonly Numbered[]
}

type InsertCall = Call<unknown, string>
type Target = Pick<InsertCall, 'db' | 'target' | 'creation'> & Partial<Pick<InsertCall, 'retry'>>

/**
 * Why no document can be written now, or to this name. Earlier inserts of the command stay and are
 * reported.
 */
function isRefusedWhole(error: GatewayError): boolean {
  return hasKind(error, 'OutOfDiskSpace', 'WriteConflict', 'CommandNotSupportedOnView')
}

function refusedBy(error: GatewayError, group: readonly Numbered[], ordered: boolean): Outcome {
  const refused = ordered ? group.slice(0, 1) : group
  return { inserted: 0, failures: refused.map(({ index }) => ({ index, error })) }
}

/** Runs programs until each document of the group is stored or refused. */
export function* insertGroup(
  target: Target,
  group: readonly Numbered[],
  ordered: boolean,
): Sweep<Outcome> {
  let outcome: Outcome = { inserted: 0, failures: [] }
  let left = group
  /** Documents that may fit one program. */
  let most = group.length
  while (left.length > 0) {
    const some = left.slice(0, most)
    const ran = yield* insertSome(target, some, ordered)
    if (ran === undefined) {
      most = some.length >>> 1
      continue
    }
    outcome = both(outcome, ran)
    if (ordered && ran.failures.length > 0) break
    left = left.slice(some.length - (ran.rest?.length ?? 0))
  }
  return outcome
}

/** Runs one program. Undefined if these documents exceed it. */
function* insertSome(
  target: Target,
  group: readonly Numbered[],
  ordered: boolean,
): Sweep<Outcome | undefined> {
  try {
    return yield* stagedWrite((tx, staged) => insertAll(tx, target, group, ordered, staged))
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    if (isRefusedWhole(thrown)) return refusedBy(thrown, group, ordered)
    if (thrown.kind !== 'TransactionTooLarge' && !isTooMuchWork(thrown)) throw thrown
    const [only] = group
    if (group.length > 1 || only === undefined) return undefined
    return { inserted: 0, failures: [{ index: only.index, error: thrown }] }
  }
}

function both(first: Outcome, second: Outcome): Outcome {
  return {
    inserted: first.inserted + second.inserted,
    failures: [...first.failures, ...second.failures],
  }
}

/** A refused document leaves no trace, so the program continues after it. */
function* insertAll(
  tx: Tx,
  target: Target,
  group: readonly Numbered[],
  ordered: boolean,
  staged: Staged,
): Program<Outcome> {
  const ns = yield* ensureNamespace(tx, target.db, target.target, target.creation())
  const most = documentsMax(tx, ns)
  const now = group.slice(0, most)
  const { retry } = target
  let ran: ReadonlySet<number> | undefined
  if (retry !== undefined && !retry.isNew(tx)) {
    const indexes = now.map(({ index }) => index)
    ran = yield* retry.ranAmong(tx, indexes)
  }
  const failures: WriteFailure[] = []
  let inserted = 0
  let rest: readonly Numbered[] | undefined
  const documents = now.map(({ document }) => document)
  const ahead = yield* insertsAhead(tx, ns, documents)
  for (const [i, { index, document }] of now.entries()) {
    if (ahead !== undefined) yield* ahead.before(i)
    try {
      if (ran?.has(index) !== true) {
        yield* insertDocument(tx, ns, document, staged)
        retry?.keep(tx, index, added)
      }
      inserted++
    } catch (thrown) {
      failures.push({ index, error: requireRefusal(thrown) })
      if (ordered) break
    }
    // Checked per document, because a validator may take long.
    if (work.isDue || i + 1 === most) {
      rest = group.slice(i + 1)
      break
    }
  }
  if (retry !== undefined) yield* retry.flush(tx)
  return rest === undefined ? { inserted, failures } : { inserted, failures, rest }
}

/**
 * Where a program costs round trips, it takes as many documents as its puts allow: the document,
 * and an entry or more in each index.
 */
function documentsMax(tx: Tx, { indexes }: Namespace): number {
  if (tx.readAhead === undefined) return sweepDocumentsMax
  return Math.max(sweepDocumentsMax, Math.floor((0.8 * programPutsMax) / (1 + indexes.length)))
}

const added: Ran = { isModified: true }

/** An error of insertDocument before it has put anything. Any other error ends the program. */
function requireRefusal(thrown: unknown): GatewayError {
  const error = requireOwn(thrown)
  if (error.kind === 'TransactionTooLarge' || error.kind === 'WriteConflict') throw thrown
  if (isTooMuchWork(thrown)) throw thrown
  return error
}
