// The change log of a store: its records get their keys at the commit, in the order of the commits,
// and with times that never go back.

import { t } from 'tap'
import type { Clock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { changeKey, changeRange, changeTimeOf } from '../../src/store/layout.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import type { Program, Store, Tx } from '../../src/store/store.js'
import { eachStore, temporaryFolder } from '../support/stores.js'

/** A clock of a test: `seconds` is what it shows. */
function clockAt(seconds: number): { clock: Clock; set(seconds: number): void } {
  let now = seconds
  const clock: Clock = { now: () => now * 1000, elapsed: () => performance.now() }
  return { clock, set: (to) => (now = to) }
}

function* appendAll(tx: Tx, ...names: string[]): Program<void> {
  for (const name of names) tx.append(Buffer.from(name))
}

async function readLog(store: Store): Promise<[string, number, number][]> {
  const entries = await store.read((tx) => whole(tx))
  return entries.map(({ key, value }) => {
    const { seconds, increment } = changeTimeOf(key)
    return [Buffer.from(value).toString(), seconds, increment]
  })
}

function* whole(tx: Pick<Tx, 'scan'>) {
  return yield* tx.scan(changeRange, 1000)
}

const first = clockAt(100)
eachStore(
  t,
  'records of the log stand in the order of their commits',
  async (t, { store }) => {
    await store.write((tx) => appendAll(tx, 'a', 'b'))
    await store.write((tx) => appendAll(tx, 'c'))
    t.same(await readLog(store), [
      ['a', 100, 1],
      ['b', 100, 2],
      ['c', 100, 3],
    ])
  },
  { clock: first.clock },
)

eachStore(t, 'a program that throws leaves no record', async (t, { store }) => {
  await t.rejects(
    store.write(function* (tx) {
      yield* appendAll(tx, 'lost')
      throw new Error('refused')
    }),
  )
  await store.write((tx) => appendAll(tx, 'kept'))
  t.same(
    (await readLog(store)).map(([name]) => name),
    ['kept'],
  )
})

for (const kind of ['memory', 'late'] as const) {
  const moving = clockAt(200)
  eachStore(
    t,
    'times follow the clock and never go back',
    async (t, { store }) => {
      await store.write((tx) => appendAll(tx, 'a'))
      moving.set(205)
      await store.write((tx) => appendAll(tx, 'b'))
      moving.set(150)
      await store.write((tx) => appendAll(tx, 'c'))
      t.same(await readLog(store), [
        ['a', 200, 1],
        ['b', 205, 1],
        ['c', 205, 2],
      ])
    },
    { kinds: [kind], clock: moving.clock },
  )
}

t.test('times go on behind the last record after a restart with an earlier clock', async (t) => {
  const path = await temporaryFolder(t)
  const open = (clock: Clock) => openLmdbStore({ path, clock, durability: 'none', log: silentLog })
  const before = await open(clockAt(300).clock)
  await before.write((tx) => appendAll(tx, 'a'))
  await before.close()
  const after = await open(clockAt(10).clock)
  t.teardown(() => after.close())
  await after.write((tx) => appendAll(tx, 'b'))
  t.same(await readLog(after), [
    ['a', 300, 1],
    ['b', 300, 2],
  ])
})

eachStore(t, 'programs at once get distinct times in one order', async (t, { store }) => {
  const names = Array.from({ length: 50 }, (_, i) => `n${i}`)
  await Promise.all(names.map((name) => store.write((tx) => appendAll(tx, name))))
  const log = await readLog(store)
  t.same(log.map(([name]) => name).sort(), [...names].sort())
  t.equal(new Set(log.map(([, seconds, increment]) => `${seconds}/${increment}`)).size, 50)
})

t.test('the keys of the log sort as their times', (t) => {
  const times = [
    { seconds: 1, increment: 0xffffffff },
    { seconds: 2, increment: 1 },
    { seconds: 0x80000000, increment: 256 },
  ]
  const keys = times.map(changeKey)
  t.same([...keys].sort(Buffer.compare), keys)
  t.same(keys.map(changeTimeOf), times)
  t.end()
})
