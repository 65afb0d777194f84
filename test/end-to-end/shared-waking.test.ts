// What waits on one gateway is woken by a write through another one: blocked pops, tailable cursors
// and change streams, on the wire and over HTTP, also after the connection that carries the
// notifications was lost.

import { Long } from 'mongodb'
import t from 'tap'
import { EventReader } from '../support/event-reader.js'
import { testKey } from '../support/gateway.js'
import { postgresMissing } from '../support/postgres-reference.js'
import { blocked, mongoOn, openPair, redisOn } from '../support/shared-pair.js'

t.test('blocked pops', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t)
  const [one, two] = gateways
  const writer = redisOn(t, one)
  const watcher = redisOn(t, two)
  const waits = [
    redisOn(t, two).blpop('list', 0),
    redisOn(t, two).brpop('other', 0),
    redisOn(t, two).blmove('from', 'to', 'LEFT', 'RIGHT', 0),
    redisOn(t, two).bzpopmin('set', 0),
    redisOn(t, two).blmpop(0, 2, 'none', 'several', 'LEFT'),
  ]
  await blocked(watcher, waits.length)
  await writer.rpush('list', 'a')
  await writer.rpush('other', 'b')
  await writer.rpush('from', 'c')
  await writer.zadd('set', 1, 'd')
  await writer.rpush('several', 'e')
  t.same(await Promise.all(waits), [
    ['list', 'a'],
    ['other', 'b'],
    'c',
    ['set', 'd', '1'],
    ['several', ['e']],
  ])
  t.equal(await writer.llen('list'), 0)
  t.same(await writer.lrange('to', 0, -1), ['c'])
  const last = redisOn(t, two).blpop('again', 0)
  await blocked(watcher, 1)
  // By another protocol, and with many changes behind each other.
  const database = (await mongoOn(t, one)).db('main')
  await database.collection<{ _id: string }>('kv0').deleteOne({ _id: 'to' })
  await writer.multi().rpush('again', 'x').rpush('again', 'y').exec()
  t.same(await last, ['again', 'x'])
})

t.test('each element goes to one of the waiting', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t)
  const clients = Array.from({ length: 8 }, (_, i) =>
    redisOn(t, gateways[i % 2] as (typeof gateways)[0]),
  )
  const served: string[] = []
  const waits = clients.map(async (client) => {
    for (let i = 0; i < 5; i++) served.push((await client.blpop('work', 0))?.[1] ?? '')
  })
  const writers = gateways.map((gateway) => redisOn(t, gateway))
  await Promise.all(Array.from({ length: 40 }, (_, n) => writers[n % 2]?.rpush('work', String(n))))
  await Promise.all(waits)
  t.same(
    served.map(Number).sort((a, b) => a - b),
    [...Array(40).keys()],
  )
})

t.test('cursors and streams', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t)
  const [one, two] = gateways
  const writing = (await mongoOn(t, one)).db('main')
  const reading = (await mongoOn(t, two)).db('main')
  await writing.createCollection('log', { capped: true, size: 4096 })
  await writing.collection('log').insertOne({ n: 0 })
  const tail = reading
    .collection<{ n: number }>('log')
    .find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 60_000 })
  t.teardown(() => tail.close())
  t.equal((await tail.next())?.n, 0)
  const session = reading.client.startSession()
  t.teardown(() => session.endSession())
  const opened = await reading.command(
    { aggregate: 'c', pipeline: [{ $changeStream: {} }], cursor: {} },
    { session },
  )
  const more = { getMore: Long.fromNumber(opened.cursor.id), collection: 'c', maxTimeMS: 60_000 }
  const feed = await EventReader.open(`${two.url}/api/v1/collections/c/changes`, {
    headers: { authorization: `Bearer ${testKey}` },
  })
  const next = { tail: tail.next(), stream: reading.command(more, { session }), feed: feed.next() }
  await writing.collection('log').insertOne({ n: 1 })
  await writing.collection<{ _id: string }>('c').insertOne({ _id: 'x' })
  t.equal((await next.tail)?.n, 1)
  const [event] = (await next.stream).cursor.nextBatch
  t.match(event, { operationType: 'insert', documentKey: { _id: 'x' } })
  t.match(JSON.parse((await next.feed) ?? ''), { operationType: 'insert' })
})

t.test('after a lost connection', { skip: postgresMissing }, async (t) => {
  const { gateways, query } = await openPair(t)
  const [one, two] = gateways
  const writer = redisOn(t, one)
  const watcher = redisOn(t, two)
  for (let round = 0; round < 3; round++) {
    const waiting = redisOn(t, two).blpop(`list${round}`, 0)
    await blocked(watcher, 1)
    await query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'sigil notices'`,
    )
    await writer.rpush(`list${round}`, 'a')
    t.same(await waiting, [`list${round}`, 'a'])
  }
})
