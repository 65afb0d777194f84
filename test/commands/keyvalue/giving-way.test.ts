// Commands of very many words or members: others have their turn between their steps, and each is
// as atomic as a short one. The clock stands still here: what is counted is work.

import t from 'tap'
import { entryUnits, turnUnits } from '../../../src/base/work/work-figures.js'
import { eachKeyValueRoom } from '../../support/key-value-room.js'
import { turnsDuring } from '../../support/turns.js'

const count = 6_000
const numbers = Array.from({ length: count }, (_, n) => n)
const names = numbers.map((n) => `absent${n}`)
const turnsLeast = (count * entryUnits) / turnUnits - 1

await eachKeyValueRoom(
  t,
  'others have their turn while a command is at its many words',
  async (t, room) => {
    await room.run('MSET', 'n', 1, 'm', 2)
    await room.run('RPUSH', 'list', ...numbers)
    await room.run('SADD', 'set', ...numbers)
    await room.run('HSET', 'hash', ...numbers.flatMap((n) => [n, n]))
    await room.run('ZADD', 'zset', ...numbers.flatMap((n) => [n, n]))
    const lines: readonly (readonly (string | number)[])[] = [
      ['DEL', ...names],
      ['UNLINK', 'n', ...names],
      ['MSETNX', ...names.flatMap((name) => [name, 1]), 'm', 1],
      ['SADD', 'new', ...numbers],
      ['ZADD', 'ranked', ...numbers.flatMap((n) => [count - n, n])],
      ['HGETALL', 'hash'],
      ['SORT', 'list', 'DESC'],
      ['SRANDMEMBER', 'set', -count],
      ['ZRANGE', 'zset', 0, -1, 'WITHSCORES'],
      ['ZUNIONSTORE', 'sum', 2, 'zset', 'set'],
      ['SUNIONSTORE', 'union', 'set', 'new'],
      ['ZREM', 'zset', ...numbers.slice(1)],
      ['HDEL', 'hash', ...numbers.slice(1)],
      ['SPOP', 'set', count - 1],
    ]
    for (const line of lines) {
      let reply: unknown
      const turns = await turnsDuring(async () => {
        reply = await room.run(...line)
      })
      t.ok(turns >= turnsLeast, `${line[0]}: ${turns} turns`)
      t.notOk(
        String((reply as { error?: string } | null)?.error ?? '').length,
        `${line[0]} is done`,
      )
    }
    t.equal(await room.line('EXISTS n m ranked new sum union'), 5)
    t.same(await room.line('ZRANGE ranked 0 1'), [String(count - 1), String(count - 2)])
    t.equal(await room.line('SCARD set'), 1)
  },
  { kinds: ['memory'] },
)

await eachKeyValueRoom(
  t,
  'a command that gives way sees all of its keys as they are at one moment',
  async (t, room) => {
    const other = room.client()
    await room.run('SET', names.at(-1) as string, 'old')
    const removing = room.run('DEL', ...names)
    await new Promise((resolve) => setImmediate(resolve))
    await other.run('MSET', names[0] as string, 'new', names.at(-1) as string, 'new')
    const removed = await removing
    const left = await room.run('EXISTS', names[0] as string, names.at(-1) as string)
    t.ok((removed === 1 && left === 2) || (removed === 2 && left === 0), `${removed}, ${left} left`)
  },
)

await eachKeyValueRoom(
  t,
  'EXEC of very many commands is one, and gives way',
  async (t, room) => {
    await room.line('MULTI')
    for (const n of numbers) await room.run('GET', `absent${n}`)
    await room.line('SET done 1')
    let replies: unknown
    const turns = await turnsDuring(async () => {
      replies = await room.line('EXEC')
    })
    t.ok(turns >= turnsLeast, `${turns} turns`)
    t.equal((replies as unknown[]).length, count + 1)
    t.equal(await room.line('GET done'), '1')
  },
  { kinds: ['memory'] },
)
