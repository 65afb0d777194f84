// What the commands of one pipeline leave open between them shows nowhere: replies, events and what
// is stored in the end are those of the same commands sent one by one, and the check finds nothing.

import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import { checkStore } from '../../../src/engine/check/check.js'
import { openContainersMax } from '../../../src/engine/keyspace/containers/open-containers.js'
import { eachBound, eachKeyValueRoom, type RoomClient } from '../../support/key-value-room.js'
import { runs } from '../../support/runs.js'
import { seed as firstSeed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

const names = ['a', 'b', 'c']
const types = ['list', 'hash', 'set', 'zset']

/** Commands over few keys; mostly those of the type that the key's name suggests for a while. */
function commandsOf(random: () => number): () => string[] {
  const below = (bound: number) => Math.floor(random() * bound)
  const one = <T>(from: readonly T[]): T => from[below(from.length)] as T
  const member = () => `m${below(12)}`
  const number = () => String(below(20) - 5)
  let type = one(types)
  const byType: Record<string, ((key: string) => string[])[]> = {
    list: [
      (key) => ['LPUSH', key, member()],
      (key) => ['RPUSH', key, member(), member()],
      (key) => ['LPOP', key],
      (key) => ['RPOP', key, '2'],
      (key) => ['LLEN', key],
      (key) => ['LTRIM', key, '1', '-1'],
      (key) => ['LREM', key, '0', member()],
      (key) => ['LINSERT', key, 'BEFORE', member(), member()],
      (key) => ['LMOVE', key, one(names), 'LEFT', 'RIGHT'],
      (key) => ['LRANGE', key, '0', '-1'],
    ],
    hash: [
      (key) => ['HSET', key, member(), number()],
      (key) => ['HSET', key, member(), number(), member(), number()],
      (key) => ['HMSET', key, member(), 'x'.repeat(below(3_000))],
      (key) => ['HDEL', key, member(), member()],
      (key) => ['HINCRBY', key, member(), number()],
      (key) => ['HGET', key, member()],
      (key) => ['HSETNX', key, member(), number()],
      (key) => ['HLEN', key],
    ],
    set: [
      (key) => ['SADD', key, member()],
      (key) => ['SADD', key, member(), member()],
      (key) => ['SREM', key, member()],
      (key) => ['SMOVE', key, one(names), member()],
      (key) => ['SCARD', key],
      (key) => ['SISMEMBER', key, member()],
      (key) => ['SINTERSTORE', one(names), key, one(names)],
    ],
    zset: [
      (key) => ['ZADD', key, number(), member()],
      (key) => ['ZADD', key, 'GT', 'CH', number(), member(), number(), member()],
      (key) => ['ZINCRBY', key, number(), member()],
      (key) => ['ZREM', key, member()],
      (key) => ['ZPOPMIN', key],
      (key) => ['ZRANK', key, member()],
      (key) => ['ZREMRANGEBYRANK', key, '0', '1'],
      (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
    ],
  }
  const general: ((key: string) => string[])[] = [
    (key) => ['DEL', key],
    (key) => ['PEXPIRE', key, '100000'],
    (key) => ['PEXPIRE', key, '-1'],
    (key) => ['PERSIST', key],
    (key) => ['RENAME', key, one(names)],
    (key) => ['COPY', key, one(names), 'REPLACE'],
    (key) => ['TYPE', key],
    (key) => ['OBJECT', 'ENCODING', key],
    (key) => ['SET', key, member()],
    (key) => ['MSET', key, member(), one(names), member()],
    (key) => ['APPEND', key, member()],
    (key) => ['EXISTS', key, one(names)],
    () => ['KEYS', '*'],
    () => ['DBSIZE'],
  ]
  return () => {
    if (random() < 0.08) type = one(types)
    const from = random() < 0.12 ? general : (byType[type] as typeof general)
    return one(from)(one(names))
  }
}

/** Bursts of commands, some of them transactions, and now and then an empty database. */
function burstOf(random: () => number, command: () => string[]): string[][] {
  const lines: string[][] = random() < 0.1 ? [['FLUSHDB']] : []
  const count = 1 + Math.floor(random() * 30)
  const isTransaction = random() < 0.15
  if (isTransaction) lines.push(['MULTI'])
  for (let i = 0; i < count; i++) lines.push(command())
  if (isTransaction) lines.push(['EXEC'])
  return lines
}

async function stateOf(client: RoomClient): Promise<unknown> {
  const found: unknown[] = [await client.run('DBSIZE')]
  for (const name of names) {
    found.push(await client.run('TYPE', name), await client.run('PTTL', name))
    found.push(await client.run('LRANGE', name, 0, -1), await client.run('ZRANGE', name, 0, -1))
    found.push(sorted(await client.run('HGETALL', name), 2), await client.run('ZCARD', name))
    found.push(sorted(await client.run('SMEMBERS', name), 1), await client.run('GET', name))
    found.push(await client.run('HLEN', name), await client.run('SCARD', name))
  }
  return found
}

/** Members and fields come in any order: `width` words each. */
function sorted(reply: unknown, width: number): unknown {
  if (!Array.isArray(reply)) return reply
  const rows: string[] = []
  for (let i = 0; i < reply.length; i += width) rows.push(reply.slice(i, i + width).join(' '))
  return rows.sort()
}

/** Events of a database, as `event key`. */
function eventsOf(listener: RoomClient, database: number): string[] {
  const channel = `__keyevent@${database}__:`
  return listener.pushed.flatMap((pushed) => {
    const [kind, , from, key] = pushed as string[]
    return kind === 'pmessage' && from?.startsWith(channel) === true
      ? [`${from.slice(channel.length)} ${key}`]
      : []
  })
}

await eachBound(t, 'a pipeline is what its commands are one by one', async (t, room) => {
  await room.run('CONFIG', 'SET', 'notify-keyspace-events', 'KEA')
  const listener = room.client()
  await listener.run('PSUBSCRIBE', '__keyevent@*')
  const single = room.client()
  await single.run('SELECT', 1)
  for (let run = 0; run < runs(6); run++) {
    const seed = firstSeed + run
    const random = seededRandom(seed)
    const command = commandsOf(random)
    await Promise.all([room.run('FLUSHDB'), single.run('FLUSHDB')])
    for (let burst = 0; burst < 12; burst++) {
      listener.pushed.length = 0
      const lines = burstOf(random, command)
      const together = await Promise.all(lines.map((line) => room.run(...line)))
      const alone: unknown[] = []
      for (const line of lines) alone.push(await single.run(...line))
      const at = lines.findIndex(([name], i) => !isAlike(name, together[i], alone[i]))
      if (at >= 0) {
        t.same(together[at], alone[at], `seed ${seed}, burst ${burst}: ${lines[at]?.join(' ')}`)
        return
      }
      t.same(eventsOf(listener, 0), eventsOf(listener, 1), `events of seed ${seed}, ${burst}`)
    }
    t.same(await stateOf(room), await stateOf(single), `seed ${seed}`)
  }
  t.same(await checkStore(room.store), [], 'everything is where it belongs')
})

function isAlike(name: string | undefined, one: unknown, other: unknown): boolean {
  if (name === 'KEYS') return isDeepStrictEqual(sorted(one, 1), sorted(other, 1))
  return isDeepStrictEqual(one, other)
}

const large = { bounds: { members: 0, bytes: 0 } }

await eachKeyValueRoom(t, 'more containers than are held', manyContainers, large)

async function manyContainers(t: Test, room: RoomClient): Promise<void> {
  const keys = Array.from({ length: 3 * openContainersMax }, (_, i) => `k${i}`)
  const twice = [...keys, ...keys].map((key, i) => room.run('RPUSH', key, i))
  t.same(
    (await Promise.all(twice)).slice(keys.length),
    keys.map(() => 2),
  )
  const elements = await Promise.all(keys.map((key) => room.run('LRANGE', key, 0, -1)))
  t.same(elements[1], ['1', String(keys.length + 1)])
  t.equal(await room.run('DBSIZE'), keys.length)
}

await eachKeyValueRoom(
  t,
  'a watched key is seen to change, and a blocked client wakes, once the pipeline is over',
  async (t, room) => {
    const [other, waiting] = [room.client(), room.client()]
    await room.run('RPUSH', 'l', 'a', 'b')
    await other.run('WATCH', 'l')
    await Promise.all([room.run('LPUSH', 'l', 'c'), room.run('LPUSH', 'l', 'd')])
    await other.run('MULTI')
    await other.run('LLEN', 'l')
    t.equal(await other.run('EXEC'), null)
    await Promise.all(['l', 'l', 'l', 'l'].map((key) => room.run('LPOP', key)))
    const popped = waiting.run('BLPOP', 'l', 0)
    await Promise.all([room.run('RPUSH', 'l', 1), room.run('RPUSH', 'l', 2), room.run('LLEN', 'l')])
    t.same(await popped, ['l', '1'])
    t.same(await room.run('LRANGE', 'l', 0, -1), ['2'])
  },
  large,
)

await eachKeyValueRoom(
  t,
  'a command that is refused leaves its neighbours what they did to the same key',
  async (t, room) => {
    const replies = await Promise.all([
      room.run('HSET', 'h', 'n', 1, 'm', 2),
      room.run('HSET', 'h', 'n', 'text'),
      room.run('HINCRBY', 'h', 'n', 1),
      room.run('LPUSH', 'h', 'x'),
      room.run('HINCRBY', 'h', 'm', 5),
      room.run('HGET', 'h', 'n'),
    ])
    t.same(replies, [
      ...[2, 0, { error: 'ERR hash value is not an integer' }],
      { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' },
      ...[7, 'text'],
    ])
    t.same(await room.run('HLEN', 'h'), 2)
  },
  large,
)
