// collMod that makes an index unique, over every store: prepared first, then converted, with the
// documents told that are in the way.

import t from 'tap'
import { findNamespace, saveNamespace } from '../../../../src/engine/collection/catalog/catalog.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

async function index(room: CommandRoom, key: object, more: object = {}): Promise<void> {
  await room.run({ createIndexes: 'c', indexes: [{ key, name: 'i', ...more }] })
}

const mod = (change: object) => ({ collMod: 'c', index: { name: 'i', ...change } })
const codes = (reply: Reply) => reply.writeErrors?.map(({ code }: Reply) => code)

async function specOf(room: CommandRoom): Promise<Reply | undefined> {
  return (await room.drain({ listIndexes: 'c' }))[1]
}

await eachRoom(t, 'a prepared index lets no further duplicates in', async (t, room) => {
  await index(room, { x: 1 })
  await room.insert('c', { _id: 1, x: 1 }, { _id: 2, x: 1 }, { _id: 3, x: 2 })
  t.same(await room.run(mod({ prepareUnique: true })), {
    ...{ prepareUnique_old: false, prepareUnique_new: true, ok: 1 },
  })
  t.same(await specOf(room), { v: 2, key: { x: 1 }, name: 'i', prepareUnique: true })
  t.same(await room.run(mod({ prepareUnique: true })), { ok: 1 })
  const insert = {
    insert: 'c',
    documents: [
      { _id: 4, x: 1 },
      { _id: 5, x: 5 },
    ],
    ordered: false,
  }
  const reply = await room.run(insert)
  t.same(codes(reply), [11000])
  t.match(reply.writeErrors[0], { keyPattern: { x: 1 }, keyValue: { x: 1 } })
  const twins = [
    { _id: 6, x: 6 },
    { _id: 7, x: 6 },
  ]
  t.same(codes(await room.run({ insert: 'c', documents: twins })), [11000], 'of one batch, too')
  const update = (_id: number, x: number) =>
    room.run({ update: 'c', updates: [{ q: { _id }, u: { $set: { x, touched: true } } }] })
  t.same(codes(await update(3, 1)), [11000])
  t.equal(codes(await update(1, 1)), undefined, 'what was there may stay')
  t.same(await room.run(mod({ prepareUnique: false })), {
    ...{ prepareUnique_old: true, prepareUnique_new: false, ok: 1 },
  })
  t.equal(codes(await update(3, 1)), undefined)
})

await eachRoom(
  t,
  'duplicates keep an index from becoming unique, and are told',
  async (t, room) => {
    await index(room, { x: 1, y: -1 })
    await room.insert('c', { _id: 'a', x: 1 }, { _id: 'b', x: 1 }, { _id: 'c', x: 2, y: 1 })
    await room.insert('c', { _id: 'd', x: 3, y: [1, 2] }, { _id: 'e', x: 3, y: 2 })
    t.same(await room.fails(mod({ unique: true })), [
      72,
      "Cannot make index unique with 'prepareUnique=false'. Run collMod to set it first.",
    ])
    await room.run(mod({ prepareUnique: true }))
    for (const dryRun of [true, false]) {
      const error = await room.refusal({ ...mod({ unique: true }), dryRun })
      t.equal(error.code, 359)
      t.equal(error.codeName, 'CannotConvertIndexToUnique')
      t.equal((error.extra.violations as unknown[]).length, 2)
    }
    await room.run({ delete: 'c', deletes: [{ q: { _id: { $in: ['b', 'e'] } }, limit: 0 }] })
    t.same(await room.run({ ...mod({ unique: true }), dryRun: true }), { ok: 1 })
    t.equal((await specOf(room))?.unique, undefined)
    t.same(await room.run(mod({ unique: true })), { unique_new: true, ok: 1 })
    t.same(await specOf(room), { v: 2, key: { x: 1, y: -1 }, name: 'i', unique: true })
  },
)

await eachRoom(t, 'a converted index is unique, and found by as before', async (t, room) => {
  await index(room, { x: 1 })
  const documents = Array.from({ length: 30 }, (_, _id) => ({ _id, x: _id * 2 }))
  await room.insert('c', ...documents)
  await room.run(mod({ prepareUnique: true }))
  await room.run(mod({ unique: true }))
  t.same(codes(await room.run({ insert: 'c', documents: [{ _id: 99, x: 4 }] })), [11000])
  t.equal((await room.run({ insert: 'c', documents: [{ _id: 99, x: 5 }] })).n, 1)
  t.same(await room.drain({ find: 'c', filter: { x: 4 } }), [{ _id: 2, x: 4 }])
  t.equal((await room.drain({ find: 'c', filter: { x: { $gte: 4, $lt: 10 } } })).length, 4)
  t.equal((await room.run({ count: 'c', query: { x: { $lt: 6 } } })).n, 4)
  t.equal((await room.run({ distinct: 'c', key: 'x' })).values.length, 31)
  const change = { findAndModify: 'c', query: { x: 4 }, update: { $set: { x: 7 } }, new: true }
  t.same((await room.run(change)).value, { _id: 2, x: 7 })
  t.same(codes(await room.run({ insert: 'c', documents: [{ _id: 98, x: 7 }] })), [11000])
  t.equal((await room.run({ insert: 'c', documents: [{ _id: 98, x: 4 }] })).n, 1)
  t.same(await room.run(mod({ unique: true })), { ok: 1 })
  t.same(await room.fails(mod({ unique: false })), [
    2,
    'collMod does not support converting an index to non-unique',
  ])
  t.same(await room.run(mod({ hidden: true })), { hidden_old: false, hidden_new: true, ok: 1 })
  t.same(codes(await room.run({ insert: 'c', documents: [{ _id: 97, x: 4 }] })), [11000])
  const { valid } = await room.run({ validate: 'c' })
  t.equal(valid, true)
  await room.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] })
  t.equal((await room.run({ validate: 'c' })).keysPerIndex.i, 0)
})

await eachRoom(
  t,
  'partial and sparse indexes are converted for what they hold',
  async (t, room) => {
    await index(room, { x: 1 }, { partialFilterExpression: { kind: 'a' } })
    await room.insert('c', { _id: 1, x: 1, kind: 'a' }, { _id: 2, x: 1 }, { _id: 3, x: 1 })
    await room.run(mod({ prepareUnique: true }))
    await room.run(mod({ unique: true }))
    t.equal((await room.run({ insert: 'c', documents: [{ _id: 4, x: 1 }] })).n, 1)
    const twin = { insert: 'c', documents: [{ _id: 5, x: 1, kind: 'a' }] }
    t.same(codes(await room.run(twin)), [11000])
  },
)

await eachRoom(t, 'an index may be made prepared', async (t, room) => {
  await room.insert('c', { _id: 1, x: 1 }, { _id: 2, x: 1 })
  await index(room, { x: 1 }, { prepareUnique: true })
  t.equal((await specOf(room))?.prepareUnique, true)
  t.same(codes(await room.run({ insert: 'c', documents: [{ _id: 3, x: 1 }] })), [11000])
  t.equal((await room.refusal(mod({ unique: true }))).code, 359)
})

await eachRoom(t, 'an index that is being built cannot become unique yet', async (t, room) => {
  await index(room, { x: 1 }, { prepareUnique: true })
  const turnTo = (state: 'building' | 'ready') =>
    room.engine.store.write(function* (tx) {
      const ns = yield* findNamespace(tx, 'test', 'c')
      if (ns === undefined) throw new Error('the collection is there')
      saveNamespace(tx, { ...ns, indexes: ns.indexes.map((one) => ({ ...one, state })) })
    })
  await turnTo('building')
  t.equal((await room.refusal(mod({ prepareUnique: true }))).code, 27)
  t.equal((await room.refusal(mod({ unique: true }))).code, 27)
  await turnTo('ready')
  t.same(await room.run(mod({ unique: true })), { unique_new: true, ok: 1 })
})
