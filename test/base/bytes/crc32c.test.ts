// CRC-32C against its published vectors, and against the definition one bit at a time, at every
// start and end of a message.

import t from 'tap'
import { utf8 } from '../../../src/base/bytes/bytes.js'
import { crc32c } from '../../../src/base/bytes/crc32c.js'
import { seededRandom } from '../../support/seeded-random.js'

t.test('the vectors of RFC 3720 come out', async (t) => {
  const ascending = Uint8Array.from({ length: 32 }, (_, index) => index)
  t.equal(crc32c(new Uint8Array(32)), 0x8a9136aa)
  t.equal(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43)
  t.equal(crc32c(ascending), 0x46dd794e)
  t.equal(crc32c(ascending.slice().reverse()), 0x113fdb5c)
  t.equal(crc32c(utf8('123456789')), 0xe3069283)
  t.equal(crc32c(new Uint8Array(0)), 0)
})

t.test('every part of a message has the checksum of its copy, bit by bit', async (t) => {
  const random = seededRandom(7)
  const bytes = Uint8Array.from({ length: 50 }, () => Math.floor(random() * 256))
  for (let start = 0; start <= bytes.length; start++) {
    for (let end = start; end <= bytes.length; end++) {
      const expected = bitwise(bytes.slice(start, end))
      if (crc32c(bytes, start, end) !== expected) t.fail(`from ${start} to ${end}`)
    }
  }
  t.pass()
})

t.test('long messages, which are read by words, have it wherever they begin and end', async (t) => {
  const random = seededRandom(8)
  const bytes = Uint8Array.from({ length: 400 }, () => Math.floor(random() * 256))
  for (let offset = 0; offset < 4; offset++) {
    const view = bytes.subarray(offset)
    for (let start = 0; start < 5; start++) {
      for (let length = 250; length < 290; length++) {
        const expected = bitwise(view.slice(start, start + length))
        const cut = start + (length % 7)
        const found = crc32c(view, cut, start + length, crc32c(view, start, cut))
        if (crc32c(view, start, start + length) !== expected || found !== expected) {
          t.fail(`from ${offset} + ${start}, ${length} bytes`)
        }
      }
    }
  }
  t.pass()
})

t.test('a message in two pieces has the checksum of the whole', async (t) => {
  const bytes = utf8('the quick brown fox jumps over the lazy dog')
  const whole = crc32c(bytes)
  for (let cut = 0; cut <= bytes.length; cut++) {
    t.equal(crc32c(bytes, cut, bytes.length, crc32c(bytes, 0, cut)), whole)
  }
})

/** The definition, one bit at a time. */
function bitwise(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
