// Documents in and out: record keys, duplicates that leave no trace, entries that follow, shapes.

import assert from 'node:assert/strict'
import { ObjectId } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { checkStore, verifyNamespace } from '../../../src/engine/check/check.js'
import {
  getDocument,
  insertDocument,
  recordKey,
  withId,
} from '../../../src/engine/collection/collections.js'
import { IndexBuilds } from '../../../src/engine/index/index-build-job.js'
import { dropIndexes } from '../../../src/engine/index/indexes.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Store } from '../../../src/store/store.js'
import { runSweep } from '../../../src/store/sweep.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { type Document, timestampValue } from '../../../src/value/value.js'
import { writeDocument } from '../../../src/value/writer.js'
import {
  countingRandom,
  indexSpecs,
  jobParts,
  keysOfClasses,
  ManualClock,
  Room,
} from '../../support/engine-room.js'
import type { LateStore } from '../../support/late-store.js'
import { toObject } from '../../support/literal.js'
import { runs } from '../../support/runs.js'
import type { StoreKind } from '../../support/store-kinds.js'
import { eachStore } from '../../support/stores.js'

const builds = (store: Store): IndexBuilds =>
  new IndexBuilds(jobParts(store, new ManualClock()), countingRandom)

const entryKeys = (store: Store): Promise<string[]> => keysOfClasses(store, keyClass.entry)

await eachStore(
  t,
  'a second document with an _id is 11000 with the key it repeats',
  async (t, { store }) => {
    const room = new Room(store)
    await room.insert({ _id: 1, a: 1 })
    const error = await room.insert({ _id: 1.0 }).catch((thrown: unknown) => thrown)
    t.match(error, {
      code: 11000,
      message: 'E11000 duplicate key error collection: main.things index: _id_ dup key: { _id: 1 }',
    })
    const { extra } = error as { extra: { keyPattern: Document; keyValue: Document } }
    t.same(toObject(extra.keyPattern), { _id: 1 })
    t.same(toObject(extra.keyValue), { _id: 1 })
    t.same(await room.read(1), { _id: 1, a: 1 })
  },
)

await eachStore(
  t,
  'a duplicate in a unique index leaves no trace, within a program too',
  async (t, { store }) => {
    const room = new Room(store)
    await builds(store).ensure(
      'main',
      'things',
      indexSpecs([{ 'a.b': 1, c: -1 }, { unique: true }], [{ d: 1 }]),
    )
    await room.insert({ _id: 1, a: { b: 'x' }, c: 2, d: 1 })
    const before = await entryKeys(store)
    const ns = await room.get()
    const caught = await store.write(function* (tx) {
      yield* insertDocument(tx, ns, documentFrom({ _id: 2, a: { b: 'y' }, c: 2 }))
      try {
        yield* insertDocument(tx, ns, documentFrom({ _id: 3, a: { b: 'y' }, c: 2.0, d: 3 }))
      } catch (error) {
        return error as { message: string; extra: { keyPattern: Document; keyValue: Document } }
      }
      return undefined
    })
    t.match(caught?.message, /index: a\.b_1_c_-1 dup key: \{ a\.b: "y", c: 2(\.0)? \}$/)
    t.same(toObject(caught?.extra.keyPattern ?? documentFrom({})), { 'a.b': 1, c: -1 })
    t.same(toObject(caught?.extra.keyValue ?? documentFrom({})), { 'a.b': 'y', c: 2 })
    t.equal((await entryKeys(store)).length, before.length + 2)
    await t.rejects(room.insert({ _id: 4, a: { b: 'x' }, c: 2 }), { code: 11000 })
    await t.rejects(room.replace({ _id: 2, a: { b: 'x' }, c: 2 }), { code: 11000 })
    t.ok(await room.replace({ _id: 2, a: { b: 'y' }, c: 2, d: 9 }), 'its own key is no duplicate')
    t.same(await checkStore(store), [])
  },
)

await eachStore(t, 'missing fields are one null in a unique index', async (t, { store }) => {
  const room = new Room(store)
  await builds(store).ensure('main', 'things', indexSpecs([{ a: 1 }, { unique: true }]))
  await room.insert({ _id: 1 })
  await t.rejects(room.insert({ _id: 2, a: null }), {
    code: 11000,
    message: /dup key: \{ a: null \}/,
  })
})

await eachStore(
  t,
  'elements of one array do not collide with each other, only across documents',
  async (t, { store }) => {
    const room = new Room(store)
    await builds(store).ensure('main', 'things', indexSpecs([{ a: 1 }, { unique: true }]))
    await room.insert({ _id: 1, a: [1, 1, 2] })
    t.equal((await entryKeys(store)).length, 2)
    await t.rejects(room.insert({ _id: 2, a: [3, 2] }), {
      code: 11000,
      message: /dup key: \{ a: 2 \}/,
    })
    t.equal((await entryKeys(store)).length, 2)
  },
)

await eachStore(
  t,
  'two arrays in one compound index are 171, and nothing is put',
  async (t, { store }) => {
    const room = new Room(store)
    await builds(store).ensure('main', 'things', indexSpecs([{ a: 1, b: 1 }]))
    await t.rejects(room.insert({ _id: 1, a: [1], b: [2] }), { code: 171 })
    t.same(await keysOfClasses(store, keyClass.record, keyClass.entry), [])
  },
)

await eachStore(
  t,
  'the multikey bits of several documents of one program add up',
  async (t, { store }) => {
    const room = new Room(store)
    await builds(store).ensure('main', 'things', indexSpecs([{ a: 1, b: 1 }], [{ c: 1 }]))
    const ns = await room.get()
    t.same(
      ns.indexes.map((index) => index.multikey),
      [[false, false], [false]],
    )
    await store.write(function* (tx) {
      yield* insertDocument(tx, ns, documentFrom({ _id: 1, a: [1], c: 1 }))
      yield* insertDocument(tx, ns, documentFrom({ _id: 2, b: [1], c: [1] }))
    })
    const { indexes } = await room.get()
    t.same(
      indexes.map((index) => index.multikey),
      [[true, true], [true]],
    )
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'long ids are cut to a prefix and a hash, and stay apart',
  async (t, { store }) => {
    const room = new Room(store)
    const long = 'x'.repeat(2_000)
    await room.insert({ _id: `${long}a` }, { _id: `${long}b`, n: 1 })
    const ns = await room.get()
    t.equal(recordKey(ns, valueFrom(`${long}a`)).length, 5 + 512)
    t.same(await room.read(`${long}b`), { _id: `${long}b`, n: 1 })
    t.equal(await room.read(`${long}c`), undefined)
    await t.rejects(room.insert({ _id: `${long}a` }), { code: 11000 })
    t.ok(await room.remove(`${long}a`))
    t.same(await checkStore(store), [])
  },
)

await eachStore(
  t,
  'a record key is unknown after its document is removed',
  async (t, { store }) => {
    const room = new Room(store)
    await room.insert({ _id: 'a' })
    const ns = await room.get()
    const key = recordKey(ns, valueFrom('a'))
    t.ok(await store.read((tx) => getDocument(tx, ns, key)))
    await room.remove('a')
    t.equal(await store.read((tx) => getDocument(tx, ns, key)), undefined)
  },
)

t.test('an _id comes first, and is made where it is missing', async (t) => {
  const id = new ObjectId()
  const shaped = (object: Record<string, unknown>): Document =>
    withId(documentFrom(object), () => id.id)
  t.same(Object.keys(toObject(shaped({ a: 1, _id: 2, b: 3 }))), ['_id', 'a', 'b'])
  t.same(toObject(shaped({ a: 1 })), { _id: id, a: 1 })
  const ready = documentFrom({ _id: 1, a: 1 })
  t.equal(
    withId(ready, () => id.id),
    ready,
    'the same bytes where nothing changes',
  )
})

t.test('ids of refused kinds are 53, $-names inside an _id 52, two of them 2', async (t) => {
  const shape = (object: Record<string, unknown>): Document =>
    withId(documentFrom(object), () => new Uint8Array(12))
  t.throws(() => shape({ _id: [1] }), { code: 53, message: /type array/ })
  t.throws(() => shape({ _id: /a/ }), { code: 53, message: /type regex/ })
  t.throws(() => shape({ _id: { $x: 1 } }), { code: 52 })
  t.throws(() => shape({ _id: { a: { $x: 1 } } }), { code: 52 })
  shape({ _id: { a: 1 }, $b: 1 })
  const twice = writeDocument((out) => out.int32('_id', 1).int32('_id', 2))
  t.throws(() => withId(twice, () => new Uint8Array(12)), { code: 2 })
})

t.test('an empty timestamp becomes the server time, but not in _id or below', async (t) => {
  const now = timestampValue(5, 1)
  const empty = timestampValue(0, 0)
  const document = writeDocument((out) =>
    out.value('_id', empty).value('at', empty).openDocument('in').value('at', empty).close(),
  )
  const shaped = withId(
    document,
    () => new Uint8Array(12),
    () => now,
  )
  const expected = writeDocument((out) =>
    out.value('_id', empty).value('at', now).openDocument('in').value('at', empty).close(),
  )
  t.same(shaped, expected)
})

t.test('a document above 16 MiB is 10334', async (t) => {
  const fitting = (bytes: number): Document =>
    documentFrom({ _id: 1, x: 'x'.repeat(bytes - 14 - 8) })
  t.equal(fitting(16 * 1024 * 1024).length, 16 * 1024 * 1024)
  withId(fitting(16 * 1024 * 1024), () => new Uint8Array(12))
  t.throws(() => withId(fitting(16 * 1024 * 1024 + 1), () => new Uint8Array(12)), { code: 10334 })
})

await eachStore(
  t,
  'an index that comes or goes between two runs of a write is kept or not at all',
  async (t, { store }) => {
    const late = store as LateStore
    const room = new Room(store)
    await room.create()
    const star = valueFrom('*')
    let changes = 0
    late.betweenRuns = async () => {
      const { indexes } = await room.get()
      changes++
      if (indexes.length > 0) await store.write((tx) => dropIndexes(tx, 'main', 'things', star))
      else await builds(store).ensure('main', 'things', indexSpecs([{ a: 1 }]))
    }
    for (let id = 0; changes < 6 && id < 500; id++) {
      await room.insert({ _id: id, a: [id, 'all'] })
      if (id % 3 === 0) await room.replace({ _id: id, a: 'one' })
      if (id % 4 === 0) await room.remove(id)
    }
    t.ok(changes >= 6)
    late.betweenRuns = undefined
    t.same(await checkStore(store), [])
  },
  { kinds: ['late'] },
)

// The model: documents in a Map, uniqueness by comparing key sets.

type Model = Map<number, Record<string, unknown>>

const leaf = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom(null, 'a', 'b', 1.5),
  fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }),
)
const body = fc.record(
  {
    a: leaf,
    b: fc.oneof(leaf, fc.record({ c: leaf }, { noNullPrototype: true })),
    u: fc.integer({ min: 0, max: 12 }),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const id = fc.integer({ min: 0, max: 9 })
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('insert' as const), id, body }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('replace' as const), id, body }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), id }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('index' as const),
      which: fc.constantFrom('a', 'bc', 'ab', 'u'),
    }),
  },
)

const indexSpecOf = {
  a: indexSpecs([{ a: 1 }]),
  bc: indexSpecs([{ 'b.c': -1 }]),
  ab: indexSpecs([{ a: -1, b: 1 }]),
  u: indexSpecs([{ u: 1 }, { unique: true }]),
}

const hasParallelArrays = (document: Record<string, unknown>): boolean =>
  Array.isArray(document.a) && Array.isArray(document.b)

class ModelRun {
  readonly documents: Model = new Map()
  readonly indexes = new Set<string>()

  /** The error code that the engine must answer; undefined where the change is made. */
  insert(key: number, value: Record<string, unknown>): number | undefined {
    if (this.isParallel(value)) return 171
    return this.documents.has(key) ? 11000 : this.put(key, value)
  }

  replace(key: number, value: Record<string, unknown>): number | undefined {
    if (!this.documents.has(key)) return undefined
    return this.isParallel(value) ? 171 : this.put(key, value)
  }

  index(which: string): number | undefined {
    const all = [...this.documents.values()]
    if (which === 'ab' && all.some(hasParallelArrays)) return 171
    const us = all.map(({ u }) => u ?? null)
    if (which === 'u' && new Set(us).size < us.length) return 11000
    this.indexes.add(which)
    return undefined
  }

  private put(key: number, value: Record<string, unknown>): number | undefined {
    if (this.indexes.has('u')) {
      for (const [other, { u }] of this.documents) {
        if (other !== key && (u ?? null) === (value.u ?? null)) return 11000
      }
    }
    this.documents.set(key, { _id: key, ...value })
    return undefined
  }

  private isParallel(value: Record<string, unknown>): boolean {
    return this.indexes.has('ab') && hasParallelArrays(value)
  }
}

const codeOf = async (work: Promise<unknown>): Promise<number | undefined> => {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return error.code
    throw error
  }
}

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

/** Does one action in both; answers the codes that the engine and the model came to. */
async function act(room: Room, model: ModelRun, step: Action): Promise<(number | undefined)[]> {
  switch (step.do) {
    case 'insert': {
      const got = await codeOf(room.insert({ _id: step.id, ...step.body }))
      return [got, model.insert(step.id, step.body)]
    }
    case 'replace': {
      const got = await codeOf(room.replace({ _id: step.id, ...step.body }))
      return [got, model.replace(step.id, step.body)]
    }
    case 'remove':
      model.documents.delete(step.id)
      return [await codeOf(room.remove(step.id)), undefined]
    case 'index': {
      const specs = indexSpecOf[step.which]
      const got = await codeOf(builds(room.store).ensure(room.db, room.name, specs))
      return [got, model.index(step.which)]
    }
  }
}

const counts: Readonly<Record<StoreKind, number>> = {
  memory: 60,
  lmdb: 10,
  late: 5,
  gateways: 5,
  postgres: 5,
  shared: 5,
}

await eachStore(
  t,
  'random writes and index builds leave what a map would hold',
  async (t, { store, kind }) => {
    let round = 0
    const property = fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const room = new Room(store, 'main', `c${round++}`)
      await room.create()
      const model = new ModelRun()
      for (const step of actions) {
        const [got, expected] = await act(room, model, step)
        assert.equal(got, expected, JSON.stringify(step))
      }
      for (let key = 0; key < 10; key++) {
        assert.deepEqual(await room.read(key), model.documents.get(key))
      }
      const report = await runSweep(store, verifyNamespace(room.db, room.name))
      assert.deepEqual(report?.problems, [])
    })
    await fc.assert(property, { numRuns: runs(counts[kind]) })
    t.same(await checkStore(store), [])
  },
)
