// Function calls: the rows of the function files by name. Functions that evaluate arguments lazily
// or accept NULL are handled here.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Expression } from '../../../protocol/sql/ast.js'
import { bsonType, type Value } from '../../../value/value.js'
import { columnTypeOf } from '../catalog/catalog-types.js'
import { staticType } from '../select/column-type.js'
import { sessionFunction } from '../session/session-functions.js'
import { DeclaredTypes } from '../typing/declared-type.js'
import { functionFacts, functionTable } from '../typing/function-facts.js'
import { titleOf } from '../typing/type-refusals.js'
import { typeNameOf } from './cast.js'
import { comparison, isGreater, type Operand } from './comparison.js'
import { joinedTexts } from './concat.js'
import {
  evaluationError,
  evaluationState,
  isUndefinedOperator,
  undefinedHint,
} from './evaluation-error.js'
import { documentFunctions } from './functions/document-functions.js'
import { numberFunctions } from './functions/number-functions.js'
import { textFunctions } from './functions/text-functions.js'
import { timeFunctions } from './functions/time-functions.js'
import type { Scope } from './scope.js'
import { utf8Form } from './texts/text-form.js'
import { computation, type Evaluator, type Row, type SqlValue } from './truth.js'

export type Call = Extract<Expression, { kind: 'call' }>

const functions = functionTable(
  [...textFunctions, ...numberFunctions, ...timeFunctions, ...documentFunctions].map(
    (row) => [row.names, row] as const,
  ),
)

/** Throws 42883 for an unknown function, 42803 for an aggregate that is not allowed here. */
export function compileCall(call: Call, args: readonly Operand[], scope: Scope): Evaluator {
  const { now, statementAt = now, session } = scope
  const times = { now, statement: statementAt, clock: scope.clock ?? (() => statementAt) }
  const { name } = call
  if (functionFacts(name).aggregate !== undefined) {
    const message = `aggregate functions are not allowed here: ${name}`
    throw evaluationError(evaluationState.misplacedAggregate, message)
  }
  const evaluators = args.map(({ evaluator }) => evaluator)
  const lenient = lenientFunctions.get(name)?.(evaluators, args)
  if (lenient !== undefined) return lenient
  const told = session === undefined ? undefined : sessionFunction(name, args.length)
  if (session !== undefined && told !== undefined) {
    return computation(allConstant(evaluators) && !told.isVolatile, (documents) =>
      told.run(
        evaluators.map(({ value }) => value(documents)),
        session,
      ),
    )
  }
  const row = functions.get(name)
  const isCounted = row !== undefined && args.length >= row.arity[0] && args.length <= row.arity[1]
  if (row !== undefined) requirePlain(call)
  if (!isCounted || call.isStar) throw unknownFunction(call, scope)
  const { run, isVolatile } = row
  return computation(allConstant(evaluators) && isVolatile !== true, (documents) => {
    const values = []
    for (const { value } of evaluators) {
      const argument = value(documents)
      if (argument === undefined) return undefined
      values.push(argument)
    }
    try {
      return run(values, times)
    } catch (thrown) {
      throw isUndefinedOperator(thrown)
        ? undefinedFunction(call, titlesOf(call, values, scope))
        : thrown
    }
  })
}

/** Types of the arguments, of which only values tell some. */
function titlesOf({ args }: Call, values: readonly Value[], scope: Scope): readonly string[] {
  return args.map((arg, i) => {
    const title = typeTitle(arg, scope)
    const value = values[i]
    const isKnown = title !== 'unknown' || arg.kind === 'literal' || value === undefined
    return isKnown ? title : typeNameOf(value)
  })
}

/** Throws 42809 for what only aggregates take. */
function requirePlain({ name, at, isDistinct, orderBy, filter }: Call): void {
  const given = isDistinct ? 'DISTINCT' : orderBy.length > 0 ? 'ORDER BY' : undefined
  const found = given ?? (filter === undefined ? undefined : 'FILTER')
  if (found === undefined) return
  const message = `${found} specified, but ${name} is not an aggregate function`
  throw evaluationError(evaluationState.wrongObject, message, at)
}

/** 42883 */
export function unknownFunction(call: Call, scope: Scope): Error {
  const types = call.args.map((arg) => typeTitle(arg, scope))
  return undefinedFunction(call, types)
}

function undefinedFunction({ name, at }: Call, types: readonly string[]): Error {
  const message = `function ${name}(${types.join(', ')}) does not exist`
  const hint = undefinedHint('function')
  return evaluationError(evaluationState.undefinedFunction, message, at, hint)
}

/**
 * The type in PostgreSQL's terms; unknown for a text literal and for types that only rows reveal.
 */
function typeTitle(expression: Expression, scope: Scope): string {
  const isText = expression.kind === 'literal' && expression.value.type === bsonType.string
  const isNull = expression.kind === 'literal' && expression.value.isNullish
  if (isText || isNull) return 'unknown'
  const declared = new DeclaredTypes(scope).of(expression)
  if (declared !== undefined) return titleOf(declared)
  const type = staticType(expression, scope)
  return type === undefined ? 'unknown' : columnTypeOf(type).title
}

function allConstant(evaluators: readonly Evaluator[]): boolean {
  return evaluators.every(({ isConstant }) => isConstant)
}

/** Undefined for a number of arguments that the function does not take. */
type Lenient = (evaluators: readonly Evaluator[], args: readonly Operand[]) => Evaluator | undefined

/** Functions that accept NULL as an argument. */
const lenientFunctions = functionTable<Lenient>([
  ['coalesce', lenient(firstOf)],
  ['greatest', lenient((evaluators, row) => extreme(evaluators, row, true))],
  ['least', lenient((evaluators, row) => extreme(evaluators, row, false))],
  ['concat', lenient((evaluators, row) => joinedTexts(textsOf(evaluators, row)))],
  ['concat_ws', withSeparator],
  ['nullif', nullIf],
])

function lenient(run: (evaluators: readonly Evaluator[], row: Row) => SqlValue): Lenient {
  return (evaluators) => computation(allConstant(evaluators), (row) => run(evaluators, row))
}

function nullIf(evaluators: readonly Evaluator[], args: readonly Operand[]): Evaluator | undefined {
  const [first, second] = args
  if (first === undefined || second === undefined || args.length > 2) return undefined
  const { truth } = comparison('=', first, second)
  const { value } = first.evaluator
  return computation(allConstant(evaluators), (row) =>
    truth(row) === true ? undefined : value(row),
  )
}

function firstOf(evaluators: readonly Evaluator[], row: Row): SqlValue {
  for (const { value } of evaluators) {
    const found = value(row)
    if (found !== undefined) return found
  }
  return undefined
}

function extreme(evaluators: readonly Evaluator[], row: Row, wantsGreatest: boolean): SqlValue {
  let best: SqlValue
  for (const { value } of evaluators) {
    const found = value(row)
    if (found === undefined) continue
    const isBetter = best === undefined || isGreater(found, best) === wantsGreatest
    if (isBetter) best = found
  }
  return best
}

function textsOf(evaluators: readonly Evaluator[], row: Row): Bytes[] {
  const texts: Bytes[] = []
  for (const { value } of evaluators) {
    const found = value(row)
    if (found !== undefined) texts.push(utf8Form(found))
  }
  return texts
}

function withSeparator([separator, ...parts]: readonly Evaluator[]): Evaluator | undefined {
  if (separator === undefined) return undefined
  return computation(separator.isConstant && allConstant(parts), (row) => {
    const between = separator.value(row)
    if (between === undefined) return undefined
    return joinedTexts(textsOf(parts, row), utf8Form(between))
  })
}
