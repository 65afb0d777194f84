// Numbers of programs that commit, fail and only foresee, against a set of those that are in use.

import fc from 'fast-check'
import t from 'tap'
import { GivenNumbers, NumberRanges } from '../../../src/store/programs/number-ranges.js'
import { runs } from '../../support/runs.js'

interface Take {
  readonly count: number
  /** Undefined: not only foreseen. */
  readonly uses?: boolean | undefined
}

const take: fc.Arbitrary<Take> = fc.oneof(
  fc.record({ count: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ count: fc.constant(1), uses: fc.boolean() }),
)
const program = fc.record({ takes: fc.array(take, { maxLength: 5 }), fails: fc.boolean() })

/** Runs a program; returns the first number of each take. */
function run(
  ranges: NumberRanges,
  given: GivenNumbers,
  takes: readonly Take[],
  next: (count: number) => void,
) {
  return takes.map(({ count, uses }) => {
    if (!ranges.has(count)) next(count)
    const number = given.take(ranges, count, uses === undefined)
    if (uses === true) given.use(ranges, number)
    return number
  })
}

t.test('a number is in use once, and a program that runs again gets the same', async (t) => {
  const property = fc.property(fc.array(program, { maxLength: 20 }), fc.nat(3), (programs, gap) => {
    const ranges = new NumberRanges()
    let allocated = 1
    // Other gateways take blocks in between.
    const next = (count: number) => {
      ranges.add(allocated, Math.max(count, 8))
      allocated += Math.max(count, 8) + 8 * gap
    }
    const used = new Set<number>()
    for (const { takes, fails } of programs) {
      const first = new GivenNumbers()
      const numbers = run(ranges, first, takes, next)
      first.giveBack()
      const second = new GivenNumbers()
      if (String(run(ranges, second, takes, next)) !== String(numbers)) return false
      if (fails) {
        second.giveBack()
        continue
      }
      second.keepUsed()
      for (const [i, { count, uses }] of takes.entries()) {
        if (uses === false) continue
        for (let n = 0; n < count; n++) {
          const number = (numbers[i] as number) + n
          if (used.has(number) || number >= allocated) return false
          used.add(number)
        }
      }
    }
    return true
  })
  fc.assert(property, { numRuns: runs(2_000) })
  t.pass()
})

t.test('what is foreseen is given next', async (t) => {
  const ranges = new NumberRanges()
  t.equal(ranges.foresee(1, 0), undefined)
  ranges.add(5, 10)
  t.equal(ranges.foresee(2, 3), 8)
  t.equal(ranges.take(3), 5)
  t.equal(ranges.take(2), 8)
  t.equal(ranges.foresee(5, 1), undefined)
})

t.test('what is given back joins what is left', async (t) => {
  const ranges = new NumberRanges()
  ranges.add(1, 8)
  const given = new GivenNumbers()
  for (const count of [1, 3, 4]) given.take(ranges, count, true)
  t.equal(ranges.has(1), false)
  given.giveBack()
  t.equal(ranges.take(8), 1)
})
