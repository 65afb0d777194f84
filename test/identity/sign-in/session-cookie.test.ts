// The sealed cookie of a session against the fixtures: what was sealed opens, and whatever else
// opens nothing, without a word on why.

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { makeSessionKeys, SessionSeal } from '../../../src/identity/sign-in/session-cookie.js'
import { readSessionKeys } from '../../../src/identity/sign-in/session-keys.js'
import { fixedRandom } from '../../support/gateway.js'
import { runs } from '../../support/runs.js'

const golden = JSON.parse(readFileSync('protocol-fixtures/keys/cookies.json', 'utf8')) as {
  readonly sessionKeys: string
  readonly nowMs: number
  readonly content: { readonly sid: string; readonly addr: string; readonly exp: number }
  readonly csrf: string
  readonly good: Readonly<Record<string, string>>
  readonly refused: Readonly<Record<string, string>>
}
const { sessionKeys, nowMs, content, good, refused } = golden
const random = fixedRandom(1)
const seal = new SessionSeal(sessionKeys, random)

t.test('what was sealed by a key in force opens', async (t) => {
  t.strictSame(seal.open(good.sealed ?? '', nowMs), { ...content, kid: 'k2' })
  t.strictSame(seal.open(good.sealedByOlderKey ?? '', nowMs), { ...content, kid: 'k1' })
})

t.test('anything else opens nothing', async (t) => {
  for (const [name, cookie] of Object.entries(refused)) {
    t.equal(seal.open(cookie, nowMs), undefined, name)
  }
})

t.test('a cookie is over after 24 hours, to the millisecond', async (t) => {
  const cookie = seal.seal({ sid: content.sid }, nowMs)
  t.ok(seal.open(cookie, nowMs + 24 * 3_600_000 - 1))
  t.equal(seal.open(cookie, nowMs + 24 * 3_600_000), undefined)
})

t.test('the same content is never sealed to the same text', async (t) => {
  t.not(seal.seal({ sid: content.sid }, nowMs), seal.seal({ sid: content.sid }, nowMs))
})

t.test('no changed character opens anything', async () => {
  const cookie = good.sealed ?? ''
  const characters = fc.constantFrom(...'Aaz09-_.=+/ ;k2')
  fc.assert(
    fc.property(fc.nat(cookie.length - 1), characters, (at, character) => {
      const changed = cookie.slice(0, at) + character + cookie.slice(at + 1)
      return changed === cookie || seal.open(changed, nowMs) === undefined
    }),
    { numRuns: runs(300) },
  )
})

t.test('the CSRF token is the session’s, made by the key that sealed it', async (t) => {
  const opened = seal.open(good.sealed ?? '', nowMs)
  const older = seal.open(good.sealedByOlderKey ?? '', nowMs)
  if (opened === undefined || older === undefined) throw new Error('fixtures do not open')
  t.equal(seal.csrfToken(content), golden.csrf)
  t.match(golden.csrf, /^[A-Za-z0-9_-]{43}$/)
  t.ok(seal.csrfMatches(opened, golden.csrf))
  t.notOk(seal.csrfMatches(older, golden.csrf), 'of another key')
  t.notOk(seal.csrfMatches({ ...opened, sid: 'another' }, golden.csrf), 'of another session')
  t.notOk(seal.csrfMatches(opened, ''))
  t.notOk(seal.csrfMatches(opened, `${golden.csrf.slice(0, -1)}é`))
})

t.test(
  'SESSION_KEYS is named keys of 32 bytes, and its refusal does not repeat them',
  async (t) => {
    const hex = 'ab'.repeat(32)
    const wanted = { message: /^SESSION_KEYS must be <name>:<64 hexadecimal digits>[^:]*$/ }
    for (const text of ['', 'k1', `:${hex}`, `k1:${hex}0`, `k1:${hex},k1:${hex}`, `a b:${hex}`]) {
      t.throws(() => new SessionSeal(text, random), wanted, text)
    }
    t.ok(new SessionSeal(` k1:${hex} , k2:${hex.toUpperCase()}`, random))
  },
)

t.test('without the setting a key is made once, in a file of the owner alone', async (t) => {
  const folder = t.testdir()
  const made = readSessionKeys({ setting: undefined, folder, random })
  t.match(made, /^k1:[0-9a-f]{64}$/)
  t.equal(statSync(join(folder, 'session-keys')).mode & 0o777, 0o600)
  t.equal(readSessionKeys({ setting: undefined, folder, random }), made, 'the next start reads it')
  t.equal(readSessionKeys({ setting: 'k9:00', folder, random }), 'k9:00', 'the setting decides')
  t.not(readSessionKeys({ setting: undefined, folder: undefined, random }), made)
  writeFileSync(join(folder, 'session-keys'), 'broken')
  const damaged = { message: /session-keys: is damaged: remove it/ }
  t.throws(() => readSessionKeys({ setting: undefined, folder, random }), damaged)
  writeFileSync(join(folder, 'session-keys'), '')
  t.match(readSessionKeys({ setting: undefined, folder, random }), /^k1:/, 'an empty one is made')
  t.throws(() => readSessionKeys({ setting: undefined, folder: join(folder, 'none'), random }), {
    message: /session-keys: Error: ENOENT|session-keys: ENOENT/,
  })
  t.ok(new SessionSeal(makeSessionKeys(random), random))
})
