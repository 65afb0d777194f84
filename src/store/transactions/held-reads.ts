// What a long command has read, held for its next runs once others have changed it. Without this, a
// command that reads for seconds beside a steady writer would never end. Other writers of these
// keys in this process wait, once and for a bounded time. (docs/design/transactions.md, rule 2)

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { isHoldable } from './held-keys.js'
import type { Reads } from './reads.js'

/** What the command has read, in its last run and in this one. */
type ReadSoFar = () => readonly Pick<Reads, 'has'>[]

/** The hold of one command. */
export interface HoldOfReads {
  /** Whether its time is over. */
  readonly isOver: boolean
  /** This writer does not wait. */
  admit(writer: object): void
  /** Lets all writers go on. */
  end(): void
}

interface Holding extends HoldOfReads {
  readonly endsMs: number
  readonly over: Promise<void>
  covers(key: Bytes): boolean
}

export class HeldReads {
  private readonly holdings = new Set<Holding>()
  private readonly admitted = new WeakSet<object>()
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** Whether anything is held: then every write is checked. */
  get isOn(): boolean {
    return this.holdings.size > 0
  }

  /** The time that it goes by. */
  get nowMs(): number {
    return this.clock.elapsed()
  }

  /** Holds what `reads` returns then, of the keys that `mayHold` allows. */
  hold(ms: number, reads: ReadSoFar, mayHold: (key: Bytes) => boolean): HoldOfReads {
    return this.holdKeys(ms, (key) => {
      const name = mapKey(key)
      return reads().some((read) => read.has(name)) && mayHold(key)
    })
  }

  /** Holds the keys for which `covers` is true then. */
  holdKeys(ms: number, covers: (key: Bytes) => boolean): HoldOfReads {
    let resolve = (): void => undefined
    const over = new Promise<void>((resolved) => {
      resolve = resolved
    })
    const { holdings } = this
    const holding: Holding = {
      endsMs: this.clock.elapsed() + ms,
      over,
      get isOver() {
        return !holdings.has(this)
      },
      covers,
      admit: (writer) => this.admitted.add(writer),
      end: () => {
        if (!holdings.delete(holding)) return
        resolve()
        if (holdings.size === 0) clearTimeout(this.timer)
      },
    }
    holdings.add(holding)
    this.schedule()
    return holding
  }

  /**
   * What a writer of these keys has to wait for; undefined if it may go on. A writer waits once, so
   * commands that follow one another cannot make it wait for ever.
   */
  blocking(writer: object, keys: Iterable<Bytes>): Promise<void> | undefined {
    if (this.holdings.size === 0 || this.admitted.has(writer)) return undefined
    for (const key of keys) {
      if (!isHoldable(key)) continue
      for (const holding of this.holdings) {
        if (!holding.covers(key)) continue
        this.admitted.add(writer)
        return holding.over
      }
    }
    return undefined
  }

  /** Ends what was held for its time. */
  expire(): void {
    const nowMs = this.clock.elapsed()
    for (const holding of this.holdings) if (holding.endsMs <= nowMs) holding.end()
  }

  /** The clock decides what is over; the timer only looks. */
  private schedule(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.expire()
      if (this.isOn) this.schedule()
    }, lookMs).unref()
  }
}

/** Time between two looks at the clock while anything is held, milliseconds. */
const lookMs = 25
