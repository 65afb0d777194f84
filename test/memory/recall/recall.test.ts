// Recall: which memories, in which order, with which context. Chance graphs are compared with a
// search over plain lists; the bounds are tested from both sides.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { tickMsMax } from '../../../src/base/limits/engine.js'
import {
  contextEdgesMax,
  contextNodesMax,
  fanOutMax,
  questionTermsMax,
} from '../../../src/base/limits/memory.js'
import { type Edge, edgeTypes } from '../../../src/memory/nodes/edge.js'
import { Question } from '../../../src/memory/recall/question.js'
import { rounded } from '../../../src/memory/recall/ranking.js'
import type { Recall, RecallRequest } from '../../../src/memory/recall/recall.js'
import { ulid } from '../../../src/value/ulid.js'
import { addPostings, type GivenMemory, GraphRoom } from '../../support/graph-room.js'
import { runs } from '../../support/runs.js'
import { eachStore, openStore } from '../../support/stores.js'
import { turnsDuring } from '../../support/turns.js'

const words = ['ant', 'bee', 'cow', 'dog', 'elk']
const names = ['Ada', 'Bob', 'Cyd']
const manyPostings = 10_000
const postingsAtOnce = 1_000

interface Link {
  readonly from: number
  readonly to: number
  readonly weight: number
  readonly createdAt: number
  readonly type: string
}

interface GivenGraph {
  readonly memories: readonly GivenMemory[]
  readonly links: readonly Link[]
}

const memory: fc.Arbitrary<GivenMemory> = fc.record({
  text: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((w) => w.join(' ')),
  at: fc.nat(5),
  entities: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
  isSuperseded: fc.boolean(),
})

const link: fc.Arbitrary<Link> = fc.record({
  from: fc.nat(),
  to: fc.nat(),
  weight: fc.constantFrom(0.25, 0.5, 1),
  createdAt: fc.nat(3),
  type: fc.constantFrom(edgeTypes.next, edgeTypes.relates, 'other'),
})

const graph: fc.Arbitrary<GivenGraph> = fc.record({
  memories: fc.array(memory, { minLength: 1, maxLength: 25 }),
  links: fc.array(link, { maxLength: 30 }),
})

const request: fc.Arbitrary<Partial<RecallRequest>> = fc.record({
  question: fc.option(
    fc.constantFrom('ant', 'bee cow', 'elk and dog', 'what did Ada say of the cow?'),
    { nil: undefined },
  ),
  entity: fc.option(fc.constantFrom(...names), { nil: undefined }),
  hops: fc.nat(3),
  limit: fc.integer({ min: 1, max: 12 }),
  withSuperseded: fc.boolean(),
  neighbours: fc.constantFrom(0, 0.3, 1),
})

/** A graph that was written, and what it is made of. */
interface Written {
  readonly room: GraphRoom
  readonly ids: readonly string[]
  readonly edges: readonly Edge[]
}

async function write(room: GraphRoom, { memories, links }: GivenGraph): Promise<Written> {
  await room.create()
  const ids = await room.remember(...memories)
  const edges = new Map<string, Edge>()
  for (const { from, to, ...rest } of links) {
    const [a = '', b = ''] = [ids[from % ids.length], ids[to % ids.length]]
    const edge = room.edge(a, b, rest)
    if (!edges.has(edge.id)) await room.put(edge)
    if (!edges.has(edge.id)) edges.set(edge.id, edge)
  }
  return { room, ids, edges: [...edges.values(), ...room.mentions] }
}

await eachStore(t, 'a context is that of a search over lists', async (t, { store, kind }) => {
  let graphs = 0
  const property = fc.asyncProperty(
    graph,
    fc.array(request, { maxLength: 4 }),
    async (given, all) => {
      const written = await write(new GraphRoom(store, `g${graphs++}`), given)
      for (const request of all) {
        const { question, entity } = request
        if (question === undefined && entity === undefined) continue
        const isKnown = given.memories.some(({ entities }) => entities?.includes(entity ?? ''))
        if (entity !== undefined && !isKnown) {
          await assert.rejects(written.room.recall(request), /there is no entity/)
          continue
        }
        const found = await written.room.recall(request)
        checkContext(written, request, found)
        checkMemories(given, written, request, found)
      }
    },
  )
  await fc.assert(property, { numRuns: runs(kind === 'late' ? 4 : 20) })
  t.pass()
})

/** The nodes as a breadth-first search over all edges meets them. */
function searched(edges: readonly Edge[], seeds: readonly string[], hops: number): string[][] {
  const met = new Set(seeds)
  const levels = [[...seeds]]
  for (let hop = 1; hop <= hops; hop++) {
    const level: string[] = []
    for (const node of [...(levels[hop - 1] ?? [])].sort()) {
      const own = edges.filter(({ from, to }) => from === node || to === node)
      for (const { from, to } of own.sort(inOrder)) {
        const other = from === node ? to : from
        if (met.has(other)) continue
        met.add(other)
        level.push(other)
      }
    }
    levels.push(level)
  }
  return levels
}

function inOrder(a: Edge, b: Edge): number {
  return b.weight - a.weight || b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1)
}

function checkContext(
  { room, edges }: Written,
  { entity, hops = 1 }: Partial<RecallRequest>,
  { context }: Recall,
): void {
  const nodes = [...context.distances.keys()]
  const seeds = nodes.filter((node) => context.distances.get(node) === 0)
  if (entity !== undefined) assert.deepEqual(seeds, [room.entity(entity)])
  const levels = searched(edges, seeds, hops)
  assert.deepEqual(nodes, levels.flat())
  for (const [distance, level] of levels.entries()) {
    for (const node of level) assert.equal(context.distances.get(node), distance)
  }
  const within = edges.filter(({ from, to }) => nodes.includes(from) && nodes.includes(to))
  const ids = within.map(({ id }) => id).sort()
  assert.deepEqual(
    context.edges.map(({ id }) => id),
    ids,
  )
  assert.equal(context.isTruncated, false)
}

function checkMemories(
  { memories: given }: GivenGraph,
  { ids }: Written,
  {
    question,
    entity,
    hops = 1,
    limit = 20,
    withSuperseded,
    neighbours = 0,
  }: Partial<RecallRequest>,
  { memories, context }: Recall,
): void {
  assert.ok(memories.length <= limit)
  for (const { memory, score, distance, bm25, boost } of memories) {
    const isSuperseded = given[ids.indexOf(memory.id)]?.isSuperseded === true
    assert.ok(withSuperseded === true || !isSuperseded)
    assert.equal(context.distances.get(memory.id), distance)
    assert.ok(score > 0)
    if (question === undefined) assert.equal(score, rounded(1 / (1 + distance)))
    else if (entity === undefined) assertNear(score, bm25 + boost)
    else assertNear(score, (bm25 + boost) / (1 + 0.5 * distance))
    if (question !== undefined && entity !== undefined) assert.ok(bm25 > 0)
    if (hops === 0 && entity === undefined) assert.equal(distance, 0)
    if (neighbours === 0 && entity !== undefined) assert.equal(boost, 0)
  }
  const order = memories.map((found) => ({ ...found.memory, ...found }))
  for (const [i, next] of order.slice(1).entries()) {
    const before = order[i]
    if (before === undefined) continue
    const difference =
      before.score - next.score ||
      next.distance - before.distance ||
      before.createdAt - next.createdAt ||
      (before.id < next.id ? 1 : -1)
    assert.ok(difference > 0)
  }
}

/** Both are rounded to six decimals. */
function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 3e-6, `${actual} is ${expected}`)
}

t.test('a context ends at its bound, and says so when it is reached', async (t) => {
  const room = new GraphRoom(await openStore(t, 'memory'))
  await room.create()
  const count = contextNodesMax - 2
  const given = Array.from({ length: count }, () => ({ text: 'a note', entities: ['Hub'] }))
  await room.remember(...given)
  const before = await room.recall({ entity: 'hub', limit: 100 })
  assert.equal(before.context.distances.size, contextNodesMax - 1)
  assert.equal(before.context.isTruncated, false)
  assert.equal(before.context.edges.length, count)
  await room.remember(...given.slice(0, 2))
  const after = await room.recall({ entity: 'hub', limit: 100, hops: 10 })
  assert.equal(after.context.distances.size, contextNodesMax)
  assert.equal(after.context.isTruncated, true)
  assert.equal(after.context.edges.length, contextNodesMax - 1)
  assert.equal(after.memories.length, 100)
})

t.test('no more edges of a node are read than its fan-out', async (t) => {
  const room = new GraphRoom(await openStore(t, 'memory'))
  await room.create()
  const [hub = '', other = ''] = await room.remember({ text: 'hub' }, { text: 'other' })
  for (let i = 0; i < fanOutMax; i++) await room.relate(hub, other, { type: `t${i}` })
  const whole = await room.recall({ question: 'hub' })
  assert.equal(whole.context.isTruncated, false)
  assert.equal(whole.context.edges.length, fanOutMax)
  await room.relate(hub, other, { type: 'one more' })
  const cut = await room.recall({ question: 'hub' })
  assert.equal(cut.context.isTruncated, true)
  assert.equal(cut.context.edges.length, fanOutMax)
})

t.test('no more edges are read than a context has', async (t) => {
  const room = new GraphRoom(await openStore(t, 'memory'))
  await room.create()
  const count = contextEdgesMax / fanOutMax + 1
  const ids = await room.remember(...Array.from({ length: count }, () => ({ text: 'hub' })))
  for (const [i, from] of ids.entries()) {
    const to = ids[(i + 1) % count] ?? ''
    const edges = Array.from({ length: fanOutMax }, (_, n) =>
      room.edge(from, to, { type: `t${n}` }),
    )
    await room.put(...edges)
  }
  const { context } = await room.recall({ question: 'hub' })
  assert.equal(context.isTruncated, true)
  assert.equal(context.edges.length, contextEdgesMax)
  assert.equal(context.distances.size, count)
})

t.test('an entity that a question names brings what is linked to it', async (t) => {
  const room = new GraphRoom(await openStore(t, 'memory'))
  await room.create()
  const [linked = '', said = ''] = await room.remember(
    { text: 'lives near the old harbour', entities: ['Ada Lovelace'] },
    { text: 'where does the ferry stop' },
    { text: 'moved away', entities: ['Ada Lovelace'], isSuperseded: true },
  )
  const { memories } = await room.recall({ question: 'Where does ada  lovelace stay?' })
  assert.deepEqual(
    memories.map(({ memory }) => memory.id),
    [linked],
  )
  const both = await room.recall({ question: 'ferry near ADA LOVELACE', hops: 0 })
  assert.deepEqual(
    both.memories.map(({ memory }) => memory.id),
    [linked, said],
  )
  assert.ok((both.memories[0]?.boost ?? 0) > 0)
  assert.equal(both.memories[1]?.boost, 0)
})

t.test('neighbours share their scores where that is asked for', async (t) => {
  const room = new GraphRoom(await openStore(t, 'memory'))
  await room.create()
  const [asked = '', answer = '', other = ''] = await room.remember(
    { text: 'which colour is the boat' },
    { text: 'it is green' },
    { text: 'nothing to see' },
  )
  await room.relate(asked, answer, { type: edgeTypes.next })
  await room.relate(asked, other, { type: 'other' })
  const ids = async (given: Partial<RecallRequest>): Promise<string[]> => {
    const { memories } = await room.recall({ question: 'colour of the boat', ...given })
    return memories.map(({ memory }) => memory.id)
  }
  assert.deepEqual(await ids({}), [asked])
  assert.deepEqual(await ids({ neighbours: 0.5 }), [asked, answer])
  assert.deepEqual(await ids({ neighbours: 0.5, hops: 0 }), [asked])
  const { memories } = await room.recall({ question: 'colour of the boat', neighbours: 0.5 })
  const [first, second] = memories
  assertNear(second?.score ?? 0, 0.5 * (first?.bm25 ?? 0))
  assert.equal(second?.bm25, 0)
})

t.test('a memory between two that answer gets the share of the better one alone', async (t) => {
  const room = new GraphRoom(await openStore(t, 'memory'))
  await room.create()
  const [good = '', between = '', better = ''] = await room.remember(
    { text: 'a boat' },
    { text: 'it is green' },
    { text: 'the colour of a boat' },
  )
  await room.relate(good, between, { type: edgeTypes.next })
  await room.relate(between, better, { type: edgeTypes.next })
  const { memories } = await room.recall({ question: 'colour of the boat', neighbours: 0.9 })
  const scored = new Map(memories.map((recalled) => [recalled.memory.id, recalled]))
  assertNear(scored.get(between)?.score ?? 0, 0.9 * (scored.get(better)?.bm25 ?? 0))
  assert.equal(memories[0]?.memory.id, better)
})

t.test('terms beyond the bound are not looked for', async (t) => {
  const room = new GraphRoom(await openStore(t, 'memory'))
  await room.create()
  await room.remember({ text: 'zebra' })
  const filler = Array.from({ length: questionTermsMax }, (_, i) => `w${i}`).join(' ')
  const found = async (question: string): Promise<number> => {
    return (await room.recall({ question })).memories.length
  }
  assert.equal(await found(`zebra ${filler}`), 1)
  assert.equal(await found(`${filler} zebra`), 0)
})

t.test('many postings let others have their turn', async (t) => {
  let ms = 0
  // Whenever it is asked, the time of a turn is over.
  const clock = { now: () => 0, elapsed: () => (ms += 2 * tickMsMax) }
  const store = await openStore(t, 'memory', clock)
  const room = new GraphRoom(store)
  const graph = await room.create()
  const terms = new Map([['ant', 1]])
  const random = new Uint8Array(10)
  for (let start = 0; start < manyPostings; start += postingsAtOnce) {
    const posted = Array.from({ length: postingsAtOnce }, (_, i) => {
      const id = `mem_${ulid(start + i, random)}`
      return { id, terms, length: 1, isSuperseded: false }
    })
    await store.write((tx) => addPostings(tx, graph.terms, posted))
  }
  const turns = await turnsDuring(async () => {
    const best = await store.read(function* (tx) {
      const options = { withSuperseded: false, namesEntities: true }
      const question = yield* Question.read(tx, graph, 'ant', options)
      return yield* question.best(tx, 2)
    })
    assert.deepEqual(
      best.map(({ createdAt }) => createdAt),
      [manyPostings - 1, manyPostings - 2],
    )
  })
  assert.ok(turns >= manyPostings / 2_000, `${turns} turns`)
})
