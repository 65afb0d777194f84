// Collections by name: created, found, renamed, dropped, listed, with ids that are used once.

import t from 'tap'
import {
  createNamespace,
  dropNamespace,
  ensureNamespace,
  findNamespace,
  findNamespaceById,
  listNamespaces,
  renameNamespace,
  saveNamespace,
} from '../../../../src/engine/collection/catalog/catalog.js'
import {
  checkDatabaseName,
  checkNamespaceName,
} from '../../../../src/engine/collection/catalog/names.js'
import { countOf } from '../../../../src/engine/collection/counters.js'
import type { Guarded, Namespace } from '../../../../src/engine/types.js'
import type { Store } from '../../../../src/store/store.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { createOptions, Room } from '../../../support/engine-room.js'
import { eachStore } from '../../../support/stores.js'

const create = (store: Store, db: string, name: string): Promise<Namespace> =>
  store.write((tx) => createNamespace(tx, db, name, createOptions))

const drop = (store: Store, ns: Namespace): Promise<void> =>
  store.write((tx) => dropNamespace(tx, ns))

const names = async (store: Store, db?: string): Promise<string[]> => {
  const all = await store.read((tx) => listNamespaces(tx, db))
  return all.map((ns) => `${ns.db}.${ns.name}`)
}

await eachStore(
  t,
  'a created collection is found with everything it was given',
  async (t, { store }) => {
    const options = documentFrom({ capped: false, note: 'é' })
    const owner = '0x52908400098527886E0F7030069857D2E4169EE7'
    const made = await store.write((tx) =>
      createNamespace(tx, 'main', 'a.b', { ...createOptions, owner, mode: 'public', options }),
    )
    const found = await store.read((tx) => findNamespace(tx, 'main', 'a.b'))
    t.same(found, made)
    t.match(found, { db: 'main', name: 'a.b', version: 1, createdAt: 1_700_000_000, indexes: [] })
    t.match(found?.access, { owner, mode: 'public', roles: {} })
    t.same(found?.options, options)
    t.same(found?.uuid, createOptions.uuid)
    t.equal(await store.read((tx) => findNamespace(tx, 'main', 'b')), undefined)
  },
)

await eachStore(
  t,
  'a second creation of a name is 48, ensure answers the first',
  async (t, { store }) => {
    const made = await create(store, 'main', 'c')
    await t.rejects(create(store, 'main', 'c'), {
      code: 48,
      message: 'Collection already exists. NS: main.c',
    })
    const same = await store.write((tx) => ensureNamespace(tx, 'main', 'c', createOptions))
    t.same(same, made)
  },
)

await eachStore(t, 'ids are never used twice, also after a drop', async (t, { store }) => {
  const first = await create(store, 'main', 'c')
  await drop(store, first)
  t.equal(await store.read((tx) => findNamespace(tx, 'main', 'c')), undefined)
  const second = await create(store, 'main', 'c')
  t.ok(second.id > first.id)
})

await eachStore(t, 'programs see their own changes of a descriptor', async (t, { store }) => {
  const ns = await create(store, 'main', 'c')
  await store.write(function* (tx) {
    const saved = saveNamespace(tx, { ...ns, access: { ...ns.access, mode: 'shared' } })
    t.equal(saved.version, 2)
    const found = yield* findNamespace(tx, 'main', 'c')
    t.same(found, saved)
  })
  const found = await store.read((tx) => findNamespace(tx, 'main', 'c'))
  t.match(found, { version: 2, access: { mode: 'shared' } })
})

await eachStore(t, 'what a failed program saved is not remembered', async (t, { store }) => {
  const ns = await create(store, 'main', 'c')
  const failing = store.write(function* (tx) {
    saveNamespace(tx, { ...ns, access: { ...ns.access, mode: 'shared' } })
    yield* findNamespace(tx, 'main', 'c')
    throw new Error('changed its mind')
  })
  await t.rejects(failing, { message: 'changed its mind' })
  const found = await store.read((tx) => findNamespace(tx, 'main', 'c'))
  t.match(found, { version: 1, access: { mode: 'private' } })
})

await eachStore(
  t,
  'databases that differ in case only are refused while one exists',
  async (t, { store }) => {
    const first = await create(store, 'Main', 'a')
    const second = await create(store, 'Main', 'b')
    await t.rejects(create(store, 'main', 'a'), {
      code: 13297,
      message: 'db already exists with different case already have: [Main] trying to create [main]',
    })
    await drop(store, first)
    await t.rejects(create(store, 'main', 'a'), { code: 13297 })
    await drop(store, second)
    await create(store, 'main', 'a')
  },
)

await eachStore(
  t,
  'a rename keeps id and contents, and its target must be free',
  async (t, { store }) => {
    const room = new Room(store, 'main', 'a')
    await room.insert({ _id: 1, x: 'kept' })
    const ns = await room.get()
    const taken = await create(store, 'main', 'b')
    const rename = (db: string, name: string, dropTarget = false): Promise<Namespace> =>
      store.write((tx) => renameNamespace(tx, ns, db, name, dropTarget))
    await t.rejects(rename('main', 'a'), { code: 20 })
    await t.rejects(rename('main', 'b'), { code: 48, message: 'target namespace exists' })
    await t.rejects(rename('main', 'system.users'), { code: 73 })
    const renamed = await rename('main', 'b', true)
    t.equal(renamed.id, ns.id)
    t.not(renamed.id, taken.id)
    t.same(await new Room(store, 'main', 'b').read(1), { _id: 1, x: 'kept' })
    t.same(await names(store), ['main.b'])
    const moved = await store.write((tx) => renameNamespace(tx, renamed, 'other', 'c', false))
    t.same(await store.read((tx) => findNamespaceById(tx, ns.id)), moved)
    await create(store, 'MAIN', 'x')
    t.same(await names(store), ['MAIN.x', 'other.c'])
  },
)

await eachStore(
  t,
  'a list is by database and name, and knows one database',
  async (t, { store }) => {
    for (const [db, name] of [
      ['b', 'x'],
      ['a', 'z'],
      ['a', 'y.y'],
      ['a-c', 'y'],
    ] as const) {
      await create(store, db, name)
    }
    t.same(await names(store), ['a.y.y', 'a.z', 'a-c.y', 'b.x'])
    t.same(await names(store, 'a'), ['a.y.y', 'a.z'])
    t.same(await names(store, 'none'), [])
  },
)

await eachStore(
  t,
  'counts move with their documents and vanish with a failed program',
  async (t, { store }) => {
    const room = new Room(store)
    await room.insert({ _id: 1 }, { _id: 2, x: 'abc' })
    const count = async () => {
      const ns = await room.get()
      return store.read((tx) => countOf(tx, ns))
    }
    t.same(await count(), { documents: 2, bytes: 14 + 25 })
    await room.replace({ _id: 2, x: 'abcd' })
    t.same(await count(), { documents: 2, bytes: 14 + 26 })
    await room.remove(1)
    await t.rejects(room.insert({ _id: 3 }, { _id: 2 }), { code: 11000 })
    t.same(await count(), { documents: 1, bytes: 26 })
  },
)

await eachStore(
  t,
  'a transaction that permits less is asked before the catalog is',
  async (t, { store }) => {
    await create(store, 'main', 'c')
    const refused = store.write(function* (tx) {
      const guarded: typeof tx & Guarded = Object.assign(Object.create(tx), {
        permits: (db: string, name: string) => {
          throw new Error(`not declared: ${db}.${name}`)
        },
      })
      yield* findNamespace(guarded, 'main', 'c')
    })
    await t.rejects(refused, { message: 'not declared: main.c' })
  },
)

t.test('names that the reference server refuses are 73', async (t) => {
  const good = ['a', 'a.b', 'ü', 'x'.repeat(250), 'a b']
  for (const name of good) checkNamespaceName('main', name)
  for (const name of ['', '.a', 'a$b', 'a\0b', 'x'.repeat(251), 'ü'.repeat(126)]) {
    t.throws(() => checkNamespaceName('main', name), { code: 73 }, name)
  }
  for (const db of ['', 'a.b', 'a b', 'a/b', 'a\\b', 'a"b', 'a$b', 'a\0', 'x'.repeat(64)]) {
    t.throws(() => checkDatabaseName(db), { code: 73 }, db)
  }
  checkDatabaseName('x'.repeat(63))
})

await eachStore(t, 'reserved names cannot be created', async (t, { store }) => {
  const reserved = [
    ['admin', 'a'],
    ['config', 'a'],
    ['local', 'a'],
    ['main', 'system.users'],
    ['main', '_audit'],
    ['main', 'memory.default.nodes'],
  ] as const
  for (const [db, name] of reserved) await t.rejects(create(store, db, name), { code: 73 }, name)
  t.same(await names(store), [])
})

await eachStore(t, 'only the names of the server are reserved', async (t, { store }) => {
  const free = ['_User', '_SCHEMA', '_Join:users:_Role', '__x', 'memory', 'memory.x', 'memory.x.y']
  for (const name of free) await create(store, 'main', name)
  await create(store, 'main', 'memory.-.nodes')
  const made = [...free, 'memory.-.nodes'].map((name) => `main.${name}`)
  t.same((await names(store)).toSorted(), made.toSorted())
})
