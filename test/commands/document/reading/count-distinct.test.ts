// count and distinct over every store.

import { Double, Long } from 'bson'
import t from 'tap'
import { eachRoom } from '../../../support/command-room.js'

await eachRoom(t, 'count answers how many match, within skip and limit', async (t, room) => {
  await room.insert('c', ...Array.from({ length: 20 }, (_, _id) => ({ _id, even: _id % 2 === 0 })))
  t.same(await room.run({ count: 'c' }), { n: 20, ok: 1 })
  t.equal((await room.run({ count: 'c', query: { even: true } })).n, 10)
  t.equal((await room.run({ count: 'c', query: { even: true }, skip: 4, limit: 3 })).n, 3)
  t.equal((await room.run({ count: 'c', limit: -5 })).n, 5)
  t.equal((await room.run({ count: 'c', skip: 18 })).n, 2)
  t.equal((await room.run({ count: 'missing' })).n, 0)
  t.equal((await room.fails({ count: 'c', skip: -1 }))[0], 51024)
  t.equal((await room.fails({ count: 'c', hint: 'none', query: { even: true } }))[0], 2)
})

await eachRoom(t, 'count is exact after deletes and failed inserts', async (t, room) => {
  await room.insert('c', { _id: 1 }, { _id: 2 }, { _id: 3 })
  await room.run({ insert: 'c', documents: [{ _id: 2 }, { _id: 4 }], ordered: false })
  await room.run({ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] })
  t.equal((await room.run({ count: 'c' })).n, 3)
})

await eachRoom(t, 'distinct unwinds arrays once and joins equal numbers', async (t, room) => {
  await room.insert(
    'c',
    { _id: 1, a: 1 },
    { _id: 2, a: [1, 2, [3]] },
    { _id: 3, a: Long.fromNumber(2) },
    { _id: 4, a: new Double(2) },
    { _id: 5 },
    { _id: 6, a: null },
    { _id: 7, a: [] },
  )
  t.same((await room.run({ distinct: 'c', key: 'a' })).values, [1, 2, [3], null])
})

await eachRoom(t, 'distinct goes through arrays of documents', async (t, room) => {
  await room.insert('c', { _id: 1, a: [{ b: 1 }, { b: [2, 3] }, 5] }, { _id: 2, a: { b: 3 } })
  t.same((await room.run({ distinct: 'c', key: 'a.b' })).values, [1, 2, 3])
  t.same((await room.run({ distinct: 'c', key: 'a.b', query: { _id: 2 } })).values, [3])
  t.same((await room.run({ distinct: 'missing', key: 'a' })).values, [])
})

await eachRoom(
  t,
  'distinct values that no reply can hold are 17217',
  async (t, room) => {
    const text = 'x'.repeat(1024 * 1024)
    for (let _id = 0; _id < 17; _id++) await room.insert('c', { _id, a: `${_id}${text}` })
    t.same(await room.fails({ distinct: 'c', key: 'a' }), [17217, 'distinct too big, 16mb cap'])
  },
  { kinds: ['memory'] },
)
