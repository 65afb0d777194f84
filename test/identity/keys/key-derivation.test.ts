// Keys by the golden vectors: every form of a signature gives the same key, and the key its
// commitment, salt and verifiers; what is no signature gives none.

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import {
  bytesOfHex,
  commitmentOf,
  derivationText,
  deriveKey,
  hexOf,
  issuedSalt,
  keyVerifier,
  normaliseSignature,
  onChainSalt,
} from '../../../src/identity/keys/key-derivation.js'
import { isWalletKey, prefixOf } from '../../../src/identity/keys/key-format.js'
import { isPublished } from '../../../src/identity/keys/published-keys.js'
import { runs } from '../../support/runs.js'

interface GoldenKey {
  readonly address: string
  readonly index: number
  readonly text: string
  readonly signature: string
  readonly variants: Readonly<Record<string, string>>
  readonly apiKey: string
  readonly testKey: string
  readonly commitment: string
  readonly prefix: string
  readonly onChainSalt: string
  readonly storedKey: string
  readonly serverKey: string
}

const golden = JSON.parse(readFileSync('protocol-fixtures/keys/keys.json', 'utf8')) as {
  readonly order: string
  readonly keys: readonly GoldenKey[]
}
const signatureOf = (text: string) => bytesOfHex(text, 'signature')

for (const key of golden.keys) {
  t.test(`key #${key.index} of the golden wallet`, async (t) => {
    t.equal(derivationText(key.address, key.index), key.text)
    t.equal(deriveKey(signatureOf(key.signature), 'live'), key.apiKey)
    t.equal(deriveKey(signatureOf(key.signature), 'test'), key.testKey)
    for (const [form, signature] of Object.entries(key.variants)) {
      t.equal(deriveKey(signatureOf(signature), 'live'), key.apiKey, form)
      t.equal(`0x${hexOf(normaliseSignature(signatureOf(signature)))}`, key.signature, form)
    }
    t.equal(commitmentOf(key.apiKey), key.commitment)
    t.not(commitmentOf(key.testKey), key.commitment)
    const salt = onChainSalt(key.address, key.index)
    t.equal(hexOf(salt), key.onChainSalt)
    t.not(hexOf(issuedSalt(key.address, key.index)), key.onChainSalt)
    const verifier = await keyVerifier(key.apiKey, salt)
    t.equal(hexOf(verifier.storedKey), key.storedKey)
    t.equal(hexOf(verifier.serverKey), key.serverKey)
    t.equal(prefixOf(key.apiKey), key.prefix)
  })

  t.test(`key #${key.index} is known to everybody, and refused by live servers`, async (t) => {
    t.ok(isPublished(key.commitment, 'live'))
    t.notOk(isPublished(key.commitment, 'test'))
    t.notOk(isPublished(commitmentOf(key.testKey), 'live'))
  })
}

t.test('a key is of one mode', async (t) => {
  const [key] = golden.keys
  t.ok(key !== undefined && isWalletKey(key.apiKey, 'live') && isWalletKey(key.testKey, 'test'))
  t.notOk(
    key !== undefined && (isWalletKey(key.apiKey, 'test') || isWalletKey(key.testKey, 'live')),
  )
  for (const bad of [
    '',
    'svc_live_',
    `svc_live_${'A'.repeat(64)}`,
    `svc_live_${'a'.repeat(65)}`,
    `svc_live_${'a'.repeat(64)}\n`,
    `svc_op_${'a'.repeat(64)}`,
  ]) {
    t.notOk(isWalletKey(bad, 'live'), bad)
  }
})

t.test('what is no signature gives no key', async (t) => {
  const order = golden.order.slice(2)
  const one = '01'.padStart(64, '0')
  const zero = '0'.repeat(64)
  for (const [why, signature] of [
    ['too short', one],
    ['63 bytes', `${one}${one}`.slice(2)],
    ['66 bytes', `${one}${one}1b1b`],
    ['v is 2', `${one}${one}02`],
    ['v is 29', `${one}${one}1d`],
    ['r is 0', `${zero}${one}1b`],
    ['s is 0', `${one}${zero}1b`],
    ['r is the order', `${order}${one}1b`],
    ['s is the order', `${one}${order}1b`],
  ] as const) {
    t.throws(() => deriveKey(Buffer.from(signature, 'hex'), 'live'), { code: 2 }, why)
  }
  t.throws(() => signatureOf('8b'), { code: 2 })
  t.throws(() => signatureOf('0x8'), { code: 2 })
})

t.test('normalising is idempotent, and a signature and its mirror give one key', async () => {
  const order = BigInt(golden.order)
  const word = fc.bigInt({ min: 1n, max: order - 1n })
  const write = (n: bigint) => n.toString(16).padStart(64, '0')
  await fc.assert(
    fc.asyncProperty(word, word, fc.constantFrom(0, 1), async (r, s, parity) => {
      const of = (s: bigint, v: number) =>
        new Uint8Array(Buffer.from(write(r) + write(s) + v.toString(16).padStart(2, '0'), 'hex'))
      const normal = normaliseSignature(of(s, parity))
      const same = Buffer.from(normal)
      return (
        same.equals(normaliseSignature(normal)) &&
        same.equals(normaliseSignature(of(s, parity + 27))) &&
        same.equals(normaliseSignature(of(order - s, 1 - parity)))
      )
    }),
    { numRuns: runs(200) },
  )
})
