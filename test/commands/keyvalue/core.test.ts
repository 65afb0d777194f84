// What every key-value command goes through: order, refusals, transactions, watched keys, and the
// same documents seen by the document protocol.

import t, { type Test } from 'tap'
import { fail } from '../../../src/base/errors.js'
import { readSettings } from '../../../src/base/settings.js'
import { ensureNamespace, findNamespace } from '../../../src/engine/collection/catalog/catalog.js'
import {
  findById,
  insertDocument,
  recordKey,
  removeDocument,
  replaceDocument,
} from '../../../src/engine/collection/collections.js'
import { anonymous } from '../../../src/identity/identity.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { createOptions } from '../../support/engine-room.js'
import { eachBound, eachKeyValueRoom, type KeyValueRoom } from '../../support/key-value-room.js'
import { toObject } from '../../support/literal.js'

const database = readSettings({}).DATABASE

/** The document of a key, as the document protocol would read it. */
async function documentOf(room: KeyValueRoom, name: string, kv = 'kv0'): Promise<unknown> {
  const found = await room.store.read(function* (tx) {
    const ns = yield* findNamespace(tx, database, kv)
    return ns === undefined ? undefined : yield* findById(tx, ns, valueFrom(name))
  })
  return found === undefined ? undefined : toObject(found)
}

t.test('a pipeline is answered in order, reads seeing the writes before them', (t) =>
  eachKeyValueRoom(t, 'pipeline', async (t, room) => {
    const replies = await Promise.all([
      room.run('SET', 'a', '1'),
      room.run('GET', 'a'),
      room.run('INCR', 'a'),
      room.run('NOSUCH', 'x'),
      room.run('GET', 'a'),
      room.run('SELECT', '1'),
      room.run('GET', 'a'),
      room.run('SET', 'a', 'other'),
      room.run('SELECT', '0'),
      room.run('GET', 'a'),
    ])
    t.same(replies, [
      'OK',
      '1',
      2,
      { error: "ERR unknown command 'NOSUCH', with args beginning with: 'x' " },
      '2',
      'OK',
      null,
      'OK',
      'OK',
      '2',
    ])
  }),
)

t.test('more commands than one program takes are all answered, in order', (t) =>
  eachKeyValueRoom(t, 'long pipeline', async (t, room) => {
    const sent: Promise<unknown>[] = []
    for (let i = 0; i < 300; i++) sent.push(room.run('INCR', 'n'))
    t.same(
      await Promise.all(sent),
      Array.from({ length: 300 }, (_, i) => i + 1),
    )
  }),
)

t.test('an error leaves its neighbours alone', (t) =>
  eachKeyValueRoom(t, 'neighbours', async (t, room) => {
    const replies = await Promise.all([
      room.run('SET', 's', 'text'),
      room.run('INCR', 's'),
      room.run('HSET', 's', 'f', 'v'),
      room.run('SET', 'n', '9223372036854775807'),
      room.run('INCR', 'n'),
      room.run('GET', 'n'),
      room.run('HSET', 'h', 'f'),
    ])
    t.same(replies, [
      'OK',
      { error: 'ERR value is not an integer or out of range' },
      { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' },
      'OK',
      { error: 'ERR increment or decrement would overflow' },
      '9223372036854775807',
      { error: "ERR wrong number of arguments for 'hset' command" },
    ])
  }),
)

t.test('without login everything but login is refused', (t) =>
  eachKeyValueRoom(t, 'login', async (t, room) => {
    const unauthenticated = room.client(anonymous)
    t.same(await unauthenticated.run('GET', 'a'), { error: 'NOAUTH Authentication required.' })
    t.same(await unauthenticated.run('GET'), {
      error: "ERR wrong number of arguments for 'get' command",
    })
    t.same(await unauthenticated.run('FOO', 'secret'), {
      error: "ERR unknown command 'FOO', with args beginning with: ",
    })
    t.same(await unauthenticated.run('AUTH', 'wrong'), {
      error: 'WRONGPASS invalid username-password pair or user is disabled.',
    })
    t.equal(await unauthenticated.run('AUTH', 'svc_op_room'), 'OK')
    t.equal(await unauthenticated.run('GET', 'a'), null)
    const named = room.client(anonymous)
    const hello = await named.run('HELLO', '3', 'AUTH', 'operator', 'svc_op_room')
    t.match(hello, ['server', 'redis', 'version', '7.0.15', 'proto', 3])
    t.equal(named.session.respVersion, 3)
  }),
)

t.test('MULTI queues, EXEC runs all as one and keeps going behind an error', (t) =>
  eachKeyValueRoom(t, 'transactions', async (t, room) => {
    t.same(await room.run('EXEC'), { error: 'ERR EXEC without MULTI' })
    t.equal(await room.run('MULTI'), 'OK')
    t.same(await room.run('MULTI'), { error: 'ERR MULTI calls can not be nested' })
    t.equal(await room.run('SET', 'a', 'x'), 'QUEUED')
    t.equal(await room.run('INCR', 'a'), 'QUEUED')
    t.equal(await room.run('SELECT', '1'), 'QUEUED')
    t.equal(await room.run('SET', 'a', 'in 1'), 'QUEUED')
    t.equal(await room.run('PING'), 'QUEUED')
    t.equal(await room.run('GET', 'a'), 'QUEUED')
    const other = room.client()
    t.equal(await other.run('GET', 'a'), null)
    t.same(await room.run('EXEC'), [
      'OK',
      { error: 'ERR value is not an integer or out of range' },
      'OK',
      'OK',
      'PONG',
      'in 1',
    ])
    t.equal(await other.run('GET', 'a'), 'x')
    t.equal(await room.run('GET', 'a'), 'in 1')
  }),
)

t.test('a command that cannot be queued makes EXEC refuse', (t) =>
  eachKeyValueRoom(t, 'poisoned', async (t, room) => {
    await room.run('MULTI')
    t.match(await room.run('GET'), { error: /wrong number/ })
    t.equal(await room.run('SET', 'a', '1'), 'QUEUED')
    t.same(await room.run('EXEC'), {
      error: 'EXECABORT Transaction discarded because of previous errors.',
    })
    t.equal(await room.run('GET', 'a'), null)
    await room.run('MULTI')
    await room.run('SET', 'a', '1')
    t.equal(await room.run('DISCARD'), 'OK')
    t.equal(await room.run('GET', 'a'), null)
    await room.run('MULTI')
    t.same(await room.run('EXEC'), [])
  }),
)

t.test('a watched key that changes makes EXEC answer nil', (t) =>
  eachBound(t, 'watch', async (t, room) => {
    const other = room.client()
    await room.run('HSET', 'h', 'f', '1', 'g', '2')
    const attempt = async (change: () => Promise<unknown>): Promise<unknown> => {
      await room.run('WATCH', 'h', 'absent')
      await change()
      await room.run('MULTI')
      await room.run('SET', 'done', 'yes')
      return room.run('EXEC')
    }
    t.same(await attempt(async () => {}), ['OK'])
    t.equal(await attempt(() => other.run('HSET', 'h', 'f', '3')), null)
    t.equal(await attempt(() => room.run('HSET', 'h', 'f', '4')), null)
    t.equal(await attempt(() => other.run('SET', 'absent', '1')), null)
    t.equal(await attempt(() => other.run('PEXPIRE', 'absent', '1000')), null)
    const expired = async () => {
      room.clock.ms += 1_000
    }
    t.equal(await attempt(expired), null)
    t.same(await attempt(async () => {}), ['OK'])
  }),
)

t.test('a key is a document, and a document a key', (t) =>
  eachKeyValueRoom(t, 'documents', async (t, room) => {
    const { clock, store } = room
    await room.run('SET', 'text', 'grüße', 'PX', '1500')
    t.same(await documentOf(room, 'text'), {
      _id: 'text',
      type: 'string',
      value: 'grüße',
      expiresAt: new Date(clock.ms + 1500),
    })
    await room.run('HSET', 'h', 'name', 'Ada', 'age', '36')
    t.same(await documentOf(room, 'h'), {
      _id: 'h',
      type: 'hash',
      value: { name: 'Ada', age: '36' },
    })
    const write = (change: 'insert' | 'replace' | 'remove', object: Record<string, unknown>) =>
      store.write(function* (tx) {
        const ns = yield* ensureNamespace(tx, database, 'kv0', createOptions)
        const document = documentFrom(object)
        const id = valueFrom(object._id)
        if (change === 'insert') {
          yield* insertDocument(tx, ns, document)
          return
        }
        const before = yield* findById(tx, ns, id)
        if (before === undefined) throw fail('NoSuchKey', 'no such document')
        const key = recordKey(ns, id)
        if (change === 'remove') yield* removeDocument(tx, ns, key, before)
        else yield* replaceDocument(tx, ns, key, before, document)
      })
    await write('insert', { _id: 'n', type: 'string', value: 41 })
    t.equal(await room.run('INCR', 'n'), 42)
    await write('replace', { _id: 'h', type: 'hash', value: { age: '37' } })
    t.equal(await room.run('HGET', 'h', 'age'), '37')
    await write('remove', { _id: 'h' })
    t.equal(await room.run('EXISTS', 'h'), 0)
    await t.rejects(write('insert', { _id: 'bad', value: 'x' }), { code: 121 })
    await t.rejects(write('insert', { _id: 7, type: 'string', value: 'x' }), { code: 121 })
  }),
)

t.test('bytes that are no text stay binary', (t) =>
  eachKeyValueRoom(t, 'binary', async (t, room) => {
    const bytes = Uint8Array.of(0xff, 0, 1, 2)
    await room.run('SET', bytes, bytes)
    t.same(await room.run('GET', bytes), Buffer.from(bytes))
    await room.run('HSET', 'h', bytes, bytes, '', 'empty', '$x', 'y')
    t.same(await room.run('HGET', 'h', bytes), Buffer.from(bytes))
    t.equal(await room.run('HGET', 'h', ''), 'empty')
    t.equal(await room.run('HGET', 'h', '$x'), 'y')
  }),
)

t.test('a large value is stored whole, in its place in the pipeline', (t: Test) =>
  eachKeyValueRoom(t, 'large', async (t, room) => {
    const large = 'x'.repeat(600_000)
    const replies = await Promise.all([
      room.run('SET', 'a', '1'),
      room.run('SET', 'b', large),
      room.run('SET', 'b', 'small'),
      room.run('SET', 'c', large),
      room.run('GET', 'b'),
      room.run('GET', 'c'),
      room.run('HSET', 'h', 'f', large),
      room.run('HGET', 'h', 'f'),
      room.run('DEL', 'c'),
    ])
    t.same(replies.slice(0, 5), ['OK', 'OK', 'OK', 'OK', 'small'])
    t.equal(replies[5], large)
    t.same(replies.slice(6), [1, large, 1])
  }),
)
