// A key's own limit: a minute's share at once, then evenly; others have theirs.

import t from 'tap'
import { anonymous, type KeyIdentity, operator } from '../../../src/identity/identity.js'
import { KeyLimit } from '../../../src/identity/keys/key-limit.js'

const key: KeyIdentity = {
  ...{ kind: 'key', source: 'issued', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
  ...{ hash: 'a'.repeat(64), index: 0, permissions: ['read'], rateLimit: 6 },
}

t.test('a key has its requests a minute, and is told when to come again', async (t) => {
  const time = { ms: 0 }
  const limit = new KeyLimit({ now: () => 0, elapsed: () => time.ms })
  const tooMany = { code: 462, extra: { retryAfter: 10 } }
  for (let i = 0; i < 6; i++) limit.take(key)
  t.throws(() => limit.take(key), tooMany)
  time.ms = 9_999
  t.throws(() => limit.take(key), { code: 462, extra: { retryAfter: 1 } })
  time.ms = 10_000
  limit.take(key)
  t.throws(() => limit.take(key), tooMany)
  limit.take({ ...key, hash: 'b'.repeat(64) })
  time.ms += 3_600_000
  for (let i = 0; i < 6; i++) limit.take(key)
  t.throws(() => limit.take(key), tooMany, 'no more than a minute is saved up')
})

t.test("another wallet that registers a key's hash uses up its own share", async (t) => {
  const limit = new KeyLimit({ now: () => 0, elapsed: () => 0 })
  const address = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
  const squatter: KeyIdentity = { ...key, source: 'onchain', address, rateLimit: 1 }
  limit.take(squatter)
  t.throws(() => limit.take(squatter), { code: 462 })
  for (let i = 0; i < 6; i++) limit.take(key)
  t.throws(() => limit.take(key), { code: 462 })
})

t.test('who has no limit is not counted', async (t) => {
  const limit = new KeyLimit({ now: () => 0, elapsed: () => 0 })
  for (let i = 0; i < 100; i++) {
    for (const identity of [operator, anonymous, { ...key, rateLimit: 0 }]) limit.take(identity)
  }
  t.pass('100 requests each')
})
