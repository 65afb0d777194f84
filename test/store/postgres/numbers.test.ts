// Numbers that gateways take in blocks: each is given once, two gateways that take some at the same
// time do not conflict for it, and a gateway that lost its connection takes a new block.

import fc from 'fast-check'
import t from 'tap'
import { idKey, keyClass } from '../../../src/store/layout.js'
import type { Program, Store, Tx } from '../../../src/store/store.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { runs } from '../../support/runs.js'
import { openShared, openSharedTables, sharedAddress } from '../../support/shared-stores.js'

const counter = Uint8Array.of(keyClass.catalog, 0x00, 0x7f)

/** Takes numbers as the catalog does, and keeps a record under each. */
function* take(tx: Tx, count: number, isFailing = false): Program<number[]> {
  const { numbers } = tx
  if (numbers === undefined) throw new Error('a shared store gives numbers in blocks')
  const first = yield* numbers.take(counter, count, () => {
    throw new Error('no program is needed')
  })
  const taken = Array.from({ length: count }, (_, i) => first + i)
  for (const number of taken) tx.put(idKey(keyClass.record, number), Uint8Array.of(1))
  if (isFailing) throw new Error('the program fails')
  return taken
}

const conflictsOf = (store: Store): number =>
  (store as unknown as { readonly lane: { readonly conflicts: number } }).lane.conflicts

function* next(tx: Parameters<Parameters<Store['read']>[0]>[0]): Program<bigint> {
  const stored = yield* tx.get(counter)
  return stored === undefined ? 1n : Buffer.from(stored).readBigUInt64BE()
}

t.test('each number is given once', { skip: postgresMissing }, async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ at: fc.nat(1), count: fc.integer({ min: 1, max: 400 }), fails: fc.boolean() }),
        {
          minLength: 1,
          maxLength: 40,
        },
      ),
      async (steps) => {
        const address = await sharedAddress(t)
        const stores = [await openShared(t, address), await openShared(t, address)] as const
        const taken: number[] = []
        await Promise.all(
          steps.map(async ({ at, count, fails }) => {
            const store = stores[at as 0 | 1]
            const got = await store.write((tx) => take(tx, count, fails)).catch(() => [])
            taken.push(...got)
          }),
        )
        t.equal(new Set(taken).size, taken.length)
        const end = Number(await stores[0].read(next))
        t.ok(taken.every((number) => number >= 1 && number < end))
        await Promise.all(stores.map((store) => store.close()))
      },
    ),
    { numRuns: runs(5) },
  )
})

t.test('two gateways do not conflict for numbers', { skip: postgresMissing }, async (t) => {
  const address = await sharedAddress(t)
  const stores = [await openShared(t, address), await openShared(t, address)]
  const taken: number[] = []
  await Promise.all(
    stores.map(async (store) => {
      for (let i = 0; i < 60; i++) taken.push(...(await store.write((tx) => take(tx, 1))))
    }),
  )
  t.equal(new Set(taken).size, 120)
  const conflicts = stores.reduce((sum, store) => sum + conflictsOf(store), 0)
  t.ok(conflicts < 20, `${conflicts} conflicts`)
})

t.test('a lost connection ends a block', { skip: postgresMissing }, async (t) => {
  const { address, query } = await openSharedTables(t)
  const store = await openShared(t, address)
  const [first = 0] = await store.write((tx) => take(tx, 1))
  t.same(await store.write((tx) => take(tx, 1)), [first + 1], 'of one block')
  const end = Number(await store.read(next))
  await query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sigil writes'",
  )
  t.same(await store.write((tx) => take(tx, 1)), [end], 'of the next one')
})
