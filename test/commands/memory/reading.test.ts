// The commands that read a graph of memories: what a snapshot shows, what recall answers and
// refuses, and what is said of what is not there.

import assert from 'node:assert/strict'
import t from 'tap'
import {
  contextNodesMax,
  entityCharsMax,
  hopsMax,
  questionCharsMax,
  recalledMax,
} from '../../../src/base/limits/memory.js'
import { type CommandRoom, eachRoom, type Reply } from '../../support/command-room.js'
import { ManualClock } from '../../support/engine-room.js'

const clock = new ManualClock()

/** One memory, a millisecond after the last. */
async function remember(room: CommandRoom, memory: Reply): Promise<string> {
  clock.ms++
  const { results } = await room.run({ rememberMemories: 'tour', memories: [memory] })
  return results[0].id
}

function idsOf(items: readonly Reply[]): string[] {
  return items.map(({ id }) => id)
}

await eachRoom(
  t,
  'a snapshot shows the newest nodes, the edges between them, and no internals',
  async (_t, room) => {
    const memories: string[] = []
    for (let i = 0; i < 6; i++) {
      memories.push(await remember(room, { text: `note ${i}`, source: { ref: 'notebook' } }))
    }
    const snapshot = await room.run({ graphSnapshot: 'tour', limit: 4 })
    assert.deepEqual(idsOf(snapshot.nodes), memories.slice(2).reverse())
    assert.equal(Number(snapshot.total), 6)
    assert.equal(snapshot.truncated, true, 'older nodes are left out')
    assert.deepEqual(snapshot.anchors, [])
    const ends = snapshot.edges.map(({ from, to, type }: Reply) => [from, type, to])
    assert.deepEqual(ends, [
      [memories[2], 'next', memories[3]],
      [memories[3], 'next', memories[4]],
      [memories[4], 'next', memories[5]],
    ])
    for (const shown of [...snapshot.nodes, ...snapshot.edges]) {
      for (const name of ['_id', 'keywords', 'contentKey', 'names', 'hashes']) {
        assert.equal(shown[name], undefined)
      }
    }
    const again = await room.run({ graphSnapshot: 'tour', limit: 4 })
    assert.deepEqual(again.seq, snapshot.seq)
    await remember(room, { text: 'one more' })
    for (let i = 0; i < 50; i++) await remember(room, { text: `more ${i}` })
    const later = await room.run({ graphSnapshot: 'tour' })
    assert.notDeepEqual(later.seq, snapshot.seq)
    assert.equal(later.nodes.length, 57)
    assert.equal(later.truncated, false)
    const times = later.nodes.map(({ createdAt }: Reply) => Number(createdAt))
    assert.deepEqual(
      times,
      [...times].sort((a, b) => b - a),
    )
  },
  { clock },
)

await eachRoom(
  t,
  'recall answers memories, their context, and on request what a score is made of',
  async (_t, room) => {
    const cow = await remember(room, { text: 'the cow jumped', entities: ['Moon'] })
    const dog = await remember(room, { text: 'the dog laughed' })
    await room.run({ relateNodes: 'tour', from: cow, to: dog, type: 'relates' })
    const found = await room.run({ recallMemories: 'tour', q: 'cow', explain: true })
    assert.equal(found.memories.length, 1)
    const [{ id, text, distance, score, explain, entities }] = found.memories
    assert.deepEqual({ id, text, distance }, { id: cow, text: 'the cow jumped', distance: 0 })
    assert.deepEqual(explain, { bm25: score, boost: 0, distance: 0 })
    assert.deepEqual(new Set(found.nodeIds), new Set([cow, dog, ...entities]))
    assert.equal(found.nodeIds[0], cow)
    assert.equal(found.edgeIds.length, 2)
    assert.equal(found.contextTruncated, false)
    const plain = await room.run({ recallMemories: 'tour', q: 'cow', hops: 0 })
    assert.deepEqual(plain.nodeIds, [cow])
    assert.equal(plain.memories[0].explain, undefined)
    const shared = await room.run({ recallMemories: 'tour', q: 'cow', neighbours: 0.5 })
    assert.deepEqual(idsOf(shared.memories), [cow, dog])
    const around = await room.run({ recallMemories: 'tour', entity: 'moon', hops: 2 })
    assert.deepEqual(
      around.memories.map(({ id, score, distance }: Reply) => ({ id, score, distance })),
      [
        { id: cow, score: 0.5, distance: 1 },
        { id: dog, score: 0.333333, distance: 2 },
      ],
    )
  },
  { clock },
)

await eachRoom(
  t,
  'recall refuses what is out of bounds, and an unknown entity',
  async (_t, room) => {
    await remember(room, { text: 'something' })
    const long = (count: number): string => 'é'.repeat(count)
    const wrong: readonly Reply[] = [
      {},
      { q: '' },
      { q: long(questionCharsMax + 1) },
      { entity: '' },
      { entity: long(entityCharsMax + 1) },
      { q: 'a', hops: 1.5 },
      { q: 'a', hops: -1 },
      { q: 'a', hops: hopsMax + 1 },
      { q: 'a', hops: Number.NaN },
      { q: 'a', limit: 0 },
      { q: 'a', limit: recalledMax + 1 },
      { q: 'a', neighbours: 1.5 },
      { q: 'a', neighbours: Number.NaN },
      { q: 'a', include: 'everything' },
    ]
    for (const args of wrong) {
      const { kind } = await room.refusal({ recallMemories: 'tour', ...args })
      assert.equal(kind, 'BadValue', JSON.stringify(args))
    }
    for (const limit of [0, 0.5, contextNodesMax + 1]) {
      assert.equal((await room.refusal({ graphSnapshot: 'tour', limit })).kind, 'BadValue')
    }
    const unknown = await room.refusal({ recallMemories: 'tour', entity: 'unknown' })
    assert.equal(unknown.kind, 'NodeNotFound')
    const whole = { q: long(questionCharsMax), entity: 'something' }
    assert.equal((await room.refusal({ recallMemories: 'tour', ...whole })).kind, 'NodeNotFound')
    const astral = '😀'.repeat(questionCharsMax)
    assert.deepEqual((await room.run({ recallMemories: 'tour', q: astral })).memories, [])
  },
  { clock },
)

await eachRoom(
  t,
  'an unwritten graph is empty',
  async (_t, room) => {
    const empty = { memories: [], nodeIds: [], edgeIds: [], contextTruncated: false, ok: 1 }
    assert.deepEqual(await room.run({ recallMemories: 'unwritten', q: 'anything' }), empty)
    const unknown = await room.refusal({ recallMemories: 'unwritten', entity: 'unknown' })
    assert.equal(unknown.kind, 'NodeNotFound', 'nor is any entity known there')
    const snapshot = await room.run({ graphSnapshot: 'unwritten' })
    const { nodes, edges, anchors, total, truncated } = snapshot
    assert.deepEqual({ nodes, edges, anchors }, { nodes: [], edges: [], anchors: [] })
    assert.equal(truncated, false)
    assert.equal(Number(total), 0)
    const { kind } = await room.refusal({ recallMemories: 'not a name!', q: 'a' })
    assert.equal(kind, 'BadValue')
  },
  { clock },
)

await eachRoom(
  t,
  'a graph with default settings scores by the golden vector',
  async (_t, room) => {
    const texts = ['red fox run', 'red red dog', 'blue fox jump high']
    for (const text of texts) await remember(room, { text })
    const { memories } = await room.run({ recallMemories: 'tour', q: 'red fox' })
    assert.deepEqual(
      memories.map(({ text, score }: Reply) => [text, score]),
      [
        ['red fox run', 0.980102],
        ['red red dog', 0.664957],
        ['blue fox jump high', 0.434457],
      ],
    )
  },
  { clock },
)

await eachRoom(
  t,
  'k1 and b of a graph decide how its memories are ranked',
  async (_t, room) => {
    const short = await remember(room, { text: 'red' })
    const often = await remember(room, { text: 'red red red and a good many other words beside' })
    const order = async (): Promise<string[]> => {
      return idsOf((await room.run({ recallMemories: 'tour', q: 'red' })).memories)
    }
    assert.deepEqual(await order(), [short, often])
    await room.run({ setGraph: 'tour', b: 0 })
    assert.deepEqual(await order(), [often, short])
    await room.run({ setGraph: 'tour', k1: 0 })
    assert.deepEqual(await order(), [often, short])
  },
  { clock },
)
