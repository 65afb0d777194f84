// Waiting for a change of keys: nothing that comes between a look and the wait is missed, and only
// so many may wait.

import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { awaitingCursorsMax } from '../../src/base/limits/documents.js'
import { Awaiting } from '../../src/engine/awaiting.js'
import { ObservedStore } from '../../src/engine/observed-store.js'
import { idKey, keyClass } from '../../src/store/layout.js'
import { openMemoryStore } from '../../src/store/memory.js'

const key = (id: number): Uint8Array => idKey(keyClass.catalog, id)
const longMs = 600_000

function open(): { store: ObservedStore; awaiting: Awaiting } {
  const store = new ObservedStore(openMemoryStore(systemClock))
  return { store, awaiting: new Awaiting(store) }
}

const put = (store: ObservedStore, id: number): Promise<void> =>
  store.write(function* (tx) {
    tx.put(key(id), Uint8Array.of(1))
  })

t.test('any of the keys wakes, put or removed', async (t) => {
  const { store, awaiting } = open()
  const watch = awaiting.watch([key(1), key(2)])
  for (const change of [
    () => put(store, 1),
    () => put(store, 2),
    () =>
      store.write(function* (tx) {
        tx.remove(key(2))
      }),
  ]) {
    watch.look()
    const changed = watch.changed(longMs)
    await change()
    await changed
  }
  t.equal(awaiting.size, 1)
  watch.end()
  t.equal(awaiting.size, 0)
  await store.close()
})

t.test('what changes between the look and the wait is not missed', async (t) => {
  const { store, awaiting } = open()
  const watch = awaiting.watch([key(1)])
  watch.look()
  await put(store, 1)
  await watch.changed(longMs)
  watch.look()
  let isWoken = false
  const changed = watch.changed(longMs).then(() => {
    isWoken = true
  })
  await put(store, 2)
  t.notOk(isWoken, 'another key is none of its')
  watch.end()
  await changed
  await store.close()
})

t.test('time ends a wait', async (t) => {
  const { store, awaiting } = open()
  const watch = awaiting.watch([key(1)])
  await watch.changed(1)
  watch.end()
  t.equal(awaiting.size, 0)
  await store.close()
})

t.test('only so many may wait at a time', async (t) => {
  const { store, awaiting } = open()
  const watches = Array.from({ length: awaitingCursorsMax }, () => awaiting.watch([key(1)]))
  t.throws(() => awaiting.watch([key(1)]), { code: 146 })
  watches.pop()?.end()
  awaiting.watch([key(1)]).end()
  for (const watch of watches) watch.end()
  t.equal(awaiting.size, 0)
  await store.close()
})

t.test('records of one collection are observed as soon as their program has run', async (t) => {
  const { store } = open()
  const told: string[] = []
  const forget = store.observeRecords(7, () => told.push('changed'))
  const record = idKey(keyClass.record, 7, Uint8Array.of(1))
  const write = (change: 'put' | 'remove', of = record) =>
    store.write(function* (tx) {
      if (change === 'put') tx.put(of, Uint8Array.of(1))
      else tx.remove(of)
    })
  await write('put', idKey(keyClass.record, 8, Uint8Array.of(1)))
  t.same(told, [])
  await write('put')
  await write('remove')
  t.same(told, ['changed', 'changed'])
  forget()
  await write('put')
  t.equal(told.length, 2)
  await store.close()
})
