// A write with more changes than a program may hold: seen as a whole or not at all, by readers, by
// the programs behind it, and by a start after a crash in its midst.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { largePutsMax, programPutsMax } from '../../src/base/limits/engine.js'
import { silentLog } from '../../src/base/log.js'
import {
  type ClusterTime,
  changeRange,
  changeTimeOf,
  isEarlier,
  keyClass,
} from '../../src/store/layout.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import { openMemoryStore } from '../../src/store/memory.js'
import type { Entry, KeyChange, KeyRange, ReadTx, Store } from '../../src/store/store.js'
import { eachStore, temporaryFolder } from '../support/stores.js'

const key = (n: number) => Uint8Array.of(keyClass.record, 0, 0, 0, 1, n >>> 16, n >>> 8, n)
const counter = Uint8Array.of(keyClass.count, 0, 0, 0, 1)
const range = { start: key(0), end: key(0xffffff) }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

function puts(count: number, value: number): KeyChange[] {
  return Array.from({ length: count }, (_, n) => ({
    key: key(n),
    value: new Uint8Array(40).fill(value),
  }))
}

/** All entries of a range, in one state. */
function entriesIn(store: Store, { start, end }: KeyRange): Promise<Entry[]> {
  function* program(tx: ReadTx) {
    const found: Entry[] = []
    for (let from = start; ; ) {
      const page = yield* tx.scan({ start: from, end }, 1_000)
      for (const entry of page) found.push(entry)
      const last = page.at(-1)
      if (last === undefined || page.length < 1_000) return found
      from = Uint8Array.of(...last.key, 0)
    }
  }
  return Promise.resolve(store.read(program, { snapshot: true }))
}

/** The values that are there, each with how often. */
async function seen(store: Store): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  for (const { value } of await entriesIn(store, range)) {
    const first = value[0] as number
    found.set(first, (found.get(first) ?? 0) + 1)
  }
  return found
}

function* nothing() {}

await eachStore(t, 'readers see all of it or nothing', async (t, { store, kind }) => {
  const count = kind === 'late' ? 200 : 4 * programPutsMax
  await store.writeLarge(nothing, { changes: puts(count, 1) })
  t.same([...(await seen(store))], [[1, count]])
  let isDone = false
  const writing = store
    .writeLarge(
      function* (tx) {
        tx.add(counter, 3, 4)
      },
      { changes: [...puts(count, 2).slice(1), { key: key(0), value: undefined }] },
    )
    .then(() => {
      isDone = true
    })
  const states = new Set<string>()
  while (!isDone) {
    states.add(JSON.stringify([...(await seen(store))]))
    await nextTurn()
  }
  await writing
  states.delete(JSON.stringify([[1, count]]))
  states.delete(JSON.stringify([[2, count - 1]]))
  t.same([...states], [])
  t.same([...(await seen(store))], [[2, count - 1]])
  const sum = await store.read(function* (tx) {
    return yield* tx.count(counter)
  })
  t.same(sum, { documents: 3, bytes: 4 })
})

await eachStore(
  t,
  'what its program throws undoes it; who writes behind it sees it',
  async (t, given) => {
    const { store, kind } = given
    const count = kind === 'late' ? 200 : 2 * programPutsMax
    const told: number[] = []
    const refused = store.writeLarge(
      function* () {
        throw new Error('no')
      },
      { changes: puts(count, 1), told: () => told.push(0) },
    )
    await t.rejects(refused, { message: 'no' })
    t.same([...(await seen(store))], [])
    const large = store.writeLarge(nothing, {
      changes: puts(count, 1),
      told: ({ value }) => told.push(value?.[0] ?? -1),
    })
    if (kind === 'late') await large
    const behind = store.write(function* (tx) {
      tx.put(key(count), Uint8Array.of(told.length === count ? 7 : 8))
      return (yield* tx.get(key(count - 1)))?.[0]
    })
    t.equal(await behind, 1)
    await large
    t.equal(told.length, count)
    t.equal((await seen(store)).get(7), 1, 'all was told before')
  },
)

await eachStore(
  t,
  'its records stand in their order behind those of its program, all at once',
  async (t, { store, kind }) => {
    const count = kind === 'late' ? 200 : programPutsMax
    const record = (n: number) => Uint8Array.of(n >>> 16, n >>> 8, n)
    const told: number[] = []
    let isDone = false
    const writing = store
      .writeLarge(
        function* (tx) {
          tx.append(record(0))
        },
        {
          changes: puts(count, 1),
          appended: Array.from({ length: count }, (_, n) => record(n + 1)),
          toldAppended: ([, high = 0, low = 0]) => told.push(256 * high + low),
        },
      )
      .then(() => {
        isDone = true
      })
    const records = async () => {
      const found = await entriesIn(store, changeRange)
      return found.map(({ value: [, high = 0, low = 0] }) => 256 * high + low)
    }
    const seenAt: { readonly time: string; readonly records: number }[] = []
    while (!isDone) {
      const time = JSON.stringify(store.changeTime?.())
      seenAt.push({ time, records: (await records()).length })
      await nextTurn()
    }
    await writing
    const all = Array.from({ length: count + 1 }, (_, n) => n)
    t.same(await records(), all)
    t.same(told, all.slice(1))
    const early = seenAt.filter(({ records }) => records === 0)
    t.equal(
      early.length + seenAt.filter(({ records }) => records === count + 1).length,
      seenAt.length,
    )
    if (store.changeTime === undefined) return
    const [first] = await entriesIn(store, changeRange)
    for (const { time } of early) {
      const { seconds, increment } = JSON.parse(time)
      const earliest = changeTimeOf((first as Entry).key)
      t.notOk(isEarlier(earliest, { seconds, increment }), 'no time is amid the records')
    }
  },
)

await t.test('however long it takes, no time that is told is amid its records', async (t) => {
  let seconds = 1_800_000_000
  const clock = { ...systemClock, now: () => 1_000 * seconds++ }
  const store = openMemoryStore(clock)
  t.teardown(() => store.close())
  const appended = Array.from({ length: programPutsMax }, (_, n) => Uint8Array.of(n >>> 8, n))
  let isDone = false
  const writing = store
    .writeLarge(
      function* (tx) {
        tx.append(Uint8Array.of(0))
      },
      { changes: puts(4 * programPutsMax, 1), appended },
    )
    .then(() => {
      isDone = true
    })
  const told: ClusterTime[] = []
  while (!isDone) {
    if ((await entriesIn(store, changeRange)).length === 0) {
      const time = store.changeTime?.()
      if (time !== undefined) told.push(time)
    }
    await nextTurn()
  }
  await writing
  const [first] = await entriesIn(store, changeRange)
  const earliest = changeTimeOf((first as Entry).key)
  t.ok(told.length > 2, 'it took several turns')
  t.same(
    told.filter((time) => isEarlier(earliest, time)),
    [],
  )
})

await t.test('a crash in its midst leaves nothing; behind it, all of it is there', async (t) => {
  const folder = await temporaryFolder(t)
  const open = (path: string) => {
    return openLmdbStore({ path, durability: 'none', clock: systemClock, log: silentLog })
  }
  const path = join(folder, 'store')
  const store = open(path)
  t.teardown(() => store.close())
  const first = puts(100, 1)
  await store.write(function* (tx) {
    for (const { key: at, value } of first) if (value !== undefined) tx.put(at, value)
  })
  const count = largePutsMax / 4
  let isDone = false
  let copies = 0
  const writing = store.writeLarge(nothing, { changes: puts(count, 2) }).then(() => {
    isDone = true
  })
  while (!isDone && copies < 3) {
    for (let turn = 0; turn < 5 * (copies + 1) && !isDone; turn++) await nextTurn()
    if (isDone) break
    const copy = join(folder, `copy-${copies++}`)
    // Within one turn: nothing is written meanwhile.
    cpSync(path, copy, { recursive: true })
    const opened = open(copy)
    t.same([...(await seen(opened))], [[1, 100]], 'nothing of it')
    await opened.write(function* (tx) {
      tx.put(key(count + 1), Uint8Array.of(9))
    })
    await opened.close()
    const again = open(copy)
    t.same(
      [...(await seen(again))],
      [
        [1, 100],
        [9, 1],
      ],
      'the log goes on behind it',
    )
    await again.close()
  }
  t.ok(copies > 0, 'it took several turns')
  await writing
  cpSync(path, join(folder, 'whole'), { recursive: true })
  const whole = open(join(folder, 'whole'))
  t.same([...(await seen(whole))], [[2, count]])
  await whole.close()
})
