// Transactions with more changes than a write program holds: their layers are merged in turns, and
// a crash in the midst of the commit leaves nothing.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { codes } from '../../../src/base/errors.js'
import { largePutsMax } from '../../../src/base/limits/engine.js'
import { silentLog } from '../../../src/base/log.js'
import { ObservedStore } from '../../../src/engine/observed-store.js'
import { keyClass } from '../../../src/store/layout.js'
import { openLmdbStore } from '../../../src/store/lmdb.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { ReadTx, Store, Tx } from '../../../src/store/store.js'
import { beginTransaction, type Transaction } from '../../../src/store/transactions/transaction.js'
import { temporaryFolder } from '../../support/stores.js'

const keyOf = (n: number) => Uint8Array.of(keyClass.record, 0, 0, 0, 1, n >>> 16, n >>> 8, n)
const end = keyOf(0xffffff)
const counter = Uint8Array.of(keyClass.count, 0, 0, 0, 1)
/** Statements of more than so many changes stay layers until the commit. */
const many = 12_000

type Runner = Pick<Transaction, 'read'> | Pick<Store, 'read'>

/** How often each value is there. */
async function seen(runner: Runner): Promise<string> {
  function* program(tx: ReadTx) {
    const found = new Map<number, number>()
    for (let start = keyOf(0); ; ) {
      const page = yield* tx.scan({ start, end }, 1_000)
      for (const { value } of page) found.set(value[0] ?? -1, (found.get(value[0] ?? -1) ?? 0) + 1)
      const last = page.at(-1)
      if (last === undefined || page.length < 1_000) break
      start = Uint8Array.of(...last.key, 0)
    }
    return [...found].sort(([a], [b]) => a - b).join(' ')
  }
  return runner.read(program)
}

/** Puts keys from `first` to `last`, and counts them. */
const put = (transaction: Transaction, first: number, last: number, value: number) =>
  transaction.write(function* (tx: Tx) {
    for (let n = first; n < last; n++) {
      tx.put(keyOf(n), new Uint8Array(100).fill(value))
      if (n % 1_000 === 0) yield* tx.pause()
    }
    tx.add(counter, last - first, 0)
  })

t.test('large statements and savepoints show as one state, and are committed as one', async (t) => {
  const store = new ObservedStore(openMemoryStore())
  t.teardown(() => store.close())
  const transaction = await beginTransaction(store)
  await put(transaction, 0, many, 1)
  const outer = transaction.save()
  await put(transaction, many / 2, many, 2)
  const inner = transaction.save()
  await put(transaction, 0, many, 3)
  t.equal(await seen(transaction), `3,${many}`)
  transaction.returnTo(inner)
  t.equal(await seen(transaction), `1,${many / 2} 2,${many / 2}`)
  await put(transaction, 0, 5, 4)
  transaction.release(outer)
  t.throws(() => transaction.returnTo(outer), 'it is forgotten')
  await put(transaction, many, 2 * many, 5)
  await put(transaction, 3, 4, 6)
  const state = `1,${many / 2 - 5} 2,${many / 2} 4,4 5,${many} 6,1`
  t.equal(await seen(transaction), state)
  t.equal(await seen(store), '')
  let isOver = false
  let turns = 0
  const commit = transaction.commit().then(() => {
    isOver = true
  })
  while (!isOver) {
    turns++
    const shown = await seen(store)
    if (shown !== '' && shown !== state) t.fail(`a reader sees ${shown}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await commit
  t.ok(turns > 3, `it gives way to others, ${turns} times`)
  t.equal(await seen(store), state)
  const sum = await store.read(function* (tx) {
    return yield* tx.count(counter)
  })
  // The additions of the savepoint that was returned to are gone.
  t.equal(sum.documents, many + many / 2 + 5 + many + 1)
})

t.test('more changes than a large change holds are refused', async (t) => {
  const store = new ObservedStore(openMemoryStore())
  t.teardown(() => store.close())
  const transaction = await beginTransaction(store)
  await put(transaction, 0, largePutsMax - 10, 1)
  const tooLarge = { code: codes.TransactionTooLarge.code }
  await t.rejects(put(transaction, largePutsMax, largePutsMax + 11, 2), tooLarge)
  t.equal(codes.TransactionTooLarge.code, 257)
  t.equal(transaction.hasEnded, false, 'its caller decides')
  await put(transaction, largePutsMax, largePutsMax + 10, 2)
  transaction.abort()
})

t.test('a crash in the midst of a commit leaves nothing', async (t) => {
  const folder = await temporaryFolder(t)
  const open = (path: string) =>
    openLmdbStore({ path, durability: 'none', clock: systemClock, log: silentLog })
  const path = join(folder, 'store')
  const store = open(path)
  t.teardown(() => store.close())
  const transaction = await beginTransaction(new ObservedStore(store))
  await put(transaction, 0, 3 * many, 1)
  transaction.save()
  await put(transaction, 0, many, 2)
  let isOver = false
  const commit = transaction.commit().then(() => {
    isOver = true
  })
  let copies = 0
  const logBytes = () => store.stats().log?.logBytes ?? 0
  const before = logBytes()
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    // Only while a part of it is in the log.
    if (isOver || logBytes() === before || copies === 3) continue
    const copy = join(folder, `copy-${copies++}`)
    // Within one turn: nothing is written meanwhile.
    cpSync(path, copy, { recursive: true })
    const opened = open(copy)
    t.equal(await seen(opened), '', 'nothing of it')
    await opened.close()
  }
  await commit
  t.ok(copies > 0, 'it was in the log for several turns')
  cpSync(path, join(folder, 'whole'), { recursive: true })
  const whole = open(join(folder, 'whole'))
  t.equal(await seen(whole), `1,${2 * many} 2,${many}`)
  await whole.close()
})
