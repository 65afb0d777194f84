// What a chain of transforms holds of its input: only what it was not yet fed.

import t from 'tap'
import { ChainSource } from '../../../src/engine/sources/chain-source.js'
import { HoldingSource } from '../../../src/engine/sources/holding-source.js'
import { compileSort } from '../../../src/query/sort.js'
import { sortPlan } from '../../../src/query/stages/sort.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { Program } from '../../../src/store/store.js'
import { documentFrom } from '../../../src/value/literal.js'
import { type Document, nullValue } from '../../../src/value/value.js'
import { toObject } from '../../support/literal.js'

/** Gives one batch, and keeps the array that it gave. */
class OneBatch extends HoldingSource {
  readonly counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  protected isExhausted = false

  constructor(readonly batch: Document[]) {
    super()
  }

  protected *produce(): Program<Document[]> {
    this.isExhausted = true
    return this.batch
  }
}

await t.test('documents that were fed are not kept until the last of their batch', async (t) => {
  const upstream = new OneBatch([3, 1, 2].map((n) => documentFrom({ _id: n })))
  const sort = sortPlan(nullValue, compileSort(documentFrom({ _id: 1 })), undefined)
  const source = new ChainSource(upstream, [sort.create(undefined)])
  const found = await openMemoryStore().read((tx) => source.pull(tx, 10))
  t.same(
    found.map((document) => toObject(document)._id),
    [1, 2, 3],
  )
  t.same(upstream.batch, [undefined, undefined, undefined])
})
