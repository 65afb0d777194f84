// One connection's login: the conversation and its misuse, its deadline, PLAIN and second logins.

import t from 'tap'
import { textOf, utf8 } from '../../../src/base/bytes/bytes.js'
import { systemRandom } from '../../../src/base/clock.js'
import {
  conversationMsMax,
  loginDelayMs,
  loginFailuresFreeOfAccount,
} from '../../../src/base/limits/identity.js'
import { anonymous, operator } from '../../../src/identity/identity.js'
import { type Credentials, Login, requireSameUser } from '../../../src/identity/sign-in/login.js'
import { LoginDelay } from '../../../src/identity/sign-in/login-delay.js'
import { decoyVerifier, makeVerifier } from '../../../src/protocol/scram/verifier.js'
import { clientFinal } from '../../support/wire-client.js'

const verifier = makeVerifier('secret', Uint8Array.of(1, 2, 3), 4096)
const credentials: Credentials = {
  account: (user) =>
    user === 'operator'
      ? { verifier, identity: operator }
      : { verifier: decoyVerifier(Uint8Array.of(7), user, 4096), identity: undefined },
  identityOf: (user, key) => (user === 'operator' && key === 'secret' ? operator : undefined),
  identify: (key) => (key === 'secret' ? operator : undefined),
}

function openLogin(allowsPlain = true, more: Partial<Credentials> = {}) {
  const time = { ms: 0 }
  const clock = { now: () => time.ms, elapsed: () => time.ms }
  const login = new Login({
    ...{ credentials: { ...credentials, ...more }, clock, random: systemRandom, allowsPlain },
    initial: anonymous,
    address: '192.0.2.1',
  })
  return { login, time }
}

async function begin(
  login: Login,
  user = 'operator',
  password = 'secret',
  skipEmptyExchange = true,
) {
  const bare = `n=${user},r=abc`
  const payload = utf8(`n,,${bare}`)
  const step = await login.start({ mechanism: 'SCRAM-SHA-256', payload, skipEmptyExchange })
  return utf8(clientFinal(bare, textOf(step.payload), password))
}

t.test('the right password gives the identity, with or without the empty round', async (t) => {
  const { login } = openLogin()
  t.equal((await login.continue(1, await begin(login))).identity, operator)
  const final = await begin(login, 'operator', 'secret', false)
  t.equal((await login.continue(1, final)).identity, undefined)
  t.equal((await login.continue(1, new Uint8Array(0))).identity, operator)
})

t.test('wrong password and unknown user cannot be told apart', async (t) => {
  const { login } = openLogin()
  const failure = { code: 18, message: 'Authentication failed.' }
  for (const [user, password] of [
    ['operator', 'wrong'],
    ['unknown', 'secret'],
  ]) {
    const final = await begin(login, user, password)
    t.throws(() => login.continue(1, final), failure)
  }
})

t.test('misuse of the conversation is 17 and ends it', async (t) => {
  const { login } = openLogin()
  const missing = { code: 17, message: 'No SASL session state found' }
  t.throws(() => login.continue(1, new Uint8Array(0)), missing)
  const final = await begin(login)
  t.throws(() => login.continue(2, final), { code: 17 })
  t.throws(() => login.continue(1, final), missing)
  const again = await begin(login)
  login.continue(1, again)
  t.throws(() => login.continue(1, again), missing)
  const abandoned = await begin(login)
  await begin(login)
  t.throws(() => login.continue(1, abandoned), { code: 18 })
  await begin(login)
  login.reset()
  t.throws(() => login.continue(1, final), missing)
})

t.test('a login that takes too long fails', async (t) => {
  const { login, time } = openLogin()
  const inTime = await begin(login)
  time.ms += conversationMsMax
  t.equal((await login.continue(1, inTime)).identity, operator)
  const late = await begin(login)
  time.ms += conversationMsMax + 1
  t.throws(() => login.continue(1, late), { code: 18 })
})

t.test('PLAIN needs TLS or loopback', async (t) => {
  const start = (text: string) => ({
    mechanism: 'PLAIN',
    payload: utf8(text),
    skipEmptyExchange: false,
  })
  const { login } = openLogin()
  t.equal((await login.start(start('\0operator\0secret'))).identity, operator)
  t.throws(() => login.start(start('\0operator\0wrong')), { code: 18 })
  t.throws(() => login.start(start('\0other\0secret')), { code: 18 })
  t.throws(() => openLogin(false).login.start(start('\0operator\0secret')), { code: 334 })
})

t.test('an unknown mechanism is 334', async (t) => {
  const start = { mechanism: 'SCRAM-SHA-1', payload: utf8('n,,n=a,r=b'), skipEmptyExchange: true }
  t.throws(() => openLogin().login.start(start), { code: 334 })
})

t.test('a connection may sign in again as the same user only', async (t) => {
  t.doesNotThrow(() => requireSameUser(anonymous, anonymous, operator))
  t.doesNotThrow(() => requireSameUser(operator, anonymous, operator))
  t.doesNotThrow(() => requireSameUser(operator, operator, operator))
  t.throws(() => requireSameUser(operator, anonymous, anonymous), { code: 13 })
})

t.test('a failed login is answered when its address has waited, a right one at once', async (t) => {
  const waits: number[] = []
  const clock = { now: () => 0, elapsed: () => 0 }
  const delay = new LoginDelay({ clock, sleep: async (ms) => waits.push(ms) })
  const { login } = openLogin(true, { delay })
  const failed = { code: 18 }
  const wrong = { mechanism: 'PLAIN', payload: utf8('\0operator\0wrong'), skipEmptyExchange: true }
  for (let i = 0; i < loginFailuresFreeOfAccount; i++) {
    const final = await begin(login, 'operator', 'wrong')
    t.throws(() => login.continue(1, final), failed)
  }
  const final = await begin(login, 'operator', 'wrong')
  await t.rejects(async () => login.continue(1, final), failed)
  await t.rejects(async () => login.start(wrong), failed)
  t.same(waits, [loginDelayMs, 2 * loginDelayMs])
  t.equal((await login.continue(1, await begin(login))).identity, operator)
  t.throws(() => login.start(wrong), failed, 'and has the account forgiven')
  t.equal(waits.length, 2)
})
