// One connection's login: the conversation and its misuse, its deadline, PLAIN and second logins.

import t from 'tap'
import { textOf, utf8 } from '../../src/base/bytes.js'
import { systemRandom } from '../../src/base/clock.js'
import { conversationMsMax } from '../../src/base/limits.js'
import { anonymous, operator } from '../../src/identity/identity.js'
import { type Credentials, Login, requireSameUser } from '../../src/identity/login.js'
import { decoyVerifier, makeVerifier } from '../../src/protocol/scram/verifier.js'
import { clientFinal } from '../support/wire-client.js'

const verifier = makeVerifier('secret', Uint8Array.of(1, 2, 3), 4096)
const credentials: Credentials = {
  account: (user) =>
    user === 'operator'
      ? { verifier, identity: operator }
      : { verifier: decoyVerifier(Uint8Array.of(7), user, 4096), identity: undefined },
  identityOf: (user, key) => (user === 'operator' && key === 'secret' ? operator : undefined),
}

function openLogin(allowsPlain = true) {
  const time = { ms: 0 }
  const clock = { now: () => time.ms, elapsed: () => time.ms }
  const login = new Login({
    ...{ credentials, clock, random: systemRandom, allowsPlain },
    initial: anonymous,
  })
  return { login, time }
}

function begin(login: Login, user = 'operator', password = 'secret', skipEmptyExchange = true) {
  const bare = `n=${user},r=abc`
  const payload = utf8(`n,,${bare}`)
  const step = login.start({ mechanism: 'SCRAM-SHA-256', payload, skipEmptyExchange })
  return utf8(clientFinal(bare, textOf(step.payload), password))
}

t.test('the right password gives the identity, with or without the empty round', async (t) => {
  const { login } = openLogin()
  t.equal(login.continue(1, begin(login)).identity, operator)
  const final = begin(login, 'operator', 'secret', false)
  t.equal(login.continue(1, final).identity, undefined)
  t.equal(login.continue(1, new Uint8Array(0)).identity, operator)
})

t.test('wrong password and unknown user cannot be told apart', async (t) => {
  const { login } = openLogin()
  const failure = { code: 18, message: 'Authentication failed.' }
  t.throws(() => login.continue(1, begin(login, 'operator', 'wrong')), failure)
  t.throws(() => login.continue(1, begin(login, 'nobody', 'secret')), failure)
})

t.test('misuse of the conversation is 17 and ends it', async (t) => {
  const { login } = openLogin()
  const missing = { code: 17, message: 'No SASL session state found' }
  t.throws(() => login.continue(1, new Uint8Array(0)), missing)
  const final = begin(login)
  t.throws(() => login.continue(2, final), { code: 17 })
  t.throws(() => login.continue(1, final), missing)
  const again = begin(login)
  login.continue(1, again)
  t.throws(() => login.continue(1, again), missing)
  const abandoned = begin(login)
  begin(login)
  t.throws(() => login.continue(1, abandoned), { code: 18 })
  begin(login)
  login.reset()
  t.throws(() => login.continue(1, final), missing)
})

t.test('a login that takes too long fails', async (t) => {
  const { login, time } = openLogin()
  const inTime = begin(login)
  time.ms += conversationMsMax
  t.equal(login.continue(1, inTime).identity, operator)
  const late = begin(login)
  time.ms += conversationMsMax + 1
  t.throws(() => login.continue(1, late), { code: 18 })
})

t.test('PLAIN needs a line that nobody else hears', async (t) => {
  const start = (text: string) => ({
    mechanism: 'PLAIN',
    payload: utf8(text),
    skipEmptyExchange: false,
  })
  const { login } = openLogin()
  t.equal(login.start(start('\0operator\0secret')).identity, operator)
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
