// Keys that are held for the next try of a session: when, for how long, for whom. The clock stands
// until the test sets it forward.

import t from 'tap'
import type { Bytes } from '../../../src/base/bytes/bytes.js'
import { mapKey } from '../../../src/base/bytes/bytes.js'
import {
  heldKeysAgainMs,
  heldKeysMax,
  heldKeysMs,
  heldKeysOfTryMax,
  lossesKeptMs,
} from '../../../src/base/limits/store.js'
import { ObservedStore } from '../../../src/engine/observed-store.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Program, Store, Tx } from '../../../src/store/store.js'
import { HeldKeys, Tries } from '../../../src/store/transactions/held-keys.js'
import { OpenTransactions } from '../../../src/store/transactions/open-transactions.js'
import type { Transaction } from '../../../src/store/transactions/transaction.js'
import { everyStore } from '../../support/stores.js'

const key = (n: number): Bytes => Uint8Array.of(keyClass.record, n >> 8, n & 255)
const set = (...keys: Bytes[]) => new Set(keys.map((key) => mapKey(key)))

/** A clock that stands until it is set forward. */
const standing = () => {
  const clock = { ms: 0, now: () => 0, elapsed: () => clock.ms }
  return clock
}

const writer = {}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const isOver = async (waiting: Promise<unknown> | undefined) => {
  let over = false
  waiting?.then(() => {
    over = true
  })
  // Longer than any store takes.
  for (let i = 0; i < 50; i++) await turn()
  return over
}

t.test('a held key blocks others until its time is over', async (t) => {
  const clock = standing()
  const held = new HeldKeys(clock)
  t.equal(held.isOn, false)
  const hold = held.hold('ada', set(key(1), key(2)))
  const own = {}
  hold?.admit(own)
  t.equal(held.isOn, true)
  t.equal(held.blocking(own, [key(1)]), undefined)
  t.equal(held.blocking(writer, [key(3)]), undefined)
  const blocking = held.blocking(writer, [key(3), key(2)])
  clock.ms = heldKeysMs - 1
  held.expire()
  t.equal(await isOver(blocking), false)
  clock.ms = heldKeysMs
  held.expire()
  t.equal(await isOver(blocking), true)
  t.equal(held.isOn, false)
  t.equal(held.blocking(writer, [key(1)]), undefined)
})

t.test('a hold that ends early lets writers go on at once', async (t) => {
  const held = new HeldKeys(standing())
  const hold = held.hold('ada', set(key(1)))
  const blocking = held.blocking(writer, [key(1)])
  hold?.end()
  t.equal(await isOver(blocking), true)
  t.equal(held.isOn, false)
})

t.test('a key is held once a second for an identity, and by one at a time', (t) => {
  const clock = standing()
  const held = new HeldKeys(clock)
  const first = held.hold('ada', set(key(1)))
  t.ok(first)
  t.equal(held.hold('ben', set(key(1))), undefined, 'another one holds it')
  t.ok(held.hold('ben', set(key(1), key(2))), 'the free ones are held')
  first?.end()
  t.equal(held.hold('ada', set(key(1))), undefined, 'too early')
  t.ok(held.hold('ben', set(key(1))), 'another identity')
  clock.ms = heldKeysAgainMs
  held.expire()
  t.ok(held.hold('ada', set(key(1))))
  clock.ms += heldKeysMs
  held.expire()
  t.equal(held.isOn, false)
  t.end()
})

t.test('only documents and entries are held', (t) => {
  const held = new HeldKeys(standing())
  const catalog = Uint8Array.of(keyClass.catalog, 1)
  const hold = held.hold('ada', set(catalog, key(1)))
  t.equal(held.blocking(writer, [catalog]), undefined)
  hold?.end()
  t.end()
})

t.test('keys are bounded', (t) => {
  const held = new HeldKeys(standing())
  const tries = new Tries()
  const many = Array.from({ length: heldKeysOfTryMax + 1 }, (_, n) => mapKey(key(n)))
  tries.noteLoss(many, 0)
  tries.noteLoss(many, 0)
  t.equal(tries.wanted(0).size, heldKeysOfTryMax)
  const owners = heldKeysMax / heldKeysOfTryMax
  for (let n = 0; n < owners; n++) held.hold(`${n}`, tries.wanted(0))?.end()
  t.equal(held.hold('one more', tries.wanted(0)), undefined)
  t.end()
})

t.test('a session wants keys after its second loss, until it commits', (t) => {
  const tries = new Tries()
  tries.noteLoss(set(key(1)), 0)
  t.equal(tries.wanted(0).size, 0)
  tries.noteLoss(set(key(2)), 1)
  t.same([...tries.wanted(1)], [...set(key(1), key(2))])
  tries.noteCommit()
  t.equal(tries.wanted(1).size, 0)
  tries.noteLoss(set(key(1)), 2)
  tries.noteLoss(set(key(1)), 3)
  t.equal(tries.wanted(3 + lossesKeptMs + 1).size, 0, 'old losses are forgotten')
  t.end()
})

const change = (store: Pick<Store, 'write'> | Pick<Transaction, 'write'>, key: Bytes, byte = 1) =>
  store.write(function* (tx: Tx): Program<void> {
    tx.put(key, Uint8Array.of(byte))
  })
const read = async (store: Store, key: Bytes) => {
  function* get(tx: Parameters<Parameters<Store['read']>[0]>[0]): Program<Bytes | undefined> {
    return yield* tx.get(key)
  }
  return (await store.read(get))?.[0]
}

interface Room {
  readonly store: ObservedStore
  readonly open: OpenTransactions
  readonly clock: ReturnType<typeof standing>
  readonly tries: Tries
  begin(): Promise<Transaction>
}

function roomOver(inner: Store): Room {
  const clock = standing()
  const store = new ObservedStore(inner)
  const open = new OpenTransactions({ store, clock })
  store.held = open.held
  const tries = new Tries()
  return { store, open, clock, tries, begin: () => open.begin('a', { tries, mayHold: () => true }) }
}

/** A try that loses on the key to a plain write. */
async function lose({ begin, store }: Room, key: Bytes): Promise<void> {
  const transaction = await begin()
  await change(transaction, key, 9)
  await change(store, key)
  await transaction.commit().catch(() => undefined)
}

everyStore(t, 'plain writers wait for the third try, and do not fail', async (t, { store }) => {
  const room = roomOver(store)
  await lose(room, key(1))
  await lose(room, key(1))
  const transaction = await room.begin()
  const waiting = change(room.store, key(1), 2)
  await change(room.store, key(2))
  await change(transaction, key(1), 7)
  t.equal(await isOver(waiting), false)
  await transaction.commit()
  await waiting
  t.equal(transaction.hasCommitted, true)
  t.equal(await read(store, key(1)), 2, 'the writer came after it')
  t.equal(room.tries.wanted(0).size, 0)
})

everyStore(t, 'a large change waits too', async (t, { store }) => {
  const room = roomOver(store)
  await lose(room, key(1))
  await lose(room, key(1))
  const transaction = await room.begin()
  const changes = [{ key: key(1), value: Uint8Array.of(3) }]
  const waiting = room.store.writeLarge(function* () {}, { changes })
  await change(transaction, key(1), 7)
  t.equal(await isOver(waiting), false)
  await transaction.commit()
  await waiting
  t.equal(await read(store, key(1)), 3)
})

everyStore(t, 'a try that takes too long loses its keys', async (t, { store }) => {
  const room = roomOver(store)
  await lose(room, key(1))
  await lose(room, key(1))
  const transaction = await room.begin()
  await change(transaction, key(1), 7)
  const waiting = change(room.store, key(1), 2)
  room.clock.ms = heldKeysMs
  room.open.held.expire()
  await waiting
  await t.rejects(transaction.commit(), { code: 112 })
  const next = await room.begin()
  t.equal(room.open.held.isOn, false, 'once a second')
  next.abort()
})

everyStore(t, 'without a session, or the right, nothing is held', async (t, { store }) => {
  const { store: observed, open, tries, begin } = roomOver(store)
  for (const options of [{}, { tries, mayHold: () => false }]) {
    for (let i = 0; i < 3; i++) {
      const transaction = await open.begin('a', options)
      await change(transaction, key(1), 9)
      await change(observed, key(1))
      await t.rejects(transaction.commit(), { code: 112 })
    }
  }
  const transaction = await begin()
  t.equal(open.held.isOn, false)
  transaction.abort()
})

everyStore(t, 'a key that is only read is not held', async (t, { store }) => {
  const { store: observed, open, tries } = roomOver(store)
  const options = { isolation: 'serializable', tries, mayHold: () => true } as const
  await change(observed, key(1))
  for (let i = 0; i < 3; i++) {
    const transaction = await open.begin('a', options)
    t.equal(open.held.isOn, false)
    await transaction.read(function* (tx) {
      yield* tx.get(key(1))
    })
    await change(transaction, key(2))
    await change(observed, key(1))
    await t.rejects(transaction.commit(), { code: 112 })
  }
})

everyStore(t, 'two holders do not wait for each other', async (t, { store }) => {
  const room = roomOver(store)
  const others = new Tries()
  const other = {
    ...room,
    begin: () => room.open.begin('b', { tries: others, mayHold: () => true }),
  }
  for (const one of [room, room]) await lose(one, key(1))
  for (const one of [other, other]) await lose(one, key(2))
  const [ada, ben] = [await room.begin(), await other.begin()]
  await change(ada, key(1), 7)
  await change(ada, key(2), 7)
  await change(ben, key(2), 8)
  await change(ben, key(1), 8)
  await ada.commit()
  await t.rejects(ben.commit(), { code: 112 })
  t.equal(room.open.held.isOn, false)
})
