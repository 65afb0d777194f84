// Filters on the foreign documents of a $lookup, so that an index can be used: the equality of
// local and foreign field, and equalities with variables in a leading `{$match: {$expr: …}}`. A
// filter may pass too many documents, never too few, because the pipeline still checks them.

import { elementsOf, fieldsOf } from '../../../value/elements.js'
import { type FieldPath, parsePath, walkPath } from '../../../value/path.js'
import { bsonType, type Document, nullValue, stringOf, type Value } from '../../../value/value.js'
import { DocumentWriter, writeArray } from '../../../value/writer.js'
import type { Result } from '../../expressions/operator.js'

const everything: Document = Uint8Array.of(5, 0, 0, 0, 0)

/**
 * The filter of an equality join. Every value at the local path counts, array elements one by one.
 * Without a value it is null, which matches foreign null and missing.
 */
export function equalityFilter(
  localField: string,
  foreignField: string,
): (local: Document) => Document {
  const path = parsePath(localField)
  return (local) => anyOfFilter(foreignField, localValues(local, path))
}

/** Matches documents whose field is one of the values, or an array with one. */
export function anyOfFilter(foreignField: string, values: readonly Value[]): Document {
  if (values.length === 1) return conditionOf(foreignField, '$eq', values[0] as Value)
  if (values.every((value) => value.type !== bsonType.regex)) {
    return conditionOf(foreignField, '$in', writeArray(values))
  }
  // In $in a regular expression would be a pattern; here it must be a value.
  return joined(
    '$or',
    values.map((value) => conditionOf(foreignField, '$eq', value)),
  )
}

/** Every value at a path, array elements one by one; null if there is none. */
function localValues(local: Document, path: FieldPath): Value[] {
  const values: Value[] = []
  walkPath(local, path, (leaf) => {
    if (leaf === undefined) return false
    if (leaf.type === bsonType.array) for (const element of elementsOf(leaf)) values.push(element)
    else values.push(leaf)
    return false
  })
  if (values.length === 0) values.push(nullValue)
  return values.map((value) => (value.type === bsonType.undefined ? nullValue : value))
}

function conditionOf(field: string, operator: string, value: Value): Document {
  return new DocumentWriter().openDocument(field).value(operator, value).close().finish()
}

function joined(operator: string, conditions: readonly Document[]): Document {
  const writer = new DocumentWriter().openArray(operator)
  for (const condition of conditions) writer.pushDocument(condition)
  return writer.close().finish()
}

/** The conjunction of the conditions; `{}` for none. */
export function allOf(conditions: readonly Document[]): Document {
  const [only] = conditions
  if (only === undefined) return everything
  return conditions.length === 1 ? only : joined('$and', conditions)
}

/** `{$eq: ['$path', '$$variable…']}` in a conjunction. */
interface VariableEquality {
  readonly path: string
  /** The variable as written in the expression. */
  readonly variable: Value
}

/** The equalities with variables in a pipeline's leading $match. */
export function leadingEqualities(pipeline: Value): VariableEquality[] {
  const found: VariableEquality[] = []
  const [stage] = elementsOf(pipeline)
  if (stage?.type !== bsonType.object) return found
  for (const [name, filter] of fieldsOf(stage)) {
    if (name !== '$match' || filter.type !== bsonType.object) continue
    for (const [operator, expression] of fieldsOf(filter)) {
      if (operator === '$expr') collectEqualities(expression, found)
    }
  }
  return found
}

function collectEqualities(expression: Value, found: VariableEquality[]): void {
  if (expression.type !== bsonType.object) return
  for (const [operator, operand] of fieldsOf(expression)) {
    if (operand.type !== bsonType.array) continue
    const operands = elementsOf(operand)
    if (operator === '$and') for (const each of operands) collectEqualities(each, found)
    if (operator !== '$eq') continue
    const [left, right] = operands
    if (left === undefined || right === undefined) continue
    addEquality(left, right, found)
    addEquality(right, left, found)
  }
}

function addEquality(field: Value, variable: Value, found: VariableEquality[]): void {
  if (field.type !== bsonType.string || variable.type !== bsonType.string) return
  const path = stringOf(field)
  const isField = path.startsWith('$') && !path.startsWith('$$')
  if (isField && stringOf(variable).startsWith('$$')) found.push({ path: path.slice(1), variable })
}

/**
 * The condition for the variable's value. Undefined if a filter would match less than the
 * expression: for arrays, which a path may gather from many places.
 */
export function equalityCondition(path: string, value: Result): Document | undefined {
  if (value?.type === bsonType.array || value?.type === bsonType.undefined) return undefined
  return conditionOf(path, '$eq', value ?? nullValue)
}
