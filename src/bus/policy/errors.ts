// Errors on their way to a client: any thrown thing becomes one that clients see, and what is not
// ours goes to the log whole.

import { type GatewayError, toGatewayError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'

export function mappedError(thrown: unknown, command: string, log: Log): GatewayError {
  const error = toGatewayError(thrown)
  if (error.kind === 'InternalError') {
    const cause = error.cause instanceof Error ? error.cause.stack : String(error.cause)
    log.error({ command, cause }, error.message)
  }
  return error
}

/** A collection to which documents were written that its validator only warns of. */
export function warnInvalid(log: Log, command: string, ns: string, connection: number): void {
  const text = 'documents were written that would fail validation'
  log.warn({ command, ns, connection }, text)
}
