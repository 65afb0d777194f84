// A function as a row: its name, its number of arguments, and its evaluation. call.ts knows
// functions only through the rows of the files in this folder.

import type { Bytes } from '../../../../base/bytes/bytes.js'
import { documentBytesMax } from '../../../../base/limits/documents.js'
import { integerOf } from '../../../../value/numbers.js'
import { bigintOf, bsonType, stringIn, stringOf, type Value } from '../../../../value/value.js'
import { typeNameOf } from '../cast.js'
import { evaluationError, evaluationState } from '../evaluation-error.js'
import { spendOn, spendOnText } from '../texts/text-cost.js'
import type { SqlValue } from '../truth.js'

export interface FunctionRow {
  /** Separated by spaces. */
  readonly names: string
  /** Minimum and maximum number of arguments. */
  readonly arity: readonly [least: number, most: number]
  /** Called only without NULL arguments; with one, the result is NULL. */
  readonly run: (args: readonly Value[], times: Times) => SqlValue
  /** Its result may differ from one row to the next. */
  readonly isVolatile?: true
}

/** Milliseconds since 1970. */
interface Times {
  /** Begin of the transaction. */
  readonly now: number
  /** Begin of the statement. */
  readonly statement: number
  /** The time that runs; in a change, that of the statement, because it may run again. */
  readonly clock: () => number
}

export function row(
  names: string,
  arity: FunctionRow['arity'],
  run: FunctionRow['run'],
): FunctionRow {
  return { names, arity, run }
}

/** The argument as a text. Throws 42883 for another type. */
export function textOf(args: readonly Value[], at: number): string {
  const text = textAt(args, at)
  spendOnText(text.bytes, text.start + 4, text.end - 1)
  return stringOf(text)
}

/** As textOf, as UTF-8. */
export function utf8Of(args: readonly Value[], at: number): Bytes {
  const { bytes, start, end } = textAt(args, at)
  spendOn(end - start)
  return bytes.subarray(start + 4, end - 1)
}

function textAt(args: readonly Value[], at: number): Value {
  const value = args[at]
  if (value?.type !== bsonType.string && value?.type !== bsonType.symbol) {
    throw wrongType(value, 'text')
  }
  return value
}

export function numberAt(args: readonly Value[], at: number): Value {
  const value = args[at]
  if (value?.isNumber === true) return value
  throw wrongType(value, 'a number')
}

/** A whole number within int32, for counts and positions. */
export function countAt(args: readonly Value[], at: number): number {
  const count = integerOf(numberAt(args, at))
  if (count === undefined || Math.abs(count) > 0x7fffffff) throw wrongType(args[at], 'an integer')
  return count
}

/** A time, in milliseconds since 1970. */
export function timeAt(args: readonly Value[], at: number): number {
  const value = args[at]
  if (value?.type !== bsonType.date) throw wrongType(value, 'a timestamp')
  const ms = Number(bigintOf(value))
  if (Number.isNaN(new Date(ms).getTime())) {
    throw evaluationError(evaluationState.dateOutOfRange, 'timestamp out of range')
  }
  return ms
}

function wrongType(value: Value | undefined, wanted: string): Error {
  const given = value === undefined ? 'nothing' : typeNameOf(value)
  const message = `function or operator needs ${wanted}, not ${given}`
  return evaluationError(evaluationState.undefinedFunction, message)
}

/** New memory beside `requireRoom`, which is filled: 0.65 ms for a MiB. */
const filledWeight = 2.2

/** A text of so many bytes of UTF-8, which `fill` writes. Throws 54000 as requireRoom. */
export function filledText(size: number, fill: (bytes: Bytes) => void): Value {
  requireRoom(size)
  spendOn(size, filledWeight)
  const made = new Uint8Array(size + 5)
  fill(made.subarray(4, size + 4))
  return stringIn(made)
}

/** Throws 54000 if a text would exceed the size of a document. */
export function requireRoom(chars: number): void {
  if (chars <= documentBytesMax) {
    spendOn(chars)
    return
  }
  throw evaluationError(evaluationState.tooLong, 'result is longer than a document can be')
}
