// Limits over several gateways: what one has counted is missing at the others a second later.

import t from 'tap'
import { loginDelayMs, wrongKeysMax } from '../../../src/base/limits/identity.js'
import { HomeLimit } from '../../../src/bus/spaces/home-limit.js'
import type { Identity } from '../../../src/identity/identity.js'
import { KeyGuesses } from '../../../src/identity/keys/key-guesses.js'
import { KeyLimit } from '../../../src/identity/keys/key-limit.js'
import { SettledCounts } from '../../../src/identity/keys/settled-counts.js'
import { LoginDelay } from '../../../src/identity/sign-in/login-delay.js'
import { RequestWindows } from '../../../src/listeners/http/core/request-limit.js'
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

function openSettled(): readonly [SettledCounts, SettledCounts] {
  const [one, two] = TestExchange.open(2).map((exchange) => new SettledCounts(exchange))
  if (one === undefined || two === undefined) throw new Error('there are two')
  t.teardown(() => {
    for (const settled of [one, two]) settled.close()
  })
  return [one, two]
}

t.test('requests of an address', async (t) => {
  const time = { ms: 0 }
  const moving = { now: () => time.ms, elapsed: () => time.ms }
  const settled = openSettled()
  const open = (counts: SettledCounts) => {
    const settling = { settled: counts, kind: 'http address' }
    return new RequestWindows(moving, { max: 5, windowMs: 10_000 }, 100, settling)
  }
  const [one, two] = [open(settled[0]), open(settled[1])]
  const left = (windows: RequestWindows, name = 'a') => windows.take(name).remaining
  for (let i = 0; i < 3; i++) one.take('a')
  settled[0].settle()
  t.equal(left(two), 1, 'four of five')
  t.equal(left(two, 'b'), 4, 'another address')
  settled[1].settle()
  t.equal(left(one), 0)
  for (let i = 0; i < 100; i++) t.ok(left(one) < 0)
  settled[0].settle()
  time.ms = 9_999
  t.equal(left(two), -1)
  time.ms = 10_000
  t.equal(left(one), 4, 'a flood that is refused counts for no later window')
  t.equal(left(two), 4)
})

t.test('delays after failed logins', async (t) => {
  const settled = openSettled()
  const open = (counts: SettledCounts) => {
    const waits: number[] = []
    const delay = new LoginDelay({ clock, settled: counts, sleep: async (ms) => waits.push(ms) })
    /** What the failure waits. */
    const fail = (account = 'a', address = '192.0.2.1') => {
      const before = waits.length
      delay.failed(address, account)
      return waits[before] ?? 0
    }
    return { delay, fail }
  }
  const [one, two] = [open(settled[0]), open(settled[1])]
  for (let i = 0; i < 3; i++) t.equal(one.fail(), 0)
  settled[0].settle()
  t.equal(two.fail(), loginDelayMs, 'the fourth failure')
  t.equal(two.fail('a', '192.0.2.2'), 0, 'from elsewhere')
  settled[1].settle()
  t.equal(one.fail(), 2 * loginDelayMs)
  one.delay.succeeded('192.0.2.1', 'a')
  settled[0].settle()
  t.equal(two.fail(), 0, 'a success clears the account everywhere')
  for (let i = 0; i < 14; i++) t.equal(one.fail(`${i}`), 0)
  settled[0].settle()
  t.equal(two.fail('b'), loginDelayMs, 'the address is at its twenty-first')
})

t.test('homes of an address', async (t) => {
  const settled = openSettled()
  const [one, two] = settled.map(
    (counts) => new HomeLimit(clock, { all: 0, perAddress: 2 }, counts),
  )
  const undo = one?.make('w_a', 0, '192.0.2.1')
  one?.make('w_b', 0, '192.0.2.1')
  settled[0].settle()
  const refused = { code: 8000 }
  t.throws(() => two?.make('w_c', 0, '192.0.2.1'), refused)
  t.doesNotThrow(() => two?.make('w_b', 0, '192.0.2.1'), 'the same home')
  t.doesNotThrow(() => two?.make('w_c', 0, '192.0.2.2'), 'another address')
  undo?.()
  settled[0].settle()
  t.doesNotThrow(() => two?.make('w_c', 0, '192.0.2.1'), 'a home that was not made after all')
})
