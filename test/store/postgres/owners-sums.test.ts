// Sums of owners, which each write of a bounded client reads and adds to: two gateways that do so
// at the same time lose nothing, and do not conflict for it.

import t from 'tap'
import { idKey, keyClass, ownersId } from '../../../src/store/layout.js'
import type { Program, Store, Tx } from '../../../src/store/store.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, sharedAddress } from '../../support/shared-stores.js'

const sumOf = (owner: number) => idKey(keyClass.count, ownersId, Uint8Array.of(owner))

/** Reads the sum, adds to it, and puts a record of its own. */
function* write(tx: Tx, key: Uint8Array, id: number): Program<number> {
  const { bytes } = yield* tx.count(key)
  tx.add(key, 1, 10)
  tx.put(idKey(keyClass.record, id), Uint8Array.of(1))
  return bytes
}

const conflictsOf = (store: Store): number =>
  (store as unknown as { readonly lane: { readonly conflicts: number } }).lane.conflicts

/** Both gateways write one group after the other, at the same time. */
async function load(stores: readonly Store[], key: Uint8Array, from: number): Promise<number> {
  const before = stores.map(conflictsOf)
  await Promise.all(
    stores.map(async (store, at) => {
      for (let i = 0; i < 60; i++) {
        await store.write((tx) => write(tx, key, from + 1_000 * at + i))
      }
    }),
  )
  return stores.reduce((sum, store, at) => sum + conflictsOf(store) - (before[at] ?? 0), 0)
}

t.test('sums of owners are read without conflicts', { skip: postgresMissing }, async (t) => {
  const address = await sharedAddress(t)
  const stores = [await openShared(t, address), await openShared(t, address)]
  const [first] = stores as [Store]
  const sums = await load(stores, sumOf(1), 10_000)
  const exact = await load(stores, idKey(keyClass.count, 7), 20_000)
  t.comment(`${sums} conflicts for sums of owners, ${exact} for other counters, of 120`)
  t.ok(sums < 20, `${sums} conflicts`)
  const read = await first.read(function* (tx) {
    return yield* tx.count(sumOf(1))
  })
  t.same(read, { documents: 120, bytes: 1_200 })
  // What a gateway itself has added before, it sees.
  const own = await first.write((tx) => write(tx, sumOf(1), 30_000))
  t.equal(own, 1_200)
})
