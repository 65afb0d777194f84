// Clients that wait for a key: served in order of arrival, woken by any writer, ended by time,
// by others and by themselves. The command is the smallest one that blocks: it takes a string away.

import t, { type Test } from 'tap'
import type { KeyValueRow } from '../../../../src/bus/keyvalue/row.js'
import { keyValueRows } from '../../../../src/commands/keyvalue/rows.js'
import { ensureNamespace } from '../../../../src/engine/collection/catalog/catalog.js'
import { insertDocument } from '../../../../src/engine/collection/collections.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { createOptions } from '../../../support/engine-room.js'
import {
  eachKeyValueRoom,
  type KeyValueRoom,
  type RoomClient,
} from '../../../support/key-value-room.js'
import type { StoreKind } from '../../../support/store-kinds.js'

/** BTAKE key [key ...] milliseconds */
const take: KeyValueRow = {
  name: 'btake',
  grows: 'nothing',
  arity: -3,
  flags: ['write', 'blocking'],
  categories: ['string'],
  keys: [1, -2, 1],
  summary: 'Takes the string of the first key that has one.',
  since: '1.0.0',
  group: 'string',
  complexity: 'O(1)',
  syntax: 'key [key ...] milliseconds',
  grain: 'blocking',
  timeout: (call) => call.integer(call.count - 1),
  timedOut: null,
  *run(ks, call) {
    for (let i = 1; i < call.count - 1; i++) {
      const name = call.arg(i)
      const key = yield* ks.key(name)
      if (!key.requireType('string')) continue
      const text = key.text()
      yield* ks.remove(key)
      return [name, text]
    }
    return undefined
  },
}

const rows = [...keyValueRows.filter(({ name }) => name !== 'btake'), take]

function eachRoom(
  t: Test,
  body: (t: Test, room: KeyValueRoom) => Promise<void>,
  kinds?: readonly StoreKind[],
): Promise<void> {
  return eachKeyValueRoom(t, 'waiters', body, { rows, ...(kinds && { kinds }) })
}

/** Resolves when so many clients wait. */
async function untilBlocked({ bus }: KeyValueRoom, count: number): Promise<void> {
  while (bus.services.clients.blocked !== count) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}

async function waiting(
  room: KeyValueRoom,
  count: number,
  ...words: string[]
): Promise<{ client: RoomClient; reply: Promise<unknown> }[]> {
  const clients = []
  for (let i = 0; i < count; i++) {
    const client = room.client()
    clients.push({ client, reply: client.run('BTAKE', ...words) })
    await untilBlocked(room, i + 1)
  }
  return clients
}

t.test('what is there is taken at once', (t) =>
  eachRoom(t, async (t, room) => {
    await room.run('SET', 'b', 'x')
    t.same(await room.run('BTAKE', 'a', 'b', '0'), ['b', 'x'])
    t.equal(await room.run('EXISTS', 'b'), 0)
    t.match(await room.run('BTAKE', 'a', 'soon'), { error: /not an integer/ })
    await room.run('HSET', 'h', 'f', 'v')
    t.match(await room.run('BTAKE', 'h', '0'), { error: /^WRONGTYPE/ })
  }),
)

t.test('the first who came is the first who is served', (t) =>
  eachRoom(t, async (t, room) => {
    const [first, second, third] = await waiting(room, 3, 'k', '0')
    await room.run('SET', 'k', '1')
    t.same(await first?.reply, ['k', '1'])
    t.equal(room.bus.services.clients.blocked, 2)
    await room.run('SET', 'k', '2')
    t.same(await second?.reply, ['k', '2'])
    await room.run('SET', 'k', '3')
    t.same(await third?.reply, ['k', '3'])
    t.equal(room.bus.services.clients.blocked, 0)
  }),
)

t.test('who has the reply to a change sees what those did whom it woke, one by the other', (t) =>
  // The late store answers out of order: there a woken one may be done before the reply is there.
  eachRoom(
    t,
    async (t, room) => {
      const movers = ['a b', 'b c', 'c d'].map(async (keys, i) => {
        await untilBlocked(room, i)
        return room.client().run('BLMOVE', ...keys.split(' '), 'LEFT', 'RIGHT', '0')
      })
      await untilBlocked(room, 3)
      await room.run('RPUSH', 'a', 'x')
      t.same(await room.run('LRANGE', 'd', '0', '-1'), ['x'])
      t.equal(await room.run('EXISTS', 'a', 'b', 'c'), 0)
      t.same(await Promise.all(movers), ['x', 'x', 'x'])
    },
    ['memory', 'lmdb'],
  ),
)

t.test('a wake-up comes after the whole of EXEC, and looks at the keys in their order', (t) =>
  eachRoom(t, async (t, room) => {
    const [waiter] = await waiting(room, 1, 'a', 'b', '0')
    await Promise.all([
      room.run('MULTI'),
      room.run('SET', 'b', '1'),
      room.run('SET', 'a', '2'),
      room.run('DEL', 'a'),
      room.run('SET', 'a', '3'),
      room.run('EXEC'),
    ])
    t.same(await waiter?.reply, ['a', '3'])
    t.equal(await room.run('GET', 'b'), '1')
  }),
)

t.test('a document that another protocol inserts wakes too', (t) =>
  eachRoom(t, async (t, room) => {
    const [waiter] = await waiting(room, 1, 'k', '0')
    await room.engine.store.write(function* (tx) {
      const ns = yield* ensureNamespace(tx, room.bus.spaces.main.database, 'kv0', createOptions)
      yield* insertDocument(tx, ns, documentFrom({ _id: 'k', type: 'string', value: 'doc' }))
    })
    t.same(await waiter?.reply, ['k', 'doc'])
  }),
)

t.test('a key of another type wakes no client, and nothing is lost', (t) =>
  eachRoom(t, async (t, room) => {
    const [waiter] = await waiting(room, 1, 'k', '0')
    await room.run('HSET', 'k', 'f', 'v')
    await room.run('DEL', 'k')
    t.equal(room.bus.services.clients.blocked, 1)
    await room.run('SET', 'k', 'x')
    t.same(await waiter?.reply, ['k', 'x'])
  }),
)

t.test('time, CLIENT UNBLOCK and a closed connection end the waiting', (t) =>
  eachRoom(t, async (t, room) => {
    t.equal(await room.run('BTAKE', 'k', '1'), null)
    const [a, b, c] = await waiting(room, 3, 'k', '0')
    const { waiters } = room.bus
    t.ok(a && waiters.unblock(a.client.session, false))
    t.equal(await a?.reply, null)
    t.ok(b && waiters.unblock(b.client.session, true))
    t.same(await b?.reply, { error: 'UNBLOCKED client unblocked via CLIENT UNBLOCK' })
    t.notOk(b && waiters.unblock(b.client.session, true))
    c?.client.close()
    await c?.reply
    await room.run('SET', 'k', 'stays')
    t.equal(await room.run('GET', 'k'), 'stays')
  }),
)

t.test('a client that goes while it tries first waits no longer', (t) =>
  eachRoom(t, async (t, room) => {
    const client = room.client()
    const reply = client.run('BTAKE', 'k', '0')
    client.close()
    await reply
    await room.run('SET', 'k', 'stays')
    t.equal(await room.run('GET', 'k'), 'stays')
  }),
)

t.test('inside MULTI it does not wait; what is pipelined behind it does', (t) =>
  eachRoom(t, async (t, room) => {
    await room.run('MULTI')
    await room.run('BTAKE', 'k', '0')
    t.same(await room.run('EXEC'), [null])
    const client = room.client()
    const replies = Promise.all([
      client.run('BTAKE', 'k', '0'),
      client.run('PING'),
      client.run('SET', 'after', 'x'),
      client.run('GET', 'after'),
    ])
    await untilBlocked(room, 1)
    t.equal(await room.run('GET', 'after'), null)
    await room.run('SET', 'k', 'x')
    t.same(await replies, [['k', 'x'], 'PONG', 'OK', 'x'])
  }),
)
