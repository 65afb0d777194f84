// Graphs as collections under one ownership record: who makes, reads, writes, claims, sets and
// drops them; that others than the memory commands only read them; and how many a wallet may own.

import t from 'tap'
import { Quotas } from '../../../src/bus/quota.js'
import type { Session } from '../../../src/bus/session.js'
import { memoryRows } from '../../../src/commands/memory/rows.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { strictRules } from '../../../src/identity/rights/allow.js'
import { checkGraphs } from '../../../src/memory/check-graphs.js'
import { ensureDefaultGraph, graphOfPart, graphParts } from '../../../src/memory/graph/graph.js'
import { type CommandRoom, eachRoom, type Reply } from '../../support/command-room.js'
import { admit, keyOf, revocation, sessionOf, wallets } from '../../support/identities.js'
import type { StoreCase } from '../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>

const services = { revocation, rules: { ...strictRules, claimsUnowned: true } }

interface Players {
  readonly owner: Session
  readonly otherWallet: Session
  readonly writer: Session
}

async function players(room: CommandRoom, { store, clock }: StoreCase): Promise<Players> {
  await admit(store, clock.now())
  return {
    owner: room.sessionOf(sessionOf(wallets.owner)),
    otherWallet: room.sessionOf(sessionOf(wallets.otherWallet)),
    writer: room.sessionOf(sessionOf(wallets.writer)),
  }
}

const remember = (text: string, graph = 'g') => ({ rememberMemories: graph, memories: [{ text }] })

const namesIn = ({ graphs }: Reply): string[] => graphs.map(({ name }: Reply) => name)

eachRoom(
  t,
  'the first writer owns a graph, all of it',
  async (t, room, given) => {
    const { owner, otherWallet } = await players(room, given)
    await room.run(remember('mine'), 'test', owner)
    for (const part of graphParts) {
      const { privacy } = await room.run({ getPrivacy: `memory.g.${part}` }, 'test', otherWallet)
      t.match(privacy, { mode: 'private', ownerAddress: wallets.owner }, part)
      const find = { find: `memory.g.${part}` }
      t.equal(
        (await room.refusal(find, 'test', otherWallet)).code,
        13,
        `${part} is closed to another wallet`,
      )
      t.ok((await room.run(find, 'test', owner)).cursor.firstBatch.length > 0 || part === 'edges')
    }
    const [memory] = (await room.run({ graphSnapshot: 'g' }, 'test', owner)).nodes
    t.equal(memory.createdBy, wallets.owner)
    t.same(namesIn(await room.run({ listGraphs: '' }, 'test', owner)), ['g'])
    t.same(namesIn(await room.run({ listGraphs: '' }, 'test', otherWallet)), [])
    for (const [who, name, names] of [
      [owner, 'g', ['g']],
      [owner, 'other', []],
      [owner, '..', []],
      [otherWallet, 'g', []],
    ] as const) {
      t.same(namesIn(await room.run({ listGraphs: '', name }, 'test', who)), names, `${name} alone`)
    }
    for (const command of [
      remember('theirs'),
      { recallMemories: 'g', q: 'mine' },
      { dropGraph: 'g' },
    ]) {
      t.equal((await room.refusal(command, 'test', otherWallet)).code, 13)
    }
    t.equal((await room.refusal(remember('theirs'), 'test', room.anonymous())).code, 13)
  },
  { services },
)

eachRoom(
  t,
  'mode, roles and owner are those of the whole graph, whichever way they are set',
  async (t, room, given) => {
    const { owner, otherWallet, writer } = await players(room, given)
    await room.run(remember('mine'), 'test', owner)
    const ways: readonly (readonly [Plain, Plain])[] = [
      [
        { setGraph: 'g', mode: 'public', roles: { [wallets.writer]: 2 } },
        { setGraph: 'g', mode: 'private', roles: {} },
      ],
      [
        { setPrivacy: 'memory.g.terms', mode: 'public' },
        { setPrivacy: 'memory.g.edges', mode: 'private' },
      ],
    ]
    for (const [open, close] of ways) {
      await room.run(open, 'test', owner)
      for (const part of graphParts) {
        const { privacy } = await room.run({ getPrivacy: `memory.g.${part}` })
        t.match(privacy, { mode: 'public', ownerAddress: wallets.owner })
      }
      t.equal(
        (await room.run({ recallMemories: 'g', q: 'mine' }, 'test', otherWallet)).memories.length,
        1,
      )
      t.equal((await room.refusal(remember('theirs'), 'test', otherWallet)).code, 13)
      await room.run(close, 'test', owner)
      t.equal(
        (await room.refusal({ recallMemories: 'g', q: 'mine' }, 'test', otherWallet)).code,
        13,
      )
    }
    const role = { setRole: 'memory.g.nodes', address: wallets.writer, action: 'grant', role: 2 }
    await room.run(role, 'test', owner)
    t.match(await room.run(remember('by role'), 'test', writer), { inserted: 1 })
    t.same((await room.run({ getRoles: 'memory.g.anchors' }, 'test', owner)).accessRoles, {
      [wallets.writer]: 2,
    })
    for (const command of [
      { setGraph: 'g', mode: 'public' },
      { setGraph: 'g', k1: 1 },
      { setGraph: 'g', roles: {} },
      { setPrivacy: 'memory.g.nodes', mode: 'public' },
    ]) {
      t.equal((await room.refusal(command, 'test', writer)).code, 13, JSON.stringify(command))
    }
    const { graphs } = await room.run({ listGraphs: '' }, 'test', writer)
    t.notOk('accessRoles' in graphs[0], 'roles are told to the owner')
    const given2 = { setGraph: 'g', ownerAddress: wallets.otherWallet }
    t.equal((await room.refusal(given2, 'test', owner)).code, 13, 'the operator alone names owners')
    t.equal((await room.run(given2)).owner, wallets.otherWallet)
    t.match(await room.run(remember('now mine'), 'test', otherWallet), { inserted: 1 })
  },
  { services },
)

eachRoom(t, 'settings of the ranking are kept within bounds', async (t, room) => {
  t.match(await room.run({ setGraph: 'g', k1: 0.9, b: 0.4 }), { name: 'g', k1: 0.9, b: 0.4 })
  await room.run(remember('one'))
  t.match((await room.run({ listGraphs: 1 })).graphs, [{ k1: 0.9, b: 0.4, memories: 1 }])
  for (const bad of [{ k1: -1 }, { b: 2 }, { k1: Number.NaN }, { roles: { x: 1 } }, {}]) {
    t.equal((await room.refusal({ setGraph: 'g', ...bad })).kind, 'BadValue', JSON.stringify(bad))
  }
  for (const name of ['', '-a', 'a.b', 'a b', 'é', 'x'.repeat(65)]) {
    t.equal((await room.refusal(remember('x', name))).kind, 'BadValue', name)
    t.equal(graphOfPart(`memory.${name}.nodes`), undefined)
  }
})

eachRoom(t, 'others than the memory commands only read a graph', async (t, room, { store }) => {
  await room.run(remember('Read by Everybody, says Ada'))
  await room.insert('c', { _id: 1 })
  const name = 'memory.g.nodes'
  const refused: readonly Plain[] = [
    { insert: name, documents: [{ _id: 1 }] },
    { insert: 'memory.new.nodes', documents: [{ _id: 1 }] },
    { update: name, updates: [{ q: {}, u: { $set: { text: 'x' } } }] },
    {
      update: 'memory.new.nodes',
      updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } }, upsert: true }],
    },
    { delete: name, deletes: [{ q: {}, limit: 0 }] },
    { findAndModify: name, remove: true },
    { findAndModify: name, update: { $set: { text: 'x' } } },
    { aggregate: 'c', pipeline: [{ $out: name }], cursor: {} },
    { aggregate: 'c', pipeline: [{ $out: 'memory.new.nodes' }], cursor: {} },
    { aggregate: 'c', pipeline: [{ $merge: { into: name } }], cursor: {} },
    { aggregate: 'c', pipeline: [{ $merge: { into: 'memory.new.nodes' } }], cursor: {} },
    { create: 'memory.new.nodes' },
    { create: 'memory.new.nodes', viewOn: 'c', pipeline: [] },
    { drop: name },
    { createIndexes: name, indexes: [{ key: { text: 1 }, name: 'text_1' }] },
    { dropIndexes: name, index: '*' },
    { collMod: name, validator: {} },
    { convertToCapped: name, size: 4096 },
    { setPrivacy: 'memory.new.nodes', mode: 'public' },
    { sqlChange: `INSERT INTO "${name}" (_id) VALUES ('x')` },
    { sqlChange: `UPDATE "${name}" SET text = 'x'` },
    { sqlChange: `DELETE FROM "${name}"` },
    { sqlDefine: `DROP TABLE "${name}"` },
    { sqlDefine: 'CREATE TABLE "memory.new.nodes" (a int)' },
  ]
  const before = await room.all(name)
  for (const command of refused) {
    const kind = await kindOf(room, command)
    t.ok(
      ['InvalidNamespace', 'Location17276'].includes(kind),
      `${JSON.stringify(command)}: ${kind}`,
    )
  }
  for (const command of [
    { renameCollection: `test.${name}`, to: 'test.d' },
    { renameCollection: 'test.c', to: `test.${name}`, dropTarget: true },
    { renameCollection: 'test.c', to: 'test.memory.new.nodes' },
  ]) {
    t.equal((await room.refusal(command, 'admin')).kind, 'InvalidNamespace')
  }
  t.same(await room.all(name), before, 'nothing was changed')
  const pipeline = [{ $match: { type: 'entity' } }, { $project: { name: 1 } }]
  const entities = await room.drain({ aggregate: name, pipeline, cursor: {} })
  t.same(entities.map(({ name }) => name).sort(), ['Ada', 'Everybody'])
  const lookup = { from: 'memory.g.edges', localField: '_id', foreignField: 'from', as: 'e' }
  const joined = [{ $match: { type: 'memory' } }, { $lookup: lookup }]
  const [memory] = await room.drain({ aggregate: name, pipeline: joined, cursor: {} })
  t.equal(memory?.e.length, 2)
  const sql = { sqlSelect: `SELECT text FROM "${name}" WHERE type = 'memory'` }
  t.match((await room.run(sql)).cursor.firstBatch, [{ text: 'Read by Everybody, says Ada' }])
  t.equal((await room.run({ count: 'memory.g.edges' })).n, entities.length)
  const listed = (await room.run({ listCollections: 1 })).cursor.firstBatch
  t.equal(listed.filter(({ name }: Reply) => name.startsWith('memory.g.')).length, 4)
  t.equal((await room.run({ dropDatabase: 1 })).dropped, 'test')
  t.same(namesIn(await room.run({ listGraphs: 1 })), ['g'], 'a database is dropped without them')
  t.same(await checkStore(store), [])
})

/** Of the refusal of a command, or of the one write that it tells. */
async function kindOf(room: CommandRoom, command: Plain): Promise<string> {
  try {
    const reply = await room.run(command)
    const [error] = reply.writeErrors ?? []
    return error === undefined
      ? 'no refusal'
      : error.code === 73
        ? 'InvalidNamespace'
        : error.errmsg
  } catch (error) {
    return (error as { kind: string }).kind
  }
}

eachRoom(
  t,
  'a dropped graph is gone, and its name is kept for its owner',
  async (t, room, given) => {
    const { owner, otherWallet } = await players(room, given)
    await room.run(remember('mine'), 'test', owner)
    t.match(await room.run({ dropGraph: 'g' }, 'test', owner), { dropped: true })
    t.equal((await room.refusal({ dropGraph: 'g' }, 'test', owner)).kind, 'GraphNotFound')
    t.same((await room.run({ graphSnapshot: 'g' }, 'test', owner)).nodes, [])
    t.equal((await room.refusal(remember('theirs'), 'test', otherWallet)).code, 13)
    await room.run(remember('mine again'), 'test', owner)
    await room.run({ dropGraph: 'g', release: true }, 'test', owner)
    await room.run(remember('theirs'), 'test', otherWallet)
    const [{ name, nodes }] = (await room.run({ listGraphs: '' }, 'test', otherWallet)).graphs
    t.same([name, nodes], ['g', 1])
    await room.run({ dropGraph: 'g' }, 'test', otherWallet)
    await room.run({ setPrivacy: 'memory.g.edges', release: true }, 'test', otherWallet)
    await room.run(remember('mine'), 'test', owner)
    t.same(await checkStore(given.store), [])
    t.same(await checkGraphs(given.store), [])
  },
  { services },
)

eachRoom(
  t,
  'the graph `default` is there from the first start and shown once it holds something',
  async (t, room, given) => {
    const { owner, otherWallet } = await players(room, given)
    const { store, clock } = given
    const space = { owner: null, mode: 'shared', now: clock.now() } as const
    for (let starts = 0; starts < 2; starts++) {
      await store.write((tx) => ensureDefaultGraph(tx, 'test', space))
    }
    const shown = async (): Promise<number> => {
      const { cursor } = await room.run({ listCollections: 1 }, 'test', otherWallet)
      const { length } = namesIn(await room.run({ listGraphs: '' }, 'test', otherWallet))
      return cursor.firstBatch.length + length
    }
    t.equal(await shown(), 0)
    t.equal((await room.refusal({ setGraph: 'default', mode: 'private' }, 'test', owner)).code, 13)
    t.match(await room.run({ recallMemories: 'default', q: 'x' }, 'test', owner), { memories: [] })
    await room.run(remember('Shared with Everybody', 'default'), 'test', owner)
    t.match(await room.run(remember('Shared too', 'default'), 'test', otherWallet), { inserted: 1 })
    t.equal(await shown(), 5)
    t.equal((await room.refusal({ dropGraph: 'default' }, 'test', owner)).code, 13)
    t.match(await room.run({ dropGraph: 'default' }), { dropped: true })
    t.equal(await shown(), 0, 'dropped, it is empty')
    await room.run(remember('Shared with Everybody', 'default'), 'test', owner)
    t.equal((await room.run({ recallMemories: 'default', q: 'shared' })).memories.length, 1)
    t.same(await checkStore(store), [])
    t.same(await checkGraphs(store), [])
  },
  { services },
)

eachRoom(
  t,
  'a wallet owns so many graphs, and its key writes no others',
  async (t, _room, given) => {
    const { store, clock } = given
    const limits = { storageBytes: 0, collections: 1, graphs: 2, connections: 0 }
    const quotas = new Quotas({ ...limits, subscriptions: 0, commandMs: 0 })
    const { CommandRoom } = await import('../../support/command-room.js')
    const room = new CommandRoom(store, clock, { services: { ...services, quotas } })
    const { owner, otherWallet } = await players(room, given)
    await room.run(remember('x', 'a'), 'test', owner)
    await room.run(remember('x', 'b'), 'test', owner)
    const refusal = await room.refusal(remember('x', 'c'), 'test', owner)
    t.match(refusal, { kind: 'QuotaExceeded', extra: { reason: 'GRAPHS' } })
    await room.run({ insert: 'c', documents: [{ a: 1 }] }, 'test', owner)
    await room.run(remember('x', 'c'), 'test', otherWallet)
    await room.run({ dropGraph: 'a' }, 'test', owner)
    await room.run(remember('x', 'd'), 'test', owner)
    const reading = room.sessionOf(keyOf(wallets.owner, 'read'))
    t.equal((await room.refusal(remember('y', 'd'), 'test', reading)).code, 13)
    await room.engine.close()
  },
  { services, kinds: ['memory'] },
)

eachRoom(t, 'graphs are in no database of the server', async (t, room) => {
  for (const db of ['config', 'admin', 'local', 'W_0X00', 'w_0xzz']) {
    for (const { name } of memoryRows) {
      const { kind } = await room.refusal({ [name]: 'g' }, db)
      t.equal(kind, 'InvalidNamespace', `${name} in ${db}`)
    }
  }
  t.equal((await room.run(remember('here'))).inserted, 1)
})
