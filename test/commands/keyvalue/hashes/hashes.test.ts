// Hashes: what is usually got wrong about them, at every bound between small and large, and what
// no comparison with a reference server shows: order, picks, events, counts.

import t from 'tap'
import { work } from '../../../../src/base/work/work-budget.js'
import { checkStore } from '../../../../src/engine/check/check.js'
import { eachBound, eachKeyValueRoom } from '../../../support/key-value-room.js'

t.test('HSET counts new fields, and a field that is given twice once', (t) =>
  eachBound(t, 'counts', async (t, room) => {
    t.equal(await room.run('HSET', 'h', 'a', '1', 'b', '2', 'a', '3'), 2)
    t.equal(await room.run('HSET', 'h', 'a', '4', 'c', '5'), 1)
    t.same(await room.run('HMGET', 'h', 'a', 'none', 'c'), ['4', null, '5'])
    t.equal(await room.run('HMSET', 'h', 'a', '6'), 'OK')
    t.equal(await room.run('HSETNX', 'h', 'a', '7'), 0)
    t.equal(await room.run('HSETNX', 'h', 'd', '7'), 1)
    t.equal(await room.run('HLEN', 'h'), 4)
    t.equal(await room.run('HSTRLEN', 'h', 'd'), 1)
    t.equal(await room.run('HEXISTS', 'h', 'e'), 0)
    t.same(await checkStore(room.store), [])
  }),
)

t.test('the last field takes the key along, and its time', (t) =>
  eachBound(t, 'empty', async (t, room) => {
    await room.run('HSET', 'h', 'a', '1', 'b', '2')
    await room.run('EXPIRE', 'h', '100')
    t.equal(await room.run('HDEL', 'h', 'a', 'a', 'none'), 1)
    t.equal(await room.run('TTL', 'h'), 100)
    t.equal(await room.run('HDEL', 'h', 'b'), 1)
    t.equal(await room.run('EXISTS', 'h'), 0)
    await room.run('HSET', 'h', 'a', '1')
    t.equal(await room.run('TTL', 'h'), -1)
    t.equal(await room.run('HDEL', 'none', 'a'), 0)
  }),
)

t.test('fields and values are any bytes, empty ones too', (t) =>
  eachBound(t, 'bytes', async (t, room) => {
    const bytes = Buffer.from([0xff, 0, 0x2e])
    const fields = ['', '$set', 'a.b', '_id', '\u0000', 'x'.repeat(2_000), bytes]
    for (const field of fields) t.equal(await room.run('HSET', 'h', field, field), 1)
    for (const field of fields) t.same(await room.run('HGET', 'h', field), field)
    t.equal(((await room.run('HKEYS', 'h')) as unknown[]).length, fields.length)
    t.equal(await room.run('HDEL', 'h', ...fields), fields.length)
    t.equal(await room.run('EXISTS', 'h'), 0)
  }),
)

t.test('a missing hash is an empty one to readers', (t) =>
  eachKeyValueRoom(t, 'missing', async (t, room) => {
    t.same(await room.run('HGETALL', 'h'), [])
    t.same(await room.run('HMGET', 'h', 'a', 'b'), [null, null])
    t.equal(await room.run('HRANDFIELD', 'h'), null)
    t.same(await room.run('HRANDFIELD', 'h', '-5'), [])
    t.equal(await room.run('HSTRLEN', 'h', 'a'), 0)
  }),
)

t.test('sums of fields: errors leave the field, and no key behind', (t) =>
  eachBound(t, 'sums', async (t, room) => {
    t.equal(await room.run('HINCRBY', 'h', 'n', '9007199254740993'), 9_007_199_254_740_993n)
    t.same(await room.run('HINCRBY', 'h', 'n', '9223372036854775807'), {
      error: 'ERR increment or decrement would overflow',
    })
    t.equal(await room.run('HGET', 'h', 'n'), '9007199254740993')
    t.equal(await room.run('HINCRBYFLOAT', 'h', 'd', '10.1'), '10.1')
    t.equal(await room.run('HINCRBYFLOAT', 'h', 'd', '5.0e3'), '5010.1')
    t.same(await room.run('HINCRBYFLOAT', 'h', 'd', 'inf'), {
      error: 'ERR value is NaN or Infinity',
    })
    await room.run('HSET', 'h', 't', 'text')
    t.same(await room.run('HINCRBY', 'h', 't', '1'), { error: 'ERR hash value is not an integer' })
    t.same(await room.run('HINCRBYFLOAT', 'h', 't', '1'), {
      error: 'ERR hash value is not a float',
    })
    t.same(await room.run('HINCRBYFLOAT', 'none', 'f', 'x'), {
      error: 'ERR value is not a valid float',
    })
    t.equal(await room.run('EXISTS', 'none'), 0)
  }),
)

t.test('random fields: different ones for a positive count, any for a negative one', (t) =>
  eachBound(t, 'picks', async (t, room) => {
    const words = Array.from({ length: 20 }, (_, i) => [`f${i}`, `v${i}`]).flat()
    await room.run('HSET', 'h', ...words)
    const all = new Set((await room.run('HKEYS', 'h')) as string[])
    const seen = new Set<unknown>()
    for (let i = 0; i < 40; i++) {
      const five = (await room.run('HRANDFIELD', 'h', '5')) as string[]
      t.equal(new Set(five).size, 5)
      for (const field of five) seen.add(field)
    }
    t.ok([...seen].every((field) => all.has(field as string)))
    t.equal(seen.size, 20, 'each has been picked')
    t.equal(((await room.run('HRANDFIELD', 'h', '-50')) as unknown[]).length, 50)
    t.equal(((await room.run('HRANDFIELD', 'h', '100')) as unknown[]).length, 20)
    const pairs = (await room.run('HRANDFIELD', 'h', '3', 'WITHVALUES')) as string[]
    t.equal(pairs.length, 6)
    for (let i = 0; i < 6; i += 2) t.equal(pairs[i + 1], pairs[i]?.replace('f', 'v'))
    t.same(await room.run('HRANDFIELD', 'h', '-9223372036854775807'), {
      error: 'ERR value is out of range',
    })
  }),
)

t.test('very many picks go through a hash once, not once for each', (t) =>
  eachBound(t, 'very many picks', async (t, room) => {
    const pairs = Array.from({ length: 3_000 }, (_, i) => [`f${i}`, `v${i}`])
    await room.run('HSET', 'h', ...pairs.flat())
    await room.run('SADD', 's', ...pairs.map(([field]) => field as string))
    const all = new Set(pairs.map(([field]) => field))
    for (const words of [
      ['HRANDFIELD', 'h', '-20000'],
      ['SRANDMEMBER', 's', '-20000'],
    ] as const) {
      const before = work.spent
      const picked = (await room.run(...words)) as string[]
      t.ok(work.spent - before < 20_000 * 20, `${words[0]} took ${work.spent - before} units`)
      t.equal(picked.length, 20_000)
      t.equal(new Set(picked).size > 2_900, true, 'picks are spread')
      t.ok(picked.every((field) => all.has(field)))
    }
    const values = (await room.run('HRANDFIELD', 'h', '-5000', 'WITHVALUES')) as string[]
    t.equal(values.length, 10_000)
    for (let i = 0; i < 100; i += 2) t.equal(values[i + 1], values[i]?.replace('f', 'v'))
  }),
)

t.test('many fields at once are one hash, whatever becomes of them', (t) =>
  eachBound(t, 'many', async (t, room) => {
    for (const count of [2_250, 3_000]) {
      const words = Array.from({ length: count }, (_, i) => [`field ${i}`, `${i}`]).flat()
      t.equal(await room.run('HSET', 'h', ...words), count)
      t.equal(await room.run('HLEN', 'h'), count)
      t.equal(await room.run('HGET', 'h', `field ${count - 1}`), `${count - 1}`)
      t.equal(((await room.run('HGETALL', 'h')) as unknown[]).length, 2 * count)
      t.equal(await room.run('HSET', 'h', 'field 0', 'x', 'new', 'y'), 1)
      t.equal(await room.run('DEL', 'h'), 1)
    }
  }),
)

t.test('each change is told by its event', (t) =>
  eachBound(t, 'events', async (t, room) => {
    const { services } = room.bus
    services.settings.notifies = true
    let heard: string[] = []
    services.announce = (events) => {
      heard.push(...events.map(({ event, key }) => `${event} ${Buffer.from(key).toString()}`))
    }
    const cases: readonly (readonly [line: string, events: readonly string[]])[] = [
      ['HSET h a 1 b 2', ['hset h']],
      ['HSET h a 1', ['hset h']],
      ['HMSET h a 1', ['hset h']],
      ['HSETNX h a 1', []],
      ['HSETNX h c 1', ['hset h']],
      ['HINCRBY h a 0', ['hincrby h']],
      ['HINCRBYFLOAT h a 0', ['hincrbyfloat h']],
      ['HDEL h none', []],
      ['HDEL h a b', ['hdel h']],
      ['HDEL h c', ['hdel h', 'del h']],
    ]
    for (const [line, events] of cases) {
      heard = []
      await room.line(line)
      t.same(heard, events, line)
    }
  }),
)
