// Values on one line, as MongoDB prints them in error texts: `{ a: 1, b: "x" }`. Users search for
// these texts, and tools parse the key out of a duplicate key error.

import { textOf } from '../base/bytes/bytes.js'
import { decimalToString } from './decimal.js'
import { fieldsOf } from './elements.js'
import {
  bigintOf,
  boolOf,
  bsonType,
  doubleOf,
  readInt32,
  regexOf,
  stringOf,
  Value,
} from './value.js'

/** The text of a value with all nested parts, never truncated. */
export function shellText(v: Value): string {
  switch (v.type) {
    case bsonType.double:
      return doubleText(doubleOf(v))
    case bsonType.string:
    case bsonType.symbol:
      return `"${stringOf(v)}"`
    case bsonType.object:
      return objectText(v)
    case bsonType.array:
      return arrayText(v)
    case bsonType.binary:
      return binaryText(v)
    case bsonType.undefined:
      return 'undefined'
    case bsonType.objectId:
      return `ObjectId('${hex(v.start, v)}')`
    case bsonType.bool:
      return String(boolOf(v))
    case bsonType.date:
      return `new Date(${bigintOf(v)})`
    case bsonType.null:
      return 'null'
    case bsonType.regex: {
      const { pattern, options } = regexOf(v)
      return `/${pattern}/${options}`
    }
    case bsonType.dbPointer:
      return `DBRef('${textOf(v.bytes, v.start + 4, v.end - 13)}', ${hex(v.end - 12, v)})`
    case bsonType.code:
      return stringOf(v)
    case bsonType.codeWithScope:
      return scopedText(v)
    case bsonType.int32:
      return String(readInt32(v.bytes, v.start))
    case bsonType.timestamp:
      return timestampText(readInt32(v.bytes, v.start + 4), readInt32(v.bytes, v.start))
    case bsonType.int64:
      return String(bigintOf(v))
    case bsonType.decimal128:
      return decimalToString(v)
    case bsonType.maxKey:
      return 'MaxKey'
    default:
      return 'MinKey'
  }
}

function objectText(v: Value): string {
  const fields = [...fieldsOf(v)].map(([name, value]) => `${name}: ${shellText(value)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function arrayText(v: Value): string {
  const items = [...fieldsOf(v)].map(([, value]) => shellText(value))
  return items.length === 0 ? '[]' : `[ ${items.join(', ')} ]`
}

/** A double always shows its type: 1.0. */
function doubleText(n: number): string {
  if (Number.isNaN(n)) return 'nan.0'
  if (!Number.isFinite(n)) return n < 0 ? '-inf' : 'inf'
  const text = Object.is(n, -0) ? '-0' : String(n)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}

function timestampText(seconds: number, increment: number): string {
  return `Timestamp(${seconds >>> 0}, ${increment >>> 0})`
}

function binaryText(v: Value): string {
  const subtype = v.bytes[v.start + 4] ?? 0
  const digits = hex(v.start + 5, v)
  if (subtype === 4 && digits.length === 32) {
    return `UUID("${digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}")`
  }
  return `BinData(${subtype}, ${digits.toUpperCase()})`
}

function scopedText(v: Value): string {
  const scope = v.start + 8 + readInt32(v.bytes, v.start + 4)
  const code = textOf(v.bytes, v.start + 8, scope - 1)
  return `CodeWScope(${code}, ${shellText(new Value(bsonType.object, v.bytes, scope, v.end))})`
}

/** The bytes from `start` to the end of the value. */
function hex(start: number, v: Value): string {
  return Buffer.from(v.bytes.subarray(start, v.end)).toString('hex')
}
