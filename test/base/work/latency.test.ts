// The latency window against exact quantiles of the same durations: within 1 % whatever they are,
// and only those of the last minute.

import fc from 'fast-check'
import t from 'tap'
import {
  bucketOf,
  LatencyWindow,
  latencySlotMs,
  latencySlots,
  middleOf,
} from '../../../src/base/work/latency.js'
import { runs } from '../../support/runs.js'

const windowMs = latencySlotMs * latencySlots

/** The least value that this share of all does not exceed. */
function exact(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(share * sorted.length) - 1] as number
}

function isNear(told: number, wanted: number): boolean {
  return Math.abs(told - wanted) <= wanted / 100
}

/** Spread over all magnitudes, as durations are: from a nanosecond to more than an hour. */
const durations = fc.double({ min: -19.9, max: 21.9, noNaN: true }).map((power) => 2 ** power)

t.test('a quantile is within 1 % of the exact one', async () => {
  fc.assert(
    fc.property(fc.array(durations, { minLength: 1, maxLength: 300 }), (values) => {
      const window = new LatencyWindow(0)
      for (const value of values) window.record(value, 1)
      const { p50, p95, p99, avg } = window.figures(2)
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      return (
        isNear(p50, exact(values, 0.5)) &&
        isNear(p95, exact(values, 0.95)) &&
        isNear(p99, exact(values, 0.99)) &&
        Math.abs(avg - mean) <= mean * 1e-9
      )
    }),
    { numRuns: runs(500) },
  )
})

t.test('every duration is in a bucket whose middle is within 1 % of it', async (t) => {
  fc.assert(
    fc.property(durations, (value) => isNear(middleOf(bucketOf(value)), value)),
    { numRuns: runs(5_000) },
  )
  for (let power = -20; power < 22; power++) {
    for (const value of [2 ** power, 2 ** power * 1.999_999]) {
      t.ok(isNear(middleOf(bucketOf(value)), value), `${value} ms`)
    }
  }
})

t.test('longer durations are never in an earlier bucket', async () => {
  fc.assert(
    fc.property(durations, durations, (a, b) => a > b || bucketOf(a) <= bucketOf(b)),
    { numRuns: runs(5_000) },
  )
})

t.test('what is no usual duration is counted at the ends', async (t) => {
  const last = bucketOf(Number.MAX_VALUE)
  for (const odd of [0, -1, Number.NaN, 2 ** -30]) t.equal(bucketOf(odd), 0, String(odd))
  for (const odd of [2 ** 22, 1e300, Number.POSITIVE_INFINITY]) t.equal(bucketOf(odd), last)
  t.equal(bucketOf(2 ** 22 - 1), last)
})

t.test('nothing is told of an empty window', async (t) => {
  const { p50, p95, p99, avg } = new LatencyWindow(0).figures(5)
  for (const figure of [p50, p95, p99, avg]) t.ok(Number.isNaN(figure))
})

t.test('quantiles forget after a minute, count and sum do not', async (t) => {
  const window = new LatencyWindow(0)
  window.record(1_000, 0)
  window.record(1, windowMs - 1)
  t.ok(isNear(window.figures(windowMs - 1).p99, 1_000), 'still there at its end')
  t.ok(isNear(window.figures(windowMs).p99, 1), 'gone behind it')
  t.equal(window.figures(windowMs).avg, 1)
  t.ok(Number.isNaN(window.figures(10 * windowMs).p50), 'all slots are passed over')
  window.record(2, 10 * windowMs)
  t.ok(isNear(window.figures(10 * windowMs).p50, 2))
  t.equal(window.count, 3)
  t.equal(window.sumMs, 1_003)
})

t.test('the window is at least its length less one slot, whenever things happen', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: 3 * latencySlotMs }), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (gaps) => {
      const window = new LatencyWindow(0)
      const times: number[] = []
      let nowMs = 0
      for (const gap of gaps) {
        nowMs += gap
        times.push(nowMs)
        window.record(nowMs + 1, nowMs)
      }
      const { avg } = window.figures(nowMs)
      // The slots lie on multiples of their length.
      const from = (Math.floor(nowMs / latencySlotMs) + 1) * latencySlotMs - windowMs
      const wanted = times.filter((time) => time >= from)
      if (wanted.length === 0) return Number.isNaN(avg)
      const mean = wanted.reduce((sum, time) => sum + time + 1, 0) / wanted.length
      return Math.abs(avg - mean) <= mean * 1e-9
    }),
    { numRuns: runs(300) },
  )
})
