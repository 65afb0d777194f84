// Requests, errors and latencies of the last hour in steps, so that a page can draw them at once.
// One ring in memory, of a fixed size; a restart empties it. (docs/operations.md, "The last hour")

import type { Clock } from '../base/clock.js'
import { historyStepMs, historySteps } from '../base/limits/http.js'
import type { Metering } from './metering.js'
import type { SessionProtocol } from './session.js'

const protocols = ['http', 'wire', 'resp', 'sql', 'internal'] as const

type Sums = Readonly<Record<SessionProtocol, number>>

interface Totals {
  readonly requests: Sums
  readonly errors: Sums
  readonly timed: Sums
  readonly timedMs: Sums
}

export interface HistoryStep {
  /** End of the step, milliseconds since 1970. */
  readonly at: number
  readonly requests: Sums
  readonly errors: Sums
  /** Mean latency of the step in milliseconds; null if nothing ran. */
  readonly meanMs: Readonly<Record<SessionProtocol, number | null>>
  /** Of all protocols in the last minute; null if nothing ran. */
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

export class MeteringHistory {
  private readonly steps: HistoryStep[] = []
  private next = 0
  private before: Totals
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly counters: Metering,
    private readonly clock: Clock,
  ) {
    this.before = totalsOf(counters)
  }

  start(): void {
    this.timer = setInterval(() => this.sample(), historyStepMs).unref()
  }

  close(): void {
    clearInterval(this.timer)
  }

  /** Ends a step. */
  sample(): void {
    const { counters, clock, before } = this
    const now = totalsOf(counters)
    this.before = now
    const timed = less(now.timed, before.timed)
    const timedMs = less(now.timedMs, before.timedMs)
    const { p50, p95, p99 } = counters.latency.figures(clock.elapsed())
    this.steps[this.next] = {
      at: clock.now(),
      requests: less(now.requests, before.requests),
      errors: less(now.errors, before.errors),
      meanMs: each((name) => finite(timedMs[name] / timed[name])),
      p50: finite(p50),
      p95: finite(p95),
      p99: finite(p99),
    }
    this.next = (this.next + 1) % historySteps
  }

  /** Oldest first, only steps that ended after `since`. */
  read(since = 0): readonly HistoryStep[] {
    const { steps, next } = this
    return [...steps.slice(next), ...steps.slice(0, next)].filter(({ at }) => at > since)
  }
}

function totalsOf({ protocols, failures, timed, timedMs }: Metering): Totals {
  return {
    requests: { ...protocols },
    errors: { ...failures },
    timed: { ...timed },
    timedMs: { ...timedMs },
  }
}

function less(now: Sums, before: Sums): Sums {
  return each((name) => now[name] - before[name])
}

function each<T>(figureOf: (name: SessionProtocol) => T): Record<SessionProtocol, T> {
  return Object.fromEntries(protocols.map((name) => [name, figureOf(name)])) as Record<
    SessionProtocol,
    T
  >
}

/** Rounded to microseconds. */
function finite(ms: number): number | null {
  return Number.isFinite(ms) ? Math.round(ms * 1_000) / 1_000 : null
}
