// The operator's key over every store: made once, replaced by the setting, renewed, never kept.

import t, { type Test } from 'tap'
import { utf8 } from '../../../src/base/bytes/bytes.js'
import { systemRandom } from '../../../src/base/clock.js'
import { OperatorKey } from '../../../src/identity/keys/operator.js'
import { makeVerifier } from '../../../src/protocol/scram/verifier.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Store } from '../../../src/store/store.js'
import { eachStore } from '../../support/stores.js'

const random = systemRandom
const apiKey = 'a key of the operator’s own choice'

/** Everything that the catalog class holds, as text. */
async function stored(store: Store): Promise<string> {
  const range = { start: Uint8Array.of(keyClass.catalog), end: Uint8Array.of(keyClass.catalog + 1) }
  const entries = await store.read(function* (tx) {
    return yield* tx.scan(range, 100)
  })
  return entries.map(({ value }) => Buffer.from(value).toString('latin1')).join('')
}

function sameKey(t: Test, a: OperatorKey, b: OperatorKey): void {
  t.same(a.verifier, b.verifier)
  t.same(a.account('unknown'), b.account('unknown'))
}

eachStore(t, 'the first start makes a key and later ones keep it', async (t, { store }) => {
  const first = await OperatorKey.open(store, { random })
  const made = first.made ?? ''
  t.match(made, /^svc_op_[0-9a-f]{64}$/)
  t.equal(first.key.matches(made), true)
  t.equal(first.key.matches(`${made} `), false)
  t.equal(first.key.matches(''), false)
  t.notOk((await stored(store)).includes(made))
  const second = await OperatorKey.open(store, { random })
  t.equal(second.made, undefined)
  t.equal(second.key.matches(made), true)
  sameKey(t, first.key, second.key)
})

eachStore(t, 'API_KEY replaces the key, and stays when the setting goes', async (t, { store }) => {
  const { key: before, made = '' } = await OperatorKey.open(store, { random })
  const given = await OperatorKey.open(store, { random, apiKey })
  t.equal(given.made, undefined)
  t.same([given.key.matches(apiKey), given.key.matches(made)], [true, false])
  t.notOk((await stored(store)).includes(Buffer.from(utf8(apiKey)).toString('latin1')))
  const { salt, iterations } = given.key.verifier
  t.same(given.key.verifier, makeVerifier(apiKey, salt, iterations))
  // The same key again is not derived again: its salt would be another.
  sameKey(t, given.key, (await OperatorKey.open(store, { random, apiKey })).key)
  const later = await OperatorKey.open(store, { random })
  t.equal(later.key.matches(apiKey), true)
  t.same(later.key.account('unknown'), before.account('unknown'))
})

eachStore(t, 'a renewed key takes the place of the old one', async (t, { store }) => {
  const { key, made = '' } = await OperatorKey.open(store, { random })
  const decoy = key.account('unknown')
  const next = await key.renew(store, random)
  t.match(next, /^svc_op_[0-9a-f]{64}$/)
  t.same([key.matches(next), key.matches(made)], [true, false])
  t.same(key.account('unknown'), decoy)
  const reopened = await OperatorKey.open(store, { random })
  t.equal(reopened.key.matches(next), true)
})

eachStore(
  t,
  'who knows the key is the operator, under that name alone',
  async (t, { store }) => {
    const { key } = await OperatorKey.open(store, { random, apiKey })
    t.same(key.identityOf('operator', apiKey), { kind: 'operator' })
    for (const [user, password] of [
      ['Operator', apiKey],
      ['operator', `${apiKey}.`],
      ['', apiKey],
    ] as const) {
      t.equal(key.identityOf(user, password), undefined)
    }
    t.same(key.account('operator').identity, { kind: 'operator' })
    const unknown = key.account('operators')
    t.equal(unknown.identity, undefined)
    t.equal(unknown.verifier.salt.length, key.verifier.salt.length)
    t.equal(unknown.verifier.iterations, key.verifier.iterations)
  },
  { kinds: ['memory'] },
)

eachStore(
  t,
  'an API_KEY that no SCRAM client could send is refused',
  async (t, { store }) => {
    await t.rejects(OperatorKey.open(store, { random, apiKey: 'tab\there' }), {
      code: 72,
      message: /^API_KEY: /,
    })
  },
  { kinds: ['memory'] },
)
