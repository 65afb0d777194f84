// Decimals as INCRBYFLOAT reads, adds and prints them.

import t, { type Test } from 'tap'
import { utf8 } from '../../../../src/base/bytes/bytes.js'
import {
  addDecimals,
  type Decimal,
  parseDecimal,
} from '../../../../src/engine/keyspace/strings/decimal.js'

function read(text: string): Decimal | 'infinite' | undefined {
  const bytes = utf8(text)
  return parseDecimal(bytes, 0, bytes.length)
}

function sum(a: string, b: string): string | undefined {
  const [x, y] = [read(a), read(b)]
  if (x === undefined || y === undefined || x === 'infinite' || y === 'infinite') {
    throw new Error(`${a} and ${b} are numbers`)
  }
  return addDecimals(x, y)
}

function sums(t: Test, cases: readonly (readonly [string, string, string | undefined])[]): void {
  for (const [a, b, wanted] of cases) t.equal(sum(a, b), wanted, `${a} + ${b}`)
}

t.test('sums are exact and printed without an exponent or zeros behind', async (t) => {
  sums(t, [
    ['0.1', '0.2', '0.3'],
    ['10.1', '5.0e3', '5010.1'],
    ['3.0', '1.000', '4'],
    ['-1', '1', '0'],
    ['-0', '-0.0', '0'],
    ['1e-17', '0', '0.00000000000000001'],
    ['1e20', '-0.5', '99999999999999999999.5'],
    ['-1.5', '0.25', '-1.25'],
  ])
})

t.test(
  'what the seventeenth place cannot hold is rounded, halves to the even neighbour',
  async (t) => {
    sums(t, [
      ['1e-18', '0', '0'],
      ['5e-18', '0', '0'],
      ['15e-18', '0', '0.00000000000000002'],
      ['-6e-18', '0', '-0.00000000000000001'],
      ['-4e-18', '0', '0'],
    ])
  },
)

t.test('signs, points, exponents and hexadecimals are numbers', async (t) => {
  sums(t, [
    ['+2', '.5', '2.5'],
    ['5.', '1E+2', '105'],
    ['0x10', '0X.8', '16.5'],
    ['0x1p4', '0xAp-2', '18.5'],
    ['000', '007', '7'],
  ])
  t.equal(read('-inf'), 'infinite')
  t.equal(read('Infinity'), 'infinite')
})

t.test('padding, words and half numbers are none', async (t) => {
  const bad = ['', ' 1', '1 ', '1e', '1e+', '.', '+', '-', '0x', '0x.', '1,5', 'nan', '١', '1_0']
  for (const text of bad) t.equal(read(text), undefined, JSON.stringify(text))
  t.equal(read('1'.repeat(5 * 1024)), undefined, 'too long')
})

t.test('the range is that of 80 bits', async (t) => {
  t.not(read('1.18e4932'), undefined)
  t.equal(read('1.19e4932'), undefined)
  t.not(read('1e-4950'), undefined)
  t.equal(read('1e-4951'), undefined)
  t.equal(read('0x1p16384'), undefined)
  t.equal(read(`1e${'9'.repeat(30)}`), undefined)
  t.equal(read(`0x1p-${'9'.repeat(30)}`), undefined)
  t.same(read(`0e${'9'.repeat(30)}`), { units: 0n, scale: 0 })
  t.equal(sum('1.18e4932', '1.18e4932'), undefined)
})
