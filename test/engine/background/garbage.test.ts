// What drops leave: found after a restart, deleted in small steps, and never more than it.

import { setImmediate as tick } from 'node:timers/promises'
import t from 'tap'
import { backgroundRecordsMax } from '../../../src/base/limits/engine.js'
import { GarbageJob } from '../../../src/engine/background/garbage-job.js'
import { ClockPace } from '../../../src/engine/background/pace-job.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { dropNamespace } from '../../../src/engine/collection/catalog/catalog.js'
import { IndexBuilds } from '../../../src/engine/index/index-build-job.js'
import { dropIndexes } from '../../../src/engine/index/indexes.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Store, Tx } from '../../../src/store/store.js'
import { valueFrom } from '../../../src/value/literal.js'
import {
  countingRandom,
  indexSpecs,
  jobParts,
  keysOfClasses,
  ManualClock,
  Room,
} from '../../support/engine-room.js'
import { eachStore } from '../../support/stores.js'

const dataClasses = [keyClass.record, keyClass.entry, keyClass.count, keyClass.chunk] as const

async function filled(store: Store, name: string, count: number): Promise<Room> {
  const room = new Room(store, 'main', name)
  const builds = new IndexBuilds(jobParts(store, new ManualClock()), countingRandom)
  await builds.ensure('main', name, indexSpecs([{ a: 1 }], [{ u: 1 }, { unique: true }]))
  for (let i = 0; i < count; i++) await room.insert({ _id: i, a: [i % 5, 'x'], u: i })
  return room
}

async function drop(room: Room): Promise<void> {
  const ns = await room.get()
  await room.store.write((tx) => dropNamespace(tx, ns))
}

const drain = async (job: GarbageJob): Promise<void> => {
  while (await job.round()) await tick()
}

await eachStore(
  t,
  'a dropped collection is gone at once, and its ranges soon after',
  async (t, { store }) => {
    const gone = await filled(store, 'gone', 30)
    const kept = await filled(store, 'kept', 5)
    await drop(gone)
    t.equal(await gone.find(), undefined)
    t.same(await checkStore(store), [])
    await drain(new GarbageJob(jobParts(store, new ManualClock())))
    t.same(await keysOfClasses(store, keyClass.garbage), [])
    const left = await keysOfClasses(store, ...dataClasses)
    // Five records, fifteen entries, a count of the collection and one of each index.
    t.equal(left.length, 5 + 15 + 3)
    t.same(await kept.read(3), { _id: 3, a: [3, 'x'], u: 3 })
    t.same(await checkStore(store), [])
  },
)

await eachStore(t, 'a dropped index leaves its collection alone', async (t, { store }) => {
  const room = await filled(store, 'c', 12)
  await store.write((tx) => dropIndexes(tx, 'main', 'c', valueFrom('a_1')))
  await drain(new GarbageJob(jobParts(store, new ManualClock())))
  t.same(await keysOfClasses(store, keyClass.garbage), [])
  t.equal((await keysOfClasses(store, keyClass.entry)).length, 12)
  t.same(await room.read(3), { _id: 3, a: [3, 'x'], u: 3 })
  t.same(await checkStore(store), [])
})

await eachStore(
  t,
  'a collection of the same name is untouched by the deletion of the last',
  async (t, { store }) => {
    const room = await filled(store, 'c', 8)
    await drop(room)
    await room.insert({ _id: 1, again: true })
    await drain(new GarbageJob(jobParts(store, new ManualClock())))
    t.same(await room.read(1), { _id: 1, again: true })
    t.same(await checkStore(store), [])
  },
)

await eachStore(t, 'each step deletes a bounded number of records', async (t, { store, kind }) => {
  const count = kind === 'late' ? 60 : 300
  await drop(await filled(store, 'c', count))
  const steps: number[] = []
  const counting: Store = {
    read: (program, options) => store.read(program, options),
    hold: () => store.hold(),
    writeLarge: (program, large) => store.writeLarge(program, large),
    write: (program) => {
      let removed = 0
      return store
        .write((tx) => {
          removed = 0
          const spy: Tx = Object.assign(Object.create(tx), {
            remove: (key: Uint8Array) => {
              removed++
              tx.remove(key)
            },
          })
          return program(spy)
        })
        .then((result) => {
          steps.push(removed)
          return result
        })
    },
    stats: () => store.stats(),
    close: () => store.close(),
  }
  await drain(new GarbageJob(jobParts(counting, new ManualClock())))
  t.same(await keysOfClasses(store, ...dataClasses), [])
  t.ok(Math.max(...steps) <= backgroundRecordsMax, `${Math.max(...steps)} at most`)
  t.ok(steps.length > count / backgroundRecordsMax)
})

await eachStore(t, 'the next process deletes what this one has not', async (t, { store }) => {
  await drop(await filled(store, 'c', 20))
  const job = new GarbageJob(jobParts(store, new ManualClock()))
  await job.start()
  while ((await keysOfClasses(store, keyClass.garbage)).length > 0) await tick()
  await job.close()
  t.same(await keysOfClasses(store, ...dataClasses), [])
})

await eachStore(t, 'a sleeping job is woken by a drop', async (t, { store }) => {
  const job = new GarbageJob(jobParts(store, new ManualClock()))
  await job.start()
  const room = await filled(store, 'c', 3)
  await drop(room)
  while ((await keysOfClasses(store, keyClass.garbage)).length > 0) {
    job.wake()
    await tick()
  }
  await job.close()
  t.same(await keysOfClasses(store, ...dataClasses), [])
})

t.test('background work rests while the loop is late, and not otherwise', async (t) => {
  const clock = new ManualClock()
  const pace = new ClockPace(clock)
  await pace.rest()
  let rested = false
  void pace.rest().then(() => {
    rested = true
  })
  clock.ms += 10
  await tick()
  await tick()
  t.notOk(rested, 'others are at work')
})
