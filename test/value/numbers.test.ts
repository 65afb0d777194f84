import fc from 'fast-check'
import t from 'tap'
import { compareValues } from '../../src/value/compare.js'
import { decimalFromString, decimalToString } from '../../src/value/decimal.js'
import {
  addIntegers,
  addNumbers,
  divideNumbers,
  integerOf,
  isZero,
  modNumbers,
  multiplyIntegers,
  multiplyNumbers,
  numberOf,
  subtractNumbers,
  toDecimal,
} from '../../src/value/numbers.js'
import { shellText } from '../../src/value/shell.js'
import {
  bsonType,
  doubleValue,
  int32Value,
  int64Value,
  stringValue,
  type Value,
} from '../../src/value/value.js'
import { runs } from '../support/runs.js'
import { codeNameOf, numbers } from './arbitrary.js'

const int = int32Value
const long = int64Value
const double = doubleValue
const decimal = (text: string) => decimalFromString(text)
const int64Max = 2n ** 63n - 1n

function typed(v: Value | undefined): string {
  if (v === undefined) return 'overflow'
  const names: Record<number, string> = { 1: 'double', 16: 'int', 18: 'long', 19: 'decimal' }
  return `${names[v.type]} ${shellText(v)}`
}

t.test('the wider type wins', async (t) => {
  t.equal(typed(addNumbers(int(1), int(2))), 'int 3')
  t.equal(typed(addNumbers(int(1), long(2n))), 'long 3')
  t.equal(typed(addNumbers(long(1n), double(2))), 'double 3.0')
  t.equal(typed(addNumbers(int(1), decimal('2.50'))), 'decimal 3.50')
  t.equal(typed(subtractNumbers(int(1), int(2))), 'int -1')
  t.equal(typed(multiplyNumbers(int(-1), int(0))), 'int 0')
  t.equal(typed(multiplyNumbers(double(-1), int(0))), 'double -0.0')
})

t.test('int32 overflows to int64 and int64 to double', async (t) => {
  t.equal(typed(addNumbers(int(0x7fffffff), int(1))), 'long 2147483648')
  t.equal(typed(subtractNumbers(int(-0x80000000), int(1))), 'long -2147483649')
  t.equal(typed(multiplyNumbers(int(0x7fffffff), int(0x7fffffff))), 'long 4611686014132420609')
  t.equal(typed(addNumbers(long(int64Max), int(1))), 'double 9223372036854776000.0')
  t.equal(typed(addNumbers(long(int64Max), int(-1))), 'long 9223372036854775806')
})

t.test('an update learns that int64 overflows', async (t) => {
  t.equal(typed(addIntegers(long(int64Max), int(1))), 'overflow')
  t.equal(typed(addIntegers(long(-int64Max - 1n), int(-1))), 'overflow')
  t.equal(typed(addIntegers(int(0x7fffffff), int(1))), 'long 2147483648')
  t.equal(typed(multiplyIntegers(long(2n ** 62n), int(2))), 'overflow')
  t.equal(typed(multiplyIntegers(long(2n ** 62n), double(2))), 'double 9223372036854776000.0')
})

t.test('division gives a double or a decimal, and zero is refused', async (t) => {
  t.equal(typed(divideNumbers(int(6), int(3))), 'double 2.0')
  t.equal(typed(divideNumbers(int(1), decimal('4'))), 'decimal 0.25')
  for (const zero of [int(0), long(0n), double(-0), decimal('0E+5')]) {
    t.ok(isZero(zero))
    t.equal(
      codeNameOf(() => divideNumbers(int(1), zero)),
      'BadValue',
    )
    t.equal(
      codeNameOf(() => modNumbers(int(1), zero)),
      'Location16610',
    )
  }
})

t.test('a remainder keeps the sign of the dividend', async (t) => {
  t.equal(typed(modNumbers(int(-7), int(3))), 'int -1')
  t.equal(typed(modNumbers(long(-int64Max - 1n), int(-1))), 'long 0')
  t.equal(typed(modNumbers(int(7), long(4n))), 'long 3')
  t.equal(typed(modNumbers(int(7), double(2.5))), 'double 2.0')
  t.equal(typed(modNumbers(decimal('-7.5'), int(2))), 'decimal -1.5')
})

t.test('a double becomes a decimal of 15 digits', async (t) => {
  const text = (n: number) => decimalToString(toDecimal(double(n)))
  t.equal(text(0.1), '0.100000000000000')
  t.equal(text(10.99999), '10.9999900000000')
  t.equal(text(5), '5.00000000000000')
  t.equal(text(1e300), '1.00000000000000E+300')
  t.equal(text(999999999999999.9), '1.00000000000000E+15')
  t.equal(text(0), '0')
  t.equal(text(Number.NaN), 'NaN')
  t.equal(text(-Infinity), '-Infinity')
  t.equal(decimalToString(toDecimal(long(int64Max))), '9223372036854775807')
})

t.test('integerOf takes whole numbers of any type within 2^53, and nothing else', async (t) => {
  for (const v of [int(7), long(7n), double(7), decimal('7.000')]) t.equal(integerOf(v), 7)
  const none = [double(7.5), decimal('7.0000000000000000000001'), long(2n ** 53n + 1n)]
  for (const v of [...none, double(Number.NaN), double(Infinity), stringValue('7')]) {
    t.equal(integerOf(v), undefined, shellText(v))
  }
  t.ok(Object.is(integerOf(double(-0)), 0))
})

t.test('integers are added and multiplied exactly', async () => {
  const whole = fc.bigInt(-(2n ** 63n), int64Max)
  const fits = (n: bigint) => BigInt.asIntN(64, n) === n
  const check = (a: bigint, b: bigint) => {
    const sum = addIntegers(long(a), long(b))
    const product = multiplyIntegers(long(a), long(b))
    const same = (v: Value | undefined, n: bigint) =>
      v === undefined ? !fits(n) : v.type === bsonType.int64 && shellText(v) === String(n)
    return same(sum, a + b) && same(product, a * b)
  }
  const small = fc.bigInt(-(2n ** 33n), 2n ** 33n)
  fc.assert(fc.property(whole, fc.oneof(whole, small), check), { numRuns: runs(2_000) })
  fc.assert(fc.property(small, small, check), { numRuns: runs(2_000) })
})

t.test('a number as a double keeps the order', async () => {
  const check = (a: Value, b: Value) => {
    const [x, y] = [numberOf(a), numberOf(b)]
    return Number.isNaN(x) || Number.isNaN(y) || compareValues(a, b) > 0 || x <= y
  }
  fc.assert(fc.property(numbers, numbers, check), { numRuns: runs(5_000) })
})
