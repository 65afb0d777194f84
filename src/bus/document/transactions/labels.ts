// The labels of errors after which a client should run its transaction or its write again, or
// resume its change stream. A fail point that names labels keeps them. (specifications of the
// drivers, "Transactions", "Retryable Writes", "Change Streams")

import { type CodeRow, codeRow, GatewayError } from '../../../base/errors.js'
import type { Awaitable } from '../../../store/store.js'

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
  return isAgain(thrown, 'transaction') || (!isEnding && isAgain(thrown, 'any'))
}

/** Whether it is such an error, without labels of a fail point. */
function isAgain(thrown: unknown, again: CodeRow['again']): thrown is GatewayError {
  if (!(thrown instanceof GatewayError) || thrown.extra.errorLabels !== undefined) return false
  return codeRow(thrown.kind)?.again === again
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
  throw isAgain(thrown, 'any') ? labelled(thrown, 'RetryableWriteError') : thrown
}

/** The error of a change stream, with its label (MongoDB's list of error categories). */
export function resumableError(thrown: unknown): unknown {
  const isResumable = isAgain(thrown, 'stream') || isAgain(thrown, 'any')
  return isResumable ? labelled(thrown, 'ResumableChangeStreamError') : thrown
}

function labelled(error: GatewayError, label = transientLabel): GatewayError {
  const labels = { errorLabels: [label] }
  const isConflict = error.kind === 'WriteConflict' && label === transientLabel
  const kind = isConflict ? 'TransactionConflict' : error.kind
  return new GatewayError(kind, error.message, { ...error.extra, ...labels }, error)
}
