// Functions of numbers. Rounding keeps the type of its argument; roots, powers and logarithms are
// computed in doubles.

import { exactOf, isZero, numberOf } from '../../../../value/numbers.js'
import { doubleValue, int32Value, type Value } from '../../../../value/value.js'
import { calculate, isInfinite, isWhole, negate } from '../arithmetic.js'
import { evaluationError, evaluationState, outOfRange } from '../evaluation-error.js'
import { type Direction, roundValue } from '../rounding.js'
import { countAt, type FunctionRow, numberAt, row } from './function-row.js'

export const numberFunctions: readonly FunctionRow[] = [
  row('abs', [1, 1], (args) => {
    const value = numberAt(args, 0)
    return isNegative(value) ? negate(value) : value
  }),
  row('sign', [1, 1], (args) => {
    const value = numberAt(args, 0)
    if (Number.isNaN(numberOf(value))) return value
    return int32Value(isZero(value) ? 0 : isNegative(value) ? -1 : 1)
  }),
  row('round', [1, 2], rounding('nearest')),
  row('trunc', [1, 2], rounding('zero')),
  row('floor', [1, 1], rounding('down')),
  row('ceil ceiling', [1, 1], rounding('up')),
  row('mod', [2, 2], (args) => calculate('%', numberAt(args, 0), numberAt(args, 1))),
  row('power pow', [2, 2], (args) => calculate('^', numberAt(args, 0), numberAt(args, 1))),
  row('sqrt', [1, 1], (args) => {
    const value = numberAt(args, 0)
    if (isNegative(value)) {
      const message = 'cannot take square root of a negative number'
      throw evaluationError(evaluationState.badPower, message)
    }
    return doubleValue(Math.sqrt(numberOf(value)))
  }),
  row('exp', [1, 1], (args) => {
    const value = numberAt(args, 0)
    const result = doubleValue(Math.exp(numberOf(value)))
    if (isInfinite(result) && !isInfinite(value)) throw outOfRange('value out of range: overflow')
    return result
  }),
  row('ln', [1, 1], (args) => doubleValue(Math.log(positive(numberAt(args, 0))))),
  row('log log10', [1, 1], (args) => doubleValue(Math.log10(positive(numberAt(args, 0))))),
]

function isNegative(value: Value): boolean {
  return exactOf(value).negative && !isZero(value)
}

function rounding(direction: Direction): FunctionRow['run'] {
  return (args) => {
    const value = numberAt(args, 0)
    if (args.length === 1) return isWhole(value) ? value : roundValue(value, 0, direction)
    return roundValue(value, countAt(args, 1), direction)
  }
}

function positive(value: Value): number {
  if (isZero(value) || isNegative(value)) {
    const what = isZero(value) ? 'zero' : 'a negative number'
    throw evaluationError(evaluationState.badLogarithm, `cannot take logarithm of ${what}`)
  }
  return numberOf(value)
}
