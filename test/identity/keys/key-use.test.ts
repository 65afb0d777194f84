// How much keys are used: counted in memory, written each second, kept by day, and lost by nothing
// but a kill.

import t from 'tap'
import { dayMs } from '../../../src/base/limits/engine.js'
import { keyUseDaysMax } from '../../../src/base/limits/identity.js'
import { silentLog } from '../../../src/base/log.js'
import { type KeyIdentity, operator } from '../../../src/identity/identity.js'
import { dayOf, KeyUse, useOfKey, useOfKeys } from '../../../src/identity/keys/key-use.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { Store } from '../../../src/store/store.js'

const alice = '0x52908400098527886E0F7030069857D2E4169EE7'
const bob = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

function keyOf(address: string, digit: string): KeyIdentity {
  const hash = digit.repeat(64)
  return { kind: 'key', source: 'issued', address, hash, index: 0, permissions: [], rateLimit: 0 }
}

function open(store: Store = openMemoryStore()) {
  const time = { ms: 20_000 * dayMs }
  const clock = { now: () => time.ms, elapsed: () => time.ms }
  const uses = new KeyUse({ store, clock, log: silentLog })
  const days = async (key: KeyIdentity, n: number) =>
    (await store.read((tx) => useOfKey(tx, key, dayOf(time.ms), n))).map((counts) =>
      Object.fromEntries(counts),
    )
  return { store, time, uses, days }
}

t.test('requests add up by day and endpoint, for keys alone', async (t) => {
  const { time, uses, days } = open()
  const key = keyOf(alice, 'a')
  uses.count(key, '/api/v1/collections')
  uses.count(key, 'wire:find')
  uses.count(operator, 'wire:find')
  await uses.flush()
  uses.count(key, 'wire:find')
  time.ms += dayMs - 1
  uses.count(key, 'wire:find')
  time.ms += 1
  uses.count(key, 'wire:find')
  await uses.flush()
  t.same(await days(key, 3), [{}, { '/api/v1/collections': 1, 'wire:find': 3 }, { 'wire:find': 1 }])
})

t.test('an overview is of one wallet, or of all', async (t) => {
  const { store, time, uses } = open()
  const [a, b, other] = [keyOf(alice, 'a'), keyOf(alice, 'b'), keyOf(bob, 'a')]
  for (const key of [a, a, b, other]) uses.count(key, 'wire:find')
  await uses.flush()
  time.ms += dayMs
  uses.count(a, 'redis:get')
  await uses.flush()
  const seen = async (address: string | undefined, days: number) => {
    const found = await store.read((tx) => useOfKeys(tx, address, dayOf(time.ms), days))
    const { total, byKey } = found
    return [total, [...byKey.values()].map(({ hash, count }) => `${hash[0]} ${count}`)]
  }
  t.same(await seen(alice, 7), [4, ['a 3', 'b 1']])
  t.same(await seen(alice, 1), [1, ['a 1']])
  t.same(await seen(bob, 7), [1, ['a 1']])
  t.same((await seen(undefined, 7))[0], 5)
})

t.test('what the store refuses is counted on, and what is too old goes', async (t) => {
  const store = openMemoryStore()
  let refuses = false
  const write: Store['write'] = (program, ...more) =>
    refuses ? Promise.reject(new Error('no room')) : store.write(program, ...more)
  const { time, uses, days } = open(Object.assign(Object.create(store), { write }) as Store)
  const key = keyOf(alice, 'a')
  uses.count(key, 'wire:find')
  await uses.flush()
  refuses = true
  uses.count(key, 'wire:find')
  await t.rejects(uses.flush(), /no room/)
  uses.count(key, 'wire:find')
  time.ms += dayMs
  uses.count(key, 'wire:find')
  await t.rejects(uses.flush(), /no room/)
  refuses = false
  await uses.flush()
  t.same(await days(key, 2), [{ 'wire:find': 3 }, { 'wire:find': 1 }])
  time.ms += (keyUseDaysMax - 1) * dayMs
  uses.count(key, 'wire:find')
  await uses.flush()
  const kept = await days(key, keyUseDaysMax + 1)
  t.same(kept[0], {}, 'of 401 days the first is gone')
  t.same([kept[1], kept.at(-1)], [{ 'wire:find': 1 }, { 'wire:find': 1 }])
})
