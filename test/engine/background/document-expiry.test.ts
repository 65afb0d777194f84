// TTL indexes: which documents go and when, in steps that look again, and by the seconds of now.

import { setImmediate as tick } from 'node:timers/promises'
import t from 'tap'
import { DocumentExpiry } from '../../../src/engine/background/document-expiry-job.js'
import type { Pace } from '../../../src/engine/background/pace-job.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { recordKey } from '../../../src/engine/collection/collections.js'
import {
  type IndexChange,
  type IndexChanges,
  modifyIndex,
} from '../../../src/engine/index/index-changes.js'
import type { Store } from '../../../src/store/store.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { jobParts, ManualClock } from '../../support/engine-room.js'
import { ReadingRoom } from '../../support/reading.js'
import { eachStore } from '../../support/stores.js'

const start = new ManualClock().ms

/** Seconds before the clock's start. */
const ago = (seconds: number): Date => new Date(start - seconds * 1_000)

type Plain = Readonly<Record<string, unknown>>

/** collMod's `index`. */
function changeIndex(store: Store, index: Plain, name = 'things'): Promise<IndexChanges> {
  const { keyPattern, expireAfterSeconds, ...rest } = index
  const change: IndexChange = {
    ...rest,
    ...(keyPattern === undefined ? {} : { keyPattern: documentFrom(keyPattern as Plain) }),
    ...(expireAfterSeconds === undefined
      ? {}
      : { expireAfterSeconds: valueFrom(expireAfterSeconds) }),
  }
  return store.write((tx) => modifyIndex(tx, 'main', name, change))
}

function jobOf(store: Store): { clock: ManualClock; job: DocumentExpiry } {
  const clock = new ManualClock()
  return { clock, job: new DocumentExpiry(jobParts(store, clock)) }
}

await eachStore(t, 'documents go when their date is so many seconds past', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const { clock, job } = jobOf(store)
  await room.index([{ at: 1 }, { expireAfterSeconds: 60 }])
  await room.insert({ _id: 1, at: ago(61) }, { _id: 2, at: ago(60) }, { _id: 3, at: ago(59) })
  t.equal(await job.round(), 2)
  t.same(await room.ids({}), [3])
  t.equal(await job.round(), 0)
  clock.ms += 1_000
  t.equal(await job.round(), 1)
  t.equal(job.expired, 3)
  t.same(await checkStore(store), [])
})

await eachStore(t, 'only dates expire, and of an array the earliest', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const { job } = jobOf(store)
  await room.index([{ at: -1 }, { expireAfterSeconds: 60 }])
  await room.insert(
    { _id: 1 },
    { _id: 2, at: null },
    { _id: 3, at: 0 },
    { _id: 4, at: '1999-01-01' },
    { _id: 5, at: [] },
    { _id: 6, at: [ago(0), ago(100), ago(90)] },
    { _id: 7, at: [ago(0), 'x'] },
    { _id: 8, at: { at: ago(100) } },
    { _id: 9, at: ago(1_000_000) },
  )
  t.equal(await job.round(), 2)
  t.same(await room.ids({}), [1, 2, 3, 4, 5, 7, 8])
  t.same(await checkStore(store), [])
})

await eachStore(t, 'a partial TTL index expires what matches', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const { job } = jobOf(store)
  const partialFilterExpression = { done: true }
  await room.index([{ at: 1 }, { expireAfterSeconds: 0, partialFilterExpression, hidden: true }])
  await room.insert({ _id: 1, at: ago(1) }, { _id: 2, at: ago(1), done: true })
  t.equal(await job.round(), 1)
  t.same(await room.ids({}), [1])
})

await t.test('many go in small steps, and every index has its turn', async (t) => {
  await eachStore(
    t,
    'steps',
    async (t, { store }) => {
      const { job } = jobOf(store)
      for (const name of ['one', 'two']) {
        const room = new ReadingRoom(store, 'main', name)
        await room.index([{ at: 1 }, { expireAfterSeconds: 10 }])
        for (let first = 0; first < 600; first += 100) {
          const documents = Array.from({ length: 100 }, (_, i) => ({ _id: first + i, at: ago(20) }))
          await room.insert(...documents, { _id: `kept ${first}`, at: ago(5) })
        }
      }
      t.equal(await job.round(), 1_200)
      for (const name of ['one', 'two']) {
        t.equal(await new ReadingRoom(store, 'main', name).count({}), 6)
      }
      t.same(await checkStore(store), [])
    },
    { kinds: ['memory', 'lmdb'] },
  )
})

await eachStore(t, 'the job looks again after each nap, and ends', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ at: 1 }, { expireAfterSeconds: 60 }])
  const naps: (() => void)[] = []
  const sleeps: number[] = []
  const parts = jobParts(store, new ManualClock())
  const pace: Pace = {
    rest: parts.pace.rest,
    sleep: (ms) => {
      sleeps.push(ms)
      let wake = (): void => {}
      const over = new Promise<void>((resolve) => {
        wake = resolve
      })
      naps.push(wake)
      return { over, wake }
    },
  }
  const job = new DocumentExpiry({ ...parts, pace })
  job.start()
  for (const round of [1, 2]) {
    await room.insert({ _id: round, at: ago(61) })
    naps.at(-1)?.()
    while (naps.length === round) await tick()
    t.same(await room.ids({}), [])
  }
  await job.close()
  t.equal(job.expired, 2)
  t.ok(sleeps.every((ms) => ms <= 60_000))
})

await eachStore(t, 'what has changed since it was found stays', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const { clock } = jobOf(store)
  await room.index([{ at: 1 }, { expireAfterSeconds: 60 }])
  await room.insert({ _id: 1, at: ago(100) }, { _id: 2, at: ago(100) })
  let isChanged = false
  const between = new Proxy(store, {
    get(target, name) {
      if (name !== 'write') {
        const own = Reflect.get(target, name)
        return typeof own === 'function' ? own.bind(target) : own
      }
      return async (program: Parameters<Store['write']>[0]) => {
        if (!isChanged) await room.replace({ _id: 1, at: ago(0) })
        isChanged = true
        return target.write(program)
      }
    },
  })
  t.equal(await new DocumentExpiry(jobParts(between, clock)).round(), 1)
  t.same(await room.ids({}), [1])
})

await eachStore(t, 'the seconds of a TTL index can be changed', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const { job } = jobOf(store)
  await room.index([{ at: 1 }, { expireAfterSeconds: 60 }], [{ b: 1 }])
  await room.insert({ _id: 1, at: ago(50), b: ago(50) }, { _id: 2, at: ago(5), b: ago(5) })
  t.equal(await job.round(), 0)
  const change = (index: Plain) => changeIndex(store, index)
  t.same(await change({ name: 'at_1', expireAfterSeconds: 40 }), {
    seconds: { before: 60, after: 40 },
  })
  t.equal(await job.round(), 1)
  t.same(await change({ name: 'at_1', expireAfterSeconds: 4_000 }), {
    seconds: { before: 40, after: 4_000 },
  })
  t.equal(await job.round(), 0)
  t.same(await change({ keyPattern: { b: 1 }, expireAfterSeconds: 1 }), {
    seconds: { before: undefined, after: 1 },
  })
  t.equal(await job.round(), 1, 'a plain index becomes a TTL index')
})

await eachStore(t, 'an index can be hidden and shown again', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ a: 1 }])
  const change = (index: Plain) => changeIndex(store, index)
  const kinds = async () => {
    const { accesses } = await room.plan({ filter: { a: 1 } })
    return accesses.map(({ kind }) => kind)
  }
  t.same(await change({ name: 'a_1', hidden: true }), { hidden: { before: false, after: true } })
  t.same(await kinds(), ['records'])
  t.same(await change({ name: 'a_1', hidden: true }), {}, 'nothing has changed')
  t.same(await change({ keyPattern: { a: 1 }, hidden: false }), {
    hidden: { before: true, after: false },
  })
  t.same(await kinds(), ['entries'])
})

await eachStore(t, 'an entry that leads nowhere holds nothing up', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const { job } = jobOf(store)
  await room.index([{ at: 1 }, { expireAfterSeconds: 60 }])
  await room.insert(...Array.from({ length: 20 }, (_, _id) => ({ _id, at: ago(500 - _id) })))
  const ns = await room.get()
  await store.write(function* (tx) {
    for (let id = 0; id < 10; id++) tx.remove(recordKey(ns, valueFrom(id)))
    return yield* tx.get(recordKey(ns, valueFrom(0)))
  })
  t.equal(await job.round(), 10)
  t.equal(await job.round(), 0)
  t.same(await room.ids({}), [])
})

await t.test('what an index cannot become is refused as the reference server does', async (t) => {
  await eachStore(
    t,
    'refusals',
    async (t, { store }) => {
      const room = new ReadingRoom(store)
      await room.index([{ a: 1 }], [{ a: 1, b: 1 }], [{ a: 1 }, { sparse: true, name: 's' }])
      const refused = async (index: Plain, code: number, name = 'things') =>
        t.rejects(changeIndex(store, index, name), { code }, JSON.stringify(index))
      await refused({ name: 'a_1', hidden: true }, 26, 'missing')
      await refused({ hidden: true }, 72)
      await refused({ name: 'a_1', keyPattern: { a: 1 }, hidden: true }, 72)
      await refused({ name: 'a_1' }, 72)
      await refused({ name: 'z_1', hidden: true }, 27)
      await refused({ keyPattern: { z: 1 }, hidden: true }, 27)
      await refused({ keyPattern: { a: 1 }, hidden: true }, 181)
      await refused({ name: '_id_', hidden: true }, 2)
      await refused({ name: '_id_', hidden: false }, 2)
      await refused({ name: '_id_', expireAfterSeconds: 1 }, 72)
      await refused({ keyPattern: { _id: 1 }, expireAfterSeconds: 1 }, 72)
      await refused({ name: 'a_1_b_1', expireAfterSeconds: 1 }, 72)
      await refused({ name: 'a_1', expireAfterSeconds: -1 }, 72)
      await refused({ name: 'a_1', expireAfterSeconds: 3_000_000_000 }, 72)
    },
    { kinds: ['memory'] },
  )
})
