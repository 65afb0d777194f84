// How many members a pop reads at once: those that it takes and the next one, and one for each
// command that follows in the program, within a bound that grows as pops follow.

import t from 'tap'
import { Ahead } from '../../../../src/engine/keyspace/sorted-sets/sorted-set-ahead.js'

t.test('a pop reads no more ahead than commands follow', async (t) => {
  const ahead = new Ahead()
  t.equal(ahead.wanted(1, 0), 2, 'the last command: what it takes and the next edge')
  t.equal(ahead.wanted(5, 0), 6)
  t.equal(ahead.wanted(1, 19), 21)
  t.equal(ahead.wanted(1, 19), 21, 'however often')
})

t.test('a long pipeline reads more each time, up to a bound', async (t) => {
  const ahead = new Ahead()
  const wanted = Array.from({ length: 6 }, () => ahead.wanted(1, 10_000))
  t.same(wanted, [34, 66, 130, 258, 514, 514])
})
