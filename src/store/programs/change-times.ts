// Cluster times of the change log. The store gives a record its time when it commits, so no program
// reads a clock or the last time, and the order of the times is the order of the commits.
// (docs/design/changes.md)

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { type ClusterTime, changeKey, changeRange, changeTimeOf, isEarlier } from '../layout.js'
import type { KeyRange } from '../store.js'
import type { View } from '../tables/tables.js'

/** Increments of a second begin with 1, as MongoDB's. */
const firstIncrement = 1
const incrementMax = 0xffffffff

export class ChangeTimes {
  private last: ClusterTime | undefined
  /** The latest time that `told` has given. */
  private least: ClusterTime | undefined
  /** What `told` gives while records are made that no reader sees yet. */
  private held: ClusterTime | undefined

  constructor(private readonly clock: Clock) {}

  /**
   * The key of the next record: later than every record of `view` and every earlier call, and not
   * before any time that `told` has given.
   */
  nextKey(view: Pick<View, 'scan'>): Bytes {
    const last = this.last ?? lastTime(view)
    const { seconds } = this
    const next = last === undefined || seconds > last.seconds ? begin(seconds) : after(last)
    this.last = latest(next, this.least)
    return changeKey(this.last)
  }

  /** A time between the records made so far, the newest included, and those to come. */
  told(): ClusterTime {
    if (this.held !== undefined) return this.held
    this.least = latest(latest(begin(this.seconds), this.last), this.least)
    return this.least
  }

  /** Until `release`, `told` gives a time before the records that are made meanwhile. */
  hold(): void {
    this.held = this.told()
  }

  release(): void {
    this.held = undefined
  }

  private get seconds(): number {
    return Math.floor(this.clock.now() / 1000)
  }
}

function latest(one: ClusterTime, other: ClusterTime | undefined): ClusterTime {
  return other !== undefined && isEarlier(one, other) ? other : one
}

/** The newest record is never trimmed, so the times go on behind it after a restart. */
function lastTime(view: Pick<View, 'scan'>): ClusterTime | undefined {
  for (let range: KeyRange = { ...changeRange, reverse: true }; ; ) {
    const { entries, rest } = view.scan(range, 1)
    const [entry] = entries
    if (entry !== undefined) return changeTimeOf(entry.key)
    if (rest === undefined) return undefined
    range = rest
  }
}

function begin(seconds: number): ClusterTime {
  return { seconds, increment: firstIncrement }
}

function after({ seconds, increment }: ClusterTime): ClusterTime {
  if (increment === incrementMax) return begin(seconds + 1)
  return { seconds, increment: increment + 1 }
}
