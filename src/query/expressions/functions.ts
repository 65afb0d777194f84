// Functions of one number: rounding, powers and logarithms, trigonometry. Deviation: logarithms,
// fractional powers, exponentials and trigonometry of decimals are computed in doubles. Only 15 of
// a decimal's 34 digits are then exact.

import { fail } from '../../base/errors.js'
import {
  decodeDecimal,
  type Exact,
  encodeDecimal,
  exactToString,
  finiteExact,
  multiplyDecimals,
  roundDecimal,
  truncDecimal,
} from '../../value/decimal.js'
import {
  exactOf,
  exactOfBigint,
  int64Max,
  int64Min,
  integerOf,
  isZero,
  numberOf,
  toDecimal,
  wholeOf,
} from '../../value/numbers.js'
import {
  bigintOf,
  bsonType,
  doubleValue,
  int32Value,
  int64Value,
  nullValue,
  type Value,
} from '../../value/value.js'
import {
  binary,
  int32Of,
  isNullish,
  location,
  type OperatorRow,
  type Result,
  ranged,
  typeName,
  unary,
  valueText,
} from './operator.js'

/** An operator of one number; null and missing give null. */
function numeric(name: string, apply: (value: Value) => Value): OperatorRow {
  return unary(name, (value) => {
    if (isNullish(value)) return nullValue
    if (!value.isNumber) {
      throw location(28765, `${name} only supports numeric types, not ${typeName(value)}`)
    }
    return apply(value)
  })
}

/** A result computed in doubles, in the type for the operand. */
function approximate(operand: Value, n: number): Value {
  const result = doubleValue(n)
  return operand.type === bsonType.decimal128 ? toDecimal(result) : result
}

function abs(value: Value): Value {
  switch (value.type) {
    case bsonType.double:
      return doubleValue(Math.abs(numberOf(value)))
    case bsonType.decimal128:
      return encodeDecimal({ ...decodeDecimal(value.bytes, value.start), negative: false })
    case bsonType.int64: {
      const n = bigintOf(value)
      if (n === int64Min) throw location(28680, "can't take $abs of long long min")
      return int64Value(n < 0n ? -n : n)
    }
    default:
      return wholeResult(BigInt(Math.abs(numberOf(value))), false)
  }
}

/** A whole number as int32 if it fits and `isLong` is false, else int64, else double. */
function wholeResult(n: bigint, isLong: boolean): Value {
  if (!isLong && n === BigInt.asIntN(32, n)) return int32Value(Number(n))
  if (n >= int64Min && n <= int64Max) return int64Value(n)
  return doubleValue(Number(n))
}

/** Rounds down (`up` false) or up. */
function wholeNear(value: Value, up: boolean): Value {
  if (value.type === bsonType.double) {
    return doubleValue(up ? Math.ceil(numberOf(value)) : Math.floor(numberOf(value)))
  }
  if (value.type !== bsonType.decimal128) return value
  const exact = decodeDecimal(value.bytes, value.start)
  const whole = truncDecimal(exact)
  const isCut = exact.kind === 'finite' && !sameExact(exact, whole)
  if (!isCut || exact.negative === up) return encodeDecimal(whole)
  return encodeDecimal(finiteExact(whole.negative, whole.coefficient + 1n, 0))
}

function sameExact(a: Exact, b: Exact): boolean {
  const shift = b.exponent - a.exponent
  return shift >= 0 && a.coefficient === b.coefficient * 10n ** BigInt(shift)
}

/** $round and $trunc: `[number, place]`, place -20 to 100, half to even. */
function rounding(name: string, cut: (exact: Exact, places: number) => Exact): OperatorRow {
  return ranged(name, 1, 2, ([value, place]) => {
    if (isNullish(value)) return nullValue
    if (!value.isNumber) {
      throw location(51081, `${name} only supports numeric types, not ${typeName(value)}`)
    }
    if (place?.isNullish) return nullValue
    const places = place === undefined ? 0 : placesOf(name, place)
    switch (value.type) {
      case bsonType.double: {
        const n = numberOf(value)
        if (!Number.isFinite(n)) return value
        return doubleValue(Number(exactToString(cut(exactOf(value), places))))
      }
      case bsonType.decimal128:
        return encodeDecimal(cut(exactOf(value), places))
      default: {
        if (places >= 0) return value
        const { coefficient, exponent, negative } = cut(exactOf(value), places)
        const n = coefficient * 10n ** BigInt(Math.max(exponent, 0)) * (negative ? -1n : 1n)
        if (n < int64Min || n > int64Max) {
          throw location(51080, `invalid conversion from Decimal128 result in ${name}`)
        }
        return wholeResult(n, value.type === bsonType.int64)
      }
    }
  })
}

function placesOf(name: string, place: Value): number {
  const places = place.isNumber ? integerOf(place) : undefined
  if (places === undefined) {
    throw location(51082, `precision argument to  ${name} must be a integral value`)
  }
  if (places < -20 || places > 100) {
    throw location(
      51083,
      `cannot apply ${name} with precision value ${places} value must be in [-20, 100]`,
    )
  }
  return places
}

function truncToPlaces(exact: Exact, places: number): Exact {
  if (exact.kind !== 'finite' || exact.exponent >= -places) return exact
  const shifted = truncDecimal({ ...exact, exponent: exact.exponent + places })
  return { ...shifted, exponent: shifted.exponent - places }
}

function power(base: Result, exponent: Result): Value {
  if (isNullish(base) || isNullish(exponent)) return nullValue
  if (!base.isNumber) {
    throw location(28762, `$pow's base must be numeric, not ${typeName(base)}`)
  }
  if (!exponent.isNumber) {
    throw location(28763, `$pow's exponent must be numeric, not ${typeName(exponent)}`)
  }
  if (isZero(base) && numberOf(exponent) < 0) {
    throw location(28764, '$pow cannot take a base of 0 and a negative exponent')
  }
  const types = [base.type, exponent.type]
  const whole = integerOf(exponent)
  if (types.includes(bsonType.decimal128)) {
    if (whole !== undefined && whole >= 0 && whole <= 10_000) {
      return encodeDecimal(decimalPower(decodeFrom(toDecimal(base)), whole))
    }
    return toDecimal(doubleValue(numberOf(base) ** numberOf(exponent)))
  }
  const n = numberOf(base) ** numberOf(exponent)
  if (types.includes(bsonType.double) || whole === undefined || whole < 0) return doubleValue(n)
  const isLong = types.includes(bsonType.int64)
  if (Number.isSafeInteger(n)) return wholeResult(BigInt(n), isLong)
  // Above 2^64 the result is not exact, and a bigint power would be too large.
  if (Math.abs(n) > 2 ** 64) return doubleValue(n)
  return wholeResult(wholeOf(base) ** BigInt(whole), isLong)
}

function decodeFrom(value: Value): Exact {
  return decodeDecimal(value.bytes, value.start)
}

function decimalPower(base: Exact, exponent: number): Exact {
  let result = exactOfBigint(1n)
  let square = base
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiplyDecimals(result, square)
    if (rest > 1) square = multiplyDecimals(square, square)
  }
  return result
}

function squareRoot(value: Value): Value {
  const n = numberOf(value)
  if (n < 0) throw location(28714, "$sqrt's argument must be greater than or equal to 0")
  if (value.type !== bsonType.decimal128) return doubleValue(Math.sqrt(n))
  const exact = decodeFrom(value)
  if (exact.kind !== 'finite') return value
  // For 36 digits of the root, the radicand needs twice as many, and an even exponent.
  let { coefficient, exponent } = exact
  const pad = Math.max(0, 72 - coefficient.toString().length)
  const shift = (exponent - pad) % 2 === 0 ? pad : pad + 1
  coefficient *= 10n ** BigInt(shift)
  exponent -= shift
  const root = integerRoot(coefficient)
  return encodeDecimal(
    trimZeros(finiteExact(false, root, exponent / 2), root * root === coefficient),
  )
}

/** Newton's method, starting above the root. */
function integerRoot(n: bigint): bigint {
  if (n < 2n) return n
  let root = 1n << BigInt((n.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + n / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** Removes trailing zeros from an exact root. */
function trimZeros(exact: Exact, isExact: boolean): Exact {
  let { coefficient, exponent } = exact
  while (isExact && exponent < 0 && coefficient % 10n === 0n) {
    coefficient /= 10n
    exponent++
  }
  return { ...exact, coefficient, exponent }
}

function positive(name: string, code: number, value: Value): number {
  const n = numberOf(value)
  if (n <= 0) {
    throw location(code, `${name}'s argument must be a positive number, but is ${valueText(value)}`)
  }
  return n
}

function logarithm(value: Result, base: Result): Value {
  if (isNullish(value) || isNullish(base)) return nullValue
  if (!value.isNumber) {
    throw location(28756, `$log's argument must be numeric, not ${typeName(value)}`)
  }
  if (!base.isNumber) throw location(28757, `$log's base must be numeric, not ${typeName(base)}`)
  const n = positive('$log', 28758, value)
  const b = numberOf(base)
  if (b <= 0 || b === 1) {
    throw location(
      28759,
      `$log's base must be a positive number not equal to 1, but is ${valueText(base)}`,
    )
  }
  const isDecimal = base.type === bsonType.decimal128
  return approximate(isDecimal ? base : value, Math.log(n) / Math.log(b))
}

/** `low` and `high` bound the argument; the brackets say whether each bound is included. */
function trigonometric(
  name: string,
  apply: (n: number) => number,
  bounds?: { code: number; low: number; high: number; open?: boolean },
): OperatorRow {
  return numeric(name, (value) => {
    const n = numberOf(value)
    if (bounds !== undefined && !Number.isNaN(n)) {
      const { low, high, code, open = false } = bounds
      const isInside = open ? n > low && n < high : n >= low && n <= high
      if (!isInside) {
        const interval = open ? `(${text(low)},${text(high)})` : `[${text(low)},${text(high)}]`
        throw location(code, `cannot apply ${name} to ${text(n)}, value must be in ${interval}`)
      }
    }
    return approximate(value, apply(n))
  })
}

function text(n: number): string {
  if (n === Number.POSITIVE_INFINITY) return 'inf'
  return n === Number.NEGATIVE_INFINITY ? '-inf' : String(n)
}

const finite = {
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
  open: true,
  code: 50989,
}

export const functionOperators: readonly OperatorRow[] = [
  numeric('$abs', abs),
  numeric('$ceil', (value) => wholeNear(value, true)),
  numeric('$floor', (value) => wholeNear(value, false)),
  rounding('$round', roundDecimal),
  rounding('$trunc', truncToPlaces),
  binary('$pow', power),
  numeric('$sqrt', squareRoot),
  numeric('$exp', (value) => approximate(value, Math.exp(numberOf(value)))),
  numeric('$ln', (value) => approximate(value, Math.log(positive('$ln', 28766, value)))),
  numeric('$log10', (value) => approximate(value, Math.log10(positive('$log10', 28761, value)))),
  binary('$log', logarithm),
  unary('$bitNot', (value) => {
    if (isNullish(value)) return nullValue
    if (value.type === bsonType.int32) return int32Value(~(int32Of(value) ?? 0))
    if (value.type === bsonType.int64) return int64Value(~bigintOf(value))
    throw fail('TypeMismatch', `$bitNot only supports int and long, not: ${typeName(value)}.`)
  }),
  trigonometric('$sin', Math.sin, finite),
  trigonometric('$cos', Math.cos, finite),
  trigonometric('$tan', Math.tan, finite),
  trigonometric('$asin', Math.asin, { low: -1, high: 1, code: 50989 }),
  trigonometric('$acos', Math.acos, { low: -1, high: 1, code: 50989 }),
  trigonometric('$atan', Math.atan),
  trigonometric('$sinh', Math.sinh),
  trigonometric('$cosh', Math.cosh),
  trigonometric('$tanh', Math.tanh),
  trigonometric('$asinh', Math.asinh),
  trigonometric('$acosh', Math.acosh, { low: 1, high: Number.POSITIVE_INFINITY, code: 50989 }),
  trigonometric('$atanh', Math.atanh, { low: -1, high: 1, code: 50989 }),
  trigonometric('$degreesToRadians', (n) => (n * Math.PI) / 180),
  trigonometric('$radiansToDegrees', (n) => (n * 180) / Math.PI),
  binary('$atan2', (y, x) => {
    if (isNullish(y) || isNullish(x)) return nullValue
    for (const [code, value] of [
      [51044, y],
      [51045, x],
    ] as const) {
      if (!value.isNumber) {
        throw location(code, `$atan2 only supports numeric types, not ${typeName(value)}`)
      }
    }
    return approximate(y.type === bsonType.decimal128 ? y : x, Math.atan2(numberOf(y), numberOf(x)))
  }),
]
