// Sorts and groups that memory does not hold, over every store with a bound of a few kilobytes: the
// same results as without, the reference server's error where the disk is not allowed, and no file
// left behind.

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Long } from 'bson'
import t, { type Test } from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { SpillFolder, SpillScope } from '../../../../src/engine/sources/spill.js'
import { nodeFiles } from '../../../../src/store/files.js'
import { CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { FaultyFiles } from '../../../support/faulty-files.js'
import { eachStore, openStore, temporaryFolder } from '../../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>

const count = 600
/** About 250 bytes a document: the bound is some forty of them. */
const memoryBytesMax = 16_384

function documentOf(_id: number): Plain {
  const n = Math.imul(_id, 2_654_435_761) >>> 0
  return { _id, n, g: n % 150, d: n / 7, s: `s${n % 11}`, text: 'x'.repeat(100) }
}

const documents = Array.from({ length: count }, (_, id) => documentOf(id))

interface Spilling {
  readonly room: CommandRoom
  readonly spills: SpillFolder
  readonly folder: string
}

async function eachSpilling(
  name: string,
  body: (t: Test, given: Spilling) => Promise<void>,
): Promise<void> {
  await eachStore(t, name, async (t, { store, clock }) => {
    const folder = join(await temporaryFolder(t), 'spill')
    const spills = new SpillFolder({ folder, files: nodeFiles, clock, memoryBytesMax })
    nodeFiles.makeFolder(folder)
    const room = new CommandRoom(store, clock, { spills })
    await room.insert('c', ...documents)
    await body(t, { room, spills, folder })
    t.equal(spills.filesOpen, 0, 'no file is open')
    t.equal(spills.bytesHeld, 0, 'nothing is held on disk')
    t.same(readdirSync(folder), [], 'no file has a name')
    await room.engine.close()
  })
}

const byKey = (a: Reply, b: Reply): number =>
  JSON.stringify(a._id) < JSON.stringify(b._id) ? -1 : 1

await eachSpilling('a find sorts on disk, stable, whole and by a limit', async (t, { room }) => {
  const model = [...documents].sort((a, b) => Number(a.g) - Number(b.g))
  const found = await room.drain({ find: 'c', sort: { g: 1 } })
  t.same(
    found.map(({ _id }) => _id),
    model.map(({ _id }) => _id),
  )
  const top = await room.drain({ find: 'c', sort: { g: 1 }, skip: 30, limit: 300 })
  t.same(
    top.map(({ _id }) => _id),
    model.slice(30, 330).map(({ _id }) => _id),
  )
})

await eachSpilling('a $sort on disk is followed by what it is followed by', async (t, { room }) => {
  const pipeline = [
    { $project: { g: 1 } },
    { $sort: { g: -1 } },
    { $match: { _id: { $gte: 300 } } },
  ]
  const model = documents
    .filter(({ _id }) => Number(_id) >= 300)
    .sort((a, b) => Number(b.g) - Number(a.g))
  const found = await room.drain({ aggregate: 'c', pipeline, cursor: { batchSize: 7 } })
  t.same(
    found,
    model.map(({ _id, g }) => ({ _id, g })),
  )
})

const allAccumulators = {
  sum: { $sum: '$n' },
  double: { $sum: '$d' },
  mean: { $avg: '$d' },
  min: { $min: '$s' },
  max: { $max: '$s' },
  first: { $first: '$_id' },
  last: { $last: '$_id' },
  push: { $push: '$_id' },
  merged: { $mergeObjects: { a: '$_id', b: '$s' } },
  firstN: { $firstN: { n: 2, input: '$_id' } },
  lastN: { $lastN: { n: 2, input: '$_id' } },
  minN: { $minN: { n: 2, input: '$d' } },
  maxN: { $maxN: { n: 2, input: '$d' } },
  top: { $top: { sortBy: { s: 1 }, output: '$_id' } },
  topN: { $topN: { n: 3, sortBy: { s: -1 }, output: ['$s', '$_id'] } },
  bottom: { $bottom: { sortBy: { s: 1 }, output: '$_id' } },
  bottomN: { $bottomN: { n: 3, sortBy: { s: 1 }, output: '$_id' } },
  share: { $percentile: { input: '$n', p: [0.2, 0.9], method: 'approximate' } },
  median: { $median: { input: '$d', method: 'approximate' } },
  count: { $count: {} },
} as const

await eachSpilling('every accumulator goes on where its group was spilled', async (t, { room }) => {
  const group = { _id: '$g', ...allAccumulators, set: { $addToSet: '$s' } }
  const pipeline = [{ $group: group }]
  const spilled = await room.drain({ aggregate: 'c', pipeline, cursor: {} })
  const inMemory = new CommandRoom(room.store, systemClock)
  const model = await inMemory.drain({ aggregate: 'c', pipeline, cursor: {} })
  t.equal(spilled.length, 150)
  t.same(spilled.sort(byKey), model.sort(byKey))
  const again = await room.drain({ aggregate: 'c', pipeline, cursor: {} })
  t.same(again.sort(byKey), spilled, 'the order is the same every time')
  await inMemory.engine.close()
})

await eachSpilling('deviations of parts make that of the whole', async (t, { room }) => {
  const group = {
    _id: '$s',
    dev: { $stdDevPop: '$d' },
    samp: { $stdDevSamp: '$d' },
    k: { $push: '$text' },
  }
  const pipeline = [{ $group: group }, { $project: { dev: 1, samp: 1 } }]
  const spilled = (await room.drain({ aggregate: 'c', pipeline, cursor: {} })).sort(byKey)
  const inMemory = new CommandRoom(room.store, systemClock)
  const model = (await inMemory.drain({ aggregate: 'c', pipeline, cursor: {} })).sort(byKey)
  t.equal(spilled.length, 11)
  for (const [i, { _id, dev, samp }] of spilled.entries()) {
    const other = model[i] as Reply
    t.equal(_id, other._id)
    t.ok(Math.abs(dev - other.dev) <= 1e-9 * other.dev)
    t.ok(Math.abs(samp - other.samp) <= 1e-9 * other.samp)
  }
  await inMemory.engine.close()
})

await eachSpilling('buckets, windows, joins and facets sort on disk, too', async (t, { room }) => {
  const inMemory = new CommandRoom(room.store, systemClock)
  const pipelines: readonly (readonly Plain[])[] = [
    [{ $bucketAuto: { groupBy: '$n', buckets: 7 } }],
    [
      {
        $setWindowFields: {
          partitionBy: '$g',
          sortBy: { n: 1 },
          output: { rank: { $rank: {} }, sum: { $sum: '$n', window: { documents: [-1, 1] } } },
        },
      },
      { $project: { rank: 1, sum: 1 } },
    ],
    [
      { $match: { _id: { $lt: 2 } } },
      { $lookup: { from: 'c', pipeline: [{ $sort: { n: 1 } }, { $limit: 200 }], as: 'all' } },
      { $project: { n: { $size: '$all' }, last: { $last: '$all' } } },
    ],
    [{ $facet: { a: [{ $sort: { n: 1 } }, { $limit: 300 }, { $project: { n: 1 } }] } }],
    [{ $unionWith: { coll: 'c', pipeline: [{ $sort: { n: 1 } }, { $project: { n: 1 } }] } }],
  ]
  for (const pipeline of pipelines) {
    const command = { aggregate: 'c', pipeline, cursor: {} }
    t.same(await room.drain(command), await inMemory.drain(command), JSON.stringify(pipeline))
  }
  await inMemory.engine.close()
})

await eachSpilling('explain tells what went to disk', async (t, { room }) => {
  const verbosity = 'executionStats'
  const sorted = await room.run({ explain: { find: 'c', sort: { g: 1 } }, verbosity })
  const sort = sorted.executionStats.executionStages
  t.match(sort, { stage: 'SORT', usedDisk: true })
  t.ok(sort.spills > 1 && sort.spilledDataStorageSize > 50_000 && sort.totalDataSizeSorted > 50_000)
  const pipeline = [{ $group: { _id: '$n' } }, { $sort: { _id: 1 } }]
  const grouped = await room.run({ explain: { aggregate: 'c', pipeline, cursor: {} }, verbosity })
  const [, group, order] = grouped.stages
  t.match(group, { usedDisk: true })
  t.ok(group.spills > 0 && group.spilledRecords > 0 && group.spilledDataStorageSize > 0)
  t.match(order, { usedDisk: true })
  t.ok(order.spills > 0 && order.totalDataSizeSortedBytesEstimate > 0)
  const small = await room.run({
    explain: { find: 'c', filter: { _id: { $lt: 9 } }, sort: { g: 1 } },
    verbosity,
  })
  t.match(small.executionStats.executionStages, { usedDisk: false, spills: 0 })
})

await eachSpilling('a killed cursor lets its file go', async (t, { room, spills }) => {
  const first = await room.run({ find: 'c', sort: { n: 1 }, batchSize: 5 })
  t.equal(spills.filesOpen, 1)
  t.ok(spills.bytesHeld > 50_000)
  const { id } = first.cursor
  await room.run({ killCursors: 'c', cursors: [Long.fromNumber(Number(id))] })
  t.equal(spills.filesOpen, 0)
  const pipeline = [{ $project: { n: 1, text: 1 } }, { $sort: { n: 1 } }, { $project: { n: 1 } }]
  await room.run({ aggregate: 'c', pipeline, cursor: { batchSize: 3 } })
  t.equal(spills.filesOpen, 1)
  room.engine.cursors.killWhere(() => true)
})

await eachSpilling('an error behind a sort lets its file go', async (t, { room }) => {
  const pipeline = [
    { $project: { n: 1, text: 1 } },
    { $sort: { n: 1 } },
    { $project: { a: { $divide: [1, { $subtract: ['$_id', 9] }] } } },
  ]
  // A batch that reaches the document: no other is computed ahead.
  const { code } = await room.refusal({ aggregate: 'c', pipeline, cursor: { batchSize: count } })
  t.equal(code, 2)
})

await eachSpilling('$out and $merge read sorts on disk', async (t, { room }) => {
  const sort = [{ $project: { n: 1, text: 1 } }, { $sort: { n: 1 } }, { $project: { n: 1 } }]
  await room.run({ aggregate: 'c', pipeline: [...sort, { $out: 'o' }], cursor: {} })
  t.equal((await room.all('o')).length, count)
  await room.run({ aggregate: 'c', pipeline: [...sort, { $merge: 'm' }], cursor: {} })
  t.equal((await room.all('m')).length, count)
})

await eachSpilling('without allowDiskUse the bound holds', async (t, { room }) => {
  const find = { find: 'c', sort: { g: 1 }, allowDiskUse: false }
  t.same(await room.fails(find), [
    292,
    'Executor error during find command :: caused by :: Sort exceeded memory limit of ' +
      `${memoryBytesMax} bytes, but did not opt in to external sorting.`,
  ])
  const group = {
    aggregate: 'c',
    cursor: {},
    allowDiskUse: false,
    pipeline: [{ $group: { _id: '$n' } }],
  }
  t.same(await room.fails(group), [
    292,
    'PlanExecutor error during aggregation :: caused by :: ' +
      "Exceeded memory limit for $group, but didn't allow external sort. " +
      'Pass allowDiskUse:true to opt in.',
  ])
  const top = { ...find, limit: 300 }
  t.equal((await room.refusal(top)).code, 292)
  const few = { ...find, limit: 10 }
  t.equal((await room.run(few)).cursor.firstBatch.length, 10)
})

await eachRoom(t, 'allowDiskUse is a boolean', async (t, room) => {
  t.equal((await room.refusal({ find: 'c', allowDiskUse: 'yes' })).code, 14)
})

await t.test('a full disk ends the command, and not the next one', async (t) => {
  const files = new FaultyFiles(nodeFiles)
  const folder = join(await temporaryFolder(t), 'spill')
  const spills = new SpillFolder({ folder, files, clock: systemClock, memoryBytesMax })
  const store = await openStore(t, 'memory')
  const room = new CommandRoom(store, systemClock, { spills })
  await room.insert('c', ...documents)
  const sort = { find: 'c', sort: { n: 1 } }
  for (const nth of [1, 2, 5]) {
    files.failAt('write', nth, 'ENOSPC')
    t.equal((await room.refusal(sort)).code, 14031)
    t.equal(spills.filesOpen, 0)
  }
  files.failAt('create', 1, 'ENOSPC')
  t.equal((await room.refusal(sort)).code, 14031)
  files.shorten(100, 1, 5_000)
  t.equal((await room.drain(sort)).length, count, 'short writes go on')
  t.equal(spills.filesOpen, 0)
  await room.engine.close()
})

await t.test('a command may not take more than its share of the disk', async (t) => {
  const folder = join(await temporaryFolder(t), 'spill')
  const given = { folder, files: nodeFiles, clock: systemClock, memoryBytesMax }
  const spills = new SpillFolder({ ...given, bytesMax: 60_000 })
  const room = new CommandRoom(await openStore(t, 'memory'), systemClock, { spills })
  await room.insert('c', ...documents)
  const { code, message } = await room.refusal({ find: 'c', sort: { n: 1 } })
  t.equal(code, 14031)
  t.match(message, /temporary files/)
  t.equal(spills.bytesHeld, 0)
  await room.engine.close()
})

await t.test(
  'the commands of one wallet share a bound, whichever of its keys sends them',
  async (t) => {
    const folder = join(await temporaryFolder(t), 'spill')
    const given = { folder, files: nodeFiles, clock: systemClock, memoryBytesMax }
    const spills = new SpillFolder({ ...given, bytesOfOwnerMax: 60_000 })
    const [one, same, other] = ['0xa:1', '0xa:2', '0xb:1'].map((owner) => {
      const scope = new SpillScope(spills, true, owner)
      const file = scope.open?.()
      if (file === undefined) throw new Error('there is a folder')
      return file
    })
    one?.append(new Uint8Array(40_000))
    t.throws(() => same?.append(new Uint8Array(40_000)), { code: 14031, message: /a wallet/ })
    other?.append(new Uint8Array(40_000))
    one?.close()
    same?.append(new Uint8Array(40_000))
    for (const file of [same, other]) file?.close()
    t.equal(spills.bytesHeld, 0)
  },
)

await t.test('what a crash has left is removed at the start', async (t) => {
  const folder = join(await temporaryFolder(t), 'spill')
  nodeFiles.makeFolder(folder)
  writeFileSync(join(folder, '17'), 'secret')
  const spills = new SpillFolder({ folder, files: nodeFiles, clock: systemClock })
  const room = new CommandRoom(await openStore(t, 'memory'), systemClock, { spills })
  await room.engine.start()
  t.same(readdirSync(folder), [])
  await room.engine.close()
})

await t.test('a store without a folder sorts in memory alone', async (t) => {
  const room = new CommandRoom(await openStore(t, 'memory'), systemClock)
  const text = 'x'.repeat(1_000_000)
  for (let _id = 0; _id < 110; _id++) await room.insert('c', { _id, n: -_id, text })
  t.equal((await room.refusal({ find: 'c', sort: { n: 1 }, allowDiskUse: true })).code, 292)
  await room.engine.close()
})
