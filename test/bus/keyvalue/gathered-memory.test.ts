// Memory that key-value commands take while they run: replies of many values and what is queued
// behind MULTI count for their owner, are refused as the reference server refuses them, and are
// given back.

import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { memoryOfOwnerShare } from '../../../src/base/heap/memory-account.js'
import { work } from '../../../src/base/work/work-budget.js'
import { readBytesPerUnit } from '../../../src/base/work/work-figures.js'
import { memoryOwner } from '../../../src/bus/memory-owner.js'
import { anonymous, everyone } from '../../../src/identity/identity.js'
import {
  eachKeyValueRoom,
  type KeyValueRoom,
  type RoomClient,
  requestOf,
} from '../../support/key-value-room.js'

const budget = 16_000_000
const settings = { MEMORY_BUDGET: '16MB' }
const oom = { error: "OOM command not allowed when used memory > 'maxmemory'." }
const large = 'v'.repeat(100_000)
/** Of `large`: more than an owner may hold. */
const many = Math.ceil((budget * memoryOfOwnerShare) / large.length) + 2
const names = Array.from({ length: many }, (_, i) => `k${String(i).padStart(4, '0')}`)

function nothingHeld(t: Test, { engine }: KeyValueRoom, what: string): void {
  const { shares, budget } = engine.memory
  t.same([shares.bytesHeld, shares.ownersKnown, budget.bytesUsed], [0, 0, 0], what)
}

/** The reply to a command that waits while others hold the memory, and reads few bytes before. */
async function waitsForMemory(
  t: Test,
  room: KeyValueRoom,
  words: readonly (string | number)[],
  bytesMax: number,
): Promise<unknown> {
  const name = words.join(' ').slice(0, 40)
  const others = room.engine.memory.shares.open('others')
  others.force(room.engine.memory.bytesMax)
  let isAnswered = false
  const reply = room.run(...words).then((found) => {
    isAnswered = true
    return found
  })
  const before = work.spent
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  const read = (work.spent - before) * readBytesPerUnit
  t.ok(read < bytesMax, `${name}: ${read} bytes`)
  t.notOk(isAnswered, name)
  others.close()
  return await reply
}

const lengthOf = (reply: unknown) => (reply as { length?: number } | undefined)?.length

async function fill(client: RoomClient): Promise<void> {
  for (const name of names) {
    await client.run('SET', name, large)
    await client.run('HSET', 'hash', name, large)
    await client.run('RPUSH', 'list', large + name)
    await client.run('SADD', 'set', large + name)
    await client.run('ZADD', 'sorted', 1, large + name)
  }
}

t.test('a reply that is more than its owner may hold is refused', (t) =>
  eachKeyValueRoom(
    t,
    'replies',
    async (t, room) => {
      await fill(room)
      const whole: (readonly (string | number)[])[] = [
        ['MGET', ...names],
        ['HGETALL', 'hash'],
        ['HVALS', 'hash'],
        ['HMGET', 'hash', ...names],
        ['LRANGE', 'list', 0, -1],
        ['SMEMBERS', 'set'],
        ['SUNION', 'set', 'absent'],
        ['ZRANGE', 'sorted', 0, -1],
        ['ZRANGE', 'sorted', '-', '+', 'BYLEX'],
        ['SORT', 'list', 'ALPHA'],
      ]
      for (const words of whole) {
        t.same(await room.run(...words), oom, words.slice(0, 2).join(' '))
        nothingHeld(t, room, 'and nothing stays counted')
      }
      const some = names.slice(0, 10)
      t.same(
        await room.run('MGET', ...some),
        some.map(() => large),
      )
      t.same(
        await room.run('LRANGE', 'list', 0, 9),
        some.map((name) => large + name),
      )
      t.equal(await room.run('HLEN', 'hash'), many)
      t.equal(await room.run('SCARD', 'set'), many)
      nothingHeld(t, room, 'behind what is answered')
    },
    { settings },
  ),
)

t.test('a page of large values is refused before all of them are read', (t) =>
  eachKeyValueRoom(
    t,
    'pages',
    async (t, room) => {
      const value = 'v'.repeat(1_000_000)
      for (let i = 0; i < 40; i++) {
        await room.run('RPUSH', 'list', value + i)
        await room.run('HSET', 'hash', `f${i}`, value)
        await room.run('SADD', 'set', value + i)
      }
      // Three quarters of what an owner may hold: each counts once.
      const few = Array.from({ length: 3 }, (_, i) => `large${i}`)
      for (const name of few) await room.run('SET', name, 'v'.repeat(2_000_000))
      t.equal(((await room.run('MGET', ...few)) as unknown[]).length, few.length)
      nothingHeld(t, room, 'behind MGET')
      const commands = [
        ['LRANGE', 'list', 0, -1],
        ['HGETALL', 'hash'],
        ['SMEMBERS', 'set'],
        ['SORT', 'list', 'ALPHA'],
      ]
      for (const words of commands) {
        const before = work.spent
        t.same(await room.run(...(words as string[])), oom, words.join(' '))
        const read = (work.spent - before) * readBytesPerUnit
        t.ok(read < 20 * value.length, `${words.join(' ')}: ${read} bytes`)
        nothingHeld(t, room, 'and nothing stays counted')
      }
      t.equal(await room.run('LPOS', 'list', 'absent'), null, 'which keeps none of them')
      t.equal(((await room.run('LRANGE', 'list', 0, 4)) as unknown[]).length, 5)
      nothingHeld(t, room, 'behind what is answered')
    },
    { settings, kinds: ['memory'] },
  ),
)

t.test('a large value is not read before there is memory for it', (t) =>
  eachKeyValueRoom(
    t,
    'waits',
    async (t, room) => {
      const value = 'v'.repeat(1_000_000)
      await room.run('SET', 'string', value)
      for (const end of [1, 2]) await room.run('RPUSH', 'list', value + end)
      await room.run('HSET', 'hash', 'field', value, 'other', value)
      const commands = [
        ['GET', 'string'],
        ['GETRANGE', 'string', 1, -2],
        ['GETEX', 'string', 'EX', 100],
        ['GETSET', 'string', value],
        ['SET', 'string', value, 'GET'],
        ['APPEND', 'string', 'x'],
        ['COPY', 'string', 'copied'],
        ['HGET', 'hash', 'field'],
        ['LINDEX', 'list', 1],
        ['RPOPLPUSH', 'list', 'list'],
        ['BLMOVE', 'list', 'list', 'LEFT', 'RIGHT', 0],
        ['LPOP', 'list'],
        ['GETDEL', 'string'],
      ]
      for (const words of commands) {
        const name = words.join(' ').slice(0, 40)
        const reply = await waitsForMemory(t, room, words, value.length / 2)
        t.notMatch(reply, { error: String }, name)
        nothingHeld(t, room, name)
      }
    },
    { settings, kinds: ['memory'] },
  ),
)

t.test('long members are read one by one, and wait for memory', (t) =>
  eachKeyValueRoom(
    t,
    'long members',
    async (t, room) => {
      const member = 'v'.repeat(1_000_000)
      for (let i = 0; i < 20; i++) {
        for (const set of ['set', 'other']) await room.run('SADD', set, member + i)
        await room.run('ZADD', 'sorted', i, member + i)
        await room.run('HSET', 'hash', member + i, 'v')
      }
      for (const words of [
        ['SSCAN', 'set', 0, 'COUNT', 100],
        ['ZSCAN', 'sorted', 0, 'COUNT', 100],
        ['HSCAN', 'hash', 0, 'COUNT', 100],
        ['SMEMBERS', 'set'],
        ['ZRANGE', 'sorted', 0, -1],
        ['HKEYS', 'hash'],
        ['ZPOPMIN', 'sorted'],
      ]) {
        const name = words.join(' ')
        const found = await waitsForMemory(t, room, words, 3 * member.length)
        if (name.includes('SCAN')) t.ok((found as [string, string[]])[1].length <= 2, name)
        else if (!name.startsWith('ZPOP')) t.same(found, oom, name)
        nothingHeld(t, room, name)
      }
      for (const name of ['SINTER', 'SUNION', 'SDIFF']) {
        const before = work.spent
        t.same(await room.run(name, 'set', name === 'SDIFF' ? 'absent' : 'other'), oom, name)
        const read = (work.spent - before) * readBytesPerUnit
        t.ok(read < 30 * member.length, `${name}: ${read} bytes`)
        nothingHeld(t, room, name)
      }
      const found = new Set<string>()
      let cursor = '0'
      do {
        const [next, members] = (await room.run('SSCAN', 'set', cursor)) as [string, string[]]
        for (const each of members) found.add(each)
        cursor = next
      } while (cursor !== '0')
      t.equal(found.size, 20, 'and SSCAN finds all of them')
    },
    { settings, kinds: ['memory'] },
  ),
)

t.test('a command reads no long string of which it needs only the type', (t) =>
  eachKeyValueRoom(
    t,
    'types',
    async (t, room) => {
      const value = 'v'.repeat(1_000_000)
      const long = Array.from({ length: 20 }, (_, i) => `long${i}`)
      for (const name of long) await room.run('SET', name, value)
      await room.run('SADD', 'set', 'a')
      await room.run('ZADD', 'sorted', 1, 'a')
      const wrong = { error: /^WRONGTYPE/ }
      const cases: [(string | number)[], unknown][] = [
        [['EXISTS', ...long], long.length],
        [['TOUCH', ...long], long.length],
        [['SDIFF', 'set', ...long], wrong],
        [['SUNIONSTORE', 'target', ...long], wrong],
        [['SINTERCARD', long.length, ...long], wrong],
        [['ZUNION', long.length, ...long], wrong],
        [['ZINTERSTORE', 'target', long.length, ...long], wrong],
        [['LMPOP', long.length, ...long, 'LEFT'], wrong],
        [['ZMPOP', long.length, ...long, 'MIN'], wrong],
        [['BLPOP', ...long, 1], wrong],
        [['BZPOPMIN', ...long, 1], wrong],
        [['LMOVE', 'long0', 'long1', 'LEFT', 'LEFT'], wrong],
        [['SMOVE', 'set', 'long1', 'a'], wrong],
      ]
      for (const [words, due] of cases) {
        const before = work.spent
        const reply = await room.run(...words)
        const read = (work.spent - before) * readBytesPerUnit
        const name = words.slice(0, 3).join(' ')
        t.match(reply, due, name)
        t.ok(read < (words.length * value.length) / 2, `${name}: ${read} bytes`)
        nothingHeld(t, room, name)
      }
      await room.run('PEXPIREAT', 'long2', 1)
      await room.run('RPUSH', 'list', 'a')
      t.equal(await room.run('LMOVE', 'list', 'long2', 'LEFT', 'LEFT'), 'a', 'an expired one')
      t.same(await room.run('LRANGE', 'long2', 0, -1), ['a'])
    },
    { settings },
  ),
)

t.test('a long string is read once for all words that name it', (t) =>
  eachKeyValueRoom(
    t,
    'repeated names',
    async (t, room) => {
      const value = 'v'.repeat(1_000_000)
      await room.run('SET', 'long', value)
      await room.run('SET', 'inline', 'v'.repeat(200_000))
      const exists = Array.from({ length: 400 }, () => 'long')
      const before = work.spent
      t.equal(await room.run('EXISTS', ...exists), exists.length)
      const read = (work.spent - before) * readBytesPerUnit
      t.ok(read < 5 * value.length, `EXISTS: ${read} bytes`)
      const inline = exists.map(() => 'inline')
      t.equal(await room.run('EXISTS', ...inline), inline.length, 'and holds none of them')
      const { budget } = room.engine.memory
      budget.forgetPeak()
      t.equal(await room.run('BITOP', 'AND', 'target', ...exists.slice(0, 20)), value.length)
      t.ok(budget.fallenBytes < 5 * value.length, `BITOP: ${budget.fallenBytes} bytes`)
      nothingHeld(t, room, 'behind them')
    },
    { settings, kinds: ['memory'] },
  ),
)

t.test('a program that waits for memory holds none', (t) =>
  eachKeyValueRoom(
    t,
    'held while waiting',
    async (t, room) => {
      await fill(room)
      await room.run('SET', 'string', 'v'.repeat(1_000_000))
      const { memory } = room.engine
      const others = memory.shares.open('others')
      const own = memory.shares.open(memoryOwner(room.session.identity, room.session.address))
      others.sends(0.75 * memory.bytesMax)
      own.sends(300_000)
      const used = memory.budget.bytesUsed
      const replies = Promise.all([room.run('LRANGE', 'list', 0, 9), room.run('GET', 'string')])
      for (let turn = 0; turn < 50; turn++) await nextTurn()
      t.equal(memory.budget.bytesUsed, used, 'it makes the first reply again')
      others.close()
      own.close()
      t.same((await replies).map(lengthOf), [10, 1_000_000])
      const [refused, elements] = await Promise.all([
        room.run('HGETALL', 'hash'),
        room.run('LRANGE', 'list', 0, 39),
      ])
      t.same(refused, oom)
      t.equal(lengthOf(elements), 40, 'what was refused holds nothing for the next one')
      nothingHeld(t, room, 'behind a refusal')
    },
    { settings, kinds: ['memory'] },
  ),
)

t.test('a call that waits for others of its pipeline holds nothing of its program', (t) =>
  eachKeyValueRoom(
    t,
    'held calls',
    async (t, { bus, session }) => {
      const calls = ['SET source v', 'COPY source target', 'HGET source field'].map((line) => {
        const words = line.split(' ')
        return bus.open(bus.table.find(words[0] as string), requestOf(words), session)
      })
      await bus.run(calls, true)
      t.same(
        calls.map(({ spaces }) => spaces.length),
        [0, 0, 0],
      )
      t.same(calls.map(({ error }) => error?.message.split(' ')[0]).at(2), 'WRONGTYPE')
      const error = new GatewayError('WriteConflict', 'it has read much')
      t.match(error.stack, /\n +at /)
      for (const call of calls) call.fail(error)
      t.equal(error.stack, '', 'frames hold what was read')
    },
    { kinds: ['memory'] },
  ),
)

t.test('what has not begun for a client that has left is dropped', (t) =>
  eachKeyValueRoom(
    t,
    'dropped',
    async (t, room) => {
      const leaving = room.client()
      const others = room.engine.memory.shares.open('others')
      await room.run('SET', 'string', 'v'.repeat(1_000_000))
      others.force(room.engine.memory.bytesMax)
      void leaving.run('GET', 'string')
      for (let i = 0; i < 100; i++) void leaving.run('INCR', 'count')
      for (let turn = 0; turn < 10; turn++) await nextTurn()
      leaving.close()
      others.close()
      for (let turn = 0; turn < 10; turn++) await nextTurn()
      t.equal(await room.run('GET', 'count'), null)
      nothingHeld(t, room, 'dropped')
    },
    { settings, kinds: ['memory'] },
  ),
)

t.test('names of keys count while KEYS collects them', (t) =>
  eachKeyValueRoom(
    t,
    'names',
    async (t, room) => {
      const long = 'n'.repeat(400)
      for (let from = 0; from < 16_000; from += 1_000) {
        const pairs = Array.from({ length: 1_000 }, (_, i) => [`${from + i} ${long}`, ''])
        await room.run('MSET', ...pairs.flat())
      }
      t.same(await room.run('KEYS', '*'), oom)
      nothingHeld(t, room, 'and nothing stays counted')
      t.equal(((await room.run('KEYS', '1000*')) as unknown[]).length, 11)
      nothingHeld(t, room, 'behind what is answered')
    },
    { settings, kinds: ['memory'] },
  ),
)

t.test('commands of one owner share its memory, and another owner has its own', (t) =>
  eachKeyValueRoom(
    t,
    'shares',
    async (t, room) => {
      await fill(room)
      const { shares } = room.engine.memory
      const kept = shares.open('operator')
      t.equal(kept.take(budget * memoryOfOwnerShare - 500_000), true)
      const ten = ['MGET', ...names.slice(0, 10)]
      t.same(await room.run(...ten), oom)
      kept.close()
      t.equal(((await room.run(...ten)) as unknown[]).length, 10)
    },
    { settings, kinds: ['memory'] },
  ),
)

t.test('what is queued behind MULTI counts until EXEC is answered', (t) =>
  eachKeyValueRoom(
    t,
    'queues',
    async (t, room) => {
      const clients = [room, room.client(), room.client()]
      let queued = 0
      for (const client of clients) {
        await client.line('MULTI')
        for (let i = 0; i < many; i++) {
          const reply = await client.run('SET', names[i] as string, large)
          if (reply !== 'QUEUED') {
            t.same(reply, oom)
            break
          }
          queued++
        }
      }
      t.ok(queued < many && queued > many / 2, `${queued} of ${many} by one owner`)
      const other = room.client(anonymous)
      t.ok(room.engine.memory.shares.leftOf(memoryOwner(other.session.identity, '10.0.0.1')) > 0)
      t.match(await room.line('EXEC'), { error: /^EXECABORT/ })
      await clients[1]?.line('DISCARD')
      clients[2]?.close()
      nothingHeld(t, room, 'each way of ending gives it back')
      const again = room.client()
      await again.line('MULTI')
      for (const name of names.slice(0, 20)) await again.run('SET', name, large)
      t.ok(room.engine.memory.shares.bytesHeld >= 20 * large.length)
      t.equal(((await again.line('EXEC')) as unknown[]).length, 20)
      nothingHeld(t, room, 'behind EXEC')
    },
    { settings, kinds: ['memory'] },
  ),
)

t.test('with AUTH_MODE=off memory is counted by address', async (t) => {
  const of = (address: string) => memoryOwner(everyone, address)
  t.not(of('10.0.0.1'), of('10.0.0.2'))
  t.equal(of('2001:db8::1'), of('2001:db8::2'), 'a network of IPv6 is one client')
})
