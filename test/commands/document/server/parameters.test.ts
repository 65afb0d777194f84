// setParameter: what can be set does something until the process ends, all else is refused as on
// the reference server.

import { Long } from 'bson'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { type CommandRoom, eachRoom } from '../../../support/command-room.js'
import { startGateway } from '../../../support/live-gateway.js'

const set = (room: CommandRoom, parameters: object) =>
  room.run({ setParameter: 1, ...parameters }, 'admin')

await eachRoom(t, 'cursorTimeoutMillis closes idle cursors sooner', async (t, room) => {
  await room.insert('c', { _id: 1 }, { _id: 2 })
  const { cursor } = await room.run({ find: 'c', batchSize: 1 })
  const { cursors } = room.engine
  const opened = cursors.list()[0]?.usedAtMs ?? 0
  t.equal(cursors.expire(opened + 5_000), 0)
  t.match(await set(room, { cursorTimeoutMillis: 5_000 }), { was: 600_000, ok: 1 })
  t.match(await set(room, { cursorTimeoutMillis: 5_000, comment: 'again' }), { was: 5_000 })
  const read = { getParameter: { showDetails: true }, cursorTimeoutMillis: 1 }
  t.match(await room.run(read, 'admin'), {
    cursorTimeoutMillis: { value: 5_000, settableAtRuntime: true },
  })
  t.equal(cursors.expire(opened + 5_001), 1)
  const next = await room.fails({ getMore: Long.fromNumber(cursor.id), collection: 'c' })
  t.equal(next[0], 43)
})

await eachRoom(t, 'ttlMonitorEnabled holds the look for expired documents', async (t, room) => {
  t.match(await set(room, { ttlMonitorEnabled: false }), { was: true })
  t.equal(room.engine.documentExpiry.isEnabled, false)
  t.match(await room.run({ getParameter: 1, ttlMonitorEnabled: 1 }, 'admin'), {
    ttlMonitorEnabled: false,
  })
  t.match(await set(room, { ttlMonitorEnabled: 1 }), { was: false })
  t.equal(room.engine.documentExpiry.isEnabled, true)
})

await eachRoom(t, 'ttlMonitorSleepSecs is the time between two looks', async (t, room) => {
  t.match(await set(room, { ttlMonitorSleepSecs: 1 }), { was: 30, ok: 1 })
  t.equal(room.engine.documentExpiry.everyMs, 1_000)
  t.match(await room.run({ getParameter: 1, ttlMonitorSleepSecs: 1 }, 'admin'), {
    ttlMonitorSleepSecs: 1,
  })
  t.match(await set(room, { ttlMonitorSleepSecs: Long.fromNumber(60) }), { was: 1 })
})

t.test('a shorter time between two looks begins at once', async (t) => {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri, { authSource: 'admin' })
  t.teardown(() => client.close())
  const all = client.db().collection('c')
  await all.createIndex({ at: 1 }, { expireAfterSeconds: 0 })
  await all.insertOne({ at: new Date(0) })
  await client.db('admin').command({ setParameter: 1, ttlMonitorSleepSecs: 1 })
  while ((await all.countDocuments()) > 0) await new Promise(setImmediate)
  t.pass('the document was removed')
})

await eachRoom(t, 'what cannot be set is refused', async (t, room) => {
  const fails = (parameters: object, db = 'admin') =>
    room.fails({ setParameter: 1, ...parameters }, db)
  t.same(await fails({}), [72, 'no option found to set, use help:true to see options '])
  t.same(await fails({ foo: 1 }), [
    72,
    'attempted to set unrecognized parameter [foo], use help:true to see options ',
  ])
  t.same(await fails({ logLevel: 1 }), [20, 'not allowed to change [logLevel] at runtime'])
  t.same(await fails({ enableTestCommands: 1 }), [
    20,
    'not allowed to change [enableTestCommands] at runtime',
  ])
  for (const value of [0, -1, 'x', 2 ** 31, 1.5]) {
    t.equal((await fails({ cursorTimeoutMillis: value }))[0], 2, `${value}`)
  }
  t.equal((await fails({ ttlMonitorEnabled: 'x' }))[0], 2)
  for (const value of [0, -1, 'x', 2 ** 31, 1.5]) {
    t.equal((await fails({ ttlMonitorSleepSecs: value }))[0], 2, `${value}`)
  }
  t.equal((await fails({ ttlMonitorEnabled: false, foo: 1 }))[0], 72)
  t.equal(room.engine.documentExpiry.isEnabled, true, 'nothing is set before all is known')
  t.equal((await fails({ ttlMonitorEnabled: false }, 'test'))[0], 13)
})
