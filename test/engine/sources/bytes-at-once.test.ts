// What a scan of an index reads at once is bounded by bytes: its first step, too, before the size
// of a document is known.

import t from 'tap'
import { firstPullBytes } from '../../../src/base/limits/engine.js'
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
    this.bytes.push(found.reduce((sum, { record }) => sum + (record?.length ?? 0), 0))
    return found
  }
}

await eachStore(t, 'a scan of an index reads few large records', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ a: 1 }])
  const pad = 'x'.repeat(100_000)
  for (let _id = 0; _id < 20; _id++) await room.insert({ _id, a: _id, pad })
  const { filter } = compiled({ filter: { a: { $gte: 0 } } })
  const walk = new Walk(await room.get(), await room.plan({ filter: { a: { $gte: 0 } } }), filter)
  const found: { documents: Document[] } = { documents: [] }
  while (!walk.drained) {
    const bytes = await store.read(function* (tx): Program<number[]> {
      const counted = new Counted(tx)
      yield* walk.read(counted, 101, found, firstPullBytes)
      return counted.bytes
    })
    const most = bytes.reduce((sum, step) => sum + step, 0)
    t.ok(most < firstPullBytes + 101_000, `${bytes.join(' + ')} bytes in one read`)
  }
  t.equal(found.documents.length, 20)
})
