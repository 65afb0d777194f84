// The text of a value for casts, `->>` and `||`. Numbers are printed as in PostgreSQL; times and
// types that SQL lacks as in plain JSON. (docs/design/sql.md)

import { type Bytes, utf8 } from '../../../../base/bytes/bytes.js'
import { decodeDecimal } from '../../../../value/decimal.js'
import { bytesInJson, valueToJson } from '../../../../value/json/json.js'
import {
  bigintOf,
  boolOf,
  bsonType,
  doubleOf,
  readInt32,
  stringOf,
  type Value,
} from '../../../../value/value.js'

export function textForm(value: Value): string {
  switch (value.type) {
    case bsonType.string:
    case bsonType.symbol:
      return stringOf(value)
    case bsonType.int32:
      return String(readInt32(value.bytes, value.start))
    case bsonType.int64:
      return String(bigintOf(value))
    case bsonType.double:
      return doubleForm(doubleOf(value))
    case bsonType.decimal128:
      return decimalForm(value)
    case bsonType.bool:
      return String(boolOf(value))
    default:
      return jsonForm(value)
  }
}

/** As textForm, as UTF-8: texts in place, and documents without a string between. */
export function utf8Form(value: Value): Bytes {
  switch (value.type) {
    case bsonType.string:
    case bsonType.symbol:
      return value.bytes.subarray(value.start + 4, value.end - 1)
    case bsonType.object:
    case bsonType.array:
      return bytesInJson('', value, '', 'plain')
    default:
      return utf8(textForm(value))
  }
}

/** A string of JSON without its quotes. */
function jsonForm(value: Value): string {
  const json = valueToJson(value, 'plain')
  if (!json.startsWith('"')) return json
  const text: unknown = JSON.parse(json)
  return String(text)
}

/** The shortest digits that give the same double; scientific below 1e-4 and from 1e15 on. */
function doubleForm(n: number): string {
  if (!Number.isFinite(n) || n === 0) return Object.is(n, -0) ? '-0' : String(n)
  const [mantissa = '', power = '0'] = n.toExponential().split('e')
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 15) {
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  return decimalDigits(n < 0, mantissa.replace(/[-.]/g, ''), exponent)
}

/** `digits` with the decimal point moved from behind the first digit by `exponent`. */
function decimalDigits(isNegative: boolean, digits: string, exponent: number): string {
  const sign = isNegative ? '-' : ''
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = digits.slice(exponent + 1)
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}

/** Never scientific: `1E+3` is 1000, and `1.10` keeps its last zero. */
function decimalForm(value: Value): string {
  const { kind, negative, coefficient, exponent } = decodeDecimal(value.bytes, value.start)
  if (kind === 'nan') return 'NaN'
  const sign = negative && (kind === 'infinity' || coefficient !== 0n) ? '-' : ''
  if (kind === 'infinity') return `${sign}Infinity`
  if (exponent >= 0) {
    return `${sign}${coefficient}${coefficient === 0n ? '' : '0'.repeat(exponent)}`
  }
  const digits = coefficient.toString().padStart(1 - exponent, '0')
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`
}
