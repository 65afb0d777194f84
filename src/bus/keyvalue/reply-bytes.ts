// The size of the replies to one client. Above a bound, a pipeline waits until the client has read
// some replies. A reply that cannot be split is then refused.

import { Slice } from '../../base/bytes/slice.js'
import { pipelineReplyBytes } from '../../base/limits/connections.js'
import { tooMuchMemory } from '../../base/reply-error.js'
import type { Program, ReadTx } from '../../store/store.js'
import { bytesInTurns, bytesOfReply, isLong, ok, type Reply } from './reply.js'
import type { RunningCall } from './running-call.js'

/** Smaller replies do not count: all replies of one program are then still small. */
const countedReplyBytes = 1_024

/** Notes the size of a reply. Returns a program for a long reply, which is counted with pauses. */
export function noteReply(tx: ReadTx, call: RunningCall, reply: Reply): Program<void> | undefined {
  // The usual reply of a write has no bytes.
  if (typeof reply !== 'object' || reply === null || reply === ok) return undefined
  if (reply instanceof Slice) note(call, reply.end - reply.start)
  else if (isLong(reply)) return noteLong(tx, call, reply)
  else note(call, bytesOfReply(reply))
  return undefined
}

function* noteLong(tx: ReadTx, call: RunningCall, reply: Reply): Program<void> {
  note(call, yield* bytesInTurns(tx, reply))
}

function note(call: RunningCall, bytes: number): void {
  if (bytes < countedReplyBytes) return
  call.replyBytes = bytes
  call.session.replyBytes += bytes
}

/** The noted bytes of a reply, or of the replies inside EXEC; else 0. */
export function knownReplyBytes({ replyBytes, queue, error }: RunningCall): number {
  if (queue === undefined || error !== undefined) return replyBytes
  let bytes = 0
  for (const queued of queue) bytes += queued.replyBytes
  return bytes
}

/**
 * Whether the call is deferred until the client reads earlier replies, or refused for lack of room.
 */
export function isPutOff(call: RunningCall, now: number, replyBytesMax: () => number): boolean {
  const { session } = call
  // Removes the bytes of an earlier run of the program.
  session.replyBytes -= call.replyBytes
  call.replyBytes = 0
  if (session.replyBytes < pipelineReplyBytes) return false
  call.isDeferred = call.isOfPipeline
  if (call.isDeferred || session.replyBytes < replyBytesMax()) return call.isDeferred
  call.begin(now)
  call.fail(tooMuchMemory())
  return true
}
