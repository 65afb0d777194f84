// What a function of $setWindowFields is: compiled once, then asked for one column of each
// partition, a value for every document of it.

import { fail, type GatewayError } from '../../base/errors.js'
import type { Document, Value } from '../../value/value.js'
import type { Env, Result } from '../expressions/operator.js'
import type { StageCompiler } from './stage.js'
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

/** A column as far as it is made: strangers' expressions decide how large its values are. */
export class ColumnValues {
  readonly values: Result[] = []

  constructor(private readonly partition: Partition) {}

  push(value: Result): void {
    const payload = value === undefined ? 0 : value.end - value.start
    this.partition.hold(payload + valueOverheadBytes)
    this.values.push(value)
  }
}

/** Yields after each bounded step; answers a value for each document. */
export type Column = Generator<void, Result[], void>

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
