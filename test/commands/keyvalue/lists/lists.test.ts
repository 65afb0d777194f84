// Lists on every store and at every bound between one document and records: the replies that the
// reference server gives, what happens to time and key when a list runs empty, events, and large
// lists.

import t, { type Test } from 'tap'
import { readSettings } from '../../../../src/base/settings.js'
import {
  ensureNamespace,
  findNamespace,
} from '../../../../src/engine/collection/catalog/catalog.js'
import { findById, insertDocument } from '../../../../src/engine/collection/collections.js'
import { keyClass } from '../../../../src/store/layout.js'
import { documentFrom, valueFrom } from '../../../../src/value/literal.js'
import { createOptions, keysOfClasses } from '../../../support/engine-room.js'
import {
  eachBound,
  eachKeyValueRoom,
  type KeyValueRoom,
  type KeyValueRoomOptions,
  type Word,
} from '../../../support/key-value-room.js'
import { toObject } from '../../../support/literal.js'

const wrongType = { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' }
const notInteger = { error: 'ERR value is not an integer or out of range' }
const syntax = { error: 'ERR syntax error' }

/** Each line and its reply. */
type Script = readonly (readonly [line: string, reply: unknown])[]

async function follow(t: Test, room: KeyValueRoom, script: Script): Promise<void> {
  for (const [line, reply] of script) t.same(await room.line(line), reply, line)
}

function suite(name: string, script: Script): void {
  t.test(name, (t) => eachBound(t, 'script', (t, room) => follow(t, room, script)))
}

suite('both ends of a list grow and shrink', [
  ['LPUSH l a b c', 3],
  ['RPUSH l d', 4],
  ['LRANGE l 0 -1', ['c', 'b', 'a', 'd']],
  ['LPUSHX none x', 0],
  ['RPUSHX none x', 0],
  ['EXISTS none', 0],
  ['LPUSHX l e f', 6],
  ['RPUSHX l g', 7],
  ['LPOP l', 'f'],
  ['RPOP l 3', ['g', 'd', 'a']],
  ['LPOP l 0', []],
  ['LPOP l 100', ['e', 'c', 'b']],
  ['EXISTS l', 0],
  ['LPOP l', null],
  ['LPOP l 1', null],
  ['LLEN l', 0],
  ['LRANGE l 0 -1', []],
])

suite('a count to pop is refused before the key is looked at', [
  ['SET s x', 'OK'],
  ['LPOP s', wrongType],
  ['LPOP s -1', { error: 'ERR value is out of range, must be positive' }],
  ['RPOP none many', { error: 'ERR value is out of range, must be positive' }],
  ['LPOP none 1 2', { error: "ERR wrong number of arguments for 'lpop' command" }],
  ['RPUSH s x', wrongType],
  ['LLEN s', wrongType],
])

suite('ranges are inclusive, count from the end and are cut to the list', [
  ['RPUSH l a b c d e', 5],
  ['LRANGE l 1 -2', ['b', 'c', 'd']],
  ['LRANGE l -100 100', ['a', 'b', 'c', 'd', 'e']],
  ['LRANGE l 3 2', []],
  ['LRANGE l 5 9', []],
  ['LRANGE l x 2', notInteger],
  ['LINDEX l -1', 'e'],
  ['LINDEX l 4', 'e'],
  ['LINDEX l 5', null],
  ['LINDEX l -6', null],
  ['LINDEX l x', notInteger],
  ['LINDEX none x', null],
  ['LTRIM l 1 -2', 'OK'],
  ['LRANGE l 0 -1', ['b', 'c', 'd']],
  ['LTRIM l 0 x', notInteger],
  ['LTRIM l 2 1', 'OK'],
  ['EXISTS l', 0],
])

suite('elements are set, inserted and removed where they stand', [
  ['RPUSH l a b a c a b', 6],
  ['LSET l 1 B', 'OK'],
  ['LSET l -1 end', 'OK'],
  ['LSET l 6 x', { error: 'ERR index out of range' }],
  ['LSET none x y', { error: 'ERR no such key' }],
  ['LINSERT l BEFORE a first', 7],
  ['LINSERT l after c behind', 8],
  ['LINSERT l after end last', 9],
  ['LINSERT l before none x', -1],
  ['LINSERT none before a x', 0],
  ['LINSERT none beside a x', syntax],
  ['LRANGE l 0 -1', ['first', 'a', 'B', 'a', 'c', 'behind', 'a', 'end', 'last']],
  ['LREM l -2 a', 2],
  ['LRANGE l 0 -1', ['first', 'a', 'B', 'c', 'behind', 'end', 'last']],
  ['RPUSH l a B a first', 11],
  ['LREM l 1 a', 1],
  ['LREM l 0 first', 2],
  ['LREM l 0 none', 0],
  ['LRANGE l 0 -1', ['B', 'c', 'behind', 'end', 'last', 'a', 'B', 'a']],
  ['LREM none 0 a', 0],
])

suite('LPOS counts ranks from either end and looks no further than it is told', [
  ['RPUSH l a b c 1 2 3 c c', 8],
  ['LPOS l c', 2],
  ['LPOS l c RANK 2', 6],
  ['LPOS l c RANK -1', 7],
  ['LPOS l c COUNT 0', [2, 6, 7]],
  ['LPOS l c RANK -1 COUNT 2', [7, 6]],
  ['LPOS l c COUNT 0 MAXLEN 7', [2, 6]],
  ['LPOS l c RANK -1 COUNT 0 MAXLEN 1', [7]],
  ['LPOS l none', null],
  ['LPOS l none COUNT 1', []],
  ['LPOS l c RANK -9223372036854775808', 7],
  ['LPOS l c COUNT -1', { error: "ERR COUNT can't be negative" }],
  ['LPOS l c MAXLEN no', { error: "ERR MAXLEN can't be negative" }],
  ['LPOS l c RANK', syntax],
])

suite('moving takes from one end and puts to another, in one list too', [
  ['RPUSH a 1 2 3', 3],
  ['LMOVE a b LEFT RIGHT', '1'],
  ['RPOPLPUSH a b', '3'],
  ['LRANGE b 0 -1', ['3', '1']],
  ['RPOPLPUSH b b', '1'],
  ['LMOVE b b left right', '1'],
  ['LRANGE b 0 -1', ['3', '1']],
  ['SET s x', 'OK'],
  ['LMOVE a s LEFT LEFT', wrongType],
  ['LMOVE none s LEFT LEFT', null],
  ['LMOVE none s LEFT up', syntax],
  ['LRANGE a 0 -1', ['2']],
  ['EXPIRE a 100', 1],
  ['RPOPLPUSH a a', '2'],
  ['TTL a', 100],
  ['LMOVE a b RIGHT LEFT', '2'],
  ['EXISTS a', 0],
  ['LMPOP 2 a b LEFT COUNT 2', ['b', ['2', '3']]],
  ['LMPOP 2 s b LEFT', wrongType],
  ['LMPOP 1 a RIGHT', null],
  ['LMPOP 0 a RIGHT', { error: 'ERR numkeys should be greater than 0' }],
  ['LMPOP 1 b RIGHT COUNT 0', { error: 'ERR count should be greater than 0' }],
  ['LMPOP 1 b RIGHT COUNT 1 COUNT 1', syntax],
  ['LMPOP 2 b RIGHT', syntax],
])

suite('a list that runs empty is no key, and leaves no expiry', [
  ['RPUSH l a b', 2],
  ['EXPIRE l 100', 1],
  ['LPUSH l c', 3],
  ['LSET l 0 d', 'OK'],
  ['LTRIM l 0 0', 'OK'],
  ['TTL l', 100],
  ['LREM l 0 d', 1],
  ['EXISTS l', 0],
  ['RPUSH l e', 1],
  ['TTL l', -1],
])

t.test('elements are bytes, and large ones are stored whole', (t) =>
  eachBound(t, 'bytes', async (t, room) => {
    const bytes = Uint8Array.of(0xff, 0, 13, 10)
    const large = 'x'.repeat(300_000)
    await room.run('RPUSH', bytes, bytes, '', large)
    t.same(await room.run('LPOS', bytes, bytes), 0)
    t.same(await room.run('LRANGE', bytes, '0', '-1'), [Buffer.from(bytes), '', large])
    t.equal(await room.run('LINSERT', bytes, 'BEFORE', '', 'y'), 4)
    t.equal(await room.run('LREM', bytes, '1', 'y'), 1)
    t.equal(await room.run('RPOPLPUSH', bytes, bytes), large)
    t.equal(await room.run('LPOP', bytes), large)
    t.equal(await room.run('DEL', bytes), 1)
    await emptied(room)
    t.same(await keysOfClasses(room.store, keyClass.member, keyClass.garbage), [])
    t.same(await keysOfClasses(room.store, keyClass.chunk), [])
  }),
)

/** The background has nothing left to do; replaced values are kept for a while. */
async function emptied(room: KeyValueRoom): Promise<void> {
  await room.engine.garbage.round()
  room.clock.ms += 3_600_000
  while (await room.engine.garbage.round()) room.clock.ms += 3_600_000
}

t.test('each change is told once, and the end of the key behind it', (t) =>
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
    await tells('RPUSH l a b c a', 'rpush l')
    await tells('LPUSHX none a')
    await tells('LSET l 0 y', 'lset l')
    await tells('LINSERT l before a q', 'linsert l')
    await tells('LINSERT l before none q')
    await tells('LREM l 0 none')
    await tells('LREM l 1 a', 'lrem l')
    await tells('LTRIM l 0 -1', 'ltrim l')
    await tells('LTRIM l 0 1', 'ltrim l')
    await tells('LPOP l 0')
    await tells('LMOVE l l left right', 'rpush l', 'lpop l')
    await tells('LMOVE l m left right', 'rpush m', 'lpop l')
    await tells('LMPOP 1 l left count 5', 'lpop l', 'del l')
    await tells('RPOPLPUSH m m', 'lpush m', 'rpop m')
    await tells('RPOP m', 'rpop m', 'del m')
    await tells('RPUSH b 1', 'rpush b')
    await tells('BLMOVE b c left right 0', 'rpush c', 'lpop b', 'del b')
    await tells('BLMPOP 0 1 c left', 'lpop c', 'del c')
    await tells('RPUSH d 1', 'rpush d')
    await tells('LTRIM d 5 6', 'ltrim d', 'del d')
  }),
)

const database = readSettings({}).DATABASE

t.test('a list is an array in its document, and a document a list', (t) =>
  eachKeyValueRoom(t, 'documents', async (t, room) => {
    await room.run('RPUSH', 'l', 'a', Uint8Array.of(0xff), 'ü')
    const found = await room.store.read(function* (tx) {
      const ns = yield* findNamespace(tx, database, 'kv0')
      return ns === undefined ? undefined : yield* findById(tx, ns, valueFrom('l'))
    })
    t.match(found && toObject(found), { _id: 'l', type: 'list', value: ['a', {}, 'ü'] })
    await room.store.write(function* (tx) {
      const ns = yield* ensureNamespace(tx, database, 'kv0', createOptions)
      yield* insertDocument(
        tx,
        ns,
        documentFrom({ _id: 'd', type: 'list', value: [1, 'two', 3.5] }),
      )
    })
    t.same(await room.line('LRANGE d 0 -1'), ['1', 'two', '3.5'])
    t.equal(await room.line('LREM d 0 1'), 1)
    t.equal(await room.line('LPUSH d zero'), 3)
    t.same(await room.line('LRANGE d 0 -1'), ['zero', 'two', '3.5'])
  }),
)

/** A list of `count` numbers from 0 on, by pushes of a thousand. */
async function fill(room: KeyValueRoom, name: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    const words = Array.from({ length: Math.min(1_000, count - from) }, (_, i) => from + i)
    await room.run('RPUSH', name, ...words)
  }
}

const once: KeyValueRoomOptions = { kinds: ['memory', 'lmdb'] }

t.test('a list becomes records beyond 128 elements or 8 KB', (t) =>
  eachKeyValueRoom(t, 'bounds', async (t, room) => {
    const members = async () => (await keysOfClasses(room.store, keyClass.member)).length
    await fill(room, 'many', 128)
    t.equal(await members(), 0)
    await room.run('LPUSH', 'many', 'x')
    t.equal(await members(), 129)
    await room.run('RPUSH', 'long', 'x'.repeat(9_000))
    t.equal(await members(), 130)
    await room.run('LTRIM', 'many', '0', '0')
    t.equal(await members(), 2, 'and stays so')
  }),
)

t.test('a cut of many is emptied behind; what the list grows over is its own', (t) =>
  eachKeyValueRoom(
    t,
    'trims',
    async (t, room) => {
      await fill(room, 'l', 5_000)
      t.equal(await room.line('LTRIM l 2000 2002'), 'OK')
      t.equal((await keysOfClasses(room.store, keyClass.garbage)).length, 2, 'one for each end')
      const grown: Word[] = ['a', 'b', 'c']
      await room.run('LPUSH', 'l', ...grown)
      await room.run('RPUSH', 'l', ...grown)
      t.equal(await room.line('LINSERT l BEFORE c z'), 10)
      await room.engine.garbage.round()
      t.same(await keysOfClasses(room.store, keyClass.garbage), [])
      t.equal((await keysOfClasses(room.store, keyClass.member)).length, 10)
      t.same(await room.line('LRANGE l 0 -1'), [
        ...['z', 'c', 'b', 'a', '2000', '2001', '2002', 'a', 'b', 'c'],
      ])
      await room.run('RPUSH', 'l', 'd')
      t.same(await room.line('LRANGE l 9 10'), ['c', 'd'])
    },
    once,
  ),
)

t.test('the background and a list that grows share what was cut off', (t) =>
  eachKeyValueRoom(
    t,
    'sharing',
    async (t, room) => {
      await fill(room, 'l', 3_000)
      await room.line('LTRIM l 1500 1500')
      // Pushes run between the steps of the background.
      const sweeping = room.engine.garbage.round()
      const pushed: string[] = []
      for (let i = 0; i < 400; i++) {
        await Promise.all([room.run('LPUSH', 'l', `f${i}`), room.run('RPUSH', 'l', `b${i}`)])
        pushed.push(`b${i}`)
      }
      await sweeping
      while (await room.engine.garbage.round()) t.pass('more')
      const fronts = pushed.map((name) => name.replace('b', 'f')).reverse()
      t.same(await room.line('LRANGE l 0 -1'), [...fronts, '1500', ...pushed])
      t.equal((await keysOfClasses(room.store, keyClass.member)).length, 801)
    },
    once,
  ),
)

t.test('a second cut joins the first, and a cut list can go', (t) =>
  eachKeyValueRoom(
    t,
    'cuts',
    async (t, room) => {
      await fill(room, 'l', 4_000)
      await room.line('LTRIM l 1000 -1')
      await room.line('LPUSH l x y')
      await room.line('LTRIM l 1000 -1000')
      t.equal(await room.line('LLEN l'), 1_003)
      t.equal(await room.line('LINDEX l 0'), '1998')
      t.same((await room.line('LPOP l 1000')) as unknown[], sequence(1_998, 1_000))
      t.same(await room.line('LRANGE l 0 -1'), sequence(2_998, 3))
      while (await room.engine.garbage.round()) t.pass('behind')
      t.equal((await keysOfClasses(room.store, keyClass.member)).length, 3)
      await fill(room, 'l', 1_000)
      await room.line('LTRIM l 0 10')
      await room.line('DEL l')
      while (await room.engine.garbage.round()) t.pass('behind')
      t.same(await keysOfClasses(room.store, keyClass.member, keyClass.garbage), [])
    },
    once,
  ),
)

function sequence(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => String(first + i))
}

t.test('what moves more than a program may write is written anew', (t) =>
  eachKeyValueRoom(
    t,
    'bounded',
    async (t, room) => {
      await fill(room, 'l', 12_000)
      t.equal(await room.line('LINSERT l BEFORE 100 x'), 12_001)
      t.equal(await room.line('LINSERT l BEFORE 6000 y'), 12_002)
      t.equal(await room.line('LREM l 1 11990'), 1)
      t.equal(await room.line('LREM l 1 6000'), 1)
      t.equal(await room.line('LLEN l'), 12_000)
      t.same(await room.line('LRANGE l 99 102'), ['99', 'x', '100', '101'])
      t.same(await room.line('LRANGE l 6000 6002'), ['5999', 'y', '6001'])
      t.same(await room.line('LRANGE l 11989 11992'), ['11988', '11989', '11991', '11992'])
    },
    { kinds: ['memory'] },
  ),
)

t.test('what takes and answers needs both rights', (t) =>
  eachKeyValueRoom(
    t,
    'rights',
    async (t, room) => {
      for (const name of ['lpop', 'rpop', 'lmove', 'rpoplpush', 'lmpop', 'blpop', 'blmove']) {
        t.same(room.bus.table.find(name)?.privileges, ['read', 'write'], name)
      }
    },
    { kinds: ['memory'] },
  ),
)
