// Sorting the changes of a segment, against the naive way.

import fc from 'fast-check'
import t from 'tap'
import { concatBytes } from '../../../src/base/bytes/bytes.js'
import { newestInKeyOrder } from '../../../src/store/checkpoint/key-order.js'
import { changeBytes, keyBytesOf, writeChange } from '../../../src/store/log/change.js'
import { runs } from '../../support/runs.js'

function changesOf(keys: readonly Uint8Array[]): { bytes: Uint8Array; offsets: Uint32Array } {
  const offsets: number[] = []
  const parts: Uint8Array[] = [Uint8Array.of(1, 2, 3)]
  let at = 3
  for (const [version, key] of keys.entries()) {
    const value = new Uint8Array(version % 3)
    const part = new Uint8Array(changeBytes(key.length, value.length))
    writeChange(part, 0, key, value, version)
    offsets.push(at)
    parts.push(part)
    at += part.length
  }
  return { bytes: concatBytes(...parts), offsets: Uint32Array.from(offsets) }
}

/** Places of the newest of each key, in key order. */
function naive(keys: readonly Uint8Array[], offsets: Uint32Array): number[] {
  const newest = new Map<string, number>()
  for (const [place, key] of keys.entries()) {
    newest.set(Buffer.from(key).toString('latin1'), offsets[place] ?? 0)
  }
  return [...newest]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')))
    .map(([, offset]) => offset)
}

function sorted(keys: readonly Uint8Array[]): { found: number[]; wanted: number[] } {
  const { bytes, offsets } = changesOf(keys)
  const wanted = naive(keys, offsets)
  const kept = newestInKeyOrder(bytes, offsets)
  return { found: [...offsets.subarray(0, kept)], wanted }
}

t.test(
  'keys come in byte order, shorter ones first, and the last change of a key stays',
  async (t) => {
    const text = [
      'b',
      'a',
      '',
      'ab',
      'a\0',
      'a\0\0',
      'abc',
      'abcd',
      'abc\0',
      '\xff',
      'a',
      'abc',
      '',
    ]
    const keys = text.map((one) => Buffer.from(one, 'latin1'))
    const { bytes, offsets } = changesOf(keys)
    const kept = newestInKeyOrder(bytes, offsets)
    t.same(
      [...offsets.subarray(0, kept)].map((at) =>
        Buffer.from(keyBytesOf(bytes, at)).toString('latin1'),
      ),
      ['', 'a', 'a\0', 'a\0\0', 'ab', 'abc', 'abc\0', 'abcd', 'b', '\xff'],
    )
    t.same(newestInKeyOrder(new Uint8Array(0), new Uint32Array(0)), 0)
  },
)

t.test('any keys are sorted as the naive way sorts them', async () => {
  const byte = fc.oneof(fc.constantFrom(0, 1, 255), fc.nat(255))
  const key = fc.array(byte, { maxLength: 12 }).map((bytes) => Uint8Array.from(bytes))
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), (keys) => {
      const { found, wanted } = sorted(keys)
      return Buffer.compare(Buffer.from(found.join()), Buffer.from(wanted.join())) === 0
    }),
    { numRuns: runs(200) },
  )
})

t.test('many keys with long common beginnings are sorted', async (t) => {
  const keys: Uint8Array[] = []
  for (let i = 0; i < 20_000; i++) {
    const key = Buffer.alloc(1_000 + (i % 5), 7)
    key.writeUInt32BE(Math.imul(i % 9_000, 2_654_435_761) >>> 0, key.length - 4)
    keys.push(key.subarray(0, i % 3 === 0 ? 990 : key.length))
  }
  const { found, wanted } = sorted(keys.slice(0, 3_000))
  t.same(found, wanted)
})
