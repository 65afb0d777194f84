// What the key registry promises about a wallet's own keys: invariants I1, I2, I6 and I7, its events
// and its views.

import { Interface, id, keccak256, solidityPacked } from 'ethers'
import t from 'tap'
import { keyRegistryArtifact } from '../../src/chain/artifacts/key-registry.js'
import { walletOf } from '../support/evm.js'
import {
  alice,
  bob,
  keyValues,
  listed,
  owner,
  RegistryRoom,
  station,
} from '../support/registry-room.js'

const zero = `0x${'00'.repeat(32)}`

t.test('I1: a key takes the next index and no other; indices only grow', async (t) => {
  const room = await RegistryRoom.open()
  const { registry } = room
  for (const index of [1, 2, 2n ** 64n, 2n ** 256n - 1n]) {
    const refused = await registry.send(alice, 'registerKey', index, ...listed(keyValues('a')))
    t.equal(refused.error, 'BadIndex')
    t.same(refused.errorArgs, [index, 0n].map(BigInt))
  }
  for (let index = 0; index < 4; index++) {
    t.equal((await room.register(alice, index)).error, undefined)
    t.same((await room.register(alice, index)).error, 'BadIndex', 'not twice')
    t.equal((await registry.view('account', alice.address)).nextIndex, BigInt(index + 1))
  }
  t.equal((await room.register(bob, 0)).error, undefined, 'each wallet counts for itself')
})

t.test('I1: a revoked index is never used again', async (t) => {
  const room = await RegistryRoom.open()
  await room.register(alice, 0)
  await room.registry.send(alice, 'revokeKey', 0)
  t.equal((await room.register(alice, 0)).error, 'BadIndex')
  t.equal((await room.registry.send(alice, 'revokeKey', 0)).error, 'NotActive')
  const onto = await room.registry.send(alice, 'rotateKey', 0, 0, ...listed(keyValues('b')))
  t.equal(onto.error, 'NotActive')
  t.equal((await room.register(alice, 1)).error, undefined)
  const back = await room.registry.send(alice, 'rotateKey', 1, 1, ...listed(keyValues('b')))
  t.equal(back.error, 'BadIndex')
  t.equal(await room.registry.read('isKeyActive', alice.address, 0), false)
})

t.test('I1: of a record nothing changes but the time it was revoked', async (t) => {
  const room = await RegistryRoom.open()
  const { evm, registry } = room
  const createdAt = BigInt(evm.now)
  await room.register(alice, 0)
  const before = await registry.view('getKey', alice.address, 0)
  t.match(before, { createdAt, revokedAt: 0n, active: true })
  evm.now += 100
  await room.register(alice, 1)
  await registry.send(alice, 'rotateKey', 1, 2, ...listed(keyValues('c')))
  await registry.send(alice, 'registerKey', 0, ...listed(keyValues('d')))
  t.same(await registry.view('getKey', alice.address, 0), before)
  evm.now += 100
  await registry.send(alice, 'revokeKey', 0)
  const revoked = { ...before, revokedAt: createdAt + 200n, active: false }
  t.same(await registry.view('getKey', alice.address, 0), revoked)
  evm.now += 100
  await registry.send(alice, 'revokeKey', 0)
  t.same(await registry.view('getKey', alice.address, 0), revoked, 'nor that a second time')
})

t.test('I2: ten keys may be active; revoked ones do not count', async (t) => {
  const room = await RegistryRoom.open()
  const { registry } = room
  t.equal(await registry.read('MAX_ACTIVE'), 10n)
  for (let index = 0; index < 10; index++) await room.register(alice, index)
  const eleventh = await room.register(alice, 10)
  t.same([eleventh.error, eleventh.errorArgs], ['TooManyKeys', [alice.address]])
  const rotated = await registry.send(alice, 'rotateKey', 3, 10, ...listed(keyValues('rotated')))
  t.equal(rotated.error, undefined, 'rotating works at the cap: the old key goes first')
  t.same(await registry.view('account', alice.address), { nextIndex: 11n, activeCount: 10n })
  t.equal((await room.register(alice, 11)).error, 'TooManyKeys')
  await registry.send(alice, 'revokeKey', 0)
  t.equal((await room.register(alice, 11)).error, undefined)
  t.same(await registry.view('account', alice.address), { nextIndex: 12n, activeCount: 10n })
  t.equal((await room.register(bob, 0)).error, undefined, "another wallet's keys do not count")
})

t.test('I6: neither commitment nor verifiers may be zero', async (t) => {
  const room = await RegistryRoom.open()
  const good = listed(keyValues('a'))
  for (let at = 0; at < good.length; at++) {
    const values = good.map((value, index) => (index === at ? zero : value))
    t.equal((await room.registry.send(alice, 'registerKey', 0, ...values)).error, 'EmptyValue')
    await room.register(bob, 0)
    const rotated = await room.registry.send(bob, 'rotateKey', 0, 1, ...values)
    t.equal(rotated.error, 'EmptyValue')
    t.equal(await room.registry.read('isKeyActive', bob.address, 0), true, 'all or nothing')
  }
})

t.test('I7: no ether is taken, nothing can be upgraded, paused or destroyed', async (t) => {
  const room = await RegistryRoom.open()
  const { evm, registry } = room
  const payable = registry.face.fragments.filter((one) => 'payable' in one && one.payable === true)
  t.same(payable, [])
  t.same([registry.face.receive, registry.face.fallback], [false, null])
  const sent = await evm.send(alice, registry.address, '0x', 100_000n, registry.face, 1n)
  t.ok(sent.error)
  const values = listed(keyValues('a'))
  t.ok((await registry.sendWith({ value: 1n }, alice, 'registerKey', 0, ...values)).error)
  t.equal(await evm.balance(registry.address), 0n)
  const used = opcodesOf(keyRegistryArtifact.runtimeBytecode)
  const forbidden = { CREATE: 0xf0, CALL: 0xf1, CALLCODE: 0xf2, DELEGATECALL: 0xf4, CREATE2: 0xf5 }
  for (const [name, opcode] of Object.entries({ ...forbidden, SELFDESTRUCT: 0xff })) {
    t.notOk(used.has(opcode), name)
  }
})

t.test('events and selectors are the documented ones', async (t) => {
  const face = new Interface(keyRegistryArtifact.abi)
  t.equal(
    face.getEvent('KeyRegistered')?.topicHash,
    '0xccb9ba2b184ab0bccb6a2fcbb1c937c99dc8eb3f63139f854cb67826ce1c1c5b',
  )
  t.equal(
    face.getEvent('KeyRevoked')?.topicHash,
    '0xc36deb67a17c6b101cdbb57458d39d0f66107bae057d2a46fad06befe479fab2',
  )
  t.equal(
    face.getEvent('KeyRotated')?.topicHash,
    '0x80c785e88f5f11187510210d1084c7c255d1eff28a2af10831462c608cf33b5b',
  )
  t.equal(face.getFunction('isKeyActive')?.selector, '0xcc835179')
})

t.test('each act is one event with everything in it; a rotation is three', async (t) => {
  const room = await RegistryRoom.open()
  const { registry } = room
  const { address } = alice
  const [first, second] = [keyValues('first'), keyValues('second')]
  const registered = await room.register(alice, 0, first)
  const plain = (events: typeof registered.events) => events.map(({ name, args }) => [name, args])
  t.same(plain(registered.events), [['KeyRegistered', [address, 0n, ...listed(first)]]])
  t.equal(registered.events[0]?.topics.length, 4, 'wallet, index and commitment can be searched')
  const rotated = await registry.send(alice, 'rotateKey', 0, 1, ...listed(second))
  t.same(plain(rotated.events), [
    ['KeyRevoked', [address, 0n, first.commitment]],
    ['KeyRegistered', [address, 1n, ...listed(second)]],
    ['KeyRotated', [address, 0n, 1n]],
  ])
  const revoked = await registry.send(alice, 'revokeKey', 1)
  t.same(plain(revoked.events), [['KeyRevoked', [address, 1n, second.commitment]]])
})

t.test('the salt is that of the wallet and the index, of keys that never were too', async (t) => {
  const { registry } = await RegistryRoom.open()
  const { address } = alice
  for (const index of [0n, 1n, 2n ** 255n, 2n ** 256n - 1n]) {
    const salt = keccak256(solidityPacked(['address', 'uint256'], [address, index]))
    t.equal(await registry.read('keySalt', address, index), salt)
    t.same(await registry.view('getKey', address, index), {
      commitment: zero,
      storedKey: zero,
      serverKey: zero,
      createdAt: 0n,
      revokedAt: 0n,
      salt,
      active: false,
    })
  }
  t.equal(
    await registry.read('keySalt', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', 0),
    '0x8d7516f92f86ff2bff7638117eeefe54f86ce065a68c3b0f6c4b3d9bfb491ad6',
    'golden',
  )
})

t.test('the lowest active index is found from any place', async (t) => {
  const room = await RegistryRoom.open()
  const { registry } = room
  const first = (from: number | bigint) => registry.view('firstActiveIndex', alice.address, from)
  t.same(await first(0), { found: false, index: 0n })
  for (let index = 0; index < 5; index++) await room.register(alice, index)
  for (const index of [0, 1, 3]) await registry.send(alice, 'revokeKey', index)
  t.same(await first(0), { found: true, index: 2n })
  t.same(await first(2), { found: true, index: 2n })
  t.same(await first(3), { found: true, index: 4n })
  t.same(await first(5), { found: false, index: 5n })
  t.same(await first(2n ** 256n - 1n), { found: false, index: 5n })
})

t.test('the search for an active index has a known price and says where to go on', async (t) => {
  const room = await RegistryRoom.open()
  const { evm, registry } = room
  const scan = Number(await registry.read('MAX_SCAN'))
  const wallet = walletOf('one that rotates often')
  await room.register(wallet, 0)
  await room.register(wallet, 1)
  await registry.send(wallet, 'revokeKey', 0)
  for (let index = 1; index <= scan; index++) {
    await registry.send(wallet, 'rotateKey', index, index + 1, ...listed(keyValues(`${index}`)))
  }
  const data = registry.face.encodeFunctionData('firstActiveIndex', [wallet.address, 0])
  const asked = await evm.call(registry.address, data, { face: registry.face })
  const answer = registry.face.decodeFunctionResult('firstActiveIndex', asked.data)
  t.same([...answer], [false, BigInt(scan)])
  t.ok(asked.gas < 1_500_000n, `${asked.gas} gas`)
  const next = await registry.view('firstActiveIndex', wallet.address, scan)
  t.same(next, { found: true, index: BigInt(scan + 1) })
})

t.test('a deployment names its owner and its gas station', async (t) => {
  const { registry } = await RegistryRoom.open()
  t.equal(await registry.read('owner'), owner.address)
  t.equal(await registry.read('gasStation'), station.address)
  t.equal(registry.deployment.events.at(-1)?.name, 'GasStationChanged')
  const domain = await registry.view('eip712Domain')
  t.match(domain, { name: 'Sigil Key Registry', version: '1', chainId: 31337n })
  t.equal(domain.verifyingContract, registry.address)
  t.equal(id('isKeyActive(address,uint256)').slice(0, 10), '0xcc835179')
})

/** The opcodes of runtime code, the data of pushes left out and what stands behind the code, too. */
function opcodesOf(bytecode: string): Set<number> {
  const bytes = Buffer.from(bytecode.slice(2), 'hex')
  const metadata = bytes.readUInt16BE(bytes.length - 2) + 2
  const used = new Set<number>()
  for (let at = 0; at < bytes.length - metadata; at++) {
    const opcode = bytes[at] ?? 0
    used.add(opcode)
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f
  }
  return used
}
