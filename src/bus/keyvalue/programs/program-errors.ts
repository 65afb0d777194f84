// Errors of a program of key-value commands, by the reaction to them: run the commands singly, run
// one as an optimistic write, or report to the client.

import { GatewayError, hasKind } from '../../../base/errors.js'
import { ReplyError } from '../../../base/reply-error.js'

/** A program writes too much, as the store says; what a command refuses itself stays refused. */
export function isTooLarge(thrown: unknown): boolean {
  return hasKind(thrown, 'TransactionTooLarge') && !(thrown instanceof ReplyError)
}

/** What a command that is prepared may meet, and one that runs at once does not. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof GatewayError && endsPreparing.has(error.kind)
}

const endsPreparing: ReadonlySet<string> = new Set([
  'TransactionTooLarge',
  'WriteConflict',
  'SnapshotTooOld',
])

/** As Work refuses it, or the work budget of a write program. */
export function readsTooMuch(thrown: unknown): boolean {
  if (hasKind(thrown, 'MaxTimeMSExpired')) return true
  return thrown instanceof ReplyError && thrown.kind === 'TransactionTooLarge'
}

/** Whether it is this command's own refusal, after which its neighbours can go on. */
export function isRefusal(thrown: unknown): boolean {
  return thrown instanceof GatewayError && !endsProgram.has(thrown.kind)
}

const endsProgram: ReadonlySet<string> = new Set([
  'InternalError',
  'MaxTimeMSExpired',
  'TransactionTooLarge',
  'WriteConflict',
  'OutOfDiskSpace',
  'SnapshotTooOld',
  'Interrupted',
  'ShutdownInProgress',
])
