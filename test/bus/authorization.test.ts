// The guard: a command that touches a collection is refused to a caller who lacks a privilege that
// its row declares, and changes nothing. Who has which privilege, for every command and on every
// protocol, is test/authorization/authorization.test.ts.

import { Binary, Long } from 'bson'
import t from 'tap'
import type { Access, Privilege } from '../../src/engine/types.js'
import type { Identity } from '../../src/identity/identity.js'
import { CommandRoom, eachRoom } from '../support/command-room.js'

type Plain = Readonly<Record<string, unknown>>

interface Sample {
  readonly command: Plain
  readonly db?: string
  /** What it needs of `c`, as its row must say. */
  readonly privileges: readonly Privilege[]
}

const index = { key: { a: 1 }, name: 'a_1' }

/** A request for each command that touches the collection `c`. */
const samples: Readonly<Record<string, Sample>> = {
  aggregate: { command: { aggregate: 'c', pipeline: [], cursor: {} }, privileges: ['read'] },
  collStats: { command: { collStats: 'c' }, privileges: ['read'] },
  collectionStats: { command: { collectionStats: 'c' }, privileges: ['read'] },
  count: { command: { count: 'c' }, privileges: ['read'] },
  create: { command: { create: 'c' }, privileges: ['write'] },
  createIndexes: { command: { createIndexes: 'c', indexes: [index] }, privileges: ['index'] },
  delete: { command: { delete: 'c', deletes: [{ q: {}, limit: 0 }] }, privileges: ['write'] },
  distinct: { command: { distinct: 'c', key: 'a' }, privileges: ['read'] },
  drop: { command: { drop: 'c' }, privileges: ['admin'] },
  dropIndexes: { command: { dropIndexes: 'c', index: '*' }, privileges: ['index'] },
  explain: { command: { explain: { find: 'c' } }, privileges: ['read'] },
  find: { command: { find: 'c' }, privileges: ['read'] },
  findAndModify: {
    command: { findAndModify: 'c', update: { $set: { a: 2 } } },
    privileges: ['read', 'write'],
  },
  getPrivacy: { command: { getPrivacy: 'c' }, privileges: [] },
  getRoles: { command: { getRoles: 'c' }, privileges: ['admin'] },
  insert: { command: { insert: 'c', documents: [{ a: 3 }] }, privileges: ['write'] },
  listIndexes: { command: { listIndexes: 'c' }, privileges: ['read'] },
  renameCollection: {
    command: { renameCollection: 'test.c', to: 'test.d' },
    db: 'admin',
    privileges: ['admin'],
  },
  setPrivacy: { command: { setPrivacy: 'c', mode: 'public' }, privileges: ['claim'] },
  setRole: {
    command: { setRole: 'c', address: `0x${'1'.repeat(40)}`, action: 'grant', role: 1 },
    privileges: ['admin'],
  },
  planCacheClear: { command: { planCacheClear: 'c' }, privileges: ['own'] },
  planCacheClearFilters: { command: { planCacheClearFilters: 'c' }, privileges: ['own'] },
  update: {
    command: { update: 'c', updates: [{ q: {}, u: { $set: { a: 4 } } }] },
    privileges: ['write'],
  },
  validate: { command: { validate: 'c' }, privileges: ['read'] },
}

/** Commands that look at a whole database and answer what the caller may read of it. */
const listings: Readonly<Record<string, Sample>> = {
  collectionSummaries: { command: { collectionSummaries: 1 }, privileges: [] },
  dbStats: { command: { dbStats: 1 }, privileges: [] },
  listCollections: { command: { listCollections: 1 }, privileges: [] },
  listDatabases: { command: { listDatabases: 1 }, db: 'admin', privileges: [] },
}

/** A decision that knows no one: all but the given needs are refused. */
function only(...granted: readonly Privilege[]) {
  return (_identity: Identity, privilege: Privilege, _access: Access | undefined) =>
    granted.includes(privilege)
}

const allPrivileges: readonly Privilege[] = ['read', 'write', 'index', 'own', 'admin', 'claim']

await eachRoom(
  t,
  'a need that is missing refuses the command, and nothing changes',
  async (t, room, given) => {
    await room.insert('c', { _id: 1, a: 1 })
    const before = await room.all('c')
    for (const [name, { command, db, privileges }] of Object.entries(samples)) {
      for (const privilege of privileges) {
        const services = { allow: only(...allPrivileges.filter((other) => other !== privilege)) }
        const guarded = new CommandRoom(given.store, given.clock, { services })
        const error = await guarded.refusal(command, db)
        t.equal(error.code, 13, `${name} without ${privilege}`)
        t.match(error.message, /^not authorized on \w+ to execute command \{ \w+: /)
        t.equal(error.httpStatus, 403)
      }
    }
    t.same(await room.all('c'), before)
  },
)

await eachRoom(
  t,
  'the needs of a row are enough',
  async (t, room, given) => {
    for (const [name, { command, db, privileges }] of Object.entries(samples)) {
      await room.run({ drop: 'd' })
      await room.run({ drop: 'c' })
      if (name !== 'create') await room.insert('c', { _id: 1, a: 1 })
      const services = { allow: only(...privileges) }
      const guarded = new CommandRoom(given.store, given.clock, { services })
      t.equal((await guarded.run(command, db)).ok, 1, name)
    }
  },
  { kinds: ['memory'] },
)

await eachRoom(t, 'listings leave out what the caller may not read', async (t, room, given) => {
  await room.insert('c', { _id: 1 })
  const guarded = new CommandRoom(given.store, given.clock, { services: { allow: only() } })
  t.same(await guarded.drain({ listCollections: 1 }), [])
  const { databases } = await guarded.run({ listDatabases: 1, nameOnly: true }, 'admin')
  t.notOk(databases.some(({ name }: { name: string }) => name === 'test'))
  t.same((await guarded.run({ collectionSummaries: 1 })).collections, [])
  t.equal((await guarded.run({ dbStats: 1 })).objects, 0)
})

await eachRoom(
  t,
  'dropDatabase needs the right to drop every collection',
  async (t, room, given) => {
    await room.insert('c', { _id: 1 })
    const services = { allow: only('read', 'write') }
    const guarded = new CommandRoom(given.store, given.clock, { services })
    t.equal((await guarded.refusal({ dropDatabase: 1 })).code, 13)
    t.equal((await room.all('c')).length, 1)
  },
)

await eachRoom(
  t,
  'getMore needs the rights of the command that opened the cursor',
  async (t, room, given) => {
    await room.insert('c', { _id: 1 }, { _id: 2 })
    let granted: readonly Privilege[] = ['read']
    const services = {
      allow: (_identity: Identity, privilege: Privilege) => granted.includes(privilege),
    }
    const guarded = new CommandRoom(given.store, given.clock, { services })
    const { cursor } = await guarded.run({ find: 'c', batchSize: 1 })
    const getMore = Long.fromNumber(cursor.id)
    granted = []
    t.equal((await guarded.refusal({ getMore, collection: 'c' })).code, 13)
    granted = ['read']
    t.equal((await guarded.run({ getMore, collection: 'c' })).cursor.nextBatch.length, 1)
  },
)

t.test('a caller who has not signed in is refused before anything is read', async (t) => {
  const { openMemoryStore } = await import('../../src/store/memory.js')
  const { systemClock } = await import('../../src/base/clock.js')
  const room = new CommandRoom(openMemoryStore(systemClock), systemClock)
  const lsid = { id: new Binary(new Uint8Array(16), 4) }
  for (const [name, { command, db }] of Object.entries({ ...samples, ...listings })) {
    if (name === 'getPrivacy') continue
    const error = await room.refusal({ ...command, lsid }, db, room.anonymous())
    t.same([error.code, error.message], [13, `Command ${name} requires authentication`])
  }
})
