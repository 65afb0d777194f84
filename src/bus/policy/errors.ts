// Errors on their way to a client: every thrown value becomes an error for clients, and an
// unexpected one is logged in full.

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

/** Logs that documents were written to a collection whose validator warns of them. */
export function warnInvalid(log: Log, command: string, ns: string, connection: number): void {
  const text = 'documents were written that would fail validation'
  log.warn({ command, ns, connection }, text)
}
