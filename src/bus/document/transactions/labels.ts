// The labels of errors after which a client should run its transaction or its write again, or
// resume its change stream. A fail point that names labels keeps them. (specifications of the
// drivers, "Transactions", "Retryable Writes", "Change Streams")

import { GatewayError } from '../../../base/errors.js'
import type { Awaitable } from '../../../store/store.js'

/**
 * LockTimeout, WriteConflict, SnapshotTooOld, SnapshotUnavailable, NoSuchTransaction,
 * PreparedTransactionInProgress.
 */
const transient: ReadonlySet<number> = new Set([24, 112, 239, 246, 251, 267])

/**
 * Errors of a server that is unreachable or shuts down. After one of these a commit may have
 * happened, but a statement can be run again.
 */
const unreachable: ReadonlySet<number> = new Set([
  ...[6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436],
])

const transientLabel = 'TransientTransactionError'

/** Runs a command of a transaction; `isEnding`: one that ends it. */
export async function labelling<T>(isEnding: boolean, run: () => Awaitable<T>): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    throw isTransient(thrown, isEnding) ? labelled(thrown) : thrown
  }
}

function isTransient(thrown: unknown, isEnding: boolean): thrown is GatewayError {
  if (!(thrown instanceof GatewayError) || thrown.extra.errorLabels !== undefined) return false
  if (transient.has(thrown.code)) return true
  return unreachable.has(thrown.code) && !isEnding
}

/** The error of a commit that may have happened; the client asks again. */
export function unknownCommit(error: GatewayError): GatewayError {
  return labelled(error, 'UnknownTransactionCommitResult')
}

/** Runs a retryable write. */
export function retryLabelled<T>(run: () => Awaitable<T>): Awaitable<T> {
  try {
    const outcome = run()
    return outcome instanceof Promise ? outcome.catch(throwRetryable) : outcome
  } catch (thrown) {
    return throwRetryable(thrown)
  }
}

function throwRetryable(thrown: unknown): never {
  if (!(thrown instanceof GatewayError) || thrown.extra.errorLabels !== undefined) throw thrown
  throw unreachable.has(thrown.code) ? labelled(thrown, 'RetryableWriteError') : thrown
}

/** After these a client opens its change stream again (MongoDB's list of error categories). */
const resumable: ReadonlySet<number> = new Set([
  ...[6, 7, 63, 89, 91, 133, 150, 189, 234, 262, 9001, 10107, 11600, 11602, 13435, 13436],
])

/** The error of a change stream, with its label. */
export function resumableError(thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError) || thrown.extra.errorLabels !== undefined) return thrown
  return resumable.has(thrown.code) ? labelled(thrown, 'ResumableChangeStreamError') : thrown
}

function labelled(error: GatewayError, label = transientLabel): GatewayError {
  const labels = { errorLabels: [label] }
  const isConflict = error.kind === 'WriteConflict' && label === transientLabel
  const kind = isConflict ? 'TransactionConflict' : error.kind
  return new GatewayError(kind, error.message, { ...error.extra, ...labels }, error)
}
