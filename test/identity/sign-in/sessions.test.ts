// Rows of sessions and nonces: who may use them, for how long, and that nothing is left of them.

import t from 'tap'
import { silentLog } from '../../../src/base/log.js'
import { issueNonce, makeNonce, takeNonce } from '../../../src/identity/sign-in/nonces.js'
import {
  endSession,
  endSessionsOf,
  makeSid,
  readSession,
  SessionSweeper,
  startSession,
} from '../../../src/identity/sign-in/sessions.js'
import { keyClass } from '../../../src/store/layout.js'
import type { Store } from '../../../src/store/store.js'
import { fixedRandom } from '../../support/gateway.js'
import { eachStore } from '../../support/stores.js'

const alice = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const bob = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const day = 24 * 3_600_000
const random = fixedRandom(7)

/** Rows of the identity class that are left. */
async function rowsOf(store: Store): Promise<number> {
  const range = {
    start: Uint8Array.of(keyClass.identity),
    end: Uint8Array.of(keyClass.identity + 1),
  }
  const rows = await store.read(function* (tx) {
    return yield* tx.scan(range, 1_000)
  })
  return rows.length
}

eachStore(t, 'a session is what was begun, until it is ended', async (t, { store }) => {
  const sid = makeSid(random)
  t.match(sid, /^[A-Za-z0-9_-]{22}$/)
  await store.write((tx) => startSession(tx, sid, { address: alice, chainId: 31337, now: 5 }))
  const wanted = { address: alice, chainId: 31337, expires: 5 + day }
  t.match(await store.read((tx) => readSession(tx, sid)), wanted)
  t.equal(await store.read((tx) => readSession(tx, makeSid(random))), undefined)
  await store.write((tx) => endSession(tx, sid))
  await store.write((tx) => endSession(tx, sid))
  t.equal(await store.read((tx) => readSession(tx, sid)), undefined)
  t.equal(await rowsOf(store), 0, 'nothing is left of it')
})

eachStore(t, 'all sessions of a wallet end at once, and later ones stand', async (t, { store }) => {
  const begin = async (address: string) => {
    const sid = makeSid(random)
    await store.write((tx) => startSession(tx, sid, { address, chainId: 1, now: 0 }))
    return sid
  }
  const [one, two, other] = [await begin(alice), await begin(alice), await begin(bob)]
  await store.write((tx) => endSessionsOf(tx, alice))
  t.equal(await store.read((tx) => readSession(tx, one)), undefined)
  t.equal(await store.read((tx) => readSession(tx, two)), undefined)
  t.ok(await store.read((tx) => readSession(tx, other)))
  const later = await begin(alice)
  t.ok(await store.read((tx) => readSession(tx, later)))
})

t.test('a nonce is 22 letters and digits', async (t) => {
  const seen = new Set<string>()
  for (let i = 0; i < 200; i++) {
    const nonce = makeNonce(random)
    t.match(nonce, /^[0-9A-Za-z]{22}$/)
    for (const digit of nonce) seen.add(digit)
  }
  t.equal(seen.size, 62, 'every letter and digit comes')
})

eachStore(
  t,
  'a nonce is good once, for its browser, its address and five minutes',
  async (t, { store }) => {
    const sid = makeSid(random)
    const issue = async () => {
      const nonce = makeNonce(random)
      await store.write((tx) => issueNonce(tx, { sid, nonce, address: alice, now: 0 }))
      return nonce
    }
    const take = (nonce: string, change = {}) =>
      store.write((tx) => takeNonce(tx, { sid, nonce, address: alice, now: 1, ...change }))
    const nonce = await issue()
    t.equal(await take(nonce, { sid: makeSid(random) }), false, 'of another browser')
    t.equal(await take(nonce), true)
    t.equal(await take(nonce), false, 'used')
    const wrong = await issue()
    t.equal(await take(wrong, { address: bob }), false, 'for another address')
    t.equal(await take(wrong), false, 'and gone with that')
    const late = await issue()
    t.equal(await take(late, { now: 5 * 60_000 }), false, 'over')
    const last = await issue()
    t.equal(await take(last, { now: 5 * 60_000 - 1 }), true)
    t.equal(await rowsOf(store), 0, 'nothing is left of them')
  },
)

eachStore(
  t,
  'a browser holds five nonces: a sixth takes the place of the oldest',
  async (t, { store }) => {
    const sid = makeSid(random)
    const nonces: string[] = []
    for (let now = 0; now < 7; now++) {
      const nonce = makeNonce(random)
      nonces.push(nonce)
      await store.write((tx) => issueNonce(tx, { sid, nonce, address: alice, now }))
    }
    const good: boolean[] = []
    for (const nonce of nonces) {
      good.push(await store.write((tx) => takeNonce(tx, { sid, nonce, address: alice, now: 10 })))
    }
    t.strictSame(good, [false, false, true, true, true, true, true])
  },
)

eachStore(t, 'of many at once, one has the nonce', async (t, { store }) => {
  const [sid, nonce] = [makeSid(random), makeNonce(random)]
  await store.write((tx) => issueNonce(tx, { sid, nonce, address: alice, now: 0 }))
  const takes = Array.from({ length: 20 }, () =>
    store.write((tx) => takeNonce(tx, { sid, nonce, address: alice, now: 1 })),
  )
  t.equal((await Promise.all(takes)).filter(Boolean).length, 1)
})

eachStore(t, 'what is over is swept, what lives is not', async (t, { store }) => {
  let now = 0
  const clock = { now: () => now, elapsed: () => now }
  const sweeper = new SessionSweeper({ store, clock, log: silentLog })
  const sid = makeSid(random)
  await store.write((tx) => startSession(tx, sid, { address: alice, chainId: 1, now: 1 }))
  for (let i = 0; i < 450; i++) {
    const use = { sid: makeSid(random), nonce: makeNonce(random), address: alice, now: 0 }
    await store.write((tx) => issueNonce(tx, use))
  }
  await sweeper.sweep()
  t.equal(await rowsOf(store), 902)
  now = 5 * 60_000
  await sweeper.sweep()
  t.equal(await rowsOf(store), 2, 'the session is left')
  now = day
  await sweeper.sweep()
  t.ok(await store.read((tx) => readSession(tx, sid)))
  now = day + 1
  await sweeper.sweep()
  t.equal(await rowsOf(store), 0)
})
