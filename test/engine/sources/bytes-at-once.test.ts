// What a scan of an index, or of points, reads at once is bounded by bytes: its first step, too,
// before the size of a document is known.

import t, { type Test } from 'tap'
import type { Bytes } from '../../../src/base/bytes/bytes.js'
import { firstPullBytes } from '../../../src/base/limits/engine.js'
import { Cover } from '../../../src/engine/plan/cover.js'
import { Walk } from '../../../src/engine/sources/walk.js'
import { PassingReadTx } from '../../../src/store/passing-tx.js'
import type { Fetched, KeyRange, Program } from '../../../src/store/store.js'
import type { Document } from '../../../src/value/value.js'
import { compiled, ReadingRoom } from '../../support/reading.js'
import { eachStore } from '../../support/stores.js'

/** Notes the bytes of records that each step has read. */
class Counted extends PassingReadTx {
  readonly bytes: number[] = []

  override *scanFetch(range: KeyRange, limit: number): Program<Fetched[]> {
    const found = yield* super.scanFetch(range, limit)
    this.note(found.map(({ record }) => record))
    return found
  }

  override *getMany(keys: readonly Bytes[], bytesMax?: number): Program<(Bytes | undefined)[]> {
    const found = yield* super.getMany(keys, bytesMax)
    this.note(found)
    return found
  }

  private note(found: readonly (Bytes | undefined)[]): void {
    this.bytes.push(found.reduce((sum, record) => sum + (record?.length ?? 0), 0))
  }
}

const count = 20
const pad = 'x'.repeat(100_000)

/** Every third entry does not identify the type of its value. */
class ThirdUnknown extends Cover {
  private asked = 0

  override documentOf(entry: Bytes, recordKey: Bytes): Document | undefined {
    return this.asked++ % 3 === 0 ? undefined : super.documentOf(entry, recordKey)
  }
}

/** Reads all, few bytes at a time. */
async function readAll(t: Test, { store }: ReadingRoom, walk: Walk): Promise<void> {
  const found: { documents: Document[] } = { documents: [] }
  let steps = 0
  while (!walk.drained) {
    const bytes = await store.read(function* (tx): Program<number[]> {
      const counted = new Counted(tx)
      yield* walk.read(counted, 101, found, firstPullBytes)
      return counted.bytes
    })
    const most = Math.max(...bytes)
    t.ok(most < firstPullBytes + 101_000, `${bytes.join(' + ')} bytes in one read`)
    steps += bytes.length
  }
  t.ok(steps > 1)
  t.equal(found.documents.length, count)
}

await eachStore(t, 'a scan of an index reads few large records', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ a: 1 }])
  for (let _id = 0; _id < count; _id++) await room.insert({ _id, a: _id, pad })
  const { filter } = compiled({ filter: { a: { $gte: 0 } } })
  const walk = new Walk(await room.get(), await room.plan({ filter: { a: { $gte: 0 } } }), filter)
  await readAll(t, room, walk)
})

await eachStore(t, 'so does a read of points', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const ids = Array.from({ length: count }, (_, i) => i)
  for (const _id of ids) await room.insert({ _id, pad })
  const query = { filter: { _id: { $in: ids } } }
  await readAll(t, room, new Walk(await room.get(), await room.plan(query), compiled(query).filter))
})

await eachStore(t, 'and a scan whose entries do not suffice', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ a: 1 }])
  for (let _id = 0; _id < count; _id++) await room.insert({ _id, a: _id, pad })
  const query = { filter: { a: { $gte: 0 } } }
  const namespace = await room.get()
  const fields = namespace.indexes.find(({ name }) => name === 'a_1')?.fields ?? []
  const cover = new ThirdUnknown(fields, new Set(['a']))
  const plan = await room.plan(query)
  await readAll(t, room, new Walk(namespace, plan, compiled(query).filter, cover))
})
