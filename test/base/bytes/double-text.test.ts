// Doubles as C prints them with 17 digits, ties and bounds included.

import fc from 'fast-check'
import t from 'tap'
import { doubleText } from '../../../src/base/bytes/double-text.js'
import { runs } from '../../support/runs.js'

/** Printed by C's `printf("%.17g")`. */
const printed: readonly [value: number, text: string][] = [
  [0, '0'],
  [-0, '-0'],
  [3, '3'],
  [-1.5, '-1.5'],
  [0.1, '0.10000000000000001'],
  [2.1, '2.1000000000000001'],
  [1e-4, '0.0001'],
  [1.5e-5, '1.5e-05'],
  [9.9999999999999995e-8, '9.9999999999999995e-08'],
  [123456.789, '123456.789'],
  [9_007_199_254_740_992, '9007199254740992'],
  [12_345_678_901_234_568, '12345678901234568'],
  [1e16, '10000000000000000'],
  [1e17, '1e+17'],
  [1.25e17, '1.25e+17'],
  [-1e21, '-1e+21'],
  [1e100, '1e+100'],
  [5e-324, '4.9406564584124654e-324'],
  [Number.MAX_VALUE, '1.7976931348623157e+308'],
  // Exactly between two of 17 digits: the even one.
  [2 ** -25, '2.9802322387695312e-08'],
  [3 * 2 ** -25, '8.9406967163085938e-08'],
  [Infinity, 'inf'],
  [-Infinity, '-inf'],
  [Number.NaN, 'nan'],
]

t.test('doubles are printed as C prints them', async (t) => {
  for (const [value, text] of printed) t.equal(doubleText(value), text)
})

t.test('every double is read back as itself', async (t) => {
  const doubles = fc.double({ noDefaultInfinity: true, noNaN: true })
  const holds = (value: number) => Object.is(Number(doubleText(value)), value)
  fc.assert(fc.property(doubles, holds), { numRuns: runs(5_000) })
  t.pass('read back')
})
