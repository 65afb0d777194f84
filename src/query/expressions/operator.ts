// What every operator of the expression language is built from: the evaluator interface, the scope
// that knows variables while compiling, the environment that holds them while evaluating, and the
// builders of operator rows. Families import this file; only ../expression.ts knows all families.

import { type CodeName, fail, type GatewayError } from '../../base/errors.js'
import { expressionBytesMax, expressionDepthMax } from '../../base/limits.js'
import { isTooMuchWork, work } from '../../base/work/work-budget.js'
import { bytesPerUnit, compiledUnits } from '../../base/work/work-figures.js'
import type { Collation } from '../../value/collation/collation.js'
import { Elements, elementsOf } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { shellText } from '../../value/shell.js'
import { bsonType, documentValue, stringOf, Value } from '../../value/value.js'
import type { QueryContext } from '../context.js'

/** The value of an expression; undefined is the missing value, which fields are left out for. */
export type Result = Value | undefined

export interface Expression {
  evaluate(env: Env): Result
}

/** What expressions see while they are evaluated. One environment serves many documents in turn. */
export class Env {
  /** $$ROOT; set for each document. */
  root: Value
  /** The command's `let` and a $lookup's, by name without `$$`. */
  readonly variables: ReadonlyMap<string, Value>
  /** $$NOW, milliseconds since 1970. */
  readonly now: number
  /** How strings compare; undefined: by their bytes. */
  readonly collation: Collation | undefined
  /** Variables bound inside the expression, at the slots that the scope gave them. */
  readonly slots: Result[] = []

  constructor(
    root: Value,
    variables: ReadonlyMap<string, Value>,
    now: number,
    collation?: Collation,
  ) {
    this.root = root
    this.variables = variables
    this.now = now
    this.collation = collation
  }

  /** Counts one turn of an operator's loop. Throws beyond what one document may cost. */
  step(): void {
    work.spend(1)
  }
}

type Compile = (expression: Value, scope: Scope) => Expression

/** What all scopes of one compilation share. */
interface Compilation {
  readonly compile: Compile
  readonly context: QueryContext
  depth: number
  slots: number
  seeds: number
}

/** The variables that are declared where an expression stands. */
export class Scope {
  private constructor(
    private readonly shared: Compilation,
    private readonly bound: ReadonlyMap<string, number>,
  ) {}

  static open(context: QueryContext, compile: Compile): Scope {
    return new Scope({ compile, context, depth: 0, slots: 0, seeds: 0 }, new Map())
  }

  get context(): QueryContext {
    return this.shared.context
  }

  /** The evaluator of an operand. Throws Overflow beyond `expressionDepthMax`. */
  compile(expression: Value): Expression {
    const { shared } = this
    if (shared.depth >= expressionDepthMax) {
      throw fail('Overflow', `expressions nest deeper than ${expressionDepthMax} levels`)
    }
    work.spend(compiledUnits)
    shared.depth++
    try {
      return shared.compile(expression, this)
    } finally {
      shared.depth--
    }
  }

  /** A scope within this one that declares `names`, and the slots that hold them. */
  bind(names: readonly string[]): { scope: Scope; slots: number[] } {
    const bound = new Map(this.bound)
    const slots = names.map((name) => {
      const slot = this.shared.slots++
      bound.set(name, slot)
      return slot
    })
    return { scope: new Scope(this.shared, bound), slots }
  }

  slotOf(name: string): number | undefined {
    return this.bound.get(name)
  }

  /** 32 bits for a generator of this command's: another for each call, the same in a re-run. */
  seed(): number {
    const { shared } = this
    const id = shared.context.objectId(0)
    let hash = Math.imul(++shared.seeds, 0x9e3779b9) ^ (shared.context.now | 0)
    for (const byte of id) hash = Math.imul(hash ^ byte, 0x01000193)
    return hash
  }
}

/** A value that does not depend on the document. */
export class Constant implements Expression {
  readonly value: Result

  constructor(value: Result) {
    this.value = value
  }

  evaluate(): Result {
    return this.value
  }
}

export const missing = new Constant(undefined)

/** `{}`: the root of what is evaluated without a document. */
export const emptyObject = documentValue(Uint8Array.of(5, 0, 0, 0, 0))

/** A row of the operator tables. */
export interface OperatorRow {
  /** With its `$`. */
  readonly name: string
  /** Least and most operands; undefined where the operand is an object of named arguments. */
  readonly arity?: readonly [least: number, most: number]
  compile(operand: Value, scope: Scope): Expression
}

type Apply = (values: Result[], env: Env) => Result

class Unary implements Expression {
  constructor(
    private readonly apply: (a: Result, env: Env) => Result,
    private readonly operand: Expression,
  ) {}

  evaluate(env: Env): Result {
    work.spend(1)
    return this.apply(this.operand.evaluate(env), env)
  }
}

class Binary implements Expression {
  constructor(
    private readonly apply: (a: Result, b: Result, env: Env) => Result,
    private readonly left: Expression,
    private readonly right: Expression,
  ) {}

  evaluate(env: Env): Result {
    work.spend(1)
    return this.apply(this.left.evaluate(env), this.right.evaluate(env), env)
  }
}

class Call implements Expression {
  constructor(
    private readonly apply: Apply,
    private readonly operands: readonly Expression[],
  ) {}

  evaluate(env: Env): Result {
    const { operands } = this
    work.spend(1 + operands.length)
    const values = new Array<Result>(operands.length)
    for (let i = 0; i < operands.length; i++) values[i] = (operands[i] as Expression).evaluate(env)
    return this.apply(values, env)
  }
}

/** `apply` over its operands' values; computed at once when they are all constant. */
export function call(
  apply: Apply,
  operands: readonly Expression[],
  collation?: Collation,
): Expression {
  return fold(new Call(apply, operands), operands, collation)
}

/** The expression, or its value when nothing that it reads depends on the document. */
export function fold(
  expression: Expression,
  operands: readonly Expression[],
  collation?: Collation,
): Expression {
  if (!operands.every((operand) => operand instanceof Constant)) return expression
  try {
    const env = new Env(emptyObject, new Map(), 0, collation)
    return new Constant(work.tentatively(() => expression.evaluate(env)))
  } catch (error) {
    // Too much for the reading of a request is computed with the documents, in their time.
    if (isTooMuchWork(error)) return expression
    throw error
  }
}

/** An operator of one operand, given as such or as an array of one. */
export function unary(name: string, apply: (a: Result, env: Env) => Result): OperatorRow {
  const arity = [1, 1] as const
  return {
    name,
    arity,
    compile: (operand, scope) => {
      const operands = operandsOf(name, arity, operand, scope)
      return fold(new Unary(apply, operands[0] as Expression), operands, scope.context.collation)
    },
  }
}

export function binary(
  name: string,
  apply: (a: Result, b: Result, env: Env) => Result,
): OperatorRow {
  const arity = [2, 2] as const
  return {
    name,
    arity,
    compile: (operand, scope) => {
      const operands = operandsOf(name, arity, operand, scope)
      const [left, right] = operands as [Expression, Expression]
      return fold(new Binary(apply, left, right), operands, scope.context.collation)
    },
  }
}

/** An operator of `least` to `most` operands, all evaluated before `apply`. */
export function ranged(name: string, least: number, most: number, apply: Apply): OperatorRow {
  const arity = [least, most] as const
  return {
    name,
    arity,
    compile: (operand, scope) =>
      call(apply, operandsOf(name, arity, operand, scope), scope.context.collation),
  }
}

export function variadic(name: string, apply: Apply): OperatorRow {
  return ranged(name, 0, Number.POSITIVE_INFINITY, apply)
}

/** The operands as given: the elements of an array, or the one operand that stands alone. */
export function operandsOf(
  name: string,
  arity: readonly [least: number, most: number],
  operand: Value,
  scope: Scope,
): Expression[] {
  const given = operand.type === bsonType.array ? elementsOf(operand) : [operand]
  const [least, most] = arity
  if (given.length < least || given.length > most) {
    if (least === most) {
      throw location(
        16020,
        `Expression ${name} takes exactly ${least} arguments. ${given.length} were passed in.`,
      )
    }
    const wanted =
      most === Number.POSITIVE_INFINITY
        ? `at least ${least} arguments`
        : `at least ${least} arguments, and at most ${most}`
    throw location(28667, `Expression ${name} takes ${wanted}, but ${given.length} were passed in.`)
  }
  return given.map((value) => scope.compile(value))
}

/** How an operator of named arguments refuses what it is given: a code and a text for each case. */
export interface NamedArguments {
  readonly notObject: Refusal
  readonly unknown: (name: string) => Refusal
  readonly required: Readonly<Record<string, Refusal>>
  readonly optional?: readonly string[]
}

type Refusal = readonly [code: CodeName | number, text: string]

/** The arguments as they stand, by name. */
export function namedArguments(operand: Value, rules: NamedArguments): Map<string, Value> {
  if (operand.type !== bsonType.object) throw refuse(rules.notObject)
  const given = new Map<string, Value>()
  const elements = new Elements(operand.bytes, operand.start)
  while (elements.next()) {
    const name = elements.name()
    if (!Object.hasOwn(rules.required, name) && rules.optional?.includes(name) !== true) {
      throw refuse(rules.unknown(name))
    }
    given.set(name, elements.value())
  }
  for (const [name, refusal] of Object.entries(rules.required)) {
    if (!given.has(name)) throw refuse(refusal)
  }
  return given
}

/** As namedArguments, compiled in `scope`, in the order of `names`; what is absent is missing. */
export function compileNamed(
  operand: Value,
  scope: Scope,
  rules: NamedArguments,
  names: readonly string[],
): Expression[] {
  const given = namedArguments(operand, rules)
  return names.map((name) => {
    const value = given.get(name)
    return value === undefined ? missing : scope.compile(value)
  })
}

/** The texts that most operators share: "$op found an unknown argument: x" and the like. */
export function usualRules(
  name: string,
  codes: { notObject: number; unknown: number; required: Readonly<Record<string, number>> },
  optional: readonly string[] = [],
): (operand: Value) => NamedArguments {
  return (operand) => ({
    notObject: [
      codes.notObject,
      `${name} requires an object as an argument, found: ${typeName(operand)}`,
    ],
    unknown: (argument) => [codes.unknown, `${name} found an unknown argument: ${argument}`],
    required: Object.fromEntries(
      Object.entries(codes.required).map(([argument, code]) => [
        argument,
        [code, `${name} requires '${argument}' to be specified`] as const,
      ]),
    ),
    optional,
  })
}

function refuse([code, text]: Refusal): GatewayError {
  return typeof code === 'number' ? location(code, text) : fail(code, text)
}

/** An error of the reference server's numbered codes that have no name. */
export function location(code: number, text: string): GatewayError {
  return fail(`Location${code}`, text)
}

/** Refuses to let a value grow beyond `expressionBytesMax`. */
export function requireRoom(bytes: number): void {
  if (bytes > expressionBytesMax) {
    throw fail('BSONObjectTooLarge', `an expression made a value of ${bytes} bytes`)
  }
}

/** Missing, null or undefined: what most operators answer null for. */
export function isNullish(value: Result): value is undefined {
  return value === undefined || value.isNullish
}

const typeNames = new Map<number, string>([
  [bsonType.double, 'double'],
  [bsonType.string, 'string'],
  [bsonType.object, 'object'],
  [bsonType.array, 'array'],
  [bsonType.binary, 'binData'],
  [bsonType.undefined, 'undefined'],
  [bsonType.objectId, 'objectId'],
  [bsonType.bool, 'bool'],
  [bsonType.date, 'date'],
  [bsonType.null, 'null'],
  [bsonType.regex, 'regex'],
  [bsonType.dbPointer, 'dbPointer'],
  [bsonType.code, 'javascript'],
  [bsonType.symbol, 'symbol'],
  [bsonType.codeWithScope, 'javascriptWithScope'],
  [bsonType.int32, 'int'],
  [bsonType.timestamp, 'timestamp'],
  [bsonType.int64, 'long'],
  [bsonType.decimal128, 'decimal'],
  [bsonType.minKey, 'minKey'],
  [bsonType.maxKey, 'maxKey'],
])

/** The name of a value's type, as $type and error texts spell it. */
export function typeName(value: Result): string {
  return value === undefined ? 'missing' : (typeNames.get(value.type) ?? 'unknown')
}

/** A value in an error text; what is long is cut, so that no text outgrows its message. */
export function valueText(value: Result): string {
  if (value === undefined) return 'MISSING'
  const text = shellText(value)
  return text.length > 400 ? `${text.slice(0, 400)}...` : text
}

/** A number that is a whole 32-bit one, else undefined. */
export function int32Of(value: Value): number | undefined {
  const whole = value.isNumber ? integerOf(value) : undefined
  return whole !== undefined && whole === (whole | 0) ? whole : undefined
}

/** False are: missing, null, undefined, false and zero; all else is true, also empty strings. */
export function isTruthy(value: Result): boolean {
  if (value === undefined) return false
  if (value.type === bsonType.bool) return value.bytes[value.start] === 1
  if (value.isNullish) return false
  return !value.isNumber || !isZero(value)
}

function isZero(value: Value): boolean {
  return integerOf(value) === 0
}

/** The text of a string or symbol value, else undefined. */
export function textIn(value: Result): string | undefined {
  const isText = value?.type === bsonType.string || value?.type === bsonType.symbol
  if (!isText) return undefined
  spendBytes(value)
  return stringOf(value)
}

/** Counts what it costs to read a value's bytes. */
export function spendBytes({ start, end }: Value): void {
  if (end - start > bytesPerUnit) work.spend((end - start) / bytesPerUnit)
}

/** The value over bytes of its own, copied also out of a Buffer, whose slices are views. */
export function copyOf(value: Value): Value {
  const bytes = new Uint8Array(value.bytes.subarray(value.start, value.end))
  return new Value(value.type, bytes, 0, bytes.length)
}
