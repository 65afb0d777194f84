// From a reply as commands know it to the bytes of the version that its client speaks at this
// moment. RESP2 gets what the peer gives it: maps and scores flat, sets and pushes as arrays.

import { Slice } from '../../base/slice.js'
import type { Reply, Tagged } from '../../bus/keyvalue/reply.js'
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
    case 'set':
      writer.set(reply.items.length)
      writeAll(writer, reply.items)
      break
    case 'push':
      writer.push(reply.items.length)
      writeAll(writer, reply.items)
      break
    case 'map':
      writer.map(reply.pairs.length / 2)
      writeAll(writer, reply.pairs)
      break
    case 'scored':
      writeScored(writer, reply.pairs)
      break
    case 'several':
      writeAll(writer, reply.items)
      break
    default:
      reply satisfies never
  }
}

function writeScored(writer: ReplyWriter, pairs: readonly Reply[]): void {
  const isNested = writer.protocol === 3
  writer.array(isNested ? pairs.length / 2 : pairs.length)
  for (let i = 0; i < pairs.length; i++) {
    if (isNested && i % 2 === 0) writer.array(2)
    writeReply(writer, pairs[i] as Reply)
  }
}

function writeAll(writer: ReplyWriter, replies: readonly Reply[]): void {
  for (let i = 0; i < replies.length; i++) writeReply(writer, replies[i] as Reply)
}
