// Builds beside writers: what is missing is added, duplicates and drops end them, crashes do not.

import { setImmediate as tick } from 'node:timers/promises'
import t from 'tap'
import type { Bytes } from '../../../src/base/bytes/bytes.js'
import { garbageRange } from '../../../src/engine/background/garbage.js'
import { GarbageJob } from '../../../src/engine/background/garbage-job.js'
import { checkStore } from '../../../src/engine/check/check.js'
import {
  dropNamespace,
  findNamespace,
  renameNamespace,
} from '../../../src/engine/collection/catalog/catalog.js'
import { getDocument, recordKey } from '../../../src/engine/collection/collections.js'
import { putEntries } from '../../../src/engine/index/entries.js'
import { IndexBuilds } from '../../../src/engine/index/index-build-job.js'
import { entriesOf } from '../../../src/engine/index/index-keys.js'
import { parseIndexSpecs } from '../../../src/engine/index/index-spec.js'
import { declareIndexes, dropIndexes, listedIndexes } from '../../../src/engine/index/indexes.js'
import type { IndexDescriptor, Namespace } from '../../../src/engine/types.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Program, Store, Tx } from '../../../src/store/store.js'
import { valueFrom } from '../../../src/value/literal.js'
import type { Document } from '../../../src/value/value.js'
import {
  countingRandom,
  createOptions,
  indexSpecs,
  jobParts,
  keysOfClasses,
  ManualClock,
  Room,
} from '../../support/engine-room.js'
import { toObject } from '../../support/literal.js'
import { seededRandom } from '../../support/seeded-random.js'
import { eachStore } from '../../support/stores.js'

const buildsOf = (store: Store): IndexBuilds =>
  new IndexBuilds(jobParts(store, new ManualClock()), countingRandom)

/** The same store, and how many keys its write programs have asked for at once. */
function lookedFor(store: Store): { readonly watched: Store; readonly asked: () => number } {
  let count = 0
  const watching = (tx: Tx): Tx =>
    new Proxy(tx, {
      get(target, name) {
        const own = Reflect.get(target, name)
        if (typeof own !== 'function') return own
        return (...args: unknown[]) => {
          if (name === 'getMany') count += (args[0] as readonly Bytes[]).length
          return own.apply(target, args)
        }
      },
    })
  const watched: Store = Object.create(store, {
    write: {
      value: <T>(program: (tx: Tx) => Program<T>) => store.write((tx) => program(watching(tx))),
    },
  })
  return { watched, asked: () => count }
}

/** The same store, whose write programs each run beside two of `write`. */
function besideEach(store: Store, write: () => Promise<void>): Store {
  return Object.create(store, {
    write: {
      value: async <T>(program: (tx: Tx) => Program<T>): Promise<T> => {
        const [result] = await Promise.all([store.write(program), write().then(write)])
        return result
      },
    },
  })
}

async function fill(room: Room, count: number): Promise<void> {
  for (let first = 0; first < count; first += 50) {
    const documents = []
    for (let i = first; i < Math.min(first + 50, count); i++) {
      documents.push({ _id: i, a: i % 7, u: i, tags: [i, i + 1] })
    }
    await room.insert(...documents)
  }
}

/** A descriptor `building` and no build at work: what a crash leaves. */
const declareOnly = (store: Store, specs: ReturnType<typeof indexSpecs>): Promise<unknown> =>
  store.write((tx) => declareIndexes(tx, 'main', 'things', parseIndexSpecs(specs), createOptions))

const states = async (room: Room): Promise<string[]> =>
  (await room.get()).indexes.map((index) => `${index.name} ${index.state}`)

await eachStore(
  t,
  'an index over an empty or missing collection is ready at once',
  async (t, { store }) => {
    const builds = buildsOf(store)
    const specs = indexSpecs([{ a: 1 }], [{ b: -1, c: 1 }, { unique: true }])
    t.same(await builds.ensure('main', 'things', specs), { before: 1, after: 3, created: true })
    t.same(await builds.ensure('main', 'things', specs), {
      before: 3,
      after: 3,
      created: false,
      note: 'all indexes already exist',
    })
    t.same(await builds.ensure('main', 'things', indexSpecs([{ _id: 1 }])), {
      before: 3,
      after: 3,
      created: false,
      note: 'all indexes already exist',
    })
    const ns = await new Room(store).get()
    t.same(
      listedIndexes(ns).map((spec) => toObject(spec)),
      [
        { v: 2, key: { _id: 1 }, name: '_id_' },
        { v: 2, key: { a: 1 }, name: 'a_1' },
        { v: 2, key: { b: -1, c: 1 }, name: 'b_-1_c_1', unique: true },
      ],
    )
  },
)

await eachStore(t, 'a build adds the entries of the documents of before', async (t, { store }) => {
  const room = new Room(store)
  await fill(room, 130)
  const specs = indexSpecs([{ a: 1, u: -1 }], [{ tags: 1 }], [{ u: 1 }, { unique: true }])
  t.same(await buildsOf(store).ensure('main', 'things', specs), {
    before: 1,
    after: 4,
    created: false,
  })
  const { indexes } = await room.get()
  t.same(
    indexes.map(({ state, multikey }) => ({ state, multikey })),
    [
      { state: 'ready', multikey: [false, false] },
      { state: 'ready', multikey: [true] },
      { state: 'ready', multikey: [false] },
    ],
  )
  t.equal((await keysOfClasses(store, keyClass.entry)).length, 130 * 4)
  t.same(await checkStore(store), [])
})

await eachStore(
  t,
  'duplicates end a unique build with 11000, and its indexes are gone',
  async (t, { store }) => {
    const room = new Room(store)
    await fill(room, 60)
    const specs = indexSpecs([{ u: 1 }], [{ a: 1 }, { unique: true }])
    await t.rejects(buildsOf(store).ensure('main', 'things', specs), {
      code: 11000,
      message: /index: a_1 dup key: \{ a: 0 \}/,
    })
    t.same(await states(room), [])
    const garbage = new GarbageJob(jobParts(store, new ManualClock()))
    while (await garbage.round()) await tick()
    t.same(await keysOfClasses(store, keyClass.entry), [])
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'writes during a build are in the index when it is ready',
  async (t, { store, kind }) => {
    const room = new Room(store)
    const count = kind === 'late' ? 60 : 400
    await fill(room, count)
    const random = seededRandom(42)
    const specs = indexSpecs([{ a: 1 }], [{ tags: 1 }], [{ u: -1 }, { unique: true }])
    let writes = 0
    const write = async (): Promise<void> => {
      writes++
      const id = Math.floor(random() * count * 1.2)
      if (random() < 0.3) await room.remove(id)
      else if (!(await room.replace({ _id: id, a: 'new', u: id, tags: [] }))) {
        await room.insert({ _id: id, a: 'made', u: id })
      }
    }
    await buildsOf(besideEach(store, write)).ensure('main', 'things', specs)
    t.ok(writes > 3, `${writes} writes came in between`)
    t.same(await states(room), ['a_1 ready', 'tags_1 ready', 'u_-1 ready'])
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'a build looks for entries once others have put some, and not before',
  async (t, { store }) => {
    const room = new Room(store)
    await fill(room, 40)
    const wildcard = indexSpecs([{ '$**': 1 }])
    const { asked, watched } = lookedFor(store)
    await buildsOf(watched).ensure('main', 'things', wildcard)
    // A shared store reads its counters so.
    t.ok(asked() < 40, `${asked()} keys were looked for`)

    await declareOnly(store, indexSpecs([{ a: 1 }], [{ tags: 1 }]))
    const marks = async () => (await room.get()).indexes.map(({ hasWrites }) => hasWrites)
    // What has no entries to put is no write of theirs.
    await room.replace({ _id: 4, a: 4, u: 'other', tags: [4, 5] })
    await room.remove(5)
    t.same(await marks(), [undefined, undefined, undefined])
    await room.replace({ _id: 3, a: 'other', u: 3, tags: [3, 4] })
    t.same(await marks(), [undefined, true, undefined])
    await room.insert({ _id: 99, a: 1, tags: [1] })
    t.same(await marks(), [undefined, true, true])
    t.ok(await room.remove(99))

    await buildsOf(watched).ensure('main', 'things', indexSpecs([{ a: 1 }], [{ tags: 1 }]))
    t.ok(asked() >= 39 * 3, `${asked()} entries were looked for`)
    t.same(await marks(), [undefined, undefined, undefined])
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'a build that another one has begun puts no entry twice',
  async (t, { store }) => {
    const room = new Room(store)
    await fill(room, 40)
    await declareOnly(store, indexSpecs([{ tags: 1 }]))
    // As a crash leaves it: some entries are there, and no writer has put them.
    await store.write(function* (tx) {
      const ns = (yield* findNamespace(tx, 'main', 'things')) as Namespace
      const index = ns.indexes[0] as IndexDescriptor
      const key = recordKey(ns, valueFrom(7))
      const document = (yield* getDocument(tx, ns, key)) as Document
      putEntries(tx, ns.access, index, entriesOf(index, document, key).keys, key)
    })
    const builds = buildsOf(store)
    await builds.resume()
    await builds.ensure('main', 'things', indexSpecs([{ tags: 1 }]))
    t.same(await states(room), ['tags_1 ready'])
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'a document that gives a unique key away during a build does not take the next one’s',
  async (t, { store }) => {
    const room = new Room(store)
    await room.insert({ _id: 1, u: 'x' })
    await declareOnly(store, indexSpecs([{ u: 1 }, { unique: true }]))
    // The build has not reached document 1, so its key is free for another.
    await room.insert({ _id: 2, u: 'x' })
    await room.remove(1)
    t.equal((await keysOfClasses(store, keyClass.entry)).length, 1)
    await buildsOf(store).ensure('main', 'things', indexSpecs([{ u: 1 }, { unique: true }]))
    await t.rejects(room.insert({ _id: 3, u: 'x' }), { code: 11000 })
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'the next start resumes what a crash has left building',
  async (t, { store }) => {
    const room = new Room(store)
    await fill(room, 70)
    await declareOnly(store, indexSpecs([{ a: 1 }], [{ u: 1 }, { unique: true }]))
    await room.replace({ _id: 3, a: 1, u: 'three' })
    t.same(await states(room), ['a_1 building', 'u_1 building'])
    const builds = buildsOf(store)
    await builds.resume()
    const joined = builds.ensure('main', 'things', indexSpecs([{ a: 1 }]))
    t.same(await joined, { before: 3, after: 3, created: false, note: 'all indexes already exist' })
    t.same(await states(room), ['a_1 ready', 'u_1 ready'])
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'identical requests at once make one index and both wait for it',
  async (t, { store }) => {
    const room = new Room(store)
    await fill(room, 120)
    const builds = buildsOf(store)
    const specs = indexSpecs([{ a: 1 }])
    const [one, two] = await Promise.all([
      builds.ensure('main', 'things', specs),
      builds.ensure('main', 'things', specs),
    ])
    t.equal(one.after, 2)
    t.equal(two.after, 2)
    t.same(await states(room), ['a_1 ready'])
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'a drop of the index or the collection ends a build with 276',
  async (t, { store }) => {
    const room = new Room(store)
    await fill(room, 150)
    const builds = buildsOf(store)
    const first = t.rejects(builds.ensure('main', 'things', indexSpecs([{ a: 1 }])), { code: 276 })
    while (((await room.find())?.indexes.length ?? 0) === 0) await tick()
    await store.write((tx) => dropIndexes(tx, 'main', 'things', valueFrom('a_1')))
    await first
    const second = t.rejects(builds.ensure('main', 'things', indexSpecs([{ u: 1 }])), { code: 276 })
    while (((await room.find())?.indexes.length ?? 0) === 0) await tick()
    const ns = await room.get()
    await store.write((tx) => dropNamespace(tx, ns))
    await second
    t.equal(await room.find(), undefined)
  },
)

await eachStore(t, 'a build follows its collection through a rename', async (t, { store }) => {
  const room = new Room(store)
  await fill(room, 150)
  const built = buildsOf(store).ensure('main', 'things', indexSpecs([{ a: 1 }]))
  while (((await room.find())?.indexes.length ?? 0) === 0) await tick()
  await store.write(function* (tx) {
    const ns = yield* findNamespace(tx, 'main', 'things')
    if (ns !== undefined) yield* renameNamespace(tx, ns, 'main', 'renamed', false)
  })
  await built
  t.same(await states(new Room(store, 'main', 'renamed')), ['a_1 ready'])
  t.same(await checkStore(store), [])
})

await eachStore(t, 'a stop leaves the build to the next start', async (t, { store }) => {
  const room = new Room(store)
  await fill(room, 150)
  const builds = buildsOf(store)
  const stopped = t.rejects(builds.ensure('main', 'things', indexSpecs([{ a: 1 }])), {
    code: 11600,
  })
  while (((await room.find())?.indexes.length ?? 0) === 0) await tick()
  await builds.close()
  await stopped
  t.same(await states(room), ['a_1 building'])
})

await eachStore(t, 'the sixty-fourth index is the last', async (t, { store }) => {
  const builds = buildsOf(store)
  const many = indexSpecs(...Array.from({ length: 63 }, (_, i) => [{ [`f${i}`]: 1 }] as const))
  t.equal((await builds.ensure('main', 'things', many)).after, 64)
  await t.rejects(builds.ensure('main', 'things', indexSpecs([{ more: 1 }])), {
    code: 67,
    message: /too many indexes for main\.things/,
  })
})

await eachStore(
  t,
  'a document of thousands of entries is built in a step of its own',
  async (t, { store, kind }) => {
    const room = new Room(store)
    const length = kind === 'late' ? 600 : 3_000
    for (let id = 0; id < 4; id++) {
      await room.insert({ _id: id, a: Array.from({ length }, (_, i) => i * 10 + id) })
    }
    await buildsOf(store).ensure('main', 'things', indexSpecs([{ a: 1 }]))
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'indexes are dropped by name, names, key or star, never _id_',
  async (t, { store }) => {
    const specs = indexSpecs([{ a: 1 }], [{ b: 1 }], [{ c: 1 }], [{ d: 1 }])
    await buildsOf(store).ensure('main', 'things', specs)
    const room = new Room(store)
    await room.insert({ _id: 1, a: 1, b: 2, c: 3, d: 4 })
    const drop = (which: unknown): Promise<number> =>
      store.write((tx) => dropIndexes(tx, 'main', 'things', valueFrom(which)))
    t.equal(await drop('a_1'), 5)
    await t.rejects(drop('a_1'), { code: 27, message: 'index not found with name [a_1]' })
    await t.rejects(drop({ a: 1 }), { code: 27, message: "can't find index with key: { a: 1 }" })
    await t.rejects(drop('_id_'), { code: 72 })
    await t.rejects(drop({ _id: 1 }), { code: 72 })
    await t.rejects(drop(5), { code: 14 })
    await t.rejects(drop(['b_1', 'none']), { code: 27 })
    t.equal(await drop({ b: 1 }), 4)
    t.equal(await drop(['c_1']), 3)
    t.equal(await drop('*'), 2)
    t.equal(await drop('*'), 1)
    await t.rejects(
      store.write((tx) => dropIndexes(tx, 'main', 'none', valueFrom('*'))),
      { code: 26, message: 'ns not found main.none' },
    )
    const garbage = await store.read(function* (tx) {
      return yield* tx.scan(garbageRange, 10)
    })
    t.equal(garbage.length, 4)
    t.same(await checkStore(store), [], 'entries that wait for deletion are no problem')
  },
)
