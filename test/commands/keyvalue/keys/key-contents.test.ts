// Commands that look at all that a key holds, or carry it elsewhere: dumps, SORT, OBJECT and
// MEMORY, over every store and at every bound between small and large.

import t from 'tap'
import { contentsOfTypes, fillTypes, typeViews } from '../../../support/key-contents.js'
import { eachBound } from '../../../support/key-value-room.js'

await eachBound(t, 'OBJECT ENCODING follows from the value, however that lies', async (t, room) => {
  await fillTypes(room)
  const encoding = (name: string) => room.run('OBJECT', 'ENCODING', name)
  t.equal(await encoding('hash'), 'hashtable', 'a long value')
  await room.run('HDEL', 'hash', 'big')
  t.equal(await encoding('hash'), 'listpack')
  t.equal(await encoding('list'), 'quicklist')
  t.equal(await encoding('set'), 'hashtable')
  await room.run('SREM', 'set', 'y'.repeat(2_000))
  t.equal(await encoding('set'), 'intset')
  await room.run('SADD', 'set', ...Array.from({ length: 600 }, (_, i) => i))
  t.equal(await encoding('set'), 'hashtable', 'too many')
  t.equal(await encoding('zset'), 'skiplist', 'a long member')
  await room.run('ZREM', 'zset', 'z'.repeat(2_000))
  t.equal(await encoding('zset'), 'listpack')
})

await eachBound(t, 'MEMORY USAGE grows with what a key holds', async (t, room) => {
  await room.run('HSET', 'h', 'f', 'v')
  const small = Number(await room.run('MEMORY', 'USAGE', 'h'))
  await room.run('HSET', 'h', ...Array.from({ length: 600 }, (_, i) => `word ${i}`))
  const large = Number(await room.run('MEMORY', 'USAGE', 'h'))
  const exact = Number(await room.run('MEMORY', 'USAGE', 'h', 'SAMPLES', '0'))
  t.ok(small > 0 && large > 10 * small)
  t.ok(Math.abs(large - exact) < exact / 2, `${large} is near ${exact}`)
})

await eachBound(t, 'a key comes back from its dump', async (t, room) => {
  await fillTypes(room)
  const before = await contentsOfTypes(room, (type) => type)
  for (const [type] of typeViews) {
    const payload = (await room.run('DUMP', type)) as Buffer
    t.same(await room.run('RESTORE', type, '0', payload), {
      error: 'BUSYKEY Target key name already exists.',
    })
    t.equal(await room.run('RESTORE', `new ${type}`, '0', payload), 'OK')
    t.equal(await room.run('RESTORE', type, '5000', payload, 'REPLACE'), 'OK')
    t.equal(await room.run('PTTL', type), 5_000)
    const at = room.clock.now() + 700
    t.equal(await room.run('RESTORE', type, String(at), payload, 'REPLACE', 'ABSTTL'), 'OK')
    t.equal(await room.run('PTTL', type), 700)
  }
  t.same(await contentsOfTypes(room, (type) => `new ${type}`), before)
  t.same(await contentsOfTypes(room, (type) => type), before)
  const payload = (await room.run('DUMP', 'string')) as Buffer
  t.equal(await room.run('RESTORE', 'string', '1', payload, 'REPLACE', 'ABSTTL'), 'OK')
  t.equal(await room.run('EXISTS', 'string'), 0, 'it has ended long ago')
})

await eachBound(
  t,
  'SORT goes by keys and fields, and stores a list without a time',
  async (t, room) => {
    await room.run('RPUSH', 'l', '3', '1', '2')
    await room.run('MSET', 'w_1', '30', 'w_2', '20', 'w_3', '10')
    for (const n of [1, 2, 3]) await room.run('HSET', `o_${n}`, 'name', `n${n}`, 'rank', String(-n))
    t.same(await room.run('SORT', 'l'), ['1', '2', '3'])
    t.same(await room.run('SORT', 'l', 'BY', 'w_*', 'GET', 'o_*->name'), ['n3', 'n2', 'n1'])
    t.same(await room.run('SORT', 'l', 'BY', 'o_*->rank', 'LIMIT', '0', '2'), ['3', '2'])
    await room.run('SET', 'd', 'x', 'EX', '100')
    t.equal(await room.run('SORT', 'l', 'STORE', 'd'), 3)
    t.equal(await room.run('TTL', 'd'), -1)
    t.same(await room.run('LRANGE', 'd', '0', '-1'), ['1', '2', '3'])
    await room.run('RPUSH', 'words', 'a', 'b')
    t.same(await room.run('SORT', 'words'), {
      error: "ERR One or more scores can't be converted into double",
    })
  },
)

await eachBound(t, 'SORT of many elements is in order', async (t, room) => {
  const numbers = Array.from({ length: 4_000 }, (_, i) => (i * 7_919) % 4_001)
  for (let i = 0; i < 4_000; i += 1_000) {
    await room.run('RPUSH', 'l', ...numbers.slice(i, i + 1_000))
  }
  const wanted = [...numbers].sort((a, b) => a - b).map(String)
  t.same(await room.run('SORT', 'l'), wanted)
  t.same(await room.run('SORT', 'l', 'DESC', 'LIMIT', '0', '3'), wanted.reverse().slice(0, 3))
  t.same(await room.run('SORT', 'l', 'ALPHA', 'LIMIT', '0', '3'), ['0', '1', '10'])
})
