// Replies with very many values: encoding one would exceed a turn, so it is written in parts. Later
// replies, and messages of channels, wait until it is complete.

import { replyValuesAtOnce } from '../../base/limits/key-value.js'
import { bytesOfReply, isLong, ok, type Reply, valuesOf } from '../../bus/keyvalue/reply.js'
import type { ReplyWriter, RespVersion } from '../../protocol/resp/reply-writer.js'
import { writeInParts, writeReply } from './write-reply.js'

interface Waiting {
  readonly reply: Reply
  /** The version when the reply came. */
  readonly protocol: RespVersion
  readonly bytes: number
}

export interface LongRepliesOwner {
  /** A part is written and can be sent; false if the client disconnected. */
  written(): boolean
  /** The client must first read some of the sent data; then call `goOn`. */
  readonly isFull: boolean
  /** Everything is written. */
  allWritten(): void
}

export class LongReplies {
  private readonly waiting: Waiting[] = []
  /** Bytes of all waiting replies, including the whole first one. */
  bytesWaiting = 0
  private isPaused = false
  /** The rest of the first waiting reply. */
  private parts: Iterator<void> | undefined

  constructor(
    private readonly writer: ReplyWriter,
    private readonly owner: LongRepliesOwner,
  ) {}

  get isWriting(): boolean {
    return this.waiting.length > 0
  }

  /**
   * Whether it queues the reply: a long one, or one after a long one. `known`: its bytes, if they
   * were counted; else 0.
   */
  takes(reply: Reply, protocol: RespVersion, known = 0): boolean {
    if (!this.isWriting) {
      if (reply === ok || !isLong(reply)) return false
      setImmediate(this.step)
    }
    const bytes = known > 0 ? known : bytesOfReply(reply)
    this.waiting.push({ reply, protocol, bytes })
    this.bytesWaiting += bytes
    return true
  }

  /** The client has read the sent data. */
  goOn(): void {
    if (!this.isPaused) return
    this.isPaused = false
    setImmediate(this.step)
  }

  private readonly step = (): void => {
    const { writer, waiting, owner } = this
    const first = waiting[0] as Waiting
    writer.protocol = first.protocol
    this.parts ??= writeInParts(writer, first.reply)
    if (this.parts.next().done === true) {
      this.parts = undefined
      for (const { bytes } of waiting.splice(0, 1 + this.writeShort(1))) this.bytesWaiting -= bytes
    }
    if (!owner.written()) {
      waiting.length = 0
      this.bytesWaiting = 0
      return
    }
    if (this.isWriting && owner.isFull) this.isPaused = true
    else if (this.isWriting) setImmediate(this.step)
    else owner.allWritten()
  }

  /** Writes the short replies from `from` on, many at once: messages may come without end. */
  private writeShort(from: number): number {
    const { writer, waiting } = this
    let left = replyValuesAtOnce
    let at = from
    for (; at < waiting.length && left > 0; at++) {
      const { reply, protocol } = waiting[at] as Waiting
      if (isLong(reply)) break
      writer.protocol = protocol
      writeReply(writer, reply)
      left -= valuesOf(reply, left)
    }
    return at - from
  }
}
