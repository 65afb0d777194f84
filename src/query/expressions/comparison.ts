// Comparisons in expressions: the total order over all types, without the type bracketing of
// filters. A missing value sorts with undefined, below null.

import { compareValues } from '../../value/compare.js'
import { boolValue, int32Value, undefinedValue } from '../../value/value.js'
import { binary, type Env, type OperatorRow, type Result } from './operator.js'

/** Order of two results of expressions. */
function compareResults(a: Result, b: Result, { collation }: Env): number {
  return compareValues(a ?? undefinedValue, b ?? undefinedValue, collation)
}

function comparison(name: string, holds: (order: number) => boolean): OperatorRow {
  return binary(name, (a, b, env) => boolValue(holds(compareResults(a, b, env))))
}

export const comparisonOperators: readonly OperatorRow[] = [
  comparison('$eq', (order) => order === 0),
  comparison('$ne', (order) => order !== 0),
  comparison('$gt', (order) => order > 0),
  comparison('$gte', (order) => order >= 0),
  comparison('$lt', (order) => order < 0),
  comparison('$lte', (order) => order <= 0),
  binary('$cmp', (a, b, env) => int32Value(Math.sign(compareResults(a, b, env)))),
]
