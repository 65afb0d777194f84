// Who sees what in a change stream, and who may begin a recording: rights are looked at for each
// batch, and what a caller may not read is left out without a sign.

import { Long } from 'bson'
import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { Session } from '../../../../src/bus/session.js'
import type { Identity } from '../../../../src/identity/identity.js'
import { strictRules } from '../../../../src/identity/rights/allow.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom, type Reply } from '../../../support/command-room.js'
import { accesses, admit, identities, revocation, setAccess } from '../../../support/identities.js'

async function openRoom() {
  const store = openMemoryStore(systemClock)
  await admit(store, systemClock.now())
  const services = { revocation, rules: strictRules, topology: 'router' } as const
  return { store, room: new CommandRoom(store, systemClock, { services }) }
}

function sessionFor(identity: Identity): Session {
  return new Session({ protocol: 'internal', id: 2, remoteAddress: 'test:2', identity })
}

const watchOf = (collection: string | 1, given: object = {}) => ({
  aggregate: collection,
  pipeline: [{ $changeStream: given }],
  cursor: {},
})

/** The next batch of a stream that may be empty. */
async function read(room: CommandRoom, { cursor }: Reply, session: Session): Promise<Reply> {
  const id = Long.fromNumber(Number(cursor.id))
  const [, ...name] = String(cursor.ns).split('.')
  return room.run({ getMore: id, collection: name.join('.'), maxTimeMS: 1 }, 'test', session)
}

const shown = ({ cursor }: Reply) =>
  cursor.nextBatch.map(({ ns, documentKey }: Reply) => `${ns.coll} ${documentKey?._id}`)

t.test('a stream of a database shows what its caller may read', async (t) => {
  const { room, store } = await openRoom()
  await room.insert('c', { _id: 0 })
  await room.insert('d', { _id: 0 })
  await setAccess(store, 'test', 'c', accesses.private)
  await setAccess(store, 'test', 'd', accesses.unowned)
  const opened = await room.run(watchOf(1))
  const reader = sessionFor(identities['role 1'])
  const other = sessionFor(identities.otherWallet)
  const ofReader = await room.run(watchOf(1), 'test', reader)
  const ofOther = await room.run(watchOf(1), 'test', other)
  await room.insert('d', { _id: 1 })
  await room.insert('c', { _id: 1 })
  t.same(shown(await read(room, opened, room.session)), ['d 1', 'c 1'])
  t.same(shown(await read(room, ofReader, reader)), ['c 1'])
  const nothing = await read(room, ofOther, other)
  t.same(shown(nothing), [])
  const idle = await room.run(watchOf(1), 'test', other)
  t.same(Object.keys(nothing.cursor), Object.keys((await read(room, idle, other)).cursor))

  await setAccess(store, 'test', 'c', { ...accesses.private, roles: {} })
  await room.insert('c', { _id: 2 })
  t.same(shown(await read(room, ofReader, reader)), [], 'the role is gone')
  await setAccess(store, 'test', 'c', accesses.public)
  await room.insert('c', { _id: 3 })
  t.same(shown(await read(room, ofReader, reader)), ['c 3'])
  t.same(shown(await read(room, ofOther, other)), ['c 2', 'c 3'], 'as of the batch')
})

t.test('a stream of a collection ends with the right to read it', async (t) => {
  const { room, store } = await openRoom()
  await room.insert('c', { _id: 0 })
  await setAccess(store, 'test', 'c', accesses.private)
  const reader = sessionFor(identities['role 1'])
  const opened = await room.run(watchOf('c'), 'test', reader)
  await room.insert('c', { _id: 1 })
  t.same(shown(await read(room, opened, reader)), ['c 1'])
  await setAccess(store, 'test', 'c', { ...accesses.private, roles: {} })
  await room.insert('c', { _id: 2 })
  await t.rejects(read(room, opened, reader), { code: 13 })
  const other = sessionFor(identities.otherWallet)
  t.equal((await room.refusal(watchOf('c'), 'test', other)).code, 13)
})

t.test('who may not make others pay begins no recording', async (t) => {
  const { room, store } = await openRoom()
  await room.insert('c', { _id: 0 })
  await setAccess(store, 'test', 'c', accesses.public)
  const other = sessionFor(identities.otherWallet)
  const all = watchOf(1, { allChangesForCluster: true })
  const { code, message } = await room.refusal(watchOf(1), 'test', other)
  t.equal(code, 13)
  t.match(message, 'nothing is recorded there yet')
  t.equal((await room.refusal(all, 'admin', other)).code, 13)
  t.ok(await room.run(watchOf('c'), 'test', other), 'a collection that it may read')
  await room.run(watchOf(1))
  t.ok(await room.run(watchOf(1), 'test', other), 'the operator has begun')
  await room.run(all, 'admin')
  t.ok(await room.run(all, 'admin', other))
})
