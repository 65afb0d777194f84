// Signed requests that the gas station brings: invariant I4, the golden vectors, and everything that a
// signature must not be good for a second time, elsewhere, in another form or for another wallet.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { id, Signature, TypedDataEncoder } from 'ethers'
import t from 'tap'
import { Evm, goldenWallet } from '../support/evm.js'
import {
  alice,
  bob,
  keyValues,
  otherWallet,
  owner,
  RegistryRoom,
  type Request,
  type RequestName,
  requestTypes,
} from '../support/registry-room.js'

interface Golden {
  readonly domain: { readonly chainId: number; readonly verifyingContract: string }
  readonly domainSeparator: string
  readonly typehashes: Readonly<Record<RequestName, string>>
  readonly requests: readonly {
    readonly type: RequestName
    readonly message: Request
    readonly digest: string
    readonly signature: string
  }[]
}

const golden = JSON.parse(
  readFileSync(join(process.cwd(), 'protocol-fixtures/contracts/eip712.json'), 'utf8'),
) as Golden

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** A registry, and the request to register Alice's first key as she signed it. */
async function signedRequest() {
  const room = await RegistryRoom.open()
  const request = await room.request(alice.address, { index: 0, ...keyValues('a') })
  return { room, request, signature: await room.sign('RegisterKey', alice, request) }
}

t.test('golden: typehashes, domain, digests and signatures are as published', async (t) => {
  const { domain, domainSeparator, typehashes, requests } = golden
  t.equal(TypedDataEncoder.hashDomain(domain), domainSeparator)
  for (const [name, typehash] of Object.entries(typehashes)) {
    const types = { [name]: [...requestTypes[name as RequestName]] }
    t.equal(id(TypedDataEncoder.from(types).encodeType(name)), typehash)
  }
  for (const { type, message, digest, signature } of requests) {
    const types = { [type]: [...requestTypes[type]] }
    t.equal(TypedDataEncoder.hash(domain, types, message), digest)
    t.equal(await goldenWallet.signTypedData(domain, types, message), signature)
  }
})

t.test('golden: the contract takes the published signatures', async (t) => {
  const room = await RegistryRoom.open(undefined, goldenWallet)
  t.equal(room.registry.address, golden.domain.verifyingContract)
  for (const { type, message, signature } of golden.requests) {
    t.equal((await room.relay(type, message, signature)).error, undefined, type)
  }
  t.match(await room.registry.view('getKey', goldenWallet.address, 0), {
    storedKey: '0xa625cb7438f8f0ef9390ec5f24657818932b53f219c2aa4bb15e8490cc258fab',
    active: false,
  })
})

t.test('a wallet without a coin registers, rotates and revokes', async (t) => {
  const room = await RegistryRoom.open()
  const first = await room.sponsored('RegisterKey', alice, { index: 0, ...keyValues('a') })
  t.equal(first.error, undefined)
  t.equal(first.events[0]?.args[0], alice.address, "the wallet's event, not the station's")
  const rotation = { oldIndex: 0, newIndex: 1, ...keyValues('b') }
  t.equal((await room.sponsored('RotateKey', alice, rotation)).error, undefined)
  t.equal((await room.sponsored('RevokeKey', alice, { index: 1 })).error, undefined)
  t.same(await room.registry.view('account', alice.address), { nextIndex: 2n, activeCount: 0n })
  t.equal(await room.registry.read('nonces', alice.address), 3n)
})

t.test('I4: a signature is good once', async (t) => {
  const { room, request, signature } = await signedRequest()
  t.equal((await room.relay('RegisterKey', request, signature)).error, undefined)
  const replayed = await room.relay('RegisterKey', request, signature)
  t.same([replayed.error, replayed.errorArgs], ['InvalidAccountNonce', [alice.address, 1n]])
})

t.test('I4: a revocation cannot be replayed on the key that follows', async (t) => {
  const room = await RegistryRoom.open()
  await room.register(alice, 0)
  const request = await room.request(alice.address, { index: 0 })
  const signature = await room.sign('RevokeKey', alice, request)
  t.equal((await room.relay('RevokeKey', request, signature)).error, undefined)
  await room.register(alice, 1)
  t.equal((await room.relay('RevokeKey', request, signature)).error, 'InvalidAccountNonce')
  const moved = { ...request, index: 1, nonce: 1n }
  t.equal((await room.relay('RevokeKey', moved, signature)).error, 'BadSignature')
})

t.test('I4: a nonce that lies ahead is refused, and used up by nothing that fails', async (t) => {
  const room = await RegistryRoom.open()
  const ahead = { index: 0, ...keyValues('a'), nonce: 1n }
  t.equal((await room.sponsored('RegisterKey', alice, ahead)).error, 'InvalidAccountNonce')
  const gap = { index: 1, ...keyValues('a') }
  t.equal((await room.sponsored('RegisterKey', alice, gap)).error, 'BadIndex')
  const empty = { index: 0, ...keyValues('a'), commitment: `0x${'00'.repeat(32)}` }
  t.equal((await room.sponsored('RegisterKey', alice, empty)).error, 'EmptyValue')
  t.equal(await room.registry.read('nonces', alice.address), 0n)
})

t.test('I4: a deadline holds to its second', async (t) => {
  const { room, request, signature } = await signedRequest()
  const { evm } = room
  evm.now = Number(request.deadline) + 1
  const late = await room.relay('RegisterKey', request, signature)
  t.same([late.error, late.errorArgs], ['Expired', [BigInt(Number(request.deadline))]])
  evm.now = Number(request.deadline)
  t.equal((await room.relay('RegisterKey', request, signature)).error, undefined)
})

t.test('I4: every field is under the signature', async (t) => {
  const changes: Readonly<Record<RequestName, Request>> = {
    RegisterKey: { index: 0, ...keyValues('a') },
    RevokeKey: { index: 0 },
    RotateKey: { oldIndex: 0, newIndex: 1, ...keyValues('a') },
  }
  const room = await RegistryRoom.open()
  for (const name of Object.keys(requestTypes) as RequestName[]) {
    const request = await room.request(alice.address, changes[name])
    const signature = await room.sign(name, alice, request)
    for (const { name: field, type } of requestTypes[name]) {
      if (field === 'nonce') continue
      const other = {
        address: bob.address,
        bytes32: id('another'),
        uint256: BigInt(Number(request[field])) + 1n,
      }[type]
      const outcome = await room.relay(name, { ...request, [field]: other }, signature)
      t.equal(outcome.error, 'BadSignature', `${name}.${field}`)
    }
  }
})

t.test('I4: one kind of request does not pass for another', async (t) => {
  const room = await RegistryRoom.open()
  await room.register(alice, 0)
  const changes = { index: 0, oldIndex: 0, newIndex: 1, ...keyValues('a') }
  const request = await room.request(alice.address, changes)
  const names = Object.keys(requestTypes) as RequestName[]
  for (const signed of names) {
    const signature = await room.sign(signed, alice, request)
    for (const brought of names.filter((name) => name !== signed)) {
      t.equal((await room.relay(brought, request, signature)).error, 'BadSignature')
    }
  }
})

t.test('cross-contract: a signature for one registry is not good for another', async (t) => {
  const { room, request, signature } = await signedRequest()
  const other = await RegistryRoom.open(room.evm)
  t.not(other.registry.address, room.registry.address)
  t.equal((await other.relay('RegisterKey', request, signature)).error, 'BadSignature')
})

t.test('cross-chain: a signature for one chain is not good on another', async (t) => {
  const { room, request, signature } = await signedRequest()
  const other = await RegistryRoom.open(await Evm.open(1))
  t.equal(other.registry.address, room.registry.address, 'at the same address')
  t.equal((await other.relay('RegisterKey', request, signature)).error, 'BadSignature')
})

t.test('another version, name or signer is another signature', async (t) => {
  const { room, request } = await signedRequest()
  const domains = [
    { ...room.domain, version: '2' },
    { ...room.domain, name: 'Sigil Key registry' },
    { ...room.domain, salt: id('salt') },
  ]
  for (const domain of domains) {
    const signature = await room.sign('RegisterKey', alice, request, domain)
    t.equal((await room.relay('RegisterKey', request, signature)).error, 'BadSignature')
  }
  for (const signer of [bob, owner, otherWallet]) {
    const signature = await room.sign('RegisterKey', signer, request)
    t.equal((await room.relay('RegisterKey', request, signature)).error, 'BadSignature')
  }
})

t.test('malleability: high s, 64 bytes and other lengths are refused', async (t) => {
  const { room, request, signature } = await signedRequest()
  const { r, s, v, compactSerialized } = Signature.from(signature)
  const highS = (curveOrder - BigInt(s)).toString(16).padStart(64, '0')
  const flipped = `${r}${highS}${v === 27 ? '1c' : '1b'}`
  const forms = {
    'high s': flipped,
    '64 bytes (ERC-2098)': compactSerialized,
    'v of 0 or 1': `${signature.slice(0, -2)}${v === 27 ? '00' : '01'}`,
    'a byte more': `${signature}00`,
    'a byte less': signature.slice(0, -2),
    nothing: '0x',
    zeros: `0x${'00'.repeat(65)}`,
  }
  for (const [name, form] of Object.entries(forms)) {
    t.equal((await room.relay('RegisterKey', request, form)).error, 'BadSignature', name)
  }
  const zeroWallet = { ...request, wallet: `0x${'00'.repeat(20)}` }
  const none = await room.relay('RegisterKey', zeroWallet, `0x${'00'.repeat(65)}`)
  t.equal(none.error, 'BadSignature', 'the zero address signs nothing')
  t.equal((await room.relay('RegisterKey', request, signature)).error, undefined)
})

t.test(
  'front-running: who sees a pending request cannot bring it, nor use it for himself',
  async (t) => {
    const { room, request, signature } = await signedRequest()
    for (const from of [otherWallet, owner, alice]) {
      const brought = await room.relay('RegisterKey', request, signature, { from })
      t.same([brought.error, brought.errorArgs], ['NotGasStation', [from.address]])
    }
    const mine = { ...request, wallet: otherWallet.address }
    t.equal((await room.relay('RegisterKey', mine, signature)).error, 'BadSignature')
    t.equal((await room.relay('RegisterKey', request, signature)).error, undefined)
  },
)
