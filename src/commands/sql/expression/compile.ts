// Compiles expressions to closures over the documents of a row, for WHERE, results, SET and ORDER
// BY. Each reads only the elements it names. These closures decide whether a row matches; filters
// only narrow the search. (docs/design/sql.md)

import { type Bytes, utf8 } from '../../../base/bytes/bytes.js'
import type { Expression, PathPart, WholeType } from '../../../protocol/sql/ast.js'
import { Elements, findElement } from '../../../value/elements.js'
import {
  bigintOf,
  bsonType,
  dateValue,
  documentValue,
  nullValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { writeArray, writeDocument } from '../../../value/writer.js'
import type { KnownTable } from '../catalog/known-table.js'
import { definitionColumn } from '../session/session-functions.js'
import { arithmeticOperators, negate } from './arithmetic.js'
import { compileBinary, compileLike, like, likeOperators } from './binary.js'
import { compileCall } from './call.js'
import { type Cast, castTo, inTypeOf, typeNameOf } from './cast.js'
import {
  between,
  comparison,
  distinct,
  elementComparison,
  formsOf,
  isComparison,
  membership,
  type Operand,
  quantified,
} from './comparison.js'
import {
  evaluationError,
  evaluationState,
  hasNoCast,
  isUndefinedOperator,
  placed,
  undefinedHint,
} from './evaluation-error.js'
import { type Interval, parseInterval, shifted } from './interval.js'
import { member } from './json-access.js'
import { evenDouble } from './rounding.js'
import { columnOf, isIdColumn, parameterOf, type Scope, writtenValue } from './scope.js'
import { parseArrayText } from './texts/array-text.js'
import {
  both,
  computation,
  condition,
  constant,
  type Evaluator,
  either,
  not,
  orNull,
  type Row,
  type SqlValue,
  type Truth,
} from './truth.js'

/**
 * Throws errors of names and types (42703, 42702, 42883, 42704, 0A000); evaluating throws errors of
 * values (22012, 22003, 22P02 …). Constants are computed for the first row.
 */
export function compile(expression: Expression, scope: Scope): Evaluator {
  const known = scope.parts?.of(expression)
  if (known !== undefined) return known
  let made: Evaluator
  try {
    made = scope.replace?.(expression, scope) ?? compileNode(expression, scope)
  } catch (thrown) {
    throw placed(thrown, expression.at)
  }
  const isWritten = expression.kind === 'literal' || expression.kind === 'parameter'
  return made.isConstant && !isWritten ? once(made) : made
}

/** A constant that is computed on first use. */
function once(made: Evaluator): Evaluator {
  let known: Evaluator | undefined
  const evaluated = (): Evaluator => {
    known ??= constant(made.value([]))
    return known
  }
  return {
    value: (row) => evaluated().value(row),
    truth: (row) => evaluated().truth(row),
    isConstant: true,
  }
}

function compileNode(expression: Expression, scope: Scope): Evaluator {
  switch (expression.kind) {
    case 'literal':
      return constant(orNull(expression.value))
    case 'parameter':
      return constant(parameterOf(expression.index, scope))
    case 'column':
      return column(expression.path, scope)
    case 'star':
      throw evaluationError(evaluationState.featureNotSupported, '* is not a value')
    case 'not': {
      const { truth, isConstant } = compile(expression.operand, scope)
      return condition(isConstant, (row) => not(truth(row)))
    }
    case 'and':
    case 'or':
      return junction(expression, scope)
    case 'unary':
      return placedOperator(
        signed(expression.operator, compile(expression.operand, scope)),
        expression.at,
      )
    case 'binary':
      return binary(expression, scope)
    case 'is':
      return is(expression, scope)
    case 'distinct': {
      const { left, right, isNegated } = expression
      return distinct(operandOf(left, scope), operandOf(right, scope), isNegated)
    }
    case 'between': {
      const { operand, low, high, isSymmetric, isNegated } = expression
      const [own, from, to] = [operand, low, high].map((part) => operandOf(part, scope))
      return between(own as Operand, from as Operand, to as Operand, isSymmetric, isNegated)
    }
    case 'in': {
      const list = expression.list.map((item) => operandOf(item, scope))
      return membership(operandOf(expression.operand, scope), list, expression.isNegated)
    }
    case 'like': {
      const { operand, pattern, ignoresCase, isNegated } = expression
      const mark = expression.escape === undefined ? undefined : compile(expression.escape, scope)
      const text = compile(operand, scope)
      return compileLike(text, compile(pattern, scope), mark, ignoresCase, isNegated)
    }
    case 'quantified':
      return quantifiedOf(expression, scope)
    case 'case':
      return choice(expression, scope)
    case 'cast':
      return cast(expression, scope)
    case 'call': {
      const definition = definitionColumn(expression)
      if (definition !== undefined) return compile(definition, scope)
      const args = expression.args.map((arg) => operandOf(arg, scope))
      return compileCall(expression, args, scope)
    }
    case 'array':
      return arrayOf(expression.elements.map((element) => compile(element, scope)))
    case 'subscript':
    case 'field':
      return memberOf(expression, scope)
  }
}

/** An operand: the expression's value and what comparisons also need. */
function operandOf(expression: Expression, scope: Scope): Operand {
  const evaluator = compile(expression, scope)
  const isWritten = expression.kind === 'literal' || expression.kind === 'parameter'
  const forms = isWritten ? formsOf(writtenValue(expression, scope)) : undefined
  return { evaluator, forms, isWritten, isId: isIdColumn(expression, scope) }
}

function column(path: readonly PathPart[], scope: Scope): Evaluator {
  const { table, path: own } = columnOf(path, scope)
  if (own.length === 0) return wholeRow(table, scope.known?.[table])
  const steps = own.map((part) => (typeof part === 'string' ? utf8(part) : part))
  const [first] = steps
  if (steps.length === 1 && typeof first === 'object') {
    return computation(false, (row) => {
      const document = row[table]
      return document === undefined ? undefined : orNull(findElement(document, 0, first))
    })
  }
  return computation(false, (row) => {
    const document = row[table]
    return document === undefined ? undefined : orNull(followed(document, steps))
  })
}

/** The row of a table as one value: its known columns, else the document. */
function wholeRow(table: number, known: KnownTable | undefined): Evaluator {
  const names = known?.isDeclared === true ? [...known.columns.keys()].map(namedBytes) : undefined
  return computation(false, (row) => {
    const document = row[table]
    if (document === undefined || names === undefined) return document && documentValue(document)
    const columns = writeDocument((out) => {
      for (const { name, bytes } of names) {
        out.value(name, findElement(document, 0, bytes) ?? nullValue)
      }
    })
    return documentValue(columns)
  })
}

function namedBytes(name: string): { readonly name: string; readonly bytes: Bytes } {
  return { name, bytes: utf8(name) }
}

/** Follows names into objects and numbers into arrays; other steps find nothing. */
function followed(document: Bytes, steps: readonly (Bytes | number)[]): Value | undefined {
  let bytes = document
  let start = 0
  let type: number = bsonType.object
  let found: Value | undefined
  for (const step of steps) {
    if (typeof step === 'number') {
      found = type === bsonType.array ? elementIn(bytes, start, step) : undefined
    } else found = type === bsonType.object ? findElement(bytes, start, step) : undefined
    if (found === undefined) return undefined
    bytes = found.bytes
    start = found.start
    type = found.type
  }
  return found
}

function elementIn(bytes: Bytes, start: number, place: number): Value | undefined {
  const elements = new Elements(bytes, start)
  for (let i = 0; elements.next(); i++) if (i === place) return elements.value()
  return undefined
}

function junction(
  { kind, operands }: Extract<Expression, { kind: 'and' | 'or' }>,
  scope: Scope,
): Evaluator {
  const parts = operands.map((operand) => compile(operand, scope))
  const decisive = kind === 'or'
  const join = decisive ? either : both
  return condition(
    parts.every(({ isConstant }) => isConstant),
    (row) => {
      let found: Truth = !decisive
      for (const { truth } of parts) {
        found = join(found, truth(row))
        if (found === decisive) return found
      }
      return found
    },
  )
}

function signed(operator: string, operand: Evaluator): Evaluator {
  return computation(operand.isConstant, (row) => {
    const value = operand.value(row)
    if (value === undefined) return undefined
    if (!value.isNumber) {
      const message = `operator does not exist: ${operator} ${typeNameOf(value)}`
      const hint = undefinedHint('operator', true)
      throw evaluationError(evaluationState.undefinedFunction, message, undefined, hint)
    }
    return operator === '-' ? negate(value) : value
  })
}

function binary(expression: Extract<Expression, { kind: 'binary' }>, scope: Scope): Evaluator {
  const { operator, left, right } = expression
  if (isComparison(operator)) {
    return comparison(operator, operandOf(left, scope), operandOf(right, scope))
  }
  const pattern = likeOperators.get(operator)
  if (pattern !== undefined) {
    const { ignoresCase, isNegated } = pattern
    const [text, wanted] = [compile(left, scope), compile(right, scope)]
    return compileLike(text, wanted, undefined, ignoresCase, isNegated)
  }
  if (operator === '+' || operator === '-') {
    const behind = intervalOf(right, scope)
    if (behind !== undefined) return moved(compile(left, scope), behind, operator === '+' ? 1 : -1)
    const before = operator === '+' ? intervalOf(left, scope) : undefined
    if (before !== undefined) return moved(compile(right, scope), before, 1)
  }
  const joined = compileBinary(operator, operandOf(left, scope), operandOf(right, scope))
  const computed = expression.joinsArrays === true ? orOther(joined, left, right, scope) : joined
  const made = expression.type === undefined ? computed : inWholeType(computed, expression.type)
  const place = expression.operatorAt
  return place !== undefined && arithmeticOperators.has(operator)
    ? placedOperator(made, place)
    : made
}

/** The value, and with one side NULL that of the other. */
function orOther(made: Evaluator, left: Expression, right: Expression, scope: Scope): Evaluator {
  const [one, other] = [compile(left, scope), compile(right, scope)]
  return computation(made.isConstant, (row) => {
    return made.value(row) ?? one.value(row) ?? other.value(row)
  })
}

/** Throws 22003 for a number beyond the type. */
function inWholeType(made: Evaluator, name: WholeType): Evaluator {
  const convert = castTo({ name, modifiers: [], isArray: false })
  return computation(made.isConstant, (row) => {
    const value = made.value(row)
    return value === undefined ? undefined : convert(value)
  })
}

/** Adds the operator's position to an error about its operand types. */
function placedOperator({ value, isConstant }: Evaluator, at: number): Evaluator {
  return computation(isConstant, (row) => {
    try {
      return value(row)
    } catch (thrown) {
      throw isUndefinedOperator(thrown) ? placed(thrown, at) : thrown
    }
  })
}

/** `interval '7 days'`, or a cast of a text literal. */
function intervalOf(expression: Expression, scope: Scope): Interval | undefined {
  if (expression.kind !== 'cast' || expression.type.name !== 'interval') return undefined
  const value = writtenValue(expression.operand, scope)
  return value?.type === bsonType.string ? parseInterval(stringOf(value)) : undefined
}

function moved(time: Evaluator, span: Interval, sign: 1 | -1): Evaluator {
  return computation(time.isConstant, (row) => {
    const value = time.value(row)
    if (value === undefined) return undefined
    if (value.type === bsonType.date) {
      return dateValue(shifted(Number(bigintOf(value)), span, sign))
    }
    const message = `operator does not exist: ${typeNameOf(value)} + interval`
    throw evaluationError(evaluationState.undefinedFunction, message)
  })
}

function is(expression: Extract<Expression, { kind: 'is' }>, scope: Scope): Evaluator {
  const { test, isNegated } = expression
  const { value, truth, isConstant } = compile(expression.operand, scope)
  switch (test) {
    case 'null':
      return condition(isConstant, (row) => (value(row) === undefined) !== isNegated)
    case 'true':
      return condition(isConstant, (row) => (truth(row) === true) !== isNegated)
    case 'false':
      return condition(isConstant, (row) => (truth(row) === false) !== isNegated)
    case 'unknown':
      return condition(isConstant, (row) => (truth(row) === undefined) !== isNegated)
  }
}

function quantifiedOf(
  expression: Extract<Expression, { kind: 'quantified' }>,
  scope: Scope,
): Evaluator {
  const { operator, quantifier } = expression
  if (!isComparison(operator) && !likeOperators.has(operator)) {
    const message = `operator ${operator} is not supported before ANY and ALL`
    throw evaluationError(evaluationState.featureNotSupported, message)
  }
  const left = operandOf(expression.left, scope)
  const written = writtenValue(expression.array, scope)
  if (written?.type === bsonType.string) return quantifiedText(expression, left, stringOf(written))
  const array = compile(expression.array, scope)
  const pattern = likeOperators.get(operator)
  if (pattern !== undefined) {
    return quantified(left, array, (text, element) => like(text, element, pattern), quantifier)
  }
  return quantified(left, array, elementComparison(operator, left), quantifier)
}

/**
 * `= ANY ('{1,2}')`, as drivers send arrays: the elements are cast to the type of the other side.
 */
function quantifiedText(
  { operator, quantifier }: Extract<Expression, { kind: 'quantified' }>,
  left: Operand,
  text: string,
): Evaluator {
  const array = constant(parseArrayText(text))
  const pattern = likeOperators.get(operator)
  if (pattern !== undefined) {
    return quantified(left, array, (own, element) => like(own, element, pattern), quantifier)
  }
  const compare = elementComparison(operator, left)
  return quantified(
    left,
    array,
    (own, element) => compare(own, inTypeOf(own, element, left.isId)),
    quantifier,
  )
}

function choice(expression: Extract<Expression, { kind: 'case' }>, scope: Scope): Evaluator {
  const { operand, branches, otherwise } = expression
  const chosen = operand === undefined ? undefined : operandOf(operand, scope)
  const parts = branches.map(({ when, result }) => ({
    when:
      chosen === undefined ? compile(when, scope) : comparison('=', chosen, operandOf(when, scope)),
    result: compile(result, scope),
  }))
  const last = otherwise === undefined ? constant(undefined) : compile(otherwise, scope)
  const isConstant =
    last.isConstant && parts.every(({ when, result }) => when.isConstant && result.isConstant)
  return computation(isConstant, (row) => {
    for (const { when, result } of parts) if (when.truth(row) === true) return result.value(row)
    return last.value(row)
  })
}

function cast(expression: Extract<Expression, { kind: 'cast' }>, scope: Scope): Evaluator {
  const convert = expression.isRounding === true ? evenDouble : knownCast(expression)
  const { value, isConstant } = compile(expression.operand, scope)
  const { operand } = expression
  if (operand.kind === 'literal') {
    return placedCast(
      expression,
      computation(true, () => literalCast(operand, convert)),
    )
  }
  const made = computation(isConstant, (row) => {
    const given = value(row)
    return given === undefined ? undefined : orNull(convert(given))
  })
  return placedCast(expression, made)
}

/** Adds the position of `::` to an error about types that have no cast. */
function placedCast(
  { operatorAt, at }: Extract<Expression, { kind: 'cast' }>,
  { value, isConstant }: Evaluator,
): Evaluator {
  return computation(isConstant, (row) => {
    try {
      return value(row)
    } catch (thrown) {
      throw hasNoCast(thrown) ? placed(thrown, operatorAt ?? at) : thrown
    }
  })
}

/** Adds the position of an unknown type to its error. */
function knownCast({ type, at }: Extract<Expression, { kind: 'cast' }>): Cast {
  try {
    return castTo(type)
  } catch (thrown) {
    throw placed(thrown, type.at ?? at)
  }
}

/** Adds the position of a literal to its errors. */
function literalCast(
  { value, at }: Extract<Expression, { kind: 'literal' }>,
  convert: Cast,
): SqlValue {
  if (value.isNullish) return undefined
  try {
    return orNull(convert(value))
  } catch (thrown) {
    throw value.type === bsonType.string ? placed(thrown, at) : thrown
  }
}

function arrayOf(elements: readonly Evaluator[]): Evaluator {
  const isConstant = elements.every((element) => element.isConstant)
  return computation(
    isConstant,
    (row: Row): SqlValue => writeArray(elements.map(({ value }) => value(row) ?? nullValue)),
  )
}

function memberOf(
  expression: Extract<Expression, { kind: 'subscript' | 'field' }>,
  scope: Scope,
): Evaluator {
  const container = compile(expression.operand, scope)
  if (expression.kind === 'field') {
    const name = utf8(expression.name)
    return computation(container.isConstant, (row) => {
      const value = container.value(row)
      if (value?.type !== bsonType.object) return undefined
      return orNull(findElement(value.bytes, value.start, name))
    })
  }
  const index = compile(expression.index, scope)
  return computation(container.isConstant && index.isConstant, (row) => {
    const value = container.value(row)
    const key = index.value(row)
    return value === undefined || key === undefined ? undefined : member(value, key)
  })
}
