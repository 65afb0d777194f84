// How an embedded store shares its thread: groups of write programs, budgets and turns of reads,
// the number and age of snapshots.

import t from 'tap'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import type { Clock } from '../../src/base/clock.js'
import { codes, fail } from '../../src/base/errors.js'
import { tickMsMax } from '../../src/base/limits/engine.js'
import {
  groupBytesMax,
  snapshotKeptMsMax,
  snapshotMsMax,
  snapshotsMax,
} from '../../src/base/limits/store.js'
import { entryUnits, turnUnits } from '../../src/base/work/work-figures.js'
import { EmbeddedStore } from '../../src/store/embedded.js'
import { keyClass } from '../../src/store/layout.js'
import { MemoryTables } from '../../src/store/memory.js'
import { groupProgramsMax } from '../../src/store/programs/write-groups.js'
import type { ReadTx, Store, Tx } from '../../src/store/store.js'
import type { GroupView } from '../../src/store/tables/tables.js'
import { eachStore } from '../support/stores.js'

const key = (...tail: number[]): Bytes => Uint8Array.of(keyClass.record, ...tail)
const range = { start: key(), end: Uint8Array.of(keyClass.record + 1) }

/** Tables that count their groups, and refuse some. */
class WatchedTables extends MemoryTables {
  groups = 0
  refuse: ((group: number) => Error | undefined) | undefined

  override commit(body: (view: GroupView) => void): Promise<void> | undefined {
    this.groups++
    return super.commit((view) => {
      body(view)
      const refusal = this.refuse?.(this.groups)
      if (refusal !== undefined) throw refusal
    })
  }
}

class FixedClock implements Clock {
  ms = 0
  now(): number {
    return this.ms
  }
  elapsed(): number {
    return this.ms
  }
}

function open(): { tables: WatchedTables; clock: FixedClock; store: Store } {
  const tables = new WatchedTables()
  const clock = new FixedClock()
  return { tables, clock, store: new EmbeddedStore(tables, clock) }
}

const change = (store: Store, body: (tx: Tx) => void): Promise<void> =>
  store.write(function* (tx) {
    body(tx)
  })

const many = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

t.test('the programs of a tick share a commit, up to a number', async (t) => {
  const { store, tables } = open()
  await many(groupProgramsMax, (i) => change(store, (tx) => tx.put(key(i), key())))
  t.equal(tables.groups, 1)
  await many(groupProgramsMax + 1, (i) => change(store, (tx) => tx.put(key(i), key())))
  t.equal(tables.groups, 3)
})

t.test('a group ends when it is large or has taken long', async (t) => {
  const { store, tables, clock } = open()
  const large = new Uint8Array(groupBytesMax)
  await many(3, (i) => change(store, (tx) => tx.put(key(i), large)))
  t.equal(tables.groups, 3)
  await many(3, (i) =>
    change(store, (tx) => {
      clock.ms += 10
      tx.put(key(i), key())
    }),
  )
  t.equal(tables.groups, 6)
})

t.test('no answer comes before the commit, not even an error', async (t) => {
  const { store, tables } = open()
  const order: string[] = []
  tables.refuse = () => {
    order.push('commit')
    return undefined
  }
  const failing = change(store, () => {
    throw fail('DuplicateKey', 'taken')
  }).catch(() => order.push('error'))
  await Promise.all([change(store, (tx) => tx.put(key(1), key())), failing])
  t.same(order, ['commit', 'error'])
})

t.test('when a group fails each of its programs runs again, alone', async (t) => {
  const { store, tables } = open()
  tables.refuse = (group) => {
    return group === 1 || group === 3 ? fail('OutOfDiskSpace', 'no space left') : undefined
  }
  const results = await Promise.allSettled(
    Array.from({ length: 4 }, (_, i) => change(store, (tx) => tx.put(key(i), key(i)))),
  )
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  t.equal(tables.groups, 5)
  t.equal(tables.get(key(1)), undefined)
  t.equal(store.stats().refusing, undefined)
})

t.test('stats tell why writes are refused, until one goes through', async (t) => {
  const { store, tables } = open()
  tables.refuse = () => fail('OutOfDiskSpace', 'no space left')
  await t.rejects(
    change(store, (tx) => tx.put(key(1), key())),
    { code: codes.OutOfDiskSpace.code },
  )
  t.equal(store.stats().refusing, 'no space left')
  tables.refuse = undefined
  await change(store, (tx) => tx.put(key(1), key()))
  t.equal(store.stats().refusing, undefined)
})

/** Entries that a program reads in one turn. */
const turnEntries = turnUnits / entryUnits

t.test('a read within its budget is answered at once', async (t) => {
  const { store } = open()
  const answer = store.read(function* (tx) {
    for (let i = 0; i < turnEntries; i++) yield* tx.get(key(1))
    return 'now'
  })
  t.equal(answer, 'now')
})

t.test('a read pauses when its entries or its time are used up', async (t) => {
  const { store, clock } = open()
  let pauses = 0
  const options = { onPause: () => pauses++ }
  await store.read(function* (tx) {
    for (let i = 0; i <= 3 * turnEntries; i++) yield* tx.get(key(1))
  }, options)
  t.equal(pauses, 3)
  pauses = 0
  await store.read(function* (tx) {
    for (let i = 0; i < 500; i++) {
      yield* tx.get(key(1))
      clock.ms += 1
    }
  }, options)
  t.ok(pauses >= 500 / (tickMsMax + 128) && pauses <= 500 / tickMsMax, `${pauses} pauses`)
})

t.test('large values use a budget up faster than small ones', async (t) => {
  const { store } = open()
  await change(store, (tx) => tx.put(key(1), new Uint8Array(1_000_000)))
  let pauses = 0
  await store.read(
    function* (tx) {
      for (let i = 0; i < 100; i++) yield* tx.get(key(1))
    },
    { onPause: () => pauses++ },
  )
  t.ok(pauses > 5, `${pauses} pauses`)
})

t.test('a scan without a bound is our own mistake', async (t) => {
  const { store } = open()
  for (const limit of [0, 1_001]) {
    const reading = () =>
      store.read(function* (tx) {
        yield* tx.scan(range, limit)
      })
    t.throws(reading, /assertion failed/)
  }
})

const fixedClock = new FixedClock()

eachStore(
  t,
  'a snapshot ends in time, and there are only so many',
  async (t, { store }) => {
    let running = true
    function* untilDone(tx: ReadTx) {
      while (running) yield* tx.pause(turnUnits)
      return yield* tx.get(key(1))
    }
    const pinned = async () => store.read(untilDone, { snapshot: true })
    const tooOld = { code: codes.SnapshotTooOld.code }
    const open = Promise.allSettled(Array.from({ length: snapshotsMax }, pinned))
    await t.rejects(pinned(), tooOld)
    fixedClock.ms += snapshotKeptMsMax + 1
    for (const ended of await open) t.match(ended, { status: 'rejected', reason: tooOld })
    running = false
    await t.resolves(pinned(), 'their places are free again')
  },
  { clock: fixedClock },
)

eachStore(
  t,
  'a read longer than 5 s keeps its snapshot',
  async (t, { store }) => {
    await change(store, (tx) => tx.put(key(1), key(1)))
    let running = true
    let turns = 0
    const read = store.read(
      function* (tx) {
        yield* tx.get(key(1))
        while (running) {
          turns++
          yield* tx.pause(turnUnits)
        }
        return yield* tx.get(key(1))
      },
      { snapshot: true },
    )
    await change(store, (tx) => tx.put(key(1), key(2)))
    for (let times = 0; times < 3; times++) {
      fixedClock.ms += snapshotMsMax + 1
      const before = turns
      while (turns < before + 3) await new Promise((resolve) => setImmediate(resolve))
    }
    running = false
    t.same([...((await read) ?? [])], [...key(1)])
  },
  { clock: fixedClock },
)

t.test('a write program reads a page of few bytes, beside its own changes too', async (t) => {
  const { store } = open()
  const large = new Uint8Array(100)
  await change(store, (tx) => {
    for (let n = 0; n < 20; n++) tx.put(key(n), large)
  })
  const page = { ...range, bytesMax: 250 }
  const [alone, beside] = await store.write(function* (tx) {
    const before = yield* tx.scanOwn(page, 100)
    for (let n = 0; n < 5; n++) tx.remove(key(n))
    return [before, yield* tx.scanOwn(page, 100)]
  })
  t.equal(alone?.length, 3)
  t.same(beside?.[0]?.key, key(5))
  t.ok((beside?.length ?? 0) <= 3, `${beside?.length} entries`)
})
