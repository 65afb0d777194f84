// A map whose values come and go: what has gone is not kept by the tables that the map outgrew.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { PassingMap } from '../../../src/base/heap/passing-map.js'

t.test('it is a map', async (t) => {
  const map = new PassingMap<number, { readonly name: string }>()
  const [one, two, other] = [{ name: 'one' }, { name: 'two' }, { name: 'other' }]
  map.set(1, one)
  map.set(2, two)
  t.equal(map.size, 2)
  t.same([...map.values()], [one, two])
  map.set(1, other)
  t.same([...map.values()], [other, two])
  map.delete(1)
  map.delete(1)
  map.delete(3)
  t.equal(map.size, 1)
  t.same([...map.values()], [two])
  for (const value of map.values()) {
    t.equal(value, two)
    map.delete(2)
  }
  t.equal(map.size, 0)
})

type Passing = { set(key: number, value: object): unknown; delete(key: number): unknown }

const mib = 1_048_576

/** MiB that are left of 40 MiB that came and went, 32 values at a time, after minor collections. */
function leftOf(map: Passing): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void
  collect()
  const before = process.memoryUsage().heapUsed
  for (let key = 0; key < 5_000; key++) {
    map.set(
      key,
      Array.from({ length: 1_024 }, (_, i) => key + i),
    )
    map.delete(key - 32)
    if (key % 100 === 0) collect({ type: 'minor' })
  }
  collect({ type: 'minor' })
  return (process.memoryUsage().heapUsed - before) / mib
}

t.test('what has gone is collected', async (t) => {
  const left = leftOf(new PassingMap())
  t.ok(left < 5, `${left.toFixed(1)} MiB`)
})
