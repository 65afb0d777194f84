// Rounding of decimals and doubles against whole numbers, in which every digit is seen.

import fc from 'fast-check'
import t from 'tap'
import { roundExact } from '../../../../src/commands/sql/expression/rounding.js'
import { compareExact, finiteExact } from '../../../../src/value/decimal.js'
import { runs } from '../../../support/runs.js'
import { answer } from './evaluate.js'

const coefficients = fc.bigInt(0n, 10n ** 12n)
const exponents = fc.integer({ min: -14, max: 3 })
const places = fc.integer({ min: -4, max: 10 })

t.test(
  'a rounded number has the places asked for and is the nearest in its direction',
  async (t) => {
    fc.assert(
      fc.property(fc.boolean(), coefficients, exponents, places, (negative, size, exponent, to) => {
        const exact = finiteExact(negative, size, exponent)
        const half = finiteExact(false, 5n, -to - 1)
        const unit = finiteExact(false, 1n, -to)
        return (['nearest', 'zero', 'down', 'up'] as const).every((direction) => {
          const rounded = roundExact(exact, to, direction)
          const off = difference(rounded, exact)
          const isNear = compareExact(off, direction === 'nearest' ? half : unit) <= 0
          const order = compareExact(rounded, exact)
          const isBelow = direction === 'down' || (direction === 'zero' && !negative)
          const isAbove = direction === 'up' || (direction === 'zero' && negative)
          return isNear && (!isBelow || order <= 0) && (!isAbove || order >= 0)
        })
      }),
      { numRuns: runs(2_000) },
    )
    t.pass('every one')
  },
)

/** The distance of two numbers of one sign, or of zero. */
function difference(a: ReturnType<typeof finiteExact>, b: ReturnType<typeof finiteExact>) {
  const exponent = Math.min(a.exponent, b.exponent)
  const left = a.coefficient * 10n ** BigInt(a.exponent - exponent)
  const right = b.coefficient * 10n ** BigInt(b.exponent - exponent)
  return finiteExact(false, left > right ? left - right : right - left, exponent)
}

t.test('places far away and numbers that are none cost nothing', async (t) => {
  t.equal(answer('round(1.5, 2000000000)'), 'double precision 1.5')
  t.equal(answer('round(1.5, -2000000000)'), 'double precision 0')
  t.equal(answer("round('NaN'::float8, 2)"), 'double precision NaN')
  t.equal(answer("floor('-infinity'::float8)"), 'double precision -Infinity')
  t.equal(answer('round(9223372036854775807, -1)'), 'error 22003')
  t.equal(answer("'0E+6000'::numeric::int"), 'integer 0')
})
