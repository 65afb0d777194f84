// The queues of connections between MULTI and EXEC. They are bounded for each connection and for
// all together. Their memory counts for the owner until EXEC is answered.

import type { ByteShare } from '../../../base/heap/byte-shares.js'
import {
  multiBytesMax,
  multiBytesTotalMax,
  multiCommandBytes,
} from '../../../base/limits/key-value.js'
import { type ReplyError, refuse, tooMuchMemory } from '../../../base/reply-error.js'
import { KiB } from '../../../base/units.js'
import type { Arguments } from '../arguments.js'
import type { RunningCall } from '../running-call.js'
import type { KeyValueSession, Multi } from './session.js'

/** The owner's account takes a queue in steps of this size, bytes; a small queue is free. */
const multiPieceBytes = 16 * KiB

/** Memory of a word beside its bytes: its offsets in the command's table. */
const argumentBytes = 8

export class Queues {
  /** Bytes of all connections. */
  bytesHeld = 0
  private readonly queued = new WeakMap<Multi, RunningCall[]>()

  constructor(private readonly openRoom: (session: KeyValueSession) => ByteShare) {}

  /**
   * Queues the call that `detach` makes. Returns an error instead if it does not fit; `detach` is
   * then not called.
   */
  add(
    multi: Multi,
    session: KeyValueSession,
    args: Arguments,
    detach: () => RunningCall,
  ): ReplyError | undefined {
    if (multi.isPoisoned) {
      // EXEC will be refused, so nothing is kept. The client still gets Redis' reply.
      this.empty(multi)
      return undefined
    }
    const bytes = args.argumentBytes + args.count * argumentBytes + multiCommandBytes
    if (multi.bytes + bytes > multiBytesMax || this.bytesHeld + bytes > multiBytesTotalMax) {
      return refuse('ERR too much is queued in this transaction', 'TransactionTooLarge')
    }
    const due = multi.bytes + bytes - (multi.room?.bytesHeld ?? 0)
    if (due >= multiPieceBytes) {
      multi.room ??= this.openRoom(session)
      if (!multi.room.take(due)) return tooMuchMemory()
    }
    const calls = this.queued.get(multi)
    if (calls === undefined) this.queued.set(multi, [detach()])
    else calls.push(detach())
    multi.size++
    multi.argumentBytes += args.argumentBytes
    multi.bytes += bytes
    this.bytesHeld += bytes
    return undefined
  }

  /** The queued calls, in order. */
  callsOf(multi: Multi): readonly RunningCall[] {
    return this.queued.get(multi) ?? []
  }

  /** Ends the session's queue. With `executes`, its memory counts until EXEC is answered. */
  end(session: KeyValueSession, executes = false): Multi | undefined {
    const { multi } = session
    session.multi = undefined
    if (multi === undefined) return undefined
    this.bytesHeld -= multi.bytes
    if (executes && !multi.isPoisoned) session.executing = multi.room
    else multi.room?.close()
    return multi
  }

  private empty(multi: Multi): void {
    this.queued.delete(multi)
    multi.size = 0
    multi.argumentBytes = 0
    this.bytesHeld -= multi.bytes
    multi.bytes = 0
    multi.room?.close()
    multi.room = undefined
  }
}
