// Errors of a program of key-value commands, by the reaction to them: run the commands singly, run
// one as an optimistic write, or report to the client.

import { endsOf, GatewayError, hasKind } from '../../../base/errors.js'
import { ReplyError } from '../../../base/reply-error.js'
import type { RunningCall } from '../running-call.js'

/** Whether the program writes too much for the store. A command's own refusal does not count. */
export function isTooLarge(thrown: unknown): boolean {
  return hasKind(thrown, 'TransactionTooLarge') && !(thrown instanceof ReplyError)
}

/** Whether an optimistic write failed for a reason that a direct write does not have. */
export function isOutOfReach(error: unknown): boolean {
  return endsOf(error) === 'program'
}

/** Whether the program exceeds the bounds of Work or the work budget of a write program. */
export function readsTooMuch(thrown: unknown): boolean {
  if (hasKind(thrown, 'MaxTimeMSExpired')) return true
  return thrown instanceof ReplyError && thrown.kind === 'TransactionTooLarge'
}

/** Whether a command that stages is prepared instead: what it copies keeps changing, or is much. */
export function goesOnPrepared(thrown: unknown): boolean {
  return readsTooMuch(thrown) || isTooLarge(thrown) || hasKind(thrown, 'WriteConflict')
}

/** Each command that ran gets the error. */
export function failAll(calls: readonly RunningCall[], error: unknown): void {
  for (const call of calls) if (!call.isRefused) call.fail(error)
}

/** Whether only this command failed, so that the other commands of the program can go on. */
export function isRefusal(thrown: unknown): boolean {
  const ends = endsOf(thrown)
  return thrown instanceof GatewayError && ends !== 'program' && ends !== 'both'
}
