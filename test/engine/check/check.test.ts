// The check finds what it is for: each kind of damage is named, and a sound store has none.

import t from 'tap'
import { chunkKey, discardValue, markStaged } from '../../../src/engine/background/garbage.js'
import { beginRecording } from '../../../src/engine/changes/begin-recording.js'
import { changeBytesKey } from '../../../src/engine/changes/change-record.js'
import { checkStore, type Problem, verifyNamespace } from '../../../src/engine/check/check.js'
import { countOwners } from '../../../src/engine/collection/catalog/catalog-upgrade-job.js'
import { release, reserve } from '../../../src/engine/collection/catalog/reservations.js'
import { recordKey } from '../../../src/engine/collection/collections.js'
import { inlineRecord } from '../../../src/engine/collection/records.js'
import { IndexBuilds } from '../../../src/engine/index/index-build-job.js'
import { entriesOf } from '../../../src/engine/index/index-keys.js'
import { parseIndexSpecs } from '../../../src/engine/index/index-spec.js'
import { declareIndexes } from '../../../src/engine/index/indexes.js'
import type { Namespace, NamespaceId } from '../../../src/engine/types.js'
import { idKey, keyClass } from '../../../src/store/layout.js'
import type { Store, Tx } from '../../../src/store/store.js'
import { runSweep } from '../../../src/store/sweep.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import {
  countingRandom,
  createOptions,
  indexSpecs,
  jobParts,
  ManualClock,
  Room,
} from '../../support/engine-room.js'
import { eachStore } from '../../support/stores.js'

async function sound(store: Store): Promise<Namespace> {
  const builds = new IndexBuilds(jobParts(store, new ManualClock()), countingRandom)
  await builds.ensure('main', 'things', indexSpecs([{ a: 1 }], [{ u: 1 }, { unique: true }]))
  const room = new Room(store)
  await room.insert({ _id: 1, a: 'x', u: 1 }, { _id: 'two', a: 'y', u: 2 })
  return room.get()
}

/** Changes the store behind the engine's back. */
const damage = (store: Store, change: (tx: Tx) => void): Promise<void> =>
  store.write(function* (tx) {
    change(tx)
  })

const texts = (problems: readonly Problem[]): string[] =>
  problems.map(({ ns, kind, text }) => `${ns} ${kind} ${text}`)

await eachStore(t, 'the size of the change log is that of no owner', async (t, { store }) => {
  await countOwners(store)
  const room = new Room(store)
  await room.insert({ _id: 1 })
  await runSweep(store, beginRecording({ db: room.db, name: room.name }))
  await room.insert({ _id: 2 })
  const bytes = await store.read(function* (tx) {
    return (yield* tx.count(changeBytesKey)).bytes
  })
  t.ok(bytes > 0)
  t.same(await checkStore(store), [])
})

await eachStore(
  t,
  'a sound store has no problems, and its figures are reported',
  async (t, { store }) => {
    await sound(store)
    const told: unknown[] = []
    t.same(await checkStore(store, (...progress) => told.push(progress)), [])
    t.same(told, [['main.things', 2, 0]])
    const report = await runSweep(store, verifyNamespace('main', 'things'))
    t.match(report, { records: 2, invalidRecords: 0, problems: [] })
    t.same(
      [...(report?.keysPerIndex ?? [])],
      [
        ['a_1', 2],
        ['u_1', 2],
      ],
    )
    t.equal(await runSweep(store, verifyNamespace('main', 'none')), undefined)
  },
)

await eachStore(t, 'an index that is being built lacks nothing yet', async (t, { store }) => {
  const room = new Room(store)
  await room.insert({ _id: 1, tags: ['x', 'y'] })
  const specs = parseIndexSpecs(indexSpecs([{ tags: 1 }]))
  await store.write((tx) => declareIndexes(tx, 'main', 'things', specs, createOptions))
  t.equal((await room.get()).indexes[0]?.state, 'building')
  t.same(texts(await checkStore(store)), [])
})

await eachStore(t, 'a wrong entry is named, with its index', async (t, { store }) => {
  const { id, indexes } = await sound(store)
  const [index] = indexes
  if (index === undefined) throw new Error('the index is missing')
  const key = recordKey({ id } as Namespace, valueFrom(1))
  const [wrong] = entriesOf(index, documentFrom({ a: 'z' }), key).keys
  if (wrong === undefined) throw new Error('the entry is missing')
  await damage(store, (tx) => tx.put(wrong, key))
  const [entry, count] = texts(await checkStore(store))
  t.match(
    entry,
    /^main\.things extraEntry index a_1: entry [0-9a-f]+ is not one that its record has$/,
  )
  t.match(count, /^main\.things count 3 entries of index a_1 of \d+ bytes are stored, counted as 2/)
})

await eachStore(
  t,
  'an entry of no record and a record without its entry are named',
  async (t, { store }) => {
    const ns = await sound(store)
    const key = recordKey(ns, valueFrom('two'))
    await damage(store, (tx) => tx.remove(key))
    t.match(texts(await checkStore(store)), [
      /extraEntry index a_1: entry [0-9a-f]+ leads to no record/,
      /extraEntry index u_1: entry [0-9a-f]+ leads to no record/,
      /count 1 documents of \d+ bytes are stored, counted as 2/,
    ])
    const [index] = ns.indexes
    if (index === undefined) throw new Error('the index is missing')
    const [entry] = entriesOf(index, documentFrom({ a: 'x' }), recordKey(ns, valueFrom(1))).keys
    await damage(store, (tx) => tx.remove(entry ?? key))
    const found = texts(await checkStore(store))
    t.match(found[0], /missingEntry index a_1: entry [0-9a-f]+ of document \{ _id: 1 \} is missing/)
  },
)

await eachStore(
  t,
  'a record that is no document or lies under another key is named',
  async (t, { store }) => {
    const ns = await sound(store)
    await damage(store, (tx) => {
      tx.put(recordKey(ns, valueFrom(3)), inlineRecord(documentFrom({ _id: 4, a: 'x', u: 4 })))
      tx.put(recordKey(ns, valueFrom(5)), Uint8Array.of(1, 9, 9, 9))
      tx.put(recordKey(ns, valueFrom(6)), Uint8Array.of(7))
      tx.put(recordKey(ns, valueFrom(7)), inlineRecord(documentFrom({ a: 1 })))
    })
    const found = texts(await checkStore(store))
    t.match(found.slice(0, 4), [
      /record record [0-9a-f]+: it lies under the key of another _id/,
      /record record [0-9a-f]+: /,
      /record record [0-9a-f]+: assertion failed/,
      /record record [0-9a-f]+: it has no _id/,
    ])
  },
)

await eachStore(t, 'data without an owner is named', async (t, { store }) => {
  const { id } = await sound(store)
  await damage(store, (tx) => {
    tx.put(idKey(keyClass.record, 999, Uint8Array.of(1)), inlineRecord(documentFrom({ _id: 1 })))
    tx.put(idKey(keyClass.entry, 998, Uint8Array.of(1)), Uint8Array.of(1))
    tx.put(idKey(keyClass.entry, id, Uint8Array.of(1)), Uint8Array.of(1))
    tx.put(chunkKey({ namespace: 997 as NamespaceId, number: 1 }, 0), Uint8Array.of(1))
    tx.put(chunkKey({ namespace: id, number: 12 }, 0), Uint8Array.of(1))
    tx.add(idKey(keyClass.count, 996), 1, 1)
  })
  t.same(texts(await checkStore(store)), [
    ' unowned records of id 999, which belongs to nothing',
    ` unowned entries of id ${id}, which belongs to nothing`,
    ' unowned entries of id 998, which belongs to nothing',
    ' unowned chunks of id 997, which belongs to nothing',
    ' unowned a count of id 996, which belongs to nothing',
    ' unowned chunks of value 12, which no record refers to',
  ])
})

await eachStore(
  t,
  'a value may be staged or garbage before its collection is there',
  async (t, { store }) => {
    await sound(store)
    const namespace = 997 as NamespaceId
    await damage(store, (tx) => {
      for (const number of [1, 2]) tx.put(chunkKey({ namespace, number }, 0), Uint8Array.of(1))
      markStaged(tx, { namespace, number: 1 })
      discardValue(tx, { namespace, number: 2 }, { owner: undefined, bytes: 1 })
    })
    t.same(await checkStore(store), [])
    await damage(store, (tx) => {
      tx.put(chunkKey({ namespace, number: 3 }, 0), Uint8Array.of(1))
    })
    t.same(texts(await checkStore(store)), [
      ' unowned chunks of value 3, which no record refers to',
    ])
  },
)

await eachStore(t, 'writers beside a check are no problem to it', async (t, { store, kind }) => {
  await sound(store)
  const room = new Room(store)
  let isChecking = true
  const writing = (async () => {
    for (let i = 10; isChecking; i++) {
      await room.insert({ _id: i, a: [i, 'many'], u: i })
      if (i % 3 === 0) await room.remove(i)
      if (i % 4 === 0) await room.replace({ _id: i, a: 'few', u: i })
    }
  })()
  for (let round = 0; round < (kind === 'late' ? 2 : 5); round++) {
    t.same(await checkStore(store), [])
  }
  isChecking = false
  await writing
  t.same(await checkStore(store), [])
})

await eachStore(t, 'a name that is reserved and in use is named', async (t, { store }) => {
  const { db, name, access } = await sound(store)
  await damage(store, (tx) => reserve(tx, db, name, access))
  const [problem] = await checkStore(store)
  t.match(problem, { kind: 'name', text: 'the name main.things is reserved, and a collection has' })
  await damage(store, (tx) => {
    release(tx, db, name)
    reserve(tx, db, 'gone', access)
  })
  t.same(await checkStore(store), [])
  await damage(store, (tx) => {
    tx.put(Uint8Array.from([keyClass.catalog, 0x03, ...Buffer.from('main\0x')]), Uint8Array.of(1))
  })
  t.match(texts(await checkStore(store)), [/ name the reservation of main\.x: /])
})
