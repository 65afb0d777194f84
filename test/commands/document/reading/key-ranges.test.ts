// min, max and returnKey of a find: what lies between two keys of an index, and those keys instead
// of documents, with the refusals of the reference server.

import fc from 'fast-check'
import t from 'tap'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { runs } from '../../../support/runs.js'

type Plain = Readonly<Record<string, unknown>>

const ids = async (room: CommandRoom, query: Plain): Promise<unknown[]> =>
  (await room.drain({ find: 'c', ...query })).map(({ _id }) => _id)

async function indexed(room: CommandRoom, key: Plain, more: Plain = {}): Promise<void> {
  const name = Object.entries(key).flat().join('_')
  await room.run({ createIndexes: 'c', indexes: [{ key, name, ...more }] })
}

/** `_id` 0 to 9 with `a` from 0 to 9 and `b` from 9 to 0. */
async function filled(room: CommandRoom): Promise<void> {
  const documents = Array.from({ length: 10 }, (_, i) => ({ _id: i, a: i, b: 9 - i }))
  await room.insert('c', ...documents)
}

await eachRoom(t, 'min is included and max is not', async (t, room) => {
  await filled(room)
  await indexed(room, { a: 1 })
  const hint = { a: 1 }
  t.same(await ids(room, { hint, min: { a: 3 }, max: { a: 6 } }), [3, 4, 5])
  t.same(await ids(room, { hint, min: { a: 7 } }), [7, 8, 9])
  t.same(await ids(room, { hint: 'a_1', max: { a: 2 } }), [0, 1])
  t.same(await ids(room, { hint: '_id_', min: { _id: 2 }, max: { _id: 4 } }), [2, 3])
  t.same(await ids(room, { hint: { _id: 1 }, max: { _id: 2 }, sort: { _id: -1 } }), [1, 0])
  t.same(await ids(room, { hint, min: { a: 'x' } }), [], 'of another type')
})

await eachRoom(t, 'filter, sort, projection, skip and limit go with a range', async (t, room) => {
  await filled(room)
  await indexed(room, { a: 1 })
  const range = { hint: { a: 1 }, min: { a: 2 }, max: { a: 8 } }
  t.same(await ids(room, { ...range, filter: { _id: { $mod: [2, 0] } } }), [2, 4, 6])
  t.same(await ids(room, { ...range, sort: { a: -1 }, limit: 2 }), [7, 6])
  t.same(await ids(room, { ...range, sort: { b: 1 }, skip: 1, limit: 2 }), [6, 5])
  t.same(await ids(room, { ...range, filter: { _id: 3 } }), [3])
  t.same(await ids(room, { ...range, filter: { _id: 9 } }), [])
  t.same(await room.drain({ find: 'c', ...range, limit: 1, projection: { _id: 0, b: 1 } }), [
    { b: 7 },
  ])
  t.equal((await room.drain({ find: 'c', ...range, batchSize: 1 })).length, 6)
})

await eachRoom(t, 'compound and descending keys are compared in their order', async (t, room) => {
  const documents = Array.from({ length: 12 }, (_, i) => ({
    _id: i,
    a: Math.floor(i / 4),
    b: i % 4,
  }))
  await room.insert('c', ...documents)
  await indexed(room, { a: 1, b: -1 })
  const hint = { a: 1, b: -1 }
  t.same(await ids(room, { hint, min: { a: 0, b: 1 }, max: { a: 1, b: 2 } }), [1, 0, 7])
  await indexed(room, { b: -1 })
  t.same(await ids(room, { hint: { b: -1 }, min: { b: 2 }, max: { b: 1 } }), [2, 6, 10])
  const [code] = await room.fails({ find: 'c', hint: { b: -1 }, min: { b: 1 }, max: { b: 2 } })
  t.equal(code, 51175, 'before is what comes first in the index')
})

await eachRoom(t, 'a document with several keys in a range comes once', async (t, room) => {
  await room.insert('c', { _id: 1, a: [1, 2, 8] }, { _id: 2, a: [9] }, { _id: 3, a: 2 }, { _id: 4 })
  await indexed(room, { a: 1 })
  const hint = { a: 1 }
  t.same(await ids(room, { hint, min: { a: 1 }, max: { a: 9 } }), [1, 3])
  t.same(await ids(room, { hint, min: { a: null }, max: { a: 1 } }), [4])
})

await eachRoom(t, 'what is no range of the hinted index is refused', async (t, room) => {
  await filled(room)
  await indexed(room, { a: 1, b: 1 })
  await indexed(room, { '$**': 1 })
  await indexed(room, { h: 'hashed' })
  const fails = (query: Plain) => room.fails({ find: 'c', ...query })
  const missing = 'When using min()/max() a hint of which index to use must be provided'
  const other = 'The index chosen is not compatible with min/max'
  t.same(await fails({ min: { a: 1 } }), [51173, missing])
  t.same(await fails({ max: { a: 1 }, filter: { _id: 1 } }), [51173, missing])
  t.same(await fails({ min: { a: 1 }, hint: { $natural: 1 } }), [51173, missing])
  t.equal((await fails({ min: { a: 1 }, hint: 'none' }))[0], 2)
  const hint = { a: 1, b: 1 }
  t.same(await fails({ hint, min: { a: 1 } }), [51174, other])
  t.same(await fails({ hint, min: { b: 1, a: 1 } }), [51174, other])
  t.same(await fails({ hint: '$**_1', min: { a: 1 } }), [51174, other])
  t.same(await fails({ hint: 'h_hashed', min: { h: 1 } }), [51174, other])
  const collation = { locale: 'en', strength: 2 }
  t.same(await fails({ hint, min: { a: 'x', b: 1 }, collation }), [51174, other])
  t.same(await ids(room, { hint, min: { a: 8, b: 1 }, collation }), [8, 9])
  t.same(await fails({ hint, min: { a: 2, b: 2 }, max: { a: 2, b: 2 } }), [
    51175,
    'The value provided for min() does not come before the value provided for max() in the ' +
      'hinted index',
  ])
  t.same(await fails({ hint, min: { a: 1, b: 1 }, max: { b: 1, a: 1 } }), [
    51176,
    'min and max must have the same field names',
  ])
  const long = 'x'.repeat(5_000)
  t.equal((await fails({ hint, min: { a: long, b: 1 } }))[0], 115)
  t.equal((await fails({ showRecordId: true }))[0], 115)
  t.same(await room.drain({ find: 'missing', hint, min: { a: 1 } }), [])
})

await eachRoom(t, 'strings of a range compare as those of the index', async (t, room) => {
  const collation = { locale: 'en', strength: 2 }
  await room.insert('c', { _id: 1, a: 'B' }, { _id: 2, a: 'a' }, { _id: 3, a: 'c' })
  await indexed(room, { a: 1 }, { collation })
  const range = { hint: 'a_1', min: { a: 'A' }, max: { a: 'C' } }
  t.same(await ids(room, { ...range, collation }), [2, 1])
  t.equal((await room.fails({ find: 'c', ...range }))[0], 51174)
  const keys = { find: 'c', hint: 'a_1', collation, returnKey: true }
  t.equal((await room.fails(keys))[0], 115, 'the key of a collation is not returned')
})

await eachRoom(t, 'explain tells the range and the stage of the keys', async (t, room) => {
  await filled(room)
  await indexed(room, { a: 1 })
  const range = { hint: { a: 1 }, min: { a: 3 }, max: { a: 6 } }
  const command = { find: 'c', ...range, returnKey: true, projection: { b: 1 } }
  const { queryPlanner, executionStats } = await room.run({ explain: command })
  const bounds = {
    ...{ startKey: { a: 3 }, startKeyInclusive: true },
    ...{ endKey: { a: 6 }, endKeyInclusive: false },
  }
  t.match(queryPlanner.winningPlan, {
    stage: 'RETURN_KEY',
    inputStage: { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexBounds: bounds } },
  })
  t.match(executionStats, { nReturned: 3, totalKeysExamined: 3 })
})

await eachRoom(t, 'returnKey answers the keys of what was found', async (t, room) => {
  await room.insert(
    'c',
    { _id: 1, a: [3, 1], b: 'x' },
    { _id: 2, a: 2, b: 'y' },
    { _id: 3, b: 'z' },
    { _id: 4, a: [], b: 'w' },
  )
  const keys = (query: Plain): Promise<Reply[]> =>
    room.drain({ find: 'c', returnKey: true, ...query })
  t.same(await keys({}), [{}, {}, {}, {}], 'no index')
  t.same(await keys({ filter: { _id: 2 } }), [{ _id: 2 }])
  t.same(await keys({ filter: { _id: { $gt: 2 } } }), [{ _id: 3 }, { _id: 4 }])
  await indexed(room, { a: 1, b: -1 })
  const hint = { a: 1, b: -1 }
  t.same(await keys({ hint, filter: { a: { $gte: 0 } }, projection: { _id: 1 } }), [
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ])
  t.same(await keys({ hint, filter: { a: { $gt: 1 } }, sort: { b: -1 } }), [
    { a: 2, b: 'y' },
    { a: 3, b: 'x' },
  ])
  t.same(await keys({ hint, filter: { a: null } }), [{ a: null, b: 'z' }])
  await indexed(room, { b: 1 })
  t.same(await keys({ filter: { $or: [{ b: 'z' }, { _id: 1 }] } }), [{ b: 'z' }, { _id: 1 }])
  await indexed(room, { 'w.$**': 1 })
  await room.insert('c', { _id: 5, w: { v: 7 } })
  t.same(await keys({ filter: { 'w.v': 7 } }), [{ $_path: 'w.v', 'w.v': 7 }])
})

t.test('a range holds what the order of the index says', async (t) => {
  await eachRoom(t, 'any documents', async (t, room) => {
    const value = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom(null, 'a', 'b', true))
    const directions = fc.tuple(fc.constantFrom(1, -1), fc.constantFrom(1, -1))
    const rows = fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 8 })
    const ends = fc.tuple(fc.tuple(value, value), fc.tuple(value, value))
    await fc.assert(
      fc.asyncProperty(rows, directions, ends, async (pairs, [first, second], [low, high]) => {
        await room.run({ drop: 'c' })
        const hint = { a: first, b: second }
        await indexed(room, hint)
        await room.insert('c', ...pairs.map(([a, b], _id) => ({ _id, a, b })))
        const whole = await room.drain({ find: 'c', sort: hint, hint })
        const [min, max] = [low, high].map(([a, b]) => ({ a, b }))
        await room.insert('c', { _id: 'min', ...min }, { _id: 'max', ...max })
        const order = await room.drain({ find: 'c', sort: hint, hint })
        await room.run({ delete: 'c', deletes: [{ q: { _id: { $type: 'string' } }, limit: 0 }] })
        const places = new Map(
          order.map(({ a, b }, i) => [JSON.stringify([a, b]), i]).reverse() as [string, number][],
        )
        const placeOf = ({ a, b }: Reply) => places.get(JSON.stringify([a, b])) ?? 0
        const command = { find: 'c', hint, min, max }
        if (placeOf(min as Reply) >= placeOf(max as Reply)) {
          t.equal((await room.fails(command))[0], 51175)
          return
        }
        const expected = whole.filter((one) => {
          const place = placeOf(one)
          return place >= placeOf(min as Reply) && place < placeOf(max as Reply)
        })
        t.same(await room.drain(command), expected)
        const keys = await room.drain({ ...command, returnKey: true })
        t.same(
          keys,
          expected.map(({ a, b }) => ({ a, b })),
        )
      }),
      { numRuns: runs(200) },
    )
  })
})
