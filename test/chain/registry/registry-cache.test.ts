// What is remembered of keys has a bound, and invented names do not use it up: a
// client that listens with a key that was forgotten would miss what is pushed to it.

import t from 'tap'
import type { RegistryKey } from '../../../src/chain/registry/registry.js'
import { followedKeysMax, RegistryCache } from '../../../src/chain/registry/registry-cache.js'

const wallet = '0x52908400098527886E0F7030069857D2E4169EE7'
const otherWallet = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
const word = new Uint8Array(32)
const active: RegistryKey = {
  ...{ commitment: 'a'.repeat(64), storedKey: word, serverKey: word, salt: word },
  ...{ createdAt: 1, revokedAt: 0, active: true },
}
const read = { readMs: 0, head: 'head' }

t.test('an active key is not forgotten for keys that are not there, or have ended', async (t) => {
  const cache = new RegistryCache()
  cache.keepKey(wallet, 0, { key: active, ...read })
  for (let index = 0; index <= followedKeysMax; index++) {
    const key = index % 2 === 0 ? undefined : { ...active, active: false }
    cache.keepKey(otherWallet, index, { key, ...read })
  }
  t.equal(cache.key(wallet, 0)?.key, active)
  t.equal(cache.key(otherWallet, 0), undefined, 'there is a bound')
})

t.test('a key that comes to be, and one that ends, are known as they are now', async (t) => {
  const cache = new RegistryCache()
  cache.keepKey(wallet, 0, { key: undefined, ...read })
  cache.keepKey(wallet, 0, { key: active, ...read })
  t.equal(cache.key(wallet, 0)?.key?.active, true)
  cache.revoke(wallet, 0)
  t.equal(cache.key(wallet, 0)?.key?.active, false)
  cache.clear()
  t.equal(cache.key(wallet, 0), undefined)
})
