// The state of an accumulator over a window that slides: its documents are not added again for each
// place. The front of the window is kept as the sums of its ends, the back as one state; when the
// front is used up, the whole window becomes the front.

import { work } from '../../../base/work/work-budget.js'
import { type Document, documentValue, nullValue, type Value } from '../../../value/value.js'
import { jobThen } from '../../detached.js'
import type { Accumulator, AccumulatorPlan } from '../../expressions/accumulator.js'
import type { Env, Result } from '../../expressions/operator.js'
import type { WindowSpan } from './window-bounds.js'
import type { Partition } from './window-function.js'

/** Smaller windows are added anew for each place: that costs less than two merges. */
const slidingDocumentsMin = 64
/** Work units of a state that is made, merged and saved: 2 µs. */
const mergeUnits = 20
/** Memory of a saved state beside its payload, bytes. */
const savedOverheadBytes = 64

/** Whether it is worth while to merge states over this window. */
export function slides({ merges }: AccumulatorPlan, { from, to }: WindowSpan): boolean {
  return merges === true && to - from >= slidingDocumentsMin
}

/** What a state of one value saves. */
function savedOne(state: Accumulator): Value {
  const [saved = nullValue] = state.saved()
  return saved
}

export class SlidingState {
  /** Saved states of the documents from a place of the front to its end, by the place. */
  private ends: Value[] = []
  private bytesHeld = 0
  private frontAt = 0
  /** The first document behind the front, and the first that `back` has not seen. */
  private backAt = 0
  private next = 0
  private back: Accumulator

  constructor(
    private readonly plan: AccumulatorPlan,
    private readonly partition: Partition,
    private readonly env: Env,
  ) {
    this.back = plan.create(env)
  }

  /** The result over a window, both of whose ends are at or after those of the one before. */
  *over({ from, to }: WindowSpan): Generator<unknown, Value, void> {
    if (from >= this.backAt) yield* this.turn(from, to)
    while (this.next <= to) {
      this.back.add(yield* this.input(this.next++))
      if (work.isDue) yield
    }
    const state = this.plan.create(this.env)
    const end = this.ends[from - this.frontAt]
    if (end !== undefined) state.absorb(end)
    if (this.next > this.backAt) state.absorb(savedOne(this.back))
    work.note(2 * mergeUnits)
    return state.result() ?? nullValue
  }

  /** Gives back the memory of the saved states. */
  release(): void {
    this.partition.hold(-this.bytesHeld)
    this.bytesHeld = 0
  }

  /** Makes the whole window the front. */
  private *turn(from: number, to: number): Generator<unknown, void, void> {
    this.release()
    const ends: Value[] = []
    let end: Value | undefined
    for (let i = to; i >= from; i--) {
      const state = this.plan.create(this.env)
      state.add(yield* this.input(i))
      if (end !== undefined) state.absorb(end)
      end = savedOne(state)
      ends.push(end)
      const bytes = end.end - end.start + savedOverheadBytes
      this.bytesHeld += bytes
      this.partition.hold(bytes)
      work.note(mergeUnits)
      if (work.isDue) yield
    }
    this.ends = ends.reverse()
    this.frontAt = from
    this.backAt = Math.max(to + 1, from)
    this.next = this.backAt
    this.back = this.plan.create(this.env)
  }

  private *input(index: number): Generator<unknown, Result, void> {
    const { env, plan } = this
    env.root = documentValue(this.partition.documents[index] as Document)
    try {
      return plan.input.evaluate(env)
    } catch (error) {
      return yield* jobThen(error, () => plan.input.evaluate(env))
    }
  }
}
