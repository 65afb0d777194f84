// Which commands of a connection run, and in which order: none behind one that blocks, and none of
// a client that has left.

import { fail } from '../../../base/errors.js'
import type { KeyValueSession } from '../clients/session.js'
import type { RunningCall } from '../running-call.js'

export function clientGone(): Error {
  return fail('Interrupted', 'the client is gone')
}

/**
 * Whether a call of a program does not run: it is refused, stands behind one that blocks, or its
 * client has left. redis-server drops what has not begun for such a client, too.
 */
export function isPassedOver(
  call: RunningCall,
  blocked: KeyValueSession | undefined,
  isTogether: boolean,
  now: number,
): boolean {
  if (call.session === blocked) call.isDeferred = true
  if (call.isRefused || call.session === blocked) return true
  if (!call.session.closed || isTogether) return false
  call.begin(now)
  call.fail(clientGone())
  return true
}

/** Runs commands of one connection one after the other, until one blocks. */
export async function inOrder(
  calls: readonly RunningCall[],
  run: (call: RunningCall) => Promise<void>,
): Promise<void> {
  let isBlocked = false
  for (const call of calls) {
    if (call.isRefused) continue
    if (isBlocked) call.isDeferred = true
    else await run(call)
    isBlocked ||= call.isUnanswered && call.isDeferred
  }
}
