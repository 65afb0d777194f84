// A graph as a server of version 1 has left it: it is verified as it is, upgrades by itself with
// the next anchor, and roots of version 1 hold no longer than the upgrade leaf says. The documents
// were written by the last server before version 2. (docs/memory.md, "Proofs")

import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { systemClock, systemRandom } from '../../../../src/base/clock.js'
import { homeOf } from '../../../../src/engine/collection/catalog/homes.js'
import {
  getDocument,
  insertDocument,
  recordKey,
  removeDocument,
} from '../../../../src/engine/collection/collections.js'
import { checkGraphs } from '../../../../src/memory/check-graphs.js'
import {
  ensureGraph,
  findParts,
  type GraphPart,
  moveGraph,
} from '../../../../src/memory/graph/graph.js'
import { graphPath } from '../../../../src/memory/graph/graph-names.js'
import { graphPrograms } from '../../../../src/memory/proof/graph-programs.js'
import { recordMove } from '../../../../src/memory/proof/leaves/leaf-writing.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { stringValue } from '../../../../src/value/value.js'
import { AnchorRoom, database } from '../../../support/anchor-room.js'
import { CommandRoom } from '../../../support/command-room.js'

interface OldGraph extends Readonly<Record<GraphPart, readonly string[]>> {
  readonly graph: string
  readonly ids: readonly string[]
  readonly forgotten: string
}

t.setTimeout(300_000)
const old = JSON.parse(readFileSync('protocol-fixtures/memory/graph-v1.json', 'utf8')) as OldGraph
const { graph } = old
const [, kept = '', , , , , waiting = ''] = old.ids
/** The old documents in a store of their own, with the chain that had their roots. */
async function opened(t: Test) {
  const store = openMemoryStore()
  const uuid = (i: number): Uint8Array => new Uint8Array(16).fill(i + 1)
  const creation = { owner: null, mode: 'private', now: 5, key: systemRandom.bytes(16) } as const
  await store.write(function* (tx) {
    const found = yield* ensureGraph(tx, database, graph, { ...creation, uuid })
    const key = recordKey(found.anchors, stringValue('graph'))
    const made = yield* getDocument(tx, found.anchors, key)
    if (made !== undefined) yield* removeDocument(tx, found.anchors, key, made)
    for (const part of ['nodes', 'edges', 'terms', 'anchors'] as const) {
      for (const hex of old[part]) {
        yield* insertDocument(tx, found[part], new Uint8Array(Buffer.from(hex, 'hex')))
      }
    }
  })
  // The graph has the same key in each test: each has a chain of its own.
  const room = await AnchorRoom.open(t, { store })
  const commands = new CommandRoom(store, systemClock, { services: { proofs: room.anchoring } })
  const run = (command: Readonly<Record<string, unknown>>) => commands.run(command, database)
  return { room, run }
}

/** Sends the old roots to the chain of the test, under the old key, and nothing else. */
async function anchorOld(room: AnchorRoom): Promise<void> {
  for (const { id } of [...(await room.anchors(graph))].reverse()) {
    const none = { tx: null, block: null, anchoredAt: null, anchoredBy: null }
    await room.tamper(graph, 'anchors', id, (fields) => ({ ...fields, ...none, status: 'pending' }))
  }
  // One round: the next would anchor what waits.
  await room.anchoring.job.round()
}

t.test('an old graph is verified as it is, and upgrades with the next anchor', async (t) => {
  const { room, run } = await opened(t)
  await anchorOld(room)
  const anchored = old.ids.filter((id) => id !== old.forgotten && id !== waiting)
  for (const id of anchored) t.match(await room.verify(graph, id), { verified: true }, id)
  t.match(await room.verify(graph, old.forgotten), { problem: 'not found' })
  t.match(await room.verifyGraph(graph), { verified: true, anchors: 2, unanchored: 1 })
  t.same(await checkGraphs(room.store), [])

  await room.anchor(graph)
  const [first, ...before] = await room.anchors(graph)
  t.match(first, { version: 2, seq: 1, prev: null, status: 'confirmed' })
  t.match(before, [
    { version: 1, seq: 2 },
    { version: 1, seq: 1, prev: null },
  ])
  for (const id of [...anchored, waiting]) {
    t.match(await room.verify(graph, id), { verified: true, problem: null }, id)
  }
  // The chain of this test is younger than the memory that waited.
  const whole = { verified: true, anchors: 3, unanchored: 0, lateIds: [waiting], problem: null }
  t.match(await room.verifyGraph(graph), whole)
  t.same(await checkGraphs(room.store), [])
  const evidence = await room.anchoring.export(room.read(graph), kept)
  t.match(evidence, { leaf: null, anchor: { sequence: 1 } })

  await run({ updateMemory: graph, id: kept, status: 'superseded' })
  t.match(await room.verify(graph, kept), {
    ...{ verified: false, anchored: true, onChain: true, problem: 'changed since, not anchored' },
  })
  await room.anchor(graph)
  t.match(await room.verify(graph, kept), { verified: true })
  t.match(await room.verifyGraph(graph), { ...whole, anchors: 4 })
})

t.test('an upgrade that a crash interrupts goes on where it was', async (t) => {
  const { room } = await opened(t)
  await anchorOld(room)
  await room.tamper(graph, 'anchors', 'graph', (fields) => {
    return { ...fields, upgrading: { part: 'mem_', after: old.ids[0] } }
  })
  await room.anchor(graph)
  t.match(await room.verifyGraph(graph), { verified: true, sequence: 1, anchors: 3, problem: null })
  t.same(await checkGraphs(room.store), [], 'what had a leaf has no second one')
})

t.test('what hides that a graph is upgraded, or names another last root, is found', async (t) => {
  const { room } = await opened(t)
  await anchorOld(room)
  await room.anchor(graph)
  const changes: readonly [change: Record<string, unknown>, problem: string][] = [
    [{ proofs: undefined }, 'upgrade not proved'],
    [{ upgraded: undefined }, 'graph leaves not as recorded'],
    [
      { upgraded: { anchorId: 'anc_', root: 'other', sequence: 9 } },
      'graph leaves not as recorded',
    ],
  ]
  for (const [change, problem] of changes) {
    let before: Record<string, unknown> = {}
    await room.tamper(graph, 'anchors', 'graph', (fields) => {
      before = fields
      const after = { ...fields, ...change }
      return Object.fromEntries(Object.entries(after).filter(([, value]) => value !== undefined))
    })
    t.match(await room.verifyGraph(graph), { verified: false, problem })
    await room.tamper(graph, 'anchors', 'graph', () => before)
  }
  t.match(await room.verifyGraph(graph), { verified: true, problem: null, problems: [] })
})

t.test('a move is recorded, keeps the key, and is missed where it is not', async (t) => {
  const { room } = await opened(t)
  await anchorOld(room)
  await room.anchor(graph)
  const key = await room.key(graph)
  const away = { database: 'elsewhere', name: graph }
  const here = { database, name: graph }
  await room.inGraph(graph, (tx, found) => recordMove(tx, found, { from: here, to: away, at: 7 }))
  t.match(await room.verifyGraph(graph), { problem: 'graph moved without a leaf' })
  await room.inGraph(graph, (tx, found) => recordMove(tx, found, { from: away, to: here, at: 8 }))
  await room.anchor(graph)
  t.equal(await room.key(graph), key)
  t.match(await room.verifyGraph(graph), {
    problem: null,
    verified: true,
    graphKey: key,
    anchors: 4,
  })
})

t.test(
  'an old graph that is moved upgrades at its new place, under the key of its first',
  async (t) => {
    const { room } = await opened(t)
    await anchorOld(room)
    const key = await room.key(graph)
    const home = homeOf(`0x${'1'.repeat(40)}`)
    await room.store.write(function* (tx) {
      const parts = yield* findParts(tx, database, graph)
      if (parts !== undefined) yield* moveGraph(tx, parts, home, 7)
    })
    const programs = graphPrograms(room.store, home, graph)
    const sweep = () => room.proofs().verifyGraph(programs.read)
    t.match(await sweep(), { verified: true, problem: null, anchors: 2, graphKey: key })
    await room.anchoring.anchor(graphPath(home, graph), programs, undefined)
    await room.settle()
    t.match(await sweep(), { verified: true, problem: null, anchors: 3, graphKey: key })
    t.same(await checkGraphs(room.store), [])
  },
)
