// Capped collections against an array that forgets its oldest, over restarts, and damaged.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { silentLog } from '../../../../src/base/log.js'
import { GarbageJob } from '../../../../src/engine/background/garbage-job.js'
import { checkStore, verifyNamespace } from '../../../../src/engine/check/check.js'
import { findNamespace } from '../../../../src/engine/collection/catalog/catalog.js'
import {
  headKey,
  headRange,
  putHead,
  sequenceKey,
} from '../../../../src/engine/collection/kinds/capped-order.js'
import { inlineRecord } from '../../../../src/engine/collection/records.js'
import { IndexBuilds } from '../../../../src/engine/index/index-build-job.js'
import type { Namespace, NamespaceId } from '../../../../src/engine/types.js'
import { restoreStore } from '../../../../src/store/backup/restore.js'
import { keyClass } from '../../../../src/store/layout.js'
import { openLmdbStore } from '../../../../src/store/lmdb.js'
import type { Store, Tx } from '../../../../src/store/store.js'
import { runSweep } from '../../../../src/store/sweep.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { CommandRoom } from '../../../support/command-room.js'
import {
  countingRandom,
  indexSpecs,
  jobParts,
  keysOfClasses,
  ManualClock,
} from '../../../support/engine-room.js'
import { runs } from '../../../support/runs.js'
import type { StoreKind } from '../../../support/store-kinds.js'
import { eachStore, temporaryFolder } from '../../../support/stores.js'

interface Row {
  readonly _id: number
  readonly n: number
  readonly text: string
}

/** What the collection should hold, by a plain array. */
class Model {
  rows: Row[] = []

  constructor(
    readonly bytesMax: number,
    readonly documentsMax: number,
  ) {}

  /** False where it is refused. */
  insert(row: Row): boolean {
    if (sizeOf(row) > this.bytesMax || this.rows.some(({ _id }) => _id === row._id)) return false
    this.rows.push({ ...row })
    while (this.rows.length > this.documentsMax || this.bytes > this.bytesMax) this.rows.shift()
    return true
  }

  get bytes(): number {
    return this.rows.reduce((sum, row) => sum + sizeOf(row), 0)
  }
}

const sizeOf = (row: Row): number => documentFrom({ ...row }).length

const row = fc.record({
  _id: fc.nat(30),
  n: fc.nat(3),
  text: fc.nat(1_500).map((length) => 'x'.repeat(length)),
})

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('insert'), rows: fc.array(row, { maxLength: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), n: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteFirst'), n: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('grow'), n: fc.nat(3) }) },
)

type Action = Partial<Record<'n', number>> & { readonly do: string; readonly rows?: Row[] }

async function act(room: CommandRoom, model: Model, name: string, step: Action): Promise<void> {
  const { n = 0, rows = [] } = step
  switch (step.do) {
    case 'insert': {
      if (rows.length === 0) return
      const reply = await room.run({ insert: name, documents: rows, ordered: false })
      const taken = rows.filter((each) => model.insert(each))
      assert.equal(reply.n, taken.length)
      return
    }
    case 'delete':
      await room.run({ delete: name, deletes: [{ q: { n }, limit: 0 }] })
      model.rows = model.rows.filter((each) => each.n !== n)
      return
    case 'deleteFirst': {
      await room.run({ delete: name, deletes: [{ q: { n }, limit: 1 }] })
      const at = model.rows.findIndex((each) => each.n === n)
      if (at >= 0) model.rows.splice(at, 1)
      return
    }
    default:
      await room.run({
        update: name,
        updates: [{ q: { n }, u: [{ $set: { text: { $concat: ['$text', 'yy'] } } }], multi: true }],
      })
      model.rows = model.rows.map((each) =>
        each.n === n ? { ...each, text: `${each.text}yy` } : each,
      )
  }
}

const counts: Readonly<Record<StoreKind, number>> = {
  memory: 40,
  lmdb: 8,
  late: 4,
  gateways: 4,
  postgres: 4,
  shared: 4,
}

await eachStore(
  t,
  'random writes leave what an array that forgets its oldest would hold',
  async (t, { store, kind, clock }) => {
    const room = new CommandRoom(store, clock)
    let round = 0
    const property = fc.asyncProperty(
      fc.array(action, { maxLength: 30 }),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (actions, max, isIndexed) => {
        const name = `c${round++}`
        const model = new Model(4_096, max)
        await room.run({ create: name, capped: true, size: 4_096, max })
        if (isIndexed) {
          await room.run({ createIndexes: name, indexes: [{ key: { n: 1 }, name: 'n_1' }] })
        }
        for (const step of actions) {
          await act(room, model, name, step as Action)
          assert.deepEqual(await room.drain({ find: name, hint: { $natural: 1 } }), model.rows)
        }
        const { count, size } = await room.run({ collStats: name })
        assert.deepEqual([count, size], [model.rows.length, model.bytes])
        const report = await runSweep(store, verifyNamespace('test', name))
        assert.deepEqual(report?.problems, [])
      },
    )
    await fc.assert(property, { numRuns: runs(counts[kind]) })
    t.same(await checkStore(store), [])
    await room.engine.close()
  },
)

t.test('a restart keeps the order, the bounds and the next number', async (t) => {
  const path = join(await temporaryFolder(t), 'store')
  const open = () => openLmdbStore({ path, durability: 'none', clock: systemClock, log: silentLog })
  let store = await open()
  let room = new CommandRoom(store, systemClock)
  await room.run({ create: 'c', capped: true, size: 4_096, max: 3 })
  await room.insert('c', { _id: 9 }, { _id: 1 }, { _id: 5 }, { _id: 2 })
  await room.run({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] })
  const before = await store.read((tx) => headNow(tx))
  await room.engine.close()
  await store.close()

  store = await open()
  room = new CommandRoom(store, systemClock)
  t.same(await store.read((tx) => headNow(tx)), before)
  await room.insert('c', { _id: 0 }, { _id: 7 })
  t.same(
    (await room.drain({ find: 'c' })).map(({ _id }) => _id),
    [5, 0, 7],
  )
  t.same(await checkStore(store), [])
  await room.engine.close()
  await store.close()
})

t.test('a restored backup goes on where the collection was', async (t) => {
  const room = await temporaryFolder(t)
  const options = { durability: 'none', clock: systemClock, log: silentLog } as const
  const store = await openLmdbStore({ path: join(room, 'store'), ...options })
  const before = new CommandRoom(store, systemClock)
  await before.run({ create: 'c', capped: true, size: 4_096, max: 3 })
  await before.insert('c', { _id: 9 }, { _id: 1 }, { _id: 5 }, { _id: 2 })
  if (store.backup === undefined) throw new Error('this store has backups')
  const pieces = await store.backup({ sigil: '0.0.0', bytesPerSecond: 1e12 })
  const folder = join(room, 'restored')
  await restoreStore({ folder, pieces })
  await before.engine.close()
  await store.close()

  const restored = await openLmdbStore({ path: folder, ...options })
  const after = new CommandRoom(restored, systemClock)
  await after.insert('c', { _id: 9 })
  t.same(
    (await after.drain({ find: 'c' })).map(({ _id }) => _id),
    [5, 2, 9],
  )
  t.same(await checkStore(restored), [])
  await after.engine.close()
  await restored.close()
})

await eachStore(t, 'what a drop leaves is swept away', async (t, { store, clock }) => {
  const room = new CommandRoom(store, clock)
  await room.run({ create: 'c', capped: true, size: 100_000 })
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
  await room.insert('c', ...Array.from({ length: 30 }, (_, _id) => ({ _id, a: _id })))
  await room.run({ drop: 'c' })
  const job = new GarbageJob(jobParts(store, new ManualClock()))
  while (await job.round());
  const { record, entry, count, garbage } = keyClass
  t.same(await keysOfClasses(store, record, entry, count, garbage), [])
  const heads = await store.read(function* (tx) {
    return yield* tx.scan(headRange, 1)
  })
  t.same(heads, [])
  await room.engine.close()
})

function* headNow(tx: Parameters<Parameters<Store['read']>[0]>[0]) {
  const ns = yield* findNamespace(tx, 'test', 'c')
  if (ns === undefined) throw new Error('the collection is missing')
  return yield* tx.get(headKey(ns.id))
}

/** A sound collection with three documents. */
async function sound(store: Store): Promise<Namespace> {
  const room = new CommandRoom(store, systemClock)
  await room.run({ create: 'c', capped: true, size: 4_096, max: 3 })
  await room.insert('c', { _id: 'a' }, { _id: 'b' }, { _id: 'c' }, { _id: 'd' })
  await room.engine.close()
  const ns = await store.read((tx) => findNamespace(tx, 'test', 'c'))
  if (ns === undefined) throw new Error('the collection is missing')
  return ns
}

const damage = (store: Store, change: (tx: Tx) => void): Promise<void> =>
  store.write(function* (tx) {
    change(tx)
  })

const problems = async (store: Store): Promise<string[]> =>
  (await checkStore(store)).map(({ ns, kind, text }) => `${ns} ${kind} ${text}`)

await eachStore(t, 'a lost order is found, and no insert begins anew', async (t, { store }) => {
  const { id } = await sound(store)
  await damage(store, (tx) => tx.remove(headKey(id)))
  t.same(await problems(store), ['test.c order its order of insertion is lost'])
  const room = new CommandRoom(store, systemClock)
  const [code] = await room.fails({ insert: 'c', documents: [{ _id: 1 }] }).catch(() => [0])
  const reply = code === 0 ? await room.run({ insert: 'c', documents: [{ _id: 1 }] }) : undefined
  t.equal(reply?.writeErrors[0].code ?? code, 288)
  await room.engine.close()
})

await eachStore(t, 'records outside of the order are found', async (t, { store }) => {
  const { id } = await sound(store)
  await damage(store, (tx) => putHead(tx, id, { first: 3, next: 4 }))
  const found = await problems(store)
  t.equal(found.length, 2)
  t.match(found[0], 'it lies outside of the numbers that the order of insertion has given')
  t.match(found[1], 'it lies outside of the numbers that the order of insertion has given')
})

await eachStore(t, 'a record without an entry or a number is found', async (t, { store }) => {
  const { id } = await sound(store)
  await damage(store, (tx) => tx.put(sequenceKey(id, 4), inlineRecord(documentFrom({ _id: 'x' }))))
  const found = (await checkStore(store)).map(({ kind }) => kind)
  t.same([...new Set(found)].sort(), ['extraEntry', 'missingEntry'])
})

await eachStore(t, 'an order of nothing is found', async (t, { store }) => {
  await sound(store)
  await damage(store, (tx) => putHead(tx, 9_999 as NamespaceId, { first: 1, next: 1 }))
  t.same(await problems(store), [
    ' order an order of insertion of id 9999, which belongs to nothing',
  ])
})

await eachStore(t, 'an index is built beside eviction', async (t, { store, clock }) => {
  const room = new CommandRoom(store, clock)
  await room.run({ create: 'c', capped: true, size: 100_000, max: 40 })
  await room.insert('c', ...Array.from({ length: 40 }, (_, _id) => ({ _id, a: _id % 7 })))
  const builds = new IndexBuilds(jobParts(store, new ManualClock()), countingRandom)
  const built = builds.ensure('test', 'c', indexSpecs([{ a: 1 }]))
  for (let _id = 40; _id < 60; _id++) await room.insert('c', { _id, a: _id % 7 })
  await built
  t.equal((await room.run({ count: 'c', query: { a: { $gte: 0 } }, hint: 'a_1' })).n, 40)
  t.same(await checkStore(store), [])
  await room.engine.close()
})

/** test/store/postgres/refused-copies.test.ts has what a shared store answers. */
const copies = { notShared: 'a copy would miss the writes of other gateways' }

await eachStore(
  t,
  'a conversion beside writers loses nothing that they were told is there',
  async (t, { store, clock }) => {
    const room = new CommandRoom(store, clock)
    await room.insert('c', ...Array.from({ length: 300 }, (_, _id) => ({ _id })))
    let isOver = false
    const converted = room.run({ convertToCapped: 'c', size: 1_000_000 }).finally(() => {
      isOver = true
    })
    let _id = 300
    for (; _id < 303 && !isOver; _id++) await room.insert('c', { _id })
    await converted
    const left = (await room.drain({ find: 'c' })).map((each) => each._id)
    t.same(
      left,
      Array.from({ length: _id }, (_, each) => each),
    )
    t.equal((await room.run({ collStats: 'c' })).capped, true)
    t.same(await checkStore(store), [])
    await room.engine.close()
  },
  { kinds: ['memory', 'lmdb'], ...copies },
)

await eachStore(
  t,
  'a conversion that writers never leave alone gives up, and leaves nothing',
  async (t, { store, clock }) => {
    const room = new CommandRoom(store, clock)
    await room.insert('c', ...Array.from({ length: 300 }, (_, _id) => ({ _id })))
    let isOver = false
    const refused = room.fails({ convertToCapped: 'c', size: 1_000_000 }).finally(() => {
      isOver = true
    })
    let n = 0
    while (!isOver) {
      n++
      await room.run({ update: 'c', updates: [{ q: { _id: 5 }, u: { $set: { n } } }] })
    }
    t.same(await refused, [117, 'test.c kept changing while it was copied: writers have to pause'])
    t.equal((await room.run({ collStats: 'c' })).capped, false)
    t.same((await room.drain({ listCollections: 1 })).length, 1)
    t.same(await room.all('c', { _id: 5 }), [{ _id: 5, n }])
    const job = new GarbageJob(jobParts(store, new ManualClock()))
    while (await job.round());
    t.same(await checkStore(store), [])
    await room.engine.close()
  },
  { kinds: ['memory', 'lmdb'], ...copies },
)
