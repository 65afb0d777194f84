// The order of many keys is that of a plain sort by bytes, whatever their beginnings and ends.

import fc from 'fast-check'
import t from 'tap'
import { compareBytes } from '../../../src/base/bytes/bytes.js'
import { compareKeys, sortByStart } from '../../../src/engine/plan/key-order.js'
import { runs } from '../../support/runs.js'

const beginnings = fc.constantFrom([], [1], [1, 0], [1, 0, 0, 0, 0], [2, 2, 2, 2, 2, 2, 2], [255])
const tails = fc.array(fc.constantFrom(0, 1, 2, 255), { maxLength: 9 })
const keys = fc.tuple(beginnings, tails).map((parts) => Uint8Array.from(parts.flat()))
const many = fc.array(keys, { minLength: 60, maxLength: 400, size: 'max' })

function agrees(all: readonly Uint8Array[]): boolean {
  const keyed = all.map((start, at) => ({ start, at }))
  const plain = [...keyed].sort((a, b) => compareBytes(a.start, b.start))
  sortByStart(keyed)
  return keyed.every(({ at }, i) => at === plain[i]?.at)
}

t.test(
  'many keys are sorted as a comparison of bytes sorts them, equal ones in their order',
  async () => {
    fc.assert(fc.property(many, agrees), { numRuns: runs(300) })
  },
)

t.test('keys of one length, equal keys, and beginnings of one another are sorted', async (t) => {
  const from = (count: number, make: (i: number) => Uint8Array) =>
    Array.from({ length: count }, (_, i) => make((i * 7_919) % count))
  const word = (i: number) => Uint8Array.of(9, i >> 16, i >> 8, i)
  t.ok(agrees(from(10_000, word)))
  t.ok(agrees(from(1_000, () => Uint8Array.of(1, 2, 3))))
  t.ok(agrees(from(1_000, (i) => new Uint8Array(i))))
  t.ok(agrees(from(1_000, (i) => new Uint8Array(i % 90).fill(3))))
  t.ok(agrees(from(500, (i) => Uint8Array.from([...new Uint8Array(100).fill(5), ...word(i)]))))
})

t.test('two keys compare as their bytes do', async () => {
  const check = (a: Uint8Array, b: Uint8Array) =>
    Math.sign(compareKeys(a, b)) === compareBytes(a, b)
  fc.assert(fc.property(keys, keys, check), { numRuns: runs(1_000) })
})
