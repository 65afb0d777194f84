// Inserts a group of documents in one write program, or in several if they exceed one. A group is
// atomic, its command is not. (docs/design/transactions.md, rule 2)

import { GatewayError, hasKind } from '../../../base/errors.js'
import { isTooMuchWork, work } from '../../../base/work/work-budget.js'
import type { Call } from '../../../bus/document/call.js'
import { ensureNamespace } from '../../../engine/collection/catalog/catalog.js'
import { insertDocument, stagedWrite } from '../../../engine/collection/collections.js'
import { insertsAhead } from '../../../engine/collection/inserts-ahead.js'
import type { Staged } from '../../../engine/collection/staging.js'
import type { Ran } from '../../../engine/modify/modify-spec.js'
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

/** Runs one program for the group. If the group exceeds a program, runs one for each half. */
export function* insertGroup(
  target: Target,
  group: readonly Numbered[],
  ordered: boolean,
): Sweep<Outcome> {
  if (group.length === 0) return { inserted: 0, failures: [] }
  let begun: Outcome | undefined
  try {
    begun = yield* stagedWrite((tx, staged) => insertAll(tx, target, group, ordered, staged))
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    if (isRefusedWhole(thrown)) return refusedBy(thrown, group, ordered)
    if (thrown.kind !== 'TransactionTooLarge' && !isTooMuchWork(thrown)) throw thrown
    const [only] = group
    if (group.length === 1 && only !== undefined) {
      return { inserted: 0, failures: [{ index: only.index, error: thrown }] }
    }
  }
  if (begun !== undefined) {
    const { rest } = begun
    return rest === undefined ? begun : both(begun, yield* insertGroup(target, rest, ordered))
  }
  const middle = group.length >>> 1
  const first = yield* insertGroup(target, group.slice(0, middle), ordered)
  if (ordered && first.failures.length > 0) return first
  const second = yield* insertGroup(target, group.slice(middle), ordered)
  return both(first, second)
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
  const { retry } = target
  let ran: ReadonlySet<number> | undefined
  if (retry !== undefined && !retry.isNew(tx)) {
    const indexes = group.map(({ index }) => index)
    ran = yield* retry.ranAmong(tx, indexes)
  }
  const failures: WriteFailure[] = []
  let inserted = 0
  let rest: readonly Numbered[] | undefined
  const documents = group.map(({ document }) => document)
  const ahead = yield* insertsAhead(tx, ns, documents)
  for (const [i, { index, document }] of group.entries()) {
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
    if (work.isDue) {
      rest = group.slice(i + 1)
      break
    }
  }
  if (retry !== undefined) yield* retry.flush(tx)
  return rest === undefined ? { inserted, failures } : { inserted, failures, rest }
}

const added: Ran = { isModified: true }

/** An error of insertDocument before it has put anything. Any other error ends the program. */
function requireRefusal(thrown: unknown): GatewayError {
  const error = requireOwn(thrown)
  if (error.kind === 'TransactionTooLarge' || error.kind === 'WriteConflict') throw thrown
  if (isTooMuchWork(thrown)) throw thrown
  return error
}
