// The shared slabs: no caller gets another's bytes or notices that memory is shared.

import t from 'tap'
import { copyOf, room } from '../../../src/base/heap/slab.js'

t.test('values share memory and never bytes', async (t) => {
  const values = Array.from({ length: 5_000 }, (_, index) => room(index % 300).fill(index % 251))
  for (const [index, value] of values.entries()) {
    t.equal(value.length, index % 300)
    if (value.some((byte) => byte !== index % 251)) t.fail(`value ${index} was written over`)
  }
  const buffers = new Set(values.map((value) => value.buffer))
  t.ok(buffers.size < 150, `${buffers.size} buffers`)
})

t.test('what is given out is empty, plain, and copied by slice', async (t) => {
  room(8).fill(0xff)
  const value = room(8)
  t.ok(value.every((byte) => byte === 0))
  t.notOk(Buffer.isBuffer(value))
  const copy = value.slice()
  value[0] = 1
  t.equal(copy[0], 0)
})

t.test('a large value has memory of its own', async (t) => {
  t.equal(room(1_025).buffer.byteLength, 1_025)
})

t.test('a copy is of the part that was named', async (t) => {
  const source = Uint8Array.from({ length: 2_000 }, (_, index) => index)
  t.same([...copyOf(source, 3, 6)], [3, 4, 5])
  t.same(copyOf(source, 0, 2_000), source)
  const copy = copyOf(source, 0, 4)
  source[0] = 9
  t.equal(copy[0], 0)
})
