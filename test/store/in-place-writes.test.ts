// Programs that write where their changes will lie, against a map: mixed with changes that are
// buffered, on the same keys; programs that fail amid their writes, whose neighbours in the group
// stay; snapshots beside them; and the same again once the store was opened anew.

import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Bytes, mapKey } from '../../src/base/bytes/bytes.js'
import { systemClock } from '../../src/base/clock.js'
import { programPutsMax } from '../../src/base/limits/engine.js'
import { silentLog } from '../../src/base/log.js'
import { keyClass } from '../../src/store/layout.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import type { InPlace, Program, ReadTx, Store, Tx } from '../../src/store/store.js'
import { readAcross } from '../support/read-across.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'
import { eachStore, openStore, temporaryFolder } from '../support/stores.js'

type State = Map<string, Bytes>

const keyCount = 60
const everything = {
  start: Uint8Array.of(keyClass.record),
  end: Uint8Array.of(keyClass.record + 1),
}

function keyOf(number: number): Bytes {
  return Uint8Array.of(keyClass.record, number, number)
}

function writeInPlace(inPlace: InPlace, key: Bytes, value: Bytes): Bytes | undefined {
  const { bytes, keyAt, valueAt } = inPlace.begin(key.length, value.length)
  bytes.set(key, keyAt)
  const found = inPlace.peekUnder((under, start, end) => under.slice(start, end))
  bytes.set(value, valueAt)
  return found
}

class Failed extends Error {}

/** What one program does, chosen before it runs: `state` is what it is to leave. */
function programOf(random: () => number, state: State): (t: Test, tx: Tx) => void {
  const below = (bound: number) => Math.floor(random() * bound)
  const steps = Array.from({ length: 1 + below(12) }, () => ({
    key: keyOf(below(keyCount)),
    value: new Uint8Array(below(3) === 0 ? below(300) : 20).fill(below(256)),
    kind: below(10),
  }))
  const fails = below(4) === 0
  return (t, tx) => {
    const { inPlace } = tx
    const now = new Map(state)
    for (const { key, value, kind } of steps) {
      const before = now.get(mapKey(key))
      const under = inPlace === undefined ? before : writeInPlace(inPlace, key, value)
      if (`${under}` !== `${before}`) t.fail('a draft sees what its program has made')
      if (kind === 0) continue
      if (kind < 3) now.delete(mapKey(key))
      else now.set(mapKey(key), value)
      if (kind === 1) tx.remove(key)
      else if (kind === 2) inPlace === undefined ? tx.remove(key) : inPlace.drop()
      else if (kind < 6 || inPlace === undefined) tx.put(key, value)
      else inPlace.keep()
    }
    if (fails) throw new Failed()
    state.clear()
    for (const [name, value] of now) state.set(name, value)
  }
}

async function stateOf(store: Store): Promise<string> {
  return store.read(texts)
}

function* texts(tx: ReadTx): Program<string> {
  const entries = yield* tx.scan(everything, 2 * keyCount)
  return entries.map(({ key, value }) => `${mapKey(key)}=${value}`).join()
}

function textOf(state: State): string {
  const names = [...state.keys()].sort()
  return names.map((name) => `${name}=${state.get(name)}`).join()
}

async function play(t: Test, store: Store, first: number): Promise<State> {
  const random = seededRandom(first)
  const state: State = new Map()
  for (let group = 0; group < 25; group++) {
    const isPinned = random() < 0.2
    const before = textOf(state)
    const programs = Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
      programOf(random, state),
    )
    const written = programs.map((program) =>
      store
        .write(function* (tx) {
          program(t, tx)
        })
        .catch((error: unknown) => {
          if (!(error instanceof Failed)) throw error
        }),
    )
    const snapshot = isPinned ? readAcross(store, written, everything, texts) : undefined
    await Promise.all(written)
    t.equal(await stateOf(store), textOf(state), `seed ${first}, group ${group}`)
    if (snapshot !== undefined) t.equal(await snapshot, before, 'a snapshot stays as it is')
  }
  return state
}

for (const kind of ['memory', 'lmdb'] as const) {
  for (let round = 0; round < runs(3); round++) {
    t.test(`direct and buffered writes are one program (${kind}, ${round})`, async (t) => {
      await play(t, await openStore(t, kind), seed + round)
    })
  }
}

t.test('what was written directly is read from the log', async (t) => {
  const path = join(await temporaryFolder(t), 'store')
  const options = { path, durability: 'none', clock: systemClock, log: silentLog } as const
  const store = openLmdbStore(options)
  const state = await play(t, store, seed)
  await store.close()
  const again = openLmdbStore(options)
  t.teardown(() => again.close())
  t.equal(await stateOf(again), textOf(state))
})

const peekingStores = { kinds: ['memory', 'lmdb'] } as const
await eachStore(
  t,
  'a key that a program changes again and again counts once, as where it is buffered',
  async (t, { store }) => {
    const write = (tx: Tx, key: Bytes, value: Bytes) => {
      const { inPlace } = tx
      if (inPlace === undefined) tx.put(key, value)
      else {
        writeInPlace(inPlace, key, value)
        inPlace.keep()
      }
      return inPlace !== undefined
    }
    const kinds = await store.write(function* (tx) {
      const seen = new Set<boolean>()
      for (let i = 0; i <= 2 * programPutsMax; i++) seen.add(write(tx, keyOf(1), Uint8Array.of(i)))
      return [...seen]
    })
    t.same(kinds, [true], 'of one length, it takes the place of the one before')
    await store.write(function* (tx) {
      for (let i = 0; i <= 2 * programPutsMax; i++) write(tx, keyOf(2), new Uint8Array(i % 9))
      for (let i = 0; i < 200; i++) write(tx, keyOf(3), new Uint8Array(100_000 + i))
    })
    const last = 2 * programPutsMax
    const state = [
      [1, Uint8Array.of(last)],
      [2, new Uint8Array(last % 9)],
      [3, new Uint8Array(100_199)],
    ] as const
    const wanted = new Map(state.map(([number, value]) => [mapKey(keyOf(number)), value]))
    t.equal(await stateOf(store), textOf(wanted))
  },
  peekingStores,
)

await eachStore(
  t,
  'direct writes count as those of a program do',
  async (t, { store }) => {
    const tooMany = store.write(function* (tx) {
      const { inPlace } = tx
      for (let i = 0; inPlace !== undefined && i <= programPutsMax; i++) {
        // Of one length, each would take the place of the one before.
        writeInPlace(inPlace, keyOf(i % 50), new Uint8Array(1 + (Math.floor(i / 50) % 2)))
        inPlace.keep()
      }
    })
    await t.rejects(tooMany, /too much at once/)
    t.equal(await stateOf(store), '')
    await t.rejects(
      store.write(function* ({ inPlace }) {
        if (inPlace === undefined) return
        writeInPlace(inPlace, Uint8Array.of(keyClass.count, 1), Uint8Array.of(1))
        inPlace.keep()
      }),
      /a record or a member/,
    )
    t.equal(await stateOf(store), '')
  },
  peekingStores,
)
