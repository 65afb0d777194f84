// Edges of a large sorted set: a place that is too long for the head is known until the program
// ends, so that removals in a row do not search past each other.

import t from 'tap'
import { Edges } from '../../../../src/engine/keyspace/sorted-sets/sorted-set-edges.js'

const placeOf = (first: number, length: number) => new Uint8Array(length).fill(first)

t.test('a long place is known, and not stored', async (t) => {
  const edges = new Edges(undefined, undefined)
  edges.begin(placeOf(2, 300))
  edges.finish(placeOf(4, 30))
  t.same(edges.stored, { highest: placeOf(4, 30) })
  t.equal(edges.bytes, new Edges(undefined, placeOf(4, 30)).bytes)
  t.ok(edges.hasAt(placeOf(2, 300), 300))
  t.ok(edges.areFirst(placeOf(1, 9), placeOf(2, 300)))
  t.notOk(edges.areFirst(placeOf(3, 300), placeOf(3, 300)), 'another one is not the first')
})

t.test('a long place before the first one becomes the first one', async (t) => {
  const edges = new Edges(placeOf(2, 30), placeOf(4, 30))
  const reused = placeOf(1, 400)
  edges.added(reused, 300)
  reused.fill(9)
  t.same(edges.lowest, placeOf(1, 300))
  t.same(edges.stored, { highest: placeOf(4, 30) })
  edges.lose(placeOf(1, 300))
  t.equal(edges.lowest, undefined)
})

t.test('long places take no room of the head', async (t) => {
  const edges = new Edges(placeOf(2, 300), placeOf(4, 300))
  edges.fit(0)
  t.same(edges.lowest, placeOf(2, 300))
  const short = new Edges(placeOf(2, 30), placeOf(4, 30))
  short.fit(50)
  t.equal(short.highest, undefined)
  t.same(short.lowest, placeOf(2, 30))
})
