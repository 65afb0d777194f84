// Question: how long does a point read take inside the process while writers go as fast as they
// can? Reads are due at fixed times, and what they wait for their turn counts, so that a stalled
// loop is not forgiven; what the thread waits for a processor, on a machine that others use too,
// does not. The bar is 10 ms for the 99th of 100.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import type { ReadTx, Tx } from '../../src/store/store.js'
import { seededRandom } from '../../test/support/seeded-random.js'
import {
  benchValue,
  fillStore,
  openBenchStore,
  settled,
  spreadKey,
} from '../support/bench-store.js'
import { type Figure, percentile, plain } from '../support/figure.js'
import { ownTime, processorTime } from '../support/thread-time.js'

const keys = 1_000_000
const writers = 256
const loadMs = 10_000
const readEveryMs = 1

export async function storeLatency(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-latency-'))
  const store = openBenchStore(folder)
  try {
    await fillStore(store, keys, spreadKey)
    await settled(store)
    const random = seededRandom(9)
    const change = () => Math.floor(random() * keys)
    let isOver = false
    let writes = 0
    const writer = async () => {
      while (!isOver) {
        const n = change()
        await store.write((tx) => putOne(tx, n))
        writes++
      }
    }
    const read = () => {
      const key = spreadKey(change())
      const found = store.read((tx) => getOf(tx, key))
      if (!(found instanceof Uint8Array)) throw new Error('a key was not found')
    }
    const spinning = await readOnTime(() => undefined, ownTime)
    const load = Promise.all(Array.from({ length: writers }, writer))
    const started = performance.now()
    const times = await readOnTime(read, ownTime)
    const seconds = (performance.now() - started) / 1_000
    const written = writes
    const processorTimes = await readOnTime(read, processorTime)
    isOver = true
    await load
    const p99 = percentile(times, 0.99)
    const peer = percentile(spinning, 0.99)
    return [
      {
        name: 'p99 of a read beside writes, over an idle loop',
        ours: p99,
        peer,
        ratio: p99 / peer,
        unit: 'ms',
      },
      plain('  p50', percentile(times, 0.5), 'ms'),
      plain('  longest', Math.max(...times), 'ms'),
      plain('  p99 in processor time of the loop', percentile(processorTimes, 0.99), 'ms'),
      plain('  writes beside', written / seconds, 'writes/s'),
    ]
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

function* putOne(tx: Tx, n: number) {
  tx.put(spreadKey(n), benchValue(n))
}

function* getOf(tx: ReadTx, key: Bytes) {
  return yield* tx.get(key)
}

/** From the moment each read was due to its answer, milliseconds. */
function readOnTime(read: () => void, time: () => number): Promise<number[]> {
  const times: number[] = []
  const started = time()
  let due = started
  return new Promise((resolve, reject) => {
    const turn = () => {
      try {
        for (const now = time(); due <= now; due += readEveryMs) {
          read()
          times.push(time() - due)
        }
      } catch (error) {
        reject(error)
        return
      }
      if (due - started > loadMs) resolve(times)
      else setImmediate(turn)
    }
    turn()
  })
}
