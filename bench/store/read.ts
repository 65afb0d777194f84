// Question: what do reads through the store cost beside LMDB alone, when the memtables are empty?
// The bar is 1.2x its time for a get and for a scan of 10 entries; all keys are random.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { type Bytes, prefixEnd } from '../../src/base/bytes/bytes.js'
import type { KeyRange, ReadTx } from '../../src/store/store.js'
import { seededRandom } from '../../test/support/seeded-random.js'
import { openBareLmdb } from '../support/bare-lmdb.js'
import { fillStore, openBenchStore, settled, spreadKey } from '../support/bench-store.js'
import { compare, type Figure } from '../support/figure.js'
import { processorTime } from '../support/thread-time.js'

const keys = 1_000_000
const operations = { get: 100_000, scan: 20_000 }
const scanned = 10
/** Reads between two turns of the event loop, as a busy gateway has them. */
const readsPerTick = 50
const rounds = 7
const end = prefixEnd(spreadKey(0).subarray(0, 5))

export async function storeRead(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-read-'))
  const store = openBenchStore(folder)
  // On the same pages: a file that was filled in another order is another file to search.
  const bare = openBareLmdb(folder)
  try {
    await fillStore(store, keys, spreadKey)
    await settled(store)
    const random = seededRandom(3)
    const key = (among: number) => spreadKey(Math.floor(random() * among))
    const get = (among: number) =>
      compare(
        `get, of ${among} keys, over LMDB alone`,
        'ns',
        () =>
          nanoseconds(operations.get, () => {
            const wanted = key(among)
            const found = store.read((tx) => getOf(tx, wanted))
            if (!(found instanceof Uint8Array)) throw new Error('a key was not found')
          }),
        () =>
          nanoseconds(operations.get, () => {
            if (bare.get(key(among)) === undefined) throw new Error('a key was not found')
          }),
        rounds,
      )
    const scan = () =>
      compare(
        `scan of ${scanned} entries over LMDB alone`,
        'ns',
        () =>
          nanoseconds(operations.scan, () => {
            const range = { start: key(keys), end }
            store.read((tx) => scanOf(tx, range))
          }),
        () =>
          nanoseconds(operations.scan, () => {
            const range = bare.getRange({ start: key(keys), end, limit: scanned })
            const entries: unknown[] = []
            for (const entry of range) entries.push(entry)
          }),
        rounds,
      )
    return [await get(keys), await get(keys / 100), await scan()]
  } finally {
    await store.close()
    await bare.close()
    rmSync(folder, { recursive: true })
  }
}

// Outside of the loops: each function* expression that is met makes a class of objects of its own.
function* getOf(tx: ReadTx, key: Bytes) {
  return yield* tx.get(key)
}

function* scanOf(tx: ReadTx, range: KeyRange) {
  return yield* tx.scan(range, scanned)
}

/** Processor time of one read: other work on the machine counts little. */
async function nanoseconds(count: number, read: () => void): Promise<number> {
  const started = processorTime()
  for (let n = 0; n < count; n++) {
    read()
    if (n % readsPerTick === 0) await nextTick()
  }
  return ((processorTime() - started) * 1e6) / count
}
