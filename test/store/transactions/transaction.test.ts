// What every store owes a transaction: one state with its own changes in all reads, savepoints, and
// a commit that applies everything or nothing. The first to commit wins.

import { join } from 'node:path'
import t from 'tap'
import type { Bytes } from '../../../src/base/bytes/bytes.js'
import { systemClock } from '../../../src/base/clock.js'
import { codes } from '../../../src/base/errors.js'
import { programPutsMax } from '../../../src/base/limits/engine.js'
import { silentLog } from '../../../src/base/log.js'
import { ObservedStore } from '../../../src/engine/observed-store.js'
import { keyClass } from '../../../src/store/layout.js'
import { openLmdbStore } from '../../../src/store/lmdb.js'
import type { Entry, KeyRange, Program, ReadTx, Store, Tx } from '../../../src/store/store.js'
import { beginTransaction, type Transaction } from '../../../src/store/transactions/transaction.js'
import { everyStore, temporaryFolder } from '../../support/stores.js'

const entryKey = (...tail: number[]): Bytes => Uint8Array.of(keyClass.entry, ...tail)
const recordKey = (...tail: number[]): Bytes => Uint8Array.of(keyClass.record, ...tail)
const countKey = Uint8Array.of(keyClass.count, 0, 0, 0, 1, 0)
const value = (...bytes: number[]): Bytes => Uint8Array.from(bytes)
const entries: KeyRange = { start: entryKey(), end: Uint8Array.of(keyClass.entry + 1) }
const refused = (kind: keyof typeof codes) => ({ name: 'GatewayError', code: codes[kind].code })

type Writer = Pick<Store, 'write'> | Pick<Transaction, 'write'>

const change = (writer: Writer, body: (tx: Tx) => void): Promise<void> =>
  writer.write(function* (tx: Tx): Program<void> {
    body(tx)
  })
const put = (writer: Writer, key: Bytes, bytes: Bytes) => change(writer, (tx) => tx.put(key, bytes))
const remove = (writer: Writer, key: Bytes) => change(writer, (tx) => tx.remove(key))

interface Reader {
  read<T>(program: (tx: ReadTx) => Program<T>): T | Promise<T>
}

const get = async (reader: Reader, key: Bytes): Promise<number[] | undefined> => {
  const found = await reader.read((tx) => getOne(tx, key))
  return found === undefined ? undefined : [...found]
}
function* getOne(tx: ReadTx, key: Bytes): Program<Bytes | undefined> {
  return yield* tx.get(key)
}
const scan = async (reader: Reader, range: KeyRange, limit = 100): Promise<number[][]> => {
  const found = await reader.read(function* (tx): Program<Entry[]> {
    return yield* tx.scan(range, limit)
  })
  return found.map(({ key, value: of }) => [key[1] ?? -1, of[0] ?? -1])
}
const commit = (transaction: Transaction) => transaction.commit()

/** Entries 0 to `count`, each with its number as value. */
const fill = (store: Store, count: number) =>
  change(store, (tx) => {
    for (let i = 0; i < count; i++) tx.put(entryKey(i), value(i))
  })

everyStore(t, 'reads see one state and the own changes', async (t, { store }) => {
  await put(store, recordKey(1), value(1))
  const transaction = await beginTransaction(store)
  await put(store, recordKey(1), value(9))
  await put(store, recordKey(3), value(9))
  t.same(await get(transaction, recordKey(1)), [1], 'the state of the beginning')
  t.equal(await get(transaction, recordKey(3)), undefined)
  await put(transaction, recordKey(2), value(2))
  t.same(await get(transaction, recordKey(2)), [2])
  t.equal(await get(store, recordKey(2)), undefined, 'others do not see it')
  const seen = await transaction.write(function* (tx) {
    tx.put(recordKey(4), value(4))
    const own = yield* tx.getVersioned(recordKey(4))
    const many = yield* tx.getMany([4, 3, 2, 1].map((n) => recordKey(n)))
    return [own?.value, ...many].map((bytes) => bytes?.[0])
  })
  t.same(seen, [4, 4, undefined, 2, 1])
  await commit(transaction)
  for (const [n, of] of [
    [1, 9],
    [2, 2],
    [3, 9],
    [4, 4],
  ] as const) {
    t.same(await get(store, recordKey(n)), [of])
  }
})

everyStore(t, 'every scan shows own changes, in both directions', async (t, { store }) => {
  await fill(store, 10)
  const transaction = await beginTransaction(store)
  await change(transaction, (tx) => {
    for (const n of [2, 3, 9]) tx.remove(entryKey(n))
    tx.put(entryKey(4), value(44))
    tx.put(entryKey(12), value(12))
  })
  const expected = [
    [0, 0],
    [1, 1],
    [4, 44],
    [5, 5],
    [6, 6],
    [7, 7],
    [8, 8],
    [12, 12],
  ]
  t.same(await scan(transaction, entries), expected)
  t.same(await scan(transaction, { ...entries, reverse: true }), [...expected].reverse())
  for (let limit = 1; limit < 9; limit++) {
    t.same(await scan(transaction, entries, limit), expected.slice(0, limit), `first ${limit}`)
    const last = await scan(transaction, { ...entries, reverse: true }, limit)
    t.same(last, [...expected].reverse().slice(0, limit), `last ${limit}`)
  }
  transaction.save()
  await put(transaction, entryKey(3), value(33))
  await remove(transaction, entryKey(0))
  t.same(
    await scan(transaction, entries, 3),
    [
      [1, 1],
      [3, 33],
      [4, 44],
    ],
    'over a savepoint too',
  )
  t.same(await scan(store, entries, 3), [
    [0, 0],
    [1, 1],
    [2, 2],
  ])
  transaction.abort()
})

everyStore(t, 'a scan leaves out the changes of its own program', async (t, { store }) => {
  await fill(store, 2)
  const transaction = await beginTransaction(store)
  const seen = await transaction.write(function* (tx) {
    tx.put(entryKey(7), value(7))
    const plain = yield* tx.scan(entries, 10)
    const own = yield* tx.scanOwn(entries, 10)
    return [plain.length, own.length]
  })
  t.same(seen, [2, 3])
  t.same((await scan(transaction, entries)).length, 3)
  transaction.abort()
})

everyStore(t, 'entries are fetched with changed records', async (t, { store }) => {
  await change(store, (tx) => {
    for (const n of [1, 2]) {
      tx.put(entryKey(n), recordKey(n))
      tx.put(recordKey(n), value(n))
    }
  })
  const transaction = await beginTransaction(store)
  const fetch = async () => {
    const found = await transaction.read(function* (tx) {
      return yield* tx.scanFetch(entries, 10)
    })
    return found.map(({ record }) => record?.[0])
  }
  t.same(await fetch(), [1, 2])
  await change(transaction, (tx) => {
    tx.put(recordKey(1), value(11))
    tx.put(recordKey(3), value(3))
    tx.put(entryKey(3), recordKey(3))
    tx.remove(recordKey(2))
  })
  t.same(await fetch(), [11, undefined, 3])
  transaction.abort()
})

everyStore(t, 'additions commute, and are seen before the commit', async (t, { store }) => {
  const count = async (reader: Reader) =>
    (
      await reader.read(function* (tx) {
        return yield* tx.count(countKey)
      })
    ).documents
  await change(store, (tx) => tx.add(countKey, 1, 10))
  const [one, other] = [await beginTransaction(store), await beginTransaction(store)]
  await change(one, (tx) => tx.add(countKey, 2, 0))
  await change(other, (tx) => tx.add(countKey, 4, 0))
  await change(store, (tx) => tx.add(countKey, 8, 0))
  t.same([await count(one), await count(other), await count(store)], [3, 5, 9])
  await commit(one)
  await commit(other)
  t.equal(await count(store), 15)
})

everyStore(t, 'a program that throws leaves nothing', async (t, { store }) => {
  const transaction = await beginTransaction(store)
  await put(transaction, recordKey(1), value(1))
  const failing = transaction.write(function* (tx): Program<void> {
    tx.put(recordKey(1), value(2))
    tx.add(countKey, 1, 1)
    yield* tx.get(recordKey(2))
    throw new Error('no')
  })
  await t.rejects(failing, { message: 'no' })
  t.same(await get(transaction, recordKey(1)), [1])
  await commit(transaction)
  t.same(await get(store, recordKey(1)), [1])
})

everyStore(t, 'a savepoint undoes what came after it', async (t, { store }) => {
  await put(store, recordKey(1), value(1))
  const transaction = await beginTransaction(store)
  await put(transaction, recordKey(2), value(2))
  const first = transaction.save()
  await change(transaction, (tx) => {
    tx.remove(recordKey(1))
    tx.put(recordKey(2), value(22))
    tx.add(countKey, 1, 0)
  })
  const second = transaction.save()
  await put(transaction, recordKey(3), value(3))
  t.same(await get(transaction, recordKey(2)), [22])
  transaction.release(second)
  t.same(await get(transaction, recordKey(3)), [3], 'a released savepoint keeps its changes')
  transaction.returnTo(first)
  t.same(await get(transaction, recordKey(1)), [1])
  t.same(await get(transaction, recordKey(2)), [2])
  t.equal(await get(transaction, recordKey(3)), undefined)
  await put(transaction, recordKey(4), value(4))
  transaction.returnTo(first)
  t.equal(await get(transaction, recordKey(4)), undefined, 'the savepoint stays')
  await put(transaction, recordKey(5), value(5))
  await commit(transaction)
  t.same(await get(store, recordKey(1)), [1])
  t.same(await get(store, recordKey(2)), [2])
  t.equal(await get(store, recordKey(4)), undefined)
  t.same(await get(store, recordKey(5)), [5])
})

everyStore(t, 'the first to commit wins', async (t, { store }) => {
  await put(store, recordKey(1), value(1))
  const [one, other] = [await beginTransaction(store), await beginTransaction(store)]
  await put(one, recordKey(1), value(2))
  await change(other, (tx) => {
    tx.put(recordKey(1), value(3))
    tx.put(recordKey(2), value(3))
  })
  await commit(one)
  await t.rejects(commit(other), refused('WriteConflict'))
  t.same(await get(store, recordKey(1)), [2])
  t.equal(await get(store, recordKey(2)), undefined, 'nothing of it is applied')
  const late = await beginTransaction(store)
  await put(late, recordKey(1), value(4))
  await put(store, recordKey(1), value(5))
  await t.rejects(commit(late), refused('WriteConflict'), 'a plain write wins too')
})

everyStore(t, 'a conflict is found by the write itself where it can be', async (t, { store }) => {
  await put(store, recordKey(1), value(1))
  const transaction = await beginTransaction(store)
  await put(transaction, recordKey(2), value(2))
  await put(store, recordKey(1), value(5))
  await t.rejects(put(transaction, recordKey(1), value(2)), refused('WriteConflict'))
  t.ok(transaction.hasEnded)
  await t.rejects(get(transaction, recordKey(2)), refused('WriteConflict'))
})

everyStore(t, 'what vanished or appeared is a conflict', async (t, { store }) => {
  await put(store, recordKey(1), value(1))
  const [one, other] = [await beginTransaction(store), await beginTransaction(store)]
  await put(one, recordKey(1), value(2))
  await put(other, recordKey(2), value(2))
  await remove(store, recordKey(1))
  await put(store, recordKey(2), value(7))
  await t.rejects(commit(one), refused('WriteConflict'))
  await t.rejects(commit(other), refused('WriteConflict'))
  const unique = [await beginTransaction(store), await beginTransaction(store)]
  for (const [n, transaction] of unique.entries()) {
    await put(transaction, entryKey(1), recordKey(n))
  }
  const outcomes = await Promise.allSettled(unique.map(commit))
  t.same(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

everyStore(t, 'reads alone never conflict with snapshot isolation', async (t, { store }) => {
  await put(store, recordKey(1), value(1))
  const transaction = await beginTransaction(store)
  t.same(await get(transaction, recordKey(1)), [1])
  await put(store, recordKey(1), value(2))
  await put(transaction, recordKey(2), value(1))
  await commit(transaction)
  t.same(await get(store, recordKey(2)), [1])
})

everyStore(t, 'serializable checks what was read and scanned', async (t, { store }) => {
  await fill(store, 3)
  await put(store, recordKey(1), value(1))
  const begun = () => beginTransaction(store, { isolation: 'serializable' })
  const reading = await begun()
  await get(reading, recordKey(1))
  await put(reading, recordKey(9), value(9))
  await put(store, recordKey(1), value(2))
  await t.rejects(commit(reading), refused('WriteConflict'))
  const scanning = await begun()
  await scan(scanning, entries)
  await put(scanning, recordKey(9), value(9))
  await put(store, entryKey(7), value(7))
  await t.rejects(commit(scanning), refused('WriteConflict'), 'a phantom')
  const undisturbed = await begun()
  await scan(undisturbed, entries)
  await get(undisturbed, recordKey(1))
  await put(undisturbed, recordKey(9), value(9))
  await put(store, recordKey(8), value(8))
  await commit(undisturbed)
  t.same(await get(store, recordKey(9)), [9])
})

everyStore(t, 'the commit asks for admission on the current state', async (t, { store }) => {
  await put(store, recordKey(1), value(1))
  const transaction = await beginTransaction(store)
  await put(transaction, recordKey(2), value(2))
  await change(transaction, (tx) => tx.add(countKey, 1, 1))
  await put(store, recordKey(1), value(5))
  const seen: (number | undefined)[] = []
  await transaction.commit({
    *before(tx) {
      seen[0] = (yield* tx.get(recordKey(1)))?.[0]
      seen[1] = (yield* tx.get(recordKey(2)))?.[0]
    },
    *behind(tx, counters) {
      seen[2] = (yield* tx.get(recordKey(2)))?.[0]
      seen[3] = counters.length
    },
  })
  t.same(seen, [5, undefined, 2, 1])
  const refusing = await beginTransaction(store)
  await put(refusing, recordKey(2), value(3))
  const refusal = refusing.commit({
    *behind(tx) {
      yield* tx.get(recordKey(1))
      throw new Error('revoked')
    },
  })
  await t.rejects(refusal, { message: 'revoked' })
  t.same(await get(store, recordKey(2)), [2])
})

everyStore(t, 'a transaction that has ended is refused', async (t, { store }) => {
  const aborted = await beginTransaction(store)
  await put(aborted, recordKey(1), value(1))
  aborted.abort()
  await t.rejects(get(aborted, recordKey(1)), refused('NoSuchTransaction'))
  await t.rejects(commit(aborted), refused('NoSuchTransaction'))
  const committed = await beginTransaction(store)
  await put(committed, recordKey(2), value(2))
  await commit(committed)
  await t.rejects(put(committed, recordKey(3), value(3)), refused('NoSuchTransaction'))
  t.equal(await get(store, recordKey(1)), undefined)
})

everyStore(t, 'more than a program changes is one large change', async (t, { store }) => {
  const wide = (n: number) => recordKey(n >> 8, n & 255)
  const count = programPutsMax + 500
  const fillWide = async (transaction: Transaction) => {
    for (let from = 0; from < count; from += 2_000) {
      await change(transaction, (tx) => {
        for (let n = from; n < Math.min(from + 2_000, count); n++) tx.put(wide(n), value(1))
      })
    }
  }
  const observed = new ObservedStore(store)
  for (const over of [store, observed]) {
    const transaction = await beginTransaction(over)
    await fillWide(transaction)
    await change(transaction, (tx) => tx.add(countKey, count, 0))
    await commit(transaction)
    t.same(await get(store, wide(count - 1)), [1])
    const late = await beginTransaction(over)
    await fillWide(late)
    await put(store, wide(3), value(3))
    await t.rejects(commit(late), refused('WriteConflict'))
    t.same(await get(store, wide(3)), [3])
  }
})

t.test('a state outlives the checkpoints of what came after it', async (t) => {
  const path = join(await temporaryFolder(t), 'store')
  const store = openLmdbStore({
    path,
    durability: 'none',
    clock: systemClock,
    log: silentLog,
    freezeBytes: 1,
  })
  t.teardown(() => store.close())
  await put(store, recordKey(1), value(1))
  await put(store, recordKey(2), value(2))
  const transaction = await beginTransaction(store)
  await put(transaction, recordKey(3), value(3))
  for (let n = 0; n < 20 || (store.stats().log?.checkpoints ?? 0) < 4; n++) {
    await put(store, recordKey(1), value(100 + (n % 100)))
    await remove(store, recordKey(2))
  }
  t.same(await get(transaction, recordKey(1)), [1])
  t.same(await get(transaction, recordKey(2)), [2])
  const records = { start: recordKey(), end: recordKey(9) }
  t.same(await scan(transaction, records), [
    [1, 1],
    [2, 2],
    [3, 3],
  ])
  await commit(transaction)
  t.same(
    (await scan(store, records)).map(([n]) => n),
    [1, 3],
  )
  const late = await beginTransaction(store)
  for (const n of [1, 2, 3]) await get(late, recordKey(n))
  for (let n = 0; n < 20; n++) await put(store, recordKey(1), value(7))
  await t.rejects(put(late, recordKey(1), value(8)), refused('WriteConflict'))
})
