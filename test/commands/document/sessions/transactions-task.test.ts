// Transactions of the document wire on every store: which commands they take, the codes of wrong
// fields and numbers, and rights that are checked again by the commit.

import { Binary, Long } from 'bson'
import t from 'tap'
import { codes } from '../../../../src/base/errors.js'
import { HomeLimit } from '../../../../src/bus/spaces/home-limit.js'
import { countHomes } from '../../../../src/engine/collection/catalog/databases.js'
import { homeOf } from '../../../../src/engine/collection/catalog/homes.js'
import type { Identity } from '../../../../src/identity/identity.js'
import type { RevocationCheck } from '../../../../src/identity/rights/revocation-check.js'
import { sweepExpired } from '../../../../src/identity/sign-in/expiring-rows.js'
import { CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

const router = { services: { topology: 'router' } } as const
const lsid = { id: new Binary(new Uint8Array(16).fill(7), 4) }
const otherLsid = { id: new Binary(new Uint8Array(16).fill(8), 4) }
const inside = (number: number) =>
  ({ lsid, txnNumber: Long.fromNumber(number), autocommit: false }) as const
const begun = (number: number) => ({ ...inside(number), startTransaction: true }) as const
const find = { find: 'c' }
/** Rights alone decide here. */
const unrevoked: RevocationCheck = {
  *check(_tx, identity) {
    return identity
  },
}
const insert = (...documents: object[]) => ({ insert: 'c', documents })

type Command = Readonly<Record<string, unknown>>
const end = (room: CommandRoom, name: string, number: number) =>
  room.run({ [name]: 1, ...inside(number) }, 'admin')
const codeOf = async (room: CommandRoom, command: Command, db?: string): Promise<number> =>
  (await room.fails(command, db))[0]
const found = ({ cursor }: Reply): unknown[] => cursor.firstBatch

eachRoom(
  t,
  'a transaction is applied as a whole, or not at all',
  async (t, room) => {
    await room.insert('c', { _id: 1, n: 1 }, { _id: 2, n: 2 })
    await room.run({ ...insert({ _id: 3, n: 3 }), ...begun(1) })
    const update = { q: { n: { $gt: 1 } }, u: { $inc: { n: 10 } }, multi: true }
    t.match(await room.run({ update: 'c', updates: [update], ...inside(1) }), {
      n: 2,
      nModified: 2,
    })
    await room.run({ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }], ...inside(1) })
    const own = await room.run({ ...find, ...inside(1) })
    t.same(found(own), [
      { _id: 2, n: 12 },
      { _id: 3, n: 13 },
    ])
    t.same(await room.all('c'), [
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ])
    await end(room, 'commitTransaction', 1)
    await end(room, 'commitTransaction', 1)
    t.same(await room.all('c'), [
      { _id: 2, n: 12 },
      { _id: 3, n: 13 },
    ])
    t.match(await room.run({ count: 'c' }), { n: 2 })
    await room.run({ ...insert({ _id: 4 }), ...begun(2) })
    await end(room, 'abortTransaction', 2)
    t.equal((await room.all('c')).length, 2)
    t.equal(room.engine.transactions.size, 0)
  },
  router,
)

eachRoom(
  t,
  'numbers and states have their codes',
  async (t, room) => {
    const label = { errorLabels: ['TransientTransactionError'] }
    t.equal(await codeOf(room, { ...find, ...inside(1) }), 251)
    await room.run({ ...find, ...begun(1) })
    t.equal(await codeOf(room, { ...find, ...begun(1) }), 117)
    t.equal(await codeOf(room, { ...find, ...inside(2) }), 251)
    t.equal(await codeOf(room, { ...find, ...inside(0) }), 225)
    t.equal(await codeOf(room, { ...find, ...begun(0) }), 225)
    t.equal(await codeOf(room, { ...find, ...inside(1), lsid: otherLsid }), 251)
    await end(room, 'commitTransaction', 1)
    t.equal(await codeOf(room, { ...find, ...inside(1) }), 256)
    const late = await room.refusal({ abortTransaction: 1, ...inside(1) }, 'admin')
    t.same([late.code, late.extra], [256, {}], 'it is not to be tried again')
    await room.run({ ...find, ...begun(2) })
    await room.run({ ...find, ...begun(3) })
    t.equal(await codeOf(room, { ...find, ...inside(2) }), 225, 'a new one ends the one before')
    await end(room, 'abortTransaction', 3)
    const ended = await room.refusal({ ...find, ...inside(3) })
    t.match(ended, { code: 251, extra: label })
    t.equal(await codeOf(room, { commitTransaction: 1, ...inside(3) }, 'admin'), 251)
    t.equal(await codeOf(room, { commitTransaction: 1 }, 'admin'), 125)
    t.equal(await codeOf(room, { commitTransaction: 1, ...inside(3) }), 13)
  },
  router,
)

eachRoom(
  t,
  'wrong combinations of fields are refused',
  async (t, room) => {
    const number = { txnNumber: Long.fromNumber(1) }
    t.equal(await codeOf(room, { ...find, lsid, autocommit: false }), 72)
    t.equal(await codeOf(room, { ...find, lsid, startTransaction: true }), 72)
    t.equal(await codeOf(room, { ...find, ...number, autocommit: false }), 72)
    t.equal(await codeOf(room, { ...find, lsid, ...number, startTransaction: true }), 72)
    t.equal(await codeOf(room, { ...find, ...begun(1), autocommit: true }), 72)
    t.equal(await codeOf(room, { ...find, ...begun(1), startTransaction: false }), 72)
    t.equal(await codeOf(room, { ...find, ...begun(-1) }), 72)
    t.equal(await codeOf(room, { ...find, lsid, ...number }), 50768)
    const concern = { readConcern: { level: 'majority' } }
    await room.run({ ...find, ...begun(1), ...concern })
    t.equal(await codeOf(room, { ...find, ...inside(1), ...concern }), 72)
    const acknowledged = { writeConcern: { w: 'majority' } }
    t.equal(await codeOf(room, { ...insert({ _id: 1 }), ...inside(1), ...acknowledged }), 72)
    await room.run({ commitTransaction: 1, ...inside(1), ...acknowledged }, 'admin')
  },
  router,
)

eachRoom(
  t,
  'a command that is refused ends its transaction',
  async (t, room) => {
    await room.run({ create: 'capped', capped: true, size: 4_096 })
    const series = { timeField: 't' }
    await room.run({ create: 'series', timeseries: series })
    const refused = [
      { count: 'c' },
      { ping: 1 },
      { drop: 'c' },
      { insert: 'capped', documents: [{ n: 1 }] },
      { insert: 'series', documents: [{ t: new Date(0) }] },
      { aggregate: 'c', pipeline: [{ $out: 'o' }], cursor: {} },
    ]
    for (const [index, command] of refused.entries()) {
      const number = 10 + index
      await room.run({ ...insert({ _id: number }), ...begun(number) })
      t.equal(await codeOf(room, { ...command, ...inside(number) }), 263, JSON.stringify(command))
      await end(room, 'abortTransaction', number).catch(() => undefined)
    }
    await room.run({ ...insert({ _id: 1 }), ...begun(30) })
    t.match(await room.run({ ...insert({ _id: 1 }), ...inside(30) }), {
      writeErrors: [{ code: 11000 }],
    })
    t.equal(await codeOf(room, { ...find, ...inside(30) }), 251)
    t.same(await room.all('c'), [])
  },
  router,
)

eachRoom(
  t,
  'who commits first wins',
  async (t, room) => {
    await room.insert('c', { _id: 1, n: 1 })
    await room.run({ createIndexes: 'c', indexes: [{ key: { u: 1 }, name: 'u', unique: true }] })
    const change = { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }] }
    await room.run({ ...find, ...begun(9) })
    await room.run(change)
    const early = await room.refusal({ ...change, ...inside(9) })
    t.match(early, { code: 112, extra: { errorLabels: ['TransientTransactionError'] } })
    t.equal(await codeOf(room, { ...find, ...inside(9) }), 251)
    await room.run({ ...change, ...begun(10) })
    await room.run(change)
    const lost = await room.refusal({ commitTransaction: 1, ...inside(10) }, 'admin')
    t.match(lost, { code: 112, extra: { errorLabels: ['TransientTransactionError'] } })
    await room.run({ ...insert({ _id: 2, u: 5 }), ...begun(11) })
    await room.run(insert({ _id: 3, u: 5 }))
    t.equal(await codeOf(room, { commitTransaction: 1, ...inside(11) }, 'admin'), 112)
    t.same(await room.all('c'), [
      { _id: 1, n: 3 },
      { _id: 3, u: 5 },
    ])
  },
  router,
)

eachRoom(
  t,
  'definitions and rights are read again by the commit',
  async (t, room) => {
    await room.insert('c', { _id: 1 })
    const changes: Command[] = [
      { createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n' }] },
      { collMod: 'c', validator: { n: { $lt: 1_000 } } },
      { drop: 'c' },
    ]
    for (const [index, change] of changes.entries()) {
      const number = index + 1
      await room.run({ ...insert({ _id: 10 + index, n: 1 }), ...begun(number) })
      await room.run(change)
      t.equal(await codeOf(room, { commitTransaction: 1, ...inside(number) }, 'admin'), 112)
    }
    t.same(await room.all('c'), [])
  },
  router,
)

eachRoom(
  t,
  'a revoked right ends it',
  async (t, room, { store }) => {
    const rights = { revoked: false }
    const identity: Identity = {
      kind: 'session',
      address: `0x${'1'.repeat(40)}`,
      sid: 's',
      chainId: 1,
    }
    const own = new CommandRoom(store, room.engine.clock, {
      services: { topology: 'router', allow: () => !rights.revoked, revocation: unrevoked },
    })
    const session = own.sessionOf(identity)
    await own.run({ ...insert({ _id: 1 }), ...begun(1) }, 'test', session)
    await own.run({ ...insert({ _id: 2 }), ...inside(1) }, 'test', session)
    rights.revoked = true
    const commit = { commitTransaction: 1, ...inside(1) }
    t.equal((await own.refusal(commit, 'admin', session)).code, 13)
    t.same(await room.all('c'), [])
    rights.revoked = false
    await own.run({ ...insert({ _id: 1 }), ...begun(2) }, 'test', session)
    rights.revoked = true
    t.equal((await own.refusal({ ...find, ...inside(2) }, 'test', session)).code, 13)
    t.equal(own.engine.transactions.size, 0)
    await own.engine.close()
  },
  router,
)

eachRoom(
  t,
  'cursors belong to their transaction',
  async (t, room) => {
    await room.insert('c', ...Array.from({ length: 9 }, (_, n) => ({ _id: n })))
    const open = { ...find, batchSize: 2 }
    const first = await room.run({ ...open, ...begun(1) })
    const plain = await room.run({ ...open, lsid })
    const more = (reply: Reply) => ({
      getMore: Long.fromNumber(Number(reply.cursor.id)),
      collection: 'c',
    })
    t.equal(await codeOf(room, { ...more(first), lsid }), 50740)
    await room.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] })
    const next = await room.run({ ...more(first), ...inside(1) })
    t.equal(next.cursor.nextBatch.length, 7, 'it goes on in the state of its transaction')
    const kept = await room.run({ ...open, ...inside(1) })
    t.equal(await codeOf(room, { ...more(plain), ...inside(1) }), 50739)
    t.equal(await codeOf(room, { ...more(kept), ...inside(1) }), 251, 'which has ended it')
    t.equal(await codeOf(room, { ...more(kept), lsid }), 43)
  },
  router,
)

eachRoom(
  t,
  'large documents belong to their transaction',
  async (t, room) => {
    const text = 'x'.repeat(400_000)
    await room.run({ ...insert({ _id: 1, text }), ...begun(1) })
    const [own] = found(await room.run({ ...find, ...inside(1) }))
    t.equal((own as Reply).text.length, text.length)
    t.same(await room.all('c'), [])
    await end(room, 'commitTransaction', 1)
    t.equal((await room.all('c'))[0]?.text.length, text.length)
    await room.run({ ...insert({ _id: 2, text }), ...begun(2) })
    await end(room, 'abortTransaction', 2)
    t.equal((await room.all('c')).length, 1)
  },
  router,
)

eachRoom(
  t,
  'a commit is known after a restart, for as long as a session lives',
  async (t, room, { store, clock }) => {
    await room.run({ ...insert({ _id: 1 }), ...begun(7) })
    await end(room, 'commitTransaction', 7)
    await room.run({ ...insert({ _id: 2 }), ...begun(8) })
    await end(room, 'commitTransaction', 8)
    const other = new CommandRoom(store, clock, router)
    await end(other, 'commitTransaction', 8)
    t.equal(await codeOf(other, { commitTransaction: 1, ...inside(7) }, 'admin'), 225)
    t.equal(await codeOf(other, { commitTransaction: 1, ...inside(9) }, 'admin'), 251)
    const foreign = { commitTransaction: 1, ...inside(8), lsid: otherLsid }
    t.equal(await codeOf(other, foreign, 'admin'), 251)
    const later = clock.now() + 31 * 60_000
    // Where others have the store too, a promise of the abort is a record.
    const sessions = room.engine.store.ownsData ? 1 : 2
    const swept = await store.write((tx) => sweepExpired(tx, later, 10))
    t.equal(swept, sessions, 'one record a session')
    const third = new CommandRoom(store, clock, router)
    t.equal(await codeOf(third, { commitTransaction: 1, ...inside(8) }, 'admin'), 251)
    t.same(await third.all('c'), [{ _id: 1 }, { _id: 2 }])
    await other.engine.close()
    await third.engine.close()
  },
  router,
)

eachRoom(
  t,
  'a collection is made by the transaction that makes it',
  async (t, room) => {
    const listed = async () =>
      (await room.run({ listCollections: 1 })).cursor.firstBatch.map(({ name }: Reply) => name)
    await room.run({ create: 'made', ...begun(1) })
    const index = { indexes: [{ key: { n: 1 }, name: 'n', unique: true }] }
    await room.run({ createIndexes: 'made', ...index, ...inside(1) })
    await room.run({ insert: 'made', documents: [{ _id: 1 }], ...inside(1) })
    t.same(await listed(), [])
    await end(room, 'commitTransaction', 1)
    t.same(await listed(), ['made'])
    const twice = { insert: 'made', documents: [{ _id: 2 }] }
    t.match(await room.run(twice), { writeErrors: [{ code: 11000 }] })
    await room.run({ create: 'other', ...begun(4) })
    await room.run({ create: 'other' })
    t.equal(await codeOf(room, { commitTransaction: 1, ...inside(4) }, 'admin'), 112)
  },
  router,
)

eachRoom(
  t,
  'sessions end with their transactions',
  async (t, room) => {
    await room.run({ ...insert({ _id: 1 }), ...begun(1) })
    await room.run({ endSessions: [lsid] })
    t.equal(room.engine.transactions.size, 0)
    t.equal(await codeOf(room, { ...find, ...inside(1) }), 251)
    await room.run({ ...insert({ _id: 1 }), ...begun(5) })
    await room.run({ killAllSessions: [] })
    t.equal(room.engine.transactions.size, 0)
  },
  router,
)

eachRoom(
  t,
  'indexes are made of an empty collection of the same transaction alone',
  async (t, room) => {
    const index = { createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n', unique: true }] }
    const indexNames = async () =>
      (await room.run({ listIndexes: 'c' })).cursor.firstBatch.map(({ name }: Reply) => name)
    await room.run({ create: 'c', ...begun(1) })
    await room.run({ ...index, ...inside(1) })
    await room.run({ ...insert({ _id: 1, n: 1 }), ...inside(1) })
    t.match(await room.run({ ...index, ...inside(1) }), { note: 'all indexes already exist' })
    await end(room, 'commitTransaction', 1)
    t.same(await indexNames(), ['_id_', 'n'])
    t.match(await room.run(insert({ _id: 2, n: 1 })), { writeErrors: [{ code: 11000 }] })
    const refused = async (number: number, before?: object) => {
      if (before !== undefined) await room.run({ ...before, ...begun(number) })
      const place = before === undefined ? begun(number) : inside(number)
      const [code, text] = await room.fails({ ...index, createIndexes: 'd', ...place })
      t.equal(code, 263)
      t.equal(await codeOf(room, { ...find, ...inside(number) }), 251, 'the transaction has ended')
      return text
    }
    const inserted = { insert: 'd', documents: [{ _id: 1 }] }
    t.match(await refused(2, inserted), 'on non-empty collection test.d in')
    await room.run({ create: 'd' })
    t.match(await refused(3), 'on existing collection test.d in')
    await room.run(inserted)
    t.match(await refused(4), 'on existing collection test.d in')
  },
  router,
)

eachRoom(
  t,
  'creating a collection again succeeds, but not in a transaction',
  async (t, room) => {
    await room.run({ create: 'c' })
    await room.run({ create: 'c' })
    t.equal((await room.fails({ create: 'c', ...begun(1) }))[0], 48)
    t.equal(await codeOf(room, { ...find, ...inside(1) }), 251, 'the transaction has ended')
    await room.run({ create: 'd', ...begun(2) })
    t.equal((await room.fails({ create: 'd', ...inside(2) }))[0], 48)
  },
  router,
)

eachRoom(
  t,
  'transactions that need numbers of the catalog do not conflict',
  async (t, room) => {
    const text = 'x'.repeat(300 * 1024)
    await room.run({ create: 'c' })
    const other = (number: number) => ({ ...inside(number), lsid: otherLsid })
    await room.run({ ...insert({ _id: 1, text }), ...begun(1) })
    await room.run({ ...insert({ _id: 2, text }), ...begun(1), lsid: otherLsid })
    await room.run({ create: 'mine', ...inside(1) })
    await room.run({ create: 'theirs', ...other(1) })
    await room.run({ create: 'plain' })
    await room.insert('c', { _id: 3, text })
    await end(room, 'commitTransaction', 1)
    await room.run({ commitTransaction: 1, ...other(1) }, 'admin')
    const names = (await room.run({ listCollections: 1 })).cursor.firstBatch
    t.same(names.map(({ name }: Reply) => name).sort(), ['c', 'mine', 'plain', 'theirs'])
    t.same(
      (await room.all('c')).map((document) => document.text.length),
      [text.length, text.length, text.length],
    )
    for (const name of ['mine', 'plain', 'theirs']) {
      await room.insert(name, { _id: name })
      t.same(await room.all(name), [{ _id: name }], 'no two have one id')
    }
  },
  router,
)

eachRoom(
  t,
  'a home that an aborted transaction would have made does not count',
  async (t, _room, { store, clock }) => {
    const homes = new HomeLimit(clock, { all: 0, perAddress: 1 })
    const own = new CommandRoom(store, clock, {
      services: { topology: 'router', allow: () => true, revocation: unrevoked, homes },
    })
    const addressOf = (digit: string) => `0x${digit.repeat(40)}`
    const make = (digit: string, number: number) => {
      const session = own.sessionOf({
        kind: 'session',
        address: addressOf(digit),
        sid: digit,
        chainId: 1,
      })
      const command = { ...insert({ _id: 1 }), ...begun(number) }
      const end = (name: string) => own.run({ [name]: 1, ...inside(number) }, 'admin', session)
      const begins = () => own.run(command, homeOf(addressOf(digit)), session)
      return { begins, end }
    }
    const first = make('1', 1)
    await first.begins()
    await first.end('abortTransaction')
    const second = make('2', 1)
    t.match(await second.begins(), { n: 1 })
    await second.end('commitTransaction')
    await t.rejects(make('3', 1).begins(), { code: codes.QuotaExceeded.code })
    await own.engine.close()
    t.equal(await store.read(countHomes), 1)
  },
  router,
)
