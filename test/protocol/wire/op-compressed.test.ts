// OP_COMPRESSED: round trips on both sides of the inline bound, and bombs of every make.

import { deflateSync } from 'node:zlib'
import t from 'tap'
import { messageBytesMax } from '../../../src/base/limits/documents.js'
import { opcode, readHeader } from '../../../src/protocol/wire/header.js'
import {
  deflateMessage,
  inflatedLength,
  inflateMessage,
  inlineZlibBytesMax,
} from '../../../src/protocol/wire/op-compressed.js'
import { command, frame, opCompressed } from '../../support/messages.js'

const small = command({ ping: 1 }, { requestId: 77 })
const large = command({ insert: 'x'.repeat(2 * inlineZlibBytesMax) }, { requestId: 78 })

function pack(message: Uint8Array, options = {}): Uint8Array {
  return opCompressed(message, deflateSync(message.subarray(16)), options)
}

t.test('what was compressed comes out as it went in', async (t) => {
  for (const message of [small, large]) {
    t.same(await inflateMessage(pack(message)), message)
    t.equal(inflatedLength(pack(message)), message.length)
    const packed = new Uint8Array(Buffer.concat(await deflateMessage(message)))
    const { requestId, opcode: code, length } = readHeader(packed)
    t.same(
      [requestId, code, length],
      [readHeader(message).requestId, opcode.compressed, packed.length],
    )
    t.same(await inflateMessage(packed), message)
    // The document beside its head.
    const pieces = await deflateMessage(message.subarray(0, 21), message.subarray(21))
    const again = await inflateMessage(new Uint8Array(Buffer.concat(pieces)))
    t.equal(Buffer.compare(again, message), 0)
  }
})

t.test('the empty compressor and the empty body pass', async (t) => {
  const plain = opCompressed(small, small.subarray(16), { compressor: 0 })
  t.same(await inflateMessage(plain), small)
  const empty = frame(opcode.message, new Uint8Array(0))
  t.same(await inflateMessage(pack(empty)), empty)
})

t.test('a size that lies stops at the announced bytes', async (t) => {
  const bomb = deflateSync(Buffer.alloc(10_000_000))
  for (const size of [0, 1, small.length - 17, small.length - 15]) {
    const lying = pack(small, { size })
    await t.rejects(async () => inflateMessage(lying), { code: 17 }, `size ${size}`)
  }
  await t.rejects(async () => inflateMessage(opCompressed(small, bomb, { size: 100 })), {
    code: 17,
  })
  const late = opCompressed(small, bomb, { size: 1_000_000 })
  await t.rejects(async () => inflateMessage(late), { code: 17 })
  for (const size of [-1, messageBytesMax, 0x7fffffff]) {
    t.throws(() => inflatedLength(pack(small, { size })), { code: 17 })
  }
})

t.test('unknown compressors, garbage and nesting are refused', async (t) => {
  for (const wrong of [
    pack(small, { compressor: 1 }),
    pack(small, { compressor: 3 }),
    pack(small, { compressor: 255 }),
    pack(small, { original: opcode.compressed }),
    opCompressed(small, Buffer.from('not zlib at all')),
    opCompressed(large, Buffer.from('not zlib at all')),
    frame(opcode.compressed, new Uint8Array(8)),
  ]) {
    await t.rejects(async () => inflateMessage(wrong), { code: 17 })
  }
  const whole = pack(small)
  for (let length = 16; length < whole.length; length++) {
    await t.rejects(async () => inflateMessage(whole.slice(0, length)), { code: 17 })
  }
})
