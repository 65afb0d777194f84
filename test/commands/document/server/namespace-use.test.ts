// What the commands on a collection have taken, as top and $collStats tell it: counts are real,
// they belong to the name, and they are bounded.

import t from 'tap'
import {
  bucketOf,
  bucketStart,
  NamespaceUse,
  namespaceUseMax,
} from '../../../../src/bus/namespace-use.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

const statsOf = async (room: CommandRoom, stats: object, name = 'c'): Promise<Reply> => {
  const [only] = await room.drain({
    aggregate: name,
    pipeline: [{ $collStats: stats }],
    cursor: {},
  })
  return only ?? {}
}

await eachRoom(t, 'latencyStats counts reads, writes and commands', async (t, room) => {
  await room.insert('c', { _id: 1 }, { _id: 2 }, { _id: 3 })
  await room.run({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] })
  await room.run({ findAndModify: 'c', query: { _id: 2 }, remove: true })
  await room.run({ count: 'c' })
  await room.drain({ find: 'c', batchSize: 1 })
  await room.run({ listIndexes: 'c' })
  const { latencyStats } = await statsOf(room, { latencyStats: { histograms: true } })
  const { reads, writes, commands, transactions } = latencyStats
  t.equal(Number(writes.ops), 3)
  t.equal(Number(reads.ops), 3, 'count, find and its getMore')
  t.equal(Number(commands.ops), 1)
  t.same([transactions.ops, transactions.latency], [0, 0])
  for (const kind of [reads, writes, commands]) {
    const counts = kind.histogram.map(({ count }: Reply) => Number(count))
    t.equal(
      counts.reduce((a: number, b: number) => a + b, 0),
      Number(kind.ops),
    )
    t.ok(Number(kind.latency) >= 0)
  }
  const plain = await statsOf(room, { latencyStats: {} })
  t.notOk('histogram' in plain.latencyStats.reads)
})

await eachRoom(t, 'queryExecStats counts collection scans', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1 })
  await room.run({ create: 'log', capped: true, size: 4096 })
  await room.insert('log', { _id: 1 })
  const scans = async (name: string) =>
    (await statsOf(room, { queryExecStats: {} }, name)).queryExecStats.collectionScans
  t.match(await scans('c'), { total: 0, nonTailable: 0 })
  await room.run({ find: 'c' })
  await room.run({ find: 'c', filter: { a: 1 } })
  await room.run({ find: 'c', filter: { _id: 1 } })
  await room.run({ count: 'c' })
  t.match(await scans('c'), { total: 2, nonTailable: 2 })
  await room.run({ find: 'log', tailable: true })
  await room.run({ find: 'log' })
  t.match(await scans('log'), { total: 2, nonTailable: 1 })
})

await eachRoom(t, 'top tells of each collection, until it is dropped', async (t, room) => {
  await room.insert('c', { _id: 1 })
  await room.run({ delete: 'c', deletes: [{ q: { _id: 7 }, limit: 1 }] })
  await room.run({ find: 'c' })
  const top = async () => (await room.run({ top: 1 }, 'admin')).totals
  t.match((await top())['test.c'], {
    total: { count: 3 },
    ...{ queries: { count: 1 }, insert: { count: 1 }, remove: { count: 1 }, update: { count: 0 } },
    ...{ readLock: { count: 1 }, writeLock: { count: 2 }, commands: { time: 0, count: 0 } },
  })
  await room.run({ drop: 'c' })
  t.notOk('test.c' in (await top()))
  await room.insert('c', { _id: 1 })
  await room.insert('d', { _id: 1 })
  await room.run({ dropDatabase: 1 })
  t.notOk('test.c' in (await top()))
  t.notOk('test.d' in (await top()))
})

t.test('the buckets are those of the reference server', async (t) => {
  const starts = Array.from({ length: 51 }, (_, i) => bucketStart(i))
  t.same(starts.slice(0, 14), [0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1536, 2048, 3072])
  t.same(starts.slice(29, 35), [786_432, 1_048_576, 1_572_864, 2_097_152, 4_194_304, 8_388_608])
  for (const [i, start] of starts.entries()) {
    t.equal(bucketOf(start), i)
    if (i > 0) t.equal(bucketOf(start - 0.5), i - 1)
  }
  t.equal(bucketOf(2 ** 60), 50)
})

t.test('only the collections used last are counted', async (t) => {
  const uses = new NamespaceUse()
  for (let i = 0; i <= namespaceUseMax; i++) {
    uses.record(
      { db: 'd', collection: `c${i}`, privileges: [] },
      { metered: 'find', ends: 'nothing' },
      1,
      false,
    )
  }
  t.equal([...uses.entries()].length, namespaceUseMax)
  t.equal(uses.of('d', 'c0'), undefined)
  uses.record(
    { db: 'd', collection: 'c5', privileges: [] },
    { metered: 'command', ends: 'names' },
    1,
    true,
  )
  t.equal(uses.of('d', 'c5')?.total.count, 2, 'a drop that fails is a command like others')
})
