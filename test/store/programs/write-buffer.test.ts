// The changes of a write program, few and very many: the last one of a key is found.

import t from 'tap'
import { keyClass } from '../../../src/store/layout.js'
import { largeBounds, WriteBuffer } from '../../../src/store/programs/write-buffer.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

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

t.test('what a buffer takes from others is as if it had made their changes', async (t) => {
  const next = seededRandom(seed)
  const below = (n: number): number => Math.floor(next() * n)
  for (let run = 0; run < 20; run++) {
    let version = 0
    const nextVersion = (): number => ++version
    const taking = new WriteBuffer(nextVersion)
    const making = new WriteBuffer(nextVersion)
    const keys = [10, 400][run % 2] as number
    for (let other = 0; other < 3; other++) {
      const given = new WriteBuffer(() => 0)
      version = other * 1_000
      for (let i = below(keys); i >= 0; i--) {
        const [at, value] = [key(below(keys)), Uint8Array.of(below(256))]
        for (const buffer of [given, making]) {
          if (value[0] === 0) buffer.remove(at)
          else buffer.put(at, value)
        }
      }
      version = other * 1_000
      taking.take(given, nextVersion)
    }
    const shown = ({ changes, bytes, puts, removes }: WriteBuffer): object => ({
      ...{ bytes, puts, removes },
      changes: changes.map(({ key, value }) => ({ key, value })),
    })
    t.same(shown(taking), shown(making))
    const missed = making.changes.filter(({ key, value }) => taking.find(key)?.value !== value)
    t.same(missed, [], 'each is found')
    const put = taking.changes.filter(({ value }) => value !== undefined)
    t.equal(new Set(put.map(({ version }) => version)).size, put.length, 'each has its version')
  }
})

t.test('a counter is added to by the same array or another one', async (t) => {
  const buffer = new WriteBuffer(() => 1)
  const counter = (n: number): Uint8Array => Uint8Array.of(keyClass.count, 0, 0, 0, n)
  const kept = Array.from({ length: 12 }, (_, n) => counter(n))
  for (let run = 0; run < 3; run++) {
    for (const [n, same] of kept.entries()) {
      buffer.add(same, 1, n)
      buffer.add(counter(n), 1, n)
    }
  }
  for (let n = 0; n < kept.length; n++) {
    const { documents, bytes } = buffer.added(counter(n))
    t.same([documents, bytes], [6, 6 * n])
  }
  buffer.remove(counter(3))
  buffer.add(kept[3] as Uint8Array, 5, 5)
  t.equal(buffer.added(counter(3)).documents, 5)
})
