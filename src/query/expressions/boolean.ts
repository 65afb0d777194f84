// Logic and conditions. Operands are evaluated only as far as needed, so that a condition can guard
// an expression that would fail.

import { work } from '../../base/work/work-budget.js'
import { Elements, elementsOf } from '../../value/elements.js'
import { boolValue, bsonType, falseValue, trueValue, type Value } from '../../value/value.js'
import {
  Constant,
  type Env,
  type Expression,
  fold,
  isNullish,
  isTruthy,
  location,
  namedArguments,
  type OperatorRow,
  operandsOf,
  type Result,
  type Scope,
  typeName,
  unary,
} from './operator.js'

const anyNumber = [0, Number.POSITIVE_INFINITY] as const

/** $and stops at the first operand that is false, $or at the first that is true. */
class Junction implements Expression {
  constructor(
    private readonly stopsAt: boolean,
    private readonly operands: readonly Expression[],
  ) {}

  evaluate(env: Env): Result {
    for (const operand of this.operands) {
      work.spend(1)
      if (isTruthy(operand.evaluate(env)) === this.stopsAt) return boolValue(this.stopsAt)
    }
    return boolValue(!this.stopsAt)
  }
}

function junction(name: string, stopsAt: boolean): OperatorRow {
  return {
    name,
    readsRoot: false,
    arity: anyNumber,
    compile: (operand, scope) => {
      const operands = operandsOf(name, anyNumber, operand, scope)
      for (const each of operands) {
        if (each instanceof Constant && isTruthy(each.value) === stopsAt) {
          return new Constant(boolValue(stopsAt))
        }
      }
      return fold(new Junction(stopsAt, operands), operands)
    },
  }
}

export class Condition implements Expression {
  constructor(
    private readonly test: Expression,
    private readonly yes: Expression,
    private readonly no: Expression,
  ) {}

  /** The same test with other branches. */
  with(yes: Expression, no: Expression): Condition {
    return new Condition(this.test, yes, no)
  }

  evaluate(env: Env): Result {
    work.spend(1)
    return (isTruthy(this.test.evaluate(env)) ? this.yes : this.no).evaluate(env)
  }
}

function compileCond(operand: Value, scope: Scope): Expression {
  const operands =
    operand.type === bsonType.object
      ? compileNamedCond(operand, scope)
      : operandsOf('$cond', [3, 3], operand, scope)
  const [test, yes, no] = operands as [Expression, Expression, Expression]
  if (test instanceof Constant) return isTruthy(test.value) ? yes : no
  return new Condition(test, yes, no)
}

function compileNamedCond(operand: Value, scope: Scope): Expression[] {
  if (operand.bytes[operand.start + 5] === 0x24) return operandsOf('$cond', [3, 3], operand, scope)
  const given = namedArguments(operand, {
    notObject: [17083, '$cond only supports an object as its argument'],
    unknown: (name) => [17083, `Unrecognized parameter to $cond: ${name}`],
    required: {
      if: [17080, "Missing 'if' parameter to $cond"],
      // biome-ignore lint/suspicious/noThenProperty: the reference server's name of the argument
      then: [17081, "Missing 'then' parameter to $cond"],
      else: [17082, "Missing 'else' parameter to $cond"],
    },
  })
  return ['if', 'then', 'else'].map((name) => scope.compile(given.get(name) as Value))
}

class IfNull implements Expression {
  constructor(private readonly operands: readonly Expression[]) {}

  evaluate(env: Env): Result {
    let value: Result
    for (const operand of this.operands) {
      work.spend(1)
      value = operand.evaluate(env)
      if (!isNullish(value)) return value
    }
    return value
  }
}

function compileIfNull(operand: Value, scope: Scope): Expression {
  const operands = operandsOf('$ifNull', anyNumber, operand, scope)
  if (operands.length < 2) {
    throw location(1257300, `$ifNull needs at least two arguments, had: ${operands.length}`)
  }
  return fold(new IfNull(operands), operands)
}

class Switch implements Expression {
  constructor(
    private readonly branches: readonly { test: Expression; then: Expression }[],
    private readonly otherwise: Expression | undefined,
  ) {}

  evaluate(env: Env): Result {
    for (const branch of this.branches) {
      work.spend(1)
      if (isTruthy(branch.test.evaluate(env))) return branch.then.evaluate(env)
    }
    if (this.otherwise !== undefined) return this.otherwise.evaluate(env)
    throw location(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    )
  }
}

function compileSwitch(operand: Value, scope: Scope): Expression {
  const given = namedArguments(operand, {
    notObject: [40060, `$switch requires an object as an argument, found: ${typeName(operand)}`],
    unknown: (name) => [40067, `$switch found an unknown argument: ${name}`],
    required: {},
    optional: ['branches', 'default'],
  })
  const list = given.get('branches')
  if (list !== undefined && list.type !== bsonType.array) {
    throw location(40061, `$switch expected an array for 'branches', found: ${typeName(list)}`)
  }
  const branches = list === undefined ? [] : elementsOf(list).map((b) => compileBranch(b, scope))
  const otherwise = given.get('default')
  if (branches.length === 0) throw location(40068, '$switch requires at least one branch.')
  return new Switch(branches, otherwise === undefined ? undefined : scope.compile(otherwise))
}

function compileBranch(branch: Value, scope: Scope): { test: Expression; then: Expression } {
  if (branch.type !== bsonType.object) {
    throw location(
      40062,
      `$switch expected each branch to be an object, found: ${typeName(branch)}`,
    )
  }
  let test: Expression | undefined
  let then: Expression | undefined
  const elements = new Elements(branch.bytes, branch.start)
  while (elements.next()) {
    const name = elements.name()
    if (name === 'case') test = scope.compile(elements.value())
    else if (name === 'then') then = scope.compile(elements.value())
    else throw location(40063, `$switch found an unknown argument to a branch: ${name}`)
  }
  if (test === undefined) {
    throw location(40064, "$switch requires each branch have a 'case' expression")
  }
  if (then === undefined) {
    throw location(40065, "$switch requires each branch have a 'then' expression.")
  }
  return { test, then }
}

export const booleanOperators: readonly OperatorRow[] = [
  junction('$and', false),
  junction('$or', true),
  unary('$not', (value) => (isTruthy(value) ? falseValue : trueValue)),
  { name: '$cond', readsRoot: false, compile: compileCond },
  { name: '$ifNull', readsRoot: false, compile: compileIfNull },
  { name: '$switch', readsRoot: false, compile: compileSwitch },
]
