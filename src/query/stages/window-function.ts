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
