// Background work of two gateways on one PostgreSQL: each job runs on one of them. If that one is
// away for too long, the other takes over, and what the first had begun is not committed.

import t, { type Test } from 'tap'
import { DocumentExpiry } from '../../../src/engine/background/document-expiry-job.js'
import { stagingRange } from '../../../src/engine/background/garbage.js'
import { GarbageJob } from '../../../src/engine/background/garbage-job.js'
import { Lease, LeaseLost } from '../../../src/engine/background/lease-job.js'
import type { Pace } from '../../../src/engine/background/pace-job.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { dropNamespace, findNamespace } from '../../../src/engine/collection/catalog/catalog.js'
import { unfinishedNames } from '../../../src/engine/collection/catalog/catalog-index.js'
import { insertDocument, stagedWrite } from '../../../src/engine/collection/collections.js'
import { makeTemporary, temporaryName } from '../../../src/engine/collection/replacement.js'
import { IndexBuilds } from '../../../src/engine/index/index-build-job.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../../../src/store/store.js'
import { runSweep } from '../../../src/store/sweep.js'
import { documentFrom } from '../../../src/value/literal.js'
import {
  countingRandom,
  createOptions,
  indexSpecs,
  jobParts,
  keysOfClasses,
  ManualClock,
  Room,
} from '../../support/engine-room.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, openSharedTables } from '../../support/shared-stores.js'

const onPostgres = { skip: postgresMissing }

interface Gateways {
  readonly first: Store
  readonly second: Store
  /** The first one is taken for gone from now on. */
  expire(): Promise<void>
}

async function openBoth(t: Test): Promise<Gateways> {
  const tables = await openSharedTables(t)
  const first = await openShared(t, tables.address)
  const second = await openShared(t, tables.address)
  return { first, second, expire: () => tables.expire(first) }
}

/** The same store; `pause` runs before the write program of that number. */
function pausing(store: Store, number: number, pause: () => Promise<void>): Store {
  let count = 0
  return Object.create(store, {
    write: {
      value: async <T>(program: (tx: Tx) => Program<T>): Promise<T> => {
        if (++count === number) await pause()
        return store.write(program)
      },
    },
  })
}

/** Does not wait between two looks. */
const hurried: Pace = {
  rest: () => Promise.resolve(),
  sleep: () => ({ over: new Promise((resolve) => setImmediate(resolve)), wake: () => undefined }),
}

const partsOf = (store: Store) => ({ ...jobParts(store, new ManualClock()), pace: hurried })

const key = Uint8Array.of(keyClass.entry, 1)
const put = function* (tx: Tx): Program<void> {
  tx.put(key, Uint8Array.of(1))
}

t.test('a lease is held by one gateway, and programs of another end', onPostgres, async (t) => {
  const { first, second, expire } = await openBoth(t)
  const [one, two] = [new Lease(first, 'job'), new Lease(second, 'job')]
  await t.rejects(one.runner.write(put), LeaseLost)
  t.same([await one.hold(), await one.hold(), await two.hold()], [true, true, false])
  t.equal(await two.round(() => 'ran', 'idle'), 'idle')
  await one.runner.write(put)
  await t.rejects(two.runner.write(put), LeaseLost)
  await expire()
  t.equal(await two.hold(), true)
  await t.rejects(one.runner.write(put), LeaseLost)
  t.equal(await one.hold(), false)
  await two.release()
  t.equal(await one.hold(), true)
})

t.test('of several leases a gateway gets all or none', onPostgres, async (t) => {
  const { first, second } = await openBoth(t)
  t.equal(await new Lease(first, 'b').hold(), true)
  t.equal(await new Lease(second, 'a', 'b').hold(), false)
  t.equal(await new Lease(first, 'a').hold(), true)
})

t.test('a garbage job that was paused commits nothing more', onPostgres, async (t) => {
  const { first, second, expire } = await openBoth(t)
  const room = new Room(first, 'main', 'gone')
  for (let i = 0; i < 20; i++) await room.insert({ _id: i })
  const ns = await room.get()
  await first.write((tx) => dropNamespace(tx, ns))
  const other = new GarbageJob(partsOf(second))
  const done: string[] = []
  // Its third program: the lease and one step are before it.
  const paused = pausing(first, 3, async () => {
    t.equal(await other.round(), false, 'the other one does nothing')
    await expire()
    while (await other.round());
    done.push('other')
    t.same(await keysOfClasses(second, keyClass.garbage, keyClass.record), [])
    await new Room(second, 'main', 'kept').insert({ _id: 1 })
  })
  t.equal(await new GarbageJob(partsOf(paused)).round(), false)
  t.same(done, ['other'])
  t.same(await checkStore(second), [])
})

t.test('expired documents are removed by one gateway', onPostgres, async (t) => {
  const { first, second } = await openBoth(t)
  const room = new Room(first, 'main', 'timed')
  const builds = new IndexBuilds(partsOf(first), countingRandom)
  await builds.ensure('main', 'timed', indexSpecs([{ at: 1 }, { expireAfterSeconds: 1 }]))
  await room.insert({ _id: 1, at: new Date(0) }, { _id: 2, at: new Date(0) })
  const jobs = [new DocumentExpiry(partsOf(first)), new DocumentExpiry(partsOf(second))]
  t.same([await jobs[0]?.round(), await jobs[1]?.round()], [2, 0])
  await room.insert({ _id: 3, at: new Date(0) })
  t.same([await jobs[1]?.round(), await jobs[0]?.round()], [0, 1])
})

function* countStaged(tx: ReadTx): Program<number> {
  return (yield* tx.scan(stagingRange, 10)).length
}

t.test('staged values belong to their gateway until it is gone', onPostgres, async (t) => {
  const { first, second, expire } = await openBoth(t)
  const room = new Room(first, 'main', 'large')
  await room.insert({ _id: 0 })
  const ns = await room.get()
  const job = new GarbageJob(partsOf(second))
  const document = documentFrom({ _id: 1, text: 'x'.repeat(3_000_000) })
  const insert = (store: Store) =>
    runSweep(
      store,
      stagedWrite((tx, staged) => insertDocument(tx, ns, document, staged)),
    )
  // Two programs put the mark and the chunks, then the document is put.
  let writes = 0
  const counted = pausing(first, 0, () => Promise.resolve())
  await insert(
    Object.create(counted, {
      write: { value: (program: (tx: Tx) => Program<unknown>) => ++writes && first.write(program) },
    }),
  )
  await room.remove(1)
  while (await job.round());
  const seen: number[] = []
  const marked = async () => {
    await job.round()
    seen.push(await second.read(countStaged))
  }
  await insert(pausing(first, writes - 1, marked))
  t.same(seen, [1], 'another gateway leaves them')
  t.same(await checkStore(second), [])
  await room.remove(1)
  const tookOver = new GarbageJob(partsOf(second))
  const late = pausing(first, writes - 1, async () => {
    await expire()
    await tookOver.round()
  })
  await t.rejects(insert(late), { message: /away for too long/ })
  t.same(await checkStore(second), [])
  await insert(first)
  t.same(await checkStore(second), [])
})

t.test('a collection that was to replace another goes with its gateway', onPostgres, async (t) => {
  const { first, second, expire } = await openBoth(t)
  const temporary = temporaryName(new Uint8Array(16))
  const replaced = { db: 'main', name: 'c', temporary, creation: createOptions }
  await first.write((tx) => makeTemporary(tx, replaced))
  const find = () => second.read((tx) => findNamespace(tx, 'main', temporary))
  await new GarbageJob(partsOf(second)).round()
  t.ok(await find())
  await expire()
  await new GarbageJob(partsOf(second)).round()
  t.equal(await find(), undefined)
  t.same(await second.read(unfinishedNames), [])
})

t.test('an index is built by one gateway, for the requests of both', onPostgres, async (t) => {
  const { first, second } = await openBoth(t)
  const room = new Room(first, 'main', 'built')
  for (let i = 0; i < 30; i++) await room.insert({ _id: i, a: i })
  const other = new IndexBuilds(partsOf(second), countingRandom)
  let joined: Promise<unknown> | undefined
  // Its second program is the first step: the index is declared.
  const slow = pausing(first, 2, async () => {
    joined = other.ensure('main', 'built', indexSpecs([{ a: 1 }]))
    await other.resume()
  })
  await new IndexBuilds(partsOf(slow), countingRandom).ensure(
    'main',
    'built',
    indexSpecs([{ a: 1 }]),
  )
  await joined
  await other.close()
  const { indexes } = await room.get()
  t.match(indexes, [{ state: 'ready' }])
  t.same(await checkStore(second), [])
})

t.test('a build goes on where its gateway is gone', onPostgres, async (t) => {
  const { first, second, expire } = await openBoth(t)
  const room = new Room(first, 'main', 'built')
  for (let i = 0; i < 30; i++) await room.insert({ _id: i, a: i })
  const other = new IndexBuilds(partsOf(second), countingRandom)
  const slow = pausing(first, 3, async () => {
    await expire()
    await other.resume()
    while ((await room.get()).indexes.some(({ state }) => state !== 'ready')) {
      await hurried.sleep(0).over
    }
  })
  const builds = new IndexBuilds(partsOf(slow), countingRandom)
  await builds.ensure('main', 'built', indexSpecs([{ a: 1 }]))
  await other.close()
  t.match((await room.get()).indexes, [{ state: 'ready' }])
  t.same(await checkStore(second), [])
})
