// Compiles an expression of the aggregation language to an evaluator over BSON bytes: once per
// command, then run for each document. The operators are rows of the tables in expressions/. All
// users share them: stages, $expr, find projections and pipeline updates.

import type { Bytes } from '../base/bytes/bytes.js'
import { fail } from '../base/errors.js'
import { work } from '../base/work/work-budget.js'
import { letVariableUnits, objectFieldUnits } from '../base/work/work-figures.js'
import { Elements, elementsOf, fieldsOf } from '../value/elements.js'
import {
  bsonType,
  type Document,
  documentValue,
  nullValue,
  stringOf,
  type Value,
} from '../value/value.js'
import { DocumentWriter } from '../value/writer.js'
import { accumulatorOperators, accumulators } from './accumulators.js'
import type { QueryContext } from './context.js'
import { arithmeticOperators } from './expressions/arithmetic.js'
import { arrayOperators } from './expressions/array.js'
import { booleanOperators } from './expressions/boolean.js'
import { comparisonOperators } from './expressions/comparison.js'
import { dateOperators } from './expressions/dates/date.js'
import { iterationOperators } from './expressions/iteration.js'
import { objectOperators } from './expressions/object.js'
import {
  Constant,
  Env,
  type Expression,
  emptyObject,
  fold,
  location,
  type OperatorRow,
  type Result,
  requireRoom,
  Scope,
  spendOnCopy,
} from './expressions/operator.js'
import { scriptOperators } from './expressions/script.js'
import { setOperators } from './expressions/set.js'
import { stringOperators } from './expressions/string.js'
import { typeOperators } from './expressions/type.js'
import {
  compilePath,
  requireFieldName,
  requireVariableName,
  variableOperators,
} from './expressions/variable.js'

const operators = new Map<string, OperatorRow>()
for (const family of [
  arithmeticOperators,
  comparisonOperators,
  booleanOperators,
  stringOperators,
  arrayOperators,
  iterationOperators,
  objectOperators,
  setOperators,
  dateOperators,
  typeOperators,
  variableOperators,
  accumulatorOperators,
  scriptOperators,
]) {
  for (const row of family) operators.set(row.name, row)
}

/** Every operator, for the reference. */
export function expressionNames(): string[] {
  return [...operators.keys()]
}

/** The scope for a command's expressions, with its `let` variables declared. */
export function scopeOf(context: QueryContext): Scope {
  return Scope.open(context, compileExpression)
}

/** The environment for expressions compiled in `scopeOf(context)`. */
export function envOf(root: Value, context: QueryContext): Env {
  return new Env(root, context.variables, context.now, context.collation)
}

/**
 * Compiles a `$path`, a `$$variable`, an operator object, an object or array of expressions, or a
 * constant. Throws MongoDB's errors (168 unknown operator, 16020 arity, 17276 undefined variable
 * …). Constant parts are computed here, with their errors.
 */
export function compileExpression(expression: Value, scope: Scope): Expression {
  switch (expression.type) {
    case bsonType.string: {
      const text = stringOf(expression)
      return text.startsWith('$') ? compilePath(text, scope) : new Constant(expression)
    }
    case bsonType.object:
      return compileObject(expression, scope)
    case bsonType.array:
      return compileArray(expression, scope)
    default:
      return new Constant(expression)
  }
}

/** Values of a command's `let`; each may use the ones before it, but no document. */
export function letVariables(spec: Document, context: QueryContext): Map<string, Value> {
  const variables = new Map(context.variables)
  for (const [name, expression] of fieldsOf(documentValue(spec))) {
    work.spend(letVariableUnits)
    requireVariableName(name)
    const inner = { ...context, variables }
    const value = compileExpression(expression, scopeOf(inner)).evaluate(envOf(emptyObject, inner))
    variables.set(name, (value ?? nullValue).detach())
  }
  return variables
}

function compileObject(object: Value, scope: Scope): Expression {
  const elements = new Elements(object.bytes, object.start)
  const names: string[] = []
  const seen = new Set<string>()
  const fields: Expression[] = []
  while (elements.next()) {
    const name = elements.name()
    if (names.length === 0 && name.startsWith('$')) {
      return compileCall(name, elements.value(), elements.next(), scope)
    }
    work.spend(objectFieldUnits)
    requireFieldName(name)
    if (name.includes('.')) {
      throw location(
        16412,
        "FieldPath field names may not contain '.'. Consider using $getField or $setField.",
      )
    }
    if (seen.has(name)) {
      throw location(16406, `duplicate field name specified in object literal: ${name}`)
    }
    seen.add(name)
    names.push(name)
    fields.push(scope.compile(elements.value()))
  }
  return fold(new ObjectExpression(names, fields), fields)
}

/** Whether there is an expression of that name, which includes the `$`. */
export function isOperatorName(name: string): boolean {
  return operators.has(name)
}

/** Whether the operator or accumulator of that name reads the document without a `$` path. */
export function readsRoot(name: string): boolean {
  return (operators.get(name) ?? accumulators.get(name))?.readsRoot === true
}

function compileCall(name: string, operand: Value, hasMore: boolean, scope: Scope): Expression {
  if (hasMore) {
    throw location(
      15983,
      `an object representing an expression must have exactly one field: ${name}`,
    )
  }
  const row = operators.get(name)
  if (row === undefined) {
    throw fail('InvalidPipelineOperator', `Unrecognized expression '${name}'`)
  }
  return row.compile(operand, scope)
}

function compileArray(array: Value, scope: Scope): Expression {
  if (array.end - array.start > longArrayBytes && isConstant(array)) return new Constant(array)
  const elements = elementsOf(array).map((element) => scope.compile(element))
  return fold(new ArrayExpression(elements), elements)
}

/** A list of constants is taken as it is: an expression a number takes too long to compile. */
const longArrayBytes = 1_024
/** Work units of an element that is only looked at, with its name: 0.03 µs. */
const constantUnits = 0.3

/** Whether it has neither paths, variables nor objects, and its names count from 0. */
function isConstant(array: Value): boolean {
  const { bytes, start } = array
  const elements = new Elements(bytes, start)
  for (let i = 0; elements.next(); i++) {
    work.spend(constantUnits)
    const { type, valueStart } = elements
    if (type === bsonType.object || indexAt(bytes, elements.nameStart) !== i) return false
    if (type === bsonType.string && bytes[valueStart + 4] === 0x24) return false
    if (type === bsonType.array && !isConstant(elements.value())) return false
  }
  return true
}

/** The number that a name is; NaN or another one for a name that no array has. */
function indexAt(bytes: Bytes, nameStart: number): number {
  if (bytes[nameStart] === 0x30 && bytes[nameStart + 1] !== 0) return Number.NaN
  let index = 0
  for (let at = nameStart; bytes[at] !== 0; at++) {
    index = index * 10 + (bytes[at] as number) - 0x30
  }
  return index
}

class ObjectExpression implements Expression {
  constructor(
    private readonly names: readonly string[],
    private readonly fields: readonly Expression[],
  ) {}

  evaluate(env: Env): Result {
    const { names, fields } = this
    work.spend(1 + fields.length)
    const writer = new DocumentWriter()
    for (let i = 0; i < fields.length; i++) {
      const value = (fields[i] as Expression).evaluate(env)
      if (value !== undefined) writer.value(names[i] as string, value)
      if (value !== undefined && i > 0) spendOnCopy(value)
      requireRoom(writer.length)
    }
    return writer.finishValue()
  }
}

class ArrayExpression implements Expression {
  constructor(private readonly elements: readonly Expression[]) {}

  evaluate(env: Env): Result {
    work.spend(1)
    const writer = new DocumentWriter(true)
    for (const element of this.elements) {
      writer.push(element.evaluate(env) ?? nullValue)
      requireRoom(writer.length)
    }
    return writer.finishValue()
  }
}
