// Two gateways over one state: the store validates, so no update is lost whichever gateway made it.

import t from 'tap'
import type { Bytes } from '../../../src/base/bytes/bytes.js'
import { codes, hasKind } from '../../../src/base/errors.js'
import { ObservedStore } from '../../../src/engine/observed-store.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Program, Store, Tx } from '../../../src/store/store.js'
import { beginTransaction, type Isolation } from '../../../src/store/transactions/transaction.js'
import { LateStore } from '../../support/late-store.js'
import { seed } from '../../support/seed.js'

const counter = Uint8Array.of(keyClass.record, 1)
const others = Uint8Array.of(keyClass.record, 2)

function* increment(tx: Tx): Program<void> {
  const found = yield* tx.get(counter)
  tx.put(counter, Uint8Array.of((found?.[0] ?? 0) + 1))
}

const numberIn = async (store: Store, key: Bytes): Promise<number> => {
  const found = await store.read(function* (tx) {
    return yield* tx.get(key)
  })
  return found?.[0] ?? 0
}

interface Gateways {
  readonly late: readonly [LateStore, LateStore]
  readonly stores: readonly [Store, Store]
}

function open(): Gateways {
  const first = new LateStore({ seed, conflictChance: 0.2 })
  const second = new LateStore({ seed: seed + 1, conflictChance: 0.2, beside: first })
  t.teardown(() => Promise.all([first.close(), second.close()]))
  return { late: [first, second], stores: [new ObservedStore(first), new ObservedStore(second)] }
}

/** As drivers do: the whole transaction again after a conflict. */
async function untilCommitted(
  store: Store,
  body: (tx: Tx) => Program<void>,
  isolation: Isolation = 'snapshot',
): Promise<number> {
  for (let conflicts = 0; ; conflicts++) {
    const transaction = await beginTransaction(store, { isolation })
    try {
      await transaction.write(body)
      await transaction.commit()
      return conflicts
    } catch (error) {
      if (!hasKind(error, 'WriteConflict')) throw error
    }
  }
}

t.test('no increment is lost beside plain ones of the other gateway', async (t) => {
  const { stores } = open()
  const [one, other] = stores
  const rounds = 12
  const plain = async () => {
    for (let i = 0; i < rounds; i++) await other.write(increment)
  }
  const transactions = async (store: Store) => {
    for (let i = 0; i < rounds; i++) await untilCommitted(store, increment)
  }
  await Promise.all([plain(), transactions(one), transactions(other)])
  t.equal(await numberIn(one, counter), 3 * rounds)
  t.equal(await numberIn(other, counter), 3 * rounds)
})

t.test('a commit of the other gateway between run and commit is a conflict', async (t) => {
  const { late, stores } = open()
  const [one, other] = stores
  let times = 2
  late[0].beforeCommit = async () => {
    if (times-- > 0) await other.write(increment)
  }
  const conflicts = await untilCommitted(one, increment)
  t.ok(conflicts >= 1)
  t.equal(await numberIn(one, counter), 3)
})

t.test('a commit of the other gateway between two reads is not seen in part', async (t) => {
  const { stores } = open()
  const [one, other] = stores
  const transaction = await beginTransaction(one, { isolation: 'serializable' })
  function* both(tx: Tx): Program<void> {
    for (const key of [counter, others]) {
      const found = yield* tx.get(key)
      tx.put(key, Uint8Array.of((found?.[0] ?? 0) + 1))
    }
  }
  const seen = transaction.write(function* (tx): Program<(number | undefined)[]> {
    const found: (number | undefined)[] = []
    for (const key of [counter, others, counter, others]) found.push((yield* tx.get(key))?.[0])
    tx.put(Uint8Array.of(keyClass.record, 3), Uint8Array.of(1))
    return found
  })
  await other.write(both)
  t.equal(new Set(await seen).size, 1, 'both are of one state')
  await t.rejects(transaction.commit(), { code: codes.WriteConflict.code })
})

t.test('write skew needs serializable transactions', async (t) => {
  for (const isolation of ['snapshot', 'serializable'] as const) {
    const { stores } = open()
    const reading = [counter, others]
    const begun = await Promise.all(stores.map((store) => beginTransaction(store, { isolation })))
    for (const [n, transaction] of begun.entries()) {
      await transaction.write(function* (tx): Program<void> {
        const found = yield* tx.get(reading[1 - n] as Bytes)
        if (found === undefined) tx.put(reading[n] as Bytes, Uint8Array.of(1))
      })
    }
    const outcomes = await Promise.allSettled(begun.map((each) => each.commit()))
    const committed = outcomes.filter(({ status }) => status === 'fulfilled').length
    t.equal(committed, isolation === 'snapshot' ? 2 : 1, isolation)
  }
})
