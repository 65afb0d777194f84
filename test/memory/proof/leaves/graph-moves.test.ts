// Graphs that are moved into another space keep their key on the chain and are proved as before,
// by a leaf that says where they were; a graph that lies elsewhere without one is found. (docs/
// memory.md, "Proofs")

import t, { type Test } from 'tap'
import { moveNamespace } from '../../../../src/engine/collection/catalog/catalog.js'
import { homeOf } from '../../../../src/engine/collection/catalog/homes.js'
import { checkGraphs } from '../../../../src/memory/check-graphs.js'
import {
  defaultGraph,
  ensureDefaultGraph,
  ensureGraph,
  findParts,
  moveGraph,
  partsOf,
} from '../../../../src/memory/graph/graph.js'
import { graphKey, placeOf } from '../../../../src/memory/graph/graph-key.js'
import { graphPath, waitingGraphs } from '../../../../src/memory/graph/graph-names.js'
import { graphPrograms } from '../../../../src/memory/proof/graph-programs.js'
import type { GraphVerdict } from '../../../../src/memory/proof/sweep/sweep.js'
import { AnchorRoom, database } from '../../../support/anchor-room.js'

t.setTimeout(240_000)

const graph = 'notes'
const home = homeOf(`0x${'1'.repeat(40)}`)
const second = 'elsewhere'
const at = 1_700_000_000_000

/** A graph with three memories under a root, and its key. */
async function anchored(t: Test) {
  const room = await AnchorRoom.open(t)
  const ids = await room.remember(graph, ['one', 'two', 'three'])
  await room.anchor(graph)
  return { room, ids, key: await room.key(graph) }
}

function programs({ store }: AnchorRoom, db: string) {
  return graphPrograms(store, db, graph)
}

async function sweep(room: AnchorRoom, db: string): Promise<GraphVerdict | undefined> {
  const verdict = await room.proofs().verifyGraph(programs(room, db).read)
  if (verdict?.cursor != null) throw new Error('the graph takes more than one request')
  return verdict
}

async function move(room: AnchorRoom, from: string, to: string, time = at): Promise<void> {
  await room.store.write(function* (tx) {
    const parts = yield* findParts(tx, from, graph)
    if (parts !== undefined) yield* moveGraph(tx, parts, to, time)
  })
}

async function anchor(room: AnchorRoom, db: string): Promise<void> {
  await room.anchoring.anchor(graphPath(db, graph), programs(room, db), undefined)
  await room.settle()
}

/** What a check finds among the anchors: the room writes no postings. */
async function proofsChecked({ store }: AnchorRoom): Promise<string[]> {
  const found = await checkGraphs(store)
  return found.filter(({ ns }) => ns.endsWith('.anchors')).map(({ text }) => text)
}

t.test('a moved graph keeps its key, and sweeps as verified before and after a root', async (t) => {
  const { room, ids, key } = await anchored(t)
  t.match(await sweep(room, database), { verified: true, graphKey: key, anchors: 1 })
  await move(room, database, home)
  t.equal(await sweep(room, database), undefined, 'it is not where it was')
  t.match(await sweep(room, home), { verified: true, problem: null, graphKey: key, memories: 3 })
  const { paths } = await room.store.read((tx) => waitingGraphs(tx, undefined, 10))
  t.ok(paths.includes(graphPath(home, graph)), 'the job looks at it at its new place')
  t.same(await proofsChecked(room), [])

  await anchor(room, home)
  await move(room, home, second, at + 1)
  await anchor(room, second)
  const whole = { verified: true, problem: null, problems: [], anchors: 3, unanchored: 0 }
  t.match(await sweep(room, second), { ...whole, graphKey: key, sequence: 3 })
  const verdicts = await room.proofs().verify(programs(room, second).read, ids)
  t.match(verdicts, [{ verified: true }, { verified: true }, { verified: true }])
  t.same(await proofsChecked(room), [])
})

t.test('a graph that lies elsewhere without a leaf is found', async (t) => {
  const { room, ids, key } = await anchored(t)
  await room.store.write(function* (tx) {
    const parts = yield* findParts(tx, database, graph)
    if (parts === undefined) return
    for (const ns of partsOf(parts)) yield* moveNamespace(tx, ns, home)
  })
  const problem = 'graph moved without a leaf'
  t.match(await sweep(room, home), { verified: false, problem, graphKey: key })
  const [verdict] = await room.proofs().verify(programs(room, home).read, ids)
  t.match(verdict, { verified: false, hashValid: true, onChain: true, problem })
  t.match(await proofsChecked(room), [problem])
  await move(room, home, second)
  t.match(await sweep(room, second), { problem }, 'a leaf of a later move does not hide it')
})

t.test('a graph that was moved before its first write has the key of its new place', async (t) => {
  const room = await AnchorRoom.open(t)
  const space = { owner: null, mode: 'private', now: at } as const
  const creation = { ...space, key: new Uint8Array(16).fill(7), uuid: () => new Uint8Array(16) }
  const found = await room.store.write(function* (tx) {
    yield* ensureDefaultGraph(tx, database, space)
    const parts = yield* findParts(tx, database, defaultGraph)
    if (parts !== undefined) yield* moveGraph(tx, parts, home, at)
    return yield* ensureGraph(tx, home, defaultGraph, creation)
  })
  t.same(placeOf(found), { database: home, name: defaultGraph })
  const { settings, anchors, name } = found
  const elsewhere = { ...settings, place: { database, name } }
  t.not(graphKey(found), graphKey({ name, anchors, settings: elsewhere }))
  const { read } = graphPrograms(room.store, home, defaultGraph)
  const verdict = await room.proofs().verifyGraph(read)
  t.match(verdict, { problem: 'not anchored yet', graphKey: graphKey(found) })
})
