// Numbers that gateways take in blocks: each is given once, two gateways that take some at the same
// time do not conflict for it, and a program that runs again gets the same ones.

import fc from 'fast-check'
import t from 'tap'
import {
  allocateMembersId,
  allocateValueNumber,
} from '../../../src/engine/collection/catalog/catalog-ids.js'
import { idKey, keyClass } from '../../../src/store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../../../src/store/store.js'
import { Room } from '../../support/engine-room.js'
import {
  openPostgresServer,
  openReference,
  postgresMissing,
} from '../../support/postgres-reference.js'
import { runs } from '../../support/runs.js'
import {
  addressOn,
  openShared,
  openSharedTables,
  sharedAddress,
} from '../../support/shared-stores.js'

const skip = { skip: postgresMissing }
const counter = Uint8Array.of(keyClass.catalog, 0x00, 0x7f)

const recordOf = (number: number) => idKey(keyClass.record, number)

function* unused(): Program<number> {
  yield* []
  throw new Error('a shared store needs no program')
}

function numbersOf({ numbers }: Tx): NonNullable<Tx['numbers']> {
  if (numbers === undefined) throw new Error('a shared store gives numbers in blocks')
  return numbers
}

/** Takes numbers as the catalog does, and keeps a record under each. */
function* take(tx: Tx, count: number, isFailing = false): Program<number[]> {
  const first = yield* numbersOf(tx).take(counter, count, unused)
  const taken = Array.from({ length: count }, (_, i) => first + i)
  for (const number of taken) tx.put(recordOf(number), Uint8Array.of(1))
  if (isFailing) throw new Error('the program fails')
  return taken
}

function* foresee(tx: Tx, isUsed: boolean): Program<number> {
  const numbers = numbersOf(tx)
  const number = yield* numbers.foresee(counter, unused)
  if (isUsed) numbers.use(counter, number)
  return number
}

const conflictsOf = (store: Store): number =>
  (store as unknown as { readonly lane: { readonly conflicts: number } }).lane.conflicts

function* next(tx: ReadTx): Program<number> {
  const stored = yield* tx.get(counter)
  return stored === undefined ? 1 : Number(Buffer.from(stored).readBigUInt64BE())
}

t.test('each number is given once', skip, async (t) => {
  const step = fc.record({
    at: fc.nat(1),
    count: fc.integer({ min: 1, max: 400 }),
    fails: fc.boolean(),
  })
  const property = async (steps: readonly { at: number; count: number; fails: boolean }[]) => {
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
    const end = await stores[0].read(next)
    t.ok(taken.every((number) => number >= 1 && number < end))
    await Promise.all(stores.map((store) => store.close()))
  }
  const steps = fc.array(step, { minLength: 1, maxLength: 40 })
  await fc.assert(fc.asyncProperty(steps, property), { numRuns: runs(5) })
})

t.test('two gateways that create containers do not conflict', skip, async (t) => {
  const address = await sharedAddress(t)
  const stores = [await openShared(t, address), await openShared(t, address)]
  const made: number[] = []
  function* create(tx: Tx): Program<number> {
    const id = yield* allocateMembersId(tx)
    tx.put(recordOf(id), Uint8Array.of(1))
    return id
  }
  await Promise.all(
    stores.map(async (store) => {
      for (let i = 0; i < 60; i++) made.push(await store.write(create))
    }),
  )
  t.equal(new Set(made).size, 120)
  // About 25 if each program counts in the record. PostgreSQL may find some where there are none.
  const conflicts = stores.reduce((sum, store) => sum + conflictsOf(store), 0)
  t.ok(conflicts < 6, `${conflicts} conflicts`)
})

t.test('numbers of a program that failed are given again', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  const [first = 0] = await store.write((tx) => take(tx, 3))
  const failing = store.write(function* (tx) {
    t.same(yield* take(tx, 2), [first + 3, first + 4])
    yield* take(tx, 300, true)
  })
  await t.rejects(failing, { message: 'the program fails' })
  t.same(await store.write((tx) => take(tx, 2)), [first + 3, first + 4])
})

t.test('a number that was only foreseen is given again', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  const [first = 0] = await store.write((tx) => take(tx, 1))
  for (const isUsed of [false, false, true]) {
    t.equal(await store.write((tx) => foresee(tx, isUsed)), first + 1)
  }
  t.equal(await store.write((tx) => foresee(tx, false)), first + 2)
})

t.test('a program that runs again after a conflict gets the same numbers', skip, async (t) => {
  const { address, query } = await openSharedTables(t)
  const store = await openShared(t, address)
  const key = recordOf(1_000_000)
  await store.write(function* (tx) {
    tx.put(key, Uint8Array.of(1))
  })
  // Another transaction has changed the key, and commits when the program has read its old value.
  const named = `'\\x${Buffer.from(key).toString('hex')}'::bytea`
  await query('BEGIN')
  await query(`UPDATE $pairs SET value = '\\x02' WHERE key = ${named}`)
  let committed: Promise<unknown> | undefined
  const seen: number[] = []
  const read = await store.write(function* (tx) {
    const [value = 0] = (yield* tx.get(key)) ?? []
    committed ??= query('COMMIT')
    const [number = 0] = yield* take(tx, 1)
    seen.push(number)
    tx.put(key, Uint8Array.of(3))
    return value
  })
  await committed
  t.equal(read, 2, 'it has run again')
  t.equal(conflictsOf(store), 1)
  t.equal(new Set(seen).size, 1, String(seen))
})

t.test('large documents are staged once for a collection that they create', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  const room = new Room(store)
  const numberBefore = await store.write(allocateValueNumber)
  const x = 'x'.repeat(300_000)
  await room.insert({ _id: 1, x }, { _id: 2, x: `${x}x` })
  t.same(
    [await room.read(1), await room.read(2)],
    [
      { _id: 1, x },
      { _id: 2, x: `${x}x` },
    ],
  )
  t.equal(await store.write(allocateValueNumber), numberBefore + 3)
})

t.test('a lost connection ends a block', skip, async (t) => {
  const { address, query } = await openSharedTables(t)
  const store = await openShared(t, address)
  const [first] = await store.write((tx) => take(tx, 1))
  t.same(await store.write((tx) => take(tx, 1)), [(first ?? 0) + 1], 'of one block')
  const end = await store.read(next)
  await query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sigil writes'",
  )
  t.same(await store.write((tx) => take(tx, 1)), [end], 'of the next one')
})

t.test('a crash that loses the last commits takes no block back', skip, async (t) => {
  const server = await openPostgresServer(t)
  const { query } = openReference(t, server.folder)
  await query("ALTER SYSTEM SET wal_writer_delay = '10s'")
  await query('SELECT pg_reload_conf()')
  const address = addressOn(server.folder)
  const before = await openShared(t, address)
  await query('CREATE TABLE flushes_what_was_written ()')
  const [taken] = await before.write((tx) => take(tx, 1))
  await server.restart()
  const after = await openShared(t, address)
  const others = await after.write((tx) => take(tx, 300))
  t.notOk(others.includes(taken as number))
})
