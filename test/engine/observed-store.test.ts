// Events that a program announces: once with its commit, however often the program ran, and not at
// all when it fails or its part of a transaction is taken back.

import t from 'tap'
import { utf8 } from '../../src/base/bytes/bytes.js'
import { systemClock } from '../../src/base/clock.js'
import { ObservedStore } from '../../src/engine/observed-store.js'
import { keyClass } from '../../src/store/layout.js'
import { openMemoryStore } from '../../src/store/memory.js'
import type { Program, Store, Tx } from '../../src/store/store.js'
import { beginTransaction } from '../../src/store/transactions/transaction.js'
import { LateStore } from '../support/late-store.js'

const stores: readonly [name: string, open: () => Store][] = [
  ['memory', () => openMemoryStore(systemClock)],
  ['late', () => new LateStore({ seed: 7, conflictChance: 0.7 })],
]

const key = (name: string) => Uint8Array.of(keyClass.record, 0, 0, 0, 1, ...utf8(name))

function observed(open: () => Store) {
  const store = new ObservedStore(open())
  const heard: string[] = []
  let isOn = true
  store.events = {
    isOn: () => isOn,
    tell: (events) => {
      for (const { name } of events as readonly { readonly name: string }[]) heard.push(name)
    },
  }
  const mute = () => {
    isOn = false
  }
  return { store, heard, mute }
}

function* write(tx: Tx, name: string): Program<void> {
  yield* tx.get(key(name))
  tx.put(key(name), utf8('x'))
  tx.announce?.({ name })
}

for (const [name, open] of stores) {
  t.test(`${name}: a committed program tells once`, async (t) => {
    const { store, heard, mute } = observed(open)
    t.teardown(() => store.close())
    for (let i = 0; i < 20; i++) await store.write((tx) => write(tx, `a${i}`))
    t.same(
      heard,
      Array.from({ length: 20 }, (_, i) => `a${i}`),
    )
    const failing = store.write(function* (tx) {
      yield* write(tx, 'failed')
      throw new Error('not this one')
    })
    await t.rejects(failing, /not this one/)
    mute()
    await store.write((tx) => write(tx, 'unheard'))
    t.equal(heard.length, 20)
  })

  t.test(`${name}: a transaction tells at its commit what it has kept`, async (t) => {
    const { store, heard } = observed(open)
    t.teardown(() => store.close())
    const transaction = await beginTransaction(store)
    await transaction.write((tx) => write(tx, 'first'))
    const savepoint = transaction.save()
    await transaction.write((tx) => write(tx, 'undone'))
    transaction.returnTo(savepoint)
    await transaction.write((tx) => write(tx, 'second'))
    transaction.release(savepoint)
    const failing = transaction.write(function* (tx) {
      yield* write(tx, 'failed')
      throw new Error('not this one')
    })
    await t.rejects(failing, /not this one/)
    t.same(heard, [])
    await transaction.commit()
    t.same(heard, ['first', 'second'])
    const other = await beginTransaction(store)
    await other.write((tx) => write(tx, 'aborted'))
    other.abort()
    t.same(heard, ['first', 'second'])
  })
}
