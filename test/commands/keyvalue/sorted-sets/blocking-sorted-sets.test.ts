// Clients that wait for sorted sets: who is served with what, and what counts as nothing.

import t, { type Test } from 'tap'
import { eachBound, type KeyValueRoom } from '../../../support/key-value-room.js'

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
  t.test(name, (t) => eachBound(t, 'sorted sets', body))
}

suite('what is there is taken at once, from the first key that has something', async (t, room) => {
  await room.line('ZADD b 1 v 2 w 3 x 4 y 5 z')
  t.same(await room.line('BZPOPMIN a b 0'), ['b', 'v', 1])
  t.same(await room.line('BZPOPMAX a b 0'), ['b', 'z', 5])
  t.same(await room.line('BZMPOP 0 2 a b MAX COUNT 2'), [
    'b',
    [
      ['y', 4],
      ['x', 3],
    ],
  ])
  t.same(await room.line('BZPOPMIN a b 0'), ['b', 'w', 2])
  t.equal(await room.line('EXISTS a b'), 0)
})

suite('those who came first are served first', async (t, room) => {
  const first = await wait(room, 'BZPOPMIN k 0')
  const second = await wait(room, 'BZPOPMAX other k 0')
  const third = await wait(room, 'BZMPOP 0 1 k MIN COUNT 5')
  await room.line('ZADD k 1 a 2 b 3 c 4 d')
  t.same(await first.reply, ['k', 'a', 1])
  t.same(await second.reply, ['k', 'd', 4])
  t.same(await third.reply, [
    'k',
    [
      ['b', 2],
      ['c', 3],
    ],
  ])
  t.equal(await room.line('EXISTS k'), 0)
  t.equal(room.bus.services.clients.blocked, 0)
})

suite('whatever makes a sorted set wakes who waits for it', async (t, room) => {
  await room.line('ZADD source 7 m')
  const stored = await wait(room, 'BZPOPMIN k 0')
  await room.line('ZUNIONSTORE k 1 source')
  t.same(await stored.reply, ['k', 'm', 7])
  const grown = await wait(room, 'BZPOPMIN k 0')
  await room.line('ZINCRBY k 2 n')
  t.same(await grown.reply, ['k', 'n', 2])
})

suite('a key of another type is an error at first, and nothing to who waits', async (t, room) => {
  await room.line('SET s x')
  t.same(await room.line('BZPOPMIN s 0'), wrongType)
  t.same(await room.line('BZMPOP 0 2 none s MIN'), wrongType)
  const waiter = await wait(room, 'BZPOPMIN k 0')
  await room.line('SET k x')
  await room.line('DEL k')
  await room.line('ZADD k 1 a')
  t.same(await waiter.reply, ['k', 'a', 1])
})

suite('where it cannot wait, and when its time is over, there is nothing', async (t, room) => {
  t.equal(await room.line('BZPOPMIN none 0.001'), null)
  t.equal(await room.line('BZMPOP 0.001 1 none MAX'), null)
  const replies = await Promise.all(
    ['MULTI', 'BZPOPMAX none 0', 'BZMPOP 0 1 none MIN', 'EXEC'].map((line) => room.line(line)),
  )
  t.same(replies.at(-1), [null, null])
})

suite('bad timeouts are refused behind all else that is bad', async (t, room) => {
  t.same(await room.line('BZPOPMIN k -1'), { error: 'ERR timeout is negative' })
  t.same(await room.line('BZPOPMIN k soon'), {
    error: 'ERR timeout is not a float or out of range',
  })
  t.same(await room.line('BZMPOP soon 1 k MID'), { error: 'ERR syntax error' })
  t.same(await room.line('BZMPOP soon 0 k MIN'), { error: 'ERR numkeys should be greater than 0' })
  t.same(await room.line('BZMPOP soon 1 k MIN'), {
    error: 'ERR timeout is not a float or out of range',
  })
})
