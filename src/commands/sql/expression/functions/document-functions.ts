// Functions of arrays and documents. An array in a document answers to PostgreSQL's names for jsonb
// and for arrays.

import { Elements } from '../../../../value/elements.js'
import { bsonType, int32Value, stringValue, type Value } from '../../../../value/value.js'
import { evaluationError, evaluationState } from '../evaluation-error.js'
import { spendOnElements } from '../texts/text-cost.js'
import { countAt, type FunctionRow, row } from './function-row.js'

export const documentFunctions: readonly FunctionRow[] = [
  row('jsonb_array_length json_array_length', [1, 1], ([array]) => {
    if (array?.type === bsonType.array) return int32Value(countOf(array))
    const message = 'cannot get array length of a value that is no array'
    throw evaluationError(evaluationState.badArgument, message)
  }),
  row('cardinality', [1, 1], ([array]) =>
    array?.type === bsonType.array ? int32Value(countOf(array)) : undefined,
  ),
  row('array_length', [2, 2], (args) => {
    const [array] = args
    const isThere = array?.type === bsonType.array && countAt(args, 1) === 1
    const count = isThere ? countOf(array) : 0
    return count === 0 ? undefined : int32Value(count)
  }),
  row('jsonb_typeof json_typeof', [1, 1], ([value]) => stringValue(jsonTypeOf(value))),
  row('to_jsonb to_json row_to_json', [1, 1], ([value]) => value),
]

/** Number of elements. Throws 54000 as spendOnElements. */
export function countOf(array: Value): number {
  spendOnElements(array)
  const elements = new Elements(array.bytes, array.start)
  let count = 0
  while (elements.next()) count++
  return count
}

function jsonTypeOf(value: Value | undefined): string {
  if (value === undefined) return 'null'
  if (value.isNumber) return 'number'
  if (value.type === bsonType.bool) return 'boolean'
  if (value.type === bsonType.array) return 'array'
  return value.type === bsonType.object ? 'object' : 'string'
}
