// Encodes stored values as fields of a row, in the text and the binary form of the column's type.
// The type is fixed before the first row: a later value that does not fit is an error, never
// converted.
// Source: the types' output and send functions of PostgreSQL 17.

import { isUtf8 } from 'node:buffer'
import { type Bytes, textOf as readText, utf8 } from '../../base/bytes/bytes.js'
import type { GatewayError } from '../../base/errors.js'
import { decimalFromString, type Exact } from '../../value/decimal.js'
import { elementsOf, fieldsOf } from '../../value/elements.js'
import { valueToJson } from '../../value/json/json.js'
import { exactOf, numberOf } from '../../value/numbers.js'
import { bigintOf, boolOf, bsonType, doubleOf, readInt32, type Value } from '../../value/value.js'
import { float4Text, float8Text, numericBinary, numericText } from './numeric.js'
import { pgError, pgState } from './pg-error.js'
import { dateText, daysSince2000, msTo2000, timestampText } from './timestamp.js'
import { arrayTypeOf, elementTypeOf, type PgTypeName, pgTypes } from './types.js'

/** Subtypes of a UUID: that of RFC 4122, and the older one with the same byte order. */
const uuidSubtypes: readonly number[] = [3, 4]
const oldBinarySubtype = 2
const uuidBytes = 16
const integerBounds: Partial<Record<PgTypeName, readonly [min: bigint, max: bigint]>> = {
  int2: [-(2n ** 15n), 2n ** 15n - 1n],
  int4: [-(2n ** 31n), 2n ** 31n - 1n],
  int8: [-(2n ** 63n), 2n ** 63n - 1n],
  oid: [0n, 2n ** 32n - 1n],
}

/** The text field of a value; undefined for NULL. Throws 42804 if the type cannot hold it. */
export function textForm(v: Value, type: PgTypeName): string | Bytes | undefined {
  if (v.isNullish) return undefined
  switch (type) {
    case 'bool':
      return requireBool(v) ? 't' : 'f'
    case 'bytea':
      return `\\x${Buffer.from(bytesOf(v)).toString('hex')}`
    case 'int2':
    case 'int4':
    case 'int8':
    case 'oid':
      return String(integerIn(v, type))
    case 'float4':
      return float4Text(requireNumber(v, type))
    case 'float8':
      return float8Text(requireNumber(v, type))
    case 'numeric':
      return numericText(exactNumber(v))
    case 'date':
      return dateText(requireDate(v, type))
    case 'timestamptz':
      return timestampText(requireDate(v, type))
    case 'uuid':
      return uuidText(requireUuid(v))
    case 'json':
    case 'jsonb':
      return valueToJson(v, 'plain')
    case 'record':
      return recordText(v)
    case 'int2vector':
      return vectorText(v)
    default: {
      const element = elementTypeOf(type)
      return element === undefined ? plainText(v) : arrayText(v, element)
    }
  }
}

/**
 * The binary field of a value; undefined for NULL. Throws 42804, and 22008 for a year out of range.
 */
export function binaryForm(v: Value, type: PgTypeName): Bytes | undefined {
  if (v.isNullish) return undefined
  switch (type) {
    case 'bool':
      return Uint8Array.of(requireBool(v) ? 1 : 0)
    case 'bytea':
      return bytesOf(v)
    case 'int2':
    case 'int4':
    case 'int8':
    case 'oid':
      return integerBinary(integerIn(v, type), pgTypes[type].size)
    case 'float4':
    case 'float8':
      return floatBinary(requireNumber(v, type), pgTypes[type].size)
    case 'numeric':
      return numericBinary(exactNumber(v))
    case 'date':
      return dateBinary(requireDate(v, type))
    case 'timestamptz':
      return timestampBinary(requireDate(v, type))
    case 'uuid':
      return requireUuid(v)
    case 'json':
      return utf8(valueToJson(v, 'plain'))
    case 'jsonb':
      // The format version comes first.
      return utf8(`\x01${valueToJson(v, 'plain')}`)
    case 'record':
      return recordBinary(v)
    case 'int2vector':
      return arrayBinary(v, 'int2', 0)
    default: {
      const element = elementTypeOf(type)
      if (element !== undefined) return arrayBinary(v, element)
      const text = plainText(v)
      return typeof text === 'string' ? utf8(text) : text
    }
  }
}

/** UTF-8 on both sides: no string is made, unless the stored bytes are malformed. */
function textBytes(bytes: Bytes): string | Bytes {
  return isUtf8(bytes) ? bytes : readText(bytes)
}

/** Any value as text: for a column of several types. */
function plainText(v: Value): string | Bytes {
  switch (v.type) {
    case bsonType.string:
    case bsonType.symbol:
    case bsonType.code:
      return textBytes(v.bytes.subarray(v.start + 4, v.end - 1))
    case bsonType.objectId:
      return Buffer.from(v.payload()).toString('hex')
    case bsonType.bool:
      return boolOf(v) ? 'true' : 'false'
    case bsonType.int32:
      return String(readInt32(v.bytes, v.start))
    case bsonType.int64:
      return String(bigintOf(v))
    case bsonType.double:
      return float8Text(doubleOf(v))
    case bsonType.decimal128:
      return numericText(exactOf(v))
    case bsonType.date:
      return timestampText(bigintOf(v))
    case bsonType.binary:
      return `\\x${Buffer.from(bytesOf(v)).toString('hex')}`
    default:
      return valueToJson(v, 'plain')
  }
}

function requireBool(v: Value): boolean {
  if (v.type !== bsonType.bool) throw misfit('bool')
  return boolOf(v)
}

function bytesOf(v: Value): Bytes {
  if (v.type !== bsonType.binary) throw misfit('bytea')
  const head = v.bytes[v.start + 4] === oldBinarySubtype ? 9 : 5
  return v.bytes.subarray(Math.min(v.start + head, v.end), v.end)
}

function requireNumber(v: Value, type: PgTypeName): number {
  // A value that a double would round does not fit.
  if (!v.isNumber || v.type === bsonType.decimal128) throw misfit(type)
  const n = numberOf(v)
  if (v.type === bsonType.int64 && !Number.isSafeInteger(n) && BigInt(n) !== bigintOf(v)) {
    throw misfit(type)
  }
  return n
}

/** The exact whole number of a value. */
function integerIn(v: Value, type: PgTypeName): bigint {
  const n = wholeOf(v)
  const [min, max] = integerBounds[type] ?? [0n, 0n]
  if (n === undefined || n < min || n > max) throw misfit(type)
  return n
}

function wholeOf(v: Value): bigint | undefined {
  if (v.type === bsonType.int32) return BigInt(readInt32(v.bytes, v.start))
  if (v.type === bsonType.int64) return bigintOf(v)
  if (v.type !== bsonType.double && v.type !== bsonType.decimal128) return undefined
  const n = numberOf(v)
  if (!Number.isSafeInteger(n)) return undefined
  if (v.type === bsonType.double) return BigInt(n)
  const { coefficient, exponent } = exactOf(v)
  const isWhole = exponent >= 0 || coefficient % 10n ** BigInt(-exponent) === 0n
  return isWhole ? BigInt(n) : undefined
}

/** A number with the digits of its text: for a double the shortest text, not its exact value. */
function exactNumber(v: Value): Exact {
  if (!v.isNumber) throw misfit('numeric')
  if (v.type !== bsonType.double) return exactOf(v)
  return exactOf(decimalFromString(String(doubleOf(v))))
}

function requireDate(v: Value, type: PgTypeName): bigint {
  if (v.type !== bsonType.date) throw misfit(type)
  return bigintOf(v)
}

function requireUuid(v: Value): Bytes {
  const isUuid =
    v.type === bsonType.binary &&
    v.end - v.start === 5 + uuidBytes &&
    uuidSubtypes.includes(v.bytes[v.start + 4] ?? 0)
  if (!isUuid) throw misfit('uuid')
  return v.bytes.subarray(v.start + 5, v.end)
}

function uuidText(bytes: Bytes): string {
  const hex = Buffer.from(bytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function integerBinary(n: bigint, size: number): Bytes {
  const whole = Buffer.alloc(8)
  whole.writeBigInt64BE(n)
  return whole.subarray(8 - size)
}

function floatBinary(n: number, size: number): Bytes {
  const bytes = Buffer.alloc(size)
  if (size === 4) bytes.writeFloatBE(n)
  else bytes.writeDoubleBE(n)
  return bytes
}

function dateBinary(ms: bigint): Bytes {
  const days = daysSince2000(ms)
  if (days !== (days | 0)) throw pgError(pgState.dateOutOfRange, 'date out of range')
  return integerBinary(BigInt(days), 4)
}

function timestampBinary(ms: bigint): Bytes {
  const microseconds = (ms - msTo2000) * 1000n
  if (BigInt.asIntN(64, microseconds) !== microseconds) {
    throw pgError(pgState.dateOutOfRange, 'timestamp out of range')
  }
  return integerBinary(microseconds, 8)
}

/** `{a,"b c",NULL}`; nested arrays have their own braces. */
function arrayText(v: Value, element: PgTypeName): string {
  if (v.type !== bsonType.array) throw misfit(arrayTypeOf(element) ?? 'textArray')
  const items = elementsOf(v).map((item) => {
    if (item.isNullish) return 'NULL'
    if (item.type === bsonType.array && !isNested(element)) return arrayText(item, element)
    return quotedItem(textOf(item, element))
  })
  return `{${items.join(',')}}`
}

/** `1 2`: column numbers, counted from 0 here. */
function vectorText(v: Value): string {
  if (v.type !== bsonType.array) throw misfit('int2vector')
  return elementsOf(v)
    .map((item) => textOf(item, 'int2'))
    .join(' ')
}

/** A nested array is one value of its parent. */
function isNested(element: PgTypeName): boolean {
  return element === 'json' || element === 'jsonb'
}

function textOf(v: Value, type: PgTypeName): string {
  const text = textForm(v, type) ?? ''
  return typeof text === 'string' ? text : Buffer.from(text).toString()
}

/** Quoted if it would otherwise parse as something else. */
function quotedItem(text: string): string {
  if (text !== '' && !/[{}",\\\s]|^null$/i.test(text)) return text
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Source: PostgreSQL 17, array_send. */
function arrayBinary(v: Value, element: PgTypeName, lowest = 1): Bytes {
  const misfits = misfit(arrayTypeOf(element) ?? 'textArray')
  if (v.type !== bsonType.array) throw misfits
  const sizes: number[] = []
  const items: Value[] = []
  const gather = (array: Value, level: number): void => {
    const own = elementsOf(array)
    if (sizes[level] === undefined) sizes.push(own.length)
    else if (sizes[level] !== own.length) throw misfits
    for (const item of own) {
      const isDeeper = item.type === bsonType.array && !isNested(element)
      if (isDeeper) gather(item, level + 1)
      else items.push(item)
    }
  }
  gather(v, 0)
  const { oid } = pgTypes[element]
  // An empty array has no dimension.
  if (items.length === 0) return Buffer.concat([0, 0, oid].map((word) => int32Bytes(word)))
  if (sizes.reduce((product, size) => product * size, 1) !== items.length) throw misfits
  const hasNull = items.some(({ isNullish }) => isNullish) ? 1 : 0
  const head = [sizes.length, hasNull, oid, ...sizes.flatMap((size) => [size, lowest])]
  const parts = head.map((word) => int32Bytes(word))
  for (const item of items) {
    const bytes = binaryForm(item, element)
    parts.push(int32Bytes(bytes?.length ?? -1))
    if (bytes !== undefined) parts.push(bytes)
  }
  return Buffer.concat(parts)
}

function int32Bytes(word: number): Bytes {
  return integerBinary(BigInt(word), 4)
}

/** The row of a table, columns in order: `(1,"a b",)`. Source: PostgreSQL 17, 8.16.6. */
function recordText(v: Value): string | Bytes {
  if (v.type !== bsonType.object) return plainText(v)
  const fields = [...fieldsOf(v)].map(([, field]) => {
    if (field.isNullish) return ''
    const text = field.type === bsonType.bool ? (boolOf(field) ? 't' : 'f') : textOf(field, 'text')
    if (text !== '' && !/[(),"\\\s]/.test(text)) return text
    return `"${text.replace(/["\\]/g, '$&$&')}"`
  })
  return `(${fields.join(',')})`
}

/** Each field as a text. Source: PostgreSQL 17, record_send. */
function recordBinary(v: Value): Bytes {
  if (v.type !== bsonType.object) throw misfit('record')
  const fields = [...fieldsOf(v)]
  const parts = [int32Bytes(fields.length)]
  for (const [, field] of fields) {
    const bytes = binaryForm(field, 'text')
    parts.push(int32Bytes(pgTypes.text.oid), int32Bytes(bytes?.length ?? -1))
    if (bytes !== undefined) parts.push(bytes)
  }
  return Buffer.concat(parts)
}

function misfit(type: PgTypeName): GatewayError {
  return pgError(
    pgState.typeMismatch,
    `a value of this column is not of type ${pgTypes[type].title}`,
    'Cast the column to text where its values are of several types.',
  )
}
