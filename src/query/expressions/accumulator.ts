// What an accumulator is: a state per group that receives the value of one expression for each
// document.

import { fail } from '../../base/errors.js'
import { Arena } from '../../base/heap/arena.js'
import { blockingBytesMax } from '../../base/limits/documents.js'
import { work } from '../../base/work/work-budget.js'
import { nullValue, Value } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import type { Env, Expression, Result, Scope } from './operator.js'

/** The state of one group. */
export interface Accumulator {
  add(value: Result): void
  /** A missing result becomes null in the group's document. */
  result(): Result
  /**
   * The elements, if the result is an array: it may be so long that it is written in turns.
   * Undefined is a place to pause.
   */
  elements?(): Iterable<Value | undefined>
  /** Bytes of the kept values; 0 for a state of fixed size. */
  readonly bytesHeld: number
  /** The state as a value for `absorb`, when $group spills. */
  save(): Value
  /** Merges a saved state, whose documents came after this one's. */
  absorb(saved: Value): void
}

/** An accumulator of one $group field: its input expression, and its states. */
export interface AccumulatorPlan {
  readonly input: Expression
  /** `create` reads the group, because its `n` is not constant. */
  readonly seesGroup?: boolean
  /** Its states are of one value each: two are merged in the time of some additions. */
  readonly merges?: boolean
  /** The root of `group` is the group's `_id`, if `create` reads it. */
  create(group: Env): Accumulator
}

export interface AccumulatorRow {
  /** With its `$`. */
  readonly name: string
  /** Whether it reads the document without a `$` path. */
  readonly readsRoot: boolean
  /** Whether it is a window function too. */
  readonly inWindows: boolean
  compile(operand: Value, scope: Scope): AccumulatorPlan
}

/** Throws above the bytes that a list of values in one group may hold, as in MongoDB. */
export function requireListMemory(name: string, bytes: number): void {
  if (bytes <= blockingBytesMax) return
  const limit = `Memory limit: ${blockingBytesMax} bytes`
  throw fail(
    'ExceededMemoryLimit',
    `${name} used too much memory and cannot spill to disk. ${limit}`,
  )
}

/** Memory of a kept value beside its payload, bytes. */
const valueOverheadBytes = 64

export function bytesOf(value: Value): number {
  return value.end - value.start + valueOverheadBytes
}

/** Bytes of kept values, which lie apart, that a result gathers for one unit. */
const keptBytesPerUnit = 30

/** The result, which may be an array of more values than one turn can gather. */
export function* resultInTurns(state: Accumulator): Generator<undefined, Value, void> {
  const elements = state.elements?.()
  if (elements === undefined) {
    work.note(state.bytesHeld / keptBytesPerUnit)
    if (work.isDue) yield
    return state.result() ?? nullValue
  }
  const writer = new DocumentWriter(true)
  for (const value of elements) {
    if (value !== undefined) {
      writer.push(value)
      work.note(bytesOf(value) / keptBytesPerUnit)
    }
    if (work.isDue) yield
  }
  return writer.finishValue()
}

const firstKeptBytes = 256

/**
 * Copies of values that one state keeps until its end. They share memory: a buffer each would cost
 * more than a number, and the allocator would not give back what many of a few kilobytes leave.
 */
export class KeptValues {
  private readonly arena = new Arena(firstKeptBytes)

  copy({ type, bytes, start, end }: Value): Value {
    const { arena } = this
    arena.put(bytes, start, end)
    return new Value(type, arena.bytes, arena.start, arena.start + end - start)
  }
}
