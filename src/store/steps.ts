// Steps of a transaction, as objects that `yield*` accepts. On an embedded store a step is its own
// finished iterator: one small allocation, without a generator or promise.
// (docs/design/transactions.md, "Programs")

import { assert } from '../base/errors.js'
import { Unwinding } from '../base/heap/unwinding.js'
import { scanEntriesMax } from '../base/limits/engine.js'
import type { Ask, Entry, Fetched, KeyRange, Step } from './store.js'

/** A step whose result is known. */
export class Done<T> implements Step<T>, Iterator<Ask, T, unknown>, IteratorReturnResult<T> {
  readonly done = true
  readonly value: T

  constructor(value: T) {
    this.value = value
  }

  [Symbol.iterator](): Done<T> {
    return this
  }

  next(): Done<T> {
    return this
  }
}

/**
 * Thrown by a write program that must wait for a condition. The store discards its changes and runs
 * it again from the start.
 */
export class Postponed extends Unwinding {
  /** `until` never rejects. */
  constructor(readonly until: Promise<void>) {
    super('a write program waits for what it needs')
  }
}

export const nothing: Done<void> = new Done(undefined)

const pause: IteratorYieldResult<Ask> = { done: false, value: { kind: 'pause' } }

const always = () => true

/**
 * A step in several stretches, with a pause before each; `stretch` returns whether it was the last.
 */
export class Stretches<T> implements Step<T>, Iterator<Ask, T, unknown> {
  private readonly stretch: () => boolean
  private readonly answer: () => T
  private paused = false

  constructor(stretch: () => boolean, answer: () => T) {
    this.stretch = stretch
    this.answer = answer
  }

  [Symbol.iterator](): Stretches<T> {
    return this
  }

  next(): IteratorResult<Ask, T> {
    if (this.paused && this.stretch()) return { done: true, value: this.answer() }
    this.paused = true
    return pause
  }

  /** An interruption is thrown into the program that pauses here. */
  throw(error: unknown): never {
    throw error
  }
}

/** One pause; the step reads when the program resumes. */
export class AfterPause<T> extends Stretches<T> {
  constructor(read: () => T) {
    super(always, read)
  }
}

/** A step with an external answer: it yields its question once and returns the answer. */
export class Asked<T> implements Step<T>, Iterator<Ask, T, unknown> {
  private readonly ask: Ask
  private readonly answered: (answer: unknown) => T
  private waiting = false

  constructor(ask: Ask, answered: (answer: unknown) => T) {
    this.ask = ask
    this.answered = answered
  }

  [Symbol.iterator](): Asked<T> {
    return this
  }

  next(answer?: unknown): IteratorResult<Ask, T> {
    if (this.waiting) return { done: true, value: this.answered(answer) }
    this.waiting = true
    return { done: false, value: this.ask }
  }

  /** A failed question is thrown into the program that asked it. */
  throw(error: unknown): never {
    throw error
  }
}

/** A scan states a limit within the bound of one step. */
export function requireBounded(limit: number): void {
  assert(limit >= 1 && limit <= scanEntriesMax, 'a scan is bounded')
}

/** Whether a scan has reached the end of its range: it ended below its limits. */
export function endsRange(entries: readonly Entry[], range: KeyRange, limit: number): boolean {
  return endsBelow(entries, range, limit, valueBytes)
}

/** As endsRange, of a scan that has fetched records. */
export function endsFetch(
  fetched: readonly FetchedRecord[],
  range: KeyRange,
  limit: number,
): boolean {
  return endsBelow(fetched, range, limit, recordBytes)
}

type FetchedRecord = Partial<Pick<Fetched, 'record'>>

function endsBelow<T>(
  found: readonly T[],
  { bytesMax }: KeyRange,
  limit: number,
  bytesOf: (one: T) => number,
): boolean {
  if (found.length >= limit) return false
  if (bytesMax === undefined) return true
  let bytes = 0
  for (const one of found) bytes += bytesOf(one)
  return bytes < bytesMax
}

function valueBytes({ value }: Entry): number {
  return value.length
}

function recordBytes({ record }: FetchedRecord): number {
  return record?.length ?? 0
}

/** The range for a scan that may not end before its limit. */
export function unbounded({ start, end, reverse = false }: KeyRange): KeyRange {
  return { start, end, reverse }
}
