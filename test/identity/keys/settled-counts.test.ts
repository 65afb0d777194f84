// Limits over several gateways: what one has counted is missing at the others a second later.

import t from 'tap'
import { wrongKeysMax } from '../../../src/base/limits/identity.js'
import type { Identity } from '../../../src/identity/identity.js'
import { KeyGuesses } from '../../../src/identity/keys/key-guesses.js'
import { KeyLimit } from '../../../src/identity/keys/key-limit.js'
import { SettledCounts } from '../../../src/identity/keys/settled-counts.js'
import { TestExchange } from '../../support/exchanges.js'

const clock = { now: () => 0, elapsed: () => 0 }

const key: Identity = {
  kind: 'key',
  source: 'issued',
  hash: 'ab'.repeat(32),
  address: '0x0000000000000000000000000000000000000001',
  index: 0,
  permissions: ['read'],
  rateLimit: 10,
}

function open(count: number) {
  return TestExchange.open(count).map((exchange) => {
    const settled = new SettledCounts(exchange)
    t.teardown(() => settled.close())
    const limit = new KeyLimit(clock, settled)
    return { settled, limit, guesses: new KeyGuesses(clock, settled) }
  })
}

t.test('the limit of a key', async (t) => {
  const [one, two, three] = open(3)
  two?.limit.take(key)
  for (let i = 0; i < 6; i++) one?.limit.take(key)
  one?.settled.settle()
  two?.settled.settle()
  for (let i = 0; i < 3; i++) two?.limit.take(key)
  const refused = { message: 'this key has 10 requests a minute' }
  t.throws(() => two?.limit.take(key), refused)
  for (let i = 0; i < 3; i++) one?.limit.take(key)
  t.throws(() => one?.limit.take(key), refused)
  t.equal(settledAt(three), 3, 'also where it was never used')
})

/** How many requests the key has left there. */
function settledAt(gateway: ReturnType<typeof open>[number] | undefined): number {
  for (let left = 0; ; left++) {
    try {
      gateway?.limit.take(key)
    } catch {
      return left
    }
  }
}

t.test('wrong keys of an address', async (t) => {
  const [one, two] = open(2)
  for (let i = 0; i < wrongKeysMax; i++) one?.guesses.failed('192.0.2.1')
  t.equal(two?.guesses.isSpent('192.0.2.1'), false)
  one?.settled.settle()
  t.equal(two?.guesses.isSpent('192.0.2.1'), true)
  t.equal(two?.guesses.isSpent('192.0.2.2'), false)
})
