// insert: documents go in by groups of one write program each. A group is atomic, the command is
// not, as on the peer: what came before a refused document stays.
// (docs/design/transactions.md, rule 2)

import { type CodeName, GatewayError } from '../../base/errors.js'
import { inlineValueBytesMax, programBytesMax, sweepDocumentsMax } from '../../base/limits.js'
import { isTooMuchWork, work } from '../../base/work-budget.js'
import type { Call } from '../../bus/call.js'
import { bool, collection, documents, withDefault } from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import { ensureNamespace } from '../../engine/collection/catalog.js'
import { insertDocument, stagedWrite, withId } from '../../engine/collection/collections.js'
import type { Staged } from '../../engine/collection/staging.js'
import type { Program, Tx } from '../../store/store.js'
import type { Sweep } from '../../store/sweep.js'
import { type Document, timestampValue, type Value } from '../../value/value.js'
import { bypassEmptyTsReplacement, requireBatch, touchesForWriting } from './arguments.js'
import { requireOwn, type WriteFailure, writeFailures } from './write-errors.js'

/** A document as it will be stored, with its position in the command. */
interface Prepared {
  readonly index: number
  readonly document: Document
}

interface Outcome {
  readonly inserted: number
  readonly failures: readonly WriteFailure[]
  /** What a further program has to try. */
  readonly rest?: readonly Prepared[]
}

type Target = Pick<Call<unknown, string>, 'db' | 'target' | 'creation'>

export const insertRow = documentRow({
  name: 'insert',
  grows: 'documents',
  grain: 'sweep',
  access: 'identity',
  stable: true,
  target: collection,
  params: {
    documents,
    ordered: withDefault(bool, true),
    bypassDocumentValidation: withDefault(bool, false),
    bypassEmptyTsReplacement,
  },
  touches: touchesForWriting,
  help: 'Adds documents, making the collection if it is missing.',
  *run(call) {
    const { documents: given, ordered } = call.args
    requireBatch(given.length)
    const failures: WriteFailure[] = []
    const serverTime = call.args.bypassEmptyTsReplacement ? undefined : serverTimes(call.now)
    let inserted = 0
    let next = 0
    while (next < given.length && !(ordered && failures.length > 0)) {
      const group: Prepared[] = []
      const refused: WriteFailure[] = []
      const makeId = (index: number) => () => call.objectId(index)
      for (let bytes = 0; next < given.length && canTake(group, bytes, given[next]); next++) {
        const index = next
        try {
          const document = withId(given[index] as Document, makeId(index), serverTime)
          group.push({ index, document })
          bytes += document.length
        } catch (thrown) {
          refused.push({ index, error: requireOwn(thrown) })
          if (ordered) break
        }
      }
      const outcome = yield* insertGroup(call, group, ordered)
      inserted += outcome.inserted
      failures.push(...outcome.failures)
      if (!ordered || outcome.failures.length === 0) failures.push(...refused)
    }
    failures.sort((a, b) => a.index - b.index)
    return reply((writer) => {
      writer.int32('n', inserted)
      writeFailures(writer, failures)
    })
  },
})

/** Whether a further document fits the group; a staged one has a program of its own. */
function canTake(group: readonly Prepared[], bytes: number, next: Document | undefined): boolean {
  const [first] = group
  if (first === undefined) return true
  if (next === undefined || group.length >= sweepDocumentsMax) return false
  if (next.length > inlineValueBytesMax || first.document.length > inlineValueBytesMax) return false
  return bytes + next.length <= programBytesMax / 2
}

/**
 * Why no document can be written now, or to that name; what the command has inserted before stays,
 * and is told.
 */
const storeRefusals: ReadonlySet<CodeName> = new Set([
  'OutOfDiskSpace',
  'WriteConflict',
  'CommandNotSupportedOnView',
])

function refusedBy(error: GatewayError, group: readonly Prepared[], ordered: boolean): Outcome {
  const refused = ordered ? group.slice(0, 1) : group
  return { inserted: 0, failures: refused.map(({ index }) => ({ index, error })) }
}

/** One program for the group; if it is more than a program may hold, one for each half. */
export function* insertGroup(
  target: Target,
  group: readonly Prepared[],
  ordered: boolean,
): Sweep<Outcome> {
  if (group.length === 0) return { inserted: 0, failures: [] }
  let begun: Outcome | undefined
  try {
    begun = yield* stagedWrite((tx, staged) => insertAll(tx, target, group, ordered, staged))
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    if (storeRefusals.has(thrown.kind)) return refusedBy(thrown, group, ordered)
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

/** A refused document leaves no trace, so the program goes on behind it. */
function* insertAll(
  tx: Tx,
  target: Target,
  group: readonly Prepared[],
  ordered: boolean,
  staged: Staged,
): Program<Outcome> {
  const ns = yield* ensureNamespace(tx, target.db, target.target, target.creation())
  const failures: WriteFailure[] = []
  let inserted = 0
  for (const [i, { index, document }] of group.entries()) {
    try {
      yield* insertDocument(tx, ns, document, staged)
      inserted++
    } catch (thrown) {
      failures.push({ index, error: requireRefusal(thrown) })
      if (ordered) break
    }
    // A validator may take long over each of them.
    if (work.isDue) return { inserted, failures, rest: group.slice(i + 1) }
  }
  return { inserted, failures }
}

/** What insertDocument refuses before it has put anything; all else must end the program. */
function requireRefusal(thrown: unknown): GatewayError {
  const error = requireOwn(thrown)
  if (error.kind === 'TransactionTooLarge' || error.kind === 'WriteConflict') throw thrown
  if (isTooMuchWork(thrown)) throw thrown
  return error
}

/** What stands for Timestamp(0, 0) at the top of a document: the call's time, counted up. */
function serverTimes(now: number): () => Value {
  let increment = 0
  return () => timestampValue(Math.floor(now / 1000), ++increment)
}
