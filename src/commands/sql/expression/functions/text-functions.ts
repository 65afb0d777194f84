// Functions of texts. Like PostgreSQL, lengths and positions count code points, not UTF-16 units. A
// result never exceeds the size of a document.

import { isAscii } from 'node:buffer'
import { CharacterSet } from '../../../../base/bytes/character-set.js'
import { lengthOfUtf8, offsetInUtf8 } from '../../../../base/bytes/code-points.js'
import { indexOfText, splitText } from '../../../../base/bytes/text-search.js'
import {
  bytesPerUnit,
  setBytesPerUnit,
  slowSetBytesPerUnit,
} from '../../../../base/work/work-figures.js'
import {
  boolValue,
  int32Value,
  stringValue,
  stringValueOf,
  type Value,
} from '../../../../value/value.js'
import { evaluationError, evaluationState } from '../evaluation-error.js'
import { lengthSpent } from '../texts/spent-points.js'
import { spendOn, spendOnSteps } from '../texts/text-cost.js'
import { changeCase, repeatInto, writeReversed } from '../texts/utf8-texts.js'
import {
  countAt,
  type FunctionRow,
  filledText,
  requireRoom,
  row,
  textOf,
  utf8Of,
} from './function-row.js'

/** Cost per character of functions that transform characters, relative to reading. */
const slowWeight = 8
/** The same for the case of characters beyond ASCII: 5 ns and 12 ns each. */
const lowerWeight = 24
const upperWeight = 64

const oneSpace = Uint8Array.of(0x20)

export const textFunctions: readonly FunctionRow[] = [
  row('lower', [1, 1], (args) => asciiCased(args, false) ?? stringValue(lower(textOf(args, 0)))),
  row('upper', [1, 1], (args) => asciiCased(args, true) ?? stringValue(upper(textOf(args, 0)))),
  row('initcap', [1, 1], (args) => stringValue(initcap(slowTextOf(args)))),
  row('length char_length character_length', [1, 1], (args) =>
    int32Value(lengthOfUtf8(utf8Of(args, 0))),
  ),
  row('octet_length', [1, 1], (args) => int32Value(utf8Of(args, 0).length)),
  row('substring substr', [2, 3], substring),
  row('left', [2, 2], (args) => {
    const text = utf8Of(args, 0)
    const count = countAt(args, 1)
    const kept = count < 0 ? lengthOfUtf8(text) + count : count
    return stringValueOf(text.subarray(0, offsetInUtf8(text, kept)))
  }),
  row('right', [2, 2], (args) => {
    const text = utf8Of(args, 0)
    const count = countAt(args, 1)
    const left = count < 0 ? -count : lengthOfUtf8(text) - count
    return stringValueOf(text.subarray(offsetInUtf8(text, left)))
  }),
  row('replace', [3, 3], (args) =>
    stringValue(replaced(slowTextOf(args), textOf(args, 1), textOf(args, 2))),
  ),
  row('btrim trim', [1, 2], (args) => trimmed(args, true, true)),
  row('ltrim', [1, 2], (args) => trimmed(args, true, false)),
  row('rtrim', [1, 2], (args) => trimmed(args, false, true)),
  row('position strpos', [2, 2], (args) => {
    const whole = textOf(args, 0)
    const at = indexOfText(whole, textOf(args, 1))
    return int32Value(at < 0 ? 0 : lengthSpent(whole.slice(0, at)) + 1)
  }),
  row('starts_with', [2, 2], (args) => boolValue(textOf(args, 0).startsWith(textOf(args, 1)))),
  row('reverse', [1, 1], (args) => {
    const text = utf8Of(args, 0)
    return filledText(text.length, (bytes) => writeReversed(bytes, text))
  }),
  row('repeat', [2, 2], (args) => {
    const text = utf8Of(args, 0)
    const size = text.length * Math.max(countAt(args, 1), 0)
    return filledText(size, (bytes) => repeatInto(bytes, text))
  }),
  row('lpad', [2, 3], (args) => padded(args, true)),
  row('rpad', [2, 3], (args) => padded(args, false)),
  row('split_part', [3, 3], splitPart),
  row('ascii', [1, 1], (args) => int32Value(textOf(args, 0).codePointAt(0) ?? 0)),
  row('chr', [1, 1], (args) => {
    const point = countAt(args, 0)
    const isScalar = point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    if (!isScalar) throw evaluationError(evaluationState.tooLong, 'requested character not valid')
    return stringValue(String.fromCodePoint(point))
  }),
]

/** A text of ASCII in capitals or without, in four letters at once; undefined for any other. */
function asciiCased(args: readonly Value[], isUpper: boolean): Value | undefined {
  const text = utf8Of(args, 0)
  if (!isAscii(text)) return undefined
  return filledText(text.length, (bytes) => {
    bytes.set(text)
    changeCase(bytes, isUpper ? 0x61 : 0x41)
  })
}

function lower(text: string): string {
  spendOn(text.length, /[^\0-\x7f]/.test(text) ? lowerWeight : 1)
  return text.toLowerCase()
}

function upper(text: string): string {
  spendOn(text.length, upperWeight)
  return text.toUpperCase()
}

function slowTextOf(args: readonly Value[]): string {
  const text = textOf(args, 0)
  spendOn(text.length, slowWeight)
  return text
}

/** Not by `replace` with a function, which first finds all words. */
function initcap(text: string): string {
  const lowered = lower(text)
  const word = /[\p{L}\p{N}]+/gu
  let made = ''
  let from = 0
  for (let found = word.exec(lowered); found !== null; found = word.exec(lowered)) {
    spendOnSteps(wordSteps)
    const first = String.fromCodePoint(lowered.codePointAt(found.index) as number)
    made += lowered.slice(from, found.index) + first.toUpperCase()
    from = found.index + first.length
  }
  return made + lowered.slice(from)
}

/** Steps of a word: 0.4 µs. */
const wordSteps = 40

/** The start counts from 1 and may be before the text. */
function substring(args: readonly Value[]): Value {
  const text = utf8Of(args, 0)
  const start = countAt(args, 1) - 1
  const from = offsetInUtf8(text, start)
  if (args.length === 2) return stringValueOf(text.subarray(from))
  const length = countAt(args, 2)
  if (length < 0) {
    throw evaluationError(evaluationState.badSubstring, 'negative substring length not allowed')
  }
  const count = start + length - Math.max(start, 0)
  return stringValueOf(text.subarray(from, offsetInUtf8(text, count, from)))
}

function replaced(text: string, from: string, to: string): string {
  if (from === '') return text
  const parts = splitText(text, from)
  requireRoom(text.length + (parts.length - 1) * (to.length - from.length))
  return parts.join(to)
}

function trimmed(args: readonly Value[], atStart: boolean, atEnd: boolean): Value {
  const text = utf8Of(args, 0)
  const removed = new CharacterSet(args.length > 1 ? utf8Of(args, 1) : ' ', spendTrimmed)
  const start = atStart ? removed.endOfRun(text) : 0
  return stringValueOf(text.subarray(start, atEnd ? removed.startOfRun(text, start) : undefined))
}

function spendTrimmed(bytes: number, isSlow: boolean): void {
  spendOn(bytes, bytesPerUnit / (isSlow ? slowSetBytesPerUnit : setBytesPerUnit))
}

function padded(args: readonly Value[], atStart: boolean): Value {
  const text = utf8Of(args, 0)
  const length = Math.max(countAt(args, 1), 0)
  const fill = args.length > 2 ? utf8Of(args, 2) : oneSpace
  const missing = length - lengthOfUtf8(text)
  if (missing <= 0 || fill.length === 0) {
    return stringValueOf(text.subarray(0, offsetInUtf8(text, length)))
  }
  requireRoom(length)
  const points = lengthOfUtf8(fill)
  const rest = offsetInUtf8(fill, missing % points)
  const size = Math.floor(missing / points) * fill.length + rest
  return filledText(text.length + size, (bytes) => {
    bytes.set(text, atStart ? size : 0)
    repeatInto(atStart ? bytes.subarray(0, size) : bytes.subarray(text.length), fill)
  })
}

/** The n-th field between separators, from 1; negative ones count from the end. */
function splitPart(args: readonly Value[]): Value {
  const text = slowTextOf(args)
  const separator = textOf(args, 1)
  const place = countAt(args, 2)
  if (place === 0) {
    throw evaluationError(evaluationState.badArgument, 'field position must not be zero')
  }
  const parts = separator === '' ? [text] : splitText(text, separator)
  return stringValue(parts.at(place > 0 ? place - 1 : place) ?? '')
}
