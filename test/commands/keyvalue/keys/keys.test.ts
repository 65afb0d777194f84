// Keys listed, emptied and drawn at random, over every store.

import t from 'tap'
import { eachKeyValueRoom } from '../../../support/key-value-room.js'

await eachKeyValueRoom(t, 'an expired key is none for any listing', async (t, room) => {
  await room.run('SET', 'a', '1')
  await room.run('SET', 'b', '2', 'PX', '10')
  room.clock.ms += 10
  t.same(await room.run('KEYS', '*'), ['a'])
  t.same(await room.run('SCAN', '0'), ['0', ['a']])
  t.equal(await room.run('DBSIZE'), 1)
  t.equal(await room.run('RANDOMKEY'), 'a')
  t.same(await room.run('RENAME', 'b', 'c'), { error: 'ERR no such key' })
  t.equal(await room.run('COPY', 'b', 'c'), 0)
  t.equal(await room.run('COPY', 'a', 'b'), 1, 'its name is free')
})

await eachKeyValueRoom(
  t,
  'KEYS finds what begins alike, whatever bytes a name has',
  async (t, room) => {
    const names = ['user:1', 'user:2', 'user', 'other', `user:${'l'.repeat(1_000)}`]
    for (const name of names) await room.run('SET', name, '1')
    const binary = Buffer.from('user:\xff', 'latin1')
    const zero = 'user:\0\u0001'
    await room.run('SET', binary, '1')
    await room.run('SET', zero, '1')
    await room.run('SET', '', '1')
    const list = async (pattern: string) => ((await room.run('KEYS', pattern)) as unknown[]).length
    t.equal(await list('user:*'), 5)
    t.equal(await list('user:l*'), 1)
    t.equal(await list('*'), 8, 'the empty name too')
    t.equal(await list('**'), 7, 'but not for two stars, as on the reference server')
    t.same(await room.run('KEYS', 'user:1'), ['user:1'])
    t.same(await room.run('KEYS', 'user:\\?'), [])
    t.same(await room.run('KEYS', `user:${'l'.repeat(1_000)}`), [`user:${'l'.repeat(1_000)}`])
  },
)

await eachKeyValueRoom(t, 'flushing and swapping keep to their databases', async (t, room) => {
  for (const database of ['0', '1', '2']) {
    await room.run('SELECT', database)
    await room.run('SET', 'in', database)
  }
  t.equal(await room.run('SWAPDB', '0', '1'), 'OK')
  await room.run('SELECT', '0')
  t.equal(await room.run('GET', 'in'), '1')
  await room.run('FLUSHDB')
  t.equal(await room.run('DBSIZE'), 0)
  await room.run('SELECT', '1')
  t.equal(await room.run('GET', 'in'), '0')
  await room.run('FLUSHALL')
  t.equal(await room.run('DBSIZE'), 0)
  await room.run('SELECT', '2')
  t.equal(await room.run('DBSIZE'), 0)
})

await eachKeyValueRoom(t, 'one program flushes, writes and swaps in order', async (t, room) => {
  await room.run('SET', 'a', 'before')
  await room.run('MULTI')
  await room.run('SET', 'b', 'gone')
  await room.run('FLUSHDB')
  await room.run('SET', 'c', 'kept')
  await room.run('KEYS', '*')
  await room.run('SWAPDB', '0', '5')
  await room.run('KEYS', '*')
  await room.run('DBSIZE')
  t.same(await room.run('EXEC'), ['OK', 'OK', 'OK', ['c'], 'OK', [], 0])
  await room.run('SELECT', '5')
  t.same(await room.run('KEYS', '*'), ['c'])
})

await eachKeyValueRoom(
  t,
  'every key is drawn at random, and none is drawn for ever',
  async (t, room) => {
    const names = new Set<unknown>()
    for (let i = 0; i < 900; i++) names.add(`${i % 3 === 0 ? 'session' : 'user'}:${i}`)
    await room.run('MSET', ...[...names].flatMap((name) => [String(name), '1']))
    const drawn = new Map<unknown, number>()
    for (let i = 0; i < 1_500; i++) {
      const name = await room.run('RANDOMKEY')
      drawn.set(name, (drawn.get(name) ?? 0) + 1)
    }
    t.ok([...drawn.keys()].every((name) => names.has(name)))
    t.ok(drawn.size > 500, `${drawn.size} different ones`)
    t.ok(Math.max(...drawn.values()) < 40, 'none stands out')
  },
)
