// The splitter against every way a stream can be cut, and against lengths that lie.

import t from 'tap'
import { messageBytesMax } from '../../../src/base/limits/documents.js'
import { FrameSplitter } from '../../../src/protocol/wire/frame-splitter.js'
import { command, frame } from '../../support/messages.js'

const messages = [command({ ping: 1 }), frame(2013, new Uint8Array(0)), command({ find: 'a' })]
const stream = Buffer.concat(messages)

function cut(chunks: readonly Uint8Array[]): Uint8Array[] {
  const splitter = new FrameSplitter(messageBytesMax)
  const found: Uint8Array[] = []
  for (const chunk of chunks) {
    splitter.push(new Uint8Array(chunk))
    for (let next = splitter.next(); next !== undefined; next = splitter.next()) found.push(next)
  }
  return found
}

t.test('messages come out whole wherever two cuts fall', async (t) => {
  for (let first = 0; first <= stream.length; first++) {
    for (let second = first; second <= stream.length; second++) {
      const chunks = [
        stream.subarray(0, first),
        stream.subarray(first, second),
        stream.subarray(second),
      ]
      const found = cut(chunks)
      if (found.length !== messages.length || !Buffer.concat(found).equals(stream)) {
        t.fail(`cut at ${first} and ${second}`)
        return
      }
    }
  }
  t.same(cut(Array.from(stream, (byte) => Uint8Array.of(byte))), messages)
})

t.test('chunks pushed before anything is taken are kept in order', async (t) => {
  const splitter = new FrameSplitter(messageBytesMax)
  for (const byte of stream) splitter.push(Uint8Array.of(byte))
  t.equal(splitter.hasRest, true)
  t.same([splitter.next(), splitter.next(), splitter.next()], messages)
  t.equal(splitter.next(), undefined)
  t.equal(splitter.hasRest, false)
})

t.test('a message shares memory with no other', async (t) => {
  const found = cut([stream])
  const buffers = new Set(found.map((message) => message.buffer))
  t.equal(buffers.size, messages.length)
  for (const message of found) t.equal(message.buffer.byteLength, message.length)
})

t.test('a length outside its bounds is refused before memory is taken for it', async (t) => {
  for (const length of [15, 0, -1, messageBytesMax + 1, 0x7fffffff]) {
    const splitter = new FrameSplitter(messageBytesMax)
    splitter.push(frame(2013, new Uint8Array(4), 1, length).subarray(0, 4))
    t.throws(() => splitter.next(), { code: 17 })
    t.equal(splitter.gathering, 0)
  }
})

t.test('the bound in force when a message begins is the one that counts', async (t) => {
  const splitter = new FrameSplitter(20)
  splitter.push(new Uint8Array(frame(2013, new Uint8Array(100))))
  t.throws(() => splitter.next(), { code: 17 })
  const open = new FrameSplitter(messageBytesMax)
  open.push(frame(2013, new Uint8Array(100)).subarray(0, 50))
  t.equal(open.next(), undefined)
  t.equal(open.gathering, 116)
})
