// A function of $setWindowFields: compiled once, then called for one column of each partition, with
// a value for every document.

import { fail, type GatewayError } from '../../../base/errors.js'
import { stepDocumentsMax } from '../../../base/limits/engine.js'
import { work } from '../../../base/work/work-budget.js'
import { numberOf } from '../../../value/numbers.js'
import { type Document, documentValue, nullValue, type Value } from '../../../value/value.js'
import { jobThen } from '../../detached.js'
import type { Env, Expression, Result } from '../../expressions/operator.js'
import type { StageCompiler } from '../stage.js'
import type { Sorting, SortValues, WindowBounds, WindowSpan } from './window-bounds.js'

/** One partition, in order. */
export interface Partition {
  readonly documents: readonly Document[]
  /** Values of its only sort field; empty with several or none. */
  readonly sortedBy: SortValues
  /** Counts held bytes; throws if the stage holds too much. */
  readonly hold: (bytes: number) => void
}

/** Work units of one document of a window or column: 0.4 µs, so that its pauses come in time. */
export const columnUnits = 4
/** Work units of one point of a window, whose numbers are known: 0.1 µs. */
export const pointUnits = 1
/** Memory of a column's value beside its payload, bytes. */
const valueOverheadBytes = 16

/**
 * The finished part of a column. Its size is counted, because clients' expressions determine it.
 */
export class ColumnValues {
  readonly values: Result[] = []

  constructor(private readonly partition: Partition) {}

  push(value: Result): void {
    const payload = value === undefined ? 0 : value.end - value.start
    work.note(columnUnits)
    this.partition.hold(payload + valueOverheadBytes)
    this.values.push(value)
  }

  /** The value of the document before, which holds no memory again. */
  repeat(value: Value): void {
    work.note(columnUnits)
    this.partition.hold(valueOverheadBytes)
    this.values.push(value)
  }
}

/** Yields after each bounded step, as `Transform.finish`; returns a value for each document. */
export type Column = Generator<unknown, Result[], void>

/** A column made in one pass: `add` is called with the value of `input` of each document. */
export function* columnOf(
  input: Expression,
  partition: Partition,
  env: Env,
  add: (column: ColumnValues, value: Result, index: number) => void,
): Column {
  const column = new ColumnValues(partition)
  for (const [i, document] of partition.documents.entries()) {
    env.root = documentValue(document)
    let value: Result
    try {
      value = input.evaluate(env)
    } catch (error) {
      value = yield* jobThen(error, () => input.evaluate(env))
    }
    add(column, value, i)
    if (i % stepDocumentsMax === stepDocumentsMax - 1 || work.isDue) yield
  }
  return column.values
}

/** A column of one result for each window. Windows that are equal have one result. */
export function* columnOfWindows(
  partition: Partition,
  bounds: WindowBounds,
  of: (span: WindowSpan) => Generator<unknown, Value, void>,
): Column {
  const { documents, sortedBy } = partition
  const spanOf = bounds.spans(documents.length, sortedBy)
  const column = new ColumnValues(partition)
  let before: WindowSpan | undefined
  let result: Value = nullValue
  for (let i = 0; i < documents.length; i++) {
    const span = spanOf(i)
    if (before?.from === span.from && before.to === span.to) column.repeat(result)
    else {
      result = yield* of(span)
      column.push(result)
      before = span
    }
    if (i % stepDocumentsMax === stepDocumentsMax - 1 || work.isDue) yield
  }
  return column.values
}

/** The numeric value of an expression per document, evaluated at most once each. */
export class NumberColumn {
  private readonly numbers: (number | undefined)[] = []

  constructor(
    private readonly documents: readonly Document[],
    private readonly expression: Expression,
    private readonly env: Env,
  ) {}

  /** Undefined if it is not a number. */
  at(index: number): number | undefined {
    const { numbers, env } = this
    if (index in numbers) return numbers[index]
    env.root = documentValue(this.documents[index] as Document)
    const value = this.expression.evaluate(env)
    const number = value?.isNumber === true ? numberOf(value) : undefined
    numbers[index] = number
    return number
  }

  /** Evaluates all, with pauses: then `at` needs no thread. */
  *read(): Generator<unknown, void, void> {
    for (let i = 0; i < this.documents.length; i++) {
      try {
        this.at(i)
      } catch (error) {
        yield* jobThen(error, () => this.at(i))
      }
      work.note(columnUnits)
      if (work.isDue) yield
    }
  }
}

export interface WindowFunction {
  column(partition: Partition, env: Env): Column
}

/** The context in which a function is compiled. */
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
