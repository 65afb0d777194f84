// What connections queue between MULTI and EXEC: bounded for each connection, for all together, and
// for the owner, whose share of the memory it uses until EXEC has been answered.

import type { ByteShare } from '../../../base/heap/byte-shares.js'
import { multiBytesMax, multiBytesTotalMax, multiCommandBytes } from '../../../base/limits.js'
import { type ReplyError, refuse, tooMuchMemory } from '../../../base/reply-error.js'
import { KiB } from '../../../base/units.js'
import type { Arguments } from '../arguments.js'
import type { RunningCall } from '../running-call.js'
import type { KeyValueSession, Multi } from './session.js'

/** What is queued counts for its owner by such pieces, bytes: a small queue does not count. */
const multiPieceBytes = 16 * KiB

/** Of a word beside its bytes: its place in the command's table. */
const argumentBytes = 8

export class Queues {
  /** Of all connections. */
  bytesHeld = 0
  private readonly queued = new WeakMap<Multi, RunningCall[]>()

  constructor(private readonly openRoom: (session: KeyValueSession) => ByteShare) {}

  /** Queues what `detach` makes; answers what refuses it, and then nothing is made. */
  add(
    multi: Multi,
    session: KeyValueSession,
    args: Arguments,
    detach: () => RunningCall,
  ): ReplyError | undefined {
    if (multi.isPoisoned) {
      // EXEC will be refused: nothing is kept for it, but the client is answered as on the
      // reference server.
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

  /** What was queued, in its order. */
  callsOf(multi: Multi): readonly RunningCall[] {
    return this.queued.get(multi) ?? []
  }

  /** Ends the session's queue; `executes`: its memory counts until EXEC has been answered. */
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
