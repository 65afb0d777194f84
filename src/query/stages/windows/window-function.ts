// What a function of $setWindowFields is: compiled once, then asked for one column of each
// partition, a value for every document of it.

import { fail, type GatewayError } from '../../../base/errors.js'
import { numberOf } from '../../../value/numbers.js'
import { type Document, documentValue, type Value } from '../../../value/value.js'
import type { Env, Expression, Result } from '../../expressions/operator.js'
import type { StageCompiler } from '../stage.js'
import type { Sorting, SortValues } from './window-bounds.js'

/** One partition, in order. */
export interface Partition {
  readonly documents: readonly Document[]
  /** Values of the one field that it is sorted by; empty where it is not sorted by one. */
  readonly sortedBy: SortValues
  /** Counts bytes that are held for it; throws where the stage holds too much. */
  readonly hold: (bytes: number) => void
}

/** What a column's value costs beside its payload. */
const valueOverheadBytes = 16

/** A column as far as it is made: clients' expressions decide how large its values are. */
export class ColumnValues {
  readonly values: Result[] = []

  constructor(private readonly partition: Partition) {}

  push(value: Result): void {
    const payload = value === undefined ? 0 : value.end - value.start
    this.partition.hold(payload + valueOverheadBytes)
    this.values.push(value)
  }
}

/** Yields as `Transform.finish` after each bounded step; answers a value for each document. */
export type Column = Generator<unknown, Result[], void>

/** The number that an expression is of each document of a partition, evaluated at most once. */
export class NumberColumn {
  private readonly numbers: (number | undefined)[] = []

  constructor(
    private readonly documents: readonly Document[],
    private readonly expression: Expression,
    private readonly env: Env,
  ) {}

  /** Undefined where it is no number. */
  at(index: number): number | undefined {
    const { numbers, env } = this
    if (index in numbers) return numbers[index]
    env.root = documentValue(this.documents[index] as Document)
    const value = this.expression.evaluate(env)
    const number = value?.isNumber === true ? numberOf(value) : undefined
    numbers[index] = number
    return number
  }
}

export interface WindowFunction {
  column(partition: Partition, env: Env): Column
}

/** What a function is compiled with. */
export interface WindowContext extends Sorting {
  readonly name: string
  readonly operand: Value
  readonly window: Value | undefined
  readonly compiler: StageCompiler
}

export type CompileFunction = (context: WindowContext) => WindowFunction

export function refuseFunction(text: string): GatewayError {
  return fail('FailedToParse', text)
}
