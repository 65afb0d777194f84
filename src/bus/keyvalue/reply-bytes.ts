// The size of replies that were made together for one client. Beyond a bound a pipeline continues
// when the client has read some of them, and a reply that must be whole is refused.

import { Slice } from '../../base/bytes/slice.js'
import { pipelineReplyBytes } from '../../base/limits.js'
import { tooMuchMemory } from '../../base/reply-error.js'
import type { Program, ReadTx } from '../../store/store.js'
import { bytesInTurns, bytesOfReply, isLong, type Reply } from './reply.js'
import type { RunningCall } from './running-call.js'

/** Smaller ones do not count: as many as a program has take little. */
const countedReplyBytes = 1_024

/** Undefined where it is done at once: a long one is counted beside others. */
export function noteReply(tx: ReadTx, call: RunningCall, reply: Reply): Program<void> | undefined {
  if (typeof reply !== 'object' || reply === null) return undefined
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

/** Of a reply that was counted when it was made, or of those that EXEC answers; else 0. */
export function knownReplyBytes({ replyBytes, queue, error }: RunningCall): number {
  if (queue === undefined || error !== undefined) return replyBytes
  let bytes = 0
  for (const queued of queue) bytes += queued.replyBytes
  return bytes
}

/** Whether the replies before it have to be taken first, or leave no room for its own. */
export function isPutOff(call: RunningCall, now: number, replyBytesMax: () => number): boolean {
  const { session, command, isQueued } = call
  // Of an earlier run of the program.
  session.replyBytes -= call.replyBytes
  call.replyBytes = 0
  if (session.replyBytes < pipelineReplyBytes) return false
  const { grain } = command.row
  // Others, and those of other protocols, are answered together with what is before them.
  const isOfPipeline = session.protocol === 'resp' && !isQueued
  call.isDeferred = isOfPipeline && (grain === 'read' || grain === 'write')
  if (call.isDeferred || session.replyBytes < replyBytesMax()) return call.isDeferred
  call.begin(now)
  call.fail(tooMuchMemory())
  return true
}
