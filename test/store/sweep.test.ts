// Sweeps: phases in order, each with its own end; interruptions come between phases or in the
// pauses of a read, never inside a write.

import t from 'tap'
import { codes, fail } from '../../src/base/errors.js'
import { turnUnits } from '../../src/base/work/work-figures.js'
import { keyClass } from '../../src/store/layout.js'
import { readPhase, runSweep, type Sweep, writePhase } from '../../src/store/sweep.js'
import { eachStore } from '../support/stores.js'

const key = (...tail: number[]) => Uint8Array.of(keyClass.record, ...tail)
const range = { start: key(), end: Uint8Array.of(keyClass.record + 1) }

/** Puts key 0, 1, 2 … one program each; ends in how many there are. */
function* puts(count: number): Sweep<number> {
  for (let i = 0; i < count; i++) {
    yield* writePhase(function* (tx) {
      tx.put(key(i), key())
    })
  }
  return yield* readPhase(function* (tx) {
    return (yield* tx.scan(range, 100)).length
  })
}

eachStore(t, 'phases run in order, and the next sees what the last one did', async (t, given) => {
  t.equal(await runSweep(given.store, puts(5)), 5)
})

eachStore(t, 'a phase that fails throws into the sweep, which may go on', async (t, { store }) => {
  function* sweep(): Sweep<string> {
    yield* puts(2)
    try {
      yield* writePhase(function* (tx) {
        tx.put(key(9), key())
        throw fail('DuplicateKey', 'taken')
      })
    } catch (error) {
      const left = yield* readPhase(function* (tx) {
        return (yield* tx.scan(range, 100)).length
      })
      return `${error instanceof Error ? error.message : ''} ${left}`
    }
    return 'not reached'
  }
  t.equal(await runSweep(store, sweep()), 'taken 2')
})

eachStore(t, 'an interruption keeps what is done', async (t, { store }) => {
  let phases = 0
  let cleaned = false
  function* sweep(): Sweep<number> {
    try {
      return yield* puts(100)
    } finally {
      cleaned = true
    }
  }
  const interrupt = () => {
    if (++phases === 3) throw fail('MaxTimeMSExpired', 'operation exceeded time limit')
  }
  await t.rejects(runSweep(store, sweep(), interrupt), { code: codes.MaxTimeMSExpired.code })
  t.ok(cleaned)
  t.equal(await runSweep(store, puts(0)), 3)
})

eachStore(t, 'an interruption reaches a phase that reads for long', async (t, { store }) => {
  function* sweep(): Sweep<void> {
    yield* readPhase(function* (tx) {
      for (;;) yield* tx.pause(turnUnits)
    })
  }
  let looks = 0
  const interrupt = () => {
    if (++looks === 5) throw fail('Interrupted', 'killed')
  }
  await t.rejects(runSweep(store, sweep(), interrupt), { code: codes.Interrupted.code })
})
