// The bytes of a change, which are also the bytes of the log: golden ones, and every length that
// turns a digit.

import t from 'tap'
import {
  changeBytes,
  changeEnd,
  changeHeaderBytes,
  isChangeKind,
  isRemoval,
  keyBytesOf,
  keyLengthOf,
  valueBytesOf,
  valueLengthOf,
  valueStart,
  versionOf,
  writeChange,
} from '../../../src/store/log/change.js'

t.test('a put and a removal are these bytes', async (t) => {
  const target = new Uint8Array(64)
  const middle = writeChange(target, 2, Uint8Array.of(7, 8), Uint8Array.of(9), 2 ** 32 + 5)
  const end = writeChange(target, middle, Uint8Array.of(7), undefined, 0)
  t.same([...target.subarray(2, middle)], [1, 2, 0, 1, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 7, 8, 9])
  t.same([...target.subarray(middle, end)], [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7])
  t.equal(changeEnd(target, 2), middle)
  t.equal(changeEnd(target, middle), end)
  t.notOk(isRemoval(target, 2))
  t.ok(isRemoval(target, middle))
  t.ok(isChangeKind(target[2]))
  t.notOk(isChangeKind(2))
  t.notOk(isChangeKind(undefined))
})

t.test('lengths and versions come back as they were', async (t) => {
  for (const keyLength of [1, 255, 256, 1_900]) {
    for (const valueLength of [0, 1, 63, 65, 255, 256, 65_536, 16_777_216]) {
      const bytes = changeBytes(keyLength, valueLength)
      const target = new Uint8Array(bytes + 3)
      const key = new Uint8Array(keyLength).fill(3)
      const value = new Uint8Array(valueLength).fill(4)
      const version = Number.MAX_SAFE_INTEGER - keyLength
      t.equal(writeChange(target, 3, key, value, version), bytes + 3)
      t.equal(changeEnd(target, 3), bytes + 3)
      t.equal(keyLengthOf(target, 3), keyLength)
      t.equal(valueLengthOf(target, 3), valueLength)
      t.equal(valueStart(target, 3), 3 + changeHeaderBytes + keyLength)
      t.equal(versionOf(target, 3), version)
      t.ok(Buffer.compare(keyBytesOf(target, 3), key) === 0)
      t.ok(Buffer.compare(valueBytesOf(target, 3), value) === 0)
    }
  }
})
