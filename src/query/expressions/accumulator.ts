// What an accumulator is: a state per group that receives the value of one expression for each
// document.

import { fail } from '../../base/errors.js'
import { Arena } from '../../base/heap/arena.js'
import { blockingBytesMax } from '../../base/limits/documents.js'
import { KiB, MiB } from '../../base/units.js'
import { work } from '../../base/work/work-budget.js'
import { freshBytesPerUnit, valueUnits } from '../../base/work/work-figures.js'
import { elementsOf } from '../../value/elements.js'
import { nullValue, Value } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import { type Env, type Expression, type Result, requireRoom, type Scope } from './operator.js'

/** The state of one group. */
export interface Accumulator {
  add(value: Result): void
  /** A missing result becomes null in the group's document. */
  result(): Result
  /** The same with pauses, if it may take longer than one turn. */
  resultInTurns?(): Generator<undefined, Result, void>
  /** The memory of the state, with that of its values. */
  readonly bytesHeld: number
  /** The state as values for `absorb`, when $group spills. Undefined is a place to pause. */
  saved(): Iterable<Value | undefined>
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

/** Memory of a value in a list beside its payload, bytes. */
const valueOverheadBytes = 64
/** What the entry of a map takes beside its value and its key. */
export const mapOverheadBytes = 56
/** Memory of a value with a copy of its payload, beside that. */
const copyOverheadBytes = 256
/** Memory of a state with a list that KeptValues copies, while it is empty. */
export const listStateBytes = 320
/** The same with a map. */
export const mapStateBytes = 360

function bytesOf(value: Value): number {
  return value.end - value.start + valueOverheadBytes
}

/** Memory of a value of `copyOf`. */
export function bytesOfCopy(value: Value): number {
  return value.end - value.start + copyOverheadBytes
}

export function bytesOfStates(states: readonly Accumulator[]): number {
  let bytes = 0
  for (const { bytesHeld } of states) bytes += bytesHeld
  return bytes
}

/** Bytes of kept values, which lie apart, that a result gathers for one unit. */
const keptBytesPerUnit = 30
/** What follows in the same value is copied as one. */
const apartBytes = 4 * KiB
/** A longer value begins a turn of its own. */
const longValueBytes = MiB

/** Units of a value that a result gathers. */
export function gatherUnits(bytes: number): number {
  const apart = Math.min(bytes, apartBytes)
  return apart / keptBytesPerUnit + (bytes - apart) / freshBytesPerUnit
}

/** The result of a state whose values may be more than one turn can gather. */
export function* resultInTurns(state: Accumulator): Generator<undefined, Value, void> {
  const inTurns = state.resultInTurns?.()
  if (inTurns !== undefined) return (yield* inTurns) ?? nullValue
  work.note(gatherUnits(state.bytesHeld))
  if (work.isDue) yield
  return state.result() ?? nullValue
}

export function* resultsInTurns(
  states: readonly Accumulator[],
): Generator<undefined, Value[], void> {
  const results: Value[] = []
  for (const state of states) results.push(yield* resultInTurns(state))
  return results
}

/** Values of a state; undefined is a place to pause. */
export type ValuesInTurns = Iterable<Value | undefined>

/** An array of all values, with pauses. */
export function* arrayInTurns(values: ValuesInTurns): Generator<undefined, Value, void> {
  const writer = new DocumentWriter(true)
  for (const value of values) {
    if (value !== undefined) {
      if (value.end - value.start > longValueBytes) yield
      pushKept(writer, value)
    }
    if (work.isDue) yield
  }
  return writer.finishValue()
}

/** A saved array of about this size, or of so many values, is absorbed in one step. */
const savedArrayBytes = 64 * KiB
const savedArrayValues = 1_000

/** Arrays of all values for `saved`. */
export function* arraysInTurns(values: ValuesInTurns): Generator<Value | undefined, void, void> {
  let writer = new DocumentWriter(true)
  let count = 0
  for (const value of values) {
    if (value !== undefined) {
      if (value.end - value.start > longValueBytes) yield
      pushKept(writer, value)
      count++
    }
    if (count === savedArrayValues || writer.length >= savedArrayBytes) {
      yield writer.finishValue()
      writer = new DocumentWriter(true)
      count = 0
    }
    if (work.isDue) yield
  }
  yield writer.finishValue()
}

function pushKept(writer: DocumentWriter, value: Value): void {
  writer.push(value)
  work.note(gatherUnits(bytesOf(value)))
}

/** Objects that together have all fields, each of about `bytesMax` bytes, with pauses. */
export function* objectsInTurns(
  fields: Iterable<readonly [string, Value]>,
  bytesMax = savedArrayBytes,
): Generator<Value | undefined, void, void> {
  let writer = new DocumentWriter()
  for (const [name, value] of fields) {
    writer.value(name, value)
    requireRoom(writer.length)
    work.note(valueUnits + gatherUnits(bytesOf(value)))
    if (writer.length >= bytesMax) {
      yield writer.finishValue()
      writer = new DocumentWriter()
    }
    if (work.isDue) yield
  }
  yield writer.finishValue()
}

/** A state whose result is an array of the values that it keeps. */
export abstract class ListAccumulator implements Accumulator {
  abstract readonly bytesHeld: number

  abstract add(value: Result): void

  protected abstract elements(): ValuesInTurns

  result(): Value {
    const writer = new DocumentWriter(true)
    for (const value of this.elements()) if (value !== undefined) writer.push(value)
    return writer.finishValue()
  }

  resultInTurns(): Generator<undefined, Value, void> {
    return arrayInTurns(this.elements())
  }

  saved(): ValuesInTurns {
    return arraysInTurns(this.elements())
  }

  absorb(saved: Value): void {
    for (const value of elementsOf(saved)) this.add(value)
  }
}

const firstKeptBytes = 256

/**
 * Copies of values that one state keeps until its end. They share memory: a buffer each would cost
 * more than a number, and the allocator would not give back what many of a few kilobytes leave.
 */
export class KeptValues {
  private readonly arena = new Arena(firstKeptBytes)
  private count = 0

  /** Their memory, with that of a list of them. */
  get bytesHeld(): number {
    return this.arena.bytesHeld + this.count * valueOverheadBytes
  }

  copy({ type, bytes, start, end }: Value): Value {
    const { arena } = this
    arena.put(bytes, start, end)
    this.count++
    return new Value(type, arena.bytes, arena.start, arena.start + end - start)
  }
}
