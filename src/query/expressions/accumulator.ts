// What an accumulator is: a state per group, fed with the value of one expression for each
// document.

import type { Value } from '../../value/value.js'
import type { Env, Expression, Result, Scope } from './operator.js'

/** One group's state. */
export interface Accumulator {
  add(value: Result): void
  /** Missing results are null in the group's document. */
  result(): Result
  /** Bytes of the values that are kept; a state of fixed size holds none. */
  readonly bytesHeld: number
}

/** An accumulator of one $group field: what is evaluated for each document, and the states. */
export interface AccumulatorPlan {
  readonly input: Expression
  /** `group` has the group's `_id` as its root: `n` may depend on it. */
  create(group: Env): Accumulator
}

export interface AccumulatorRow {
  /** With its `$`. */
  readonly name: string
  compile(operand: Value, scope: Scope): AccumulatorPlan
}

/** Bytes that a kept value costs beside its payload. */
const valueOverheadBytes = 64

export function bytesOf(value: Value): number {
  return value.end - value.start + valueOverheadBytes
}
