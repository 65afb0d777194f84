// Shared programs against the same commands one by one afterwards: clients of several
// databases, commands that move keys between these or exchange them, commands that are refused for
// what others have just written. Replies, contents and events are the same, in the same order.

import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { checkStore } from '../../../src/engine/check/check.js'
import { eachBound, type KeyValueRoom, type RoomClient } from '../../support/key-value-room.js'
import { runs } from '../../support/runs.js'
import { seed as firstSeed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

const kinds = ['memory', 'lmdb'] as const
const names = ['a', 'b', 'c', 'd', 'e']
const databases = 3
const clientCount = 7

type Line = readonly string[]

function commandOf(random: () => number): Line {
  const below = (bound: number) => Math.floor(random() * bound)
  const one = <T>(from: readonly T[]): T => from[below(from.length)] as T
  const key = () => one(names)
  const member = () => `m${below(12)}`
  const members = () => Array.from({ length: 1 + below(8) }, member)
  const score = () => String(below(9) - 3)
  const database = () => String(below(databases))
  const scored = () => Array.from({ length: 1 + below(8) }, () => [score(), member()]).flat()
  return one<() => Line>([
    () => ['SET', key(), score()],
    () => ['SET', key(), score(), 'EX', '100'],
    () => ['SETNX', key(), score()],
    () => ['MSET', key(), score(), key(), member(), key(), score()],
    () => ['GETSET', key(), member()],
    () => ['GETDEL', key()],
    () => ['INCR', key()],
    () => ['DECRBY', key(), '9223372036854775807'],
    () => ['APPEND', key(), member()],
    () => ['DEL', ...Array.from({ length: 1 + below(3) }, key)],
    () => ['UNLINK', key()],
    () => ['EXPIRE', key(), '100'],
    () => ['PERSIST', key()],
    () => ['MOVE', key(), database()],
    () => ['RENAMENX', key(), key()],
    () => ['SWAPDB', database(), database()],
    () => ['HSET', key(), ...scored()],
    () => ['HSETNX', key(), member(), score()],
    () => ['HDEL', key(), ...members()],
    () => ['HINCRBY', key(), member(), '3'],
    () => ['SADD', key(), ...members()],
    () => ['SREM', key(), ...members()],
    () => ['SMOVE', key(), key(), member()],
    () => ['LPUSH', key(), ...members()],
    () => ['RPUSHX', key(), member()],
    () => ['LPOP', key(), '2'],
    () => ['RPOP', key()],
    () => ['ZADD', key(), ...scored()],
    () => ['ZADD', key(), score(), member()],
    () => ['ZADD', key(), score(), member()],
    () => ['ZADD', key(), 'GT', 'CH', ...scored()],
    () => ['ZADD', key(), 'INCR', 'inf', member()],
    () => ['ZINCRBY', key(), '-inf', member()],
    () => ['ZREM', key(), ...members()],
    () => ['ZPOPMIN', key(), '3'],
    () => ['ZRANK', key(), member()],
    () => ['GET', key()],
    () => ['HMGET', key(), ...members()],
    () => ['ZMSCORE', key(), ...members()],
  ])()
}

async function contentOf(client: RoomClient): Promise<unknown[]> {
  const found: unknown[] = []
  for (let database = 0; database < databases; database++) {
    await client.run('SELECT', database)
    found.push(await client.run('DBSIZE'))
    for (const name of names) {
      found.push(await client.run('TYPE', name), await client.run('PTTL', name))
      found.push(await client.run('GET', name), await client.run('LRANGE', name, 0, -1))
      found.push(await client.run('ZRANGE', name, 0, -1, 'WITHSCORES'))
      found.push(await client.run('ZCARD', name), await client.run('ZCOUNT', name, 0, 2))
      for (let i = 0; i < 12; i++) {
        found.push(
          await client.run('HGET', name, `m${i}`),
          await client.run('ZRANK', name, `m${i}`),
        )
        found.push(await client.run('SISMEMBER', name, `m${i}`))
      }
      found.push(await client.run('HLEN', name), await client.run('SCARD', name))
    }
  }
  return found
}

interface Sent {
  readonly client: RoomClient
  readonly lines: readonly Line[]
}

/** All sent in one tick. */
async function send(sent: readonly Sent[]): Promise<unknown[]> {
  const replies = sent.map(({ client, lines }) => lines.map((line) => client.run(...line)))
  return Promise.all(replies.flat())
}

async function clientsOf(room: KeyValueRoom): Promise<RoomClient[]> {
  const clients = Array.from({ length: clientCount }, () => room.client())
  for (const [i, client] of clients.entries()) await client.run('SELECT', i % databases)
  return clients
}

async function listen(room: KeyValueRoom): Promise<unknown[]> {
  await room.run('CONFIG', 'SET', 'notify-keyspace-events', 'KEAn')
  const listener = room.client()
  await listener.run('PSUBSCRIBE', '__key*__:*')
  return listener.pushed
}

await eachBound(
  t,
  'several databases are what they are one by one',
  async (t, room) => {
    const random = seededRandom(firstSeed)
    const clients = await clientsOf(room)
    const events = await listen(room)
    const script: { lines: readonly (readonly Line[])[]; replies: unknown[] }[] = []
    for (let burst = 0; burst < runs(60); burst++) {
      const lines = clients.map(() =>
        Array.from({ length: 1 + Math.floor(random() * 12) }, () => commandOf(random)),
      )
      // What begins with a read, or a refusal, would be answered before the others.
      for (const own of lines) own.unshift(['INCR', 'n'])
      const together = await send(clients.map((client, i) => ({ client, lines: lines[i] ?? [] })))
      script.push({ lines, replies: together })
    }
    const content = await contentOf(room)
    t.same(await checkStore(room.store), [], 'everything is where it belongs')
    const heard = JSON.stringify(events)
    // The same commands again, each behind the reply of the one before.
    for (let database = 0; database < databases; database++) {
      await room.run('SELECT', database)
      await room.run('FLUSHDB')
    }
    events.length = 0
    for (const [burst, { lines, replies }] of script.entries()) {
      const alone: unknown[] = []
      for (const [i, client] of clients.entries()) {
        for (const line of lines[i] ?? []) alone.push(await client.run(...line))
      }
      if (isDeepStrictEqual(replies, alone)) continue
      const at = replies.findIndex((reply, i) => !isDeepStrictEqual(reply, alone[i]))
      t.fail(`seed ${firstSeed}, burst ${burst}: ${lines.flat()[at]}`)
      t.same(replies[at], alone[at])
      return
    }
    t.same(await contentOf(room), content, `seed ${firstSeed}`)
    t.equal(JSON.stringify(events), heard, 'the same events in the same order')
  },
  { kinds },
)
