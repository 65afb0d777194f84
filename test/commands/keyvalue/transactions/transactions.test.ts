// WATCH sees every way in which any client can change a key, and nothing else; what
// is queued behind MULTI is bounded.

import t from 'tap'
import { programPutsMax } from '../../../../src/base/limits/engine.js'
import { multiBytesMax, multiBytesTotalMax } from '../../../../src/base/limits/key-value.js'
import { readSettings } from '../../../../src/base/settings.js'
import { findNamespace } from '../../../../src/engine/collection/catalog/catalog.js'
import {
  insertDocument,
  recordKey,
  removeDocument,
} from '../../../../src/engine/collection/collections.js'
import { documentFrom, valueFrom } from '../../../../src/value/literal.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'
import type { LateStore } from '../../../support/late-store.js'

/** The bounds of queues are met before those of memory. */
const roomy = { MEMORY_BUDGET: '2000MB' }
const database = readSettings({}).DATABASE

/** WATCH, then `change`, then an EXEC: nil where it was aborted. */
async function attempt(
  room: KeyValueRoom,
  watched: string,
  change: () => Promise<unknown>,
): Promise<unknown> {
  await room.line(`WATCH ${watched}`)
  await change()
  await room.line('MULTI')
  await room.line('SET done yes')
  return room.line('EXEC')
}

/** A document client writes a key and removes it again. */
async function insertAndRemove({ engine: { store } }: KeyValueRoom, _id: string): Promise<void> {
  const document = documentFrom({ _id, type: 'string', value: 'v' })
  await store.write(function* (tx) {
    const ns = yield* findNamespace(tx, database, 'kv0')
    if (ns !== undefined) yield* insertDocument(tx, ns, document)
  })
  await store.write(function* (tx) {
    const ns = yield* findNamespace(tx, database, 'kv0')
    if (ns === undefined) return
    yield* removeDocument(tx, ns, recordKey(ns, valueFrom(_id)), document)
  })
}

t.test('a key that was set and deleted again in between aborts EXEC', (t) =>
  eachKeyValueRoom(t, 'set and deleted', async (t, room) => {
    const other = room.client()
    const setAndDeleted = async () => {
      await other.line('SET absent 1')
      await other.line('DEL absent')
    }
    t.equal(await attempt(room, 'absent', setAndDeleted), null)
    t.equal(await room.line('GET done'), null)
    const byItself = async () => {
      await room.line('SET absent 1')
      await room.line('DEL absent')
    }
    t.equal(await attempt(room, 'absent', byItself), null)
    t.equal(await attempt(room, 'a b absent', () => other.line('SADD b x')), null)
    await other.line('DEL b')
    const inOneProgram = () =>
      Promise.all(
        ['MULTI', 'RPUSH absent x', 'LPOP absent', 'EXEC'].map((each) => other.line(each)),
      )
    t.equal(await attempt(room, 'absent', inOneProgram), null)
    t.equal(await attempt(room, 'absent', () => insertAndRemove(room, 'absent')), null)
    t.same(await attempt(room, 'absent', () => other.line('SET else 1')), ['OK'])
  }),
)

t.test('what a pipeline of another client did before EXEC in the same group aborts it', (t) =>
  eachKeyValueRoom(
    t,
    'one group',
    async (t, room) => {
      const other = room.client()
      await room.line('WATCH absent')
      await room.line('MULTI')
      await room.line('GET absent')
      await room.line('SET done yes')
      const replies = await Promise.all([
        other.line('SET absent 1'),
        other.line('DEL absent'),
        room.line('EXEC'),
      ])
      t.same(replies, ['OK', 1, null])
    },
    { kinds: ['memory', 'lmdb', 'postgres'] },
  ),
)

t.test('a watched key that is there and flushed, swapped, renamed or due aborts EXEC', (t) =>
  eachKeyValueRoom(t, 'gone', async (t, room) => {
    const other = room.client()
    const ways: (() => Promise<unknown>)[] = [
      () => other.line('FLUSHDB'),
      () => other.line('FLUSHALL'),
      () => other.line('SWAPDB 0 1'),
      () => other.line('RENAME k l'),
      () => other.line('MOVE k 2'),
      () => other.line('SET k v'),
      () => other.line('PERSIST k'),
      async () => {
        room.clock.ms += 60_000
      },
    ]
    for (const way of ways) {
      await room.line('FLUSHALL')
      await room.line('SET k v PX 50000')
      t.equal(await attempt(room, 'k', way), null, String(way))
    }
  }),
)

t.test('a watched key that is not there is left alone by a flush, and not by what follows', (t) =>
  eachKeyValueRoom(t, 'flushed', async (t, room) => {
    const other = room.client()
    t.same(await attempt(room, 'absent', () => other.line('FLUSHALL')), ['OK'])
    t.same(await attempt(room, 'absent', () => other.line('SWAPDB 0 1')), ['OK'])
    const flushedBehind = async () => {
      await other.line('SET absent 1')
      await other.line('FLUSHDB')
    }
    t.equal(await attempt(room, 'absent', flushedBehind), null)
    const flushedBefore = async () => {
      await other.line('FLUSHDB')
      await other.line('SET absent 1')
      await other.line('DEL absent')
    }
    t.equal(await attempt(room, 'absent', flushedBefore), null)
    const swappedIn = async () => {
      await other.line('SELECT 3')
      await other.line('SET absent 1')
      await other.line('SWAPDB 0 3')
    }
    t.equal(await attempt(room, 'absent', swappedIn), null)
  }),
)

t.test('a key of that name in another database is another key', (t) =>
  eachKeyValueRoom(t, 'databases', async (t, room) => {
    const other = room.client()
    await other.line('SELECT 5')
    const elsewhere = async () => {
      await other.line('SET absent 1')
      await other.line('DEL absent')
    }
    t.same(await attempt(room, 'absent', elsewhere), ['OK'])
  }),
)

t.test('a key that was due when it was watched may be swept, but not set', (t) =>
  eachKeyValueRoom(t, 'due', async (t, room) => {
    const other = room.client()
    await room.line('SET k v PX 10')
    room.clock.ms += 20
    t.same(await attempt(room, 'k', () => other.line('DEL k')), ['OK'])
    await room.line('SET k v PX 10')
    room.clock.ms += 20
    const again = async () => {
      await other.line('SET k v PX 10')
      room.clock.ms += 20
    }
    t.equal(await attempt(room, 'k', again), null)
  }),
)

t.test('what was set and deleted between two runs of EXEC aborts it', (t) =>
  eachKeyValueRoom(
    t,
    'between runs',
    async (t, room) => {
      const late = room.store as LateStore
      const other = room.client()
      let conflicts = 0
      for (let attempts = 0; attempts < 300 && conflicts < 20; attempts++) {
        let isChanged = false
        await room.line('WATCH absent')
        await room.line('MULTI')
        await room.line('SET absent mine')
        late.betweenRuns = async () => {
          if (isChanged) return
          isChanged = true
          await other.line('SET absent theirs')
          await other.line('DEL absent')
        }
        const reply = await room.line('EXEC')
        late.betweenRuns = undefined
        t.same(reply, isChanged ? null : ['OK'])
        if (isChanged) conflicts++
        await room.line('DEL absent')
      }
      t.ok(conflicts > 0, `${conflicts} conflicts`)
    },
    { kinds: ['late'] },
  ),
)

t.test('what was set and deleted between EXEC and its commit aborts it', (t) =>
  eachKeyValueRoom(
    t,
    'before the commit',
    async (t, room) => {
      const late = room.store as LateStore
      const other = room.client()
      for (let attempts = 0; attempts < 20; attempts++) {
        await room.line('WATCH absent')
        await room.line('MULTI')
        await room.line('SET absent mine')
        late.beforeCommit = async () => {
          late.beforeCommit = undefined
          await other.line('SET absent theirs')
          await other.line('DEL absent')
        }
        t.equal(await room.line('EXEC'), null)
        t.equal(await room.line('GET absent'), null)
      }
    },
    { kinds: ['late'] },
  ),
)

t.test('a client that waits is woken by a write whose commit comes late', (t) =>
  eachKeyValueRoom(
    t,
    'woken late',
    async (t, room) => {
      const late = room.store as LateStore
      const other = room.client()
      for (let attempts = 0; attempts < 20; attempts++) {
        const popped = room.line('BLPOP waited 0')
        late.beforeCommit = () => new Promise((resolve) => setImmediate(resolve))
        await other.line(`RPUSH waited ${attempts}`)
        t.same(await popped, ['waited', String(attempts)])
      }
      late.beforeCommit = undefined
    },
    { kinds: ['late'] },
  ),
)

t.test('a run of EXEC that came to nothing does not abort the next', (t) =>
  eachKeyValueRoom(
    t,
    'own puts',
    async (t, room) => {
      for (let attempts = 0; attempts < 50; attempts++) {
        await room.line('WATCH absent')
        await room.line('MULTI')
        await room.line('SET absent mine')
        t.same(await room.line('EXEC'), ['OK'])
        await room.line('DEL absent')
      }
    },
    { kinds: ['late'] },
  ),
)

t.test('UNWATCH, DISCARD, EXEC and going away forget what was watched', (t) =>
  eachKeyValueRoom(t, 'forgotten', async (t, room) => {
    const other = room.client()
    await room.line('WATCH absent')
    await room.line('UNWATCH')
    t.same(await attempt(room, 'else', () => other.line('SET absent 1')), ['OK'])
    await room.line('WATCH absent')
    await room.line('MULTI')
    await room.line('DISCARD')
    t.same(await attempt(room, 'else', () => other.line('SET absent 2')), ['OK'])
    t.same(await attempt(room, 'else', () => other.line('SET absent 3')), ['OK'])
    await other.line('WATCH gone')
    other.close()
    t.equal(await room.line('SET gone 1'), 'OK')
  }),
)

t.test('what all connections queue together is bounded', (t) =>
  eachKeyValueRoom(
    t,
    'queues',
    async (t, room) => {
      const text = 'x'.repeat(15 * 1024 * 1024)
      const others = Array.from({ length: 4 }, () => room.client())
      let queued = 0
      for (const client of others) {
        await client.line('MULTI')
        while ((await client.run('SET', 'k', text)) === 'QUEUED') queued += text.length
      }
      t.ok(queued > multiBytesTotalMax / 2 && queued <= multiBytesTotalMax, `${queued} bytes`)
      await room.line('MULTI')
      t.same(await room.run('SET', 'k', text), {
        error: 'ERR too much is queued in this transaction',
      })
      await room.line('DISCARD')
      await others[0]?.line('DISCARD')
      others[1]?.close()
      await others[2]?.line('EXEC')
      await others[3]?.line('RESET')
      t.equal(room.bus.queuedBytes, 0)
    },
    { kinds: ['memory'], settings: roomy },
  ),
)

t.test('what is queued is bounded, and EXEC is refused beyond', (t) =>
  eachKeyValueRoom(
    t,
    'queue',
    async (t, room) => {
      const text = 'x'.repeat(8 * 1024 * 1024)
      await room.line('MULTI')
      let queued = 0
      let reply: unknown = 'QUEUED'
      while (reply === 'QUEUED' && queued <= multiBytesMax) {
        reply = await room.run('SET', 'k', text)
        if (reply === 'QUEUED') queued += text.length
      }
      t.same(reply, { error: 'ERR too much is queued in this transaction' })
      t.ok(queued <= multiBytesMax && queued > multiBytesMax / 2, `${queued} bytes were queued`)
      t.equal(
        await room.run('SET', 'k', text),
        'QUEUED',
        'as on the reference server; it is not kept',
      )
      t.equal(room.session.multi?.size, 0)
      t.match(await room.line('EXEC'), { error: /^EXECABORT / })
      await room.line('MULTI')
      await room.line('SET k small')
      t.same(await room.line('EXEC'), ['OK'])
    },
    { kinds: ['memory'], settings: roomy },
  ),
)

t.test('a transaction may write one key again and again', (t) =>
  eachKeyValueRoom(
    t,
    'again',
    async (t, room) => {
      const count = programPutsMax + 1_000
      await room.line('MULTI')
      for (let i = 0; i < count; i++) await room.line('INCR n')
      // Of several lengths.
      for (let i = 0; i < count; i++) await room.run('SET', 'k', 'x'.repeat(i % 50))
      const replies = await room.line('EXEC')
      t.equal(Array.isArray(replies) ? replies.length : replies, 2 * count)
      t.equal(await room.line('GET n'), `${count}`)
      t.equal(await room.line('STRLEN k'), (count - 1) % 50)
    },
    { kinds: ['memory', 'lmdb'] },
  ),
)
