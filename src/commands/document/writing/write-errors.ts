// Failures of single operations in a write command: they go into the reply beside what was done,
// while what ends the whole command is thrown on.

import { type CodeName, GatewayError, hasKind, unquotedKeys } from '../../../base/errors.js'
import { validationErrorsBytesMax } from '../../../base/limits.js'
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

/** Never one operation's own: the process, the store or the caller is in the way. */
const commandErrors: ReadonlySet<string> = new Set([
  'InternalError',
  'Unauthorized',
  'MaxTimeMSExpired',
  'ShutdownInProgress',
  'InterruptedAtShutdown',
  'Interrupted',
  'OutOfDiskSpace',
])

/** The error of one operation; throws again what is the whole command's. */
export function requireOwn(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError && !commandErrors.has(thrown.kind)) return thrown
  throw thrown
}

/** As it is told to who may not read what it is about. */
export function unquotedFailure({ index, error }: WriteFailure): WriteFailure {
  return { index, error: unquotedKeys(error) }
}

const unexplained = { errInfo: { note: 'detailed error was too large' } }

/** One of them in a reply, 1 µs. */
const failureUnits = 10

/**
 * The array `[{index, code, …, errmsg}]`, made in turns: a command has up to 100,000 operations.
 * Undefined where there is no failure.
 */
export function* failuresValue(failures: readonly WriteFailure[]): Sweep<Value | undefined> {
  if (failures.length === 0) return undefined
  const writer = new DocumentWriter(true)
  let turns = new WorkTurns()
  for (const { index, error } of failures) {
    writer.pushOpenDocument().int32('index', index).int32('code', error.code)
    // An explanation may quote a document whole: so many of them, and the rest is not explained.
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

/** Nothing where there is none. */
export function writeFailures(writer: DocumentWriter, failures: Value | undefined): void {
  if (failures !== undefined) writer.value('writeErrors', failures)
}

/** Errors that the bus and programs act on by themselves: they are not worded anew. */
const passing: readonly CodeName[] = [
  ...(['WriteConflict', 'TransactionTooLarge', 'ShutdownInProgress', 'CursorKilled'] as const),
  ...(['CommandNotSupportedOnView', 'Unauthorized', 'InvalidNamespace'] as const),
  // The reference server plans a stage's index before the plan runs.
  'IndexNotFound',
  // What a first stage says of its own fields.
  ...(['Location51024', 'Location40414', 'Location40415'] as const),
]

/** As the reference server words what fails while a plan runs: `context :: caused by :: text`. */
export function withContext(context: string, thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError) || isTooMuchWork(thrown)) return thrown
  if (hasKind(thrown, ...passing) || thrown.constructor !== GatewayError) return thrown
  const text = `${context} :: caused by :: ${thrown.message}`
  return new GatewayError(thrown.kind, text, thrown.extra, thrown)
}
