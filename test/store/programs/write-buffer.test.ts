// The changes of a write program, few and very many: the last one of a key is found.

import t from 'tap'
import { keyClass } from '../../../src/store/layout.js'
import { largeBounds, WriteBuffer } from '../../../src/store/programs/write-buffer.js'

function key(n: number): Uint8Array {
  return Uint8Array.of(keyClass.record, 0, 0, 0, 1, n >>> 16, n >>> 8, n)
}

t.test('each of very many changes is found, and only once there', async (t) => {
  const buffer = new WriteBuffer(() => 1, largeBounds)
  const count = 100_000
  let missed = 0
  for (let n = 0; n < count; n++) {
    if (buffer.find(key(n)) !== undefined) missed++
    buffer.put(key(n), Uint8Array.of(n))
    if (buffer.find(key(n))?.value?.[0] !== (n & 255)) missed++
  }
  for (let n = 0; n < count; n += 3) buffer.put(key(n), Uint8Array.of(7))
  for (let n = 1; n < count; n += 3) buffer.remove(key(n))
  for (let n = 0; n < count; n++) {
    const expected = n % 3 === 0 ? 7 : n % 3 === 1 ? undefined : n & 255
    const found = buffer.find(key(n))
    if (found === undefined || found.value?.[0] !== expected) missed++
  }
  t.equal(missed, 0)
  t.equal(buffer.changes.length, count)
  t.equal(buffer.find(key(count)), undefined)
})
