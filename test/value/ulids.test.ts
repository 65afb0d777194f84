// New ULIDs: what one process gives rises, whatever its clock does.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { systemRandom } from '../../src/base/clock.js'
import { Ulids } from '../../src/value/ulids.js'
import { runs } from '../support/runs.js'

t.test('ids rise in the order in which they are taken', async () => {
  const taken = fc.record({ now: fc.nat(3), count: fc.integer({ min: 1, max: 300 }) })
  const property = fc.property(fc.array(taken, { maxLength: 12 }), (all) => {
    const ulids = new Ulids(systemRandom)
    const ids = all.flatMap(({ now, count }) => {
      const series = ulids.series(now, count)
      return Array.from({ length: count }, (_, i) => series.at(i))
    })
    assert.deepEqual(ids, [...new Set(ids)].sort())
  })
  fc.assert(property, { numRuns: runs(200) })
})

t.test('an id begins with its time, and counting carries', async (t) => {
  const ulids = new Ulids({ bytes: (count) => new Uint8Array(count).fill(0xff) })
  const ms = 1_469_918_176_385
  const ids = ulids.series(ms, 2)
  t.equal(ids.at(0), '01ARYZ6S41FZZZZZZZZZZZZZZZ')
  t.equal(ids.at(1), '01ARYZ6S41G000000000000000')
  const later = ulids.series(0, 1)
  t.equal(later.at(0), '01ARYZ6S41G000000000000001', 'the clock has gone back')
  t.equal(later.ms, ms, 'and the time that is told is that of the id')
})
