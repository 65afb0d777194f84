// update and delete over every store: replies in the reference server's shape, and what stays after
// a failure.

import { ObjectId } from 'bson'
import t from 'tap'
import { eachRoom } from '../../../support/command-room.js'

await eachRoom(t, 'n counts what matched, nModified what changed', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1 }, { _id: 2, a: 1 }, { _id: 3, a: 2 })
  t.same(
    await room.run({ update: 'c', updates: [{ q: { a: 1 }, u: { $set: { a: 1 } }, multi: true }] }),
    { n: 2, nModified: 0, ok: 1 },
  )
  t.same(await room.run({ update: 'c', updates: [{ q: { a: 1 }, u: { $inc: { a: 5 } } }] }), {
    n: 1,
    nModified: 1,
    ok: 1,
  })
  t.same(
    (await room.all('c')).map(({ a }) => a),
    [6, 1, 2],
  )
})

await eachRoom(t, 'operations of one command see each other', async (t, room) => {
  await room.insert('c', { _id: 1, a: 0 })
  const updates = Array.from({ length: 5 }, (_, a) => ({ q: { a }, u: { $inc: { a: 1 } } }))
  t.same(await room.run({ update: 'c', updates }), { n: 5, nModified: 5, ok: 1 })
})

await eachRoom(t, 'a sequence of the message stands for the array', async (t, room) => {
  await room.insert('c', { _id: 1 }, { _id: 2 })
  const updates = [{ q: { _id: 1 }, u: { $set: { a: 1 } } }]
  t.equal((await room.runWith({ update: 'c' }, { updates })).nModified, 1)
  t.equal((await room.runWith({ delete: 'c' }, { deletes: [{ q: {}, limit: 0 }] })).n, 2)
})

await eachRoom(t, 'an upsert answers the _id that it made', async (t, room) => {
  const updates = [
    { q: { _id: 7 }, u: { $set: { a: 1 } }, upsert: true },
    { q: { b: 2 }, u: { $set: { a: 2 } }, upsert: true },
    { q: { b: 3 }, u: { $set: { a: 3 } }, upsert: true },
    { q: { _id: 7 }, u: { $set: { a: 9 } }, upsert: true },
  ]
  const reply = await room.run({ update: 'c', updates })
  t.match(reply, { n: 4, nModified: 1, ok: 1 })
  t.same(reply.upserted[0], { index: 0, _id: 7 })
  t.equal(reply.upserted.length, 3)
  t.ok(reply.upserted[1]._id instanceof ObjectId)
  t.not(String(reply.upserted[1]._id), String(reply.upserted[2]._id))
  t.equal((await room.all('c')).length, 3)
})

await eachRoom(t, 'replacement, pipeline and array filters', async (t, room) => {
  await room.insert('c', { _id: 1, a: [1, 5, 9], b: 2 })
  const run = (u: unknown, more = {}) =>
    room.run({ update: 'c', updates: [{ q: { _id: 1 }, u, ...more }] })
  await run({ $set: { 'a.$[x]': 0 } }, { arrayFilters: [{ x: { $gt: 4 } }] })
  t.same(await room.all('c'), [{ _id: 1, a: [1, 0, 0], b: 2 }])
  await run([{ $set: { c: { $add: ['$b', '$$k'] } } }], { c: { k: 40 } })
  t.same((await room.all('c'))[0]?.c, 42)
  await run({ only: true })
  t.same(await room.all('c'), [{ _id: 1, only: true }])
})

await eachRoom(t, 'a failed operation stops ordered ones behind it', async (t, room) => {
  await room.insert('c', { _id: 1, a: 'x' }, { _id: 2, a: 1 })
  const updates = [
    { q: { _id: 2 }, u: { $inc: { a: 1 } } },
    { q: { _id: 1 }, u: { $inc: { a: 1 } } },
    { q: { _id: 2 }, u: { $inc: { a: 1 } } },
  ]
  const ordered = await room.run({ update: 'c', updates })
  t.match(ordered, { n: 1, nModified: 1, writeErrors: [{ index: 1, code: 14 }], ok: 1 })
  const unordered = await room.run({ update: 'c', updates, ordered: false })
  t.match(unordered, { n: 2, nModified: 2, writeErrors: [{ index: 1, code: 14 }], ok: 1 })
})

await eachRoom(t, 'updates that cannot be are errors of their operation', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1 })
  const code = async (operation: object) =>
    (await room.run({ update: 'c', updates: [operation] })).writeErrors[0].code
  t.equal(await code({ q: {}, u: { a: 1 }, multi: true }), 9)
  t.equal(await code({ q: {}, u: 5 }), 9)
  t.equal(await code({ q: {}, u: { $foo: { a: 1 } } }), 9)
  t.equal(await code({ q: {}, u: { $set: { _id: 2 } } }), 66)
  t.equal(await code({ q: { $foo: 1 }, u: { $set: { a: 1 } } }), 2)
  t.equal(await code({ q: { a: 1 }, u: { $set: { a: 1 } }, hint: 'none' }), 2)
  t.equal(await code({ q: {}, u: { $set: { a: 1 } }, c: { x: 1 } }), 51198)
})

await eachRoom(t, 'a duplicate by update names key and value', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1 }, { _id: 2, a: 2 })
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1', unique: true }] })
  const reply = await room.run({ update: 'c', updates: [{ q: { _id: 2 }, u: { $set: { a: 1 } } }] })
  t.match(reply.writeErrors, [{ code: 11000, keyPattern: { a: 1 }, keyValue: { a: 1 } }])
  t.same(
    (await room.all('c')).map(({ a }) => a),
    [1, 2],
  )
})

await eachRoom(t, 'updating many reaches every document once', async (t, room) => {
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
  await room.insert('c', ...Array.from({ length: 260 }, (_, _id) => ({ _id, a: _id })))
  const update = { q: { a: { $gte: 0 } }, u: { $inc: { a: 1000 } }, multi: true }
  t.match(await room.run({ update: 'c', updates: [update] }), { n: 260, nModified: 260 })
  t.equal((await room.run({ count: 'c', query: { a: { $gte: 1000, $lt: 1260 } } })).n, 260)
})

await eachRoom(t, 'delete removes one or all that match', async (t, room) => {
  await room.insert('c', ...Array.from({ length: 150 }, (_, _id) => ({ _id, even: _id % 2 === 0 })))
  const run = (q: object, limit: number) => room.run({ delete: 'c', deletes: [{ q, limit }] })
  t.same(await run({ even: true }, 1), { n: 1, ok: 1 })
  t.same(await run({ even: true }, 0), { n: 74, ok: 1 })
  t.same(await run({ nothing: 1 }, 0), { n: 0, ok: 1 })
  t.equal((await room.run({ count: 'c' })).n, 75)
  t.match(await run({}, 2), {
    n: 0,
    writeErrors: [{ code: 9, errmsg: 'The limit field in delete objects must be 0 or 1. Got 2' }],
  })
  t.same(await room.run({ delete: 'missing', deletes: [{ q: {}, limit: 0 }] }), { n: 0, ok: 1 })
})

await eachRoom(t, 'operations are checked before any is run', async (t, room) => {
  await room.insert('c', { _id: 1 })
  t.equal((await room.fails({ update: 'c', updates: [] }))[0], 16)
  t.equal((await room.fails({ delete: 'c', deletes: [] }))[0], 16)
  t.same(await room.fails({ delete: 'c', deletes: [{ q: {}, limit: 0 }, { q: {} }] }), [
    40414,
    "BSON field 'delete.deletes.limit' is missing but a required field",
  ])
  t.equal((await room.run({ count: 'c' })).n, 1)
})

await eachRoom(t, 'large documents are updated and deleted whole', async (t, room) => {
  const big = 'x'.repeat(400_000)
  await room.insert('c', { _id: 1, big })
  await room.run({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { more: big } } }] })
  t.equal((await room.all('c'))[0]?.more.length, 400_000)
  await room.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] })
  t.equal((await room.run({ count: 'c' })).n, 0)
})
