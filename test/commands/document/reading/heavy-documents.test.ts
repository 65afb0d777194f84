// Documents that are too much work for one turn are computed in a thread: in every place where a
// read looks at them, and in no write.

import { Long } from 'bson'
import tap from 'tap'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { LateStore } from '../../../support/late-store.js'

/** Each document costs twice what a turn may. */
const count = 60_000
const numbers = Array.from({ length: count }, (_, i) => (i * 7_919) % count)
const total = (count * (count - 1)) / 2

const sum = { $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }
const doubled = { $map: { input: '$a', in: { $multiply: ['$$this', 2] } } }
const isLarge = { $gt: [sum, 1_000] }

/** Documents 1 and 2 are heavy, 3 is not. */
async function filled(room: CommandRoom): Promise<void> {
  for (const _id of [1, 2]) await room.insert('docs', { _id, a: numbers, g: 'x' })
  await room.insert('docs', { _id: 3, a: [1, 2, 3], g: 'x' })
}

async function rows(room: CommandRoom, ...pipeline: readonly object[]): Promise<Reply[]> {
  const { cursor } = await room.run({ aggregate: 'docs', pipeline, cursor: {} })
  return cursor.firstBatch
}

const idOf = (cursor: Reply) => Long.fromString(String(cursor.id))

/** A store that is asked step by step has no turns: nothing is refused there. */
const isUnbounded = (room: CommandRoom) => room.store instanceof LateStore

const sums = [
  { _id: 1, s: total },
  { _id: 2, s: total },
  { _id: 3, s: 6 },
]

eachRoom(tap, 'stages compute heavy documents', async (t, room) => {
  await filled(room)
  t.same(await rows(room, { $project: { s: sum } }), sums)
  t.same(await rows(room, { $set: { s: sum } }, { $unset: ['a', 'g'] }), sums)
  t.same(await rows(room, { $match: { $expr: isLarge } }, { $project: { _id: 1 } }), [
    { _id: 1 },
    { _id: 2 },
  ])
  t.same(await rows(room, { $limit: 3 }, { $match: { $expr: isLarge } }, { $count: 'n' }), [
    { n: 2 },
  ])
  const grouped = { _id: isLarge, n: { $sum: 1 }, s: { $sum: sum }, most: { $max: sum } }
  t.same(await rows(room, { $group: grouped }, { $sort: { _id: 1 } }), [
    { _id: false, n: 1, s: 6, most: 6 },
    { _id: true, n: 2, s: 2 * total, most: total },
  ])
  const kept = { $cond: [isLarge, '$$PRUNE', '$$KEEP'] }
  t.same(await rows(room, { $redact: kept }, { $project: { g: 1 } }), [{ _id: 3, g: 'x' }])
  const replaced = { $replaceWith: { s: { $sum: doubled } } }
  t.same(await rows(room, replaced), [{ s: 2 * total }, { s: 2 * total }, { s: 12 }])
})

eachRoom(tap, 'stages that hold documents compute heavy ones too', async (t, room) => {
  await filled(room)
  const window = { documents: ['unbounded', 'current'] }
  const before = { $sum: sum, window }
  const windowed = { $setWindowFields: { sortBy: { _id: 1 }, output: { s: before } } }
  t.same(await rows(room, windowed, { $project: { s: 1 } }), [
    { _id: 1, s: total },
    { _id: 2, s: 2 * total },
    { _id: 3, s: 2 * total + 6 },
  ])
  const parted = { $setWindowFields: { partitionBy: isLarge, output: { n: { $sum: 1 } } } }
  const ordered = [{ $project: { n: 1 } }, { $sort: { _id: 1 } }]
  t.same(await rows(room, parted, ...ordered), [
    { _id: 1, n: 2 },
    { _id: 2, n: 2 },
    { _id: 3, n: 1 },
  ])
  const auto = { groupBy: sum, buckets: 2, output: { n: { $sum: 1 }, s: { $max: sum } } }
  t.same(await rows(room, { $bucketAuto: auto }), [{ _id: { min: 6, max: total }, n: 3, s: total }])
  t.same(await rows(room, { $sortByCount: isLarge }), [
    { _id: true, count: 2 },
    { _id: false, count: 1 },
  ])
})

eachRoom(tap, 'so do facets, joins, unions and views', async (t, room) => {
  await filled(room)
  const facets = {
    s: [{ $project: { s: sum } }],
    n: [{ $match: { $expr: isLarge } }, { $count: 'n' }],
  }
  t.same(await rows(room, { $facet: facets }), [{ s: sums, n: [{ n: 2 }] }])
  const pipeline = [{ $match: { $expr: { $eq: [sum, '$$s'] } } }, { $project: { s: sum } }]
  const lookup = { from: 'docs', let: { s: sum }, pipeline, as: 'same' }
  t.same(await rows(room, { $lookup: lookup }, { $project: { same: 1 } }), [
    { _id: 1, same: sums.slice(0, 2) },
    { _id: 2, same: sums.slice(0, 2) },
    { _id: 3, same: sums.slice(2) },
  ])
  const union = { coll: 'docs', pipeline: [{ $project: { s: sum } }] }
  t.same(await rows(room, { $match: { _id: 9 } }, { $unionWith: union }), sums)
  const start = { $cond: [isLarge, 'x', 'y'] }
  const graph = { from: 'docs', startWith: start, connectFromField: 'no', connectToField: 'g' }
  const found = [{ $graphLookup: { ...graph, as: 'f' } }, { $project: { n: { $size: '$f' } } }]
  t.same(await rows(room, ...found), [
    { _id: 1, n: 3 },
    { _id: 2, n: 3 },
    { _id: 3, n: 0 },
  ])
  await room.run({ create: 'seen', viewOn: 'docs', pipeline: [{ $project: { s: sum } }] })
  const { cursor } = await room.run({ find: 'seen', filter: { s: total } })
  t.same(cursor.firstBatch, sums.slice(0, 2))
})

eachRoom(tap, 'find, count and distinct compute them, and getMore goes on', async (t, room) => {
  await filled(room)
  const filter = { $expr: isLarge }
  const find = { find: 'docs', filter, projection: { s: sum }, batchSize: 1 }
  const { cursor } = await room.run(find)
  t.same(cursor.firstBatch, sums.slice(0, 1))
  const more = await room.run({ getMore: idOf(cursor), collection: 'docs' })
  t.same(more.cursor.nextBatch, sums.slice(1, 2))
  const aggregate = { aggregate: 'docs', pipeline: [{ $project: { s: sum } }] }
  const first = await room.run({ ...aggregate, cursor: { batchSize: 1 } })
  t.same(first.cursor.firstBatch, sums.slice(0, 1))
  const rest = await room.run({ getMore: idOf(first.cursor), collection: 'docs' })
  t.same(rest.cursor.nextBatch, sums.slice(1))
  t.equal((await room.run({ count: 'docs', query: filter })).n, 2)
  t.same((await room.run({ distinct: 'docs', key: '_id', query: filter })).values, [1, 2])
  const sorted = { find: 'docs', filter, projection: { s: sum }, sort: { g: 1, _id: -1 } }
  t.same((await room.run(sorted)).cursor.firstBatch, [sums[1], sums[0]])
})

eachRoom(tap, 'a heavy document is refused what a light one is', async (t, room) => {
  await filled(room)
  const divided = { $map: { input: '$a', in: { $divide: [1, { $subtract: ['$$this', 2] }] } } }
  const pipeline = [{ $project: { d: divided } }]
  const light = { aggregate: 'docs', pipeline: [{ $match: { _id: 3 } }, ...pipeline], cursor: {} }
  const heavy = { aggregate: 'docs', pipeline, cursor: {} }
  const { code, message } = await room.refusal(light)
  t.match(await room.refusal(heavy), { code, message })
})

eachRoom(tap, 'what is constant and long is computed with the documents', async (t, room) => {
  await room.insert('docs', { _id: 1 })
  const input = { $range: [0, 400_000] }
  t.same(await rows(room, { $project: { n: { $size: { $concatArrays: [input, input] } } } }), [
    { _id: 1, n: 800_000 },
  ])
})

eachRoom(tap, 'a write refuses them, and leaves them as they were', async (t, room) => {
  await filled(room)
  // A write program may do somewhat more than a turn.
  const most = { $add: [sum, sum] }
  const update = { q: { _id: 1 }, u: [{ $set: { s: most } }] }
  if (isUnbounded(room)) return
  t.equal((await room.refusal({ update: 'docs', updates: [update] })).code, 50)
  const modified = { findAndModify: 'docs', query: { _id: 1 }, update: [{ $set: { s: most } }] }
  t.equal((await room.refusal(modified)).code, 50)
  t.equal((await room.run({ count: 'docs', query: { s: { $exists: true } } })).n, 0)
})

eachRoom(tap, 'documents that are away count for the memory of their owner', async (t, room) => {
  await filled(room)
  const { shares } = room.engine.memory
  const before = shares.bytesHeld
  const command = { aggregate: 'docs', pipeline: [{ $project: { s: sum } }], cursor: {} }
  if (isUnbounded(room)) return
  // Its copy and its answer; the query itself holds no more than the document.
  shares.bounds = { ofOwner: 1_000_000, ofAll: 1_000_000 }
  t.equal((await room.refusal(command)).code, 146)
  const light = { ...command, pipeline: [{ $project: { s: { $size: '$a' } } }] }
  t.equal((await room.run(light)).cursor.firstBatch.length, 3)
  shares.bounds = { ofOwner: 8_000_000, ofAll: 8_000_000 }
  t.same((await room.run(command)).cursor.firstBatch, sums)
  t.equal(shares.bytesHeld, before)
})
