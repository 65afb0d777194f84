// Containers that one command makes large: more members than one program may write. They become
// records all the same, invisible before they are whole, and nothing of them stays behind.

import t, { type Test } from 'tap'
import { Slice } from '../../../src/base/bytes/slice.js'
import { stagingRange } from '../../../src/engine/background/garbage.js'
import { chunkGraceMs } from '../../../src/engine/background/garbage-job.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { Keyspace } from '../../../src/engine/keyspace/keyspace.js'
import { usualBounds, Work } from '../../../src/engine/keyspace/work.js'
import type { ReadTx } from '../../../src/store/store.js'
import { eachBound, eachKeyValueRoom, type KeyValueRoom } from '../../support/key-value-room.js'
import { runs } from '../../support/runs.js'

const count = 6_000
/** These containers are beyond each bound: the long counts alone try all three. */
const eachLarge = runs(1) > 1 ? eachBound : eachKeyValueRoom
const numbers = Array.from({ length: count }, (_, n) => n)
const big = 'b'.repeat(300_000)

/** Members that lie in records of their own; undefined of what is one document. */
async function recordsOf(room: KeyValueRoom, name: string): Promise<number | undefined> {
  return await room.store.read(function* (tx) {
    const { place } = room.session
    const ns = yield* place.find(tx)
    if (ns === undefined) throw new Error('there from the first start')
    const ks = new Keyspace(tx, ns, place, room.clock.now(), new Work(usualBounds, false))
    return (yield* ks.key(Slice.ofText(name))).head?.count
  })
}

/** How many entries reads have scanned from now on, those that prepare writes among them. */
function scansOf({ store }: KeyValueRoom): () => number {
  let count = 0
  const read = store.read.bind(store)
  const watching = (tx: ReadTx): ReadTx =>
    new Proxy(tx, {
      get(target, name) {
        const own = Reflect.get(target, name)
        if (typeof own !== 'function') return own
        if (name !== 'scan') return own.bind(target)
        return function* (...args: Parameters<ReadTx['scan']>) {
          const found = yield* target.scan(...args)
          count += found.length
          return found
        }
      },
    })
  store.read = ((program, options) => read((tx) => program(watching(tx)), options)) as typeof read
  return () => count
}

async function nothingIsStaged(t: Test, room: KeyValueRoom): Promise<void> {
  const staged = await room.store.read(function* (tx) {
    return (yield* tx.scan(stagingRange, 10)).length
  })
  t.equal(staged, 0, 'nothing stays on the staging list')
}

await eachLarge(t, 'one command makes each type large', async (t, room) => {
  t.equal(await room.run('RPUSH', 'list', ...numbers), count)
  t.same(await room.line('LRANGE list 4999 5001'), ['4999', '5000', '5001'])
  t.equal(await room.run('LPUSH', 'list', 'first'), count + 1)
  t.equal(await room.line('LINDEX list 5000'), '4999')
  t.equal(await room.run('SADD', 'set', ...numbers.map((n) => `m${n}`), 'm0'), count)
  t.equal(await room.line('SISMEMBER set m5999'), 1)
  t.equal(await room.line('SREM set m17 m5999'), 2)
  t.equal(await room.run('HSET', 'hash', ...numbers.flatMap((n) => [`f${n}`, n])), count)
  t.equal(await room.line('HGET hash f5999'), '5999')
  const scored = numbers.flatMap((n) => [count - n, `m${n}`])
  t.equal(await room.run('ZADD', 'zset', ...scored), count)
  t.equal(await room.line('ZRANK zset m1000'), count - 1_001)
  t.same(await room.line('ZRANGE zset 5000 5001'), ['m999', 'm998'])
  t.equal(await room.line('ZADD zset 0 m1000'), 0)
  t.equal(await room.line('ZRANK zset m1000'), 0)
  t.equal(await recordsOf(room, 'list'), count + 1)
  t.equal(await recordsOf(room, 'set'), count - 2)
  t.equal(await recordsOf(room, 'hash'), count)
  t.equal(await recordsOf(room, 'zset'), count)
  await nothingIsStaged(t, room)
})

await eachLarge(t, 'what is stored as another key is large there', async (t, room) => {
  const half = count / 2
  for (const [name, from] of [
    ['a', 0],
    ['b', half],
  ] as const) {
    const part = numbers.slice(from, from + half)
    await room.run('SADD', name, ...part)
    await room.run('RPUSH', 'list', ...part)
  }
  t.equal(await room.line('SUNIONSTORE union a b'), count)
  t.equal(await recordsOf(room, 'union'), count)
  t.equal(await room.line('ZUNIONSTORE scored 2 a b WEIGHTS 1 2'), count)
  t.equal(await recordsOf(room, 'scored'), count)
  t.equal(await room.line('ZSCORE scored 4000'), 2)
  t.equal(await room.line('SORT list DESC STORE sorted'), count)
  t.equal(await recordsOf(room, 'sorted'), count)
  t.equal(await room.line('LINDEX sorted 0'), String(count - 1))
  const dump = (await room.run('DUMP', 'scored')) as Uint8Array
  t.equal(await room.run('RESTORE', 'copy', '5000', dump), 'OK')
  t.equal(await recordsOf(room, 'copy'), count)
  t.equal(await room.line('PTTL copy'), 5_000)
  t.equal(await room.line('ZRANK copy 4000'), await room.line('ZRANK scored 4000'))
  await nothingIsStaged(t, room)
})

await eachLarge(t, 'one command makes a large one much larger', async (t, room) => {
  await room.run('RPUSH', 'list', ...numbers.slice(0, 300))
  await room.run('SADD', 'set', ...numbers.slice(0, 300))
  await room.run('HSET', 'hash', ...numbers.slice(0, 300).flatMap((n) => [n, 'old']))
  await room.run('ZADD', 'zset', ...numbers.slice(0, 300).flatMap((n) => [n, n]))
  await room.run('PEXPIRE', 'set', '5000')
  t.equal(await room.run('LPUSH', 'list', ...numbers), count + 300)
  t.same(await room.line('LRANGE list 5998 6001'), ['1', '0', '0', '1'])
  t.equal(await room.run('SADD', 'set', ...numbers), count - 300)
  t.equal(await room.line('PTTL set'), 5_000)
  t.equal(await room.run('HSET', 'hash', ...numbers.flatMap((n) => [n, 'new'])), count - 300)
  t.same(await room.line('HMGET hash 0 299 5999'), ['new', 'new', 'new'])
  t.equal(await room.run('ZADD', 'zset', ...numbers.flatMap((n) => [-n, n])), count - 300)
  t.same(await room.line('ZRANGE zset 0 1'), ['5999', '5998'])
  t.equal(await room.line('ZRANK zset 0'), count - 1)
  t.equal(await recordsOf(room, 'list'), count + 300)
  t.equal(await recordsOf(room, 'set'), count)
  t.equal(await recordsOf(room, 'hash'), count)
  t.equal(await recordsOf(room, 'zset'), count)
  await nothingIsStaged(t, room)
})

await eachLarge(t, 'a reader sees all of it or nothing', async (t, room) => {
  const reader = room.client()
  let isDone = false
  const adding = room.run('SADD', 'set', ...numbers).then((reply) => {
    isDone = true
    return reply
  })
  const seen = new Set<unknown>()
  while (!isDone) {
    seen.add(await reader.run('SCARD', 'set'))
    await new Promise(setImmediate)
  }
  t.equal(await adding, count)
  seen.delete(0)
  seen.delete(count)
  t.same([...seen], [])
  reader.close()
})

await eachLarge(t, 'what others add meanwhile is not lost', async (t, room) => {
  const other = room.client()
  const adding = room.run('SADD', 'set', ...numbers)
  const added: unknown[] = []
  for (let i = 0; i < 3; i++) {
    added.push(await other.run('SADD', 'set', `other ${i}`))
    await new Promise(setImmediate)
  }
  t.equal(await adding, count)
  t.same(added, [1, 1, 1])
  t.equal(await room.run('SCARD', 'set'), count + 3)
  await nothingIsStaged(t, room)
  other.close()
})

await eachLarge(t, 'two equal ones in a transaction are two', async (t, room) => {
  await room.run('MULTI')
  await room.run('RPUSH', 'a', ...numbers)
  await room.run('RPUSH', 'b', ...numbers)
  await room.run('LPOP', 'a')
  t.same(await room.run('EXEC'), [count, count, '0'])
  t.equal(await room.run('DEL', 'a'), 1)
  t.equal(await room.run('LINDEX', 'b', '0'), '0')
  t.equal(await room.run('LLEN', 'b'), count)
  await nothingIsStaged(t, room)
})

await eachLarge(t, 'equal values have chunks of their own', async (t, room) => {
  const isLarge = (n: number) => n % 2_500 === 7 || n % 2_500 === 8
  const elements = numbers.map((n) => (isLarge(n) ? big : `${n}`))
  t.equal(await room.run('RPUSH', 'list', ...elements), count)
  const fields = numbers.flatMap((n) => [`f${n}`, isLarge(n) ? big : `v${n}`])
  t.equal(await room.run('HSET', 'hash', ...fields), count)
  t.equal(await room.line('COPY hash copy'), 1)
  t.equal(await room.line('LTRIM list 8 -1'), 'OK')
  t.equal(await room.line('HDEL hash f7'), 1)
  t.equal(await room.line('HDEL copy f5007'), 1)
  // Those that were found longer ago are deleted.
  await room.engine.garbage.round()
  room.clock.ms += chunkGraceMs
  while (await room.engine.garbage.round()) t.pass('chunks are deleted behind')
  for (const at of [0, 2_499, 2_500]) t.equal(await room.line(`LINDEX list ${at}`), big)
  for (const n of [8, 2_507, 2_508]) t.equal(await room.line(`HGET hash f${n}`), big)
  t.equal(await room.line('HGET hash f5007'), big)
  t.equal(await room.line('HGET copy f7'), big)
  t.equal(await room.line('HGET copy f2507'), big)
  t.same(await checkStore(room.store), [])
  await nothingIsStaged(t, room)
})

await eachLarge(t, 'values that lie in chunks come along', async (t, room) => {
  const fields = numbers.flatMap((n) => [`f${n}`, n % 2_500 === 7 ? `${big}${n}` : `v${n}`])
  t.equal(await room.run('HSET', 'hash', ...fields), count)
  t.equal(await room.line('HGET hash f2507'), `${big}2507`)
  t.equal(await room.line('HGET hash f5999'), 'v5999')
  t.equal(await recordsOf(room, 'hash'), count)
  t.equal(await room.run('DEL', 'hash'), 1)
  await nothingIsStaged(t, room)
})

await eachKeyValueRoom(
  t,
  'what reads more than a write may is prepared by a read',
  async (t, room) => {
    const parts = Array.from({ length: 5 }, (_, part) => numbers.map((n) => part * 5_000 + n))
    for (const part of parts) {
      await room.run('SADD', 'set', ...part)
      await room.run('ZADD', 'zset', ...part.flatMap((n) => [n, n]))
    }
    const size = 4 * 5_000 + count
    t.equal(await room.line('SUNIONSTORE union set'), size)
    t.equal(await recordsOf(room, 'union'), size)
    t.equal(await room.line('ZUNIONSTORE scored 2 zset set WEIGHTS 2 1'), size)
    t.equal(await room.line('ZSCORE scored 100'), 201)
    t.equal(await room.line('ZRANK scored 25999'), size - 1)
    const other = room.client()
    const [stored] = await Promise.all([
      room.line('SDIFFSTORE rest set union'),
      other.line('SADD set more'),
    ])
    t.equal(await room.line('SCARD rest'), stored)
    t.equal(await room.line('SCARD set'), size + 1)
    t.equal(await room.run('SADD', 'set', ...numbers.map((n) => `x${n}`)), count)
    t.equal(await room.line('SCARD set'), size + 1 + count)
    await nothingIsStaged(t, room)
    other.close()
  },
)

await eachKeyValueRoom(
  t,
  'what is stored is put together once, and again where a source has changed',
  async (t, room) => {
    for (const name of ['a', 'b']) {
      for (let part = 0; part < 2; part++) {
        const members = numbers.map((n) => `${name}${part * count + n}`)
        await room.run('SADD', name, ...members)
        await room.run('ZADD', `z${name}`, ...members.flatMap((member, n) => [n, member]))
      }
    }
    const scanned = scansOf(room)
    const size = 4 * count
    t.equal(await room.line('SUNIONSTORE stored a b'), size)
    // Each set once, and one of them beside the other.
    t.ok(scanned() < 1.75 * size, `${scanned()} members were read for a union`)
    t.equal(await room.line('SCARD stored'), size)
    t.equal(await room.line('SISMEMBER stored b11999'), 1)
    const before = scanned()
    t.equal(await room.line('ZUNIONSTORE ztored 2 za zb WEIGHTS 1 3'), size)
    t.ok(scanned() - before < 1.5 * size, `${scanned() - before} members were read`)
    t.equal(await room.line('ZSCORE ztored b11999'), 3 * (count - 1))
    t.equal(await room.line('ZRANK ztored b11999'), size - 2)
    t.same(await room.line('ZRANGE ztored -1 -1'), ['b5999'])
    t.same(await room.line('ZPOPMIN ztored'), ['a0', 0])
    // The destination is a source too, and other clients change one meanwhile.
    const other = room.client()
    const [stored] = await Promise.all([
      room.line('SUNIONSTORE stored stored a'),
      other.line('SADD a more'),
    ])
    t.ok(stored === size || stored === size + 1)
    t.equal(await room.line('SCARD stored'), stored)
    t.equal(await room.line('SISMEMBER stored more'), Number(stored) - size)
    other.close()
    await nothingIsStaged(t, room)
    t.same(await checkStore(room.store), [])
  },
  { kinds: ['memory', 'lmdb'] },
)

await eachKeyValueRoom(
  t,
  'a hundred thousand members',
  async (t, room) => {
    const names = Array.from({ length: 100_000 }, (_, n) => `member ${n}`)
    t.equal(await room.run('SADD', 'set', ...names), names.length)
    t.equal(await recordsOf(room, 'set'), names.length)
    t.equal(await room.run('SISMEMBER', 'set', 'member 99999'), 1)
    const scored = names.slice(0, 50_000).flatMap((name, n) => [(n * 7_919) % 100_003, name])
    t.equal(await room.run('ZADD', 'zset', ...scored), 50_000)
    t.equal(await recordsOf(room, 'zset'), 50_000)
    const rank = (await room.run('ZRANK', 'zset', 'member 5')) as number
    t.same(await room.run('ZRANGE', 'zset', rank, rank), ['member 5'])
    await nothingIsStaged(t, room)
  },
  { kinds: ['memory', 'lmdb'] },
)

await eachKeyValueRoom(t, 'one EXEC copies a large container six times', async (t, room) => {
  await room.run('SADD', 'set', ...numbers)
  await room.line('MULTI')
  for (let n = 0; n < 6; n++) await room.line(`COPY set copy${n}`)
  t.same(await room.line('EXEC'), [1, 1, 1, 1, 1, 1])
  t.equal(await room.line('SCARD copy5'), count)
  await nothingIsStaged(t, room)
  t.same(await checkStore(room.store), [])
})

await eachKeyValueRoom(t, 'one MSET of many keys has twenty large values', async (t, room) => {
  const pairs = numbers.slice(0, 3_000).flatMap((n) => [`k${n}`, n < 20 ? `${n}${big}` : n])
  t.equal(await room.run('MSET', ...pairs), 'OK')
  t.equal(await room.line('STRLEN k19'), big.length + 2)
  t.equal(await room.line('GET k2999'), '2999')
  await nothingIsStaged(t, room)
})
