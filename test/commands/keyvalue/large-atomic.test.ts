// Changes of one command or one EXEC that are too many for a program: they are made as a whole, and
// what others do meanwhile is seen as if all of it happened at once.

import t from 'tap'
import { eachKeyValueRoom, type KeyValueRoom, type Word } from '../../support/key-value-room.js'

const count = 50_000
const numbers = Array.from({ length: count }, (_, n) => n)
const embedded = { kinds: ['memory', 'lmdb'] } as const

async function exec(room: KeyValueRoom, commands: readonly (readonly Word[])[]): Promise<unknown> {
  await room.line('MULTI')
  for (const words of commands) await room.run(...words)
  return room.line('EXEC')
}

await eachKeyValueRoom(
  t,
  'EXEC and MSET of fifty thousand',
  async (t, room) => {
    const replies = (await exec(
      room,
      numbers.map((n) => ['SET', `k${n}`, n]),
    )) as unknown[]
    t.equal(replies.length, count)
    t.ok(replies.every((reply) => reply === 'OK'))
    t.equal(await room.line('DBSIZE'), count)
    t.equal(await room.line('GET k49999'), '49999')
    t.equal(await room.run('MSET', ...numbers.flatMap((n) => [`m${n}`, n])), 'OK')
    t.equal(await room.line('DBSIZE'), 2 * count)
    t.equal(await room.run('DEL', ...numbers.map((n) => `m${n}`)), count)
    t.equal(await room.line('DBSIZE'), count)
  },
  embedded,
)

await eachKeyValueRoom(
  t,
  'EXEC of many changes of containers',
  async (t, room) => {
    const some = numbers.slice(0, 6_000)
    await exec(
      room,
      some.map((n) => ['HSET', 'hash', `f${n}`, n]),
    )
    t.equal(await room.line('HLEN hash'), some.length)
    t.equal(await room.line('HGET hash f5999'), '5999')
    await exec(
      room,
      some.map((n) => ['ZADD', 'zset', n, `m${n}`]),
    )
    t.equal(await room.line('ZCARD zset'), some.length)
    t.equal(await room.line('ZRANK zset m5000'), 5_000)
    await exec(
      room,
      some.map((n) => ['SETEX', `e${n}`, 100, n]),
    )
    t.equal(await room.line('TTL e5999'), 100)
    await exec(
      room,
      some.map((n) => ['RPUSH', 'list', n]),
    )
    t.same(await room.line('LRANGE list 5998 -1'), ['5998', '5999'])
    const hashes = numbers.slice(0, 60)
    const fields = numbers.slice(0, 200).flatMap((n) => [`f${n}`, n])
    await exec(
      room,
      hashes.map((n) => ['HSET', `h${n}`, ...fields]),
    )
    t.equal(await room.line('HGET h59 f199'), '199')
    t.equal(await room.line('HLEN h0'), 200)
  },
  embedded,
)

await eachKeyValueRoom(
  t,
  'a watched key that changes aborts a large EXEC too',
  async (t, room) => {
    const other = room.client()
    const commands = numbers.slice(0, 6_000).map((n) => ['SET', `k${n}`, n])
    for (const change of ['SET w 2', 'DEL w', 'SET absent 1']) {
      await room.line('SET w 1')
      await room.line('DEL absent')
      await room.line('WATCH w absent')
      await other.line(change)
      t.equal(await exec(room, commands), null, change)
    }
    t.equal(await room.line('EXISTS k5'), 0)
    await room.line('WATCH w absent')
    t.equal(((await exec(room, commands)) as unknown[]).length, commands.length)
    t.equal(await room.line('GET k5999'), '5999')
  },
  embedded,
)

await eachKeyValueRoom(
  t,
  'others see none of it or all of it, and what they change meanwhile is kept',
  async (t, room) => {
    const other = room.client()
    await room.line('SET n 0')
    const commands = numbers.slice(0, 8_000).map((n) => ['SET', `k${n}`, n])
    let isDone = false
    const running = exec(room, [...commands, ['INCR', 'n']]).then((replies) => {
      isDone = true
      return replies as unknown[]
    })
    const sizes = new Set<unknown>()
    let added = 0
    while (!isDone) {
      sizes.add(await other.line('DBSIZE'))
      // A few times: what is prepared is begun again.
      if (added < 5) {
        await other.line('INCRBY n 10')
        added++
      }
      await new Promise(setImmediate)
    }
    const replies = await running
    t.equal(replies.length, 8_001)
    t.equal(await room.line('GET n'), String(10 * added + 1))
    sizes.delete(1)
    sizes.delete(8_001)
    t.same([...sizes], [])
  },
  embedded,
)

await eachKeyValueRoom(
  t,
  'a member of ten megabytes is a member as any other',
  async (t, room) => {
    const long = new Uint8Array(10 * 1024 * 1024).fill(97)
    t.equal(await room.run('SADD', 'set', long), 1)
    t.equal(await room.run('SISMEMBER', 'set', long), 1)
    t.equal(await room.run('HSET', 'hash', long, 'v'), 1)
    t.equal(await room.run('HGET', 'hash', long), 'v')
    t.equal(await room.run('ZADD', 'zset', '1', long), 1)
    t.equal(await room.run('ZSCORE', 'zset', long), 1)
    t.equal(await room.run('RPUSH', 'list', long), 1)
    t.equal(await room.run('SREM', 'set', long), 1)
    t.equal(await room.line('EXISTS set'), 0)
  },
  embedded,
)

await eachKeyValueRoom(t, 'a queue is taken from both of its ends', async (t, room) => {
  // Against a plain list; each step at random, but the same each time.
  let state = 7
  const random = (bound: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * bound)
  }
  const model = new Map<string, number>()
  const sorted = () => [...model].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
  const flat = (pairs: [string, number][]) => pairs.flat()
  for (let i = 0; i < 200; i++) {
    model.set(`m${i}`, i)
    await room.run('ZADD', 'z', i, `m${i}`)
  }
  for (let step = 0; step < 400; step++) {
    const order = sorted()
    const score = random(300) - 50
    const name = `m${random(260)}`
    switch (random(7)) {
      case 0:
        t.equal(await room.run('ZADD', 'z', score, name), model.has(name) ? 0 : 1)
        model.set(name, score)
        break
      case 1: {
        const gone = order.slice(0, random(4))
        t.same(await room.run('ZPOPMIN', 'z', gone.length), flat(gone))
        for (const [each] of gone) model.delete(each)
        break
      }
      case 2: {
        const gone = order.slice(order.length - random(4)).reverse()
        const some = gone.length === order.length ? [] : gone
        t.same(await room.run('ZPOPMAX', 'z', some.length), flat(some))
        for (const [each] of some) model.delete(each)
        break
      }
      case 3: {
        const end = order[random(2) === 0 ? 0 : order.length - 1]?.[0] ?? name
        t.equal(await room.run('ZREM', 'z', end), model.delete(end) ? 1 : 0)
        break
      }
      case 4:
        t.equal(await room.run('ZREM', 'z', name), model.delete(name) ? 1 : 0)
        break
      case 5: {
        const from = random(order.length)
        const gone = order.slice(from, from + 3)
        t.equal(await room.run('ZREMRANGEBYRANK', 'z', from, from + 2), gone.length)
        for (const [each] of gone) model.delete(each)
        break
      }
      default:
        t.equal(
          await room.run('ZCOUNT', 'z', '-inf', score),
          order.filter(([, s]) => s <= score).length,
        )
    }
    if (step % 20 > 0) continue
    t.same(await room.run('ZRANGE', 'z', 0, -1, 'WITHSCORES'), flat(sorted()))
    t.same(
      await room.run('ZREVRANGE', 'z', 0, 1),
      sorted()
        .slice(-2)
        .reverse()
        .map(([each]) => each),
    )
  }
})
