// When a client that only listens has fallen too far behind.

import t from 'tap'
import { OutputLimit } from '../../src/listeners/output-limit.js'

const MiB = 1024 * 1024

t.test('32 MiB at once are too much, 8 MiB are not', async (t) => {
  const limit = new OutputLimit()
  t.equal(limit.isPassed(32 * MiB, 0), false)
  t.equal(limit.isPassed(32 * MiB + 1, 0), true)
})

t.test('more than 8 MiB for more than a minute are too much', async (t) => {
  const limit = new OutputLimit()
  t.equal(limit.isPassed(8 * MiB + 1, 1_000), false)
  t.equal(limit.isPassed(20 * MiB, 61_000), false)
  t.equal(limit.isPassed(8 * MiB + 1, 61_001), true)
})

t.test('the minute begins anew where it fell below in between', async (t) => {
  const limit = new OutputLimit()
  limit.isPassed(9 * MiB, 0)
  limit.isPassed(8 * MiB, 59_000)
  t.equal(limit.isPassed(9 * MiB, 61_000), false)
  t.equal(limit.isPassed(9 * MiB, 121_001), true)
})

t.test('bounds of another kind hold too, and 0 is none', async (t) => {
  const limit = new OutputLimit()
  const bounds = { bytesMax: 0, backlogBytesMax: MiB, backlogMs: 2_000 }
  t.equal(limit.isPassed(100 * MiB, 0, bounds), false)
  t.equal(limit.isPassed(2 * MiB, 2_000, bounds), false)
  t.equal(limit.isPassed(2 * MiB, 2_001, bounds), true)
  t.equal(limit.isPassed(100 * MiB, 9_000, { ...bounds, backlogBytesMax: 0 }), false)
})
