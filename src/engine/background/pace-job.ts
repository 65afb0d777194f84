// Slows background work in favour of clients. After each small step it waits for the event loop,
// longer if the loop is late, since clients are then busy. (docs/design/transactions.md, rule 14)

import type { Clock } from '../../base/clock.js'

/**
 * Lateness of the event loop that indicates other work, and the longest rest it causes,
 * milliseconds.
 */
const backgroundBusyMs = 2
const backgroundRestMsMax = 100

export interface Pace {
  /** Rests after a step: immediate in an idle process, up to backgroundRestMsMax in a busy one. */
  rest(): Promise<void>
  /** Sleeps between rounds: resolves after `ms`, or when `wake` is called. */
  sleep(ms: number): Nap
}

export interface Nap {
  readonly over: Promise<void>
  wake(): void
}

/** The rest is the lateness of the loop times this factor. */
const restPerLateness = 4

export class ClockPace implements Pace {
  constructor(private readonly clock: Clock) {}

  rest(): Promise<void> {
    const askedAt = this.clock.elapsed()
    return new Promise((resolve) => {
      setImmediate(() => {
        const lateMs = this.clock.elapsed() - askedAt
        if (lateMs < backgroundBusyMs) resolve()
        // Keeps the process alive: closing a job waits for the end of its rest.
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
