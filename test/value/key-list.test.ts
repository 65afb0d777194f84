// Keys in one buffer are sorted and distinct as the values are, and never long without a pause.

import fc from 'fast-check'
import t from 'tap'
import { work } from '../../src/base/work/work-budget.js'
import { bytesPerUnit, charsPerUnit } from '../../src/base/work/work-figures.js'
import { compareValues, equalValues } from '../../src/value/compare.js'
import { encodeKey } from '../../src/value/key.js'
import { KeyCollector, type KeyList } from '../../src/value/key-list.js'
import { int32Value, stringValue, type Value } from '../../src/value/value.js'
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

/** Texts that begin alike, as long as a native comparison is for, or shorter. */
const alike = fc
  .tuple(fc.constantFrom(0, 30, 64, 65, 200), fc.string({ maxLength: 3 }), fc.constantFrom(0, 90))
  .map(([before, text, behind]) => stringValue(`${'a'.repeat(before)}${text}${'b'.repeat(behind)}`))

t.test('long keys that begin alike are sorted and found', async () => {
  fc.assert(
    fc.property(fc.array(alike, { maxLength: 60 }), alike, (given, other) => {
      const { list } = listOf(given)
      for (let i = 0; i < list.length; i++) {
        if (i > 0 && Buffer.compare(list.keyAt(i - 1), list.keyAt(i)) >= 0) return false
        if (list.positionOf(given.find((_, place) => place === list.placeAt(i)) as Value) !== i) {
          return false
        }
      }
      const below = Array.from({ length: list.length }, (_, i) => list.keyAt(i)).filter(
        (key) => Buffer.compare(key, encodeKey(other)) < 0,
      )
      if (list.firstFrom(encodeKey(other)) !== below.length) return false
      const end = encodeKey(other).subarray(0, -1)
      const before = below.filter((key) => Buffer.compare(key, end) < 0)
      if (list.firstFrom(end) !== before.length) return false
      return list.has(other) === given.some((value) => equalValues(value, other))
    }),
    { numRuns: runs(300) },
  )
})

t.test('long keys that begin alike cost what is compared of them', async (t) => {
  const [count, length] = [1_024, 980]
  const units = (first: (i: number) => string): { sorting: number; each: number } => {
    const texts = Array.from({ length: count }, (_, i) => (i * 389) % count)
    const given = texts.map((i) => stringValue(`${first(i)}${'a'.repeat(length)}${i}`))
    const collector = new KeyCollector()
    for (const [place, value] of given.entries()) collector.add(value, place)
    const before = work.spent
    const steps = collector.list()
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    const sorting = work.spent - before
    for (const value of given) step.value.has(value)
    return { sorting, each: (work.spent - before - sorting) / count }
  }
  const alike = units(() => '')
  const least = (count * Math.log2(count) * length) / bytesPerUnit / 2
  t.ok(alike.sorting > least, `${alike.sorting} units for the comparisons of all`)
  const pass = length / charsPerUnit
  t.ok(alike.each < 1.5 * pass, `${alike.each} units: what all begin with is compared natively`)
  const groups = units((i) => String(i % 2))
  t.ok(groups.each > 1.5 * pass, `${groups.each} units: what is compared in a loop is paid for`)
})

t.test('a search counts 1 µs among 100,000 keys, and half of that among few', async (t) => {
  const unitsOf = (count: number): number => {
    const { list } = listOf(Array.from({ length: count }, (_, i) => int32Value(i)))
    const { spent } = work
    list.has(int32Value(5))
    return work.spent - spent
  }
  t.ok(unitsOf(100_000) > 10, `${unitsOf(100_000)} units`)
  t.ok(unitsOf(4) < 6, `${unitsOf(4)} units`)
})
