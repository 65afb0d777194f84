// The body of a response with key-value replies. Long replies are written over several turns, and
// long texts in the JSON thread. The written bytes count for their owner.

import { Slice } from '../../../base/bytes/slice.js'
import type { ByteShare } from '../../../base/heap/byte-shares.js'
import { jsonInThreadBytes } from '../../../base/limits/engine.js'
import { tooMuchMemory } from '../../../base/reply-error.js'
import { work } from '../../../base/work/work-budget.js'
import { jsonBytesPerUnit, wordUnits } from '../../../base/work/work-figures.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import { bytesOfReply, isLong, itemsOf, type Reply } from '../../../bus/keyvalue/reply.js'
import { type JsonText, longTextJson } from '../../json-thread.js'
import { base64, replyJson, type TextEncoding } from './key-value-words.js'

/** Characters gathered before they become bytes: up to this length, growing a string is cheap. */
const gatheredMax = 65_536
/** Bytes that are joined at once. */
const joinedAtOnce = 4 * 1024 * 1024

export class ReplyText {
  private readonly turns = new WorkTurns()
  private readonly chunks: Buffer[] = []
  private gathered = ''

  constructor(
    private readonly encoding: TextEncoding,
    /** Memory for the client of the response; its opener closes it. */
    private readonly room: ByteShare,
    /** Bytes of the text that count already. */
    private counted = 0,
  ) {}

  /** Throws OOM. */
  text(text: string): void {
    this.gathered += text
    if (this.gathered.length > gatheredMax) this.pass()
  }

  /** A text beside replies, such as an error: a pipeline may have very many. Throws OOM. */
  async line(text: string): Promise<void> {
    work.note(wordUnits + text.length / jsonBytesPerUnit)
    this.text(text)
    if (this.turns.isDue) await this.turns.pause()
  }

  /** Throws OOM. */
  async reply(reply: Reply): Promise<void> {
    if (!isLong(reply) && bytesOfReply(reply) <= jsonInThreadBytes) this.short(reply)
    else await this.long(reply)
    // A pipeline may have very many short replies.
    if (this.turns.isDue) await this.turns.pause()
  }

  /** The complete body. */
  async whole(): Promise<JsonText> {
    if (this.chunks.length === 0) return this.gathered
    this.pass()
    let bytes = 0
    for (const chunk of this.chunks) bytes += chunk.length
    const whole = Buffer.allocUnsafeSlow(bytes)
    let at = 0
    let pausedAt = 0
    for (const chunk of this.chunks) {
      at += chunk.copy(whole, at)
      if (at - pausedAt < joinedAtOnce) continue
      pausedAt = at
      await this.turns.pause()
    }
    return whole
  }

  private async long(reply: Reply): Promise<void> {
    const items = itemsOf(reply)
    if (items === undefined) {
      await this.longText(reply)
      return
    }
    this.gathered += '['
    for (let i = 0; i < items.length; i++) {
      if (i > 0) this.gathered += ','
      const item = items[i] as Reply
      const isShort = !isLong(item) && bytesOfReply(item) <= jsonInThreadBytes
      if (isShort) this.short(item)
      else await this.long(item)
      if (this.turns.isDue) await this.turns.pause()
    }
    this.gathered += ']'
  }

  private short(reply: Reply): void {
    const json = replyJson(reply, this.encoding)
    work.note(wordUnits + json.length / jsonBytesPerUnit)
    this.gathered += json
    if (this.gathered.length > gatheredMax) this.pass()
  }

  private async longText(reply: Reply): Promise<void> {
    const slice = sliceOf(reply)
    if (slice === undefined) return this.short(reply)
    const isText = this.encoding === 'lossy' || (this.encoding === 'plain' && slice.isText())
    if (isText) this.chunk(await longTextJson(slice))
    else {
      const quoted = `"${base64(slice)}"`
      this.chunk(this.encoding === 'base64' ? quoted : `{"$binary":${quoted}}`)
    }
    await this.turns.pause()
  }

  private chunk(text: JsonText): void {
    this.pass()
    const chunk = typeof text === 'string' ? Buffer.from(text) : text
    const due = Math.max(0, chunk.length - this.counted)
    this.counted -= chunk.length - due
    if (due > 0 && !this.room.take(due)) throw tooMuchMemory()
    this.chunks.push(chunk)
  }

  /** Converts the gathered text to bytes. */
  private pass(): void {
    const { gathered } = this
    if (gathered === '') return
    this.gathered = ''
    this.chunk(gathered)
  }
}

function sliceOf(reply: Reply): Slice | undefined {
  if (reply instanceof Slice) return reply
  if (reply instanceof Uint8Array) return Slice.of(reply)
  if (typeof reply === 'string') return Slice.ofText(reply)
  if (reply === null || typeof reply !== 'object' || !('kind' in reply)) return undefined
  return reply.kind === 'verbatim' ? Slice.ofText(reply.text) : undefined
}
