// A function as a row: its name, how many arguments it takes, and what it makes of them. The rows
// of the files beside this one are all that `call.ts` knows.

import { documentBytesMax } from '../../../../base/limits.js'
import { integerOf } from '../../../../value/numbers.js'
import { bigintOf, bsonType, stringOf, type Value } from '../../../../value/value.js'
import { typeNameOf } from '../cast.js'
import { evaluationError, evaluationState } from '../evaluation-error.js'
import { spendOn } from '../texts/text-cost.js'
import type { SqlValue } from '../truth.js'

export interface FunctionRow {
  readonly names: readonly string[]
  /** The least and the most arguments. */
  readonly arity: readonly [least: number, most: number]
  /** No argument is NULL: with one, the answer is NULL. `now` is the statement's time. */
  readonly run: (args: readonly Value[], now: number) => SqlValue
}

export function row(
  names: string,
  arity: FunctionRow['arity'],
  run: FunctionRow['run'],
): FunctionRow {
  return { names: names.split(' '), arity, run }
}

/** The argument as a text; 42883 for another type. */
export function textOf(args: readonly Value[], at: number): string {
  const value = args[at]
  if (value?.type !== bsonType.string && value?.type !== bsonType.symbol) {
    throw wrongType(value, 'text')
  }
  spendOn(value.end - value.start)
  return stringOf(value)
}

export function numberAt(args: readonly Value[], at: number): Value {
  const value = args[at]
  if (value?.isNumber === true) return value
  throw wrongType(value, 'a number')
}

/** A whole number within int32, as counts and places are. */
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

/** Throws 54000 where a text would be longer than a document can be. */
export function requireRoom(chars: number): void {
  if (chars <= documentBytesMax) {
    spendOn(chars)
    return
  }
  throw evaluationError(evaluationState.tooLong, 'result is longer than a document can be')
}
