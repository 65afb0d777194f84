// Retryable writes on every store: a statement that is sent again takes effect once and answers the
// same, on the store that answers late and conflicts too.

import { Binary, Long } from 'bson'
import t, { type Test } from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import {
  retryAnswerBytesMax,
  retryIdBytesMax,
  retryRecordMs,
  writeSessionsMax,
  writeSessionsOfOwnerMax,
} from '../../../../src/base/limits/documents.js'
import { attemptOf, WriteSessions } from '../../../../src/bus/document/retries/write-sessions.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { CommandRoom, eachRoom } from '../../../support/command-room.js'
import { LateStore } from '../../../support/late-store.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'

const router = { services: { topology: 'router' } } as const
const lsid = { id: new Binary(new Uint8Array(16).fill(7), 4) }
const numbered = (number: number) => ({ lsid, txnNumber: Long.fromNumber(number) }) as const

type Command = Readonly<Record<string, unknown>>

/** The reply of the command, after it was sent three times: all replies must be equal. */
async function thrice(t: Test, room: CommandRoom, command: Command, number: number) {
  const sent = { ...command, ...numbered(number) }
  const reply = await room.run(sent)
  t.same(await room.run(sent), reply)
  t.same(await room.run(sent), reply)
  return reply
}

eachRoom(
  t,
  'each statement takes effect once, and its retries answer the same',
  async (t, room) => {
    const documents = [{ n: 1 }, { n: 1 }, { _id: 'own', n: 1 }]
    t.match(await thrice(t, room, { insert: 'c', documents }, 1), { n: 3 })
    t.match(await room.run({ count: 'c' }), { n: 3 })

    const increments = [
      { q: { _id: 'own' }, u: { $inc: { n: 1 } } },
      { q: { n: 1 }, u: { $inc: { n: 10 } } },
      { q: { _id: 'own' }, u: { $set: { same: 1 } } },
      { q: { _id: 'own' }, u: { $set: { same: 1 } } },
      { q: { _id: 'new' }, u: { $inc: { n: 5 } }, upsert: true },
      { q: { name: 'found' }, u: { $inc: { n: 5 } }, upsert: true },
      { q: { _id: 'missing' }, u: { $inc: { n: 5 } } },
    ]
    const updated = await thrice(t, room, { update: 'c', updates: increments }, 2)
    t.match(updated, { n: 6, nModified: 3 })
    t.match(updated.upserted, [{ index: 4, _id: 'new' }, { index: 5 }])
    t.match((await room.run({ find: 'c', filter: { _id: 'own' } })).cursor.firstBatch, [{ n: 2 }])
    t.equal((await room.run({ count: 'c', query: { n: 11 } })).n, 1)
    t.equal((await room.run({ count: 'c', query: { n: 5 } })).n, 2)

    const deletes = [
      { q: { n: 5 }, limit: 1 },
      { q: { _id: 'own' }, limit: 1 },
      { q: { _id: 'missing' }, limit: 1 },
    ]
    t.match(await thrice(t, room, { delete: 'c', deletes }, 3), { n: 2 })
    t.equal((await room.run({ count: 'c', query: { n: 5 } })).n, 1)
  },
  router,
)

eachRoom(
  t,
  'statements that run in one program take effect once, all of them',
  async (t, room) => {
    const random = seededRandom(seed)
    const below = (bound: number) => Math.floor(random() * bound)
    const model = new Map<number, number>()
    for (let number = 1; number <= 20; number++) {
      if (random() < 0.3) {
        const deletes = Array.from({ length: 1 + below(6) }, () => ({
          q: { _id: below(8) },
          limit: 1,
        }))
        const n = deletes.filter(({ q }) => model.delete(q._id)).length
        t.match(await thrice(t, room, { delete: 'c', deletes }, number), { n })
        continue
      }
      // For all alike: a statement that found nothing may find, sent again, what a later one added.
      const upsert = random() < 0.5
      const updates = Array.from({ length: 1 + below(6) }, () => ({
        q: { _id: below(8) },
        u: { $inc: { n: 1 } },
        upsert,
      }))
      let n = 0
      for (const { q } of updates) {
        const known = model.get(q._id)
        if (known === undefined && !upsert) continue
        model.set(q._id, (known ?? 0) + 1)
        n++
      }
      t.match(await thrice(t, room, { update: 'c', updates }, number), { n })
      const expected = [...model].map(([_id, n]) => ({ _id, n })).sort((a, b) => a._id - b._id)
      t.same((await room.run({ find: 'c', sort: { _id: 1 } })).cursor.firstBatch, expected)
    }
  },
  router,
)

eachRoom(
  t,
  'findAndModify answers again what it answered',
  async (t, room) => {
    await room.insert('c', { _id: 1, n: 1 }, { _id: 2, n: 2 }, { _id: 3, n: 3 })
    const first = { findAndModify: 'c', sort: { n: 1 } }
    const increment = { ...first, update: { $inc: { n: 100 } } }
    t.match(await thrice(t, room, increment, 1), { value: { _id: 1, n: 1 } })
    t.match(await thrice(t, room, { ...increment, new: true }, 2), { value: { _id: 2, n: 102 } })
    t.match(await thrice(t, room, { ...first, remove: true }, 3), { value: { _id: 3 } })
    const upsert = { findAndModify: 'c', query: { _id: 9 }, update: { n: 1 }, upsert: true }
    const added = await thrice(t, room, { ...upsert, new: true }, 4)
    t.match(added, { lastErrorObject: { updatedExisting: false, upserted: 9 } })
    const none = { findAndModify: 'c', query: { _id: 77 }, remove: true }
    t.match(await thrice(t, room, none, 5), { value: null })
    t.same(
      (await room.all('c')).map(({ n }) => n),
      [101, 102, 1],
    )
    await room.insert('c', { _id: 'long', text: 'x'.repeat(retryAnswerBytesMax) })
    const long = { ...first, query: { _id: 'long' }, remove: true, ...numbered(6) }
    await room.run(long)
    t.equal((await room.fails(long))[0], 217)
  },
  router,
)

eachRoom(
  t,
  'a part that failed runs again, the rest does not',
  async (t, room) => {
    await room.insert('c', { _id: 2 })
    const documents = [{ _id: 1 }, { _id: 2 }, { _id: 3 }]
    const insert = { insert: 'c', documents, ordered: false, ...numbered(1) }
    t.match(await room.run(insert), { n: 2, writeErrors: [{ index: 1, code: 11000 }] })
    await room.run({ delete: 'c', deletes: [{ q: { _id: { $lt: 3 } }, limit: 0 }] })
    t.match(await room.run(insert), { n: 3 })
    t.same(await room.all('c'), [{ _id: 2 }, { _id: 3 }])
  },
  router,
)

eachRoom(
  t,
  'numbers and commands that cannot be repeated have their codes',
  async (t, room) => {
    const codeOf = async (command: Command) => (await room.fails(command))[0]
    const insert = { insert: 'c', documents: [{}] }
    await room.run({ ...insert, ...numbered(5) })
    t.equal(await codeOf({ ...insert, ...numbered(4) }), 225)
    t.equal(await codeOf({ find: 'c', ...numbered(6) }), 50768)
    const modify = { findAndModify: 'c', update: { $set: { a: 1 } }, ...numbered(5) }
    t.equal(await codeOf(modify), 40606, 'the number was that of an insert')
    const many = { q: {}, u: { $set: { a: 1 } }, multi: true }
    t.equal(await codeOf({ update: 'c', updates: [many], ...numbered(6) }), 72)
    const all = { delete: 'c', deletes: [{ q: {}, limit: 0 }], ...numbered(6) }
    t.equal(await codeOf(all), 72)
    t.equal(await codeOf({ ...insert, txnNumber: Long.fromNumber(1) }), 72, 'without a session')
    // A transaction ends when its session goes on to a later number.
    const begun = { ...insert, ...numbered(7), autocommit: false, startTransaction: true }
    await room.run(begun)
    t.match(await room.run({ ...insert, ...numbered(8) }), { n: 1 })
    t.equal(room.engine.transactions.size, 0)
  },
  router,
)

eachRoom(
  t,
  'statements beyond one row, and a later number over them',
  async (t, room) => {
    const documents = Array.from({ length: 2_500 }, (_, n) => ({ n }))
    t.match(await thrice(t, room, { insert: 'c', documents }, 1), { n: 2_500 })
    t.match(await room.run({ count: 'c' }), { n: 2_500 })
    t.match(await thrice(t, room, { insert: 'c', documents }, 2), { n: 2_500 })
    t.match(await room.run({ count: 'c' }), { n: 5_000 })
  },
  router,
)

eachRoom(
  t,
  'an upsert with a long _id runs once, although its answer is not kept',
  async (t, room) => {
    const _id = 'x'.repeat(retryIdBytesMax)
    const updates = [{ q: { _id }, u: { $inc: { n: 1 } }, upsert: true }]
    const sent = { update: 'c', updates, ...numbered(1) }
    t.match(await room.run(sent), { n: 1 })
    t.match(await room.run(sent), { writeErrors: [{ code: 217 }] })
    t.same(await room.all('c'), [{ _id, n: 1 }])
  },
  router,
)

t.test('sessions are bounded for an owner and in all, and expire', async (t) => {
  const sessions = new WriteSessions(true)
  const use = (owner: string, lsid: number, nowMs = 0) =>
    sessions.run(attemptOf({ owner, lsid: String(lsid), now: nowMs }, 1), nowMs, () =>
      documentFrom({ lsid }),
    )
  for (let lsid = 0; lsid < writeSessionsOfOwnerMax; lsid++) use('a', lsid)
  t.throws(() => use('a', writeSessionsOfOwnerMax), { message: /too many sessions/ })
  t.ok(use('a', 0), 'a known session goes on')
  const owners = writeSessionsMax / writeSessionsOfOwnerMax
  for (let owner = 1; owner < owners; owner++) {
    for (let lsid = 0; lsid < writeSessionsOfOwnerMax; lsid++) use(`b${owner}`, lsid)
  }
  t.throws(() => use('c', 0), { message: /too many sessions/ })
  t.ok(use('c', 0, retryRecordMs))
  t.equal(sessions.size, 1)
})

t.test('attempts on two servers at once take effect once', async (t) => {
  const first = new LateStore({ seed, conflictChance: 0.2 })
  const second = new LateStore({ seed: seed + 1, conflictChance: 0.2, beside: first })
  const rooms = [first, second].map((store) => new CommandRoom(store, systemClock, router))
  const [one, other] = rooms as [CommandRoom, CommandRoom]
  t.teardown(async () => {
    for (const room of rooms) await room.engine.close()
    await Promise.all([first.close(), second.close()])
  })
  await one.insert('c', { _id: 1, n: 0, group: 'a' })
  for (let number = 1; number <= 20; number++) {
    const u = { $inc: { n: 1 } }
    const updates = [
      { q: { _id: 1 }, u },
      { q: { group: 'a' }, u },
    ]
    const sent = { update: 'c', updates, ...numbered(number) }
    const [a, b] = await Promise.all([one.run(sent), other.run(sent)])
    t.match(a, { n: 2, nModified: 2 })
    t.same(b, a)
  }
  t.match(await one.all('c'), [{ n: 40 }])
})

t.test('a retry waits for the attempt that still runs', async (t) => {
  const store = new LateStore({ seed, conflictChance: 0.2 })
  const room = new CommandRoom(store, systemClock, router)
  t.teardown(async () => {
    await room.engine.close()
    await store.close()
  })
  await room.insert('c', ...Array.from({ length: 300 }, (_, n) => ({ _id: n, n })))
  const deletes = Array.from({ length: 50 }, () => ({ q: { n: { $gte: 0 } }, limit: 1 }))
  const sent = { delete: 'c', deletes, ...numbered(1) }
  const replies = await Promise.all([room.run(sent), room.run(sent), room.run(sent)])
  for (const reply of replies) t.match(reply, { n: 50 })
  t.match(await room.run({ count: 'c' }), { n: 250 })
})
