// Question: what does durability `commit` cost 64 writers at once, beside LMDB that flushes each
// write on its own (the bar is 5x), and beside LMDB that flushes the writes of a tick as one group
// (the bar is 1x)?

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { Tx } from '../../src/store/store.js'
import { seededRandom } from '../../test/support/seeded-random.js'
import {
  type BareLmdb,
  fillBareLmdb,
  openBareLmdb,
  synchronousCommit,
} from '../support/bare-lmdb.js'
import {
  benchValue,
  fillStore,
  openBenchStore,
  settled,
  spreadKey,
} from '../support/bench-store.js'
import { compare, type Figure } from '../support/figure.js'

const keys = 100_000
const writers = 64
const roundMs = 2_000

export async function storeCommit(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-commit-'))
  const store = openBenchStore(join(folder, 'store'), 'commit')
  const bare = openBareLmdb(join(folder, 'bare'))
  try {
    await fillStore(store, keys, spreadKey)
    fillBareLmdb(bare, keys, spreadKey, benchValue)
    await settled(store)
    const random = seededRandom(5)
    const change = () => Math.floor(random() * keys)
    const ours = () =>
      perSecond(async () => {
        const n = change()
        await store.write((tx) => putOne(tx, n))
      })
    const single = () => perSecond(() => commitBare(bare, [change()]), 1)
    const group = () => groupsPerSecond(bare, change)
    const name = `commit mode, ${writers} writers, over`
    return [
      await compare(`${name} LMDB, a commit a write`, 'writes/s', ours, single),
      await compare(`${name} LMDB, a commit a tick`, 'writes/s', ours, group),
    ]
  } finally {
    await store.close()
    await bare.close()
    rmSync(folder, { recursive: true })
  }
}

function* putOne(tx: Tx, n: number) {
  tx.put(spreadKey(n), benchValue(n))
}

/** Each writer begins its next write when the last one is durable. */
async function perSecond(write: () => Promise<void> | void, count = writers): Promise<number> {
  let done = 0
  const started = performance.now()
  const writer = async () => {
    while (performance.now() - started < roundMs) {
      await write()
      done++
    }
  }
  await Promise.all(Array.from({ length: count }, writer))
  return (done / (performance.now() - started)) * 1_000
}

async function groupsPerSecond(bare: BareLmdb, change: () => number): Promise<number> {
  let done = 0
  const started = performance.now()
  while (performance.now() - started < roundMs) {
    commitBare(bare, Array.from({ length: writers }, change))
    done += writers
    await nextTick()
  }
  return (done / (performance.now() - started)) * 1_000
}

function commitBare(bare: BareLmdb, changes: readonly number[]): void {
  bare.transactionSync(() => {
    for (const n of changes) bare.putSync(spreadKey(n), benchValue(n) as Buffer)
  }, synchronousCommit)
}
