// Iterations in pieces: whatever is there from start to end is answered at least once, while others
// come and go; cursors may be used again, forgotten, or belong to someone else.

import t from 'tap'
import { ScanCursors } from '../../../../src/bus/keyvalue/clients/scan-cursors.js'
import { anonymous, operator } from '../../../../src/identity/identity.js'
import {
  eachBound,
  eachKeyValueRoom,
  type KeyValueRoom,
  type RoomClient,
} from '../../../support/key-value-room.js'

/** What a full iteration answers; `between` happens after each piece. */
async function iterate(
  room: RoomClient,
  words: readonly string[],
  options: readonly string[] = [],
  between: (piece: number) => Promise<unknown> = async () => {},
): Promise<{ found: unknown[]; pieces: number }> {
  const found: unknown[] = []
  let cursor = '0'
  let pieces = 0
  do {
    const [next, items] = (await room.run(...words, cursor, ...options)) as [string, unknown[]]
    found.push(...items)
    cursor = next
    await between(pieces++)
  } while (cursor !== '0')
  return { found, pieces }
}

async function fill(room: KeyValueRoom, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, i) => i)
  await room.run('HSET', 'hash', ...numbers.flatMap((i) => [`f${i}`, `v${i}`]))
  await room.run('SADD', 'set', ...numbers.map((i) => `m${i}`))
  await room.run('ZADD', 'zset', ...numbers.flatMap((i) => [String(i), `m${i}`]))
}

await eachKeyValueRoom(
  t,
  'SCAN finds every key that stays, whatever comes and goes',
  async (t, room) => {
    const stay = Array.from({ length: 300 }, (_, i) => `stay:${i}`)
    await room.run('MSET', ...stay.flatMap((name) => [name, '1']))
    const { found, pieces } = await iterate(room, ['SCAN'], ['COUNT', '17'], async (piece) => {
      await room.run('SET', `new:${piece}`, '1')
      await room.run('SET', `a${piece}`, '1')
      await room.run('DEL', `new:${piece - 1}`)
    })
    t.ok(pieces >= 300 / 17)
    t.same(
      stay.filter((name) => !found.includes(name)),
      [],
    )
    const once = await iterate(room, ['SCAN'], ['COUNT', '100'])
    t.equal(new Set(once.found).size, once.found.length, 'none of them twice')
  },
)

await eachKeyValueRoom(t, 'SCAN by pattern and type', async (t, room) => {
  await room.run('MSET', ...Array.from({ length: 50 }, (_, i) => [`user:${i}`, '1']).flat())
  await room.run('MSET', ...Array.from({ length: 50 }, (_, i) => [`zone:${i}`, '1']).flat())
  await room.run('SADD', 'user:set', 'a')
  await room.run('SET', Buffer.from('user:\xff', 'latin1'), '1')
  t.equal((await iterate(room, ['SCAN'], ['MATCH', 'user:*'])).found.length, 52)
  t.equal((await iterate(room, ['SCAN'], ['MATCH', '*:1?'])).found.length, 20)
  t.same((await iterate(room, ['SCAN'], ['TYPE', 'set'])).found, ['user:set'])
  t.same((await iterate(room, ['SCAN'], ['MATCH', 'zone:*', 'TYPE', 'set'])).found, [])
  t.same(await room.run('SCAN', '0', 'MATCH', 'zone:1', 'COUNT', '1000'), ['0', ['zone:1']])
})

await eachBound(t, 'members that stay are found while others come and go', async (t, room) => {
  await fill(room, 200)
  const between = async (piece: number) => {
    await room.run('HSET', 'hash', `new${piece}`, 'x')
    await room.run('SADD', 'set', `new${piece}`)
    await room.run('ZADD', 'zset', '5', `new${piece}`)
    await room.run('HDEL', 'hash', `new${piece - 1}`)
    await room.run('SREM', 'set', `new${piece - 1}`)
    await room.run('ZREM', 'zset', `new${piece - 1}`)
  }
  for (const [command, name, letter] of [
    ['HSCAN', 'hash', 'f'],
    ['SSCAN', 'set', 'm'],
    ['ZSCAN', 'zset', 'm'],
  ] as const) {
    const { found } = await iterate(room, [command, name], ['COUNT', '9'], between)
    const stay = Array.from({ length: 200 }, (_, i) => `${letter}${i}`)
    t.same(
      stay.filter((member) => !found.includes(member)),
      [],
      command,
    )
  }
})

await eachBound(t, 'members by pattern, with their values and scores', async (t, room) => {
  await fill(room, 200)
  const hash = await iterate(room, ['HSCAN', 'hash'], ['MATCH', 'f17'])
  t.same(hash.found, ['f17', 'v17'])
  const zset = await iterate(room, ['ZSCAN', 'zset'], ['MATCH', 'm19?', 'COUNT', '50'])
  t.same(
    new Set(zset.found),
    new Set([
      'm190',
      '190',
      'm191',
      '191',
      'm192',
      '192',
      'm193',
      '193',
      'm194',
      '194',
      'm195',
      '195',
      'm196',
      '196',
      'm197',
      '197',
      'm198',
      '198',
      'm199',
      '199',
    ]),
  )
  t.same((await iterate(room, ['SSCAN', 'set'], ['MATCH', 'none'])).found, [])
  t.same(await room.run('SSCAN', 'missing', '0'), ['0', []])
  t.same(await room.run('SSCAN', 'missing', '17', 'NO'), ['0', []], 'before the options are read')
})

await eachBound(t, 'an iteration goes on behind a member longer than a key', async (t, room) => {
  const members = Array.from({ length: 20 }, (_, i) => `${'x'.repeat(1_500)}${i}`)
  await room.run('SADD', 'set', ...members)
  const { found } = await iterate(room, ['SSCAN', 'set'], ['COUNT', '1'])
  t.same([...found].sort(), [...members].sort())
})

await eachKeyValueRoom(
  t,
  'a cursor may be used again, by others and after a flush',
  async (t, room) => {
    await room.run('MSET', ...Array.from({ length: 30 }, (_, i) => [`k${i}`, '1']).flat())
    const [cursor = ''] = (await room.run('SCAN', '0', 'COUNT', '10')) as string[]
    t.ok(Number.isSafeInteger(Number(cursor)), 'clients keep it as a double')
    const again = await room.run('SCAN', cursor, 'COUNT', '10')
    t.same(await room.run('SCAN', cursor, 'COUNT', '10'), again)
    t.same(await room.client().run('SCAN', cursor, 'COUNT', '10'), again, 'of the same identity')
    const unknown = await iterate(room, ['SCAN'], ['COUNT', '10'])
    t.same(
      ((await room.run('SCAN', '12345', 'COUNT', '100')) as unknown[])[1],
      unknown.found,
      'begins',
    )
    await room.run('FLUSHDB')
    await room.run('SET', 'k0', '1')
    t.same(await room.run('SCAN', cursor), ['0', []])
  },
)

t.test('places are bound to who has asked and to what is iterated over', async (t) => {
  const cursors = new ScanCursors()
  const place = Buffer.from('place')
  const cursor = cursors.keep(operator, '0', place)
  t.equal(cursors.keep(operator, '0', place), cursor, 'the same again')
  t.same(cursors.find(operator, '0', cursor), Uint8Array.from(place))
  t.equal(cursors.find(anonymous, '0', cursor), undefined)
  t.equal(cursors.find(operator, '1', cursor), undefined)
  for (let i = 0; i < 20_000; i++) cursors.keep(operator, '0', Buffer.from(String(i)))
  t.equal(cursors.find(operator, '0', cursor), undefined, 'the oldest are forgotten')
})
