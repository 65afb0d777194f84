// Reading the tables beside a thread that writes them.

import t, { type Test } from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { codes } from '../../../src/base/errors.js'
import { silentLog } from '../../../src/base/log.js'
import { Checkpointer } from '../../../src/store/checkpoint/checkpointer.js'
import { keyClass } from '../../../src/store/layout.js'
import {
  commitSync,
  type Environment,
  openEnvironment,
} from '../../../src/store/tables/lmdb-environment.js'
import { prepareFormat } from '../../../src/store/tables/lmdb-format.js'
import { StoredView } from '../../../src/store/tables/stored-view.js'
import { type Change, writeSegment } from '../../support/segments.js'
import { temporaryFolder } from '../../support/stores.js'

const record = (...tail: number[]) => Uint8Array.of(keyClass.record, ...tail)
const entry = (...tail: number[]) => Uint8Array.of(keyClass.entry, ...tail)
const all = { start: record(), end: Uint8Array.of(0xff) }

interface Tables {
  readonly folder: string
  readonly environment: Environment
  readonly view: StoredView
  /** Applies one group through the worker. */
  apply(changes: readonly Change[]): Promise<void>
}

async function openTables(t: Test): Promise<Tables> {
  const folder = await temporaryFolder(t)
  const environment = openEnvironment(folder)
  prepareFormat(environment, folder)
  const checkpointer = new Checkpointer({ folder, clock: systemClock, log: silentLog })
  t.teardown(async () => {
    await checkpointer.close()
    await environment.close()
  })
  let group = 0
  const apply = async (changes: readonly Change[]) => {
    await checkpointer.apply(await writeSegment(`${folder}/segment`, ++group, [changes]))
  }
  return { folder, environment, view: new StoredView(environment), apply }
}

t.test(
  'a read after renew sees the newest commit, and without it one state a stretch',
  async (t) => {
    const { view, environment, folder, apply } = await openTables(t)
    await apply([{ key: record(1), value: Uint8Array.of(1), version: 5 }])
    view.renew()
    t.same([...(view.get(record(1)) ?? [])], [1])
    t.same(view.getVersioned(record(1)), { value: Uint8Array.of(1), version: 5 })
    t.equal(view.get(record(2)), undefined)
    t.equal(view.getVersioned(record(2)), undefined)
    // Another handle of this process stands for the worker, which no stretch of ours can wait for.
    const other = openEnvironment(folder)
    commitSync(other, folder, () => other.putSync(entry(9), Uint8Array.of(9)))
    t.equal(view.get(entry(9)), undefined, 'within the stretch')
    view.renew()
    t.same([...(view.get(entry(9)) ?? [])], [9])
    await other.close()
    t.same([...(view.get(entry(9)) ?? [])], [9], 'the other handle closed alone')
    t.match(environment.readerList(), /^\s*\d/m)
  },
)

t.test('a pinned state stays whole while the worker commits', async (t) => {
  const { view, environment, apply } = await openTables(t)
  const group = (value: number): Change[] =>
    Array.from({ length: 200 }, (_, i) => ({
      key: i % 2 === 0 ? record(i) : entry(i),
      value: new Uint8Array(50).fill(value),
    }))
  await apply(group(0))
  const pins = []
  for (let value = 1; value <= 20; value++) {
    view.renew()
    pins.push({ pinned: view.pin(), value: value - 1 })
    await apply(group(value))
    for (const { pinned, value } of pins) {
      const seen = pinned.scan(all, 1_000)
      t.equal(seen.length, 200)
      t.ok(
        seen.every((one) => one.value.every((byte) => byte === value)),
        `${value}`,
      )
      t.same(pinned.get(record(0)), new Uint8Array(50).fill(value))
    }
    if (pins.length > 5) pins.shift()?.pinned.release()
  }
  for (const { pinned } of pins) pinned.release()
  t.match(environment.readerList(), /^\s*\d/m, 'there is a reader after the last release')
})

t.test('ranges go both ways, lazily, with their frames opened', async (t) => {
  const { view, apply } = await openTables(t)
  const keys = [record(1), record(2), entry(1), entry(2), entry(3)]
  await apply(keys.map((key, i) => ({ key, value: Uint8Array.of(i), version: 100 + i })))
  view.renew()
  const seen = (range: { start: Uint8Array; end: Uint8Array; reverse?: boolean }) =>
    [...view.entries(range)].map(({ value }) => value[0])
  t.same(seen(all), [0, 1, 2, 3, 4])
  t.same(seen({ ...all, reverse: true }), [4, 3, 2, 1, 0])
  t.same(seen({ start: record(2), end: entry(3) }), [1, 2, 3])
  t.same(seen({ start: record(2), end: entry(3), reverse: true }), [3, 2, 1])
  t.same(seen({ start: entry(3), end: record(2) }), [])
  t.same(
    view.scan({ start: record(2), end: entry(9) }, 2).map(({ value }) => value[0]),
    [1, 2],
  )
  for (const one of view.entries(all)) {
    t.same([...one.key], [...record(1)])
    break
  }
  const cursor = view.cursor({ start: entry(2), end: entry(9) })
  const other = view.cursor(all)
  t.same([...(cursor.key ?? []), ...cursor.value()], [...entry(2), 3])
  t.same([...other.value()], [0], 'two places at a time')
  cursor.advance()
  t.same([...(cursor.key ?? []), ...cursor.value()], [...entry(3), 4])
  cursor.advance()
  t.equal(cursor.key, undefined)
  cursor.close()
  other.close()
})

t.test('what is answered is the own of who asked', async (t) => {
  const { view, apply } = await openTables(t)
  await apply([
    { key: record(1), value: Uint8Array.of(1, 1) },
    { key: entry(1), value: Uint8Array.of(2, 2) },
  ])
  view.renew()
  const first = view.get(record(1))
  const second = view.get(entry(1))
  const third = view.scan(all, 2)
  first?.fill(9)
  second?.fill(9)
  for (const { key, value } of third) {
    key.fill(9)
    value.fill(9)
  }
  t.same([...(view.get(record(1)) ?? []), ...(view.get(entry(1)) ?? [])], [1, 1, 2, 2])
})

t.test('a damaged value of data is never served, and its class and key are named', async (t) => {
  const { view, environment, folder, apply } = await openTables(t)
  for (const kind of ['catalog', 'record', 'member', 'change'] as const) {
    const key = Uint8Array.of(keyClass[kind], 0xab)
    await apply([{ key, value: Uint8Array.of(1, 2, 3), version: 7 }])
    view.renew()
    const sound = environment.get(key) ?? new Uint8Array(0)
    t.equal(sound.length, 15)
    for (let at = 0; at < sound.length; at++) {
      const broken = Uint8Array.from(sound)
      broken[at] = (broken[at] ?? 0) ^ 0x10
      commitSync(environment, folder, () => environment.putSync(key, broken))
      const damage = {
        code: codes.InternalError.code,
        message: new RegExp(`a stored ${kind} is damaged.*${Buffer.from(key).toString('hex')}`),
      }
      t.throws(() => view.get(key), damage)
      t.throws(() => view.getVersioned(key), damage)
      const range = { start: key, end: Uint8Array.of(0xff) }
      t.throws(() => view.scan(range, 9), damage)
      t.throws(() => [...view.entries(range)], damage)
    }
    commitSync(environment, folder, () => environment.removeSync(key))
  }
})
