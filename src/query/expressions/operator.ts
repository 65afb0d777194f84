// The basis of all expression operators: the evaluator interface, the scope of variables at compile
// time, the environment at run time, and builders of rows. Families import this file; only
// ../expression.ts imports the families.

import { type Bytes, textUnits } from '../../base/bytes/bytes.js'
import { type CodeName, fail, type GatewayError } from '../../base/errors.js'
import { expressionBytesMax, expressionDepthMax } from '../../base/limits/documents.js'
import { isTooMuchWork, work } from '../../base/work/work-budget.js'
import { bytesPerUnit, compiledUnits, freshBytesPerUnit } from '../../base/work/work-figures.js'
import type { Collation } from '../../value/collation/collation.js'
import { Elements, elementsOf } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { shortShellText } from '../../value/shell.js'
import { bsonType, documentValue, stringOf, Value } from '../../value/value.js'
import type { QueryContext } from '../context.js'

/** The value of an expression. Undefined means missing: the field is then omitted. */
export type Result = Value | undefined

export interface Expression {
  evaluate(env: Env): Result
}

/** The environment of an evaluation; one environment serves many documents in turn. */
export class Env {
  /** $$ROOT; set per document. */
  root: Value
  /** Variables of the command's `let` and of a $lookup, by name without `$$`. */
  readonly variables: ReadonlyMap<string, Value>
  /** $$NOW, milliseconds since 1970. */
  readonly now: number
  /** The collation of strings; undefined compares their bytes. */
  readonly collation: Collation | undefined
  /** Values of variables that expressions bind, in the slots that the scope assigned. */
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

  /** Counts one iteration of an operator's loop. Throws above the bound for one document. */
  step(): void {
    work.spend(1)
  }
}

type Compile = (expression: Value, scope: Scope) => Expression

/** State that all scopes of one compilation share. */
interface Compilation {
  readonly compile: Compile
  readonly context: QueryContext
  depth: number
  slots: number
  seeds: number
}

/** The variables that an expression may use. */
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

  /** Compiles an operand. Throws Overflow beyond `expressionDepthMax`. */
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

  /** A nested scope that declares `names`, and their slots. */
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

  /** A 32-bit seed for a generator: different for each call, equal in a second run. */
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

/** `{}`: the root of an evaluation without a document. */
export const emptyObject = documentValue(Uint8Array.of(5, 0, 0, 0, 0))

/** A row of the operator tables. */
export interface OperatorRow {
  /** With its `$`. */
  readonly name: string
  /** Whether it reads the document without a `$` path. */
  readonly readsRoot: boolean
  /** Minimum and maximum number of operands; undefined for an object of named arguments. */
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

/** Applies a function to the values of its operands; computed at once if all are constant. */
export function call(
  apply: Apply,
  operands: readonly Expression[],
  collation?: Collation,
): Expression {
  return fold(new Call(apply, operands), operands, collation)
}

/** The expression, or its value if it does not depend on the document. */
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
    // A constant that exceeds the budget of compiling is computed with the documents instead.
    if (isTooMuchWork(error)) return expression
    throw error
  }
}

/** An operator of one operand, given directly or as an array of one. */
export function unary(name: string, apply: (a: Result, env: Env) => Result): OperatorRow {
  const arity = [1, 1] as const
  return {
    name,
    readsRoot: false,
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
    readsRoot: false,
    arity,
    compile: (operand, scope) => {
      const operands = operandsOf(name, arity, operand, scope)
      const [left, right] = operands as [Expression, Expression]
      return fold(new Binary(apply, left, right), operands, scope.context.collation)
    },
  }
}

/** An operator of `least` to `most` operands, all evaluated first. */
export function ranged(name: string, least: number, most: number, apply: Apply): OperatorRow {
  const arity = [least, most] as const
  return {
    name,
    readsRoot: false,
    arity,
    compile: (operand, scope) =>
      call(apply, operandsOf(name, arity, operand, scope), scope.context.collation),
  }
}

export function variadic(name: string, apply: Apply): OperatorRow {
  return ranged(name, 0, Number.POSITIVE_INFINITY, apply)
}

/** The operands: the elements of an array, or a single operand. */
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

/** The errors of an operator with named arguments: a code and a text per case. */
export interface NamedArguments {
  readonly notObject: Refusal
  readonly unknown: (name: string) => Refusal
  readonly required: Readonly<Record<string, Refusal>>
  readonly optional?: readonly string[]
}

type Refusal = readonly [code: CodeName | number, text: string]

/** The arguments by name, not compiled. */
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

/** As namedArguments, compiled in `scope`, in the order of `names`; an absent one is missing. */
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

/** The texts that most operators use: "$op found an unknown argument: x" and similar. */
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

/** An error with one of MongoDB's numbered codes that have no name. */
export function location(code: number, text: string): GatewayError {
  return fail(`Location${code}`, text)
}

/** Throws if a value would exceed `expressionBytesMax`. */
export function requireRoom(bytes: number): void {
  if (bytes > expressionBytesMax) {
    throw fail('BSONObjectTooLarge', `an expression made a value of ${bytes} bytes`)
  }
}

/** Up to this size, a copy costs no new pages. */
const cheapCopyBytesMax = 64 * 1024

/** Counts a copy of a value that an expression may repeat. */
export function spendOnCopy({ start, end }: Value): void {
  const size = end - start
  if (size <= bytesPerUnit) return
  work.spend(size / (size > cheapCopyBytesMax ? freshBytesPerUnit : bytesPerUnit))
}

/** Missing, null or undefined; most operators then return null. */
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

/** The name of a value's type, as in $type and error texts. */
export function typeName(value: Result): string {
  return value === undefined ? 'missing' : (typeNames.get(value.type) ?? 'unknown')
}

/** A value in an error text, shortened if it is long. */
export function valueText(value: Result): string {
  if (value === undefined) return 'MISSING'
  const text = shortShellText(value, 400)
  return text.length > 400 ? `${text.slice(0, 400)}...` : text
}

/** The number if it is a whole number of 32 bits, else undefined. */
export function int32Of(value: Value): number | undefined {
  const whole = value.isNumber ? integerOf(value) : undefined
  return whole !== undefined && whole === (whole | 0) ? whole : undefined
}

/**
 * Missing, null, undefined, false and zero are false; everything else is true, also empty strings.
 */
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
  work.spend(textUnits(value.bytes, value.start + 4, value.end - 1))
  return stringOf(value)
}

/** As textIn, as UTF-8: nothing is decoded. */
export function utf8In(value: Result): Bytes | undefined {
  const isText = value?.type === bsonType.string || value?.type === bsonType.symbol
  return isText ? value.bytes.subarray(value.start + 4, value.end - 1) : undefined
}

/**
 * The value with its own copy of its bytes. A Buffer is copied too, because its slices are views.
 */
export function copyOf(value: Value): Value {
  const bytes = new Uint8Array(value.bytes.subarray(value.start, value.end))
  return new Value(value.type, bytes, 0, bytes.length)
}
