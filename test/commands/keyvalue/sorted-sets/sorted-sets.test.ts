// Sorted sets on every store and at every bound between one document and records: the replies that
// the reference server gives, what happens to time and key when a set runs empty, events, and
// documents.

import t, { type Test } from 'tap'
import { readSettings } from '../../../../src/base/settings.js'
import {
  ensureNamespace,
  findNamespace,
} from '../../../../src/engine/collection/catalog/catalog.js'
import { findById, insertDocument } from '../../../../src/engine/collection/collections.js'
import { documentFrom, valueFrom } from '../../../../src/value/literal.js'
import { createOptions } from '../../../support/engine-room.js'
import { eachBound, eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'
import { toObject } from '../../../support/literal.js'

const wrongType = { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' }
const notFloat = { error: 'ERR value is not a valid float' }
const notInteger = { error: 'ERR value is not an integer or out of range' }
const syntax = { error: 'ERR syntax error' }
const badScores = { error: 'ERR min or max is not a float' }
const badMembers = { error: 'ERR min or max not valid string range item' }
const infinity = Number.POSITIVE_INFINITY

/** Each line and its reply. */
type Script = readonly (readonly [line: string, reply: unknown])[]

async function follow(t: Test, room: KeyValueRoom, script: Script): Promise<void> {
  for (const [line, reply] of script) t.same(await room.line(line), reply, line)
}

function suite(name: string, script: Script): void {
  t.test(name, (t) => eachBound(t, 'script', (t, room) => follow(t, room, script)))
}

suite('members stand by score, and among equal scores by their bytes', [
  ['ZADD z 2 b 1 c 2 a -1 d', 4],
  ['ZRANGE z 0 -1', ['d', 'c', 'a', 'b']],
  ['ZREVRANGE z 0 -1 WITHSCORES', ['b', 2, 'a', 2, 'c', 1, 'd', -1]],
  // As UTF-16 the second of these would stand before the first.
  ['ZADD ties 0 \uffee 0 \u{1f600}', 2],
  ['ZRANGE ties 0 -1', ['\uffee', '\u{1f600}']],
  ['ZRANK z a', 2],
  ['ZREVRANK z a', 1],
  ['ZRANK z none', null],
  ['ZRANK none a', null],
  ['ZSCORE z d', -1],
  ['ZMSCORE z d none c', [-1, null, 1]],
  ['ZMSCORE none a b', [null, null]],
])

suite('ZADD counts new members, with CH changed ones too', [
  ['ZADD z 1 a 2 a 3 b', 2],
  ['ZSCORE z a', 2],
  ['ZADD z CH 2 a 4 b 5 c', 2],
  ['ZADD z NX 9 a 9 d', 1],
  ['ZSCORE z a', 2],
  ['ZADD z XX CH 3 a 9 e', 1],
  ['ZADD z GT CH 1 a 9 b 1 f', 2],
  ['ZADD z LT CH 9 a 1 b', 1],
  ['ZRANGE z 0 -1 WITHSCORES', ['b', 1, 'f', 1, 'a', 3, 'c', 5, 'd', 9]],
  ['ZADD none XX 1 a', 0],
  ['EXISTS none', 0],
])

suite('ZADD INCR answers the score, or nil where a condition left it alone', [
  ['ZADD z INCR 1.5 a', 1.5],
  ['ZADD z INCR 1 a', 2.5],
  ['ZADD z NX INCR 1 a', null],
  ['ZADD z XX INCR 1 none', null],
  ['ZADD z GT INCR -1 a', null],
  ['ZADD z LT INCR -1 a', 1.5],
  ['ZADD z INCR 1 a 2 b', { error: 'ERR INCR option supports a single increment-element pair' }],
  ['ZINCRBY z 1e300 a', 1e300],
  ['ZINCRBY z 1 new', 1],
])

suite('options that contradict each other are refused before the key is looked at', [
  ['SET s x', 'OK'],
  ['ZADD s NX XX 1 a', { error: 'ERR XX and NX options at the same time are not compatible' }],
  [
    'ZADD s GT LT 1 a',
    { error: 'ERR GT, LT, and/or NX options at the same time are not compatible' },
  ],
  ['ZADD s 1 a 2', syntax],
  ['ZADD s NX XX 1', syntax],
  ['ZADD s x a', notFloat],
  ['ZADD s 1 a', wrongType],
  ['ZINCRBY s nx a', syntax],
])

suite('infinite scores have an order and a sum, their difference has none', [
  ['ZADD z inf a -inf b +inf c 1e20 d', 4],
  ['ZRANGE z 0 -1', ['b', 'd', 'a', 'c']],
  ['ZINCRBY z inf a', infinity],
  ['ZINCRBY z -inf a', { error: 'ERR resulting score is not a number (NaN)' }],
  ['ZADD z INCR -inf a', { error: 'ERR resulting score is not a number (NaN)' }],
  ['ZSCORE z a', infinity],
  ['ZRANGEBYSCORE z (-inf (inf', ['d']],
  ['ZCOUNT z -inf +inf', 4],
  ['ZUNIONSTORE sum 2 z z WEIGHTS 1 -1', 4],
  ['ZSCORE sum a', 0],
])

suite('a score may be hexadecimal, but not padded, too large, too small or no number', [
  ['ZADD z 0x10 a 0x1.8p1 b', 2],
  ['ZMSCORE z a b', [16, 3]],
  ['ZADD z nan a', notFloat],
  ['ZADD z 1e400 a', notFloat],
  ['ZADD z 1e-400 a', notFloat],
  ['ZADD z 1_0 a', notFloat],
  ['ZADD z -0 zero', 1],
  ['ZRANGEBYSCORE z 0 0', ['zero']],
])

suite('a set without members is no key, and what time it had is over', [
  ['ZADD z 1 a 2 b', 2],
  ['EXPIRE z 100', 1],
  ['ZADD z 3 c', 1],
  ['TTL z', 100],
  ['ZREM z a none b c', 3],
  ['EXISTS z', 0],
  ['ZADD z 1 a', 1],
  ['TTL z', -1],
  ['ZPOPMIN z', ['a', 1]],
  ['EXISTS z', 0],
  ['ZADD z 1 a', 1],
  ['ZREMRANGEBYSCORE z -inf inf', 1],
  ['EXISTS z', 0],
  ['ZADD z 1 a', 1],
  ['ZREMRANGEBYLEX z - +', 1],
  ['EXISTS z', 0],
  ['ZREM z a', 0],
])

suite('ranges by rank are inclusive, count from the end and are cut to the set', [
  ['ZADD z 1 a 2 b 3 c 4 d', 4],
  ['ZRANGE z 1 -2', ['b', 'c']],
  ['ZRANGE z -100 100', ['a', 'b', 'c', 'd']],
  ['ZRANGE z 1 2 REV', ['c', 'b']],
  ['ZRANGE z 3 2', []],
  ['ZRANGE z 4 9', []],
  ['ZRANGE z a 1', notInteger],
  ['ZREMRANGEBYRANK z -2 -1', 2],
  ['ZREMRANGEBYRANK z 5 9', 0],
  ['ZRANGE z 0 -1', ['a', 'b']],
])

suite('ranges by score have open and infinite bounds, offsets and counts', [
  ['ZADD z 1 a 2 b 3 c 4 d', 4],
  ['ZRANGEBYSCORE z (1 3', ['b', 'c']],
  ['ZREVRANGEBYSCORE z 3 (1 WITHSCORES', ['c', 3, 'b', 2]],
  ['ZRANGE z (4 2 BYSCORE REV', ['c', 'b']],
  ['ZRANGEBYSCORE z -inf +inf LIMIT 1 2', ['b', 'c']],
  ['ZRANGEBYSCORE z -inf +inf LIMIT 1 -1', ['b', 'c', 'd']],
  ['ZRANGEBYSCORE z -inf +inf LIMIT -1 2', []],
  ['ZRANGEBYSCORE z -inf +inf LIMIT 0 0', []],
  ['ZREVRANGEBYSCORE z inf -inf LIMIT 2 2', ['b', 'a']],
  ['ZCOUNT z (1 (4', 2],
  ['ZCOUNT z 4 1', 0],
  ['ZRANGEBYSCORE z x 1', badScores],
  ['ZCOUNT z 1 nan', badScores],
  ['ZREMRANGEBYSCORE z (2 1e400', 2],
])

suite('ranges by members are open or closed, and have ends beyond all members', [
  ['ZADD z 0 a 0 b 0 c 0 d 0 bb', 5],
  ['ZRANGEBYLEX z [b (c', ['b', 'bb']],
  ['ZRANGEBYLEX z (b +', ['bb', 'c', 'd']],
  ['ZREVRANGEBYLEX z (d - LIMIT 1 2', ['bb', 'b']],
  ['ZRANGE z + [c BYLEX REV', ['d', 'c']],
  ['ZLEXCOUNT z - +', 5],
  ['ZLEXCOUNT z + -', 0],
  ['ZRANGEBYLEX z b [c', badMembers],
  [
    'ZRANGE z - + BYLEX WITHSCORES',
    {
      error: 'ERR syntax error, WITHSCORES not supported in combination with BYLEX',
    },
  ],
  [
    'ZRANGE z 0 1 LIMIT 0 1',
    {
      error:
        'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
    },
  ],
  ['ZREMRANGEBYLEX z [b (c', 2],
  ['ZRANGE z 0 -1', ['a', 'c', 'd']],
])

suite('bad ranges are refused before the key is looked at', [
  ['SET s x', 'OK'],
  ['ZRANGE s a b', notInteger],
  ['ZCOUNT s a b', badScores],
  ['ZREMRANGEBYLEX s a b', badMembers],
  ['ZRANGE s 0 1', wrongType],
  ['ZPOPMIN s -1', { error: 'ERR value is out of range, must be positive' }],
  ['ZPOPMIN s 0', wrongType],
  ['ZRANDMEMBER s 1 x', syntax],
  ['ZRANDMEMBER s', wrongType],
])

suite('the ends of a set are taken, of one or of the first of several', [
  ['ZADD z 1 a 2 b 3 c 4 d', 4],
  ['ZPOPMAX z', ['d', 4]],
  ['ZPOPMIN z 2', ['a', 1, 'b', 2]],
  ['ZPOPMIN z 0', []],
  ['ZPOPMIN none', []],
  ['ZMPOP 2 none z MAX COUNT 5', ['z', [['c', 3]]]],
  ['EXISTS z', 0],
  ['ZMPOP 2 none z MIN', null],
  ['ZMPOP 0 z MIN', { error: 'ERR numkeys should be greater than 0' }],
  ['ZMPOP 1 z MIN COUNT 0', { error: 'ERR count should be greater than 0' }],
])

suite('unions, intersections and differences put scores together as they are told', [
  ['ZADD a 1 x 2 y', 2],
  ['ZADD b 10 y 20 z', 2],
  ['SADD plain y q', 2],
  ['ZUNION 2 a b WITHSCORES', ['x', 1, 'y', 12, 'z', 20]],
  ['ZUNION 2 a b WEIGHTS 2 0.5 AGGREGATE MAX WITHSCORES', ['x', 2, 'y', 5, 'z', 10]],
  ['ZINTER 3 a b plain AGGREGATE MIN WITHSCORES', ['y', 1]],
  ['ZINTER 2 a none', []],
  ['ZDIFF 2 a b WITHSCORES', ['x', 1]],
  ['ZDIFF 2 plain a', ['q']],
  ['ZDIFF 1 none', []],
  ['ZINTERCARD 2 a b', 1],
  ['ZINTERCARD 2 a a LIMIT 1', 1],
  ['ZINTERCARD 1 a LIMIT -1', { error: "ERR LIMIT can't be negative" }],
  ['ZUNION 0 a', { error: "ERR at least 1 input key is needed for 'zunion' command" }],
  ['ZUNION 1 a WEIGHTS x', { error: 'ERR weight value is not a float' }],
  ['ZUNION 3 a b', syntax],
  ['SET s x', 'OK'],
  ['ZUNION 2 a s', wrongType],
])

suite('what is stored takes the place of anything, time and all; nothing is no key', [
  ['ZADD a 1 x 2 y', 2],
  ['SET d text EX 100', 'OK'],
  ['ZUNIONSTORE d 1 a', 2],
  ['TTL d', -1],
  ['TYPE d', 'zset'],
  ['ZINTERSTORE a 2 a d', 2],
  ['ZRANGE a 0 -1 WITHSCORES', ['x', 2, 'y', 4]],
  ['ZRANGESTORE d a (2 +inf BYSCORE', 1],
  ['ZRANGE d 0 -1 WITHSCORES', ['y', 4]],
  ['ZDIFFSTORE d 2 a a', 0],
  ['EXISTS d', 0],
  ['SET d text', 'OK'],
  ['ZRANGESTORE d none 0 -1', 0],
  ['EXISTS d', 0],
  ['SET s x', 'OK'],
  ['ZRANGESTORE d s 0 -1', wrongType],
  ['ZUNIONSTORE s 1 a', 2],
])

t.test('members may be any bytes, and none', (t) =>
  eachBound(t, 'bytes', async (t, room) => {
    const bytes = Uint8Array.of(0, 0xff, 0)
    t.equal(await room.run('ZADD', 'z', 1, bytes, 1, '', 1, 'a'), 3)
    t.same(await room.run('ZRANGE', 'z', 0, -1), ['', Buffer.from(bytes), 'a'])
    t.equal(await room.run('ZRANK', 'z', bytes), 1)
    t.same(await room.run('ZRANGEBYLEX', 'z', '[', '(a'), ['', Buffer.from(bytes)])
    t.equal(await room.run('ZREM', 'z', ''), 1)
  }),
)

t.test('members of any length are told apart', (t) =>
  eachBound(t, 'lengths', async (t, room) => {
    const names = [1_000, 1_015, 1_016, 1_017, 4_000].map((length) => 'm'.repeat(length))
    for (const [score, name] of names.entries()) await room.run('ZADD', 'z', score, name)
    t.same(await room.run('ZRANGE', 'z', 0, -1), names)
    for (const [rank, name] of names.entries()) {
      t.equal(await room.run('ZSCORE', 'z', name), rank)
      t.equal(await room.run('ZRANK', 'z', name), rank)
    }
    for (const name of names) await room.run('ZADD', 'z', 7, name)
    const [, , third = ''] = names
    const above = (await room.run('ZRANGEBYLEX', 'z', `(${third}`, '+')) as string[]
    t.same(
      above.map(({ length }) => length).sort((a, b) => a - b),
      [1_017, 4_000],
    )
    t.equal(await room.run('ZLEXCOUNT', 'z', '-', `[${third}`), 3)
    t.equal(await room.run('ZREMRANGEBYLEX', 'z', `(${third}`, '+'), 2)
    t.equal(await room.run('ZCARD', 'z'), 3)
  }),
)

t.test('random members are members, different ones unless repetitions are asked for', (t) =>
  eachBound(t, 'random', async (t, room) => {
    await room.line('ZADD z 1 a 2 b 3 c 4 d 5 e')
    const all = ['a', 'b', 'c', 'd', 'e']
    const some = (await room.line('ZRANDMEMBER z 3')) as string[]
    t.equal(new Set(some).size, 3)
    t.ok(some.every((member) => all.includes(member)))
    t.same([...((await room.line('ZRANDMEMBER z 9')) as string[])].sort(), all)
    const many = (await room.line('ZRANDMEMBER z -200')) as string[]
    t.equal(many.length, 200)
    t.same([...new Set(many)].sort(), all, 'none of five is missed 200 times')
    const scored = (await room.line('ZRANDMEMBER z -3 WITHSCORES')) as unknown[]
    for (let i = 0; i < 6; i += 2) t.equal(all[Number(scored[i + 1]) - 1], scored[i])
    t.ok(all.includes((await room.line('ZRANDMEMBER z')) as string))
    t.equal(await room.line('ZRANDMEMBER none'), null)
    t.same(await room.line('ZRANDMEMBER none -5'), [])
    t.same(await room.line('ZRANDMEMBER z -1000001'), { error: 'ERR value is out of range' })
  }),
)

t.test('a change that leaves the count as it is touches a watched key', (t) =>
  eachBound(t, 'watch', async (t, room) => {
    await room.line('ZADD z 1 a 2 b')
    for (const [line, touches] of [
      ['ZADD z 5 a', true],
      ['ZADD z 5 a', false],
      ['ZREM z none', false],
    ] as const) {
      const other = room.client()
      await other.line('WATCH z')
      await room.line(line)
      await other.line('MULTI')
      await other.line('ZCARD z')
      t.same(await other.line('EXEC'), touches ? null : [2], line)
    }
  }),
)

t.test('events tell what happened to sorted sets', (t) =>
  eachKeyValueRoom(t, 'events', async (t, room) => {
    const { services } = room.bus
    let heard: string[] = []
    services.settings.notifies = true
    services.announce = (events) => {
      for (const { event, key } of events) heard.push(`${event} ${Buffer.from(key)}`)
    }
    const tells = async (line: string, ...events: string[]) => {
      await room.line(line)
      t.same(heard, events, line)
      heard = []
    }
    await tells('ZADD z 1 a 2 b 3 c 4 d 5 e 6 f', 'zadd z')
    await tells('ZADD z 1 a')
    await tells('ZADD z NX 9 a')
    await tells('ZADD z INCR 1 a', 'zincr z')
    await tells('ZINCRBY z 0 a')
    await tells('ZINCRBY z 1 a', 'zincr z')
    await tells('ZREM z none')
    await tells('ZREM z a', 'zrem z')
    await tells('ZREMRANGEBYRANK z 0 0', 'zremrangebyrank z')
    await tells('ZREMRANGEBYSCORE z 3 3', 'zremrangebyscore z')
    await tells('ZREMRANGEBYSCORE z 3 3')
    await tells('ZRANGESTORE y z 0 -1', 'zrangestore y')
    await tells('ZRANGESTORE y none 0 -1', 'del y')
    await tells('ZRANGESTORE y none 0 -1')
    await tells('ZUNIONSTORE y 1 z', 'zunionstore y')
    await tells('ZINTERSTORE y 1 z', 'zinterstore y')
    await tells('ZDIFFSTORE y 2 z z', 'del y')
    await tells('ZPOPMAX z 2', 'zpopmax z')
    await tells('ZMPOP 1 z MIN', 'zpopmin z', 'del z')
    await tells('ZADD z 1 a', 'zadd z')
    await tells('ZREMRANGEBYLEX z - +', 'zremrangebylex z', 'del z')
  }),
)

const database = readSettings({}).DATABASE

t.test('a sorted set is an array in its document, and a document a sorted set', (t) =>
  eachKeyValueRoom(t, 'documents', async (t, room) => {
    await room.run('ZADD', 'z', 2, 'b', 1.5, 'ü', 1, 'a')
    const found = await room.store.read(function* (tx) {
      const ns = yield* findNamespace(tx, database, 'kv0')
      return ns === undefined ? undefined : yield* findById(tx, ns, valueFrom('z'))
    })
    t.match(found && toObject(found), {
      ...{ _id: 'z', type: 'zset' },
      value: [
        { member: 'a', score: 1 },
        { member: 'ü', score: 1.5 },
        { member: 'b', score: 2 },
      ],
    })
    await room.store.write(function* (tx) {
      const ns = yield* ensureNamespace(tx, database, 'kv0', createOptions)
      const value = [
        { score: 3, member: 'c' },
        { member: 7, score: -1.5 },
        { member: 'a', score: 3 },
      ]
      yield* insertDocument(tx, ns, documentFrom({ _id: 'd', type: 'zset', value }))
    })
    t.same(await room.line('ZRANGE d 0 -1 WITHSCORES'), ['7', -1.5, 'a', 3, 'c', 3])
    t.equal(await room.line('ZADD d 0 zero'), 1)
    t.same(await room.line('ZPOPMIN d 2'), ['7', -1.5, 'zero', 0])
    t.equal(await room.line('ZRANK d c'), 1)
  }),
)
