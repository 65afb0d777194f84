// Failed logins wait longer and longer, by address and by address with account; others are not
// touched, and no attacker can lock an account.

import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import {
  loginDelayMs,
  loginDelayMsMax,
  loginFailuresFreeOfAccount,
  loginFailuresFreeOfAddress,
  loginFailuresMs,
} from '../../../src/base/limits/identity.js'
import { LoginDelay } from '../../../src/identity/sign-in/login-delay.js'

function openDelay() {
  const waits: number[] = []
  const time = { ms: 0 }
  const delay = new LoginDelay({
    clock: { now: () => time.ms, elapsed: () => time.ms },
    sleep: async (ms) => waits.push(ms),
  })
  /** What each of that many failures waits. */
  const fail = (times: number, address = '192.0.2.1', account = 'a'): number[] =>
    Array.from({ length: times }, () => {
      const before = waits.length
      delay.failed(address, account)
      return waits[before] ?? 0
    })
  return { delay, fail, time }
}

t.test(
  'of one account, the first failures are free and then each waits twice as long',
  async (t) => {
    const { fail } = openDelay()
    t.same(fail(loginFailuresFreeOfAccount), Array(loginFailuresFreeOfAccount).fill(0))
    t.same(fail(3), [loginDelayMs, 2 * loginDelayMs, 4 * loginDelayMs])
    t.equal(fail(60).at(-1), loginDelayMsMax)
  },
)

t.test('the same account from elsewhere waits for nothing', async (t) => {
  const { fail } = openDelay()
  fail(50)
  t.same(fail(1, '192.0.2.2'), [0])
})

t.test('an address that tries one account after the other waits too', async (t) => {
  const { fail } = openDelay()
  for (let i = 0; i < loginFailuresFreeOfAddress; i++) t.same(fail(1, '192.0.2.1', `${i}`), [0])
  t.same(fail(1, '192.0.2.1', 'another'), [loginDelayMs])
  t.same(fail(1, '192.0.2.2', 'another'), [0])
})

t.test('addresses of one IPv6 network are one', async (t) => {
  const { fail } = openDelay()
  for (let i = 0; i < loginFailuresFreeOfAddress; i++) fail(1, `2001:db8::${i}`, `${i}`)
  t.same(fail(1, '2001:db8::ffff', 'another'), [loginDelayMs])
})

t.test('a success clears the account at that address, not the address', async (t) => {
  const { fail, delay } = openDelay()
  fail(loginFailuresFreeOfAccount + 1)
  delay.succeeded('192.0.2.1', 'a')
  t.same(fail(1), [0])
  fail(loginFailuresFreeOfAddress)
  delay.succeeded('192.0.2.1', 'a')
  t.not(fail(1)[0], 0)
})

t.test('failures are forgotten when none has come for long', async (t) => {
  const { fail, time } = openDelay()
  fail(10)
  time.ms += loginFailuresMs
  t.same(fail(1), [0])
})

t.test('a server that stops answers waiting logins', async (t) => {
  const delay = new LoginDelay({ clock: { now: () => 0, elapsed: () => 0 } })
  for (let i = 0; i < 60; i++) delay.failed('192.0.2.1', 'a')
  const waiting = delay.failed('192.0.2.1', 'a')
  delay.close()
  t.equal(await waiting, undefined)
  t.equal(await delay.failed('192.0.2.1', 'a'), undefined, 'nor a late one')
})

t.test('however many wait, none is taken for a leak', async (t) => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const delay = new LoginDelay({ clock: { now: () => 0, elapsed: () => 0 } })
  const waits = Array.from({ length: 50 }, () => delay.failed('192.0.2.1', 'a'))
  delay.close()
  await Promise.all(waits)
  await nextTurn()
  t.same(warnings, [])
})
