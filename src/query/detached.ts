// Heavy documents: if a function of one document exceeds the work budget, a thread without that
// budget compiles and computes it again (detached-recipes.ts). The error carries a job. A program
// that can wait runs the job and calls the function again, which then has the answer. Elsewhere the
// error is thrown. (docs/design/transactions.md, rule 1)

import type { Bytes } from '../base/bytes/bytes.js'
import { type CodeName, type ErrorExtra, GatewayError } from '../base/errors.js'
import { isTooMuchWork, work } from '../base/work/work-budget.js'
import { type Document, Value } from '../value/value.js'
import { writeDocument } from '../value/writer.js'
import type { QueryContext } from './context.js'
import { Constant, type Env, type Expression, type Result } from './expressions/operator.js'
import { declaredIn } from './variables.js'

/** A context as plain data. */
export interface ContextData {
  readonly now: number
  readonly variables: readonly (readonly [name: string, value: ValueData])[]
  /** Declared variables, missing ones included. */
  readonly declared: readonly string[]
  readonly id: Bytes
  readonly collation: Bytes | undefined
  readonly throughView: boolean
}

interface ValueData {
  readonly type: number
  readonly bytes: Bytes
}

/** Plain data from which a function is rebuilt. `stage` is a document with only that stage. */
export type RecipeData = { readonly context: ContextData } & (
  | { readonly kind: 'stage'; readonly stage: Bytes }
  | { readonly kind: 'inputs'; readonly stage: Bytes }
  | { readonly kind: 'filter'; readonly filter: Bytes }
  | { readonly kind: 'position'; readonly filter: Bytes }
  | {
      readonly kind: 'projection'
      readonly projection: Bytes
      readonly filter: Bytes | undefined
    }
)

export interface FailureData {
  readonly error: CodeName
  readonly message: string
  readonly extra: ErrorExtra
}

/** One result of a function; undefined means missing. */
export type Cell = ValueData | FailureData | undefined

let recipes = 0

/** How a thread rebuilds a function. */
class Recipe {
  readonly id = ++recipes
  private made: RecipeData | undefined

  constructor(private readonly describe: () => RecipeData) {}

  get data(): RecipeData {
    this.made ??= this.describe()
    return this.made
  }
}

/** One document for one recipe. */
export interface DetachedJob {
  readonly recipe: Recipe
  readonly document: Document
  /** Stores the answer for the document in the function. */
  accept(cells: readonly Cell[]): void
  /** Drops the stored answer. */
  forget(): void
}

const jobs = new WeakMap<Error, DetachedJob>()

/** The job of an error; undefined for all other errors. */
export function jobOf(error: unknown): DetachedJob | undefined {
  return error instanceof Error ? jobs.get(error) : undefined
}

/** Attaches a job to an error of the work budget; `keep` gets the answer, or undefined. */
function refused(
  error: unknown,
  recipe: Recipe,
  document: Document,
  keep: (cells: readonly Cell[] | undefined) => void,
): unknown {
  if (!isTooMuchWork(error)) return error
  jobs.set(error as Error, { recipe, document, accept: keep, forget: () => keep(undefined) })
  return error
}

/** For work in steps: yields an error that has a job, then calls `act` again. */
export function* jobThen<T>(refusal: unknown, act: () => T): Generator<unknown, T, void> {
  let error = refusal
  for (;;) {
    if (jobOf(error) === undefined) throw error
    yield error
    try {
      return act()
    } catch (next) {
      error = next
    }
  }
}

/** A function of one document that a thread can compute. */
export class Detachable<Answer> {
  private known: { readonly document: Document; readonly cells: readonly Cell[] } | undefined
  private recipe: Recipe | undefined

  constructor(
    private readonly act: (document: Document) => Answer,
    /** Undefined if a thread cannot rebuild it. */
    private readonly describe: (() => RecipeData) | undefined,
    private readonly read: (cells: readonly Cell[]) => Answer,
  ) {}

  /** Calls the function; an error of the work budget gets a job. */
  of(document: Document): Answer {
    const { known } = this
    if (known !== undefined && known.document === document) return this.read(known.cells)
    if (this.describe === undefined) return this.act(document)
    const bound = work.setApart()
    try {
      return this.act(document)
    } catch (error) {
      this.recipe ??= new Recipe(this.describe)
      throw refused(error, this.recipe, document, (cells) => {
        this.known = cells === undefined ? undefined : { document, cells }
      })
    } finally {
      work.joined(bound)
    }
  }
}

/** The expressions of one stage. A thread computes them together if one exceeds the budget here. */
export class Inputs {
  private readonly expressions: Expression[] = []
  private readonly recipe: Recipe
  /** The answers for the last computed document. */
  known: { readonly document: Document; readonly cells: readonly Cell[] } | undefined

  constructor(describe: () => RecipeData) {
    this.recipe = new Recipe(describe)
  }

  /** Adds an expression; errors of the returned one have a job. */
  add(expression: Expression): Expression {
    if (expression instanceof Constant) return expression
    const at = this.expressions.push(expression) - 1
    return new Input(expression, this, at)
  }

  /** The value or error of each expression. */
  cells(env: Env): readonly Cell[] {
    return this.expressions.map((expression) => cellOf(expression, env))
  }

  /** Whether the answers for a document are stored. */
  knows(document: Document): boolean {
    return this.known?.document === document
  }

  answer(at: number): Result {
    return resultOf(this.known?.cells[at])
  }

  refused(error: unknown, document: Document): unknown {
    return refused(error, this.recipe, document, (cells) => {
      this.known = cells === undefined ? undefined : { document, cells }
    })
  }
}

class Input implements Expression {
  constructor(
    private readonly expression: Expression,
    private readonly inputs: Inputs,
    private readonly at: number,
  ) {}

  evaluate(env: Env): Result {
    const { inputs } = this
    if (inputs.known !== undefined && inputs.knows(env.root.bytes)) return inputs.answer(this.at)
    const bound = work.setApart()
    try {
      return this.expression.evaluate(env)
    } catch (error) {
      throw inputs.refused(error, env.root.bytes)
    } finally {
      work.joined(bound)
    }
  }
}

function cellOf(expression: Expression, env: Env): Cell {
  try {
    const value = expression.evaluate(env)
    return value === undefined ? undefined : dataOf(value)
  } catch (error) {
    if (!(error instanceof GatewayError) || isTooMuchWork(error)) throw error
    return failureOf(error)
  }
}

export function failureOf({ kind, message, extra }: GatewayError): FailureData {
  return { error: kind, message, extra }
}

/** Copies a value to its own bytes, which can be transferred. */
export function dataOf({ type, bytes, start, end }: Value): ValueData {
  return { type, bytes: new Uint8Array(bytes.subarray(start, end)) }
}

/** Throws if the cell is an error. */
export function resultOf(cell: Cell): Result {
  if (cell === undefined) return undefined
  if ('error' in cell) throw new GatewayError(cell.error, cell.message, cell.extra)
  return new Value(cell.type, cell.bytes, 0, cell.bytes.length)
}

export function contextData(context: QueryContext): ContextData {
  const { now, variables, collation, throughView = false } = context
  return {
    now,
    variables: [...variables].map(([name, value]) => [name, dataOf(value)]),
    declared: declaredIn(variables),
    id: new Uint8Array(context.objectId(0)),
    collation: collation === undefined ? undefined : new Uint8Array(collation.spec),
    throughView,
  }
}

/** A document with only this stage. */
export function stageData(name: string, spec: Value): Bytes {
  return new Uint8Array(writeDocument((writer) => writer.value(name, spec)))
}
