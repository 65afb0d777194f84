// The snapshot says when it leaves something out: nodes older than those that it shows, and edges
// between these where there are more than it looks at. Each bound is tested from both sides.

import t, { type Test } from 'tap'
import { contextEdgesMax, contextNodesMax, fanOutMax } from '../../../src/base/limits.js'
import { type Snapshot, snapshotOf } from '../../../src/memory/recall/snapshot.js'
import { GraphRoom } from '../../support/graph-room.js'
import { openStore } from '../../support/stores.js'

async function openRoom(t: Test): Promise<GraphRoom> {
  const room = new GraphRoom(await openStore(t, 'memory'))
  await room.create()
  return room
}

async function snapshot(room: GraphRoom, limit = contextNodesMax): Promise<Snapshot> {
  const graph = await room.graph()
  return room.store.read((tx) => snapshotOf(tx, graph, limit))
}

function notes(count: number): { readonly text: string }[] {
  return Array.from({ length: count }, () => ({ text: 'a note' }))
}

/** Edges of as many types from one node to another. */
function bundle(room: GraphRoom, from: string, to: string, count: number): Promise<void> {
  const edges = Array.from({ length: count }, (_, i) => room.edge(from, to, { type: `t${i}` }))
  return room.put(...edges)
}

t.test('a snapshot without the oldest nodes says so', async (t) => {
  const room = await openRoom(t)
  await room.remember(...notes(contextNodesMax))
  const whole = await snapshot(room)
  t.match(whole, { total: contextNodesMax, isTruncated: false })
  t.equal(whole.nodes.length, contextNodesMax)
  t.equal((await snapshot(room, contextNodesMax - 1)).isTruncated, true)
  await room.remember(...notes(1))
  const cut = await snapshot(room)
  t.match(cut, { total: contextNodesMax + 1, isTruncated: true })
  t.equal(cut.nodes.length, contextNodesMax)
})

t.test('a snapshot without all edges of a node says so', async (t) => {
  const room = await openRoom(t)
  const [hub = '', other = ''] = await room.remember(...notes(2))
  await bundle(room, hub, other, fanOutMax)
  const whole = await snapshot(room)
  t.equal(whole.edges.length, fanOutMax)
  t.equal(whole.isTruncated, false)
  await room.relate(hub, other, { type: 'one more' })
  const cut = await snapshot(room)
  t.equal(cut.edges.length, fanOutMax)
  t.equal(cut.isTruncated, true)
})

t.test('a snapshot without all edges of its nodes says so', async (t) => {
  const room = await openRoom(t)
  const count = contextEdgesMax / fanOutMax
  const ids = await room.remember(...notes(count + 1))
  const [last = ''] = ids.slice(-1)
  for (const id of ids.slice(0, count)) await bundle(room, id, last, fanOutMax)
  const whole = await snapshot(room)
  t.equal(whole.edges.length, contextEdgesMax)
  t.equal(whole.isTruncated, false)
  await room.relate(last, ids[0] ?? '')
  const cut = await snapshot(room)
  t.equal(cut.edges.length, contextEdgesMax)
  t.equal(cut.isTruncated, true)
})
