// Runs the operations of one update or delete command in order, each with its own error. Adjacent
// operations that name an `_id` run together.

import { sweepDocumentsMax } from '../../../base/limits/engine.js'
import { work } from '../../../base/work/work-budget.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import {
  changePoints,
  type PointOperation,
  type PointOutcome,
} from '../../../engine/modify/modify-batch.js'
import {
  type AssumedCollation,
  type Changed,
  OtherCollation,
  plainCollation,
  type Ran,
  type Target,
} from '../../../engine/modify/modify-spec.js'
import { pausePhase, type Sweep } from '../../../store/sweep.js'
import { otherCollation } from './assumed-collation.js'
import { requireOwn, type WriteFailure } from './write-errors.js'

/** One operation, compiled. */
export interface Job<R> {
  /** How it runs together with others; undefined if it must search. */
  readonly point: PointOperation | undefined
  /** The result of the operation for the change of a point. */
  readonly resultOf: (changed: Changed | undefined) => R
  /** The same for what an earlier attempt of a retryable write has done. */
  readonly resultOfRan: (ran: Ran) => R
  readonly alone: () => Sweep<R>
}

/** Work units of a failing operation with its error: 20 µs. */
const failureUnits = 200

interface Batch<R> {
  readonly target: Target
  readonly count: number
  /** Ordered ones stop at the first failure. */
  readonly ordered: boolean
  /**
   * Compiles the operation at a position, for an assumed collation. An error that it throws belongs
   * to that operation.
   */
  readonly compile: (index: number, assumed: AssumedCollation) => Job<R>
  readonly done: (index: number, result: R) => void
}

/** Runs all operations; returns the failures by position. */
export function* runBatch<R>(batch: Batch<R>): Sweep<WriteFailure[]> {
  const { target, count, ordered, done } = batch
  const failures: WriteFailure[] = []
  const queue: Job<R>[] = []
  let assumed = plainCollation
  let others = 0
  let turns = new WorkTurns()
  for (let at = 0; at < count; ) {
    fill(queue, at, batch, assumed)
    let outcomes: readonly PointOutcome[]
    try {
      outcomes = yield* runPoints(target, queue, ordered)
    } catch (thrown) {
      assumed = otherCollation(thrown, ++others)
      queue.length = 0
      continue
    }
    if (outcomes.length > 0) turns = new WorkTurns()
    for (const outcome of outcomes) {
      const job = queue.shift()
      if ('error' in outcome) failures.push({ index: at, error: outcome.error })
      else if (job === undefined) throw new Error('an outcome without its operation')
      else if ('ran' in outcome) done(at, job.resultOfRan(outcome.ran))
      else done(at, job.resultOf(outcome.changed))
      at++
    }
    if (outcomes.length === 0) {
      const job = queue.shift()
      try {
        if (job !== undefined) done(at, yield* job.alone())
        turns = new WorkTurns()
      } catch (thrown) {
        if (thrown instanceof OtherCollation) {
          assumed = otherCollation(thrown, ++others)
          queue.length = 0
          continue
        }
        failures.push({ index: at, error: requireOwn(thrown) })
        work.note(failureUnits)
      }
      at++
    }
    // An operation that fails to compile runs no program, so the pause is made here. Programs pause
    // by themselves, and waiting for one is no work.
    if (turns.isDue) {
      yield* pausePhase()
      turns = new WorkTurns()
    }
    if (ordered && failures.length > 0) break
  }
  return failures
}

/** Compiles operations that may run together: points, up to the first other operation. */
function fill<R>(
  queue: Job<R>[],
  at: number,
  { count, compile }: Batch<R>,
  assumed: AssumedCollation,
): void {
  while (queue.length < sweepDocumentsMax && at + queue.length < count) {
    if (queue.length > 0 && queue.at(-1)?.point === undefined) return
    queue.push(jobAt(at + queue.length, compile, assumed))
  }
}

function jobAt<R>(index: number, compile: Batch<R>['compile'], assumed: AssumedCollation): Job<R> {
  try {
    return compile(index, assumed)
  } catch (thrown) {
    const fails = (): never => {
      throw thrown
    }
    return { point: undefined, resultOf: fails, resultOfRan: fails, alone: fails }
  }
}

/**
 * Runs the points at the head of the queue, if that takes fewer programs. If they cannot run
 * together, none of them takes effect.
 */
function* runPoints<R>(
  target: Target,
  queue: readonly Job<R>[],
  ordered: boolean,
): Sweep<readonly PointOutcome[]> {
  const points: PointOperation[] = []
  for (const { point } of queue) {
    if (point === undefined) break
    points.push(point)
  }
  const [first] = points
  // An upsert alone too: it changes or adds its document in one program.
  if (first === undefined || (points.length === 1 && first.upsert === undefined)) return []
  try {
    return yield* changePoints(target, points, ordered)
  } catch (thrown) {
    requireOwn(thrown)
    return []
  }
}
