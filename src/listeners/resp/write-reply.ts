// Encodes a command's reply in the client's current protocol version. RESP2 gets the same as from
// Redis: maps and scores flat, sets and pushes as arrays.

import { Slice } from '../../base/bytes/slice.js'
import { replyValuesAtOnce } from '../../base/limits/key-value.js'
import { isLong, itemsOf, type Reply, type Tagged, valuesOf } from '../../bus/keyvalue/reply.js'
import type { ReplyWriter } from '../../protocol/resp/reply-writer.js'

/** Text replies are plain text. */
const textFormat = 'txt'

export function writeReply(writer: ReplyWriter, reply: Reply): void {
  if (reply instanceof Slice) writer.bulk(reply.bytes, reply.start, reply.end)
  else if (reply === null) writer.null()
  else if (typeof reply === 'number' || typeof reply === 'bigint') writer.integer(reply)
  else if (typeof reply === 'string') writer.bulkText(reply)
  else if (reply instanceof Uint8Array) writer.bulk(reply)
  else if ('kind' in reply) writeTagged(writer, reply)
  else {
    writer.array(reply.length)
    writeAll(writer, reply)
  }
}

/** As writeReply, for a long one; other work runs at each yield. */
export function* writeInParts(writer: ReplyWriter, reply: Reply): Generator<void> {
  const items = itemsOf(reply)
  if (items === undefined) {
    writeReply(writer, reply)
    return
  }
  writeHead(writer, reply)
  const pairsUp = isNested(writer, reply)
  let left = replyValuesAtOnce
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Reply
    if (pairsUp && i % 2 === 0) writer.array(2)
    left -= valuesOf(item, replyValuesAtOnce + 1)
    if (isLong(item)) yield* writeInParts(writer, item)
    else writeReply(writer, item)
    if (left > 0) continue
    left = replyValuesAtOnce
    yield
  }
}

function writeTagged(writer: ReplyWriter, reply: Tagged): void {
  switch (reply.kind) {
    case 'simple':
      writer.simple(reply.text)
      break
    case 'error':
      writer.error(reply.text)
      break
    case 'nullArray':
      writer.nullArray()
      break
    case 'double':
      writer.double(reply.value)
      break
    case 'verbatim':
      writer.verbatim(textFormat, reply.text)
      break
    case 'none':
      break
    case 'scored':
      writeScored(writer, reply)
      break
    case 'map':
      writeHead(writer, reply)
      writeAll(writer, reply.pairs)
      break
    case 'set':
    case 'push':
    case 'several':
      writeHead(writer, reply)
      writeAll(writer, reply.items)
      break
    default:
      reply satisfies never
  }
}

/** The head of a reply with several values. */
function writeHead(writer: ReplyWriter, reply: Reply): void {
  if (reply === null || typeof reply !== 'object') return
  if (Array.isArray(reply)) writer.array(reply.length)
  if (!('kind' in reply)) return
  if (reply.kind === 'set') writer.set(reply.items.length)
  else if (reply.kind === 'push') writer.push(reply.items.length)
  else if (reply.kind === 'map') writer.map(reply.pairs.length / 2)
  else if (reply.kind === 'scored') {
    writer.array(isNested(writer, reply) ? reply.pairs.length / 2 : reply.pairs.length)
  }
}

/** Whether each pair is a separate array. */
function isNested(writer: ReplyWriter, reply: Reply): boolean {
  return writer.protocol === 3 && isScored(reply)
}

function isScored(reply: Reply): boolean {
  if (reply === null || typeof reply !== 'object') return false
  return 'kind' in reply && reply.kind === 'scored'
}

function writeScored(writer: ReplyWriter, reply: Tagged & { readonly kind: 'scored' }): void {
  const { pairs } = reply
  const pairsUp = isNested(writer, reply)
  writeHead(writer, reply)
  for (let i = 0; i < pairs.length; i++) {
    if (pairsUp && i % 2 === 0) writer.array(2)
    writeReply(writer, pairs[i] as Reply)
  }
}

function writeAll(writer: ReplyWriter, replies: readonly Reply[]): void {
  for (let i = 0; i < replies.length; i++) writeReply(writer, replies[i] as Reply)
}
