// A program that reads for long, while another gateway goes on writing what it reads: after some
// conflicts the others wait for it, so it comes to its end.

import t from 'tap'
import { idKey, keyClass } from '../../../src/store/layout.js'
import type { Program, Tx } from '../../../src/store/store.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, sharedAddress } from '../../support/shared-stores.js'

const shared = idKey(keyClass.record, 1)
const reads = 60

function* addOne(tx: Tx): Program<void> {
  const found = yield* tx.get(shared)
  tx.put(shared, Uint8Array.of(((found?.[0] ?? 0) + 1) % 256))
}

/** Each of its reads is a round trip. */
function* longProgram(tx: Tx): Program<void> {
  yield* addOne(tx)
  for (let i = 0; i < reads; i++) yield* tx.get(idKey(keyClass.record, 1_000 + i))
}

t.test('a long program ends beside a busy gateway', { skip: postgresMissing }, async (t) => {
  const address = await sharedAddress(t)
  const [slow, busy] = [await openShared(t, address), await openShared(t, address)]
  let added = 0
  let isOver = false
  const add = async () => {
    await busy.write(addOne)
    added++
  }
  await add()
  const beside = (async () => {
    while (!isOver) await add()
  })()
  for (let i = 0; i < 3; i++) await slow.write(longProgram)
  isOver = true
  await beside
  const found = await slow.read(function* (tx) {
    return yield* tx.get(shared)
  })
  t.equal(found?.[0], (added + 3) % 256, 'and no addition is lost')
  t.comment(`${added} of the busy gateway`)
})
