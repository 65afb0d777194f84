// Numbers as clients write them: what a double may look like as a score or an amount, and what more
// the bound of a range may.

import t from 'tap'
import { parseFloat64, parseFloatBound } from '../../../../src/engine/keyspace/strings/numbers.js'

const infinity = Number.POSITIVE_INFINITY

/** The text, what it is as a double, and what it is as a bound. */
const cases: readonly (readonly [string, number | undefined, number | undefined])[] = [
  ['1', 1, 1],
  ['+5', 5, 5],
  ['-0', -0, -0],
  ['00012', 12, 12],
  ['1.', 1, 1],
  ['.5', 0.5, 0.5],
  ['1e3', 1_000, 1_000],
  ['5e-324', 5e-324, 5e-324],
  ['0e-500', 0, 0],
  ['1e-400', undefined, 0],
  ['1e400', undefined, infinity],
  ['-1e400', undefined, -infinity],
  ['0x10', 16, 16],
  ['0X1f', 31, 31],
  ['0x1p3', 8, 8],
  ['0x1p+3', 8, 8],
  ['0x1.8', 1.5, 1.5],
  ['-0x.8', -0.5, -0.5],
  ['0x1p-1074', 5e-324, 5e-324],
  ['0x1p-2000', undefined, 0],
  ['0x1p2000', undefined, infinity],
  ['0x0p-9999', 0, 0],
  ['inf', infinity, infinity],
  ['+Infinity', infinity, infinity],
  ['-INF', -infinity, -infinity],
  ['', undefined, 0],
  [' 1', undefined, 1],
  ['\t\r\n 1', undefined, 1],
  ['1 ', undefined, undefined],
  [' ', undefined, undefined],
  ['1\0x', undefined, 1],
  ['\0', undefined, 0],
]

const refused = ['.', '1e', '1e+', '0x', '0x1p', '0x.', 'infi', 'nan', '1_000', '1d', '--1', 'x']

t.test(
  'a double is read as the reference server reads it, and as a bound more leniently',
  async (t) => {
    for (const [text, double, bound] of cases) {
      const bytes = Buffer.from(`<${text}>`)
      t.equal(parseFloat64(bytes, 1, bytes.length - 1), double, JSON.stringify(text))
      t.equal(
        parseFloatBound(bytes, 1, bytes.length - 1),
        bound,
        `${JSON.stringify(text)}, a bound`,
      )
    }
  },
)

t.test('what is no number is none', async (t) => {
  for (const text of refused) {
    const bytes = Buffer.from(text)
    t.equal(parseFloat64(bytes, 0, bytes.length), undefined, text)
    t.equal(parseFloatBound(bytes, 0, bytes.length), undefined, `${text}, a bound`)
  }
})
