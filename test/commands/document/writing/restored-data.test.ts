// What tools that restore data ask for: empty timestamps stay as they are, and text that is no
// valid UTF-8 is kept as its bytes.

import { Timestamp } from 'bson'
import t from 'tap'
import { eachRoom } from '../../../support/command-room.js'

const empty = new Timestamp({ t: 0, i: 0 })
const isEmpty = (value: unknown): boolean => String(value) === '0'

await eachRoom(t, 'bypassEmptyTsReplacement keeps Timestamp(0, 0)', async (t, room) => {
  for (const bypassEmptyTsReplacement of [true, false]) {
    const bypass = { bypassEmptyTsReplacement }
    await room.run({ drop: 'c' })
    await room.run({ insert: 'c', documents: [{ _id: 1, at: empty }], ...bypass })
    const updates = [
      { q: { _id: 2 }, u: { at: empty, in: { at: empty } }, upsert: true },
      { q: { _id: 1 }, u: { at: empty } },
    ]
    await room.run({ update: 'c', updates, ...bypass })
    const modify = { findAndModify: 'c', query: { _id: 3 }, upsert: true }
    await room.run({ ...modify, update: { at: empty }, ...bypass })
    const found = await room.all('c')
    t.same(
      found.map(({ at }) => isEmpty(at)),
      found.map(() => bypassEmptyTsReplacement),
    )
    t.ok(isEmpty(found[1]?.in.at), 'only fields at the top get a time')
  }
})

await eachRoom(t, 'a replacement gives empty timestamps the time, but for _id', async (t, room) => {
  await room.run({ insert: 'c', documents: [{ _id: empty, a: 1 }] })
  await room.run({ update: 'c', updates: [{ q: {}, u: { _id: empty, a: empty, b: empty } }] })
  const [found] = await room.all('c')
  t.ok(isEmpty(found?._id))
  t.notOk(isEmpty(found?.a))
  t.not(String(found?.a), String(found?.b), 'each another')
})

await eachRoom(t, 'bypassEmptyTsReplacement of another type is refused', async (t, room) => {
  const command = { insert: 'c', documents: [{}], bypassEmptyTsReplacement: 'x' }
  await t.rejects(room.run(command), { code: 14 })
})
