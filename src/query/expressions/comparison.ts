// Comparisons in expressions: the total order over all types, without the type bracketing of
// filters; a missing value ranks with undefined, below null.

import { compareValues } from '../../value/compare.js'
import { boolValue, int32Value, undefinedValue } from '../../value/value.js'
import { binary, type OperatorRow, type Result } from './operator.js'

/** Order of two results of expressions. */
function compareResults(a: Result, b: Result): number {
  return compareValues(a ?? undefinedValue, b ?? undefinedValue)
}

function comparison(name: string, holds: (order: number) => boolean): OperatorRow {
  return binary(name, (a, b) => boolValue(holds(compareResults(a, b))))
}

export const comparisonOperators: readonly OperatorRow[] = [
  comparison('$eq', (order) => order === 0),
  comparison('$ne', (order) => order !== 0),
  comparison('$gt', (order) => order > 0),
  comparison('$gte', (order) => order >= 0),
  comparison('$lt', (order) => order < 0),
  comparison('$lte', (order) => order <= 0),
  binary('$cmp', (a, b) => int32Value(Math.sign(compareResults(a, b)))),
]
