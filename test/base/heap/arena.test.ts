// Strings that share memory: each reads as what was copied, and buffers grow with what they hold.

import t from 'tap'
import type { Bytes } from '../../../src/base/bytes/bytes.js'
import { Arena } from '../../../src/base/heap/arena.js'

const lengths = [0, 1, 64, 65, 4_000, 20_000, 64 * 1_024, 64 * 1_024 + 1, 300_000]

t.test('each string is a copy', async (t) => {
  for (const arena of [new Arena(), new Arena(16)]) {
    const kept: [string, Bytes][] = []
    for (let i = 0; i < 60; i++) {
      const given = Buffer.alloc(lengths[i % lengths.length] as number, i)
      kept.push([given.toString('latin1'), arena.copy(given)])
      given.fill(255)
    }
    for (const [text, copy] of kept) t.ok(Buffer.from(copy).toString('latin1') === text)
  }
})

t.test('buffers are as large as what is held, and of a size that goes back', async (t) => {
  const arena = new Arena(16)
  const given = Buffer.alloc(1_000)
  const sizes = new Map<ArrayBufferLike, number>()
  let total = 0
  for (let i = 0; i < 2_000; i++) {
    const { buffer } = arena.copy(given)
    sizes.set(buffer, buffer.byteLength)
    total += given.length
    const held = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    t.ok(held <= 2 * total + 1_000, `${held} bytes for ${total}`)
  }
  t.equal(Math.max(...sizes.values()), 256 * 1_024)
})

t.test('what was let go of is not held', async (t) => {
  const arena = new Arena()
  arena.copy(Buffer.alloc(1_000_000))
  t.equal(arena.bytes.length, 1_000_000)
  arena.release()
  t.equal(arena.bytes.length, 0)
  t.equal(arena.copy(Buffer.from('abc')).length, 3)
})
