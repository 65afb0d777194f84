// findAndModify over every store.

import t from 'tap'
import { eachRoom } from '../../../support/command-room.js'

await eachRoom(t, 'the document comes as it was, or new as it is', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1 })
  const update = { $inc: { a: 1 } }
  t.same(await room.run({ findAndModify: 'c', query: { _id: 1 }, update }), {
    lastErrorObject: { n: 1, updatedExisting: true },
    value: { _id: 1, a: 1 },
    ok: 1,
  })
  const { value } = await room.run({ findAndModify: 'c', query: { _id: 1 }, update, new: true })
  t.same(value, { _id: 1, a: 3 })
})

await eachRoom(t, 'sort chooses among several', async (t, room) => {
  await room.insert('c', { _id: 1, p: 3 }, { _id: 2, p: 9 }, { _id: 3, p: 5 })
  const { value } = await room.run({
    findAndModify: 'c',
    sort: { p: -1 },
    update: { $set: { done: true } },
    fields: { p: 1, _id: 0 },
  })
  t.same(value, { p: 9 })
  t.equal((await room.all('c'))[1]?.done, true)
})

await eachRoom(t, 'remove takes the document out', async (t, room) => {
  await room.insert('c', { _id: 1 }, { _id: 2 })
  t.same(await room.run({ findAndModify: 'c', sort: { _id: -1 }, remove: true }), {
    lastErrorObject: { n: 1 },
    value: { _id: 2 },
    ok: 1,
  })
  t.same(await room.all('c'), [{ _id: 1 }])
})

await eachRoom(t, 'no match is null, an upsert answers its _id', async (t, room) => {
  t.same(await room.run({ findAndModify: 'c', query: { a: 1 }, remove: true }), {
    lastErrorObject: { n: 0 },
    value: null,
    ok: 1,
  })
  const update = { $set: { b: 1 } }
  t.same(await room.run({ findAndModify: 'c', query: { _id: 5 }, update }), {
    lastErrorObject: { n: 0, updatedExisting: false },
    value: null,
    ok: 1,
  })
  const upsert = { findAndModify: 'c', query: { _id: 5 }, update, upsert: true }
  t.same(await room.run(upsert), {
    lastErrorObject: { n: 1, updatedExisting: false, upserted: 5 },
    value: null,
    ok: 1,
  })
  const { value } = await room.run({ ...upsert, query: { _id: 6 }, new: true })
  t.same(value, { _id: 6, b: 1 })
})

await eachRoom(t, 'a duplicate fails the command itself', async (t, room) => {
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1', unique: true }] })
  await room.insert('c', { _id: 1, a: 1 }, { _id: 2, a: 2 })
  const error = await room.refusal({
    findAndModify: 'c',
    query: { _id: 2 },
    update: { $set: { a: 1 } },
  })
  t.equal(error.code, 11000)
  t.ok(error.extra.keyPattern !== undefined && error.extra.keyValue !== undefined)
})

await eachRoom(t, 'the old spelling works, and options that contradict do not', async (t, room) => {
  t.equal((await room.run({ findandmodify: 'c', remove: true })).ok, 1)
  const code = async (more: object) => (await room.fails({ findAndModify: 'c', ...more }))[0]
  t.equal(await code({}), 9)
  t.equal(await code({ remove: true, update: { $set: { a: 1 } } }), 9)
  t.equal(await code({ remove: true, new: true }), 9)
  t.equal(await code({ remove: true, upsert: true }), 9)
  t.equal(await code({ remove: true, arrayFilters: [] }), 9)
})

await eachRoom(t, 'racing calls each take another document', async (t, room) => {
  await room.insert('c', ...Array.from({ length: 8 }, (_, _id) => ({ _id, free: true })))
  const taken = await Promise.all(
    Array.from({ length: 8 }, () =>
      room.run({
        findAndModify: 'c',
        query: { free: true },
        sort: { _id: 1 },
        update: { $set: { free: false } },
      }),
    ),
  )
  const ids = taken.map(({ value }) => value?._id).sort()
  t.same(ids, [0, 1, 2, 3, 4, 5, 6, 7])
})
