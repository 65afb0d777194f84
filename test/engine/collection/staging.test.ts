// Large documents: in chunks, whole or not at all, and nothing left of those that are gone.

import { setImmediate as tick } from 'node:timers/promises'
import t from 'tap'
import { inlineValueBytesMax } from '../../../src/base/limits/store.js'
import { stagingRange } from '../../../src/engine/background/garbage.js'
import { chunkGraceMs, GarbageJob } from '../../../src/engine/background/garbage-job.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { dropNamespace, ensureNamespace } from '../../../src/engine/collection/catalog/catalog.js'
import { insertDocument, stagedWrite } from '../../../src/engine/collection/collections.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Store } from '../../../src/store/store.js'
import { runSweep } from '../../../src/store/sweep.js'
import { documentFrom } from '../../../src/value/literal.js'
import {
  createOptions,
  jobParts,
  keysOfClasses,
  ManualClock,
  Room,
} from '../../support/engine-room.js'
import { eachStore } from '../../support/stores.js'

const mebibyte = 1024 * 1024

const text = (bytes: number, seed = 'x'): string =>
  seed.repeat(Math.ceil(bytes / seed.length)).slice(0, bytes)

async function drain(store: Store): Promise<void> {
  const clock = new ManualClock()
  const job = new GarbageJob(jobParts(store, clock))
  await job.round()
  clock.ms += chunkGraceMs
  while (await job.round()) await tick()
}

const chunkCount = async (store: Store): Promise<number> =>
  (await keysOfClasses(store, keyClass.chunk)).length

await eachStore(
  t,
  'a document of 16 MiB comes and goes and leaves nothing',
  async (t, { store }) => {
    const room = new Room(store)
    const large = { _id: 1, x: text(16 * mebibyte - 22, 'large ') }
    t.equal(documentFrom(large).length, 16 * mebibyte)
    await room.insert(large)
    t.equal(await chunkCount(store), 128)
    t.same(await keysOfClasses(store, keyClass.garbage), [])
    t.same(await checkStore(store), [])
    t.equal((await room.read(1))?.x, large.x)
    const other = { _id: 1, x: text(16 * mebibyte - 22, 'other ') }
    t.ok(await room.replace(other))
    t.equal((await room.read(1))?.x, other.x)
    t.equal(await chunkCount(store), 256)
    await drain(store)
    t.equal(await chunkCount(store), 128)
    t.ok(await room.replace({ _id: 1, x: 'small' }))
    t.same(await room.read(1), { _id: 1, x: 'small' })
    await room.replace(large)
    t.ok(await room.remove(1))
    await drain(store)
    t.same(await keysOfClasses(store, keyClass.chunk, keyClass.garbage, keyClass.record), [])
    t.same(await checkStore(store), [])
  },
)

await eachStore(t, 'the limit of a record is exact', async (t, { store }) => {
  const room = new Room(store)
  const ofBytes = (id: number, bytes: number) => ({ _id: id, x: text(bytes - 22) })
  await room.insert(ofBytes(1, inlineValueBytesMax - 1))
  t.equal(await chunkCount(store), 0)
  await room.insert(ofBytes(2, inlineValueBytesMax))
  t.equal(await chunkCount(store), 2)
  await room.insert(ofBytes(3, inlineValueBytesMax + 1))
  t.equal(await chunkCount(store), 5)
  t.same(await room.read(2), ofBytes(2, inlineValueBytesMax))
  t.same(await checkStore(store), [])
})

await eachStore(
  t,
  'several large documents of one program are staged one after the other',
  async (t, { store }) => {
    const room = new Room(store)
    const documents = [1, 2, 3].map((_id) => ({ _id, x: text(300_000, `${_id}`) }))
    await room.insert(...documents)
    for (const document of documents) t.same(await room.read(document._id), document)
    t.same(await keysOfClasses(store, keyClass.garbage), [])
    t.same(await checkStore(store), [])
  },
)

await eachStore(t, 'a duplicate is found before anything is staged', async (t, { store }) => {
  const room = new Room(store)
  await room.insert({ _id: 1 })
  await t.rejects(room.insert({ _id: 1, x: text(mebibyte) }), { code: 11000 })
  t.same(await keysOfClasses(store, keyClass.chunk, keyClass.garbage), [])
})

await eachStore(
  t,
  'a program that fails after staging leaves only garbage',
  async (t, { store }) => {
    const room = new Room(store)
    await room.create()
    let runs = 0
    const failing = runSweep(
      store,
      stagedWrite(function* (tx, staged) {
        const ns = yield* ensureNamespace(tx, 'main', 'things', createOptions)
        yield* insertDocument(tx, ns, documentFrom({ _id: 1, x: text(mebibyte) }), staged)
        runs++
        throw new Error('changed its mind')
      }),
    )
    await t.rejects(failing, { message: 'changed its mind' })
    t.ok(runs > 0)
    t.equal(await chunkCount(store), 9)
    t.same(await checkStore(store), [])
    await drain(store)
    t.same(await keysOfClasses(store, keyClass.chunk, keyClass.garbage), [])
  },
)

await eachStore(
  t,
  'a large document cannot be put outside of stagedWrite',
  async (t, { store }) => {
    const room = new Room(store)
    const ns = await room.create()
    const bare = store.write((tx) =>
      insertDocument(tx, ns, documentFrom({ _id: 1, x: text(mebibyte) })),
    )
    await t.rejects(bare, { name: 'StagingNeeded' })
    t.same(await keysOfClasses(store, keyClass.record, keyClass.chunk), [])
  },
)

await eachStore(t, 'what a crash left staged is found by the next start', async (t, { store }) => {
  const room = new Room(store)
  await room.create()
  // An abandoned sweep: the process ended after the first chunks.
  const sweep = stagedWrite(function* (tx, staged) {
    const ns = yield* ensureNamespace(tx, 'main', 'things', createOptions)
    yield* insertDocument(tx, ns, documentFrom({ _id: 1, x: text(mebibyte) }), staged)
  })
  let next = sweep.next()
  for (let phase = 0; phase < 3 && next.done !== true; phase++) {
    if (next.value.mode !== 'write') throw new Error('staging writes')
    const { program } = next.value
    const done = await store.write(program).catch((error: unknown) => ({ error }))
    const isSignal =
      done !== undefined && done !== null && typeof done === 'object' && 'error' in done
    next = isSignal ? sweep.throw(done.error) : sweep.next(done)
  }
  const staged = () =>
    store.read(function* (tx) {
      return yield* tx.scan(stagingRange, 10)
    })
  t.equal((await staged()).length, 1)
  t.ok((await chunkCount(store)) > 0)
  t.same(await checkStore(store), [], 'it is on the staging list')
  const job = new GarbageJob(jobParts(store, new ManualClock()))
  await job.start()
  if (store.gateways !== undefined) {
    t.equal((await staged()).length, 1, 'the gateway that has staged it counts as alive')
    await job.close()
    return
  }
  while ((await keysOfClasses(store, keyClass.garbage)).length > 0) await tick()
  await job.close()
  t.equal(await chunkCount(store), 0)
})

await eachStore(
  t,
  'replaced chunks stay readable for those who are still reading',
  async (t, { store }) => {
    const room = new Room(store)
    await room.insert({ _id: 1, x: text(mebibyte, 'a') })
    await room.replace({ _id: 1, x: text(mebibyte, 'b') })
    const clock = new ManualClock()
    const job = new GarbageJob(jobParts(store, clock))
    t.notOk(await job.round())
    clock.ms += chunkGraceMs - 1
    t.notOk(await job.round())
    t.equal(await chunkCount(store), 18)
    clock.ms += 1
    t.ok(await job.round())
    t.equal(await chunkCount(store), 9)
  },
)

await eachStore(t, 'the chunks of a dropped collection go with it', async (t, { store }) => {
  const room = new Room(store)
  await room.insert({ _id: 1, x: text(mebibyte, 'a') })
  const ns = await room.get()
  await store.write((tx) => dropNamespace(tx, ns))
  t.same(await checkStore(store), [])
  await drain(store)
  t.same(await keysOfClasses(store, keyClass.chunk, keyClass.garbage, keyClass.record), [])
})

await eachStore(
  t,
  'a damaged or missing chunk is an error, not a wrong document',
  async (t, { store }) => {
    const room = new Room(store)
    await room.insert({ _id: 1, x: text(mebibyte, 'a') }, { _id: 2, x: text(mebibyte, 'b') })
    const [first] = await keysOfClasses(store, keyClass.chunk)
    const key = Buffer.from(first ?? '', 'hex')
    await store.write(function* (tx) {
      const chunk = yield* tx.get(key)
      if (chunk === undefined) throw new Error('the chunk is missing')
      chunk[1_000] = 0x5a
      tx.put(key, chunk)
    })
    await t.rejects(room.read(1), { code: 288 })
    await store.write(function* (tx) {
      yield* tx.get(key)
      tx.remove(key)
    })
    await t.rejects(room.read(1), { code: 239 })
    t.match(await checkStore(store), [{ ns: 'main.things', kind: 'record' }])
  },
)
