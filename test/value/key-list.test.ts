// Keys in one buffer are sorted and distinct as the values are, and never long without a pause.

import fc from 'fast-check'
import t from 'tap'
import { work } from '../../src/base/work/work-budget.js'
import { compareValues, equalValues } from '../../src/value/compare.js'
import { encodeKey } from '../../src/value/key.js'
import { KeyCollector, type KeyList } from '../../src/value/key-list.js'
import { int32Value, type Value } from '../../src/value/value.js'
import { runs } from '../support/runs.js'
import { values } from './arbitrary.js'

/** Units between two pauses. */
const unitsMax = 1_000

function listOf(given: readonly Value[]): { list: KeyList; longest: number } {
  const collector = new KeyCollector()
  for (const [place, value] of given.entries()) collector.add(value, place)
  const steps = collector.list()
  let longest = 0
  for (;;) {
    const before = work.spent
    const step = steps.next()
    longest = Math.max(longest, work.spent - before)
    if (step.done === true) return { list: step.value, longest }
  }
}

t.test('each value once, in order, and found again', async () => {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 60 }), values, (given, other) => {
      const { list } = listOf(given)
      const sorted = [...given].sort(compareValues)
      const distinct = sorted.filter(
        (value, i) => i === 0 || !equalValues(value, sorted[i - 1] as Value),
      )
      if (list.length !== distinct.length) return false
      for (const [i, value] of distinct.entries()) {
        if (Buffer.compare(list.keyAt(i), encodeKey(value)) !== 0) return false
        if (!equalValues(given[list.placeAt(i)] as Value, value)) return false
        if (list.positionOf(value) !== i) return false
      }
      return list.has(other) === given.some((value) => equalValues(value, other))
    }),
    { numRuns: runs(300) },
  )
})

t.test('orders of all kinds are sorted with pauses', async (t) => {
  const count = 20_000
  const orders: Record<string, (i: number) => number> = {
    ascending: (i) => i,
    descending: (i) => count - i,
    mixed: (i) => (i * 7_919) % count,
    equal: () => 7,
  }
  for (const [name, at] of Object.entries(orders)) {
    const given = Array.from({ length: count }, (_, i) => int32Value(at(i)))
    const { list, longest } = listOf(given)
    t.equal(list.length, new Set(given.map((_, i) => at(i))).size, name)
    for (let i = 1; i < list.length; i++) {
      if (Buffer.compare(list.keyAt(i - 1), list.keyAt(i)) >= 0) t.fail(`${name} ${i}`)
    }
    t.ok(longest < unitsMax, `${name}: ${longest} units`)
  }
})
