// Keys under other names and in other databases, and copies of them, over every store and at every
// bound between small and large.

import t from 'tap'
import { stagingRange } from '../../../../src/engine/background/garbage.js'
import { contentsOfTypes, fillTypes, typeViews } from '../../../support/key-contents.js'
import { eachBound, type KeyValueRoom } from '../../../support/key-value-room.js'

await eachBound(
  t,
  'a key is the same under another name and in another database',
  async (t, room) => {
    await fillTypes(room)
    const before = await contentsOfTypes(room, (type) => type)
    for (const [type] of typeViews) t.equal(await room.run('RENAME', type, `new ${type}`), 'OK')
    t.same(await contentsOfTypes(room, (type) => `new ${type}`), before, 'renamed')
    for (const [type] of typeViews) t.equal(await room.run('MOVE', `new ${type}`, '3'), 1)
    t.equal(await room.run('DBSIZE'), 0)
    await room.run('SELECT', '3')
    t.same(await contentsOfTypes(room, (type) => `new ${type}`), before, 'moved')
  },
)

await eachBound(t, 'a copy and what it was made of do not know each other', async (t, room) => {
  await fillTypes(room)
  const before = await contentsOfTypes(room, (type) => type)
  for (const [type] of typeViews) t.equal(await room.run('COPY', type, `2 ${type}`), 1)
  t.same(await contentsOfTypes(room, (type) => `2 ${type}`), before)
  await room.run('HSET', 'hash', 'f', 'other', 'g', 'new')
  await room.run('RPUSH', 'list', 'more')
  await room.run('SADD', 'set', 'more')
  await room.run('ZADD', 'zset', '0', 'more')
  t.same(await contentsOfTypes(room, (type) => `2 ${type}`), before, 'the copy stays')
  t.same(await room.run('ZRANK', '2 zset', 'b'), 1, 'its members are counted')
  const changed = await contentsOfTypes(room, (type) => type)
  await room.run('HDEL', '2 hash', 'big')
  await room.run('LPUSH', '2 list', 'first')
  await room.run('DEL', '2 set', '2 zset')
  t.same(await contentsOfTypes(room, (type) => type), changed, 'and so does the other')
})

await eachBound(t, 'a copy of very many members is whole', async (t, room) => {
  const big = 'b'.repeat(300_000)
  for (let i = 0; i < 4_000; i += 1_000) {
    const numbers = Array.from({ length: 1_000 }, (_, n) => i + n)
    await room.run('HSET', 'hash', ...numbers.flatMap((n) => [`f${n}`, `v${n}`]))
    await room.run('RPUSH', 'list', ...numbers)
    await room.run('ZADD', 'zset', ...numbers.flatMap((n) => [n, `m${n}`]))
  }
  await room.run('LTRIM', 'list', '500', '-1')
  await room.run('HSET', 'hash', 'f17', big, 'f3999', big)
  await room.run('PEXPIRE', 'hash', '1000')
  t.equal(await room.run('COPY', 'hash', 'hash2'), 1)
  t.equal(await room.run('HLEN', 'hash2'), 4_000)
  t.equal(await room.run('PTTL', 'hash2'), 1_000)
  await room.run('DEL', 'hash')
  t.equal(await room.run('HGET', 'hash2', 'f17'), big)
  t.equal(await room.run('HGET', 'hash2', 'f2000'), 'v2000')
  await room.run('SELECT', '1')
  await room.run('SET', 'zset', 'in the way')
  await room.run('SELECT', '0')
  t.equal(await room.run('COPY', 'zset', 'zset', 'DB', '1', 'REPLACE'), 1)
  t.equal(await room.run('COPY', 'list', 'list2'), 1)
  t.same(await room.run('LRANGE', 'list2', '0', '1'), ['500', '501'])
  t.same(await room.run('LRANGE', 'list2', '-1', '-1'), ['3999'])
  await room.run('MULTI')
  await room.run('COPY', 'list', 'list3')
  await room.run('RPUSH', 'list3', 'more')
  t.same(await room.run('EXEC'), [1, 3_501])
  t.equal(await room.run('LLEN', 'list'), 3_500)
  await room.run('SELECT', '1')
  t.equal(await room.run('ZRANK', 'zset', 'm3210'), 3_210)
  t.same(await staged(room), [], 'nothing is left on the staging list')
})

await eachBound(
  t,
  'a copy is of one moment, however its source changes meanwhile',
  async (t, room) => {
    const numbers = Array.from({ length: 2_000 }, (_, n) => n)
    await room.run('HSET', 'hash', ...numbers.flatMap((n) => [`f${n}`, 'v']))
    const other = room.client()
    const [copied] = await Promise.all([
      room.run('COPY', 'hash', 'copy'),
      other.run('HSET', 'hash', 'f0', 'new', 'f1999', 'new'),
    ])
    t.equal(copied, 1)
    t.equal(await room.run('HLEN', 'copy'), 2_000)
    const [first, last] = (await room.run('HMGET', 'copy', 'f0', 'f1999')) as unknown[]
    t.equal(first, last)
    t.same(await staged(room), [])
    t.equal(await room.run('COPY', 'hash', 'copy'), 0, 'the name is taken')
    t.same(await staged(room), [])
  },
)

function staged(room: KeyValueRoom): Promise<unknown[]> {
  return Promise.resolve(
    room.store.read(function* (tx) {
      return yield* tx.scan(stagingRange, 10)
    }),
  )
}

await eachBound(
  t,
  'the destination of RENAME takes the time of the source, none too',
  async (t, room) => {
    await room.run('RPUSH', 'lasting', 'a')
    await room.run('RPUSH', 'ending', 'b')
    await room.run('PEXPIRE', 'ending', '1000')
    await room.run('COPY', 'ending', 'copy')
    t.equal(await room.run('PTTL', 'copy'), 1_000, 'COPY takes it along')
    await room.run('RENAME', 'ending', 'lasting')
    t.equal(await room.run('PTTL', 'lasting'), 1_000)
    await room.run('RPUSH', 'third', 'c')
    await room.run('RENAME', 'third', 'lasting')
    t.equal(await room.run('PTTL', 'lasting'), -1)
  },
)
