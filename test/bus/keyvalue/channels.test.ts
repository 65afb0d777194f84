// Matching channels with patterns takes as long as those who listen make it: others have their turn
// meanwhile, and the message comes to whom it is for, whole.

import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { eachKeyValueRoom, type KeyValueRoom } from '../../support/key-value-room.js'

const kinds = ['memory'] as const
/** Tried one after the other, they would be one turn of as many milliseconds. */
const names = Array.from({ length: 300 }, (_, i) => `x${i}`)

/** What a command answers, and the turns that others had; each look at the clock takes 1 ms. */
async function runSlowly(room: KeyValueRoom, ...words: string[]) {
  let ms = 0
  room.bus.services.clock.elapsed = () => ms++
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
    for (const name of names) await listener.run('PSUBSCRIBE', `*${name}`)
    listener.pushed.length = 0
    const { reply, turns } = await runSlowly(room, 'PUBLISH', 'channel x7', 'hello')
    t.equal(reply, 1)
    t.ok(turns > 20, `${turns} turns`)
    t.same(listener.pushed, [['pmessage', '*x7', 'channel x7', 'hello']])
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'so does a pattern that many channels are tried for',
  async (t, room) => {
    const listener = room.client()
    for (const name of names) await listener.run('SUBSCRIBE', name)
    const { reply, turns } = await runSlowly(room, 'PUBSUB', 'CHANNELS', '*1')
    t.equal((reply as string[]).length, 30)
    t.ok(turns > 20, `${turns} turns`)
  },
  { kinds },
)
