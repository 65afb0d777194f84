// What the replies of one client take that were made together: beyond a bound a pipeline goes on
// when some of them are taken, and what has to be answered as one is refused.

import { pipelineReplyBytes } from '../../base/limits.js'
import { tooMuchMemory } from '../../base/reply-error.js'
import { Slice } from '../../base/slice.js'
import type { KeyValueCall } from './call.js'
import { bytesOfReply, type Reply } from './reply.js'

/** Smaller ones do not count: as many as a program has take little. */
const countedReplyBytes = 1_024

export function noteReply(call: KeyValueCall, reply: Reply): void {
  if (typeof reply !== 'object' || reply === null) return
  const bytes = reply instanceof Slice ? reply.end - reply.start : bytesOfReply(reply)
  if (bytes < countedReplyBytes) return
  call.replyBytes = bytes
  call.session.replyBytes += bytes
}

/** Whether the replies before it have to be taken first, or leave no room for its own. */
export function isPutOff(call: KeyValueCall, now: number, replyBytesMax: () => number): boolean {
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
