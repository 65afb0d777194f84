// $out and $merge: where a pipeline's results go, over every store, and what is refused.

import t from 'tap'
import { eachRoom } from '../../../support/command-room.js'

type Plain = Readonly<Record<string, unknown>>

const aggregate = (collection: string, ...pipeline: readonly Plain[]) => ({
  aggregate: collection,
  pipeline,
  cursor: {},
})

await eachRoom(t, '$out puts the results in a collection’s place', async (t, room) => {
  await room.insert('a', ...Array.from({ length: 1_200 }, (_, _id) => ({ _id, n: _id % 7 })))
  const reply = await room.run(aggregate('a', { $match: { n: 3 } }, { $out: 'b' }))
  t.same(reply.cursor.firstBatch, [])
  t.equal(Number(reply.cursor.id), 0)
  t.equal((await room.all('b')).length, 171)
  await room.run({ createIndexes: 'b', indexes: [{ key: { n: 1 }, name: 'n_1' }] })
  await room.run(aggregate('a', { $match: { _id: { $lt: 3 } } }, { $out: 'b' }))
  t.same(await room.all('b'), [
    { _id: 0, n: 0 },
    { _id: 1, n: 1 },
    { _id: 2, n: 2 },
  ])
  const { cursor } = await room.run({ listIndexes: 'b', cursor: {} })
  t.same(
    cursor.firstBatch.map(({ name }: { name: string }) => name),
    ['_id_', 'n_1'],
    'its indexes stay',
  )
  t.same(await room.all('b', { n: 2 }), [{ _id: 2, n: 2 }], 'and hold the new documents')
  await room.run(aggregate('b', { $set: { n: 9 } }, { $out: 'b' }))
  t.same(
    (await room.all('b')).map(({ n }) => n),
    [9, 9, 9],
    'a collection may be its own source',
  )
  await room.run(aggregate('b', { $match: { _id: 99 } }, { $out: { db: 'other', coll: 'c' } }))
  t.same((await room.run({ count: 'c' }, 'other')).n, 0, 'no results make an empty collection')
  const listed = await room.run({ listCollections: 1, nameOnly: true })
  t.same(listed.cursor.firstBatch.map(({ name }: { name: string }) => name).sort(), ['a', 'b'])
})

await eachRoom(t, 'a failed $out leaves everything as it was', async (t, room) => {
  await room.insert('a', { _id: 1, n: 1 }, { _id: 2, n: 1 })
  await room.insert('b', { _id: 7, n: 7 })
  const index = { key: { n: 1 }, name: 'n_1', unique: true }
  await room.run({ createIndexes: 'b', indexes: [index] })
  const [code] = await room.fails(aggregate('a', { $out: 'b' }))
  t.equal(code, 11000)
  t.same(await room.all('b'), [{ _id: 7, n: 7 }])
  const [division] = await room.fails(
    aggregate('a', { $set: { n: { $divide: [1, { $subtract: ['$_id', 2] }] } } }, { $out: 'c' }),
  )
  t.equal(division, 2)
  const listed = await room.run({ listCollections: 1, nameOnly: true })
  t.same(listed.cursor.firstBatch.map(({ name }: { name: string }) => name).sort(), ['a', 'b'])
})

await eachRoom(t, '$merge does to each document what it is told', async (t, room) => {
  const reset = async () => {
    await room.run({ drop: 'b' }).catch(() => undefined)
    await room.insert('b', { _id: 1, x: 1, y: 1 }, { _id: 5, x: 5 })
  }
  await room.insert('a', { _id: 1, x: 10 }, { _id: 2, x: 20 })
  const merge = async (more: Plain) => {
    await reset()
    await room.run(aggregate('a', { $merge: { into: 'b', ...more } }))
    return room.all('b')
  }
  const second = { _id: 2, x: 20 }
  const last = { _id: 5, x: 5 }
  t.same(await merge({}), [{ _id: 1, x: 10, y: 1 }, second, last])
  t.same(await merge({ whenMatched: 'replace' }), [{ _id: 1, x: 10 }, second, last])
  t.same(await merge({ whenMatched: 'keepExisting' }), [{ _id: 1, x: 1, y: 1 }, second, last])
  t.same(await merge({ whenNotMatched: 'discard' }), [{ _id: 1, x: 10, y: 1 }, last])
  const sum = [{ $set: { x: { $add: ['$x', '$$new.x'] } } }]
  t.same(await merge({ whenMatched: sum }), [{ _id: 1, x: 11, y: 1 }, second, last])
  const scaled = [{ $set: { x: { $multiply: ['$x', '$$by'] } } }]
  t.same(await merge({ whenMatched: scaled, let: { by: '$x' } }), [
    ...[{ _id: 1, x: 10, y: 1 }, second, last],
  ])
  await reset()
  const fails = (more: Plain) =>
    room.fails(aggregate('a', { $merge: { into: 'b', ...more } })).then(([code]) => code)
  t.equal(await fails({ whenNotMatched: 'fail' }), 13113)
  t.equal(await fails({ whenMatched: 'fail' }), 11000)
  t.equal(await fails({ whenMatched: 'fail', whenNotMatched: 'discard' }), 51189)
  t.equal(await fails({ on: 'x' }), 51183)
  await room.run({ createIndexes: 'b', indexes: [{ key: { x: 1 }, name: 'x_1', unique: true }] })
  await room.insert('b', { _id: 8, x: 20, y: 8 })
  await room.run(
    aggregate('a', { $project: { _id: 0, x: 1, z: '$_id' } }, { $merge: { into: 'b', on: 'x' } }),
  )
  t.same((await room.all('b', { x: { $gte: 10 } })).map(({ x, z }) => [x, z]).sort(), [
    [10, 1],
    [20, 2],
  ])
  t.equal(await fails({ on: ['x'], into: { db: 'other', coll: 'c' } }), 51183)
})

await eachRoom(t, '$merge into its own source meets no result twice', async (t, room) => {
  await room.insert('a', ...Array.from({ length: 700 }, (_, _id) => ({ _id, n: 1 })))
  await room.run(
    aggregate('a', { $set: { _id: { $add: ['$_id', 1_000] }, n: 2 } }, { $merge: 'a' }),
  )
  t.equal((await room.all('a')).length, 1_400)
  t.equal((await room.all('a', { n: 2 })).length, 700)
  await room.run(aggregate('a', { $set: { n: { $add: ['$n', 1] } } }, { $merge: 'a' }))
  t.equal((await room.all('a', { n: { $in: [2, 3] } })).length, 1_400)
  await room.insert('k', { _id: 1, k: 1 }, { _id: 2, k: 2 })
  await room.run({ createIndexes: 'k', indexes: [{ key: { k: 1 }, name: 'k', unique: true }] })
  await room.run(
    aggregate(
      'k',
      { $project: { _id: 0, k: 1, n: { $literal: 1 } } },
      { $merge: { into: 'k', on: 'k' } },
    ),
  )
  t.same(await room.all('k'), [
    { _id: 1, k: 1, n: 1 },
    { _id: 2, k: 2, n: 1 },
  ])
})

await eachRoom(t, 'what cannot be written to is refused', async (t, room) => {
  await room.insert('a', { _id: 1 })
  const code = async (...pipeline: readonly Plain[]) =>
    (await room.fails(aggregate('a', ...pipeline)))[0]
  t.equal(await code({ $out: 'b' }, { $match: {} }), 40601)
  t.equal(await code({ $facet: { x: [{ $out: 'b' }] } }), 40600)
  t.equal(await code({ $unionWith: { coll: 'a', pipeline: [{ $merge: 'b' }] } }), 31441)
  t.equal(await code({ $lookup: { from: 'a', pipeline: [{ $out: 'b' }], as: 'x' } }), 51047)
  t.equal(await code({ $out: 1 }), 16990)
  t.equal(await code({ $out: {} }), 40414)
  t.equal(await code({ $out: 'system.b' }), 73)
  t.equal(await code({ $out: '_audit' }), 73)
  t.equal(await code({ $merge: 1 }), 51182)
  t.equal(await code({ $merge: { into: 'b', more: 1 } }), 40415)
  t.equal(await code({ $merge: { into: 'b', whenMatched: 'x' } }), 2)
  t.equal(await code({ $merge: { into: 'b', on: [] } }), 51187)
  t.equal(await code({ $merge: { into: 'b', on: ['x', 'x'] } }), 31465)
  t.equal(await code({ $merge: { into: 'b', let: { x: 1 } } }), 51199)
  const explained = await room.run({
    ...aggregate('a', { $out: 'b' }),
    explain: true,
  })
  t.equal(explained.ok, 1)
  t.same(await room.all('b'), [], 'what is explained is not done')
})
