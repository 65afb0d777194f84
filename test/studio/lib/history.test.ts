// The last hour of a chart: steps that come later are joined, a restart begins anew, and a table
// has none where the server has no figure.

import t from 'tap'
import {
  axisEnd,
  type History,
  joined,
  largestBySpan,
  perSecond,
} from '../../../src/studio/lib/history.js'

const stepMs = 5_000

function history(at: readonly number[], requests = at.map(() => 10)): History {
  const none = at.map(() => null)
  return {
    stepMs,
    at,
    requests: { http: requests, wire: requests },
    errors: { http: none, wire: none },
    meanMs: { http: none, wire: none },
    p50: none,
    p95: none,
    p99: none,
  }
}

t.test('steps are joined, for an hour', async (t) => {
  const old = history(Array.from({ length: 720 }, (_, index) => index * stepMs))
  const next = history([720 * stepMs, 721 * stepMs], [1, 2])
  const both = joined(old, next)
  t.equal(both.at.length, 720)
  t.equal(both.at[0], 2 * stepMs)
  t.same(both.requests.wire?.slice(-3), [10, 1, 2])
  t.equal(both.p99.length, 720)
  t.equal(joined(undefined, next), next)
  t.equal(joined(old, history([])), old)
  const anew = history([100])
  t.equal(joined(old, anew), anew, 'the server began anew')
})

t.test('rates and axes', async (t) => {
  const one = history([5_000, 10_000], [10, 20])
  t.same(perSecond(one, one.requests), [4, 8])
  t.same(perSecond(one, one.errors), [0, 0])
  t.same(
    [[], [0, null], [0.3], [7, 20], [21]].map((column) => axisEnd([column])),
    [1, 1, 0.5, 20, 50],
  )
})

t.test('the largest figures of each span', async (t) => {
  const at = [5_000, 9_000, 10_000, 15_000, 31_000]
  t.same(
    largestBySpan(
      at,
      [
        [1, 3, 2, null, 0],
        [null, null, 7, 4, null],
      ],
      10_000,
    ),
    [
      { from: 0, largest: [3, null] },
      { from: 10_000, largest: [2, 7] },
      { from: 30_000, largest: [0, null] },
    ],
    'a span without a step is not there',
  )
  t.same(largestBySpan([], [[]], 10_000), [])
})
