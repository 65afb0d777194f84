// How far a session has come is known to every server of its store, and after a restart: the codes
// of used numbers, and transactions that are promised to be aborted. "Another server" is a second
// one on the same store; on a store that only one process can have, it is the next process.

import { Binary, Long } from 'bson'
import t, { type Test } from 'tap'
import { type Clock, systemClock } from '../../../../src/base/clock.js'
import {
  abortPromisesOfOwnerMax,
  sessionIdleMinutes,
} from '../../../../src/base/limits/documents.js'
import { AbortPromises } from '../../../../src/bus/document/transactions/abort-promises.js'
import type { Store } from '../../../../src/store/store.js'
import { CommandRoom, eachRoom } from '../../../support/command-room.js'
import { ManualClock } from '../../../support/engine-room.js'
import { openGateways } from '../../../support/gateways.js'
import { postgresMissing } from '../../../support/postgres-reference.js'
import { openShared, sharedAddress } from '../../../support/shared-stores.js'
import type { StoreCase } from '../../../support/stores.js'

const router = { services: { topology: 'router' } } as const
const lsid = { id: new Binary(new Uint8Array(16).fill(7), 4) }
const inside = (number: number) =>
  ({ lsid, txnNumber: Long.fromNumber(number), autocommit: false }) as const
const begun = (number: number) => ({ ...inside(number), startTransaction: true }) as const
const insert = (_id: number) => ({ insert: 'c', documents: [{ _id }] })
const retryable = (_id: number, number: number) =>
  ({ ...insert(_id), lsid, txnNumber: Long.fromNumber(number) }) as const

type Command = Readonly<Record<string, unknown>>

/** 0 if the command succeeds. */
const codeOf = async (room: CommandRoom, command: Command, db?: string): Promise<number> => {
  try {
    await room.raw(command, db)
    return 0
  } catch (error) {
    return (error as { code: number }).code
  }
}
const commit = (room: CommandRoom, number: number) =>
  codeOf(room, { commitTransaction: 1, ...inside(number) }, 'admin')
const abort = (room: CommandRoom, number: number) =>
  codeOf(room, { abortTransaction: 1, ...inside(number) }, 'admin')
const ids = async (room: CommandRoom) => (await room.all('c')).map(({ _id }) => _id)

/** Another server, or the next process. */
function another(t: Test, { store, clock }: StoreCase): CommandRoom {
  const room = new CommandRoom(store, clock, router)
  t.teardown(() => room.engine.close())
  return room
}

eachRoom(
  t,
  'numbers of committed transactions have their codes elsewhere',
  async (t, room, given) => {
    await room.insert('c', { _id: 0 })
    await room.run({ ...insert(5), ...begun(5) })
    t.equal(await commit(room, 5), 0)
    const other = another(t, given)
    t.equal(await codeOf(other, { ...insert(9), ...inside(5) }), 256)
    t.equal(await codeOf(other, { ...insert(9), ...begun(5) }), 117)
    t.equal(await codeOf(other, { ...insert(9), ...inside(4) }), 225)
    t.equal(await codeOf(other, { ...insert(9), ...begun(4) }), 225)
    t.equal(await codeOf(other, { ...insert(9), ...inside(6) }), 251)
    t.equal(await commit(other, 4), 225)
    t.equal(await commit(other, 5), 0, 'again')
    t.equal(await abort(another(t, given), 4), 225)
    t.equal(await codeOf(another(t, given), retryable(9, 4)), 225)
    t.equal(await codeOf(another(t, given), retryable(9, 5)), 117)
    t.equal(await codeOf(other, { ...insert(6), ...begun(6) }), 0)
    t.equal(await commit(other, 6), 0)
    t.same(await ids(room), [0, 5, 6])
  },
  router,
)

eachRoom(
  t,
  'numbers of retryable writes have their codes elsewhere',
  async (t, room, given) => {
    await room.insert('c', { _id: 0 })
    t.equal(await codeOf(room, retryable(5, 5)), 0)
    const other = another(t, given)
    t.equal(await codeOf(other, { ...insert(9), ...begun(4) }), 225)
    t.equal(await codeOf(other, { ...insert(9), ...begun(5) }), 117)
    t.equal(await codeOf(other, retryable(5, 5)), 0, 'a retry')
    t.equal(await codeOf(other, { ...insert(6), ...begun(6) }), 0)
    t.equal(await commit(other, 6), 0)
    t.same(await ids(room), [0, 5, 6])
  },
  router,
)

eachRoom(
  t,
  'what was asked to end is not begun by a late statement',
  async (t, room, given) => {
    await room.insert('c', { _id: 0 })
    t.equal(await commit(room, 3), 251)
    t.equal(await codeOf(room, { ...insert(3), ...begun(3) }), 117)
    t.equal(await codeOf(room, { ...insert(3), ...inside(3) }), 251)
    t.equal(await abort(room, 4), 251)
    t.equal(await codeOf(room, { ...insert(4), ...begun(4) }), 117)
    t.equal(await commit(room, 4), 251)
    // A record, where another server can have the store.
    const code = room.engine.store.ownsData ? 0 : 117
    t.equal(await codeOf(another(t, given), { ...insert(4), ...begun(4) }), code)
    t.equal(await codeOf(room, { ...insert(5), ...begun(5) }), 0)
    t.equal(await commit(room, 5), 0)
    t.same(await ids(room), [0, 5])
  },
  router,
)

/** What two servers on one state owe each other; `one` and `other` end with the test. */
async function commitsOnce(t: Test, stores: readonly Store[], clock: Clock): Promise<void> {
  const rooms = stores.map((store) => new CommandRoom(store, clock, router))
  for (const room of rooms) t.teardown(() => room.engine.close())
  const [one, other] = rooms as [CommandRoom, CommandRoom]
  await one.insert('c', { _id: 0 })
  t.equal(await codeOf(one, { ...insert(1), ...begun(1) }), 0)
  t.equal(await commit(other, 1), 251)
  t.equal(await codeOf(one, { ...insert(2), ...inside(1) }), 0, 'it is still open here')
  t.equal(await commit(one, 1), 251)
  t.equal(await codeOf(one, { ...insert(3), ...begun(2) }), 0)
  t.equal(await abort(other, 2), 251)
  t.equal(await commit(one, 2), 251)
  t.equal(await codeOf(one, { ...insert(4), ...begun(4) }), 0)
  t.equal(await codeOf(other, { ...insert(5), ...begun(5) }), 0, 'a later number on another server')
  t.equal(await commit(other, 5), 0)
  t.equal(await commit(one, 4), 225)
  t.equal(await codeOf(one, { ...insert(6), ...begun(5) }), 117)
  t.equal(await commit(one, 5), 0, 'the outcome is known here too')
  t.same(await ids(one), [0, 5])
}

t.test('of two servers one commits, or the other promises the abort', (t) => {
  const clock = new ManualClock()
  return commitsOnce(t, openGateways(t, { clock }), clock)
})

t.test('so do two gateways on one PostgreSQL', { skip: postgresMissing }, async (t) => {
  const address = await sharedAddress(t)
  const stores = [await openShared(t, address), await openShared(t, address)]
  await commitsOnce(t, stores, systemClock)
})

t.test('promises are bounded for an owner, within the life of a session', (t) => {
  const promises = new AbortPromises()
  for (let n = 0; n < abortPromisesOfOwnerMax; n++) promises.admit('ada', n)
  t.throws(() => promises.admit('ada', 1), { code: 261 })
  promises.admit('ben', 1)
  promises.admit('ada', sessionIdleMinutes * 60_000)
  t.end()
})
