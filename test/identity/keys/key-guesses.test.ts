// Wrong keys of an address and minute: how many are looked at, and whom that concerns.

import t from 'tap'
import { wrongKeysMax, wrongKeysMs } from '../../../src/base/limits/identity.js'
import { KeyGuesses } from '../../../src/identity/keys/key-guesses.js'

function openGuesses() {
  const time = { ms: 0 }
  const guesses = new KeyGuesses({ now: () => 0, elapsed: () => time.ms })
  const fail = (address: string, times: number): void => {
    for (let i = 0; i < times; i++) guesses.failed(address)
  }
  return { guesses, fail, time }
}

t.test('an address has so many wrong keys a minute, and then waits for its end', async (t) => {
  const { guesses, fail, time } = openGuesses()
  fail('192.0.2.1', wrongKeysMax - 1)
  t.notOk(guesses.isSpent('192.0.2.1'))
  time.ms = 20_000
  fail('192.0.2.1', 1)
  t.ok(guesses.isSpent('192.0.2.1'))
  t.match(guesses.refusal('192.0.2.1'), { code: 462, httpStatus: 429, extra: { retryAfter: 40 } })
  time.ms = wrongKeysMs - 1
  t.ok(guesses.isSpent('192.0.2.1'))
  t.match(guesses.refusal('192.0.2.1'), { extra: { retryAfter: 1 } })
  time.ms = wrongKeysMs
  t.notOk(guesses.isSpent('192.0.2.1'), 'the minute is over')
  fail('192.0.2.1', wrongKeysMax)
  t.ok(guesses.isSpent('192.0.2.1'), 'and the next one counts from nothing')
})

t.test('other addresses are not touched, and an IPv6 network is one', async (t) => {
  const { guesses, fail } = openGuesses()
  fail('192.0.2.1', wrongKeysMax)
  t.notOk(guesses.isSpent('192.0.2.2'))
  for (let i = 0; i < wrongKeysMax; i++) guesses.failed(`2001:db8::${i}`)
  t.ok(guesses.isSpent('2001:db8::ffff'))
  t.notOk(guesses.isSpent('2001:db8:0:1::1'))
  fail('::ffff:192.0.2.3', wrongKeysMax)
  t.ok(guesses.isSpent('192.0.2.3'), 'an IPv4 address by its two names')
})
