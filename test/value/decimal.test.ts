import fc from 'fast-check'
import t from 'tap'
import {
  addDecimals,
  compareExact,
  decimalFromString,
  decimalToString,
  decodeDecimal,
  divideDecimals,
  type Exact,
  encodeDecimal,
  exactToString,
  modDecimals,
  multiplyDecimals,
  roundDecimal,
  subtractDecimals,
  truncDecimal,
} from '../../src/value/decimal.js'
import { runs } from '../support/runs.js'
import { codeNameOf } from './arbitrary.js'

function exact(text: string): Exact {
  const value = decimalFromString(text)
  return decodeDecimal(value.bytes, value.start)
}

const text = (result: Exact) => decimalToString(encodeDecimal(result))

const finite = fc
  .tuple(fc.bigInt(-(10n ** 34n) + 1n, 10n ** 34n - 1n), fc.integer({ min: -60, max: 60 }))
  .map(([coefficient, exponent]) => exact(`${coefficient}E${exponent}`))

t.test('arithmetic rounds half to even at 34 digits', async (t) => {
  const nines = '9'.repeat(34)
  t.equal(text(addDecimals(exact(nines), exact('1'))), '1.000000000000000000000000000000000E+34')
  t.equal(text(addDecimals(exact(nines), exact('0.5'))), '1.000000000000000000000000000000000E+34')
  t.equal(text(addDecimals(exact(nines), exact('0.4'))), nines)
  const even = `1${'0'.repeat(32)}2`
  t.equal(text(addDecimals(exact(even), exact('0.5'))), even)
  t.equal(text(addDecimals(exact(even), exact('0.5000001'))), `1${'0'.repeat(32)}3`)
  t.equal(text(addDecimals(exact('1'), exact('1E-100'))), `1.${'0'.repeat(33)}`)
  t.equal(text(subtractDecimals(exact('1'), exact('1E-100'))), `1.${'0'.repeat(33)}`)
  t.equal(text(divideDecimals(exact('1'), exact('3'))), `0.${'3'.repeat(34)}`)
  t.equal(text(divideDecimals(exact('2'), exact('3'))), `0.${'6'.repeat(33)}7`)
})

t.test('the exponent of a result is the specified one', async (t) => {
  t.equal(text(addDecimals(exact('1.20'), exact('1.3'))), '2.50')
  t.equal(text(multiplyDecimals(exact('1.20'), exact('2'))), '2.40')
  t.equal(text(divideDecimals(exact('2.40'), exact('2'))), '1.20')
  t.equal(text(divideDecimals(exact('1'), exact('4'))), '0.25')
  t.equal(text(divideDecimals(exact('100'), exact('4'))), '25')
})

t.test('infinities, NaN and zeros follow IEEE 754', async (t) => {
  const [infinity, minus, nan, zero] = ['Infinity', '-Infinity', 'NaN', '0'].map(exact) as [
    Exact,
    Exact,
    Exact,
    Exact,
  ]
  t.equal(text(addDecimals(infinity, minus)), 'NaN')
  t.equal(text(addDecimals(infinity, infinity)), 'Infinity')
  t.equal(text(multiplyDecimals(infinity, zero)), 'NaN')
  t.equal(text(multiplyDecimals(minus, minus)), 'Infinity')
  t.equal(text(divideDecimals(zero, zero)), 'NaN')
  t.equal(text(divideDecimals(exact('-1'), zero)), '-Infinity')
  t.equal(text(divideDecimals(exact('1'), infinity)), '0E-6176')
  t.equal(text(addDecimals(nan, zero)), 'NaN')
  t.equal(text(modDecimals(exact('1'), zero)), 'NaN')
  t.equal(text(modDecimals(exact('1'), infinity)), '1')
  t.equal(text(addDecimals(exact('-0'), exact('-0'))), '-0')
  t.equal(text(subtractDecimals(exact('1'), exact('1'))), '0')
})

t.test('results beyond the range become infinite, below it zero or subnormal', async (t) => {
  t.equal(text(multiplyDecimals(exact('1E+6111'), exact('1E+40'))), 'Infinity')
  t.equal(text(multiplyDecimals(exact('1E-6000'), exact('1E-6000'))), '0E-6176')
  t.equal(text(multiplyDecimals(exact('15E-6176'), exact('0.1'))), '2E-6176')
  t.equal(text(multiplyDecimals(exact('1E+6111'), exact('1E+5'))), '1.00000E+6116')
})

t.test('a remainder has the sign of the dividend', async (t) => {
  t.equal(text(modDecimals(exact('-7'), exact('3'))), '-1')
  t.equal(text(modDecimals(exact('7.5'), exact('-2'))), '1.5')
  t.equal(text(modDecimals(exact('1E+40'), exact('7'))), '4')
})

t.test('rounding to places is half to even, truncation toward zero', async (t) => {
  const round = (of: string, places: number) => text(roundDecimal(exact(of), places))
  t.same([round('2.5', 0), round('3.5', 0), round('-2.5', 0)], ['2', '4', '-2'])
  t.same([round('1.25', 1), round('1.35', 1), round('155', -1)], ['1.2', '1.4', '1.6E+2'])
  t.equal(round('1.2', 5), '1.2')
  t.same(
    ['-1.9', '1.9', '0.9', '5E+3'].map((n) => text(truncDecimal(exact(n)))),
    ['-1', '1', '0', '5E+3'],
  )
})

t.test('text that 34 digits cannot hold is refused, or rounded where that is asked', async (t) => {
  const long = `1.${'0'.repeat(33)}5`
  t.equal(
    codeNameOf(() => decimalFromString(long)),
    'BadValue',
  )
  t.equal(decimalToString(decimalFromString(long, true)), `1.${'0'.repeat(33)}`)
  t.equal(
    codeNameOf(() => decimalFromString('0'.repeat(20_000))),
    'BadValue',
    'too long',
  )
  t.equal(decimalToString(decimalFromString('1E+9999', true)), 'Infinity')
  t.equal(decimalToString(decimalFromString(`1E-${'9'.repeat(50)}`, true)), '0E-6176')
  t.equal(decimalToString(decimalFromString(`0E+${'9'.repeat(50)}`)), '0E+6111')
  for (const bad of ['', '.', '1e', '0x1', '1 ', 'infinit', '1__0', '１']) {
    t.equal(
      codeNameOf(() => decimalFromString(bad)),
      'BadValue',
      bad,
    )
  }
})

t.test('a significand beyond 34 digits counts as zero', async (t) => {
  const largest = new Uint8Array(16).fill(0xff)
  largest.set([0x41, 0x30], 14)
  t.equal(exactToString(decodeDecimal(largest, 0)), '0')
  const otherForm = new Uint8Array(16)
  otherForm.set([0x10, 0x6c], 14)
  t.equal(exactToString(decodeDecimal(otherForm, 0)), '0')
})

t.test('text, bytes and text again are the same', async () => {
  const check = (n: Exact) => {
    const printed = text(n)
    const again = exact(printed)
    return text(again) === printed && compareExact(n, again) === 0
  }
  fc.assert(fc.property(finite, check), { numRuns: runs(2_000) })
})

t.test('a result is the nearest of all decimals to the exact one', async () => {
  // The error of `got` against p/q, times 2, must not exceed one unit of its last digit.
  const isNear = (got: Exact, p: bigint, q: bigint) => {
    const unit = got.exponent
    const scale = (n: bigint, power: number) => (power > 0 ? n * 10n ** BigInt(power) : n)
    const signed = got.negative ? -got.coefficient : got.coefficient
    const error = scale(signed * q, unit) - scale(p, -unit)
    const size = error < 0n ? -error : error
    const one = scale(q < 0n ? -q : q, unit)
    return size * 2n <= one
  }
  const whole = (n: Exact) => (n.negative ? -n.coefficient : n.coefficient)
  const check = (a: Exact, b: Exact) => {
    const low = Math.min(a.exponent, b.exponent)
    const [x, y] = [a, b].map((n) => whole(n) * 10n ** BigInt(n.exponent - low)) as [bigint, bigint]
    const unit = 10n ** BigInt(Math.abs(low))
    const [p, q] = low >= 0 ? [unit, 1n] : [1n, unit]
    if (!isNear(addDecimals(a, b), (x + y) * p, q)) return false
    if (!isNear(subtractDecimals(a, b), (x - y) * p, q)) return false
    if (!isNear(multiplyDecimals(a, b), x * y * p * p, q * q)) return false
    return y === 0n || isNear(divideDecimals(a, b), x, y)
  }
  fc.assert(fc.property(finite, finite, check), { numRuns: runs(2_000) })
})
