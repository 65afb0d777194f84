// The snapshot says when it leaves something out: nodes older than those that it shows, and edges
// between these where there are more than it looks at. Each bound is tested from both sides.

import t, { type Test } from 'tap'
import { contextEdgesMax, contextNodesMax, fanOutMax } from '../../../src/base/limits/memory.js'
import { type Snapshot, snapshotOf } from '../../../src/memory/recall/snapshot.js'
import { CommandRoom, type Reply } from '../../support/command-room.js'
import { ManualClock } from '../../support/engine-room.js'
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

t.test('a snapshot shows the newest memories with what they mention', async (t) => {
  const clock = new ManualClock()
  const room = new CommandRoom(await openStore(t, 'memory'), clock)
  for (let i = 0; i < contextNodesMax + 10; i++) {
    clock.ms++
    const entities = ['hub', `topic ${Math.floor(i / 50)}`]
    await room.run({ rememberMemories: 'g', memories: [{ text: `note ${i}`, entities }] })
  }
  const { nodes, edges, truncated } = await room.run({ graphSnapshot: 'g' })
  const ids = new Set(nodes.map(({ id }: Reply) => id))
  t.equal(nodes.length, contextNodesMax)
  t.equal(truncated, true)
  t.ok(nodes.some(({ name }: Reply) => name === 'hub'))
  t.equal(nodes[0].text, `note ${contextNodesMax + 9}`, 'the newest first')
  const memories = nodes.filter(({ type }: Reply) => type === 'memory')
  for (const { id, text } of memories) {
    const mentioned = edges.filter(({ from }: Reply) => from === id)
    t.equal(mentioned.length, 2, text)
    t.ok(mentioned.every(({ to }: Reply) => ids.has(to)))
  }
})

t.test('a snapshot follows merged entities, and shows a part of too many', async (t) => {
  const room = new CommandRoom(await openStore(t, 'memory'), new ManualClock())
  const entities = ['a1', 'a2', 'a3']
  await room.run({ rememberMemories: 'g', memories: [{ text: 'first', entities }] })
  const one = await room.run({ graphSnapshot: 'g', limit: 2 })
  t.match(one.nodes.map(({ type }: Reply) => type).sort(), ['entity', 'memory'])
  t.equal(one.truncated, true)
  await room.run({ mergeEntities: 'g', from: 'a2', into: 'a3' })
  const { nodes, edges } = await room.run({ graphSnapshot: 'g' })
  t.equal(nodes.length, 3)
  t.equal(edges.length, 2)
})
