// find, getMore and killCursors over every store.

import { Binary, Long } from 'bson'
import t from 'tap'
import { Elements, field } from '../../../../src/value/elements.js'
import { bsonType, documentOf } from '../../../../src/value/value.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

const people = [
  { _id: 1, name: 'Ada', age: 36 },
  { _id: 2, name: 'Grace', age: 85 },
  { _id: 3, name: 'Alan', age: 41 },
  { _id: 4, name: 'Edsger', age: 72 },
  { _id: 5, name: 'Barbara', age: 85 },
]

async function names(room: CommandRoom, command: Record<string, unknown>): Promise<string[]> {
  return (await room.drain({ find: 'c', ...command })).map(({ name }: Reply) => name)
}

await eachRoom(t, 'a missing collection is empty, and its cursor id an int64', async (t, room) => {
  const reply = await room.raw({ find: 'nothing' })
  const cursor = field(reply, 'cursor')
  t.equal(cursor === undefined ? 0 : field(documentOf(cursor), 'id')?.type, bsonType.int64)
  const { cursor: plain } = await room.run({ find: 'nothing' })
  t.same(plain, { firstBatch: [], id: 0, ns: 'test.nothing' })
})

await eachRoom(t, 'filter, sort, skip, limit and projection work together', async (t, room) => {
  await room.insert('c', ...people)
  t.same(await names(room, { filter: { age: { $gt: 40 } }, sort: { age: -1, name: 1 } }), [
    'Barbara',
    'Grace',
    'Edsger',
    'Alan',
  ])
  t.same(await names(room, { sort: { name: 1 }, skip: 1, limit: 2 }), ['Alan', 'Barbara'])
  t.same(await room.drain({ find: 'c', filter: { _id: 3 }, projection: { age: 1, _id: 0 } }), [
    { age: 41 },
  ])
  t.same(await names(room, { sort: { $natural: -1 }, limit: 1 }), ['Barbara'])
})

await eachRoom(t, 'an index gives the same answer as a scan', async (t, room) => {
  await room.insert('c', ...people)
  const query = { filter: { age: { $in: [85, 36] } }, sort: { age: 1, _id: 1 } }
  const before = await names(room, query)
  await room.run({ createIndexes: 'c', indexes: [{ key: { age: 1 }, name: 'age_1' }] })
  t.same(await names(room, query), before)
  t.same(await names(room, { ...query, hint: 'age_1' }), before)
  t.same(await names(room, { ...query, hint: { age: 1 } }), before)
  t.equal((await room.fails({ find: 'c', hint: 'nope' }))[0], 2)
})

await eachRoom(t, 'batches follow each other until the cursor is drained', async (t, room) => {
  await room.insert('c', ...people)
  const first = await room.run({ find: 'c', sort: { _id: 1 }, batchSize: 2 })
  t.equal(first.cursor.firstBatch.length, 2)
  t.not(first.cursor.id, 0)
  const getMore = Long.fromNumber(first.cursor.id)
  const second = await room.run({ getMore, collection: 'c', batchSize: 2 })
  t.same(
    second.cursor.nextBatch.map(({ _id }: Reply) => _id),
    [3, 4],
  )
  t.equal(second.cursor.id, first.cursor.id)
  const third = await room.run({ getMore, collection: 'c' })
  t.same(
    third.cursor.nextBatch.map(({ _id }: Reply) => _id),
    [5],
  )
  t.equal(third.cursor.id, 0)
  t.same(await room.fails({ getMore, collection: 'c' }), [
    43,
    `cursor id ${first.cursor.id} not found`,
  ])
})

await eachRoom(
  t,
  'the first batch has 101 documents unless the client says otherwise',
  async (t, room) => {
    await room.insert('c', ...Array.from({ length: 150 }, (_, _id) => ({ _id })))
    const { cursor } = await room.run({ find: 'c' })
    t.equal(cursor.firstBatch.length, 101)
    t.equal((await room.run({ find: 'c', batchSize: 150 })).cursor.firstBatch.length, 150)
    t.equal((await room.drain({ find: 'c', batchSize: 7 })).length, 150)
  },
)

await eachRoom(t, 'batch size 0 opens a cursor without documents', async (t, room) => {
  await room.insert('c', ...people)
  const { cursor } = await room.run({ find: 'c', batchSize: 0 })
  t.equal(cursor.firstBatch.length, 0)
  const getMore = Long.fromNumber(cursor.id)
  t.equal((await room.run({ getMore, collection: 'c' })).cursor.nextBatch.length, 5)
})

await eachRoom(t, 'a single batch closes the cursor', async (t, room) => {
  await room.insert('c', ...people)
  const { cursor } = await room.run({ find: 'c', batchSize: 2, singleBatch: true })
  t.equal(cursor.id, 0)
  t.equal(room.engine.cursors.size, 0)
})

await eachRoom(
  t,
  'a batch ends before it passes 16 MiB',
  async (t, room) => {
    const blob = new Binary(new Uint8Array(6 * 1024 * 1024))
    for (let _id = 0; _id < 4; _id++) await room.insert('c', { _id, blob })
    const { cursor } = await room.run({ find: 'c' })
    t.equal(cursor.firstBatch.length, 2)
    const getMore = Long.fromNumber(cursor.id)
    const more = await room.run({ getMore, collection: 'c' })
    t.equal(more.cursor.nextBatch.length, 2)
  },
  { kinds: ['memory', 'lmdb'] },
)

await eachRoom(t, 'a cursor goes on over documents that changed meanwhile', async (t, room) => {
  await room.insert('c', ...people)
  const { cursor } = await room.run({ find: 'c', sort: { _id: 1 }, batchSize: 1 })
  await room.run({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] })
  await room.insert('c', { _id: 9, name: 'Late' })
  const getMore = Long.fromNumber(cursor.id)
  const { nextBatch } = (await room.run({ getMore, collection: 'c' })).cursor
  t.same(
    nextBatch.map(({ _id }: Reply) => _id),
    [3, 4, 5, 9],
  )
})

await eachRoom(t, 'a cursor whose collection is dropped ends with 175', async (t, room) => {
  await room.insert('c', ...people)
  const { cursor } = await room.run({ find: 'c', batchSize: 1 })
  await room.run({ drop: 'c' })
  const getMore = Long.fromNumber(cursor.id)
  t.equal((await room.fails({ getMore, collection: 'c' }))[0], 175)
  t.equal(room.engine.cursors.size, 0)
})

await eachRoom(t, 'a cursor belongs to its namespace, session and owner', async (t, room) => {
  await room.insert('c', ...people)
  const lsid = (fill: number) => ({ id: new Binary(new Uint8Array(16).fill(fill), 4) })
  const { cursor } = await room.run({ find: 'c', batchSize: 1, lsid: lsid(1) })
  const getMore = Long.fromNumber(cursor.id)
  t.equal((await room.fails({ getMore, collection: 'd', lsid: lsid(1) }))[0], 13)
  t.equal((await room.fails({ getMore, collection: 'c', lsid: lsid(2) }))[0], 50738)
  t.equal((await room.fails({ getMore, collection: 'c' }))[0], 50737)
  t.equal((await room.run({ getMore, collection: 'c', lsid: lsid(1) })).cursor.nextBatch.length, 4)
})

await eachRoom(t, 'killCursors answers all four lists', async (t, room) => {
  await room.insert('c', ...people)
  const { cursor } = await room.run({ find: 'c', batchSize: 1 })
  const ids = [cursor.id, 12345].map((id) => Long.fromNumber(id))
  t.same(await room.run({ killCursors: 'c', cursors: ids }), {
    cursorsKilled: [cursor.id],
    cursorsNotFound: [12345],
    cursorsAlive: [],
    cursorsUnknown: [],
    ok: 1,
  })
  t.equal((await room.fails({ getMore: ids[0], collection: 'c' }))[0], 43)
  const beyond = Long.fromString('9007199254740993')
  const { cursorsNotFound } = await room.run({ killCursors: 'c', cursors: [beyond] })
  t.equal(String(cursorsNotFound[0]), String(beyond), 'with all digits')
  t.match(await room.run({ killCursors: 'c', cursors: [Long.MAX_VALUE] }), { ok: 1 })
})

await eachRoom(t, 'ending a session closes its cursors', async (t, room) => {
  await room.insert('c', ...people)
  const lsid = { id: new Binary(new Uint8Array(16).fill(3), 4) }
  await room.run({ find: 'c', batchSize: 1, lsid })
  await room.run({ find: 'c', batchSize: 1 })
  t.equal(room.engine.cursors.size, 2)
  await room.run({ endSessions: [lsid] }, 'admin')
  t.equal(room.engine.cursors.size, 1)
  await room.run({ killAllSessions: [] }, 'admin')
  t.equal(room.engine.cursors.size, 0)
})

await eachRoom(t, 'let gives variables to expressions', async (t, room) => {
  await room.insert('c', ...people)
  const filter = { $expr: { $gt: ['$age', '$$limit'] } }
  t.same(await names(room, { filter, let: { limit: { $add: [80, 1] } } }), ['Grace', 'Barbara'])
})

t.test('what is not served is refused, not ignored', async (t) => {
  await eachRoom(
    t,
    'options',
    async (t, room) => {
      const code = async (more: object) => (await room.fails({ find: 'c', ...more }))[0]
      t.equal(await code({ awaitData: true }), 9)
      t.equal(await code({ showRecordId: true }), 115)
      t.equal(await code({ collation: { locale: 'xx' } }), 2)
      t.equal(await code({ skip: -1 }), 51024)
      t.equal(await code({ limit: -1 }), 51024)
      t.equal(await code({ filter: 1 }), 14)
      t.equal(await code({ filter: { $foo: 1 } }), 2)
      t.equal((await room.fails({ find: 1 }))[0], 73)
      t.equal((await room.run({ find: 'c', collation: { locale: 'simple' } })).ok, 1)
      t.equal((await room.run({ find: 'c', allowDiskUse: true, noCursorTimeout: true })).ok, 1)
    },
    { kinds: ['memory'] },
  )
})

await eachRoom(
  t,
  'reply batches are the stored bytes',
  async (t, room) => {
    await room.insert('c', { _id: 1, a: Long.fromNumber(1), b: [1, { c: null }] })
    const reply = await room.raw({ find: 'c' })
    const cursor = field(reply, 'cursor')
    const batch = cursor === undefined ? undefined : field(documentOf(cursor), 'firstBatch')
    const elements = new Elements(batch?.bytes ?? new Uint8Array(0), batch?.start)
    t.ok(elements.next())
    const inner = field(documentOf(elements.value()), 'a')
    t.equal(inner?.type, bsonType.int64)
  },
  { kinds: ['memory'] },
)
