// Aggregates of a statement: their inputs per row, and their states. FILTER and DISTINCT work for
// all, ORDER BY only for those that build lists.

import type { Expression } from '../../../protocol/sql/ast.js'
import { Extreme } from '../../../query/accumulators.js'
import type { Accumulator } from '../../../query/expressions/accumulator.js'
import { binaryValue, nullValue, trueValue } from '../../../value/value.js'
import { writeArray } from '../../../value/writer.js'
import { type Call, unknownFunction } from '../expression/call.js'
import { compile } from '../expression/compile.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { ExpressionPlaces } from '../expression/expression-key.js'
import { someNode } from '../expression/expression-tree.js'
import { requireNoAggregate, requireNotNested } from '../expression/misplaced-aggregate.js'
import type { Scope } from '../expression/scope.js'
import type { Row, SqlValue } from '../expression/truth.js'
import { functionFacts, functionTable } from '../typing/function-facts.js'
import { CountState, DistinctState, SumState, TruthState } from './aggregate-states.js'
import { RowsState, ValuesState } from './list-states.js'
import { compileOrderKey } from './order.js'

export interface Aggregate {
  readonly call: Call
  /** Undefined if the row does not take part. */
  readonly input: (row: Row) => SqlValue
  readonly create: () => Accumulator
}

export function isAggregate(expression: Expression): expression is Call {
  return expression.kind === 'call' && functionFacts(expression.name).aggregate !== undefined
}

export function hasAggregate(expression: Expression): boolean {
  return someNode(expression, isAggregate)
}

/** The aggregates in expressions, without duplicates. */
export function aggregatesOf(expressions: readonly Expression[]): Call[] {
  const found: Call[] = []
  const places = new ExpressionPlaces()
  for (const expression of expressions) addAggregates(expression, found, places)
  return found
}

/** Adds the aggregates of an expression that are not among those found before. */
export function addAggregates(
  expression: Expression,
  found: Call[],
  places: ExpressionPlaces,
): void {
  someNode(expression, (node) => {
    if (!isAggregate(node)) return false
    if (places.add(node, found.length)) found.push(node)
    return 'stop'
  })
}

/** Throws 42883 for wrong arguments, 42803 for nested aggregates, and errors of compiling. */
export function compileAggregate(call: Call, scope: Scope): Aggregate {
  for (const { expression } of call.orderBy) requireNotNested(expression)
  for (const arg of call.args) requireNotNested(arg)
  if (call.filter !== undefined) requireNoAggregate(call.filter, 'FILTER')
  const state = states.get(call.name)
  if (state === undefined) throw unknownFunction(call, scope)
  const create = () => state(call)
  const once = call.isDistinct ? () => new DistinctState(call.name, create()) : create
  if (call.isDistinct && call.orderBy.length > 0) {
    const message = 'ORDER BY in a DISTINCT aggregate is not supported'
    throw evaluationError(evaluationState.featureNotSupported, message)
  }
  return { call, input: filtered(call, inputOf(call, scope), scope), create: once }
}

function inputOf(call: Call, scope: Scope): (row: Row) => SqlValue {
  const { name, args, isStar } = call
  const { aggregate } = functionFacts(name)
  if (isStar) {
    if (aggregate?.takesStar !== true) throw unknownFunction(call, scope)
    return () => trueValue
  }
  if (aggregate?.takesStar === true && args.length === 0) {
    const message = 'count(*) must be used to call a parameterless aggregate function'
    throw evaluationError(evaluationState.wrongObject, message, call.at)
  }
  if (args.length !== aggregate?.arity) throw unknownFunction(call, scope)
  const [first, second] = args.map((arg) => compile(arg, scope))
  if (first === undefined) throw unknownFunction(call, scope)
  if (aggregate.isList !== true) return first.value
  if (isOfValues(call)) return (row) => first.value(row) ?? nullValue
  const key = call.orderBy.length === 0 ? undefined : compileOrderKey(call.orderBy, scope)
  return (row) => {
    const value = first.value(row)
    if (value === undefined && isJoined(call)) return undefined
    const separator = second?.value(row) ?? nullValue
    const ordered = key === undefined ? [] : [binaryValue(0, key(row))]
    return writeArray([value ?? nullValue, separator, ...ordered])
  }
}

/** Whether the list needs only values: no separator and no order. */
function isOfValues(call: Call): boolean {
  return !isJoined(call) && call.orderBy.length === 0
}

/** Whether the list becomes a text, with the second argument as separator. */
function isJoined({ name }: Call): boolean {
  return functionFacts(name).aggregate?.arity === 2
}

function filtered(
  { filter }: Call,
  input: (row: Row) => SqlValue,
  scope: Scope,
): (row: Row) => SqlValue {
  if (filter === undefined) return input
  const { truth } = compile(filter, scope)
  return (row) => (truth(row) === true ? input(row) : undefined)
}

const states = functionTable<(call: Call) => Accumulator>([
  ['count', () => new CountState()],
  ['sum', () => new SumState(false)],
  ['avg', () => new SumState(true)],
  ['min', () => new Extreme(1)],
  ['max', () => new Extreme(-1)],
  ['bool_and every', ({ name }) => new TruthState(name, false)],
  ['bool_or', ({ name }) => new TruthState(name, true)],
  ['array_agg json_agg jsonb_agg string_agg', listState],
])

function listState(call: Call): Accumulator {
  if (isOfValues(call)) return new ValuesState(call.name, call.isDistinct)
  return new RowsState(call.name, orderOfList(call), isJoined(call))
}

function orderOfList({ isDistinct, orderBy }: Call): 'none' | 'value' | 'key' {
  if (isDistinct) return 'value'
  return orderBy.length > 0 ? 'key' : 'none'
}
