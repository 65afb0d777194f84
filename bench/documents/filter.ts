// Question: what do two comparisons cost beside the bare scan of the same range? At most 1.6x.
// Method: the same find in this process with and without the filter, in turns, over documents that
// all match (both comparisons are made) and over documents of which a quarter does.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pullDocumentsMax } from '../../src/base/limits/engine.js'
import { openFind } from '../../src/engine/sources/source.js'
import type { Namespace } from '../../src/engine/types.js'
import type { QueryContext } from '../../src/query/context.js'
import { compileFilter } from '../../src/query/filter.js'
import type { Store } from '../../src/store/store.js'
import { documentFrom } from '../../src/value/literal.js'
import { Room } from '../../test/support/engine-room.js'
import { openBenchStore, settled } from '../support/bench-store.js'
import { compare, type Figure } from '../support/figure.js'
import { rowOf } from './rows.js'

type Plain = Readonly<Record<string, unknown>>

const count = 100_000
const rounds = 15
const context: QueryContext = {
  now: 0,
  variables: new Map(),
  objectId: () => new Uint8Array(12),
}

const questions: readonly (readonly [string, Plain])[] = [
  ['all match', { n: { $gte: 0 }, group: { $lt: 1_000 } }],
  ['a quarter matches', { n: { $gte: 2 ** 31 }, group: { $lt: 500 } }],
]

export async function documentsFilter(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-filter-'))
  const store = openBenchStore(folder)
  try {
    const room = new Room(store, 'main', 'rows')
    for (let start = 0; start < count; start += 500) {
      await room.insert(...Array.from({ length: 500 }, (_, i) => ({ ...rowOf(start + i) })))
    }
    await settled(store)
    const ns = await room.get()
    const figures: Figure[] = []
    for (const [name, filter] of questions) {
      const label = `two comparisons, ${name}: beside the bare scan`
      const ours = () => scanMs(store, ns, filter)
      const bare = () => scanMs(store, ns, {})
      figures.push(await compare(label, 'ms', ours, bare, rounds))
    }
    return figures
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

async function scanMs(store: Store, ns: Namespace, filter: Plain): Promise<number> {
  const source = openFind(ns, { filter: compileFilter(documentFrom(filter), context) })
  const started = performance.now()
  await store.read(function* (tx) {
    while (!source.drained) yield* source.pull(tx, pullDocumentsMax)
  })
  return performance.now() - started
}
