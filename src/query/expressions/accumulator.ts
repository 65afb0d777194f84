// What an accumulator is: a state per group, fed with the value of one expression for each
// document.

import { fail } from '../../base/errors.js'
import { blockingBytesMax } from '../../base/limits.js'
import type { Value } from '../../value/value.js'
import type { Env, Expression, Result, Scope } from './operator.js'

/** One group's state. */
export interface Accumulator {
  add(value: Result): void
  /** Missing results are null in the group's document. */
  result(): Result
  /** Bytes of the values that are kept; a state of fixed size holds none. */
  readonly bytesHeld: number
  /** The state as a value, for `absorb` of a state of the same kind: $group spills it. */
  save(): Value
  /** Takes in what another state has saved, whose documents came after this one's. */
  absorb(saved: Value): void
}

/** An accumulator of one $group field: what is evaluated for each document, and the states. */
export interface AccumulatorPlan {
  readonly input: Expression
  /** `create` looks at the group: its `n` is no constant. */
  readonly seesGroup?: boolean
  /** `group` has the group's `_id` as its root, if it is to be seen. */
  create(group: Env): Accumulator
}

export interface AccumulatorRow {
  /** With its `$`. */
  readonly name: string
  compile(operand: Value, scope: Scope): AccumulatorPlan
}

/** Refuses what a list of values in one group may not hold, on disk or not (reference server). */
export function requireListMemory(name: string, bytes: number): void {
  if (bytes <= blockingBytesMax) return
  const limit = `Memory limit: ${blockingBytesMax} bytes`
  throw fail(
    'ExceededMemoryLimit',
    `${name} used too much memory and cannot spill to disk. ${limit}`,
  )
}

/** Bytes that a kept value costs beside its payload. */
const valueOverheadBytes = 64

export function bytesOf(value: Value): number {
  return value.end - value.start + valueOverheadBytes
}
