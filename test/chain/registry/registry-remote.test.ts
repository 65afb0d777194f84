// The registry over a remote chain: what it answers while all is well, and that no key is accepted
// while it is not. The remote chain is a local one served over HTTP, with faults.

import { Interface } from 'ethers'
import t, { type Test } from 'tap'
import { keyRegistryAbi } from '../../../src/chain/artifacts/key-registry.js'
import type { Registry } from '../../../src/chain/registry/registry.js'
import {
  type ChainRoom,
  materialFor,
  openChainRoom,
  openClients,
  refusal,
  registerBySigning,
  revokeBySigning,
  sendDirectly,
} from '../../support/chain-room.js'
import { RpcServer } from '../../support/rpc-server.js'
import { testWallet } from '../../support/wallet.js'

const contract = new Interface(keyRegistryAbi)
const alice = testWallet('alice')
const away = refusal('CHAIN_UNAVAILABLE')

/** Resolves once `look` holds; the test's own timeout is the bound. */
async function until(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 20))
}

function twoHosts(room: ChainRoom, other: RpcServer): Record<string, string> {
  const urls = `${room.server.url('127.0.0.1')},${other.url('localhost')}`
  return { ...room.environment, CHAIN_RPC_URL: urls, CHAIN_QUORUM: '2' }
}

async function isAway(t: Test, registry: Registry, what: string): Promise<void> {
  await t.rejects(registry.getKey(alice.address, 0), away, what)
  await t.rejects(registry.candidates(materialFor('a').commitment), away, what)
}

t.test('a relayed key is found, followed and revoked', async (t) => {
  const room = await openChainRoom(t)
  const { registry } = await openClients(t, room.environment)
  await registry.ready()
  t.equal(registry.contract, room.deployed.registry)
  t.equal(registry.state(), 'ready')
  const material = materialFor('a')
  t.equal(registry.keyStatus(alice.address, 0), 'unknown')
  t.equal(await registry.getKey(alice.address, 0), undefined)
  const { index, txHash } = await registerBySigning(registry, alice, material)
  t.equal(index, 0)
  t.match(txHash, /^0x[0-9a-f]{64}$/)
  const key = await registry.getKey(alice.address, 0)
  t.match(key, { ...material, active: true, revokedAt: 0 })
  t.equal(registry.keyStatus(alice.address, 0), 'active')
  t.equal(await registry.firstActive(alice.address), 0)
  t.match(await registry.candidates(material.commitment), [
    { address: alice.address, index: 0, storedKey: material.storedKey },
  ])
  const ended: unknown[] = []
  registry.onRevoked((address, which) => ended.push([address, which]))
  await revokeBySigning(registry, alice, 0)
  t.equal(registry.keyStatus(alice.address, 0), 'revoked', 'from the next request on')
  t.equal((await registry.getKey(alice.address, 0))?.active, false)
  t.equal(await registry.firstActive(alice.address), undefined)
  t.same(ended, [[alice.address, 0]], 'told once')
})

t.test("a wallet's own transactions are seen with the next block", async (t) => {
  const room = await openChainRoom(t, { fund: [alice.address] })
  const { registry } = await openClients(t, room.environment)
  const { commitment, storedKey, serverKey } = materialFor('direct')
  const to = room.deployed.registry
  const values = [0, `0x${commitment}`, storedKey, serverKey]
  const register = contract.encodeFunctionData('registerKey', values)
  await sendDirectly(room.chain, { by: alice, to, data: register })
  t.equal((await registry.candidates(commitment)).length, 1)
  t.equal((await registry.getKey(alice.address, 0))?.active, true)
  const ended = new Promise((resolve) => registry.onRevoked((...told) => resolve(told)))
  const revoke = contract.encodeFunctionData('revokeKey', [0])
  await sendDirectly(room.chain, { by: alice, to, data: revoke })
  t.same(await ended, [alice.address, 0])
  t.equal(registry.keyStatus(alice.address, 0), 'revoked')
})

t.test('what the chain is away for, it is away for at once, and back with it', async (t) => {
  const room = await openChainRoom(t)
  const { server } = room
  const opened = await openClients(t, room.environment)
  const { registry } = opened
  await registerBySigning(registry, alice, materialFor('a'))
  await registry.getKey(alice.address, 0)
  t.match(opened.health(), { mode: 'remote', chainId: 31_337, ok: true })
  const faults: readonly [string, () => void, () => void][] = [
    ['silence', () => server.silent.add('*'), () => server.silent.clear()],
    ['429', () => setBusy(server, true), () => setBusy(server, false)],
    ['another chain', () => lieAbout(server, 'eth_chainId', '0x1'), () => beHonest(server)],
  ]
  for (const [name, begin, end] of faults) {
    begin()
    await until(() => registry.keyStatus(alice.address, 0) === 'unknown')
    t.equal(registry.state(), 'unavailable', name)
    t.match(opened.health(), { ok: false, problem: String }, name)
    await isAway(t, registry, name)
    end()
    await until(() => registry.keyStatus(alice.address, 0) === 'active')
    t.equal(registry.state(), 'ready', `${name} is over`)
    t.equal((await registry.getKey(alice.address, 0))?.active, true, `${name} is over`)
  }
})

t.test('a head that goes far back is not followed', async (t) => {
  const room = await openChainRoom(t)
  const { server, chain } = room
  const opened = await openClients(t, room.environment)
  const { registry } = opened
  await registerBySigning(registry, alice, materialFor('a'))
  const real = opened.health().head ?? 0
  server.lie = async ({ method, params }, honest) => {
    if (method === 'eth_getLogs') return []
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return honest()
    const block = await chain.request({ method, params })
    const { hash, ...rest } = block as Record<string, string>
    return { ...rest, parentHash: hash, hash, number: `0x${(real + 100).toString(16)}` }
  }
  await until(() => opened.health().head === real + 100)
  server.lie = undefined
  await until(() => registry.state() === 'unavailable')
  t.match(opened.health().problem, /went back/)
  await isAway(t, registry, 'gone back')
})

t.test('a key that one of two endpoints invents is refused', async (t) => {
  const room = await openChainRoom(t)
  const liar = await RpcServer.open(t, room.chain)
  const { registry } = await openClients(t, twoHosts(room, liar))
  await registerBySigning(registry, alice, materialFor('a'))
  t.equal((await registry.getKey(alice.address, 0))?.active, true, 'both are honest')
  const mallory = materialFor('mallory')
  const forged = contract.encodeFunctionResult('getKey', [
    ...[`0x${mallory.commitment}`, mallory.storedKey, mallory.serverKey],
    ...[1, 0, `0x${mallory.commitment}`, true],
  ])
  liar.lie = async ({ method }, honest) => (method === 'eth_call' ? forged : honest())
  await t.rejects(registry.getKey(alice.address, 7), away, 'there is no key 7')
  liar.lie = undefined
  t.equal(await registry.getKey(alice.address, 7), undefined)
  t.equal(registry.keyStatus(alice.address, 0), 'active')
})

t.test(
  'events that one of two endpoints withholds stop the clock, not the revocation',
  async (t) => {
    const room = await openChainRoom(t, { fund: [alice.address] })
    const liar = await RpcServer.open(t, room.chain)
    const { registry } = await openClients(t, twoHosts(room, liar))
    await registerBySigning(registry, alice, materialFor('a'))
    await registry.getKey(alice.address, 0)
    liar.lie = async ({ method }, honest) => (method === 'eth_getLogs' ? [] : honest())
    const data = contract.encodeFunctionData('revokeKey', [0])
    await sendDirectly(room.chain, { by: alice, to: room.deployed.registry, data })
    await until(() => registry.keyStatus(alice.address, 0) !== 'active')
    t.equal(registry.keyStatus(alice.address, 0), 'unknown')
    liar.lie = undefined
    await until(() => registry.keyStatus(alice.address, 0) !== 'unknown')
    t.equal(registry.keyStatus(alice.address, 0), 'revoked')
  },
)

t.test('a start on the wrong chain or contract is refused until it is right', async (t) => {
  const room = await openChainRoom(t)
  const wrong: readonly [string, Record<string, string>, RegExp][] = [
    ['another chain', { CHAIN_ID: '5' }, /of chain 31337, not 5/],
    ['no contract', { AUTH_CONTRACT_ADDRESS: alice.address }, /no contract at/],
    [
      'another contract',
      { AUTH_CONTRACT_ADDRESS: room.deployed.anchor },
      /not Sigil's KeyRegistry/,
    ],
    ['another anchor', { ANCHOR_CONTRACT_ADDRESS: room.deployed.registry }, /not Sigil's Anchor/],
    [
      'another gas station',
      { AUTH_GAS_STATION_PRIVATE_KEY: alice.privateKey },
      /the registry's gas station is/,
    ],
  ]
  for (const [name, settings, problem] of wrong) {
    const opened = await openClients(t, { ...room.environment, ...settings })
    await until(() => opened.health().problem !== undefined)
    t.match(opened.health(), { ok: false, problem }, name)
    t.equal(opened.registry.state(), 'unavailable', name)
    t.throws(() => opened.registry.contract, away)
    await opened.close()
  }
})

function setBusy(server: RpcServer, isBusy: boolean): void {
  server.isBusy = isBusy
}

function beHonest(server: RpcServer): void {
  server.lie = undefined
}

function lieAbout(server: RpcServer, about: string, answer: unknown): void {
  server.lie = async ({ method }, honest) => (method === about ? answer : honest())
}
