// What a long command has read is held for it: which keys, for how long, and for whom. The clock
// stands until the test sets it forward.

import t from 'tap'
import { type Bytes, mapKey } from '../../../src/base/bytes/bytes.js'
import { heldReadsMsMax, heldReadsMsMin, heldReadsRuns } from '../../../src/base/limits/store.js'
import { turnUnits } from '../../../src/base/work/work-figures.js'
import { mayBeParted, ObservedStore } from '../../../src/engine/observed-store.js'
import { preparedWrite } from '../../../src/engine/prepared-write.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Program, Tx } from '../../../src/store/store.js'
import { runSweep } from '../../../src/store/sweep.js'
import { HeldReads } from '../../../src/store/transactions/held-reads.js'
import { ManualClock } from '../../support/engine-room.js'
import { eachStore, type StoreCase } from '../../support/stores.js'

const key = (n: number, kind: number = keyClass.record): Bytes => Uint8Array.of(kind, 0, 0, 0, 1, n)
const of = (...keys: readonly Bytes[]) => {
  const names = new Set(keys.map((key) => mapKey(key)))
  return () => [{ has: (name: string) => names.has(name) }]
}
const all = () => true

t.test('what was read is held for others until the time is over', async (t) => {
  const clock = new ManualClock()
  const held = new HeldReads(clock)
  const reads = of(key(1), key(2), key(3, keyClass.count))
  const hold = held.hold(500, reads, (each) => each.at(-1) !== 2)
  const own = {}
  hold.admit(own)
  t.equal(held.blocking(own, [key(1)]), undefined)
  t.equal(held.blocking({}, [key(4)]), undefined, 'it has not read this one')
  t.equal(held.blocking({}, [key(2)]), undefined, 'this one is of another owner')
  t.equal(held.blocking({}, [key(3, keyClass.count)]), undefined, 'the server needs this one')
  const waiting = held.blocking({}, [key(4), key(1)])
  t.ok(waiting)
  clock.ms += 499
  held.expire()
  t.equal(hold.isOver, false)
  clock.ms += 1
  held.expire()
  t.equal(hold.isOver, true)
  t.equal(held.isOn, false)
  await waiting
})

t.test('a writer waits once, however many commands follow one another', async (t) => {
  const held = new HeldReads(new ManualClock())
  const writer = {}
  const first = held.hold(500, of(key(1)), all)
  const waiting = held.blocking(writer, [key(1)])
  held.hold(500, of(key(1)), all)
  first.end()
  await waiting
  t.equal(held.blocking(writer, [key(1)]), undefined)
  t.ok(held.blocking({}, [key(1)]))
})

/** `meanwhile` is called in each run, between two reads. */
async function prepared(
  { store, clock }: { store: ObservedStore; clock: ManualClock },
  meanwhile: (run: number) => Promise<unknown> | undefined,
) {
  let runs = 0
  const sweep = preparedWrite(
    store,
    function* (tx) {
      runs++
      const before = (yield* tx.get(key(1)))?.[0]
      yield* tx.pause(turnUnits)
      clock.ms += runMs
      const waiting = meanwhile(runs)
      if (waiting !== undefined) {
        let isOver = false
        const over = () => {
          isOver = true
        }
        waiting.then(over, over)
        for (let turn = 0; turn < 50 && !isOver; turn++) yield* tx.pause(turnUnits)
      }
      tx.put(key(2), Uint8Array.of(before ?? 0))
      return runs
    },
    { mayHold: all },
  )
  const end = await runSweep(store, sweep).catch((error: Error) => error.message)
  return { runs, end }
}

const runMs = 400

async function each(
  name: string,
  body: (t: Parameters<Parameters<typeof eachStore>[2]>[0], room: Room) => Promise<void>,
) {
  const clock = new ManualClock()
  await eachStore(
    t,
    name,
    async (t, { store: inner }: StoreCase) => {
      const store = new ObservedStore(inner)
      store.heldReads = new HeldReads(clock)
      await body(t, { store, clock })
    },
    { clock },
  )
}

interface Room {
  readonly store: ObservedStore
  readonly clock: ManualClock
}

function* add(tx: Tx): Program<void> {
  tx.put(key(1), Uint8Array.of(((yield* tx.get(key(1)))?.[0] ?? 0) + 1))
}

await each(
  'a command ends in its second run, and the writer goes on behind it',
  async (t, room) => {
    const writes: Promise<unknown>[] = []
    const { runs, end } = await prepared(room, () => {
      const write = room.store.write((tx) => add(tx))
      writes.push(write)
      return write
    })
    t.same({ runs, end }, { runs: 2, end: 2 })
    await Promise.all(writes)
    const [seen, now] = await room.store.read(function* (tx) {
      return [(yield* tx.get(key(2)))?.[0], (yield* tx.get(key(1)))?.[0]]
    })
    t.same(
      [seen, now],
      [1, 2],
      'it has seen the write of its first run, and not that of its second',
    )
    t.equal(room.store.heldReads?.isOn, false)
  },
)

await each('a run that needs longer than its hold gets another one', async (t, room) => {
  const { clock, store } = room
  const writes: Promise<unknown>[] = []
  const { runs, end } = await prepared(room, (run) => {
    if (run === 2) {
      clock.ms += Math.max(heldReadsMsMin, heldReadsRuns * runMs)
      t.ok(Math.max(heldReadsMsMin, heldReadsRuns * runMs) < heldReadsMsMax)
      store.heldReads?.expire()
    }
    const write = store.write((tx) => add(tx))
    writes.push(write)
    return write
  })
  t.same({ runs, end }, { runs: 3, end: 3 })
  await Promise.all(writes)
})

await each('a command that needs longer than it may hold in all fails', async (t, room) => {
  const { clock, store } = room
  const { runs, end } = await prepared(room, (run) => {
    if (run > 1) {
      clock.ms += heldReadsMsMax
      store.heldReads?.expire()
    }
    return store.write((tx) => add(tx))
  })
  t.same({ runs, end }, { runs: 3, end: 'what a large command has read kept changing' })
})

await each('a program of several clients is parted instead of waiting', async (t, room) => {
  const { store } = room
  let parted: unknown
  await prepared(room, (run) => {
    const write = store.write(function* (tx) {
      if (run > 1) mayBeParted(tx)
      yield* add(tx)
    })
    return write.catch((error: unknown) => {
      parted = error
    })
  })
  t.ok(parted instanceof Error)
  const now = await store.read(function* (tx) {
    return (yield* tx.get(key(1)))?.[0]
  })
  t.equal(now, 1, 'it has left no trace')
})
