// What cursors keep counts for their owner: spelled-out documents, blocking stages, joins. The
// oldest idle one is closed for another, and what is closed gives all back.

import { Long } from 'bson'
import tap from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { SpillFolder } from '../../../../src/engine/sources/spill.js'
import { nodeFiles } from '../../../../src/store/files.js'
import { type CommandRoom, eachRoom } from '../../../support/command-room.js'
import { temporaryFolder } from '../../../support/stores.js'

const megabyte = 1_000_000
const share = 8 * megabyte

const bytesHeld = (room: CommandRoom) => room.engine.memory.shares.bytesHeld

function bounded(room: CommandRoom): void {
  room.engine.memory.shares.bounds = { ofOwner: share, ofAll: 2 * share }
}

/** A cursor over two documents of a megabyte each, and what the stages make of them. */
async function opened(room: CommandRoom, ...stages: readonly object[]) {
  const documents = [1, 2].map((n) => ({ n, pad: 'x'.repeat(megabyte) }))
  const pipeline = [{ $documents: documents }, ...stages]
  const { cursor } = await room.run({ aggregate: 1, pipeline, cursor: { batchSize: 0 } })
  return Long.fromString(String(cursor.id))
}

eachRoom(tap, 'the oldest idle cursor goes first', async (t, room) => {
  bounded(room)
  const ids = []
  for (let i = 0; i < 20; i++) {
    ids.push(await opened(room))
    t.ok(bytesHeld(room) <= share, `${bytesHeld(room)} bytes`)
  }
  // The command's bytes and the documents of it: four megabytes of eight.
  t.equal(room.engine.cursors.size, 1)
  const more = { collection: '$cmd.aggregate' }
  t.equal((await room.refusal({ getMore: ids[18], ...more })).code, 43)
  for (const id of ids.slice(-1)) {
    const { cursor } = await room.run({ getMore: id, ...more })
    t.equal(cursor.nextBatch.length, 2, 'the newest goes on')
  }
  t.equal(bytesHeld(room), 0)
})

eachRoom(tap, 'what stages keep for a cursor counts', async (t, room) => {
  bounded(room)
  const first = { batchSize: 1 }
  const pad = 'x'.repeat(megabyte)
  await room.insert('many', { _id: 1, pad }, { _id: 2, pad }, { _id: 3, pad })
  const pipelines = [
    [{ $sort: { pad: 1 } }],
    [{ $group: { _id: '$_id', pads: { $push: '$pad' } } }],
  ]
  for (const pipeline of pipelines) {
    const { cursor } = await room.run({ aggregate: 'many', pipeline, cursor: first })
    const held = bytesHeld(room)
    t.ok(held > megabyte, `${held} bytes`)
    await room.run({ killCursors: 'many', cursors: [Long.fromString(String(cursor.id))] })
    t.equal(bytesHeld(room), 0)
  }
  t.equal(room.engine.memory.shares.ownersKnown, 0)
})

eachRoom(tap, 'the values of distinct count while they are collected', async (t, room) => {
  room.engine.memory.shares.bounds = { ofOwner: megabyte, ofAll: megabyte }
  const documents = Array.from({ length: 5 }, (_, i) => ({
    _id: i,
    v: `${i}${'x'.repeat(250_000)}`,
  }))
  await room.insert('many', ...documents)
  t.equal((await room.refusal({ distinct: 'many', key: 'v' })).code, 146)
  t.equal(bytesHeld(room), 0)
  const { values } = await room.run({ distinct: 'many', key: 'v', query: { _id: 1 } })
  t.equal(values.length, 1)
  t.equal(bytesHeld(room), 0)
})

eachRoom(tap, 'a query that finds no room is refused, and holds nothing', async (t, room) => {
  room.engine.memory.shares.bounds = { ofOwner: megabyte, ofAll: megabyte }
  const pad = 'x'.repeat(megabyte)
  await room.insert('many', { _id: 1, pad }, { _id: 2, pad })
  const cursor = {}
  const pipelines = [
    [{ $sort: { pad: 1 } }],
    [{ $group: { _id: '$_id', pads: { $push: '$pad' } } }],
    [{ $facet: { all: [{ $match: {} }] } }],
    [{ $lookup: { from: 'many', pipeline: [], as: 'all' } }],
    [
      {
        $graphLookup: {
          ...{ from: 'many', startWith: '$pad', connectFromField: '_id' },
          ...{ connectToField: 'pad', as: 'all' },
        },
      },
    ],
  ]
  for (const pipeline of pipelines) {
    const { code } = await room.refusal({ aggregate: 'many', pipeline, cursor })
    t.equal(code, 146, JSON.stringify(pipeline))
    t.equal(bytesHeld(room), 0)
  }
})

eachRoom(tap, 'an unwound document does not stand in memory many times', async (t, room) => {
  bounded(room)
  await room.insert('many', {
    _id: 1,
    a: Array.from({ length: 400 }, (_, i) => i),
    pad: 'x'.repeat(100_000),
  })
  const { cursor } = await room.run({
    aggregate: 'many',
    pipeline: [{ $unwind: '$a' }],
    cursor: { batchSize: 1 },
  })
  t.ok(bytesHeld(room) < share, `${bytesHeld(room)} bytes of 40 MB`)
  let count = 1
  for (let id = String(cursor.id); id !== '0'; ) {
    const more = await room.run({ getMore: Long.fromString(id), collection: 'many' })
    count += more.cursor.nextBatch.length
    id = String(more.cursor.id)
  }
  t.equal(count, 400)
  t.equal(bytesHeld(room), 0)
})

eachRoom(tap, 'the matches of a $lookup count beside what is made of them', async (t, room) => {
  const pad = 'x'.repeat(megabyte)
  await room.insert('many', { _id: 1, pad }, { _id: 2, pad })
  const lookup = { $lookup: { from: 'many', pipeline: [], as: 'all' } }
  const pipeline = [{ $limit: 1 }, { $project: { _id: 1 } }, lookup]
  const command = { aggregate: 'many', pipeline, cursor: {} }
  room.engine.memory.shares.bounds = { ofOwner: 5 * megabyte, ofAll: share }
  t.equal((await room.run(command)).cursor.firstBatch.length, 1)
  room.engine.memory.shares.bounds = { ofOwner: 3 * megabyte, ofAll: share }
  t.equal((await room.refusal(command)).code, 146, 'two of matches and two of the result')
  t.equal(bytesHeld(room), 0)
})

tap.test('a group whose parts come back from the disk counts', async (t) => {
  const folder = await temporaryFolder(t)
  const spills = new SpillFolder({
    ...{ folder, files: nodeFiles, clock: systemClock },
    memoryBytesMax: megabyte,
  })
  await eachRoom(
    t,
    'spilled',
    async (t, room) => {
      const pad = 'x'.repeat(megabyte / 10)
      await room.insert('many', ...Array.from({ length: 60 }, (_, _id) => ({ _id, pad })))
      for (const make of [{ $push: '$pad' }, { $push: '$$ROOT' }]) {
        const pipeline = [{ $group: { _id: null, all: make } }, { $project: { _id: 1 } }]
        const command = { aggregate: 'many', pipeline, allowDiskUse: true, cursor: {} }
        room.engine.memory.shares.bounds = { ofOwner: 15 * megabyte, ofAll: 15 * megabyte }
        t.equal((await room.run(command)).cursor.firstBatch.length, 1)
        room.engine.memory.shares.bounds = { ofOwner: 5 * megabyte, ofAll: 15 * megabyte }
        t.equal((await room.refusal(command)).code, 146, 'six are put together')
        t.equal(bytesHeld(room), 0)
        t.equal(spills.filesOpen, 0)
      }
    },
    { spills, kinds: ['memory'] },
  )
})
