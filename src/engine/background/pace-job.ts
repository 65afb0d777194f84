// How background work makes room for clients: it takes one small step, then waits for the event
// loop; longer where the loop is late, because then others are working.
// (docs/design/transactions.md, rule 14)

import type { Clock } from '../../base/clock.js'

/** Lateness of the event loop that tells of other work; the longest rest that is taken then. */
const backgroundBusyMs = 2
const backgroundRestMsMax = 100

export interface Pace {
  /** After each step: over at once on an idle process, within backgroundRestMsMax on a busy one. */
  rest(): Promise<void>
  /** Between rounds: resolves after `ms`, or as soon as `wake` is called. */
  sleep(ms: number): Nap
}

export interface Nap {
  readonly over: Promise<void>
  wake(): void
}

/** A loop that is late by this many times is left alone for that long. */
const restPerLateness = 4

export class ClockPace implements Pace {
  constructor(private readonly clock: Clock) {}

  rest(): Promise<void> {
    const askedAt = this.clock.elapsed()
    return new Promise((resolve) => {
      setImmediate(() => {
        const lateMs = this.clock.elapsed() - askedAt
        if (lateMs < backgroundBusyMs) resolve()
        // Keeps the process: who closes a job waits for the end of its rest.
        else setTimeout(resolve, Math.min(lateMs * restPerLateness, backgroundRestMsMax))
      })
    })
  }

  sleep(ms: number): Nap {
    let wake = (): void => {}
    const over = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref()
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    return { over, wake }
  }
}
