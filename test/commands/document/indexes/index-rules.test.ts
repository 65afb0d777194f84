// The subtle rules of indexes, joins and upserts over every store, one named test each, and those
// of filters and updates that need a collection.

import { Decimal128, Double, Long } from 'bson'
import t from 'tap'
import { type CommandRoom, eachRoom } from '../../../support/command-room.js'

type Options = Readonly<Record<string, unknown>>

function made(room: CommandRoom, key: Options, options: Options = {}): Promise<unknown> {
  return room.run({ createIndexes: 'c', indexes: [{ key, name: 'one', ...options }] })
}

function refused(room: CommandRoom, key: unknown, options: Options = {}) {
  return room.refusal({ createIndexes: 'c', indexes: [{ key, name: 'one', ...options }] })
}

async function duplicate(room: CommandRoom, document: Options): Promise<unknown> {
  const { writeErrors } = await room.run({ insert: 'c', documents: [document] })
  return writeErrors?.[0]
}

await eachRoom(t, 'unique: 1, 1.0, a long and a decimal 1.00 are one key', async (t, room) => {
  await made(room, { a: 1 }, { unique: true })
  await room.insert('c', { _id: 1, a: 1 })
  for (const a of [new Double(1), Long.fromInt(1), Decimal128.fromString('1.00')]) {
    t.match(await duplicate(room, { _id: 2, a }), { code: 11000, keyPattern: { a: 1 } })
  }
})

await eachRoom(t, 'unique: a missing field is null, and may be missing once', async (t, room) => {
  await made(room, { a: 1 }, { unique: true })
  await room.insert('c', { _id: 1 })
  t.match(await duplicate(room, { _id: 2 }), { code: 11000, keyValue: { a: null } })
  t.match(await duplicate(room, { _id: 2, a: null }), { code: 11000, keyValue: { a: null } })
})

await eachRoom(t, 'unique: across documents, not within one array', async (t, room) => {
  await made(room, { a: 1 }, { unique: true })
  await room.insert('c', { _id: 1, a: [1, 1, 2] })
  t.match(await duplicate(room, { _id: 2, a: [3, 2] }), { code: 11000, keyValue: { a: 2 } })
})

await eachRoom(t, 'sparse: who lacks every field has no entry, null has one', async (t, room) => {
  await made(room, { a: 1, b: 1 }, { sparse: true })
  await room.insert('c', { _id: 1 }, { _id: 2, b: 1 }, { _id: 3, a: null })
  const ids = (await room.drain({ find: 'c', hint: 'one' })).map(({ _id }) => _id)
  t.same(ids.sort(), [2, 3])
  t.equal((await room.all('c', { a: null })).length, 3, 'and no query loses one without a hint')
})

await eachRoom(t, 'partial: unique among those that match alone', async (t, room) => {
  const options = { unique: true, partialFilterExpression: { on: { $eq: true } } }
  await made(room, { a: 1 }, options)
  await room.insert('c', { _id: 1, a: 1 }, { _id: 2, a: 1 }, { _id: 3, a: 1, on: true })
  t.match(await duplicate(room, { _id: 4, a: 1, on: true }), { code: 11000 })
})

await eachRoom(t, 'parallel arrays in a compound index are 171', async (t, room) => {
  await made(room, { a: 1, b: 1 })
  t.match(await duplicate(room, { _id: 1, a: [1, 2], b: [1, 2] }), { code: 171 })
})

await eachRoom(
  t,
  'a document is found once, however many of its elements match',
  async (t, room) => {
    await made(room, { a: 1 })
    await room.insert('c', { _id: 1, a: [1, 2, 3] }, { _id: 2, a: [9] })
    const found = await room.drain({ find: 'c', filter: { a: { $gt: 0 } }, hint: { a: 1 } })
    t.same(
      found.map(({ _id }) => _id),
      [1, 2],
    )
    t.equal((await room.run({ count: 'c', query: { a: { $gte: 1 } }, hint: { a: 1 } })).n, 2)
  },
)

await eachRoom(
  t,
  'an array at a position is not looked into, by an index neither',
  async (t, room) => {
    await room.insert('c', { _id: 1, a: [[42]] }, { _id: 2, a: [42] }, { _id: 3, a: { 0: 42 } })
    const ids = async () => (await room.all('c', { 'a.0': 42 })).map(({ _id }) => _id)
    t.same(await ids(), [2, 3])
    await room.run({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] })
    await made(room, { 'a.0': 1 })
    t.same(await ids(), [3])
  },
)

await eachRoom(t, 'names and keys that clash are 85 or 86', async (t, room) => {
  await made(room, { a: 1 })
  const other = { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'two' }] }
  t.equal((await room.refusal(other)).code, 85)
  t.equal((await refused(room, { b: 1 })).code, 86)
  t.equal((await refused(room, { a: 1 }, { unique: true })).code, 86)
})

await eachRoom(t, 'keys that are none are 67: 0, an unknown kind, no field', async (t, room) => {
  for (const key of [{ a: 0 }, { a: 'nonsense' }, {}]) t.equal((await refused(room, key)).code, 67)
})

await eachRoom(t, 'a collection has at most 64 indexes, a key 32 fields', async (t, room) => {
  const indexes = Array.from({ length: 63 }, (_, n) => ({ key: { [`f${n}`]: 1 }, name: `n${n}` }))
  await room.run({ createIndexes: 'c', indexes })
  const error = await refused(room, { last: 1 })
  t.equal(error.code, 67)
  t.match(error.message, 'too many indexes')
  const wide = Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, 1]))
  await room.run({ drop: 'c' })
  t.equal((await refused(room, wide)).code, 67)
})

await eachRoom(
  t,
  'the _id index has no options, is not dropped and not hidden',
  async (t, room) => {
    await room.run({ create: 'c' })
    t.equal((await room.refusal({ dropIndexes: 'c', index: '_id_' })).code, 72)
    t.equal((await refused(room, { _id: 1 }, { sparse: true, name: '_id_' })).code, 197)
    t.same(await room.drain({ listIndexes: 'c' }), [{ v: 2, key: { _id: 1 }, name: '_id_' }])
  },
)

await eachRoom(t, 'TTL: one field, not _id, seconds of an int32', async (t, room) => {
  for (const [key, expireAfterSeconds] of [
    [{ a: 1, b: 1 }, 5],
    [{ a: 1 }, -1],
    [{ a: 1 }, 2 ** 31],
  ] as const) {
    t.equal((await refused(room, key, { expireAfterSeconds })).code, 67)
  }
  t.equal((await refused(room, { _id: 1 }, { expireAfterSeconds: 5, name: '_id_' })).code, 197)
})

await eachRoom(t, 'an unknown hint is 2', async (t, room) => {
  await room.run({ create: 'c' })
  const [code, text] = await room.fails({ find: 'c', hint: 'nope' })
  t.equal(code, 2)
  t.match(text, 'hint provided does not correspond to an existing index')
})

await eachRoom(t, '$lookup: elements of either side match, missing is null', async (t, room) => {
  await room.insert('c', { _id: 1, k: [1, 2] }, { _id: 2 }, { _id: 3, k: 9 })
  await room.insert('f', { _id: 1, r: 1 }, { _id: 2, r: [9, 8] }, { _id: 3, r: null }, { _id: 4 })
  const lookup = { from: 'f', localField: 'k', foreignField: 'r', as: 'm' }
  const found = await room.drain({ aggregate: 'c', pipeline: [{ $lookup: lookup }], cursor: {} })
  const ids = found.map(({ m }) => m.map(({ _id }: Options) => _id))
  t.same(ids, [[1], [3, 4], [2]])
})

await eachRoom(t, 'an upsert is seeded by equalities alone, its _id first', async (t, room) => {
  const upsert = async (q: Options, u: Options) => {
    await room.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] })
    await room.run({ update: 'c', updates: [{ q: { ...q, _id: 1 }, u, upsert: true }] })
    return (await room.all('c'))[0]
  }
  const set = { $set: { z: 1 } }
  t.same(await upsert({ a: { $eq: 5 }, b: { $gt: 1 } }, set), { _id: 1, a: 5, z: 1 })
  t.same(await upsert({ 'a.b': 5 }, set), { _id: 1, a: { b: 5 }, z: 1 })
  t.same(await upsert({ $and: [{ a: 5 }], $or: [{ b: 6 }] }, set), { _id: 1, a: 5, b: 6, z: 1 })
  t.same(await upsert({ a: { $all: [5] } }, set), { _id: 1, a: 5, z: 1 })
  t.same(await upsert({ a: 5 }, { $setOnInsert: { y: 2 } }), { _id: 1, a: 5, y: 2 })
  t.same(await upsert({ a: 5 }, { z: 1 }), { _id: 1, z: 1 }, 'a replacement takes _id alone')
})

await eachRoom(t, 'an upsert whose equalities contradict is 54', async (t, room) => {
  const q = { $and: [{ a: 5 }, { a: 6 }] }
  const update = { update: 'c', updates: [{ q, u: { $set: { z: 1 } }, upsert: true }] }
  t.match((await room.run(update)).writeErrors[0], { code: 54 })
})

await eachRoom(t, 'distinct gives the value that was seen first', async (t, room) => {
  await room.insert('c', { _id: 1, a: new Double(1.5) }, { _id: 2, a: [2, 1.5] }, { _id: 3 })
  t.same((await room.run({ distinct: 'c', key: 'a' })).values, [1.5, 2])
})

await eachRoom(t, 'names like integers and __proto__ keep their place', async (t, room) => {
  const names = ['b', '10', '2', '__proto__', 'a']
  const fields = names.map((name, n): [string, number] => [name, n])
  // A pipeline makes the document, since an object literal would put the numbers first.
  const pairs = fields.map(([k, v]) => ({ k, v }))
  const newRoot = { $mergeObjects: [{ _id: 1 }, { $arrayToObject: [pairs] }] }
  const pipeline = [{ $documents: [{}] }, { $replaceWith: newRoot }]
  const cursor = {}
  const made = await room.raw({ aggregate: 1, pipeline: [...pipeline, { $out: 'c' }], cursor })
  t.ok(made.length > 0)
  const shown = { keys: { $map: { input: { $objectToArray: '$$ROOT' }, in: '$$this.k' } } }
  const [row] = await room.drain({ aggregate: 'c', pipeline: [{ $project: shown }], cursor })
  t.same(row?.keys, ['_id', ...names])
})
