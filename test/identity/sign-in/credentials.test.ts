// User names and what they mean, decoys that look like accounts, and keys as passwords.

import t, { type Test } from 'tap'
import { systemClock, systemRandom } from '../../../src/base/clock.js'
import { Bearer } from '../../../src/identity/keys/bearer.js'
import {
  hexOf,
  issuedSalt,
  keyVerifier,
  onChainSalt,
  walletSalt,
} from '../../../src/identity/keys/key-derivation.js'
import { KeyGuesses } from '../../../src/identity/keys/key-guesses.js'
import { OperatorKey } from '../../../src/identity/keys/operator.js'
import {
  endWalletKey,
  putWalletKey,
  type WalletKey,
} from '../../../src/identity/keys/wallet-keys.js'
import {
  parseWalletName,
  SigilCredentials,
  userNameOf,
} from '../../../src/identity/sign-in/credentials.js'
import { LoginDelay } from '../../../src/identity/sign-in/login-delay.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { testKey } from '../../support/gateway.js'
import { RegistryModel } from '../../support/registry-model.js'
import { derivedKey, materialOf, testWallet } from '../../support/wallet.js'

const wallet = testWallet('user')
const { address } = wallet
const otherWallet = testWallet('otherWallet').address

async function openRoom(t: Test) {
  const store = openMemoryStore()
  t.teardown(() => store.close())
  const registry = new RegistryModel()
  const { key: operator } = await OperatorKey.open(store, { random: systemRandom, apiKey: testKey })
  const bearer = new Bearer({ store, registry, mode: 'live' })
  const delay = new LoginDelay({ clock: systemClock })
  const guesses = new KeyGuesses(systemClock)
  const parts = { operator, bearer, registry, store, mode: 'live', delay, guesses } as const
  const credentials = new SigilCredentials(parts)
  const issue = async (
    index: number,
    hasCommonSalt = true,
  ): Promise<WalletKey & { readonly apiKey: string }> => {
    const { apiKey, hash } = await derivedKey(wallet, 100 + index)
    const { storedKey, serverKey } = await keyVerifier(apiKey, issuedSalt(address, index))
    const isOwn = index > 0 && hasCommonSalt
    const byWallet = isOwn ? await keyVerifier(apiKey, walletSalt(address)) : undefined
    const row: WalletKey = {
      byWallet,
      ...{ hash, source: 'issued', address, index, label: '', prefix: '', rateLimit: 0 },
      ...{ permissions: ['read'], createdAt: 1, revokedAt: 0, storedKey, serverKey },
    }
    await store.write(function* (tx) {
      putWalletKey(tx, row)
    })
    return { ...row, apiKey }
  }
  return { credentials, registry, store, issue }
}

t.test('a user name is a wallet, or a wallet and one of its keys', async (t) => {
  t.same(parseWalletName(address.toLowerCase()), { address, key: undefined })
  t.same(parseWalletName(`${address}:7`), { address, key: { source: 'onchain', index: 7 } })
  t.same(parseWalletName(`${address}:s0`), { address, key: { source: 'issued', index: 0 } })
  const flipped = address.replace(/[a-f]/i, (digit) =>
    digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase(),
  )
  for (const bad of [
    ...[
      '',
      'operator',
      'default',
      address.slice(2),
      `${address}:`,
      `${address}:01`,
      `${address}:-1`,
    ],
    ...[`${address}:s`, `${address}:S1`, `${address}:1 `, ` ${address}`, `${address}:1:2`, flipped],
    `${address}:${'9'.repeat(16)}`,
  ]) {
    t.equal(parseWalletName(bad), undefined, bad)
  }
  t.equal(userNameOf({ address, source: 'issued', index: 3 }), `${address}:s3`)
  t.equal(userNameOf({ address, source: 'onchain', index: 3 }), `${address}:3`)
})

t.test(
  'a bare wallet means its lowest active on-chain key, else its lowest issued one',
  async (t) => {
    const { credentials, registry, store, issue } = await openRoom(t)
    const indexOf = async (user = address) => (await credentials.account(user)).identity
    t.equal(await indexOf(), undefined)
    const issued = await issue(2)
    t.match(await indexOf(), { source: 'issued', index: 2, hash: issued.hash })
    for (const index of [0, 1, 2]) {
      registry.register(address, (await derivedKey(wallet, index)).material)
    }
    t.match(await indexOf(), { source: 'onchain', index: 0, permissions: ['read', 'write'] })
    registry.revoke(address, 0)
    t.match(await indexOf(), { source: 'onchain', index: 1 })
    const { hash } = await derivedKey(wallet, 1)
    const denied: WalletKey = { ...issued, hash, source: 'onchain', index: 1, revokedAt: 1 }
    await store.write(function* (tx) {
      putWalletKey(tx, denied)
    })
    t.equal(await indexOf(), undefined, 'denied here: the salt of another key would tell')
    registry.revoke(address, 1)
    t.match(await indexOf(), { source: 'onchain', index: 2 })
    t.match(await indexOf(`${address}:2`), { source: 'onchain', index: 2 })
    t.match(await indexOf(`${address}:s2`), { source: 'issued', index: 2 })
    t.equal(await indexOf(`${address}:0`), undefined, 'revoked')
    t.equal(await indexOf(`${address}:1`), undefined, 'denied')
    t.equal(await indexOf(`${address}:9`), undefined)
    registry.revoke(address, 2)
    t.match(await indexOf(), { source: 'issued', index: 2 })
    await store.write(function* (tx) {
      endWalletKey(tx, issued, 1)
    })
    t.equal(await indexOf(), undefined)
  },
)

t.test(
  'an unknown user has the salt that he would have, and a verifier that no key fits',
  async (t) => {
    const { credentials, registry } = await openRoom(t)
    for (const [user, salt] of [
      [otherWallet, walletSalt(otherWallet)],
      [otherWallet.toLowerCase(), walletSalt(otherWallet)],
      [`${otherWallet}:0`, onChainSalt(otherWallet, 0)],
      [`${otherWallet}:4`, onChainSalt(otherWallet, 4)],
      [`${otherWallet}:s4`, issuedSalt(otherWallet, 4)],
    ] as const) {
      const { verifier, identity } = await credentials.account(user)
      t.equal(identity, undefined)
      t.equal(hexOf(verifier.salt), hexOf(salt), user)
      t.equal(verifier.iterations, 4096)
      t.equal(verifier.storedKey.length, 32)
      t.same((await credentials.account(user)).verifier, verifier, 'the same every time')
    }
    const { apiKey, material } = await derivedKey(wallet, 0)
    registry.register(address, material)
    const known = await credentials.account(address)
    t.equal(hexOf(known.verifier.salt), hexOf(onChainSalt(address, 0)))
    registry.revoke(address, 0)
    const revoked = await credentials.account(`${address}:0`)
    t.equal(
      hexOf(revoked.verifier.salt),
      hexOf(known.verifier.salt),
      'a revoked key, as an unknown',
    )
    t.notSame(revoked.verifier.storedKey, known.verifier.storedKey)
    const names = ['', 'root', 'unknown', address.slice(0, -1)]
    for (const name of names) {
      const { verifier, identity } = await credentials.account(name)
      t.equal(identity, undefined)
      t.equal(verifier.salt.length, 32)
    }
    t.equal(await credentials.identityOf(address, apiKey), undefined)
  },
)

t.test('what is read of a name before a login is the same whatever the server keeps', async (t) => {
  const { credentials, registry, store, issue } = await openRoom(t)
  const seenOf = async (user: string) => {
    const { verifier } = await credentials.account(user)
    return `${hexOf(verifier.salt)} ${verifier.iterations}`
  }
  const names = [address, address.toLowerCase(), `${address}:0`, `${address}:s0`, `${address}:s1`]
  const seen = () => Promise.all(names.map(seenOf))
  const unknown = await seen()
  let key = await issue(0)
  t.same(await seen(), unknown, 'a first key of the server')
  for (const index of [1, 2]) {
    await store.write(function* (tx) {
      endWalletKey(tx, key, 1)
    })
    t.same(await seen(), unknown, 'none')
    key = await issue(index)
    t.same(await seen(), unknown, `replaced ${index} times`)
    const { identity, verifier } = await credentials.account(address)
    t.match(identity, { source: 'issued', index })
    const fits = await keyVerifier(key.apiKey, verifier.salt)
    t.same([...verifier.storedKey], [...fits.storedKey], 'and the key signs in by that name')
  }
  const { hash, material } = await derivedKey(wallet, 0)
  registry.register(address, material)
  const onChain = await seen()
  const denied: WalletKey = { ...key, hash, source: 'onchain', index: 0, revokedAt: 1 }
  await store.write(function* (tx) {
    putWalletKey(tx, denied)
  })
  t.same(await seen(), onChain, 'a key that is denied here alone')
})

t.test(
  'an issued key that is older than the common salt signs in by each of its names',
  async (t) => {
    const { credentials, issue } = await openRoom(t)
    const key = await issue(3, false)
    for (const user of [address, `${address}:s3`]) {
      const { identity, verifier } = await credentials.account(user)
      t.match(identity, { source: 'issued', index: 3 })
      const fits = await keyVerifier(key.apiKey, verifier.salt)
      t.same([...verifier.storedKey], [...fits.storedKey], user)
    }
  },
)

t.test('the operator, too, has one salt, whatever the key', async (t) => {
  const store = openMemoryStore()
  t.teardown(() => store.close())
  const { key } = await OperatorKey.open(store, { random: systemRandom })
  const before = hexOf(key.account('operator').verifier.salt)
  await key.renew(store, systemRandom)
  t.equal(hexOf(key.account('operator').verifier.salt), before)
  const { key: given } = await OperatorKey.open(store, { random: systemRandom, apiKey: testKey })
  t.equal(hexOf(given.account('operator').verifier.salt), before)
  t.not(hexOf(given.account('root').verifier.salt), before)
})

t.test('known and unknown users cost the chain the same questions', async (t) => {
  const { credentials, registry } = await openRoom(t)
  registry.register(address, (await derivedKey(wallet, 0)).material)
  const costOf = async (user: string): Promise<number> => {
    registry.questions = 0
    await credentials.account(user)
    return registry.questions
  }
  t.equal(await costOf(`${address}:0`), await costOf(`${otherWallet}:0`))
  t.ok((await costOf(address)) >= (await costOf(otherWallet)))
})

t.test('a key is a password for its own wallet alone', async (t) => {
  const { credentials, registry, issue } = await openRoom(t)
  const { apiKey, material } = await derivedKey(wallet, 0)
  registry.register(address, material)
  const issued = await issue(0)
  for (const [user, key, index] of [
    [address, apiKey, 0],
    [address.toLowerCase(), apiKey, 0],
    [`${address}:0`, apiKey, 0],
    [address, issued.apiKey, 0],
    [`${address}:s0`, issued.apiKey, 0],
  ] as const) {
    t.match(await credentials.identityOf(user, key), { kind: 'key', address, index }, user)
  }
  for (const [user, key] of [
    [otherWallet, apiKey],
    [`${address}:1`, apiKey],
    [`${address}:s0`, apiKey],
    [`${address}:0`, issued.apiKey],
    ['operator', apiKey],
    ['default', apiKey],
    [address, testKey],
    [address, 'wrong'],
  ] as const) {
    t.equal(await credentials.identityOf(user, key), undefined, `${user} ${key.slice(0, 8)}`)
  }
  t.match(await credentials.identityOf('operator', testKey), { kind: 'operator' })
  t.match(await credentials.identify(testKey), { kind: 'operator' })
  t.match(await credentials.identify(apiKey), { address })
})

t.test('a wallet without its chain is 6; its issued keys by their number go on', async (t) => {
  const { credentials, registry, issue } = await openRoom(t)
  await issue(1)
  registry.isAway = true
  for (const user of [address, `${address}:0`, otherWallet]) {
    await t.rejects(async () => credentials.account(user), { code: 6 }, user)
  }
  t.match((await credentials.account(`${address}:s1`)).identity, { source: 'issued' })
  t.match((await credentials.account('operator')).identity, { kind: 'operator' })
})

t.test('a published key has no owner, by SCRAM too', async (t) => {
  const { credentials, registry } = await openRoom(t)
  const published = 'svc_live_93614ec9925ee83ea38094ec7548bc34a74cbceb31825b073436935b7c28ad96'
  registry.register(address, (await materialOf(published, address, 0)).material)
  t.equal((await credentials.account(`${address}:0`)).identity, undefined)
})
