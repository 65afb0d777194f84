// Commands of two gateways over one state at the same time: documents and keys, as single programs,
// sweeps, optimistic writes and transactions. No update is lost, and the store stays sound.

import { Binary, Long } from 'bson'
import t from 'tap'
import { hasKind } from '../../src/base/errors.js'
import { programPutsMax } from '../../src/base/limits/engine.js'
import { checkStore } from '../../src/engine/check/check.js'
import { CommandRoom, type Reply } from '../support/command-room.js'
import { ManualClock } from '../support/engine-room.js'
import { openGateways } from '../support/gateways.js'
import { closeRoom, openKeyValueRoom } from '../support/key-value-room.js'

const router = { services: { topology: 'router' } } as const
const documents = Array.from({ length: 6 }, (_, _id) => ({ _id, n: 0 }))
const rounds = 5

t.test('documents: updates of both gateways are kept', async (t) => {
  const clock = new ManualClock()
  const gateways = openGateways(t, { clock })
  const rooms = gateways.map((store) => new CommandRoom(store, clock, router))
  const [one] = rooms as [CommandRoom, CommandRoom]
  await one.run({ createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n' }] })
  await one.run({ createIndexes: 'u', indexes: [{ key: { u: 1 }, name: 'u', unique: true }] })
  await one.insert('c', ...documents)
  let expected = 0
  const incremented = ({ nModified }: Reply) => {
    expected += nModified as number
  }
  const each = rooms.map(async (room, gateway) => {
    const id = { id: new Binary(new Uint8Array(16).fill(gateway + 1), 4) }
    for (let round = 0; round < rounds; round++) {
      const many = { q: {}, u: { $inc: { n: 1 } }, multi: true }
      incremented(await room.run({ update: 'c', updates: [many] }))
      const single = { q: { _id: round }, u: { $inc: { n: 1 } } }
      incremented(await room.run({ update: 'c', updates: [single, single] }))
      await room.run({ findAndModify: 'c', query: { _id: 1 }, update: { $inc: { n: 1 } } })
      expected++
      const upsert = { q: { u: round }, u: { $inc: { n: 1 } }, upsert: true }
      await room.run({ update: 'u', updates: [upsert] })
      const number = Long.fromNumber(round)
      const inside = { lsid: id, txnNumber: number, autocommit: false }
      try {
        const change = { update: 'c', updates: [single] }
        await room.run({ ...change, ...inside, startTransaction: true })
        await room.run({ commitTransaction: 1, ...inside }, 'admin')
        expected++
      } catch (error) {
        if (!hasKind(error, 'TransactionConflict')) throw error
      }
    }
  })
  await Promise.all(each)
  const sum = (all: readonly Reply[]) => all.reduce((total, { n }) => total + (n as number), 0)
  t.equal(sum(await one.all('c')), expected)
  const unique = await one.all('u')
  t.same(unique.map(({ u }) => u).sort(), [0, 1, 2, 3, 4], 'each upsert inserted once')
  t.equal(sum(unique), 2 * rounds)
  t.same(await checkStore(gateways[0]), [])
  for (const room of rooms) await room.engine.close()
})

t.test('keys: single commands and large EXECs of both gateways are kept', async (t) => {
  const clock = new ManualClock()
  const gateways = openGateways(t, { clock })
  const rooms = await Promise.all(gateways.map((store) => openKeyValueRoom(store, clock)))
  const keys = 7
  // More commands than a write program takes: an optimistic write.
  const large = programPutsMax / 2 + 1
  let expected = 0
  const transact = async (room: (typeof rooms)[number]) => {
    const client = room.client()
    void client.line('multi')
    for (let i = 0; i < large; i++) void client.line(`incr k${i % keys}`)
    const replies = await client.line('exec')
    if (Array.isArray(replies)) expected += large
    else t.match(replies, { error: /TRYAGAIN/ })
    client.close()
  }
  const plain = async (room: (typeof rooms)[number]) => {
    for (let i = 0; i < 20; i++) {
      t.not(typeof (await room.line(`incr k${i % keys}`)), 'object')
      t.not(typeof (await room.line(`hincrby h f${i % 3} 1`)), 'object')
      t.not(typeof (await room.line(`rpush l ${i}`)), 'object')
      expected++
    }
  }
  await Promise.all(rooms.flatMap((room) => [transact(room), plain(room)]))
  await Promise.all(rooms.map(transact))
  const [one] = rooms as [(typeof rooms)[number]]
  const total = async (reply: Promise<unknown>) =>
    ((await reply) as string[]).reduce((sum, value) => sum + Number(value), 0)
  const names = Array.from({ length: keys }, (_, i) => `k${i}`)
  t.equal(await total(one.run('mget', ...names)), expected)
  t.ok(expected > 40, 'an EXEC has succeeded')
  t.equal(await total(one.line('hvals h')), 40)
  t.equal(await one.line('llen l'), 40)
  t.same(await checkStore(gateways[0]), [])
  for (const room of rooms) await closeRoom(room)
})

t.test('WATCH sees changes of the other gateway', async (t) => {
  const clock = new ManualClock()
  const gateways = openGateways(t, { clock })
  const rooms = await Promise.all(gateways.map((store) => openKeyValueRoom(store, clock)))
  const [one, other] = rooms as [(typeof rooms)[number], (typeof rooms)[number]]
  for (const first of ['set k 1', 'del k']) {
    await one.line(first)
    await one.line('watch k')
    await other.line('set k 2')
    await one.line('multi')
    await one.line('set k 3')
    t.equal(await one.line('exec'), null, first)
    t.equal(await one.line('get k'), '2')
  }
  for (const room of rooms) await closeRoom(room)
})
