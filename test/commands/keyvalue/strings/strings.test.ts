// Strings: what is usually got wrong about them, and what no comparison with a reference server
// shows: times, events, large values, and the document that lies under a key.

import t from 'tap'
import { respBulkBytesMax } from '../../../../src/base/limits/key-value.js'
import { checkStore } from '../../../../src/engine/check/check.js'
import { eachKeyValueRoom } from '../../../support/key-value-room.js'

const notAnInteger = { error: 'ERR value is not an integer or out of range' }
const wrongType = { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' }

t.test('integers are strict: no plus, no padding, no leading zeros, no minus zero', (t) =>
  eachKeyValueRoom(t, 'integers', async (t, room) => {
    for (const text of ['010', ' 1', '1 ', '+5', '1.0', '', '-0', 'one', '9223372036854775808']) {
      await room.run('SET', 'n', text)
      t.same(await room.run('INCR', 'n'), notAnInteger, JSON.stringify(text))
      t.same(await room.run('INCRBY', 'other', text), notAnInteger, JSON.stringify(text))
      t.equal(await room.run('GET', 'n'), text)
    }
    t.equal(await room.run('EXISTS', 'other'), 0)
  }),
)

t.test('an integer that would overflow stays as it is', (t) =>
  eachKeyValueRoom(t, 'overflow', async (t, room) => {
    await room.run('SET', 'n', '9223372036854775806')
    t.equal(await room.run('INCR', 'n'), 9_223_372_036_854_775_807n)
    const overflow = { error: 'ERR increment or decrement would overflow' }
    t.same(await room.run('INCR', 'n'), overflow)
    t.same(await room.run('INCRBY', 'n', '9223372036854775807'), overflow)
    t.same(await room.run('DECRBY', 'n', '-9223372036854775808'), {
      error: 'ERR decrement would overflow',
    })
    t.equal(await room.run('GET', 'n'), '9223372036854775807')
  }),
)

t.test('decimals are exact, printed without an exponent, and never -0', (t) =>
  eachKeyValueRoom(t, 'decimals', async (t, room) => {
    await room.run('SET', 'd', '0.1')
    t.equal(await room.run('INCRBYFLOAT', 'd', '0.2'), '0.3')
    t.equal(await room.run('INCRBYFLOAT', 'd', '5.0e3'), '5000.3')
    t.equal(await room.run('INCRBYFLOAT', 'd', '-5000.3'), '0')
    t.equal(await room.run('INCRBYFLOAT', 'none', '-0'), '0')
    t.equal(((await room.run('INCRBYFLOAT', 'd', '1e400')) as string).length, 401)
    t.same(await room.run('INCRBYFLOAT', 'd', '-inf'), {
      error: 'ERR increment would produce NaN or Infinity',
    })
    t.same(await room.run('INCRBYFLOAT', 'd', ' 1'), { error: 'ERR value is not a valid float' })
  }),
)

t.test('SET takes options in any order and case, and a time that is over takes the key', (t) =>
  eachKeyValueRoom(t, 'options', async (t, room) => {
    t.equal(await room.run('SET', 'a', '1', 'get', 'Px', '1000', 'nx'), null)
    t.equal(await room.run('SET', 'a', '2', 'NX', 'GET'), '1')
    t.equal(await room.run('GET', 'a'), '1')
    t.equal(await room.run('PTTL', 'a'), 1_000)
    t.equal(await room.run('SET', 'a', '3', 'KEEPTTL', 'XX'), 'OK')
    t.equal(await room.run('PTTL', 'a'), 1_000)
    t.equal(await room.run('SET', 'a', '4'), 'OK')
    t.equal(await room.run('PTTL', 'a'), -1)
    t.equal(await room.run('SET', 'a', '5', 'EX', '1', 'EX', '2'), 'OK')
    t.equal(await room.run('PTTL', 'a'), 2_000)
    t.equal(await room.run('SET', 'a', '6', 'PXAT', room.clock.now()), 'OK')
    t.equal(await room.run('EXISTS', 'a'), 0)
    const bad = [
      ['NX', 'XX'],
      ['EX', '1', 'PX', '1'],
      ['KEEPTTL', 'EX', '1'],
      ['EX', '1', 'KEEPTTL'],
      ['EX'],
      ['PERSIST'],
    ]
    for (const words of bad) {
      t.same(await room.run('SET', 'b', '1', ...words), { error: 'ERR syntax error' })
    }
    t.equal(await room.run('EXISTS', 'b'), 0)
  }),
)

t.test('SET with GET refuses another type and writes nothing; without it any type gives way', (t) =>
  eachKeyValueRoom(t, 'types', async (t, room) => {
    await room.run('HSET', 'h', 'f', 'v')
    t.same(await room.run('SET', 'h', 'x', 'GET'), wrongType)
    t.same(await room.run('GETSET', 'h', 'x'), wrongType)
    t.same(await room.run('GETDEL', 'h'), wrongType)
    t.equal(await room.run('HGET', 'h', 'f'), 'v')
    t.same(await room.run('MGET', 'h', 'none'), [null, null])
    t.equal(await room.run('SET', 'h', 'x'), 'OK')
    t.equal(await room.run('TYPE', 'h'), 'string')
  }),
)

t.test('what changes a string keeps its time, what replaces it does not', (t) =>
  eachKeyValueRoom(t, 'times', async (t, room) => {
    const set = () => room.run('SET', 'k', '1', 'PX', '5000')
    const keeps = [
      ['INCR', 'k'],
      ['INCRBYFLOAT', 'k', '1.5'],
      ['APPEND', 'k', 'x'],
      ['SETRANGE', 'k', '3', 'x'],
      ['SETBIT', 'k', '100', '1'],
      ['BITFIELD', 'k', 'SET', 'u8', '#3', '7'],
      ['GETEX', 'k'],
    ]
    for (const line of keeps) {
      await set()
      await room.run(...line)
      t.equal(await room.run('PTTL', 'k'), 5_000, line.join(' '))
    }
    const loses = [
      ['SET', 'k', '2'],
      ['GETSET', 'k', '2'],
      ['MSET', 'k', '2'],
      ['BITOP', 'NOT', 'k', 'k'],
      ['GETEX', 'k', 'PERSIST'],
    ]
    for (const line of loses) {
      await set()
      await room.run(...line)
      t.equal(await room.run('PTTL', 'k'), -1, line.join(' '))
    }
  }),
)

t.test('GETEX sets and takes back times, and looks at them only where there is a key', (t) =>
  eachKeyValueRoom(t, 'getex', async (t, room) => {
    t.equal(await room.run('GETEX', 'none', 'EX', 'no'), null)
    await room.run('SET', 'k', 'v')
    t.equal(await room.run('GETEX', 'k', 'EX', '10'), 'v')
    t.equal(await room.run('PTTL', 'k'), 10_000)
    t.same(await room.run('GETEX', 'k', 'EX', '0'), {
      error: "ERR invalid expire time in 'getex' command",
    })
    t.equal(await room.run('GETEX', 'k', 'EXAT', '1'), 'v')
    t.equal(await room.run('EXISTS', 'k'), 0)
  }),
)

t.test('MSET is all or nothing, the later of two values wins, and the count is right', (t) =>
  eachKeyValueRoom(t, 'mset', async (t, room) => {
    t.equal(await room.run('MSET', 'a', '1', 'b', '2', 'a', '3'), 'OK')
    t.same(await room.run('MGET', 'a', 'b', 'a'), ['3', '2', '3'])
    t.equal(await room.run('MSETNX', 'c', '1', 'a', '2'), 0)
    t.equal(await room.run('EXISTS', 'c'), 0)
    t.equal(await room.run('MSETNX', 'c', '1', 'c', '2'), 1)
    t.equal(await room.run('GET', 'c'), '2')
    t.same(await checkStore(room.store), [])
    for (const name of ['a', 'b', 'c']) t.equal(await room.run('DEL', name), 1)
    const problem = { error: "ERR wrong number of arguments for 'mset' command" }
    t.same(await room.run('MSET', 'a', '1', 'b'), problem)
  }),
)

t.test('parts of a string: ends included, negative from the end, zeros filled in', (t) =>
  eachKeyValueRoom(t, 'parts', async (t, room) => {
    await room.run('SET', 's', 'Hello World')
    t.equal(await room.run('GETRANGE', 's', '0', '-1'), 'Hello World')
    t.equal(await room.run('GETRANGE', 's', '-5', '-1'), 'World')
    t.equal(await room.run('GETRANGE', 's', '5', '3'), '')
    t.equal(await room.run('SUBSTR', 's', '0', '-100'), 'H', 'an end before the beginning is 0')
    t.equal(await room.run('SETRANGE', 'none', '5', ''), 0)
    t.equal(await room.run('EXISTS', 'none'), 0)
    t.equal(await room.run('SETRANGE', 'z', '2', 'x'), 3)
    t.equal(await room.run('GET', 'z'), '\u0000\u0000x')
    t.equal(await room.run('APPEND', 'z', 'é'), 5)
    t.equal(await room.run('STRLEN', 'z'), 5)
  }),
)

t.test('a string never grows beyond the longest argument', (t) =>
  eachKeyValueRoom(
    t,
    'length',
    async (t, room) => {
      const tooLong = {
        error: 'ERR string exceeds maximum allowed size (proto-max-bulk-len)',
      }
      await room.run('SET', 's', 'x')
      t.same(await room.run('SETRANGE', 's', respBulkBytesMax, 'x'), tooLong)
      t.same(await room.run('SETRANGE', 's', '9223372036854775807', 'x'), tooLong)
      t.same(await room.run('SETBIT', 's', respBulkBytesMax * 8, '1'), {
        error: 'ERR bit offset is not an integer or out of range',
      })
      t.equal(await room.run('SETRANGE', 's', respBulkBytesMax - 1, 'x'), respBulkBytesMax)
      t.same(await room.run('APPEND', 's', 'x'), tooLong)
      t.equal(await room.run('STRLEN', 's'), respBulkBytesMax)
      t.equal(await room.run('BITCOUNT', 's'), 8)
      t.equal(await room.run('BITPOS', 's', '1', '1'), (respBulkBytesMax - 1) * 8 + 1)
    },
    { kinds: ['memory'] },
  ),
)

t.test('text stays text and bytes stay bytes', (t) =>
  eachKeyValueRoom(t, 'bytes', async (t, room) => {
    const bytes = Buffer.from([0xff, 0x00, 0x80])
    t.equal(await room.run('SET', bytes, bytes), 'OK')
    t.same(await room.run('GET', bytes), bytes)
    t.equal(await room.run('APPEND', bytes, 'x'), 4)
    t.same(await room.run('GETRANGE', bytes, '-2', '-1'), Buffer.from([0x80, 0x78]))
    t.equal(await room.run('SETRANGE', bytes, '0', 'abc'), 4)
    t.equal(await room.run('GET', bytes), 'abcx')
  }),
)

t.test('each change is told by its event, and what changes nothing by none', (t) =>
  eachKeyValueRoom(t, 'events', async (t, room) => {
    const { services } = room.bus
    services.settings.notifies = true
    let heard: string[] = []
    services.announce = (events) => {
      heard.push(...events.map(({ event, key }) => `${event} ${Buffer.from(key).toString()}`))
    }
    const cases: readonly (readonly [line: string, events: readonly string[]])[] = [
      ['SET s 1', ['set s']],
      ['SET s 1 EX 100', ['set s', 'expire s']],
      ['SET s 1 NX', []],
      ['SETNX s 1', []],
      ['SETEX s 10 1', ['set s', 'expire s']],
      ['INCR s', ['incrby s']],
      ['DECRBY s 2', ['incrby s']],
      ['INCRBYFLOAT s 0', ['incrbyfloat s']],
      ['GETEX s', []],
      ['GETEX s PERSIST', ['persist s']],
      ['GETEX s PERSIST', []],
      ['GETEX s PX 100', ['expire s']],
      ['GETEX s PXAT 1', ['del s']],
      ['GETDEL s', []],
      ['GETSET s 1', ['set s']],
      ['GETDEL s', ['del s']],
      ['MSET a 1 b 2 a 3', ['set a', 'set b', 'set a']],
      ['MSETNX c 1 a 2', []],
      ['APPEND a x', ['append a']],
      ['SETRANGE a 1 x', ['setrange a']],
      ['SETBIT q 5 0', ['setbit q']],
      ['SETBIT q 5 0', []],
      ['SETBIT q 5 1', ['setbit q']],
      ['BITFIELD q GET u8 0 SET u1 5 1', []],
      ['BITFIELD q SET u1 500 0', ['setbit q']],
      ['BITFIELD q OVERFLOW FAIL INCRBY u1 5 1', []],
      ['BITFIELD r OVERFLOW FAIL INCRBY u1 5 7', []],
      ['BITOP OR d q a', ['set d']],
      ['BITOP OR d none', ['del d']],
      ['BITOP OR d none', []],
    ]
    for (const [line, events] of cases) {
      heard = []
      await room.line(line)
      t.same(heard, events, line)
    }
  }),
)

t.test('what two strings share is told by its places, from the last to the first', (t) =>
  eachKeyValueRoom(t, 'lcs', async (t, room) => {
    await room.run('MSET', 'a', 'ohmytext', 'b', 'mynewtext')
    t.equal(await room.run('LCS', 'a', 'b'), 'mytext')
    t.equal(await room.run('LCS', 'a', 'b', 'LEN'), 6)
    t.same(await room.run('LCS', 'a', 'b', 'IDX', 'MINMATCHLEN', '4', 'WITHMATCHLEN'), [
      'matches',
      [[[4, 7], [5, 8], 4]],
      'len',
      6,
    ])
    t.equal(await room.run('LCS', 'a', 'none'), '')
    await room.run('SET', 'long', 'x'.repeat(5_000))
    t.same(await room.run('LCS', 'long', 'long', 'LEN'), {
      error: 'ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len',
    })
  }),
)

t.test('what takes the place of a large string keeps times, types and counts right', (t) =>
  eachKeyValueRoom(t, 'large strings that go', async (t, room) => {
    const large = 'ab'.repeat(300_000)
    const replaced: readonly (readonly [string[], string | undefined, number])[] = [
      [['SET', 'k', 'y'], 'y', -1],
      [['SET', 'k', large, 'KEEPTTL'], large, 5_000],
      [['SET', 'k', 'y', 'GET', 'KEEPTTL'], 'y', 5_000],
      [['SETEX', 'k', '7', 'y'], 'y', 7_000],
      [['SETNX', 'k', 'y'], large, 5_000],
      [['MSET', 'k', 'y', 'k', large], large, -1],
      [['MSETNX', 'none', 'y', 'k', 'y'], large, 5_000],
      [['BITOP', 'OR', 'k', 'k', 'other'], `y${large.slice(1)}`, -1],
      [['COPY', 'other', 'k', 'REPLACE'], 'y', -1],
      [['COPY', 'other', 'k'], large, 5_000],
      [['RENAME', 'other', 'k'], 'y', -1],
      [['SUNIONSTORE', 'k', 'none'], undefined, -2],
      [['SORT', 'list', 'STORE', 'k'], 'list', -1],
      [['DEL', 'k'], undefined, -2],
    ]
    for (const [words, value, ttl] of replaced) {
      await room.run('SET', 'k', large, 'PX', '5000')
      await room.run('SET', 'other', 'y')
      await room.run('RPUSH', 'list', '1')
      t.equal(await room.run('TYPE', 'k'), 'string')
      await room.run(...words)
      const title = words.slice(0, 2).join(' ')
      t.equal(await room.run('PTTL', 'k'), ttl, title)
      if (value === 'list') t.equal(await room.run('TYPE', 'k'), 'list')
      else t.equal(await room.run('GET', 'k'), value ?? null, title)
      t.same(await checkStore(room.store), [], title)
    }
  }),
)
