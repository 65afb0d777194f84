// Clients that wait for lists: who is served with what, in which order, and what counts as nothing.

import t, { type Test } from 'tap'
import { readSettings } from '../../../../src/base/settings.js'
import { ensureNamespace } from '../../../../src/engine/collection/catalog/catalog.js'
import { insertDocument } from '../../../../src/engine/collection/collections.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { createOptions } from '../../../support/engine-room.js'
import { eachBound, eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'

const wrongType = { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' }

/** Sends a blocking line from a client of its own; resolves when that waits. */
async function wait(room: KeyValueRoom, line: string): Promise<{ reply: Promise<unknown> }> {
  const { clients } = room.bus.services
  const before = clients.blocked
  const reply = room.client().line(line)
  while (clients.blocked === before) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  return { reply }
}

function suite(name: string, body: (t: Test, room: KeyValueRoom) => Promise<void>): void {
  t.test(name, (t) => eachBound(t, 'lists', body))
}

suite('what is there is taken at once, from the first key that has something', async (t, room) => {
  await room.line('RPUSH b 1 2 3 4 5')
  t.same(await room.line('BLPOP a b 0'), ['b', '1'])
  t.same(await room.line('BRPOP a b 0'), ['b', '5'])
  t.same(await room.line('BLMPOP 0 2 a b RIGHT COUNT 2'), ['b', ['4', '3']])
  t.equal(await room.line('BLMOVE b c LEFT RIGHT 0'), '2')
  t.equal(await room.line('BRPOPLPUSH c d 0'), '2')
  t.equal(await room.line('EXISTS a b c'), 0)
})

suite(
  'a command of thousands of keys is served at once, and waits for all of them',
  async (t, room) => {
    const keys = Array.from({ length: 6_000 }, (_, i) => `k${i}`).join(' ')
    await room.line('RPUSH k5999 1 2')
    await room.line('ZADD k5998 1 a')
    t.same(await room.line(`BLPOP ${keys.replace(' k5998', '')} 0`), ['k5999', '1'])
    t.same(await room.line(`BLPOP ${keys} 0`), wrongType)
    t.same(await room.line(`BZPOPMIN ${keys.replace(' k5999', '')} 0`), ['k5998', 'a', '1'])
    t.same(await room.line(`BRPOP ${keys} 0`), ['k5999', '2'])
    t.equal(await room.line('EXISTS k5998 k5999'), 0)
    const waiting = await wait(room, `BLPOP ${keys} 0`)
    await room.line('RPUSH k3000 x')
    t.same(await waiting.reply, ['k3000', 'x'])
    t.equal(await room.line('EXISTS k3000'), 0)
    t.equal(room.bus.services.clients.blocked, 0)
  },
)

suite('those who came first are served first, each with one element', async (t, room) => {
  const first = await wait(room, 'BLPOP k 0')
  const second = await wait(room, 'BRPOP other k 0')
  const third = await wait(room, 'BLMPOP 0 1 k LEFT COUNT 5')
  await room.line('RPUSH k a b c d')
  t.same(await first.reply, ['k', 'a'])
  t.same(await second.reply, ['k', 'd'])
  t.same(await third.reply, ['k', ['b', 'c']])
  t.equal(await room.line('EXISTS k'), 0)
  t.equal(room.bus.services.clients.blocked, 0)
})

suite('the order of the arguments decides which list is served', async (t, room) => {
  const waiter = await wait(room, 'BLPOP a b 0')
  await Promise.all([
    room.line('MULTI'),
    room.line('RPUSH b 1'),
    room.line('RPUSH a 2 3'),
    room.line('EXEC'),
  ])
  t.same(await waiter.reply, ['a', '2'])
  t.same(await room.line('LRANGE b 0 -1'), ['1'])
})

suite('a list that is gone again by the end of EXEC wakes no client', async (t, room) => {
  const waiter = await wait(room, 'BLPOP k 0')
  await Promise.all([
    room.line('MULTI'),
    room.line('RPUSH k a'),
    room.line('DEL k'),
    room.line('SET k text'),
    room.line('EXEC'),
  ])
  await room.line('DEL k')
  t.equal(room.bus.services.clients.blocked, 1)
  await room.line('RPUSH k b')
  t.same(await waiter.reply, ['k', 'b'])
})

suite('a key of another type is an error at first, and nothing to who waits', async (t, room) => {
  await room.line('SET s x')
  t.same(await room.line('BLPOP none s 0'), wrongType)
  t.same(await room.line('BLMOVE s l LEFT LEFT 0'), wrongType)
  const waiter = await wait(room, 'BLPOP k l 0')
  await room.line('SET k x')
  t.equal(room.bus.services.clients.blocked, 1)
  await room.line('RPUSH l 1')
  t.same(await waiter.reply, ['l', '1'])
})

suite('a target of another type fails its client alone', async (t, room) => {
  await room.line('SET s x')
  const bad = await wait(room, 'BRPOPLPUSH k s 0')
  const good = await wait(room, 'BLMOVE k l LEFT RIGHT 0')
  await room.line('RPUSH k 1')
  t.same(await bad.reply, wrongType)
  t.equal(await good.reply, '1')
  t.same(await room.line('LRANGE l 0 -1'), ['1'])
})

suite(
  'one who moves into a key does not stand in the way of one who waits for it',
  async (t, room) => {
    const mover = await wait(room, 'BLMOVE a b LEFT LEFT 0')
    const waiter = await wait(room, 'BLPOP b 0')
    await room.line('RPUSH b 1')
    t.same(await waiter.reply, ['b', '1'])
    await room.line('RPUSH a 2')
    t.equal(await mover.reply, '2')
  },
)

suite('moves that wait for each other pass an element on', async (t, room) => {
  const first = await wait(room, 'BLMOVE a b LEFT RIGHT 0')
  const second = await wait(room, 'BLMOVE b c RIGHT LEFT 0')
  await room.line('RPUSH a x')
  t.same(await Promise.all([first.reply, second.reply]), ['x', 'x'])
  t.same(await room.line('LRANGE c 0 -1'), ['x'])
  const self = await wait(room, 'BRPOPLPUSH d d 0')
  await room.line('RPUSH d y')
  t.equal(await self.reply, 'y')
  t.same(await room.line('LRANGE d 0 -1'), ['y'])
})

suite('a document that becomes a list wakes who waits for it', async (t, room) => {
  const waiter = await wait(room, 'BRPOP k 0')
  await room.engine.store.write(function* (tx) {
    const ns = yield* ensureNamespace(tx, readSettings({}).DATABASE, 'kv0', createOptions)
    yield* insertDocument(tx, ns, documentFrom({ _id: 'k', type: 'list', value: ['a', 'b'] }))
  })
  t.same(await waiter.reply, ['k', 'b'])
})

suite('inside MULTI nothing waits, and each has its own nil', async (t, room) => {
  const lines = [
    'BLPOP none 0',
    'BLMOVE none l LEFT LEFT 0',
    'BRPOPLPUSH none l 0',
    'BLMPOP 0 1 none LEFT',
    'BLPOP none soon',
  ]
  await room.line('MULTI')
  for (const line of lines) await room.line(line)
  t.same(await room.line('EXEC'), [
    ...[null, null, null, null],
    { error: 'ERR timeout is not a float or out of range' },
  ])
})

t.test('a time that is over is a nil, and a bad one is refused last', (t) =>
  eachKeyValueRoom(
    t,
    'times',
    async (t, room) => {
      for (const line of ['BLPOP none 0.001', 'BLMOVE none l LEFT LEFT 0.00001']) {
        t.equal(await room.line(line), null, line)
      }
      const negative = { error: 'ERR timeout is negative' }
      t.same(await room.line('BLPOP none -1'), negative)
      t.same(await room.line('BLPOP none inf'), negative)
      t.same(await room.line('BLMOVE none l up LEFT -1'), { error: 'ERR syntax error' })
      t.same(await room.line('BLMPOP no 0 l LEFT'), {
        error: 'ERR numkeys should be greater than 0',
      })
      t.same(await room.line('BLMPOP -1 1 l LEFT'), negative)
      const long = await wait(room, 'BLPOP k 9000000000000000')
      await room.line('RPUSH k x')
      t.same(await long.reply, ['k', 'x'])
    },
    { kinds: ['memory'] },
  ),
)
