// Whose key it is: the oldest proven record counts, a squatter's and a thief's do not, and whether
// the key still stands is asked every time.

import t, { type Test } from 'tap'
import { Bearer } from '../../../src/identity/keys/bearer.js'
import type { KeyMode } from '../../../src/identity/keys/key-format.js'
import {
  endWalletKey,
  putWalletKey,
  type WalletKey,
} from '../../../src/identity/keys/wallet-keys.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { Store, Tx } from '../../../src/store/store.js'
import { RegistryModel } from '../../support/registry-model.js'
import { type DerivedKey, derivedKey, materialOf, testWallet } from '../../support/wallet.js'

const victim = testWallet('victim')
const thief = testWallet('thief')

interface Room {
  readonly bearer: Bearer
  readonly registry: RegistryModel
  readonly store: Store
}

function openRoom(t: Test, mode: KeyMode = 'live'): Room {
  const store = openMemoryStore()
  t.teardown(() => store.close())
  const registry = new RegistryModel()
  return { bearer: new Bearer({ store, registry, mode }), registry, store }
}

function put(store: Store, key: WalletKey): Promise<void> {
  return store.write(function* (tx: Tx) {
    putWalletKey(tx, key)
  })
}

function rowOf(source: WalletKey['source'], { hash }: DerivedKey, index = 0): WalletKey {
  return {
    ...{ hash, source, address: victim.address, index, label: 'a', prefix: 'svc_live_000000' },
    ...{ permissions: ['read'], rateLimit: 5, createdAt: 1, revokedAt: 0 },
    ...{ storedKey: undefined, serverKey: undefined },
  }
}

t.test('a key registered on the chain is its wallet with read and write', async (t) => {
  const { bearer, registry } = openRoom(t)
  const key = await derivedKey(victim, 0)
  registry.register(victim.address, key.material)
  const identity = {
    ...{ kind: 'key', source: 'onchain', address: victim.address, hash: key.hash, index: 0 },
    ...{ permissions: ['read', 'write'], rateLimit: 0 },
  }
  t.same(await bearer.identify(key.apiKey), identity)
  registry.questions = 0
  const again = bearer.identify(key.apiKey)
  t.notOk(again instanceof Promise, 'a known key is told at once')
  t.same(again, identity)
  t.equal(bearer.identify(key.apiKey), again, 'by the same object')
  t.equal(registry.questions, 0)
})

t.test('what is no key of this mode costs no question', async (t) => {
  const { bearer, registry } = openRoom(t)
  const test = await derivedKey(victim, 0, 'test')
  registry.register(victim.address, test.material)
  for (const wrong of ['', 'secret', test.apiKey, `${test.apiKey}0`, test.apiKey.toUpperCase()]) {
    t.equal(bearer.identify(wrong), undefined)
  }
  t.equal(registry.questions, 0)
})

t.test('a squatter who registers the commitment first gets nothing', async (t) => {
  const { bearer, registry } = openRoom(t)
  const key = await derivedKey(victim, 0)
  registry.register(thief.address, key.material)
  t.equal(await bearer.identify(key.apiKey), undefined, 'not even before its owner has come')
  registry.register(victim.address, key.material)
  t.match(await bearer.identify(key.apiKey), { address: victim.address, index: 0 })
})

t.test('a thief cannot revive a revoked key under his wallet, nor take it over', async (t) => {
  const { bearer, registry } = openRoom(t)
  const key = await derivedKey(victim, 0)
  registry.register(victim.address, key.material)
  const stolen = await materialOf(key.apiKey, thief.address, 0)
  registry.register(thief.address, stolen.material)
  t.match(await bearer.identify(key.apiKey), { address: victim.address })
  registry.revoke(victim.address, 0)
  t.equal(await bearer.identify(key.apiKey), undefined)
  const fresh = new Bearer({ ...openRoom(t), registry, mode: 'live' })
  t.equal(await fresh.identify(key.apiKey), undefined, 'nor for a server that has just started')
})

t.test('a record with invalid verifiers admits no key', async (t) => {
  const { bearer, registry } = openRoom(t)
  const { apiKey, material } = await derivedKey(victim, 0)
  registry.register(victim.address, { ...material, storedKey: material.serverKey })
  registry.register(victim.address, { ...material, storedKey: Uint8Array.of(1) })
  t.equal(await bearer.identify(apiKey), undefined)
})

t.test('an unknown key is asked for once a head', async (t) => {
  const { bearer, registry } = openRoom(t)
  const key = await derivedKey(victim, 0)
  t.equal(await bearer.identify(key.apiKey), undefined)
  const { questions } = registry
  t.equal(await bearer.identify(key.apiKey), undefined)
  t.equal(registry.questions, questions)
  registry.register(victim.address, key.material)
  t.match(await bearer.identify(key.apiKey), { address: victim.address }, 'a new head')
})

t.test('while the chain is away its keys are refused with 6, the others go on', async (t) => {
  const { bearer, registry, store } = openRoom(t)
  const onChain = await derivedKey(victim, 0)
  registry.register(victim.address, onChain.material)
  const issued = await derivedKey(victim, 7)
  await put(store, rowOf('issued', issued))
  await bearer.identify(onChain.apiKey)
  registry.isAway = true
  const away = { code: 6, extra: { reason: 'CHAIN_UNAVAILABLE' } }
  await t.rejects(async () => bearer.identify(onChain.apiKey), away)
  const unknown = await derivedKey(thief, 0)
  await t.rejects(async () => bearer.identify(unknown.apiKey), away)
  t.match(await bearer.identify(issued.apiKey), { source: 'issued', permissions: ['read'] })
})

t.test('an issued key is its row, and gone with it', async (t) => {
  const { bearer, store, registry } = openRoom(t)
  const key = await derivedKey(victim, 3)
  const row = rowOf('issued', key, 4)
  await put(store, row)
  const identity = {
    ...{ kind: 'key', source: 'issued', address: victim.address, hash: key.hash, index: 4 },
    ...{ permissions: ['read'], rateLimit: 5 },
  }
  t.same(await bearer.identify(key.apiKey), identity)
  await put(store, { ...row, permissions: ['read', 'admin'] })
  t.match(bearer.identify(key.apiKey), { permissions: ['read', 'admin'] }, 'as it is now')
  registry.register(thief.address, (await materialOf(key.apiKey, thief.address, 0)).material)
  t.match(await bearer.identify(key.apiKey), { address: victim.address })
  await store.write(function* (tx) {
    endWalletKey(tx, row, 9)
  })
  t.equal(bearer.identify(key.apiKey), undefined)
  const fresh = new Bearer({ store, registry, mode: 'live' })
  t.equal(await fresh.identify(key.apiKey), undefined, 'it never becomes who stole it')
})

t.test('an on-chain key that is denied here stays out, whatever the chain says', async (t) => {
  const { bearer, registry, store } = openRoom(t)
  const key = await derivedKey(victim, 0)
  registry.register(victim.address, key.material)
  const row = rowOf('onchain', key)
  await put(store, row)
  t.match(await bearer.identify(key.apiKey), { permissions: ['read'], rateLimit: 5 })
  await store.write(function* (tx) {
    endWalletKey(tx, row, 9)
  })
  t.equal(await bearer.identify(key.apiKey), undefined)
  t.equal(registry.keyStatus(victim.address, 0), 'active')
})

t.test("a squatter's row says nothing about the victim's key", async (t) => {
  const { bearer, registry, store } = openRoom(t)
  const key = await derivedKey(victim, 0)
  registry.register(thief.address, key.material)
  registry.register(victim.address, key.material)
  const row = { ...rowOf('onchain', key), address: thief.address, revokedAt: 9 }
  await put(store, row)
  t.match(await bearer.identify(key.apiKey), { address: victim.address })
})

t.test('the published keys are refused by live servers, and by them alone', async (t) => {
  const published = 'svc_live_93614ec9925ee83ea38094ec7548bc34a74cbceb31825b073436935b7c28ad96'
  const { bearer, registry } = openRoom(t)
  registry.register(victim.address, (await materialOf(published, victim.address, 0)).material)
  t.equal(await bearer.identify(published), undefined)
  const test = openRoom(t, 'test')
  const other = published.replace('live', 'test')
  test.registry.register(victim.address, (await materialOf(other, victim.address, 0)).material)
  t.match(await test.bearer.identify(other), { address: victim.address })
})
