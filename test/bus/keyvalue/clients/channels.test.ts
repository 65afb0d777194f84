// Matching channels with patterns takes as long as those who listen make it: others have their turn
// meanwhile, and the message comes to whom it is for, whole.

import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'

const kinds = ['memory'] as const
const run = 'a'.repeat(500)
const names = Array.from({ length: 300 }, (_, i) => `x${i}`)

/** What a command answers, and the turns that others had. */
async function runSlowly(room: KeyValueRoom, ...words: string[]) {
  let turns = 0
  let isOver = false
  const counting = (async () => {
    for (; !isOver; turns++) await nextTurn()
  })()
  const reply = await room.run(...words)
  isOver = true
  await counting
  return { reply, turns }
}

await eachKeyValueRoom(
  t,
  'a message that many patterns are tried for leaves others their turn',
  async (t, room) => {
    const listener = room.client()
    for (const name of names)
      await listener.run('PSUBSCRIBE', `*${name === 'x7' ? '' : run}${name}`)
    listener.pushed.length = 0
    const channel = `${'a'.repeat(2_000)}x7`
    const { reply, turns } = await runSlowly(room, 'PUBLISH', channel, 'hello')
    t.equal(reply, 1)
    t.ok(turns > 20, `${turns} turns`)
    t.same(listener.pushed, [['pmessage', '*x7', channel, 'hello']])
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'so does a pattern that many channels are tried for',
  async (t, room) => {
    const listener = room.client()
    const [start, part] = ['a'.repeat(300), 'a'.repeat(50)]
    for (const name of names) await listener.run('SUBSCRIBE', `${start}${name}`)
    const { reply, turns } = await runSlowly(room, 'PUBSUB', 'CHANNELS', `*${part}x?1`)
    t.equal((reply as string[]).length, 9)
    t.ok(turns > 5, `${turns} turns`)
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'channels with very long names are listed by them',
  async (t, room) => {
    const listener = room.client()
    const long = ['b', 'c'].map((end) => `${'a'.repeat(20_000)}${end}`)
    for (const name of long) await listener.run('SUBSCRIBE', name)
    t.same(((await room.run('PUBSUB', 'CHANNELS')) as string[]).sort(), long)
    t.equal(await room.run('PUBLISH', long[0] as string, 'hello'), 1)
    await listener.run('UNSUBSCRIBE', long[0] as string)
    t.same(await room.run('PUBSUB', 'CHANNELS'), [long[1]])
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'messages that many clients hear come to all of them in one order',
  async (t, room) => {
    const listeners = Array.from({ length: 1_500 }, () => room.client())
    for (const listener of listeners) {
      await listener.run('SUBSCRIBE', 'c')
      listener.pushed.length = 0
    }
    const publishers = [room.client(), room.client(), room.client()]
    const heard = await Promise.all(publishers.map((each, i) => each.run('PUBLISH', 'c', `m${i}`)))
    t.same(heard, [1_500, 1_500, 1_500])
    const [first] = listeners
    t.equal(first?.pushed.length, 3)
    for (const { pushed } of listeners) if (String(pushed) !== String(first?.pushed)) t.fail()
  },
  { kinds },
)
