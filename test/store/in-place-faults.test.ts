// Programs that write where their changes lie, beside a log that cannot be written now and then:
// what was acknowledged is there with its version, what was refused is not, in memory as on the
// disk, whatever took the place of what; programs that fail or are too large, snapshots, and
// freezing come in between.

import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Bytes, mapKey } from '../../src/base/bytes/bytes.js'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { type Files, nodeFiles } from '../../src/store/files.js'
import { keyClass } from '../../src/store/layout.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import type { InPlace, Program, ReadTx, Store, Tx } from '../../src/store/store.js'
import { readAcross } from '../support/read-across.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'
import { temporaryFolder } from '../support/stores.js'

type State = Map<string, Bytes>
type Random = () => number

const keyCount = 80
const groups = 120
const counter = Uint8Array.of(keyClass.count, 1)
const everything = {
  start: Uint8Array.of(keyClass.record),
  end: Uint8Array.of(keyClass.record + 1),
}

/** Short keys, and long ones. */
function keyOf(number: number): Bytes {
  const key = new Uint8Array(number % 7 === 0 ? 900 : 3).fill(number)
  key[0] = keyClass.record
  return key
}

interface Step {
  readonly key: Bytes
  readonly value: Bytes
  readonly kind: 'left' | 'drop' | 'remove' | 'keep' | 'shorter' | 'put' | 'seek'
}

const kinds = ['left', 'drop', 'remove', 'keep', 'keep', 'keep', 'shorter', 'put', 'seek'] as const

function stepsOf(random: Random): Step[] {
  const below = (bound: number) => Math.floor(random() * bound)
  const length = () => (below(60) === 0 ? 200_000 : below(4) === 0 ? 1 + below(300) : 20)
  // Few keys at times: changes of changes.
  const keys = below(3) === 0 ? 3 : keyCount
  return Array.from({ length: 1 + below(30) }, () => ({
    key: keyOf(below(keys)),
    value: new Uint8Array(length()).fill(below(256)),
    kind: kinds[below(kinds.length)] ?? 'put',
  }))
}

/** What a step leaves. */
function apply(state: State, { key, value, kind }: Step): void {
  if (kind === 'left') return
  if (kind === 'drop' || kind === 'remove') state.delete(mapKey(key))
  else if (kind === 'shorter') state.set(mapKey(key), value.slice(0, value.length >>> 1))
  else state.set(mapKey(key), value)
}

function write(tx: Tx, inPlace: InPlace, { key, value, kind }: Step): Bytes | undefined | 'unseen' {
  const { bytes, keyAt, valueAt } = inPlace.begin(key.length, value.length)
  bytes.set(key, keyAt)
  const isSought = kind === 'seek'
  const found = isSought ? undefined : inPlace.peekUnder((at, from, to) => at.slice(from, to))
  if (isSought) inPlace.seek()
  bytes.set(value, valueAt)
  if (kind === 'put') tx.put(key, value)
  else if (kind === 'remove') tx.remove(key)
  else if (kind === 'drop') inPlace.drop()
  else if (kind === 'shorter') inPlace.keep(value.length >>> 1)
  else if (kind !== 'left') inPlace.keep()
  return isSought ? 'unseen' : found
}

class Failed extends Error {}

function* playSteps(t: Test, tx: Tx, steps: readonly Step[], fails: boolean): Program<void> {
  const { inPlace } = tx
  if (inPlace === undefined) throw new Error('this store has its values at hand')
  const now: State = new Map()
  for (const { key, value } of yield* tx.scan(everything, 2 * keyCount)) now.set(mapKey(key), value)
  for (const step of steps) {
    const before = now.get(mapKey(step.key))
    const found = write(tx, inPlace, step)
    if (found !== 'unseen' && !isSame(found, before)) t.fail('a draft sees what lies there')
    apply(now, step)
    if (!isSame(yield* tx.get(step.key), now.get(mapKey(step.key)))) t.fail('a get sees it')
  }
  const own = yield* tx.scanOwn(everything, 2 * keyCount)
  if (textOf(stateIn(own)) !== textOf(now)) t.fail('a scan sees all that was done')
  tx.add(counter, 1, 1)
  if (fails) throw new Failed()
}

function isSame(a: Bytes | undefined, b: Bytes | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0
}

function stateIn(entries: readonly { readonly key: Bytes; readonly value: Bytes }[]): State {
  return new Map(entries.map(({ key, value }) => [mapKey(key), value]))
}

/** Length and first byte say it: a value is one byte again and again. */
function textOf(state: State): string {
  const texts = [...state].map(([name, value]) => `${name}=${value.length}*${value[0]}`)
  return texts.sort().join()
}

function* peek(tx: ReadTx): Program<{ text: string; versions: string; count: number }> {
  const entries = yield* tx.scan(everything, 2 * keyCount)
  const versions: string[] = []
  for (const { key } of entries) versions.push(`${(yield* tx.getVersioned(key))?.version}`)
  const { documents } = yield* tx.count(counter)
  return { text: textOf(stateIn(entries)), versions: versions.join(), count: documents }
}

/** The machine's, but writes fail in the middle while `isFull` says so. */
function failing(isFull: () => boolean): Files {
  const full = () => Object.assign(new Error('no space'), { code: 'ENOSPC' })
  return {
    ...nodeFiles,
    write(file, bytes, position) {
      if (!isFull()) return nodeFiles.write(file, bytes, position)
      nodeFiles.write(file, bytes.subarray(0, bytes.length >>> 1), position)
      throw full()
    },
    writev(file, pieces, position) {
      if (!isFull()) return nodeFiles.writev(file, pieces, position)
      nodeFiles.writev(file, pieces.slice(0, 1), position)
      throw full()
    },
  }
}

async function play(t: Test, first: number): Promise<void> {
  const random = seededRandom(first)
  const path = join(await temporaryFolder(t), 'store')
  let isFull = false
  const options = { path, durability: 'none', clock: systemClock, log: silentLog } as const
  const files = failing(() => isFull)
  const store = openLmdbStore({ ...options, files, freezeBytes: 3_000_000 })
  const state: State = new Map()
  let count = 0
  for (let group = 0; group < groups; group++) {
    const before = textOf(state)
    const isPinned = random() < 0.15
    isFull = random() < 0.15
    const written = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
      const steps = stepsOf(random)
      const fails = random() < 0.2
      return store
        .write((tx) => playSteps(t, tx, steps, fails))
        .then(
          () => {
            for (const step of steps) apply(state, step)
            count++
          },
          (error: unknown) => {
            if (!(error instanceof Failed) && !/no space/.test(`${error}`)) throw error
          },
        )
    })
    const snapshot = isPinned ? readAcross(store, written, everything, peek) : undefined
    await Promise.all(written)
    isFull = false
    const seen = await store.read(peek)
    if (seen.text !== textOf(state)) t.fail(`seed ${first}, group ${group}`)
    if (seen.count !== count) t.fail(`seed ${first}, group ${group}: count`)
    if (snapshot !== undefined && (await snapshot).text !== before)
      t.fail(`seed ${first}: snapshot`)
  }
  const last = await store.read(peek)
  await store.close()
  const again = openLmdbStore(options)
  t.same(await again.read(peek), last, `seed ${first}: the log has what was acknowledged`)
  await again.close()
}

for (let round = 0; round < runs(3); round++) {
  t.test(`direct writes beside a log that fails, ${round}`, (t) => play(t, seed + round))
}

t.test(
  'near the end of the disk direct removals are taken, and programs with puts are not',
  async (t) => {
    const path = join(await temporaryFolder(t), 'store')
    const options = { path, durability: 'none', clock: systemClock, log: silentLog } as const
    const run = (store: Store, ...of: readonly Step['kind'][]) =>
      store.write(function* (tx) {
        const { inPlace } = tx
        if (inPlace === undefined) throw new Error('this store has its values at hand')
        const steps = of.map((kind, i) => ({ key: keyOf(i), value: Uint8Array.of(i), kind }))
        for (const step of steps) write(tx, inPlace, step)
      })
    const before = openLmdbStore(options)
    await run(before, 'keep', 'keep', 'keep', 'keep')
    await before.close()
    const files = { ...nodeFiles, room: () => ({ freeBytes: 1, totalBytes: 2 ** 40 }) }
    const told: unknown[] = []
    const error = (...line: unknown[]) => void told.push(line[1])
    const log = Object.assign(Object.create(silentLog), { error })
    const store = openLmdbStore({ ...options, files, log })
    t.teardown(() => store.close())
    const texts: string[] = []
    const isTaken = (written: Promise<void>) =>
      written.then(
        () => true,
        (error: unknown) => void texts.push(`${error}`),
      )
    const taken = await Promise.all([
      isTaken(run(store, 'left', 'drop')),
      isTaken(run(store, 'drop', 'keep')),
      isTaken(run(store, 'seek')),
      isTaken(run(store, 'left', 'left', 'drop', 'remove')),
      isTaken(run(store, 'drop', 'left', 'put')),
    ])
    t.same(taken, [true, undefined, undefined, true, undefined])
    for (const text of texts) t.match(text, /nearly full/)
    t.match(store.stats().refusing, /nearly full/, 'health and metrics say it')
    t.match(told, [/nearly full/], 'and the log, once')
    t.equal(told.length, 1)
    t.equal((await store.read(peek)).text, textOf(new Map([[mapKey(keyOf(0)), Uint8Array.of(0)]])))
  },
)
