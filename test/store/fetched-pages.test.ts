// A scan that fetches records ends at the bytes of its range, with its program's own records too,
// and reads little behind them.

import t from 'tap'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import { keyClass } from '../../src/store/layout.js'
import { getInSteps } from '../../src/store/programs/fetching.js'
import { endsFetch, endsRange } from '../../src/store/steps.js'
import type {
  Entry,
  Fetched,
  KeyRange,
  Program,
  ReadTx,
  Step,
  Store,
  Tx,
} from '../../src/store/store.js'
import { beginTransaction } from '../../src/store/transactions/transaction.js'
import { everyStore } from '../support/stores.js'

const entryKey = (...tail: number[]): Bytes => Uint8Array.of(keyClass.entry, ...tail)
const recordKey = (...tail: number[]): Bytes => Uint8Array.of(keyClass.record, ...tail)
const entries: KeyRange = { start: entryKey(), end: Uint8Array.of(keyClass.entry + 1) }
const sizes = [3, 4, undefined, 100, 1, undefined, 1, 1]

type ScanEntries = (range: KeyRange, limit: number) => Step<Entry[]>
type Pair = [key: number, bytes: number]
type Page = readonly [keys: number[], sizes: number[]]

/** The pages of a scan, by the last bytes of their keys and the sizes of what counts. */
function* pagesOf<T extends Entry>(
  range: KeyRange,
  limit: number,
  scan: (range: KeyRange, limit: number) => Step<T[]>,
  sizeOf: (entry: T) => number,
  ends: (found: readonly T[], range: KeyRange, limit: number) => boolean,
): Program<Page[]> {
  const pages: Page[] = []
  let { start, end } = range
  for (;;) {
    const page = { start, end, reverse: range.reverse === true, bytesMax: 7 }
    const found = yield* scan(page, limit)
    pages.push([found.map(({ key }) => key[1] ?? -1), found.map(sizeOf)])
    const last = found.at(-1)?.key
    if (ends(found, page, limit) || last === undefined) return pages
    if (range.reverse === true) end = last
    else start = Uint8Array.of(...last, 0)
  }
}

const fetchedPages = (tx: ReadTx, range: KeyRange, limit: number): Program<Page[]> => {
  const scan = (page: KeyRange, most: number) => tx.scanFetch(page, most)
  return pagesOf<Fetched>(range, limit, scan, ({ record }) => record?.length ?? 0, endsFetch)
}
const keysOf = (pages: readonly Page[]): number[][] => pages.map(([keys]) => keys)

const fill = (store: Store) =>
  store.write(function* (tx): Program<void> {
    for (const [i, size] of sizes.entries()) {
      tx.put(entryKey(i), recordKey(i))
      if (size !== undefined) tx.put(recordKey(i), new Uint8Array(size))
    }
  })

/** Makes some records smaller and larger. */
function change(tx: Tx): void {
  tx.put(recordKey(3), new Uint8Array(1))
  tx.put(recordKey(4), new Uint8Array(50))
  tx.remove(recordKey(0))
}

const all = [
  [0, 1],
  [2, 3],
  [4, 5, 6, 7],
]
const changed = [
  [0, 1, 2, 3, 4],
  [5, 6, 7],
]

everyStore(t, 'a range ends a scan at the bytes of its records', async (t, { store }) => {
  await fill(store)
  const pages = (range: KeyRange, limit: number) =>
    store.read((tx) => fetchedPages(tx, range, limit))
  t.same(keysOf(await pages(entries, 100)), all)
  t.same(keysOf(await pages({ ...entries, reverse: true }, 100)), [[7, 6, 5, 4, 3], [2, 1, 0], []])
  t.same(keysOf(await pages(entries, 2)), [[0, 1], [2, 3], [4, 5], [6, 7], []])
  const held = await store.read((tx) => fetchedPages(tx, entries, 100), { snapshot: true })
  t.same(keysOf(held), all)
})

everyStore(t, 'and at those of records of its own program', async (t, { store }) => {
  await fill(store)
  const [before, after] = await store.write(function* (tx): Program<[Page[], Page[]]> {
    const found = yield* fetchedPages(tx, entries, 100)
    change(tx)
    return [found, yield* fetchedPages(tx, entries, 100)]
  })
  t.same(keysOf(before), all)
  t.same(keysOf(after), changed)
  t.same(after?.[0]?.[1], [0, 4, 0, 1, 50])
})

for (const isolation of ['snapshot', 'serializable'] as const) {
  const name = `and at those of a ${isolation} transaction`
  everyStore(t, name, async (t, { store }) => {
    await fill(store)
    const transaction = await beginTransaction(store, { isolation })
    t.same(keysOf(await transaction.read((tx) => fetchedPages(tx, entries, 100))), all)
    await transaction.write(function* (tx): Program<void> {
      change(tx)
    })
    t.same(keysOf(await transaction.read((tx) => fetchedPages(tx, entries, 100))), changed)
    transaction.abort()
  })
}

everyStore(t, 'programs of a group see pages with earlier changes', async (t, { store }) => {
  const stored = Array.from({ length: 60 }, (_, n): Pair => [n, n % 5 === 0 ? 9 : n % 3])
  await store.write(function* (tx): Program<void> {
    for (const [n, size] of stored) tx.put(entryKey(n), new Uint8Array(size))
  })
  const pairs = function* (scan: ScanEntries): Program<Pair[]> {
    const sizeOf = ({ value }: Entry) => value.length
    const pages = yield* pagesOf<Entry>(entries, 10, scan, sizeOf, endsRange)
    return pages.flatMap(([keys, bytes]) => keys.map((n, i): Pair => [n, bytes[i] ?? 0]))
  }
  const turns = [0, 1, 2]
  const numbers = (turn: number) => Array.from({ length: 10 }, (_, i) => turn + 7 * i)
  const changedBy = (turn: number, before: readonly Pair[]): Pair[] => {
    const sizes = new Map(before)
    for (const n of numbers(turn)) {
      if (n % 2 === 0) sizes.delete(n)
      else sizes.set(n, n % 4)
    }
    return [...sizes].sort(([one], [other]) => one - other)
  }
  const writes = turns.map((turn) =>
    store.write(function* (tx): Program<[Pair[], Pair[]]> {
      const before = yield* pairs((range, limit) => tx.scan(range, limit))
      for (const n of numbers(turn)) {
        if (n % 2 === 0) tx.remove(entryKey(n))
        else tx.put(entryKey(n), new Uint8Array(n % 4))
      }
      return [before, yield* pairs((range, limit) => tx.scanOwn(range, limit))]
    }),
  )
  for (const [turn, [before, after]] of (await Promise.all(writes)).entries()) {
    t.same(after, changedBy(turn, before), `program ${turn}`)
  }
  const whole = await store.read((tx) => pairs((range, limit) => tx.scan(range, limit)))
  t.same(
    whole,
    turns.reduce((before, turn) => changedBy(turn, before), stored),
  )
})

t.test('records are read in few steps, and few behind the bytes', async (t) => {
  const keys = Array.from({ length: 100 }, (_, n) => recordKey(n))
  const steps = (recordBytes: number, bytesMax = Number.POSITIVE_INFINITY): number[] => {
    const asked: number[] = []
    const program = getInSteps(keys, bytesMax, function* (some) {
      asked.push(some.length)
      return some.map(() => new Uint8Array(recordBytes))
    })
    const next = program.next()
    return [...asked, next.done === true ? next.value.length : -1]
  }
  t.same(steps(250_000), [100, 100])
  t.same(steps(10, 131_072), [8, 92, 100])
  t.same(steps(250_000, 131_072), [8, 1])
  t.same(steps(250_000, 4_194_304), [8, 9, 17])
  t.same(steps(0, 131_072), [8, 92, 100])
})
