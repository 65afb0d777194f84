// The B+-tree against a sorted model, through growth and shrinkage, with snapshots held meanwhile:
// splits, joins and copies of shared nodes all happen here.

import fc from 'fast-check'
import t from 'tap'
import { compareBytes } from '../../../src/base/bytes/bytes.js'
import {
  compareKeys,
  OrderedMap,
  type OrderedView,
} from '../../../src/store/memtable/ordered-map.js'
import type { KeyRange } from '../../../src/store/store.js'
import { runs } from '../../support/runs.js'
import { seededRandom } from '../../support/seeded-random.js'

const keyOf = (number: number): Uint8Array => Uint8Array.of(number >>> 16, number >>> 8, number)

function scanned<V>(view: OrderedView<V>, range: KeyRange, limit = Number.MAX_SAFE_INTEGER): V[] {
  const found: V[] = []
  view.scan(range, (_key, value) => found.push(value) < limit)
  return found
}

const all: KeyRange = { start: Uint8Array.of(), end: Uint8Array.of(255) }

t.test('keys compare as memcmp does', async () => {
  const bytes = fc.uint8Array({ maxLength: 6, max: 3 })
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      return Math.sign(compareKeys(a, b)) === compareBytes(a, b)
    }),
  )
})

t.test('a map is its sorted model through growth, shrinkage and snapshots', async (t) => {
  const seed = 11
  const random = seededRandom(seed)
  const below = (bound: number) => Math.floor(random() * bound)
  const map = new OrderedMap<number>()
  const model = new Map<number, number>()
  const snapshots: { view: OrderedView<number>; values: number[] }[] = []
  const values = (reverse = false, from = 0, to = Number.MAX_SAFE_INTEGER) => {
    const keys = [...model.keys()].filter((key) => key >= from && key < to)
    keys.sort((a, b) => (reverse ? b - a : a - b))
    return keys.map((key) => model.get(key) ?? -1)
  }
  const rounds = runs(40)
  for (let round = 0; round < rounds; round++) {
    // Growing for a while, then shrinking until hardly anything is left.
    const growing = round % 10 < 5
    for (let i = 0; i < 2_000; i++) {
      const number = below(6_000)
      if (below(10) < (growing ? 9 : 1)) {
        if (map.set(keyOf(number), i) !== model.get(number)) t.fail(`seed ${seed}: set`)
        model.set(number, i)
      } else {
        if (map.delete(keyOf(number)) !== model.get(number)) t.fail(`seed ${seed}: delete`)
        model.delete(number)
      }
    }
    const from = below(6_000)
    const to = below(6_000)
    const range = { start: keyOf(from), end: keyOf(to) }
    t.same(scanned(map, range), values(false, from, to), `seed ${seed}`)
    t.same(scanned(map, { ...range, reverse: true }), values(true, from, to))
    t.same(scanned(map, all, 10), values().slice(0, 10))
    t.equal(map.size, model.size)
    if (round % 3 === 0) snapshots.push({ view: map.snapshot(), values: values() })
  }
  for (const { view, values } of snapshots) t.same(scanned(view, all), values)
})

t.test('keys in order, the usual load, stay in order', async (t) => {
  const map = new OrderedMap<number>()
  for (let i = 0; i < 20_000; i++) map.set(keyOf(i), i)
  t.equal(map.get(keyOf(12_345)), 12_345)
  t.equal(map.get(keyOf(20_000)), undefined)
  for (let i = 0; i < 20_000; i += 2) map.delete(keyOf(i))
  t.equal(map.size, 10_000)
  t.same(scanned(map, all, 3), [1, 3, 5])
  for (let i = 1; i < 20_000; i += 2) map.delete(keyOf(i))
  t.same(scanned(map, all), [])
})
