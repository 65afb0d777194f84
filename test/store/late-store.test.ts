// The late store is an instrument: what it is to find, it must find. Impure programs, stale reads
// and ranges, and programs that count on an answer within the tick.

import t from 'tap'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import { keyClass } from '../../src/store/layout.js'
import type { Store } from '../../src/store/store.js'
import { LateStore } from '../support/late-store.js'

const key = (...tail: number[]): Bytes => Uint8Array.of(keyClass.record, ...tail)
const range = { start: key(), end: Uint8Array.of(keyClass.record + 1) }

const get = async (store: Store, at: Bytes) =>
  store.read(function* (tx) {
    return yield* tx.get(at)
  })

t.test('a program that writes something else on its second run is found', async (t) => {
  const store = new LateStore({ seed: 1, conflictChance: 0 })
  let calls = 0
  const impure = store.write(function* (tx) {
    yield* tx.get(key(1))
    tx.put(key(1), Uint8Array.of(++calls))
  })
  await t.rejects(impure, /impure: it writes something else/)
})

t.test('a program that reads or answers something else is found', async (t) => {
  const store = new LateStore({ seed: 1, conflictChance: 0 })
  let calls = 0
  const reads = store.write(function* (tx) {
    return yield* tx.get(key(++calls))
  })
  await t.rejects(reads, /impure: it reads something else/)
  const answers = store.write(function* (tx) {
    yield* tx.get(key(1))
    return ++calls
  })
  await t.rejects(answers, /impure: it ends in another way/)
})

t.test('a made-up conflict runs the program again, on what happened in between', async (t) => {
  const store = new LateStore({ seed: 1, conflictChance: 1 })
  const runs: number[] = []
  store.betweenRuns = async (run) => {
    runs.push(run)
    await store.write(function* (tx) {
      const before = (yield* tx.get(key(1)))?.[0] ?? 0
      tx.put(key(1), Uint8Array.of(before + 10))
    })
  }
  const seen = await store.write(function* (tx) {
    return (yield* tx.get(key(1)))?.[0]
  })
  t.same(runs, [2, 3, 4])
  t.equal(seen, 30)
})

t.test('a range with a concurrent write is a conflict', async (t) => {
  // Two programs that each put a key if the range is empty: write skew without range validation.
  for (let seed = 0; seed < 20; seed++) {
    const store = new LateStore({ seed, conflictChance: 0 })
    const claim = (name: number) =>
      store.write(function* (tx) {
        const empty = (yield* tx.scan(range, 1)).length === 0
        if (empty) tx.put(key(name), Uint8Array.of(name))
        return empty
      })
    const claims = await Promise.all([claim(1), claim(2)])
    t.same(claims.filter(Boolean).length, 1, `seed ${seed}`)
  }
})

t.test('programs that read nothing of each other do not conflict', async (t) => {
  const store = new LateStore({ seed: 3, conflictChance: 0 })
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      store.write(function* (tx) {
        yield* tx.get(key(i))
        tx.put(key(i), Uint8Array.of(i))
        tx.add(Uint8Array.of(keyClass.count, 1), 1, 1)
      }),
    ),
  )
  t.equal(store.runs, 20)
  t.equal((await get(store, key(19)))?.[0], 19)
})

t.test('answers come on a later tick', async (t) => {
  const store = new LateStore({ seed: 4, conflictChance: 0 })
  let answered = false
  const reading = get(store, key(1)).then(() => {
    answered = true
  })
  await Promise.resolve()
  t.notOk(answered)
  await reading
})
