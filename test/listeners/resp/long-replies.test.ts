// Long replies are the bytes that they would be in one go, in parts, with what came behind them
// behind them.

import fc from 'fast-check'
import t from 'tap'
import { replyValuesAtOnce } from '../../../src/base/limits/key-value.js'
import { double, map, push, type Reply, set } from '../../../src/bus/keyvalue/reply.js'
import { LongReplies } from '../../../src/listeners/resp/long-replies.js'
import { writeReply } from '../../../src/listeners/resp/write-reply.js'
import { ReplyWriter, type RespVersion } from '../../../src/protocol/resp/reply-writer.js'
import { runs } from '../../support/runs.js'

function writtenAtOnce(protocol: RespVersion, replies: readonly Reply[]): Buffer {
  const writer = new ReplyWriter()
  writer.protocol = protocol
  for (const reply of replies) writeReply(writer, reply)
  return Buffer.concat(writer.take())
}

/** All bytes, and in how many parts they could be sent. */
function written(protocol: RespVersion, replies: readonly Reply[]) {
  return new Promise<{ bytes: Buffer; parts: number }>((resolve) => {
    const writer = new ReplyWriter()
    const pieces: Uint8Array[] = []
    let parts = 0
    const long = new LongReplies(writer, {
      isFull: false,
      written: () => {
        pieces.push(...writer.take())
        parts++
        return true
      },
      allWritten: () => resolve({ bytes: Buffer.concat(pieces), parts }),
    })
    for (const reply of replies) {
      if (long.takes(reply, protocol)) continue
      writer.protocol = protocol
      writeReply(writer, reply)
    }
    if (!long.isWriting) resolve({ bytes: Buffer.concat(writer.take()), parts: 1 })
  })
}

const numbers = (count: number): Reply[] => Array.from({ length: count }, (_, n) => n)
const count = 3 * replyValuesAtOnce

t.test('a long reply is written in parts, whatever it is', async (t) => {
  const pairs = numbers(count).map((n, i) => (i % 2 === 0 ? String(n) : double(i)))
  const long: readonly Reply[] = [
    ...[numbers(count), set(numbers(count)), map(numbers(count)), push(numbers(count))],
    { kind: 'scored', pairs },
    ['0', numbers(count)],
    numbers(count / 2).map((n) => [n, n]),
    [['name', [numbers(count), null]], ['other']],
  ]
  for (const protocol of [2, 3] as const) {
    for (const reply of long) {
      const { bytes, parts } = await written(protocol, ['first', reply, 'behind', push(['p'])])
      t.ok(parts >= 3, `${parts} parts`)
      t.ok(bytes.equals(writtenAtOnce(protocol, ['first', reply, 'behind', push(['p'])])))
    }
  }
})

t.test('chance replies are the bytes that they are in one go', async (t) => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.double().map(double))
  const items = fc.array(leaf, { maxLength: 20 })
  const several = fc.oneof(
    ...[items, items.map(set), fc.array(items, { maxLength: 9 })],
    fc.tuple(leaf, fc.integer({ min: 0, max: 20_000 }).map(numbers)),
  )
  const replies = fc.array(fc.oneof(leaf, several) as fc.Arbitrary<Reply>, { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(replies, fc.constantFrom(2 as const, 3 as const), async (all, protocol) => {
      const { bytes } = await written(protocol, all)
      t.ok(bytes.equals(writtenAtOnce(protocol, all)))
    }),
    { numRuns: runs(50) },
  )
})

t.test('who is gone is written nothing more', async (t) => {
  let parts = 0
  const long = new LongReplies(new ReplyWriter(), {
    isFull: false,
    written: () => ++parts < 2,
    allWritten: () => t.fail('the client is gone'),
  })
  t.ok(long.takes(numbers(count), 2))
  while (long.isWriting) await new Promise((resolve) => setImmediate(resolve))
  t.equal(parts, 2)
})

t.test('what is short behind a long one goes out together, however much comes', async (t) => {
  const writer = new ReplyWriter()
  const { length } = writtenAtOnce(3, [numbers(count)])
  const messages = 20_000
  const one = writtenAtOnce(3, [push(['message', 'c', 'text'])]).length
  let parts = 0
  let bytes = 0
  await new Promise<void>((resolve) => {
    const long = new LongReplies(writer, {
      isFull: false,
      written: () => {
        for (const piece of writer.take()) bytes += piece.length
        // Faster than one a turn, as a channel may be.
        if (parts++ < 2) {
          for (let i = 0; i < messages / 2; i++) long.takes(push(['message', 'c', 'text']), 3)
        }
        return true
      },
      allWritten: resolve,
    })
    t.ok(long.takes(numbers(count), 3))
  })
  t.equal(bytes, length + messages * one)
  t.ok(parts < 30, `${parts} parts`)
})
