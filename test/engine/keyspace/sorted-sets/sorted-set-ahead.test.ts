// How many members a pop reads at once: those that it takes and the next one, and one for each
// command that follows in the program, within a bound that grows as pops follow. Pops in a row read
// more, for later programs; what is kept for those is bounded too.

import t from 'tap'
import { Slice } from '../../../../src/base/bytes/slice.js'
import { KeptAheads } from '../../../../src/engine/keyspace/sorted-sets/kept-aheads.js'
import {
  Ahead,
  type AheadRest,
} from '../../../../src/engine/keyspace/sorted-sets/sorted-set-ahead.js'
import type { MembersId } from '../../../../src/engine/types.js'

const all = (members: number) => members
const none = () => 0

function membersOf(count: number, length = 8) {
  return Array.from({ length: count }, (_, score) => {
    return { member: Slice.of(new Uint8Array(length).fill(score)), score }
  })
}

t.test('a pop reads no more ahead than commands follow', async (t) => {
  const ahead = new Ahead()
  t.equal(ahead.wanted(1, 0, false, all), 2, 'the last command: what it takes and the next edge')
  t.equal(ahead.wanted(5, 0, false, all), 6)
  t.equal(ahead.wanted(1, 19, false, all), 21)
  t.equal(ahead.wanted(1, 19, false, all), 21, 'however often')
})

t.test('a long pipeline reads more each time, up to a bound', async (t) => {
  const ahead = new Ahead()
  const wanted = Array.from({ length: 6 }, () => ahead.wanted(1, 10_000, false, all))
  t.same(wanted, [34, 66, 130, 258, 514, 514])
})

t.test('what was popped in a row is read again for later programs, up to a bound', async (t) => {
  const ahead = new Ahead()
  ahead.fill(membersOf(1_000), false)
  for (let i = 0; i < 20; i++) ahead.take()
  t.equal(ahead.wanted(1, 0, false, all), 22)
  t.equal(ahead.wanted(1, 0, false, none), 2, 'if the program has room')
  t.equal(ahead.wanted(1, 5, false, all), 22, 'with those for the commands that follow')
  ahead.takeAll(900)
  t.equal(ahead.wanted(1, 0, false, all), 514)
  t.equal(ahead.wanted(1, 0, true, all), 2, 'not at the other end')
  t.equal(ahead.wanted(1, 0, false, all), 2, 'which ends the row')
})

t.test('a later program continues with what is left, but not after another change', async (t) => {
  const ahead = new Ahead()
  t.equal(ahead.rest(), undefined)
  const members = membersOf(10)
  ahead.fill(members, true)
  ahead.take()
  const rest = ahead.rest()
  const next = new Ahead()
  next.recall(rest as AheadRest)
  t.ok(next.has(8, true))
  t.notOk(next.has(1, false))
  t.equal(next.first?.score, 1)
  t.ok(next.first?.member.equals(members[1]?.member as Slice))
  t.not(next.first?.member.bytes, members[1]?.member.bytes, 'in memory of its own')
  next.take()
  t.equal(next.first?.score, 2)
  t.equal(next.rest()?.members, rest?.members, 'which all programs share')
  t.equal(rest?.at, 0, 'and none changes')
  next.forget()
  t.equal(next.rest(), undefined)
})

t.test('long members are not kept', async (t) => {
  const ahead = new Ahead()
  ahead.fill([...membersOf(3), ...membersOf(1, 1_200), ...membersOf(3)], false)
  ahead.take()
  t.equal(ahead.rest()?.members.length, 2)
})

t.test('what is kept of all sets is bounded', async (t) => {
  const kept = new KeptAheads(100_000)
  for (let id = 1; id <= 100; id++) {
    const ahead = new Ahead()
    ahead.fill(membersOf(100, 50), false)
    ahead.take()
    const rest = ahead.rest() as AheadRest
    kept.set(id as MembersId, { record: new Uint8Array(20), version: id, rest })
  }
  t.ok(kept.bytes <= 100_000)
  t.equal(kept.find(1 as MembersId), undefined)
  t.equal(kept.find(100 as MembersId)?.version, 100)
})
