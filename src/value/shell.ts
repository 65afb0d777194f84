// Values on one line, as MongoDB prints them in error texts: `{ a: 1, b: "x" }`. Users search for
// these texts, and tools parse the key out of a duplicate key error.

import { textOf } from '../base/bytes/bytes.js'
import { messageCharsMax } from '../base/limits/connections.js'
import { decimalToString } from './decimal.js'
import { fieldsOf } from './elements.js'
import { bigintOf, boolOf, bsonType, doubleOf, readInt32, regexOf, Value } from './value.js'

/** The text of a value with all nested parts, as far as the message of an error can show it. */
export function shellText(v: Value): string {
  return shortShellText(v, messageCharsMax)
}

/**
 * The start of the text of a value, for callers that show no more than `most` characters: parts
 * behind them are not read. The whole text, if it is not longer.
 */
export function shortShellText(v: Value, most: number): string {
  switch (v.type) {
    case bsonType.double:
      return doubleText(doubleOf(v))
    case bsonType.string:
    case bsonType.symbol:
      return `"${startOf(v, most)}"`
    case bsonType.object:
      return partsText(v, '{}', '{ ', ' }', most)
    case bsonType.array:
      return partsText(v, '[]', '[ ', ' ]', most)
    case bsonType.binary:
      return binaryText(v, most)
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
      return startOf(v, most)
    case bsonType.codeWithScope:
      return scopedText(v, most)
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

/** The text of a string, or its first characters: more than `most`. */
function startOf(v: Value, most: number): string {
  return textOf(v.bytes, v.start + 4, Math.min(v.end - 1, v.start + 4 + (most + 2) * 4))
}

/** Fields of an object, or elements of an array. */
function partsText(v: Value, empty: string, open: string, close: string, most: number): string {
  let text = ''
  for (const [name, value] of fieldsOf(v)) {
    text += text === '' ? open : ', '
    if (v.type === bsonType.object) text += `${name}: `
    text += shortShellText(value, Math.max(0, most - text.length))
    if (text.length > most) return text
  }
  return text === '' ? empty : text + close
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

function binaryText(v: Value, most: number): string {
  const subtype = v.bytes[v.start + 4] ?? 0
  const digits = hex(v.start + 5, v, most)
  if (subtype === 4 && digits.length === 32) {
    return `UUID("${digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}")`
  }
  return `BinData(${subtype}, ${digits.toUpperCase()})`
}

function scopedText(v: Value, most: number): string {
  const scope = v.start + 8 + readInt32(v.bytes, v.start + 4)
  const code = textOf(v.bytes, v.start + 8, Math.min(scope - 1, v.start + 8 + (most + 2) * 4))
  const variables = new Value(bsonType.object, v.bytes, scope, v.end)
  return `CodeWScope(${code}, ${shortShellText(variables, Math.max(0, most - code.length))})`
}

/** The bytes from `start` to the end of the value, or so many that they exceed `most` digits. */
function hex(start: number, v: Value, most = Number.POSITIVE_INFINITY): string {
  return Buffer.from(v.bytes.subarray(start, Math.min(v.end, start + most + 1))).toString('hex')
}
