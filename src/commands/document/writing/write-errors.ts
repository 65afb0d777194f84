// Failures of single operations in a write command. They go into the reply beside the successes. An
// error that ends the whole command is thrown instead.

import { type CodeName, endsOf, GatewayError, hasKind, unquotedKeys } from '../../../base/errors.js'
import { validationErrorsBytesMax } from '../../../base/limits/documents.js'
import { isTooMuchWork, work } from '../../../base/work/work-budget.js'
import { bytesPerUnit } from '../../../base/work/work-figures.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import { writeExtra } from '../../../bus/document/reply.js'
import { pausePhase, type Sweep } from '../../../store/sweep.js'
import { arrayValue, type Value } from '../../../value/value.js'
import { DocumentWriter } from '../../../value/writer.js'

export interface WriteFailure {
  /** Position of the operation in the command. */
  readonly index: number
  readonly error: GatewayError
}

/** The error of one operation; throws it again if it ends the whole command. */
export function requireOwn(thrown: unknown): GatewayError {
  const ends = endsOf(thrown)
  if (thrown instanceof GatewayError && ends !== 'command' && ends !== 'both') return thrown
  throw thrown
}

/** The failure without stored content, for a caller that may not read the collection. */
export function unquotedFailure({ index, error }: WriteFailure): WriteFailure {
  return { index, error: unquotedKeys(error) }
}

const unexplained = { errInfo: { note: 'detailed error was too large' } }

/** Work units of one failure in a reply: 1 µs. */
const failureUnits = 10

/**
 * The array `[{index, code, …, errmsg}]`, or undefined without failures. It is built in turns,
 * because a command has up to 100,000 operations.
 */
export function* failuresValue(failures: readonly WriteFailure[]): Sweep<Value | undefined> {
  if (failures.length === 0) return undefined
  const writer = new DocumentWriter(true)
  let turns = new WorkTurns()
  for (const { index, error } of failures) {
    writer.pushOpenDocument().int32('index', index).int32('code', error.code)
    // An explanation may quote a whole document, so explanations stop after this many bytes.
    const isFull = writer.length > validationErrorsBytesMax && 'errInfo' in error.extra
    writeExtra(writer, isFull ? unexplained : error.extra)
    writer.string('errmsg', error.message).close()
    work.note(failureUnits + error.message.length / bytesPerUnit)
    if (turns.isDue) {
      yield* pausePhase()
      turns = new WorkTurns()
    }
  }
  return arrayValue(writer.finish())
}

/** Writes nothing without failures. */
export function writeFailures(writer: DocumentWriter, failures: Value | undefined): void {
  if (failures !== undefined) writer.value('writeErrors', failures)
}

/** Errors that the bus and programs handle by their code; their text stays unchanged. */
const passing: readonly CodeName[] = [
  ...(['WriteConflict', 'TransactionTooLarge', 'ShutdownInProgress', 'CursorKilled'] as const),
  ...(['CommandNotSupportedOnView', 'Unauthorized', 'InvalidNamespace'] as const),
  // MongoDB plans a stage's index before the plan runs.
  'IndexNotFound',
  // Errors of a first stage about its own fields.
  ...(['Location51024', 'Location40414', 'Location40415'] as const),
]

/** The context of a running aggregation, also of one that writes its results. */
export const aggregating = 'PlanExecutor error during aggregation'

/** The text of MongoDB for errors of a running plan: `context :: caused by :: text`. */
export function withContext(context: string, thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError) || isTooMuchWork(thrown)) return thrown
  if (hasKind(thrown, ...passing) || thrown.constructor !== GatewayError) return thrown
  const text = `${context} :: caused by :: ${thrown.message}`
  return new GatewayError(thrown.kind, text, thrown.extra, thrown)
}
