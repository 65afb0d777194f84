// String operators: by UTF-8 bytes or by code points, as the name says (Bytes or CP). As in
// MongoDB, case applies only to ASCII letters. Pattern matching is in pattern.ts.

import { textOf, textUnits, utf8 } from '../../base/bytes/bytes.js'
import { CharacterSet } from '../../base/bytes/character-set.js'
import { lengthOf, offsetAfter } from '../../base/bytes/code-points.js'
import { indexOfText, Needle, splitText } from '../../base/bytes/text-search.js'
import { work } from '../../base/work/work-budget.js'
import {
  bytesPerUnit,
  charsPerUnit,
  setBytesPerUnit,
  slowSetBytesPerUnit,
} from '../../base/work/work-figures.js'
import { integerOf, numberOf } from '../../value/numbers.js'
import {
  bigintOf,
  bsonType,
  int32Value,
  nullValue,
  stringOf,
  stringValue,
  stringValueOf,
  type Value,
} from '../../value/value.js'
import { writeArray } from '../../value/writer.js'
import { isoText } from './dates/calendar.js'
import {
  binary,
  call,
  compileNamed,
  int32Of,
  isNullish,
  location,
  missing,
  type OperatorRow,
  type Result,
  ranged,
  requireRoom,
  textIn,
  typeName,
  unary,
  utf8In,
  valueText,
  variadic,
} from './operator.js'
import { patternOperators } from './pattern.js'

/** The text of a value where MongoDB converts implicitly: numbers, dates; null is empty. */
function coercedText(value: Result): string {
  if (isNullish(value)) return ''
  switch (value.type) {
    case bsonType.string:
    case bsonType.symbol:
    case bsonType.code:
      work.spend(textUnits(value.bytes, value.start + 4, value.end - 1))
      return stringOf(value)
    case bsonType.double:
      return String(numberOf(value))
    case bsonType.int32:
    case bsonType.int64:
    case bsonType.decimal128:
    case bsonType.timestamp:
      return valueText(value)
    case bsonType.date:
      return isoText(Number(bigintOf(value)))
    default:
      throw location(16007, `can't convert from BSON type ${typeName(value)} to String`)
  }
}

function lower(text: string): string {
  spendChars(text.length)
  return isAscii(text) ? text.toLowerCase() : cased(text, 0x41, 0x5a)
}

function upper(text: string): string {
  spendChars(text.length)
  return isAscii(text) ? text.toUpperCase() : cased(text, 0x61, 0x7a)
}

/** The text with the case of its ASCII letters changed from `first` to `last`. */
function cased(text: string, first: number, last: number): string {
  spendChars(text.length * 4)
  const bytes = utf8(text)
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    if (byte >= first && byte <= last) bytes[i] = byte ^ 0x20
  }
  return textOf(bytes)
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

/** Counts the work on characters that are visited one by one. */
function spendChars(chars: number): void {
  if (chars > charsPerUnit) work.spend(chars / charsPerUnit)
}

function concat(values: readonly Result[]): Value {
  let text = ''
  for (const value of values) {
    if (isNullish(value)) return nullValue
    const part = textIn(value)
    if (part === undefined) {
      throw location(16702, `$concat only supports strings, not ${typeName(value)}`)
    }
    text += part
    work.spend(1)
    requireRoom(text.length)
  }
  return stringValue(text)
}

function substrBytes([value, from, length]: readonly Result[]): Value {
  const text = coercedText(value)
  work.spend(text.length / bytesPerUnit)
  const bytes = Buffer.from(text)
  if (from?.isNumber !== true) {
    throw location(
      16034,
      `$substrBytes:  starting index must be a numeric type (is BSON type ${typeName(from)})`,
    )
  }
  if (length?.isNumber !== true) {
    throw location(
      16035,
      `$substrBytes:  length must be a numeric type (is BSON type ${typeName(length)})`,
    )
  }
  const start = Math.trunc(numberOf(from))
  if (start < 0) {
    throw location(50752, `$substrBytes:  starting index must be non-negative (got: ${start})`)
  }
  const size = Math.trunc(numberOf(length))
  const end = size < 0 ? bytes.length : Math.min(bytes.length, start + size)
  if (start >= bytes.length) return stringValue('')
  if (isContinuation(bytes[start])) {
    throw location(
      28656,
      '$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.',
    )
  }
  if (isContinuation(bytes[end])) {
    throw location(
      28657,
      '$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.',
    )
  }
  return stringValue(bytes.toString('utf8', start, end))
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

function substrCP([value, from, length]: readonly Result[]): Value {
  const text = coercedText(value)
  const start = codePointArgument(from, 'starting index', [34450, 34451])
  const size = codePointArgument(length, 'length', [34452, 34453])
  if (size < 0) throw location(34454, '$substrCP: length must be a nonnegative integer.')
  if (start < 0) {
    throw location(34455, '$substrCP: the starting index must be nonnegative integer.')
  }
  return stringValue(codePoints(text, start, start + size))
}

function codePointArgument(
  value: Result,
  what: string,
  [notNumber, notWhole]: readonly [number, number],
): number {
  if (value?.isNumber !== true) {
    throw location(
      notNumber,
      `$substrCP: ${what} must be a numeric type (is BSON type ${typeName(value)})`,
    )
  }
  const whole = int32Of(value)
  if (whole === undefined) {
    throw location(
      notWhole,
      `$substrCP: ${what} cannot be represented as a 32-bit integral value: ${valueText(value)}`,
    )
  }
  return whole
}

/** The code points from `start` to `end` of a text. */
function codePoints(text: string, start: number, end: number): string {
  return text.slice(unitsAt(text, start), unitsAt(text, end))
}

/** The UTF-16 position of a code point. */
function unitsAt(text: string, index: number): number {
  spendChars(Math.min(index, text.length))
  return offsetAfter(text, index)
}

function codePointCount(text: string): number {
  spendChars(text.length)
  return lengthOf(text)
}

function split(value: Result, separator: Result): Value {
  if (isNullish(value) || isNullish(separator)) return nullValue
  const text = textIn(value)
  const by = textIn(separator)
  if (text === undefined || by === undefined) {
    const [code, which, wrong] =
      text === undefined ? [40085, 'first', value] : [40086, 'second', separator]
    throw location(
      code as number,
      '$split requires an expression that evaluates to a string as a ' +
        `${which} argument, found: ${typeName(wrong as Value)}`,
    )
  }
  if (by === '') throw location(40087, '$split requires a non-empty separator')
  return writeArray(splitText(text, by).map(stringValue))
}

/** White space in MongoDB: includes NUL, but not U+FEFF. */
const whiteSpace = new CharacterSet(
  '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
  spendCharacters,
)

function spendCharacters(bytes: number, isSlow: boolean): void {
  work.spend(bytes / (isSlow ? slowSetBytesPerUnit : setBytesPerUnit))
}

function trim(name: string, atStart: boolean, atEnd: boolean): OperatorRow {
  const apply = ([input, chars]: readonly Result[], hasChars: boolean): Value => {
    if (isNullish(input) || (hasChars && isNullish(chars))) return nullValue
    const text = utf8In(input)
    if (text === undefined) throw location(50699, trimText(name, 'its input', input))
    const set = hasChars ? utf8In(chars) : undefined
    if (hasChars && set === undefined) throw location(50700, trimText(name, "'chars'", chars))
    const cut = set === undefined ? whiteSpace : new CharacterSet(set, spendCharacters)
    const start = atStart ? cut.endOfRun(text) : 0
    return stringValueOf(text.subarray(start, atEnd ? cut.startOfRun(text, start) : undefined))
  }
  return {
    name,
    readsRoot: false,
    compile: (operand, scope) => {
      const rules = {
        notObject: [
          50696,
          `${name} only supports an object as an argument, found ${typeName(operand)}`,
        ],
        unknown: (argument: string) =>
          [50694, `${name} found an unknown argument: ${argument}`] as const,
        required: { input: [50695, `${name} requires an 'input' field`] },
        optional: ['chars'],
      } as const
      const operands = compileNamed(operand, scope, rules, ['input', 'chars'])
      const hasChars = operands[1] !== missing
      return call((values) => apply(values, hasChars), operands)
    },
  }
}

function trimText(name: string, what: string, value: Result): string {
  const found = `${valueText(value)} (of type ${typeName(value)})`
  return `${name} requires ${what} to be a string, got ${found} instead.`
}

/** $indexOfBytes and $indexOfCP: `[text, part, start?, end?]`, -1 when not found. */
function indexOf(
  name: string,
  codes: readonly [number, number],
  find: (text: string, part: string, start: number, end: number) => number,
): OperatorRow {
  return ranged(name, 2, 4, (values) => {
    const [value, search, from, to] = values
    if (isNullish(value)) return nullValue
    const text = textIn(value)
    if (text === undefined) throw indexText(name, codes[0], 'first', value)
    const part = textIn(search)
    if (part === undefined) throw indexText(name, codes[1], 'second', search)
    const start = values.length > 2 ? indexArgument(name, 'starting', from) : 0
    const end = values.length > 3 ? indexArgument(name, 'ending', to) : Number.POSITIVE_INFINITY
    return int32Value(start > end ? -1 : find(text, part, start, end))
  })
}

function indexText(name: string, code: number, which: string, value: Result): Error {
  return location(
    code,
    `${name} requires a string as the ${which} argument, found: ${typeName(value)}`,
  )
}

/** A position: a whole number that is not negative. */
export function indexArgument(name: string, which: string, value: Result): number {
  const index = value?.isNumber === true ? integerOf(value) : undefined
  if (index === undefined) {
    throw location(
      40096,
      `${name} requires an integral ${which} index, found a value of type: ` +
        `${typeName(value)}, with value: "${valueText(value)}"`,
    )
  }
  if (index < 0) {
    throw location(40097, `${name} requires a nonnegative ${which} index, found: ${index}`)
  }
  return index
}

function indexOfBytes(text: string, part: string, start: number, end: number): number {
  work.spend((text.length + part.length) / bytesPerUnit)
  const bytes = utf8(text)
  if (start > bytes.length) return -1
  return new Needle(utf8(part)).indexIn(bytes, start, Math.min(end, bytes.length))
}

function indexOfCP(text: string, part: string, start: number, end: number): number {
  const count = codePointCount(text)
  if (start > count) return -1
  const from = unitsAt(text, start)
  const found = indexOfText(text.slice(from, unitsAt(text, Math.min(end, count))), part)
  return found < 0 ? -1 : start + codePointCount(text.slice(from, from + found))
}

function replacement(name: string, replace: (text: string, find: string, by: string) => string) {
  const missingText = (argument: string) => `${name} requires '${argument}' to be specified`
  const kindText = (argument: string, value: Result) =>
    `${name} requires that '${argument}' be a string, found: ${valueText(value)}`
  const row: OperatorRow = {
    name,
    readsRoot: false,
    compile: (operand, scope) => {
      const rules = {
        notObject: [
          51751,
          `${name} requires an object as an argument, found: ${typeName(operand)}`,
        ],
        unknown: (argument: string) =>
          [51750, `${name} found an unknown argument: ${argument}`] as const,
        required: {
          input: [51749, missingText('input')],
          find: [51748, missingText('find')],
          replacement: [51747, missingText('replacement')],
        },
      } as const
      const operands = compileNamed(operand, scope, rules, ['input', 'find', 'replacement'])
      return call((values) => {
        const texts = values.map(textIn)
        const codes = [51746, 51745, 51744]
        for (const [i, argument] of ['input', 'find', 'replacement'].entries()) {
          if (texts[i] !== undefined || isNullish(values[i])) continue
          throw location(codes[i] as number, kindText(argument, values[i]))
        }
        const [input, find, by] = texts
        if (input === undefined || find === undefined || by === undefined) return nullValue
        return stringValue(replace(input, find, by))
      }, operands)
    },
  }
  return row
}

function replaceAll(text: string, find: string, by: string): string {
  const parts = find === '' ? text.split(find) : splitText(text, find)
  requireRoom(text.length + (parts.length - 1) * (by.length - find.length))
  work.spend(parts.length)
  return parts.join(by)
}

function replaceOne(text: string, find: string, by: string): string {
  const at = indexOfText(text, find)
  if (at < 0) return text
  requireRoom(text.length + by.length - find.length)
  return text.slice(0, at) + by + text.slice(at + find.length)
}

function stringBytes(value: Result): Value {
  if (value === undefined || textIn(value) === undefined) {
    throw location(34473, `$strLenBytes requires a string argument, found: ${typeName(value)}`)
  }
  return int32Value(value.end - value.start - 5)
}

function stringPoints(value: Result): Value {
  const text = textIn(value)
  if (text === undefined) {
    throw location(34471, `$strLenCP requires a string argument, found: ${typeName(value)}`)
  }
  return int32Value(codePointCount(text))
}

export const stringOperators: readonly OperatorRow[] = [
  variadic('$concat', concat),
  unary('$toLower', (value) => stringValue(lower(coercedText(value)))),
  unary('$toUpper', (value) => stringValue(upper(coercedText(value)))),
  ranged('$substr', 3, 3, substrBytes),
  ranged('$substrBytes', 3, 3, substrBytes),
  ranged('$substrCP', 3, 3, substrCP),
  unary('$strLenBytes', stringBytes),
  unary('$strLenCP', stringPoints),
  binary('$strcasecmp', (a, b) => {
    const order = Buffer.compare(
      Buffer.from(upper(coercedText(a))),
      Buffer.from(upper(coercedText(b))),
    )
    return int32Value(order)
  }),
  binary('$split', split),
  trim('$trim', true, true),
  trim('$ltrim', true, false),
  trim('$rtrim', false, true),
  indexOf('$indexOfBytes', [40091, 40092], indexOfBytes),
  indexOf('$indexOfCP', [40093, 40094], indexOfCP),
  replacement('$replaceOne', replaceOne),
  replacement('$replaceAll', replaceAll),
  ...patternOperators,
]
