// The bounds of open transactions: number, age and memory. Beyond one of them a transaction ends.

import t from 'tap'
import { codes } from '../../../src/base/errors.js'
import { ByteShares } from '../../../src/base/heap/byte-shares.js'
import { transactionMsMax, transactionsMax } from '../../../src/base/limits/store.js'
import { keyClass } from '../../../src/store/layout.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { Program } from '../../../src/store/store.js'
import { OpenTransactions } from '../../../src/store/transactions/open-transactions.js'
import type { Transaction } from '../../../src/store/transactions/transaction.js'
import { eachStore } from '../../support/stores.js'

const key = (n: number) => Uint8Array.of(keyClass.record, n)
const refused = (kind: keyof typeof codes) => ({ name: 'GatewayError', code: codes[kind].code })

const put = (transaction: Transaction, n: number, bytes = 1): Promise<void> =>
  transaction.write(function* (tx): Program<void> {
    tx.put(key(n), new Uint8Array(bytes))
  })

/** A clock that stands until it is set forward. */
const standing = () => {
  const clock = { ms: 0, now: () => 0, elapsed: () => clock.ms }
  return clock
}

eachStore(t, 'a transaction ends after its time, with its state', async (t, { store }) => {
  const clock = standing()
  const open = new OpenTransactions({ store, clock })
  const [old, committed] = [await open.begin('a'), await open.begin('a')]
  clock.ms = transactionMsMax / 2
  const young = await open.begin('a')
  await put(old, 1)
  await put(committed, 2)
  await committed.commit()
  t.equal(open.size, 2)
  clock.ms = transactionMsMax
  open.expire()
  t.equal(open.size, 1)
  t.equal(old.heldBytes, 0)
  await t.rejects(put(old, 1), refused('NoSuchTransaction'))
  await put(young, 3)
  await young.commit()
  t.equal(open.size, 0)
})

eachStore(t, 'a program that runs when its transaction ends is stopped', async (t, { store }) => {
  const open = new OpenTransactions({ store, clock: standing() })
  const transaction = await open.begin('a')
  const endless = transaction.write(function* (tx): Program<void> {
    for (;;) yield* tx.pause(100_000)
  })
  setImmediate(() => open.close())
  await t.rejects(endless, refused('ShutdownInProgress'))
  t.equal(open.size, 0)
})

t.test('beyond the number the busiest owner loses its oldest', async (t) => {
  const store = openMemoryStore()
  t.teardown(() => store.close())
  const open = new OpenTransactions({ store, clock: standing() })
  const few = await open.begin('few')
  const many: Transaction[] = []
  while (open.size < transactionsMax) many.push(await open.begin('many'))
  const next = await open.begin('few')
  t.equal(open.size, transactionsMax)
  t.same(
    [few, next, many[0], many[1]].map((each) => each?.hasEnded),
    [false, false, true, false],
  )
  open.close()
  t.equal(open.size, 0)
})

t.test('changes count in the memory of their owner', async (t) => {
  const store = openMemoryStore()
  t.teardown(() => store.close())
  const shares = new ByteShares({ ofOwner: 100_000, ofAll: 150_000 })
  const open = new OpenTransactions({ store, clock: standing(), shares })
  const [one, other] = [await open.begin('a'), await open.begin('a')]
  await put(one, 1, 60_000)
  await t.rejects(put(other, 2, 60_000), refused('ExceededMemoryLimit'))
  t.ok(other.hasEnded)
  t.equal(open.size, 1)
  await one.commit()
  t.equal(shares.bytesHeld, 0)
})
