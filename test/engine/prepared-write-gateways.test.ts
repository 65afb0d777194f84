// Optimistic writes of two gateways over one state. A gateway is not told of what the other one
// changes, so only the states that were read show it. No update may be lost.

import t, { type Test } from 'tap'
import { snapshotKeptMsMax } from '../../src/base/limits/store.js'
import { ObservedStore } from '../../src/engine/observed-store.js'
import { preparedWrite } from '../../src/engine/prepared-write.js'
import { keyClass } from '../../src/store/layout.js'
import type { Program, Store, Tx } from '../../src/store/store.js'
import { runSweep } from '../../src/store/sweep.js'
import { ManualClock } from '../support/engine-room.js'
import { openGateways } from '../support/gateways.js'

const counter = Uint8Array.of(keyClass.record, 0, 0, 0, 1, 1)

function open(t: Test) {
  const [first, second] = openGateways(t)
  return { late: first, one: new ObservedStore(first), other: new ObservedStore(second) }
}

function* increment(tx: Tx): Program<number> {
  const next = ((yield* tx.get(counter))?.[0] ?? 0) + 1
  tx.put(counter, Uint8Array.of(next))
  return next
}

const optimistic = (store: ObservedStore, program = increment) =>
  runSweep(store, preparedWrite(store, program))

async function plain(store: Store, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await store.write(increment)
}

const total = (store: Store) =>
  store.read(function* (tx) {
    return (yield* tx.get(counter))?.[0]
  })

t.test('increments of the other gateway before the commit are kept', async (t) => {
  const { late, one, other } = open(t)
  let isFirst = true
  late.beforeCommit = async () => {
    if (!isFirst) return
    isFirst = false
    await plain(other, 5)
  }
  t.equal(await optimistic(one), 6)
  t.equal(await total(other), 6)
})

t.test('increments of the other gateway while it is read are kept', async (t) => {
  const { one, other } = open(t)
  let others: Promise<void> | undefined
  const value = await optimistic(one, function* (tx) {
    const before = (yield* tx.get(counter))?.[0] ?? 0
    others ??= plain(other, 5)
    for (let turn = 0; turn < 60; turn++) yield* tx.pause()
    tx.put(counter, Uint8Array.of(before + 1))
    return before + 1
  })
  await others
  t.equal(await total(other), 6, `it has become ${value}`)
})

t.test('increments of both gateways in any order are kept', async (t) => {
  const { one, other } = open(t)
  const each = [one, other].flatMap((store) => [
    plain(store, 5),
    ...[1, 2, 3].map(() => optimistic(store)),
  ])
  await Promise.all(each)
  t.equal(await total(one), 16)
})

t.test('what takes longer than a snapshot lasts is right without one', async (t) => {
  const clock = new ManualClock()
  const [first, second] = openGateways(t, { clock })
  const one = new ObservedStore(first)
  const both = [counter, Uint8Array.of(...counter, 1)]
  function* incrementBoth(tx: Tx): Program<void> {
    for (const key of both) {
      tx.put(key, Uint8Array.of(((yield* tx.get(key))?.[0] ?? 0) + 1))
    }
  }
  let runs = 0
  let change: Promise<void> | undefined
  const seen: boolean[] = []
  await optimistic(one, function* (tx) {
    runs++
    const found: (number | undefined)[] = []
    for (const key of both) {
      found.push((yield* tx.get(key))?.[0])
      if (runs === 1) clock.ms += snapshotKeptMsMax + 1
      // Between its reads, the other gateway changes both.
      else if (runs === 2 && found.length === 1) change = second.write(incrementBoth)
      for (let turn = 0; turn < 40; turn++) yield* tx.pause()
    }
    seen.push(found[0] === found[1])
    if (found[0] !== found[1]) throw new Error('two states')
    for (const key of both) tx.put(key, Uint8Array.of((found[0] ?? 0) + 1))
    return 0
  })
  await change
  t.ok(runs >= 3)
  t.ok(seen.includes(false), 'without a snapshot it saw two states')
  t.equal(seen.at(-1), true, 'its error was no conclusion')
  t.equal(await total(one), 2)
})

t.test('an answer without changes is of one state', async (t) => {
  const clock = new ManualClock()
  const [first, second] = openGateways(t, { clock })
  const other = Uint8Array.of(...counter, 1)
  let runs = 0
  let change: Promise<void> | undefined
  const one = new ObservedStore(first)
  const answer = await runSweep(
    one,
    preparedWrite(one, function* (tx) {
      runs++
      if (runs === 1) clock.ms += snapshotKeptMsMax + 1
      const before = (yield* tx.get(counter))?.[0]
      if (runs === 2) {
        change = second.write(function* (tx) {
          for (const key of [counter, other]) tx.put(key, Uint8Array.of(1))
        })
      }
      for (let turn = 0; turn < 40; turn++) yield* tx.pause()
      return [before, (yield* tx.get(other))?.[0]]
    }),
  )
  await change
  t.same(answer, [1, 1])
  t.equal(runs, 3)
})
