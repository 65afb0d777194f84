// Variables: `$$name`, $let, and $literal, whose operand is not parsed as an expression. The scope
// assigns each variable a slot.

import { fail } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { Elements } from '../../value/elements.js'
import { expressionValue, type FieldPath, parsePath } from '../../value/path.js'
import { bsonType, dateValue, type Value } from '../../value/value.js'
import {
  Constant,
  type Env,
  type Expression,
  location,
  missing,
  namedArguments,
  type OperatorRow,
  type Result,
  type Scope,
} from './operator.js'

/** `$a.b`, from the document. */
class RootPath implements Expression {
  constructor(private readonly path: FieldPath) {}

  evaluate(env: Env): Result {
    work.spend(1)
    return expressionValue(env.root, this.path)
  }
}

/** `$$name` or `$$name.a.b`. */
class VariablePath implements Expression {
  constructor(
    private readonly read: (env: Env) => Result,
    private readonly path: FieldPath | undefined,
  ) {}

  evaluate(env: Env): Result {
    const value = this.read(env)
    if (value === undefined || this.path === undefined) return value
    return expressionValue(value, this.path)
  }
}

/** Work units to check a path and make its expression, beside splitting it: 0.5 µs. */
const compiledPathUnits = 5

/** Compiles a string that starts with `$`: a field path or a variable. */
export function compilePath(text: string, scope: Scope): Expression {
  work.spend(compiledPathUnits)
  if (text.startsWith('$$')) return compileVariable(text.slice(2), scope)
  const path = text.slice(1)
  if (path === '') throw location(16872, "'$' by itself is not a valid FieldPath")
  requireFieldPath(path)
  const current = scope.slotOf('CURRENT')
  if (current === undefined) return new RootPath(parsePath(path))
  return new VariablePath((env) => env.slots[current], parsePath(path))
}

function compileVariable(text: string, scope: Scope): Expression {
  if (text === '') throw fail('FailedToParse', 'empty variable names are not allowed')
  const dot = text.indexOf('.')
  const name = dot < 0 ? text : text.slice(0, dot)
  const path = dot < 0 ? undefined : text.slice(dot + 1)
  if (path !== undefined) requireFieldPath(path)
  const rest = path === undefined ? undefined : parsePath(path)
  if (name === 'REMOVE') return missing
  return new VariablePath(readerOf(name, scope), rest)
}

function readerOf(name: string, scope: Scope): (env: Env) => Result {
  const slot = scope.slotOf(name)
  if (slot !== undefined) return (env) => env.slots[slot]
  switch (name) {
    case 'ROOT':
    case 'CURRENT':
      return (env) => env.root
    case 'NOW':
      return (env) => dateValue(env.now)
    case 'CLUSTER_TIME':
      throw location(51144, "Builtin variable '$$CLUSTER_TIME' is not available")
    default:
      requireVariableName(name, false)
      if (!scope.context.variables.has(name)) {
        throw location(17276, `Use of undefined variable: ${name}`)
      }
      return (env) => env.variables.get(name)
  }
}

/** Checks a dotted field path, without its `$`. */
export function requireFieldPath(path: string): void {
  if (path.endsWith('.')) throw location(40353, "FieldPath must not end with a '.'.")
  for (const part of path.split('.')) requireFieldName(part)
}

/** Checks one field name; the caller handles dots. */
export function requireFieldName(name: string): void {
  if (name === '') throw location(15998, 'FieldPath field names may not be empty strings.')
  if (name.startsWith('$')) {
    throw location(
      16410,
      "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    )
  }
  if (name.includes('\0')) {
    throw location(16411, 'FieldPath field names may not contain null bytes.')
  }
}

/** Checks a variable name that is declared by `let` or `as`, or (`isDeclared` false) used. */
export function requireVariableName(name: string, isDeclared = true): void {
  if (name === '') throw fail('FailedToParse', 'empty variable names are not allowed')
  if (isDeclared ? /^[^a-z\u0080-\uffff]/.test(name) : /^[^a-zA-Z\u0080-\uffff]/.test(name)) {
    throw fail(
      'FailedToParse',
      `'${name}' starts with an invalid character for a user variable name`,
    )
  }
  const bad = /[^a-zA-Z0-9_\u0080-\uffff]/.exec(name)
  if (bad !== null) {
    throw fail(
      'FailedToParse',
      `'${name}' contains an invalid character for a variable name: '${bad[0]}'`,
    )
  }
}

class Let implements Expression {
  constructor(
    private readonly bindings: readonly { slot: number; expression: Expression }[],
    private readonly body: Expression,
  ) {}

  evaluate(env: Env): Result {
    work.spend(this.bindings.length)
    for (const { slot, expression } of this.bindings) env.slots[slot] = expression.evaluate(env)
    return this.body.evaluate(env)
  }
}

function compileLet(operand: Value, scope: Scope): Expression {
  const given = namedArguments(operand, {
    notObject: [16874, '$let only supports an object as its argument'],
    unknown: (name) => [16875, `Unrecognized parameter to $let: ${name}`],
    required: {
      vars: [16876, "Missing 'vars' parameter to $let"],
      in: [16877, "Missing 'in' parameter to $let"],
    },
  })
  const vars = given.get('vars') as Value
  if (vars.type !== bsonType.object) {
    throw location(10065, 'invalid parameter: expected an object (vars)')
  }
  const names: string[] = []
  const expressions: Expression[] = []
  const elements = new Elements(vars.bytes, vars.start)
  while (elements.next()) {
    const name = elements.name()
    if (name !== 'CURRENT') requireVariableName(name)
    names.push(name)
    expressions.push(scope.compile(elements.value()))
  }
  const inner = scope.bind(names)
  const body = inner.scope.compile(given.get('in') as Value)
  if (body instanceof Constant) return body
  const bindings = expressions.map((expression, i) => ({
    slot: inner.slots[i] as number,
    expression,
  }))
  return new Let(bindings, body)
}

export const variableOperators: readonly OperatorRow[] = [
  { name: '$let', readsRoot: false, compile: compileLet },
  { name: '$literal', readsRoot: false, compile: (operand) => new Constant(operand) },
  { name: '$const', readsRoot: false, compile: (operand) => new Constant(operand) },
]
