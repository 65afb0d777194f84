// Publish and subscribe on the bus: who gets what, and what transactions and rights have to do with
// it. What frames look like is compared with a real server in pubsub-reference.test.ts.

import { setImmediate as tick } from 'node:timers/promises'
import t from 'tap'
import { eachKeyValueRoom } from '../../../support/key-value-room.js'

const kinds = ['memory'] as const

await eachKeyValueRoom(
  t,
  'a message goes to every subscription that it matches',
  async (t, room) => {
    const other = room.client()
    t.same(await room.run('PUBLISH', 'news', 'x'), 0)
    t.same(await other.run('SUBSCRIBE', 'news'), [['subscribe', 'news', 1]])
    t.same(await other.run('PSUBSCRIBE', 'n*', '*s'), [
      ['psubscribe', 'n*', 2],
      ['psubscribe', '*s', 3],
    ])
    t.same(await room.run('PUBLISH', 'news', 'hello'), 3)
    t.same(await room.run('PUBLISH', 'no', Uint8Array.of(0xff, 0)), 1)
    t.same(other.pushed, [
      ['message', 'news', 'hello'],
      ['pmessage', 'n*', 'news', 'hello'],
      ['pmessage', '*s', 'news', 'hello'],
      ['pmessage', 'n*', 'no', Buffer.of(0xff, 0)],
    ])
    t.same(await room.run('PUBSUB', 'NUMSUB', 'news', 'x'), ['news', 1, 'x', 0])
    t.same(await room.run('PUBSUB', 'NUMPAT'), 2)
    t.same(await room.run('PUBSUB', 'CHANNELS', 'n?ws'), ['news'])
    t.same(await room.run('PUBSUB', 'CHANNELS', 'x'), [])
    other.close()
    t.same(await room.run('PUBLISH', 'news', 'late'), 0)
    t.same(await room.run('PUBSUB', 'NUMPAT'), 0)
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'databases do not part channels',
  async (t, room) => {
    const other = room.client()
    await other.run('SELECT', 3)
    await other.run('SUBSCRIBE', 'a')
    t.same(await room.run('PUBLISH', 'a', '1'), 1)
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'what is published in a transaction goes out with EXEC, and not at all if that fails',
  async (t, room) => {
    const other = room.client()
    await other.run('SUBSCRIBE', 'a')
    await room.run('WATCH', 'k')
    await room.run('MULTI')
    await room.run('SET', 'k', '1')
    t.same(await room.run('PUBLISH', 'a', 'first'), 'QUEUED')
    t.same(other.pushed, [])
    t.same(await room.run('EXEC'), ['OK', 1])
    t.same(other.pushed, [['message', 'a', 'first']])
    await room.run('WATCH', 'k')
    await room.run('MULTI')
    await room.run('PUBLISH', 'a', 'second')
    await room.client().run('SET', 'k', '2')
    t.same(await room.run('EXEC'), null)
    t.same(other.pushed.length, 1)
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'a subscriber may say little in RESP2 and everything in RESP3',
  async (t, room) => {
    const other = room.client()
    await other.run('SUBSCRIBE', 'a')
    const only =
      'only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context'
    t.same(await other.run('GET', 'k'), { error: `ERR Can't execute 'get': ${only}` })
    t.same(await other.run('PUBSUB', 'NUMPAT'), {
      error: `ERR Can't execute 'pubsub|numpat': ${only}`,
    })
    t.same(await other.run('PING'), ['pong', ''])
    t.same(await other.run('UNSUBSCRIBE'), [['unsubscribe', 'a', 0]])
    t.same(await other.run('GET', 'k'), null)
    await other.run('HELLO', 3)
    await other.run('SUBSCRIBE', 'a')
    t.same(await other.run('GET', 'k'), null)
    t.same(await other.run('PUBLISH', 'a', 'self'), 1)
    t.same(other.pushed, [['message', 'a', 'self']])
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'who may not read hears nothing, from that moment on',
  async (t, room) => {
    const other = room.client()
    await other.run('SUBSCRIBE', 'a')
    const hearing = room.client()
    await hearing.run('SUBSCRIBE', 'a')
    other.session.identity = { kind: 'anonymous' }
    // A store that gateways share is asked for the rights behind the reply.
    const counted = room.store.gateways === undefined ? 1 : 2
    t.same(await room.run('PUBLISH', 'a', 'secret'), counted)
    while (hearing.pushed.length === 0) await tick()
    t.same(other.pushed, [])
    t.same(await other.run('SUBSCRIBE', 'b'), { error: 'NOAUTH Authentication required.' })
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'no client can forge a key event',
  async (t, room) => {
    const other = room.client()
    await other.run('PSUBSCRIBE', '*')
    for (const channel of ['__keyspace@0__:a', '__keyevent@9__:set']) {
      t.same(await room.run('PUBLISH', channel, 'x'), {
        error:
          'NOPERM this user has no permissions to access one of the channels used as arguments',
      })
    }
    t.same(other.pushed, [])
  },
  { kinds },
)
