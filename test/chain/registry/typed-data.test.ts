// What wallets sign for the registry, against recorded digests, and every form of a signature that
// wallets are known to produce.

import { readFileSync } from 'node:fs'
import { getBytes, hexlify, id, Signature, TypedDataEncoder, Wallet } from 'ethers'
import fc from 'fast-check'
import t from 'tap'
import {
  digestOf,
  normalSignature,
  type PrimaryType,
  registryTypedData,
  signerOf,
} from '../../../src/chain/registry/typed-data.js'
import { runs } from '../../support/runs.js'

interface Fixture {
  readonly privateKey: string
  readonly wallet: string
  readonly chainId: number
  readonly contract: string
  readonly domainSeparator: string
  readonly typehashes: Readonly<Record<PrimaryType, string>>
  readonly acts: readonly {
    readonly primaryType: PrimaryType
    readonly message: Readonly<Record<string, unknown>>
    readonly digest: string
    readonly signature: string
  }[]
}

const fixture = JSON.parse(readFileSync('protocol-fixtures/keys/eip712.json', 'utf8')) as Fixture
const data = registryTypedData(fixture.chainId, fixture.contract)
const order = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')

t.test('domain, types and digests are the recorded ones', async (t) => {
  t.equal(TypedDataEncoder.hashDomain(data.domain), fixture.domainSeparator)
  for (const [name, typehash] of Object.entries(fixture.typehashes)) {
    const fields = [...data.types[name as PrimaryType]]
    t.equal(id(TypedDataEncoder.from({ [name]: fields }).encodeType(name)), typehash, name)
  }
  const wallet = new Wallet(fixture.privateKey)
  for (const { primaryType, message, digest, signature } of fixture.acts) {
    t.equal(digestOf(data, primaryType, message), digest, primaryType)
    const types = { [primaryType]: [...data.types[primaryType]] }
    t.equal(await wallet.signTypedData(data.domain, types, message), signature)
    t.equal(signerOf(digest, signature), fixture.wallet)
  }
})

t.test('every form of a signature becomes the one that contracts take', async (t) => {
  await fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (digest) => {
      const wallet = new Wallet(fixture.privateKey)
      const signed = wallet.signingKey.sign(digest)
      const { serialized, r, s, v, compactSerialized } = signed
      const twin = `0x${(order - BigInt(s)).toString(16).padStart(64, '0')}`
      const forms = [
        serialized,
        serialized.toUpperCase().replace('0X', '0x'),
        compactSerialized,
        hexlify(new Uint8Array([...getBytes(r), ...getBytes(s), v - 27])),
        hexlify(new Uint8Array([...getBytes(r), ...getBytes(twin), v === 27 ? 28 : 27])),
        hexlify(new Uint8Array([...getBytes(r), ...getBytes(twin), v === 27 ? 1 : 0])),
      ]
      for (const form of forms) t.equal(normalSignature(form), serialized, form)
      t.equal(signerOf(hexlify(digest), serialized), wallet.address)
    }),
    { numRuns: runs(20) },
  )
})

t.test(
  'what is no account signature stays what it is, or is refused where it is no hex',
  async (t) => {
    for (const text of ['', '0x', '0xabc', 'ab'.repeat(65), '0xzz', `0x${'0g'.repeat(65)}`]) {
      t.equal(normalSignature(text), undefined, text)
    }
    const contractWallet = `0x${'AB'.repeat(130)}`
    t.equal(normalSignature(contractWallet), contractWallet.toLowerCase())
    for (const odd of [`0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`, `0x${'ff'.repeat(64)}`]) {
      const normal = normalSignature(odd)
      t.type(normal, 'string')
      t.equal(signerOf(id('x'), normal ?? ''), undefined, odd.slice(0, 10))
    }
    t.equal(Signature.from(fixture.acts[0]?.signature).serialized, fixture.acts[0]?.signature)
  },
)
