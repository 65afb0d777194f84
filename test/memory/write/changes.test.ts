// Graphs that change: memories that go, edges that come and go, entities that turn out to be one.
// After each, nothing is left of what went, and every part says the same.

import fc from 'fast-check'
import t from 'tap'
import { edgesPerProgram } from '../../../src/base/limits/memory.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { checkGraphs } from '../../../src/memory/check-graphs.js'
import { findGraph } from '../../../src/memory/graph/graph.js'
import { requireMemory } from '../../../src/memory/write/memory-plan.js'
import { replaceMemory } from '../../../src/memory/write/remember.js'
import type { Store } from '../../../src/store/store.js'
import { type CommandRoom, eachRoom, type Reply } from '../../support/command-room.js'
import { runs } from '../../support/runs.js'

type Given = Readonly<Record<string, unknown>>

async function remember(room: CommandRoom, ...memories: readonly Given[]): Promise<string[]> {
  const { results } = await room.run({ rememberMemories: 'g', memories })
  return results.map(({ id }: Reply) => String(id))
}

async function isSound(t: Tap, store: Store): Promise<void> {
  t.same(await checkStore(store), [])
  t.same(await checkGraphs(store), [])
}

type Tap = Pick<typeof t, 'same'>

/** Everything of every part, as text. */
async function everything(room: CommandRoom): Promise<string> {
  const parts = ['nodes', 'edges', 'terms', 'anchors']
  return JSON.stringify(await Promise.all(parts.map((part) => room.all(`memory.g.${part}`))))
}

eachRoom(t, 'what is forgotten is found nowhere', async (t, room, { store }) => {
  const [kept] = await remember(room, { text: 'Something about Zebra', entities: ['Zebra'] })
  const [id] = await remember(room, {
    text: 'The secret is xyzzyplugh, says mail@hidden.test to Zebra',
    entities: ['Hidden One'],
    keywords: ['plover'],
    edges: [{ to: kept }],
  })
  const { deleted, edges } = await room.run({ forgetMemory: 'g', id })
  t.same([deleted, edges], [true, 4])
  const left = await everything(room)
  for (const trace of ['xyzzyplugh', 'hidden', 'plover', String(id)]) {
    t.notOk(left.includes(trace), `no part has ${trace}`)
  }
  t.equal((await room.refusal({ getMemory: 'g', id })).kind, 'NodeNotFound')
  t.equal((await room.refusal({ forgetMemory: 'g', id })).kind, 'NodeNotFound')
  t.equal((await room.refusal({ recallMemories: 'g', entity: 'Hidden One' })).kind, 'NodeNotFound')
  t.same((await room.run({ recallMemories: 'g', q: 'xyzzyplugh plover' })).memories, [])
  const { nodes } = await room.run({ graphSnapshot: 'g' })
  t.same(nodes.map(({ name, text }: Reply) => name ?? text).sort(), [
    'Something about Zebra',
    'Zebra',
  ])
  await isSound(t, store)
  const entity = (await room.all('memory.g.nodes', { type: 'entity' }))[0]?._id
  t.equal((await room.refusal({ forgetMemory: 'g', id: entity })).kind, 'NodeNotFound')
})

eachRoom(t, 'a memory that another mentions stays when that is forgotten', async (t, room, of) => {
  const [kept] = await remember(room, { text: 'kept' })
  const edges = [{ to: kept, type: 'mentions' }]
  const [gone] = await remember(room, { text: 'gone', edges })
  await room.run({ forgetMemory: 'g', id: gone })
  t.equal((await room.run({ getMemory: 'g', id: kept })).memory.text, 'kept')
  await isSound(t, of.store)
})

eachRoom(t, 'of an anchored memory the hash stays', async (t, room, { store }) => {
  const [id = ''] = await remember(room, { text: 'to be anchored' })
  const { hash } = (await room.run({ getMemory: 'g', id })).memory
  await store.write(function* (tx) {
    const graph = yield* findGraph(tx, 'test', 'g')
    if (graph === undefined) return
    const memory = yield* requireMemory(tx, graph, id)
    yield* replaceMemory(tx, graph, { ...memory, anchorId: 'anc_1' })
  })
  await room.run({ forgetMemory: 'g', id })
  const tombstones = await room.all('memory.g.anchors', { _id: /^tomb_/ })
  t.match(tombstones, [{ id, hash, anchorId: 'anc_1' }])
  t.notOk(JSON.stringify(tombstones).includes('to be anchored'))
  await isSound(t, store)
})

eachRoom(
  t,
  'a hub is forgotten and merged in several programs',
  async (t, room, { store }) => {
    const entities = ['From', 'Into', 'Secret']
    const [hub] = await remember(room, { text: 'hub', entities })
    const more = 2 * edgesPerProgram + 100
    for (let start = 0; start < more; start += 100) {
      const memories = Array.from({ length: 100 }, (_, i) => ({
        ...{ text: `leaf ${start + i}`, entities: ['From'], edges: [{ to: hub }] },
      }))
      await remember(room, ...memories)
    }
    const { moved } = await room.run({ mergeEntities: 'g', from: 'From', into: 'Into' })
    t.equal(moved, more + 1)
    const { edges } = await room.run({ forgetMemory: 'g', id: hub })
    t.equal(edges, more + 2)
    const secret = await room.all('memory.g.nodes', { normName: 'secret' })
    t.same(secret, [], 'what only the hub has named is gone, too')
    await isSound(t, store)
  },
  { kinds: ['memory'] },
)

eachRoom(t, 'only what is not hashed changes', async (t, room, { store }) => {
  const [id] = await remember(room, { text: 'to be changed', entities: ['Thing'] })
  const before = (await room.run({ getMemory: 'g', id })).memory
  const set = async (change: Given) => (await room.run({ updateMemory: 'g', id, ...change })).memory
  t.match(await set({ validTo: 77 }), { validTo: 77, status: 'active' })
  t.match(await set({ status: 'superseded' }), { validTo: 77, status: 'superseded' })
  t.notOk('validTo' in (await set({ validTo: null })))
  const after = await set({ status: 'active' })
  t.same({ ...after, updatedAt: 0 }, { ...before, updatedAt: 0 })
  for (const change of [{}, { status: 'gone' }, { validTo: 'x' }, { text: 'other' }]) {
    t.notSame((await room.refusal({ updateMemory: 'g', id, ...change })).code, 0)
  }
  t.equal((await room.refusal({ updateMemory: 'none', id, validTo: 1 })).kind, 'NodeNotFound')
  await isSound(t, store)
})

eachRoom(t, 'edges come, change and go', async (t, room, { store }) => {
  const [a, b] = await remember(room, { text: 'one', entities: ['Alpha'] }, { text: 'two' })
  const relate = (given: Given) => room.run({ relateNodes: 'g', from: a, to: b, ...given })
  const made = await relate({ weight: 0.5, validFrom: 3, source: 'me' })
  t.same([made.created, made.edge.type, made.edge.weight], [true, 'relates', 0.5])
  const changed = await relate({ validTo: 9 })
  t.match(changed, {
    created: false,
    edge: { weight: 0.5, validFrom: 3, validTo: 9, source: 'me' },
  })
  t.equal((await relate({ to: 'ALPHA', type: 'about' })).created, true, 'a name will do')
  t.equal((await room.run({ getMemory: 'g', id: b })).edges.length, 1)
  const refusals: readonly (readonly [Given, string])[] = [
    [{ to: a }, 'BadValue'],
    [{ to: 'unknown' }, 'NodeNotFound'],
    [{ weight: -1 }, 'BadValue'],
    [{ weight: Number.NaN }, 'BadValue'],
    [{ type: 'supersedes' }, 'BadValue'],
    [{ type: 'a\u001fb' }, 'BadValue'],
  ]
  for (const [given, kind] of refusals) {
    const command = { relateNodes: 'g', from: a, to: b, ...given }
    t.equal((await room.refusal(command)).kind, kind, JSON.stringify(given))
  }
  t.same(await room.run({ unrelateNodes: 'g', id: made.edge.id }), { deleted: true, ok: 1 })
  const again = { unrelateNodes: 'g', from: a, to: b, type: 'relates' }
  t.equal((await room.refusal(again)).kind, 'EdgeNotFound')
  await room.run({ unrelateNodes: 'g', from: a, to: 'alpha', type: 'about' })
  t.equal((await room.refusal({ unrelateNodes: 'g' })).kind, 'BadValue')
  await isSound(t, store)
})

eachRoom(t, 'memories of a batch give one entity names under all that it was', async (t, room) => {
  await remember(room, { text: 'one', entities: [{ name: 'bob', kind: 'person' }, 'robert'] })
  const bob = (await room.all('memory.g.nodes', { kind: 'person' }))[0]?._id
  await room.run({ mergeEntities: 'g', from: bob, into: 'robert' })
  const former = { name: 'bob', kind: 'person' }
  await remember(
    room,
    { text: 'two', entities: [{ ...former, aliases: ['bo'] }] },
    { text: 'three', entities: [{ name: 'robert', aliases: ['rob'] }] },
    { text: 'four', entities: [{ ...former, aliases: ['bobby'] }] },
  )
  const [robert] = await room.all('memory.g.nodes', { type: 'entity' })
  t.same(robert?.aliases, ['bob', 'bo', 'rob', 'bobby'])
})

eachRoom(t, 'two entities become one, and the old id goes on', async (t, room, { store }) => {
  const given = [
    { text: 'NYC is large', entities: [{ name: 'NYC', aliases: ['Big Apple'] }] },
    { text: 'New York has parks', entities: ['New York', 'NYC'] },
  ]
  const [a, b] = await remember(room, ...given)
  const memory = (await room.run({ getMemory: 'g', id: a })).memory
  const [old] = memory.entities
  await room.run({ relateNodes: 'g', from: old, to: 'New York' })
  const { entity, moved } = await room.run({ mergeEntities: 'g', from: old, into: 'New York' })
  t.same([entity.name, entity.aliases, moved], ['New York', ['nyc', 'big apple'], 3])
  for (const name of [old, 'nyc', 'big apple', 'new york', entity.id]) {
    const { nodeIds } = await room.run({ recallMemories: 'g', entity: name })
    t.equal(nodeIds[0], entity.id, `${name} means it`)
  }
  const edges = await room.all('memory.g.edges', { to: entity.id })
  t.same(edges.map(({ from }) => from).sort(), [a, b], 'no edge twice, none to itself')
  t.same((await room.run({ getMemory: 'g', id: a })).memory, memory, 'what was hashed stays')
  const [c] = await remember(room, { text: 'later', entities: ['nyc', old] })
  t.same((await room.run({ getMemory: 'g', id: c })).memory.entities, [entity.id])
  for (const [from, into] of [
    ['New York', entity.id],
    ['unknown', 'nyc'],
    [a, 'nyc'],
  ]) {
    const { kind } = await room.refusal({ mergeEntities: 'g', from, into })
    t.ok(['BadValue', 'NodeNotFound'].includes(kind), `${from} into ${into}`)
  }
  await isSound(t, store)
})

/** A step of a random history; numbers choose among what is there. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('remember'), a: fc.nat(), b: fc.nat() }) },
  ...['forget', 'supersede', 'relate', 'merge', 'update'].map((kind) => ({
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant(kind), a: fc.nat(), b: fc.nat() }),
  })),
)

const words = ['red', 'fox', 'runs', 'blue', 'dog', 'Alice', 'Bob', 'Paris', 'and', 'then']
const names = ['Alice', 'Bob', 'Paris', 'alice b', 'bob c']

async function take(
  room: CommandRoom,
  ids: string[],
  { kind, a, b }: { readonly kind: string; readonly a: number; readonly b: number },
): Promise<void> {
  const pick = <T>(from: readonly T[], n: number): T | undefined =>
    from[n % Math.max(1, from.length)]
  const text = Array.from({ length: 1 + (a % 6) }, (_, i) => pick(words, (a >>> i) + b * i)).join(
    ' ',
  )
  const given = { text, entities: [pick(names, b)], source: { ref: `r${a % 3}` } }
  const id = pick(ids, a)
  if (kind === 'remember') ids.push(...(await remember(room, given)))
  else if (kind === 'merge') {
    await room.run({ mergeEntities: 'g', from: pick(names, a), into: pick(names, b) })
  } else if (id === undefined) return
  else if (kind === 'forget') await room.run({ forgetMemory: 'g', id })
  else if (kind === 'supersede') ids.push(...(await remember(room, { ...given, supersedes: id })))
  else if (kind === 'relate') {
    await room.run({ relateNodes: 'g', from: id, to: pick(ids, b), weight: (b % 10) / 10 })
  } else {
    const status = b % 2 === 0 ? 'active' : 'superseded'
    await room.run({ updateMemory: 'g', id, status })
  }
}

eachRoom(
  t,
  'after any history every part says the same',
  async (t, room, { store }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const ids: string[] = []
        for (const one of steps) {
          await take(room, ids, one).catch((error: unknown) => {
            const kind = (error as { kind?: string }).kind ?? ''
            if (!['NodeNotFound', 'BadValue', 'AlreadyExists'].includes(kind)) throw error
          })
        }
        const problems = await checkGraphs(store)
        if (problems.length > 0) throw new Error(JSON.stringify(problems))
      }),
      { numRuns: runs(20) },
    )
    await isSound(t, store)
  },
  { kinds: ['memory'] },
)
