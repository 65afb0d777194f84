// What every store owes its programs, over memory, LMDB, the late store and PostgreSQL. A new store passes this
// suite before anything is built on it.

import t, { type Test } from 'tap'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import { codes, fail } from '../../src/base/errors.js'
import { programBytesMax, programPutsMax } from '../../src/base/limits/engine.js'
import { keyBytesMax } from '../../src/base/limits/store.js'
import { turnUnits } from '../../src/base/work/work-figures.js'
import { keyClass } from '../../src/store/layout.js'
import { endsRange } from '../../src/store/steps.js'
import type { Entry, KeyRange, Store, Tx } from '../../src/store/store.js'
import { everyStore } from '../support/stores.js'

const entryKey = (...tail: number[]): Bytes => Uint8Array.of(keyClass.entry, ...tail)
const recordKey = (...tail: number[]): Bytes => Uint8Array.of(keyClass.record, ...tail)
const countKey = Uint8Array.of(keyClass.count, 0, 0, 0, 1, 0)
const value = (...bytes: number[]): Bytes => Uint8Array.from(bytes)
const entries: KeyRange = { start: entryKey(), end: Uint8Array.of(keyClass.entry + 1) }

/** A write program that reads nothing. */
const change = (store: Store, body: (tx: Tx) => void): Promise<void> =>
  store.write(function* (tx) {
    body(tx)
  })
const put = (store: Store, key: Bytes, bytes: Bytes) => change(store, (tx) => tx.put(key, bytes))
const remove = (store: Store, key: Bytes) => change(store, (tx) => tx.remove(key))
const get = async (store: Store, key: Bytes) =>
  store.read(function* (tx) {
    return yield* tx.get(key)
  })
const scan = async (store: Store, range: KeyRange, limit = 100) =>
  store.read(function* (tx) {
    return yield* tx.scan(range, limit)
  })
/** What a refusal of that kind looks like, to compare with. */
const refused = (kind: keyof typeof codes) => ({ name: 'GatewayError', code: codes[kind].code })
const tails = (found: readonly Entry[]): number[] => found.map(({ key }) => key[1] ?? -1)

/** Entries 0 to `count`, each with its number as value. */
const fill = (store: Store, count: number) =>
  change(store, (tx) => {
    for (let i = 0; i < count; i++) tx.put(entryKey(i), value(i))
  })

everyStore(t, 'what is put is read, replaced and removed', async (t, { store }) => {
  t.equal(await get(store, recordKey(1)), undefined)
  await put(store, recordKey(1), value(1, 2, 3))
  await put(store, recordKey(2), value())
  t.same([...((await get(store, recordKey(1))) ?? [])], [1, 2, 3])
  t.equal((await get(store, recordKey(2)))?.length, 0)
  await put(store, recordKey(1), value(9))
  t.same([...((await get(store, recordKey(1))) ?? [])], [9])
  await remove(store, recordKey(1))
  await remove(store, recordKey(77))
  t.equal(await get(store, recordKey(1)), undefined)
})

everyStore(t, 'every class keeps its bytes, whatever their length', async (t, { store }) => {
  for (const first of Object.values(keyClass)) {
    if (first === keyClass.meta || first === keyClass.count) continue
    for (const length of [0, 1, 7, 8, 9, 4_096, 40_000, 300_000]) {
      const bytes = Uint8Array.from({ length }, (_, index) => index + first)
      const key = Uint8Array.of(first, length & 255, length >> 8)
      await put(store, key, bytes)
      const found = (await get(store, key)) ?? value(255)
      t.ok(Buffer.compare(found, bytes) === 0, `class ${first}, ${length} bytes`)
      const [only] = await scan(store, { start: key, end: Uint8Array.of(...key, 0) })
      t.ok(only !== undefined && Buffer.compare(only.value, bytes) === 0)
    }
  }
})

everyStore(t, 'a program may keep and change what it was given', async (t, { store }) => {
  const mine = value(1, 2)
  await put(store, recordKey(1), mine)
  mine.fill(7)
  const first = await get(store, recordKey(1))
  first?.fill(8)
  const [scanned] = await scan(store, { start: recordKey(), end: recordKey(9) })
  scanned?.value.fill(9)
  scanned?.key.fill(9)
  const seen = await store.write(function* (tx) {
    tx.put(recordKey(2), value(5))
    const own = yield* tx.get(recordKey(2))
    own?.fill(6)
    return [yield* tx.get(recordKey(1)), yield* tx.get(recordKey(2))].map((b) => [...(b ?? [])])
  })
  t.same(seen, [[1, 2], [5]])
  t.same([...((await get(store, recordKey(2))) ?? [])], [5])
})

everyStore(t, 'ranges are half open, in both directions, up to a limit', async (t, { store }) => {
  await fill(store, 10)
  const range = { start: entryKey(2), end: entryKey(6) }
  t.same(tails(await scan(store, range)), [2, 3, 4, 5])
  t.same(tails(await scan(store, { ...range, reverse: true })), [5, 4, 3, 2])
  t.same(tails(await scan(store, range, 3)), [2, 3, 4])
  t.same(tails(await scan(store, { ...range, reverse: true }, 3)), [5, 4, 3])
  t.same(tails(await scan(store, range, 1)), [2])
  t.same(tails(await scan(store, { start: entryKey(2, 0), end: entryKey(6, 0) })), [3, 4, 5, 6])
  const between = { start: entryKey(1, 0), end: entryKey(5, 0), reverse: true }
  t.same(tails(await scan(store, between)), [5, 4, 3, 2])
  t.same(tails(await scan(store, entries)), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  t.same(tails(await scan(store, { ...entries, reverse: true }, 2)), [9, 8])
})

everyStore(t, 'a range may end a scan at a number of bytes', async (t, { store }) => {
  const sizes = [3, 4, 0, 100, 1, 1, 1]
  await change(store, (tx) => {
    for (const [i, size] of sizes.entries()) tx.put(entryKey(i), new Uint8Array(size))
  })
  const pages = async (range: KeyRange, limit: number) => {
    const found: number[][] = []
    let { start, end } = range
    for (;;) {
      const page = { ...range, start, end, bytesMax: 7 }
      const entries = await scan(store, page, limit)
      found.push(tails(entries))
      const last = entries.at(-1)?.key
      if (endsRange(entries, page, limit) || last === undefined) return found
      if (range.reverse === true) end = last
      else start = Uint8Array.of(...last, 0)
    }
  }
  t.same(await pages(entries, 100), [
    [0, 1],
    [2, 3],
    [4, 5, 6],
  ])
  t.same(await pages({ ...entries, reverse: true }, 100), [[6, 5, 4, 3], [2, 1, 0], []])
  t.same(await pages(entries, 2), [[0, 1], [2, 3], [4, 5], [6]])
  const own = await store.write(function* (tx) {
    tx.remove(entryKey(1))
    tx.put(entryKey(7), value(1))
    const found: number[] = []
    for (let { start } = entries; ; ) {
      const page = { ...entries, start, bytesMax: 7 }
      const some = yield* tx.scanOwn(page, 100)
      found.push(...tails(some))
      const last = some.at(-1)?.key
      if (endsRange(some, page, 100) || last === undefined) return found
      start = Uint8Array.of(...last, 0)
    }
  })
  t.same(own, [0, 2, 3, 4, 5, 6, 7], 'merged with its own changes')
})

everyStore(t, 'empty and inside-out ranges answer nothing', async (t, { store }) => {
  await fill(store, 10)
  for (const reverse of [false, true]) {
    t.same(await scan(store, { start: entryKey(3), end: entryKey(3), reverse }), [])
    t.same(await scan(store, { start: entryKey(6), end: entryKey(2), reverse }), [])
    t.same(await scan(store, { start: entryKey(10), end: entryKey(11), reverse }), [])
    t.same(await scan(store, { start: Uint8Array.of(5), end: Uint8Array.of(6), reverse }), [])
  }
})

everyStore(t, 'many keys are answered in their order, missing ones too', async (t, { store }) => {
  await fill(store, 3)
  const found = await store.read(function* (tx) {
    return yield* tx.getMany([entryKey(2), entryKey(7), entryKey(0)])
  })
  t.same(
    found.map((bytes) => bytes?.[0]),
    [2, undefined, 0],
  )
})

everyStore(t, 'an entry brings the record it points at, or none', async (t, { store }) => {
  await change(store, (tx) => {
    tx.put(recordKey(1), value(11))
    tx.put(entryKey(1), recordKey(1))
    tx.put(entryKey(2), recordKey(2))
  })
  const fetched = await store.read(function* (tx) {
    return yield* tx.scanFetch(entries, 10)
  })
  t.same(
    fetched.map(({ key, record }) => [key[1], record?.[0]]),
    [
      [1, 11],
      [2, undefined],
    ],
  )
})

everyStore(t, 'own writes are seen by gets and scanOwn, not by scan', async (t, { store }) => {
  await fill(store, 5)
  const seen = await store.write(function* (tx) {
    tx.put(entryKey(2), value(22))
    tx.put(entryKey(3, 1), value(31))
    tx.remove(entryKey(4))
    tx.remove(entryKey(0))
    tx.put(entryKey(0), value(100))
    const [one] = yield* tx.getMany([entryKey(2)])
    return {
      got: (yield* tx.get(entryKey(2)))?.[0],
      gone: yield* tx.get(entryKey(4)),
      many: one?.[0],
      scan: (yield* tx.scan(entries, 100)).map((entry) => [...entry.value]),
      own: (yield* tx.scanOwn(entries, 100)).map((entry) => [...entry.value]),
      first: tails(yield* tx.scanOwn(entries, 2)),
      last: tails(yield* tx.scanOwn({ ...entries, reverse: true }, 2)),
    }
  })
  t.equal(seen.got, 22)
  t.equal(seen.gone, undefined)
  t.equal(seen.many, 22)
  t.same(seen.scan, [[0], [1], [2], [3], [4]])
  t.same(seen.own, [[100], [1], [22], [3], [31]])
  t.same(seen.first, [0, 1])
  t.same(seen.last, [3, 3])
})

everyStore(t, 'removals do not shorten scanOwn below its limit', async (t, { store }) => {
  await fill(store, 20)
  const own = await store.write(function* (tx) {
    for (let i = 0; i < 9; i++) tx.remove(entryKey(i))
    return tails(yield* tx.scanOwn(entries, 5))
  })
  t.same(own, [9, 10, 11, 12, 13])
})

everyStore(t, 'a program that throws leaves nothing', async (t, { store }) => {
  const failing = change(store, (tx) => {
    tx.put(entryKey(1), value(1))
    tx.add(countKey, 1, 1)
    throw fail('DuplicateKey', 'E11000', { index: 'a_1' })
  })
  await t.rejects(failing, { code: 11000, extra: { index: 'a_1' } })
  await t.rejects(
    change(store, () => {
      throw new RangeError('mine')
    }),
    { name: 'RangeError', message: 'mine' },
  )
  t.equal(await get(store, entryKey(1)), undefined)
  t.same(await counted(store), { documents: 0, bytes: 0 })
})

everyStore(t, 'an error thrown by a read reaches its caller', async (t, { store }) => {
  const failing = async () =>
    store.read(function* (tx) {
      yield* tx.get(entryKey(1))
      throw fail('BadValue', 'no')
    })
  await t.rejects(failing(), refused('BadValue'))
})

everyStore(t, 'programs of one tick see what earlier ones wrote', async (t, { store }) => {
  const results = await Promise.allSettled([
    increment(store),
    change(store, (tx) => {
      tx.put(entryKey(1), value(99))
      throw fail('BadValue', 'this one fails')
    }),
    increment(store),
    increment(store),
  ])
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  t.equal((await get(store, entryKey(1)))?.[0], 3)
})

function increment(store: Store): Promise<number> {
  return store.write(function* (tx) {
    const next = ((yield* tx.get(entryKey(1)))?.[0] ?? 0) + 1
    tx.put(entryKey(1), value(next))
    return next
  })
}

everyStore(t, 'concurrent increments lose nothing', async (t, { store }) => {
  const results = await Promise.all(Array.from({ length: 100 }, () => increment(store)))
  t.equal((await get(store, entryKey(1)))?.[0], 100)
  t.equal(new Set(results).size, 100, 'each saw another number')
})

everyStore(t, 'of concurrent claims of one free place one succeeds', async (t, { store }) => {
  const claim = (name: number) =>
    store.write(function* (tx) {
      const taken = yield* tx.scanOwn({ start: entryKey(1), end: entryKey(2) }, 1)
      if (taken.length > 0) throw fail('DuplicateKey', 'taken')
      tx.put(entryKey(1, name), value(name))
    })
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => claim(i)))
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  t.equal((await scan(store, entries)).length, 1)
})

everyStore(t, 'a key and a version mean one value for ever', async (t, { store }) => {
  const key = recordKey(1)
  const version = async () =>
    (
      await store.read(function* (tx) {
        return yield* tx.getVersioned(key)
      })
    )?.version ?? -1
  await put(store, key, value(1))
  const first = await version()
  t.ok(first > 0)
  await put(store, recordKey(2), value(2))
  t.equal(await version(), first, 'another key changed')
  await put(store, key, value(1))
  const second = await version()
  t.ok(second > first)
  const inside = await store.write(function* (tx) {
    tx.put(key, value(3))
    const one = (yield* tx.getVersioned(key))?.version
    tx.put(key, value(4))
    const two = (yield* tx.getVersioned(key))?.version
    tx.remove(key)
    return { same: one === two, early: one === second, gone: yield* tx.getVersioned(key) }
  })
  t.same(inside, { same: false, early: false, gone: undefined })
  t.equal(await version(), -1)
})

const counted = async (store: Store) =>
  store.read(function* (tx) {
    return yield* tx.count(countKey)
  })

everyStore(
  t,
  'counters sum what programs add, also below zero and above 32 bits',
  async (t, given) => {
    const { store } = given
    t.same(await counted(store), { documents: 0, bytes: 0 })
    const add = (documents: number, bytes: number) =>
      store.write(function* (tx) {
        tx.add(countKey, documents, bytes)
        tx.add(countKey, documents, bytes)
        return yield* tx.count(countKey)
      })
    t.same(await add(1, 2 ** 40), { documents: 2, bytes: 2 ** 41 })
    await Promise.all(Array.from({ length: 30 }, () => add(1, -10)))
    t.same(await counted(store), { documents: 62, bytes: 2 ** 41 - 600 })
    await add(-40, 0)
    t.same(await counted(store), { documents: -18, bytes: 2 ** 41 - 600 })
  },
)

everyStore(t, 'a removed counter starts again at zero', async (t, { store, kind }) => {
  const results = await Promise.all([
    store.write(function* (tx) {
      tx.add(countKey, 5, 50)
      return yield* tx.count(countKey)
    }),
    store.write(function* (tx) {
      tx.add(countKey, 1, 1)
      tx.remove(countKey)
      tx.add(countKey, 2, 20)
      return yield* tx.count(countKey)
    }),
  ])
  t.same(results[1], { documents: 2, bytes: 20 })
  const { documents } = await counted(store)
  // The late store may commit the first program behind the second.
  if (kind !== 'memory' && kind !== 'lmdb') t.ok(documents === 2 || documents === 7)
  else t.equal(documents, 2)
})

everyStore(t, 'a program is bounded in number and in bytes', async (t, { store }) => {
  const tooMany = change(store, (tx) => {
    for (let i = 0; i <= programPutsMax; i++) tx.put(entryKey(i & 255, i >> 8), value())
  })
  await t.rejects(tooMany, refused('TransactionTooLarge'))
  const half = new Uint8Array(programBytesMax / 2)
  const tooLarge = change(store, (tx) => {
    for (let i = 0; i < 3; i++) tx.put(entryKey(i), half)
  })
  await t.rejects(tooLarge, refused('TransactionTooLarge'))
  t.same(await scan(store, entries), [])
  const again = change(store, (tx) => {
    for (let i = 0; i < 10; i++) tx.put(entryKey(1), half)
  })
  await t.resolves(again, 'the same key again counts once')
})

everyStore(t, 'one value may be larger than a program otherwise is', async (t, { store }) => {
  const large = new Uint8Array(programBytesMax + 1).fill(3)
  await put(store, recordKey(1), large)
  t.equal((await get(store, recordKey(1)))?.length, large.length)
})

everyStore(t, 'keys that no store takes are our own mistake', async (t, { store }) => {
  await put(store, new Uint8Array(keyBytesMax).fill(keyClass.entry), value(1))
  const long = new Uint8Array(keyBytesMax + 1).fill(keyClass.entry)
  for (const key of [new Uint8Array(0), long, Uint8Array.of(keyClass.meta), countKey]) {
    await t.rejects(put(store, key, value(1)), /assertion failed/)
  }
})

everyStore(t, 'a snapshot keeps its state across pauses, other reads do not', async (t, given) => {
  const { store } = given
  await fill(store, 3)
  for (const snapshot of [true, false]) {
    await put(store, entryKey(1), value(1))
    let running = true
    let begun: () => void = () => undefined
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    const reading = store.read(
      function* (tx) {
        const before = (yield* tx.get(entryKey(1)))?.[0]
        begun()
        while (running) yield* tx.pause(turnUnits)
        const after = (yield* tx.get(entryKey(1)))?.[0]
        return { before, after, scanned: (yield* tx.scan(entries, 10)).map((e) => e.value[0]) }
      },
      { snapshot },
    )
    await hasBegun
    await put(store, entryKey(1), value(50))
    running = false
    const seen = await reading
    if (snapshot) t.same(seen, { before: 1, after: 1, scanned: [0, 1, 2] })
    else t.same([seen.after, seen.scanned], [50, [0, 50, 2]])
  }
})

everyStore(
  t,
  'long reads take turns',
  async (t, { store }) => {
    const turns: number[] = []
    const long = (name: number) =>
      store.read(function* (tx) {
        for (let i = 0; i < 5; i++) {
          turns.push(name)
          yield* tx.pause(turnUnits)
        }
      })
    const all = Promise.all([long(1), long(2), long(3)])
    await put(store, entryKey(1), value(1))
    t.not(turns.length, 15, 'a write comes in between')
    await all
    t.same(turns, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])
  },
  // The late store answers in any order.
  { kinds: ['memory', 'lmdb'] },
)

everyStore(t, 'an interrupted program cleans up behind itself', async (t, { store }) => {
  let cleaned = false
  let pauses = 0
  const reading = store.read(
    function* (tx) {
      try {
        for (;;) yield* tx.pause(turnUnits)
      } finally {
        cleaned = true
      }
    },
    {
      onPause: () => {
        if (++pauses === 3) throw fail('MaxTimeMSExpired', 'operation exceeded time limit')
      },
    },
  )
  await t.rejects(Promise.resolve(reading), refused('MaxTimeMSExpired'))
  t.ok(cleaned)
})

everyStore(t, 'closing finishes what runs and refuses what comes', async (t, { store }) => {
  const done: string[] = []
  const writing = put(store, entryKey(1), value(1)).then(() => done.push('write'))
  const reading = Promise.resolve(
    store.read(function* (tx) {
      for (let i = 0; i < 5; i++) yield* tx.pause(turnUnits)
    }),
  ).then(() => done.push('read'))
  await store.close()
  await Promise.all([writing, reading])
  t.same(done.sort(), ['read', 'write'])
  await t.rejects(put(store, entryKey(2), value(1)), refused('ShutdownInProgress'))
  await t.rejects(get(store, entryKey(1)), refused('ShutdownInProgress'))
  await t.resolves(store.close())
})

everyStore(t, 'a store says how large it is', async (t: Test, { store, kind }) => {
  const before = store.stats()
  const types: Partial<Record<typeof kind, string>> = { memory: 'InMemory', lmdb: 'LMDB' }
  t.equal(before.type, types[kind] ?? 'PostgreSQL')
  await change(store, (tx) => {
    for (let i = 0; i < 100; i++) tx.put(entryKey(i), new Uint8Array(10_000))
  })
  // A gateway hears of what another one has written when it looks again.
  if (kind !== 'shared') t.ok(store.stats().sizeBytes >= before.sizeBytes + 1_000_000)
  t.equal(store.stats().refusing, undefined)
})
