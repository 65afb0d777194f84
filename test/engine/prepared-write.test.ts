// A command that is prepared beside others: it is begun again where something that it has looked at
// has changed, and only then, and it comes to an end though a snapshot does not last as long.

import t, { type Test } from 'tap'
import { fail } from '../../src/base/errors.js'
import { snapshotKeptMsMax } from '../../src/base/limits/store.js'
import { turnUnits } from '../../src/base/work/work-figures.js'
import { ObservedStore } from '../../src/engine/observed-store.js'
import { preparedWrite } from '../../src/engine/prepared-write.js'
import { keyClass } from '../../src/store/layout.js'
import type { Program, ReadTx } from '../../src/store/store.js'
import { runSweep } from '../../src/store/sweep.js'
import { ManualClock } from '../support/engine-room.js'
import { openStore } from '../support/stores.js'

const keyOf = (name: number) => Uint8Array.of(keyClass.record, 0, 0, 0, 1, name)
const [first, second, other, result] = [keyOf(1), keyOf(2), keyOf(3), keyOf(4)]
const one = Uint8Array.of(1)

/** Looks at two keys with a pause in between, in which `meanwhile` is done once. */
async function runsWith(
  t: Test,
  meanwhile: (store: ObservedStore, clock: ManualClock) => Promise<unknown>,
) {
  const clock = new ManualClock()
  const store = new ObservedStore(await openStore(t, 'memory', clock))
  let runs = 0
  let change: Promise<unknown> | undefined
  const value = await runSweep(
    store,
    preparedWrite(store, function* (tx) {
      runs++
      const before = yield* tx.get(first)
      yield* tx.pause(turnUnits)
      change ??= meanwhile(store, clock)
      for (let turn = 0; turn < 5; turn++) yield* tx.pause(turnUnits)
      const behind = yield* tx.get(second)
      tx.put(result, one)
      return [before !== undefined, behind !== undefined]
    }),
  )
  await change
  const isPut = await store.read(function* (tx) {
    return (yield* tx.get(result)) !== undefined
  })
  t.ok(isPut)
  return { runs, value }
}

const put = (key: Uint8Array) => (store: ObservedStore) =>
  store.write(function* (tx) {
    tx.put(key, one)
  })

t.test('what it has looked at has changed: it is begun again', async (t) => {
  t.same(await runsWith(t, put(first)), { runs: 2, value: [true, false] })
  t.same(await runsWith(t, put(second)), { runs: 2, value: [false, true] })
})

t.test('what it has not looked at may change', async (t) => {
  t.same(await runsWith(t, put(other)), { runs: 1, value: [false, false] })
})

t.test('it ends though it takes longer than a snapshot lasts', async (t) => {
  const late = async (_store: ObservedStore, clock: ManualClock) => {
    clock.ms += snapshotKeptMsMax + 1
  }
  t.same(await runsWith(t, late), { runs: 2, value: [false, false] })
})

t.test('who may do it is asked again when it is done: that may change unseen', async (t) => {
  const inner = await openStore(t, 'memory', new ManualClock())
  const store = new ObservedStore(inner)
  function* admit(tx: ReadTx): Program<void> {
    if ((yield* tx.get(other)) !== undefined) throw new Error('no longer')
  }
  let change: Promise<unknown> | undefined
  const running = runSweep(
    store,
    preparedWrite(
      store,
      function* (tx) {
        yield* admit(tx)
        yield* tx.pause(turnUnits)
        // Past the store that tells of it.
        change ??= inner.write(function* (tx) {
          tx.put(other, one)
        })
        for (let turn = 0; turn < 5; turn++) yield* tx.pause(turnUnits)
        tx.put(result, one)
      },
      { admit: { before: admit } },
    ),
  )
  await t.rejects(running, { message: 'no longer' })
  await change
  const found = await store.read(function* (tx) {
    return yield* tx.get(result)
  })
  t.equal(found, undefined)
})

t.test('what is to end is not begun again, whatever others change', async (t) => {
  const clock = new ManualClock()
  const store = new ObservedStore(await openStore(t, 'memory', clock))
  let readings = 0
  let isKilled = false
  const sweep = preparedWrite(store, function* (tx) {
    readings++
    yield* tx.pause(turnUnits)
    clock.ms += snapshotKeptMsMax + 1
    void put(other)(store)
    for (let turn = 0; turn < 5; turn++) yield* tx.pause(turnUnits)
    isKilled = true
    tx.put(result, one)
  })
  const check = () => {
    if (isKilled) throw fail('Interrupted', 'operation was interrupted')
  }
  await t.rejects(runSweep(store, sweep, check), { message: 'operation was interrupted' })
  t.equal(readings, 2)
})

t.test('a write that fails is not begun again, whatever others have changed', async (t) => {
  const clock = new ManualClock()
  const store = new ObservedStore(await openStore(t, 'memory', clock))
  let readings = 0
  const sweep = preparedWrite(
    store,
    function* (tx) {
      readings++
      yield* tx.pause(turnUnits)
      clock.ms += snapshotKeptMsMax + 1
      void put(other)(store)
      for (let turn = 0; turn < 5; turn++) yield* tx.pause(turnUnits)
      tx.put(result, one)
    },
    {
      admit: {
        *before() {
          throw new Error('the log is broken')
        },
      },
    },
  )
  await t.rejects(runSweep(store, sweep), { message: 'the log is broken' })
  t.equal(readings, 2)
})
