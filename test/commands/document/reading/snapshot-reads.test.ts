// readConcern snapshot outside of transactions: reads that name one time see one state, whatever is
// written meanwhile.

import { Long, Timestamp } from 'bson'
import t, { type Test } from 'tap'
import { snapshotReadsOfOwnerMax } from '../../../../src/base/limits/documents.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom, type Reply } from '../../../support/command-room.js'

function open(t: Test) {
  const time = { ms: 1_800_000_000_000 }
  const clock = { now: () => time.ms, elapsed: () => time.ms }
  const room = new CommandRoom(openMemoryStore(), clock, { services: { topology: 'router' } })
  t.teardown(() => room.engine.close())
  return { room, time }
}

interface CursorReply extends Reply {
  readonly cursor: {
    readonly id: bigint | number
    readonly firstBatch?: readonly unknown[]
    readonly nextBatch?: readonly unknown[]
    readonly atClusterTime?: Timestamp
  }
}

const at = (time?: Timestamp) => ({
  readConcern: { level: 'snapshot', ...(time === undefined ? {} : { atClusterTime: time }) },
})

t.test('find, aggregate, distinct and getMore read the state of the time', async (t) => {
  const { room } = open(t)
  const documents = [{ _id: 1 }, { _id: 2 }, { _id: 3 }]
  await room.run({ insert: 'c', documents })
  const first = (await room.run({ find: 'c', batchSize: 1, ...at() })) as CursorReply
  const time = first.cursor.atClusterTime as Timestamp
  t.ok(time)
  await room.run({ insert: 'c', documents: [{ _id: 4 }] })
  await room.run({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] })
  const more = (await room.run({
    getMore: Long.fromNumber(Number(first.cursor.id)),
    collection: 'c',
  })) as CursorReply
  t.same(more.cursor.nextBatch, [{ _id: 2 }, { _id: 3 }])
  t.same(more.cursor.atClusterTime, time)
  const found = (await room.run({ find: 'c', ...at(time) })) as CursorReply
  t.same(found.cursor.firstBatch, documents)
  const pipeline = [{ $group: { _id: null, n: { $sum: 1 } } }]
  const grouped = (await room.run({
    aggregate: 'c',
    pipeline,
    cursor: {},
    ...at(time),
  })) as CursorReply
  t.same(grouped.cursor.firstBatch, [{ _id: null, n: 3 }])
  const distinct = await room.run({ distinct: 'c', key: '_id', ...at(time) })
  t.same(distinct, { values: [1, 2, 3], atClusterTime: time, ok: 1 })
  const now = (await room.run({ find: 'c', ...at() })) as CursorReply
  t.same(now.cursor.firstBatch, [{ _id: 1 }, { _id: 3 }, { _id: 4 }])
  t.notSame(now.cursor.atClusterTime, time)
})

t.test('a time that no state has is refused', async (t) => {
  const { room, time } = open(t)
  const code = async (command: Readonly<Record<string, unknown>>) =>
    (await room.refusal(command)).code
  const never = new Timestamp({ t: 1_700_000_000, i: 1 })
  t.equal(await code({ find: 'c', ...at(never) }), 239)
  const reply = (await room.run({ find: 'c', ...at() })) as CursorReply
  const first = reply.cursor.atClusterTime as Timestamp
  for (let i = 0; i < snapshotReadsOfOwnerMax; i++) await room.run({ find: 'c', ...at() })
  t.equal(await code({ find: 'c', ...at(first) }), 239, 'newer ones took its place')
  t.equal(room.engine.transactions.size, snapshotReadsOfOwnerMax)
  const last = (await room.run({ find: 'c', ...at() })) as CursorReply
  time.ms += 61_000
  room.engine.transactions.expire()
  t.equal(room.engine.transactions.size, 0)
  t.equal(await code({ find: 'c', ...at(last.cursor.atClusterTime) }), 239, 'it is too old')
  t.equal(room.engine.transactions.counts.begun, 0, 'no transaction of a client')
})

t.test('a cursor ends with its state', async (t) => {
  const { room, time } = open(t)
  await room.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] })
  const { cursor } = (await room.run({ find: 'c', batchSize: 1, ...at() })) as CursorReply
  time.ms += 61_000
  room.engine.transactions.expire()
  t.equal(
    (await room.refusal({ getMore: Long.fromNumber(Number(cursor.id)), collection: 'c' })).code,
    239,
  )
})

t.test('the concern belongs to reads, and its time to the level', async (t) => {
  const { room } = open(t)
  const pipeline = (stage: object) => ({ aggregate: 'c', pipeline: [stage], cursor: {} })
  const time = new Timestamp({ t: 1, i: 1 })
  for (const command of [
    { insert: 'c', documents: [{}], ...at() },
    { count: 'c', ...at() },
    { ...pipeline({ $out: 'd' }), ...at() },
    { find: 'c', readConcern: { atClusterTime: time } },
    { find: 'c', readConcern: { level: 'local', atClusterTime: time } },
    { find: 'c', ...at(new Timestamp({ t: 0, i: 0 })) },
  ]) {
    t.equal((await room.refusal(command)).code, 72, JSON.stringify(command))
  }
  const text = { level: 'snapshot', atClusterTime: 1 }
  t.equal((await room.refusal({ find: 'c', readConcern: text })).code, 14)
})
