// What the gas station pays for and what not: nonces under parallel sends, transactions that were
// written down and not sent, quotas, budgets, deadlines, and wallets that are hostile contracts.

import { id } from 'ethers'
import t from 'tap'
import { type Clock, systemClock } from '../../../src/base/clock.js'
import { readSettings } from '../../../src/base/settings.js'
import type { Registry } from '../../../src/chain/registry/registry.js'
import { Rows, scopeOf } from '../../../src/chain/rows.js'
import { type Intent, Intents } from '../../../src/chain/sending/intents.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import {
  chainStation,
  materialFor,
  openChainRoom,
  openClients,
  refusal,
  registerBySigning,
  revokeBySigning,
  sendDirectly,
} from '../../support/chain-room.js'
import { eachStore } from '../../support/stores.js'
import { signRegister, signRotate, testWallet } from '../../support/wallet.js'

const alice = testWallet('alice')
const bob = testWallet('bob')

interface Signing {
  readonly index?: number
  readonly nonce?: number
  readonly deadline?: number
  readonly by?: typeof alice
}

/** Has alice's registration relayed, signed as told. */
async function attempt(registry: Registry, given: Signing = {}) {
  const { nextIndex, nonce } = await registry.account(alice.address)
  const index = given.index ?? nextIndex
  const deadline = given.deadline ?? registry.chainTime() + 900
  const material = materialFor('attempt')
  const { domain, types } = registry.typedData()
  const value = {
    ...{ wallet: alice.address, index, deadline, nonce: given.nonce ?? nonce },
    commitment: `0x${material.commitment}`,
    storedKey: material.storedKey,
    serverKey: material.serverKey,
  }
  const by = given.by ?? alice
  const signature = await by.signTypedData(domain, { RegisterKey: [...types.RegisterKey] }, value)
  return registry.registerMeta({ address: alice.address, index, ...material }, signature, deadline)
}

function stationNonce(room: { chain: { request(request: object): Promise<unknown> } }) {
  const params = [chainStation.address, 'latest']
  return room.chain.request({ method: 'eth_getTransactionCount', params })
}

t.test('parallel acts of many wallets all arrive, in one nonce order', async (t) => {
  const room = await openChainRoom(t)
  const { registry } = await openClients(t, room.environment)
  const wallets = Array.from({ length: 12 }, (_, i) => testWallet(`parallel ${i}`))
  const done = await Promise.all(
    wallets.map((wallet) => registerBySigning(registry, wallet, materialFor(wallet.address))),
  )
  t.equal(new Set(done.map(({ txHash }) => txHash)).size, 12)
  t.equal(Number(await stationNonce(room)), 12)
  const keys = await Promise.all(wallets.map(({ address }) => registry.getKey(address, 0)))
  t.ok(keys.every((key) => key?.active))
})

t.test('acts of one wallet wait for each other', async (t) => {
  const room = await openChainRoom(t)
  const { registry } = await openClients(t, room.environment)
  await registerBySigning(registry, alice, materialFor('0'))
  const { nonce } = await registry.account(alice.address)
  const deadline = registry.chainTime() + 900
  const of = (index: number, ahead: number) => ({
    ...{ data: registry.typedData(), index, deadline, nonce: Number(nonce) + ahead },
    material: materialFor(`key ${index}`),
  })
  const first = of(1, 0)
  const second = of(2, 1)
  const [a, b] = [await signRegister(alice, first), await signRegister(alice, second)]
  const { address } = alice
  const done = await Promise.all([
    registry.registerMeta({ address, index: 1, ...first.material }, a, deadline),
    registry.registerMeta({ address, index: 2, ...second.material }, b, deadline),
  ])
  t.same(
    done.map(({ index }) => index),
    [1, 2],
  )
})

t.test('a rotation ends the old key and begins the new one', async (t) => {
  const room = await openChainRoom(t)
  const { registry } = await openClients(t, room.environment)
  await registerBySigning(registry, alice, materialFor('old'))
  const { nonce } = await registry.account(alice.address)
  const deadline = registry.chainTime() + 900
  const material = materialFor('new')
  const request = { data: registry.typedData(), index: 1, oldIndex: 0, material, deadline }
  const signature = await signRotate(alice, { ...request, nonce: Number(nonce) })
  const args = { address: alice.address, oldIndex: 0, newIndex: 1, ...material }
  t.match(await registry.rotateMeta(args, signature, deadline), { index: 1 })
  t.equal(registry.keyStatus(alice.address, 0) === 'active', false)
  t.equal((await registry.getKey(alice.address, 0))?.active, false)
  t.equal((await registry.getKey(alice.address, 1))?.active, true)
  t.equal(await registry.firstActive(alice.address), 1)
})

t.test('what simulation refuses is told by its reason and never sent', async (t) => {
  const room = await openChainRoom(t)
  const { registry } = await openClients(t, room.environment)
  await registerBySigning(registry, alice, materialFor('0'))
  const before = await stationNonce(room)
  const now = registry.chainTime()
  const refused: readonly [string, Signing, ReturnType<typeof refusal>][] = [
    ['a taken index', { index: 0 }, refusal('INDEX_TAKEN', { httpStatus: 409 }, { expected: 1 })],
    ['an index ahead', { index: 5 }, refusal('INDEX_TAKEN', {}, { expected: 1 })],
    ['another signer', { by: bob }, refusal('SIGNATURE', { httpStatus: 400 })],
    ['a used nonce', { nonce: 0 }, refusal('SIGNATURE', { httpStatus: 400 })],
    ['a nonce ahead', { nonce: 7 }, refusal('SIGNATURE', { httpStatus: 400 })],
    ['the past', { deadline: now - 1 }, refusal('DEADLINE', { httpStatus: 400 })],
    ['tomorrow', { deadline: now + 86_400 }, refusal('DEADLINE', { httpStatus: 400 })],
  ]
  for (const [name, signing, error] of refused)
    await t.rejects(attempt(registry, signing), error, name)
  const zero = {
    commitment: '0'.repeat(64),
    storedKey: new Uint8Array(32),
    serverKey: new Uint8Array(32),
  }
  await t.rejects(registerBySigning(registry, alice, zero), refusal('EMPTY_VALUE'))
  await t.rejects(revokeBySigning(registry, alice, 3), refusal('NOT_ACTIVE'))
  for (let i = 1; i < 10; i++) await registerBySigning(registry, alice, materialFor(String(i)))
  const eleventh = registerBySigning(registry, alice, materialFor('11'))
  await t.rejects(eleventh, refusal('TOO_MANY_KEYS', { httpStatus: 409 }))
  t.equal(Number(await stationNonce(room)), Number(before) + 9)
})

t.test('deadlines are compared with the time of the chain, not of the wall', async (t) => {
  const day = 86_400
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + day * 1_000 }
  const room = await openChainRoom(t, { clock })
  const { registry } = await openClients(t, room.environment)
  await registry.ready()
  const wall = Math.floor(systemClock.now() / 1_000)
  await t.rejects(attempt(registry, { deadline: wall + 900 }), refusal('DEADLINE'))
  t.match(await attempt(registry, { deadline: wall + day + 900 }), { index: 0 })
})

function nextLook(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50))
}

const relaySelector = id(
  'registerKeyMeta(address,uint256,bytes32,bytes32,bytes32,uint256,uint256,bytes)',
).slice(0, 10)

/** Code that puts `runtime` (hex, at most 32 bytes) on the chain. */
function creationOf(runtime: string): string {
  const size = runtime.length / 2
  const push = (0x5f + size).toString(16)
  const hex = (value: number) => value.toString(16).padStart(2, '0')
  return `0x${push}${runtime}5f5260${hex(size)}60${hex(32 - size)}f3`
}

t.test('a contract wallet is asked, and a hostile one burns no more than its cap', async (t) => {
  const room = await openChainRoom(t, { fund: [bob.address] })
  const { registry } = await openClients(t, room.environment)
  await registry.ready()
  // Loops for ever; answers ERC-1271's yes; answers nothing.
  const wallets = { endless: '5b5f56', agreeing: '631626ba7e60e01b5f5260205ff3', mute: '00' }
  const outcomes: Record<string, unknown> = {}
  for (const [name, runtime] of Object.entries(wallets)) {
    const made = await sendDirectly(room.chain, { by: bob, data: creationOf(runtime) })
    const address = String(made.contractAddress)
    while ((await registry.code(address)) === '0x') await nextLook()
    const material = materialFor(name)
    const deadline = registry.chainTime() + 900
    const args = { address, index: 0, ...material }
    outcomes[name] = await registry.registerMeta(args, `0x${'ab'.repeat(80)}`, deadline).then(
      () => 'sent',
      (error) => error.extra.reason,
    )
  }
  for (const { method, params } of room.server.calls) {
    const { data, gas } = (params[0] ?? {}) as Record<string, string>
    const relays = method === 'eth_call' && data?.startsWith(relaySelector)
    if (relays) t.equal(Number(gas), 400_000, 'capped in simulation')
  }
  t.same(outcomes, { endless: 'SIGNATURE', agreeing: 'sent', mute: 'SIGNATURE' })
})

t.test('a transaction that was written down and not sent is sent at the next start', async (t) => {
  const room = await openChainRoom(t)
  const store = openMemoryStore()
  const { server } = room
  const first = await openClients(t, room.environment, { store })
  await first.registry.ready()
  server.silent.add('eth_sendRawTransaction')
  const heard = server.called('eth_sendRawTransaction')
  const unsent = registerBySigning(first.registry, alice, materialFor('a')).catch((error) => error)
  await heard
  await first.close()
  t.match(await unsent, { extra: { reason: /TX_PENDING|CHAIN_UNAVAILABLE/ } })
  t.equal(Number(await stationNonce(room)), 0)
  server.silent.clear()
  const second = await openClients(t, room.environment, { store })
  await second.registry.ready()
  while ((await second.registry.account(alice.address)).nextIndex === 0) {
    await nextLook()
  }
  t.match(await second.registry.getKey(alice.address, 0), { active: true })
  t.match(await registerBySigning(second.registry, alice, materialFor('b')), { index: 1 })
  t.equal(Number(await stationNonce(room)), 2, 'and its nonce was not given out twice')
})

t.test('an empty gas station says so, and no gas station too', async (t) => {
  const room = await openChainRoom(t)
  const poor = await openClients(t, room.environment)
  room.server.lie = async ({ method }, honest) => (method === 'eth_getBalance' ? '0x1' : honest())
  const empty = registerBySigning(poor.registry, alice, materialFor('a'))
  await t.rejects(empty, refusal('SPONSOR_EMPTY', { httpStatus: 503 }))
  room.server.lie = undefined
  const { AUTH_GAS_STATION_PRIVATE_KEY: _, ...without } = room.environment
  const none = await openClients(t, without)
  await none.registry.ready()
  t.equal(none.registry.relays, false)
  const unpaid = registerBySigning(none.registry, alice, materialFor('a'))
  await t.rejects(unpaid, refusal('NO_GAS_STATION'))
})

const rows = new Rows(scopeOf(1, alice.address))
const intentOf = (nonce: number, given: Partial<Intent> = {}): Intent => ({
  ...{ nonce, wallet: alice.address.toLowerCase(), to: bob.address, data: '0x', gasLimit: 21_000 },
  ...{
    maxFee: 10n ** 12n,
    tip: 1n,
    raw: '0x',
    hashes: [`0x${nonce}`],
    day: 20_000,
    cost: 10n ** 15n,
  },
  ...given,
})

eachStore(t, 'a wallet has its quota of a day, all together the budget', async (t, { store }) => {
  const free = new Intents(store, rows, undefined)
  for (let i = 0; i < 20; i++) {
    await free.add(intentOf(i))
    await free.finish(intentOf(i), 1n)
  }
  await t.rejects(free.add(intentOf(20)), refusal('SPONSOR_QUOTA', { httpStatus: 429 }))
  await free.add(intentOf(20, { wallet: bob.address.toLowerCase() }))
  await free.add(intentOf(21, { day: 20_001 }))
  t.same(
    (await free.load()).map(({ nonce }) => nonce),
    [20, 21],
  )
  const day = 20_010
  const tight = new Intents(store, rows, 25n * 10n ** 14n)
  await tight.add(intentOf(30, { day }))
  await tight.add(intentOf(31, { day }))
  await t.rejects(tight.add(intentOf(32, { day })), refusal('SPONSOR_BUDGET'))
  await tight.finish(intentOf(30, { day }), 1n)
  const soFar = 15n * 10n ** 14n
  await t.rejects(tight.add(intentOf(32, { day }), soFar), refusal('SPONSOR_PACE'))
  await tight.add(intentOf(32, { day }))
  const dearer = intentOf(32, { day, cost: 3n * 10n ** 15n })
  await t.rejects(tight.replace(intentOf(32, { day }), dearer), refusal('SPONSOR_BUDGET'))
  t.match((await tight.load()).at(-1), intentOf(32, { day }), 'as it was written')
})

t.test('the budget of the settings is the one in force', async (t) => {
  const room = await openChainRoom(t)
  const { registry } = await openClients(t, { ...room.environment, SPONSOR_DAILY_BUDGET: '0' })
  const refused = registerBySigning(registry, alice, materialFor('a'))
  await t.rejects(refused, refusal('SPONSOR_BUDGET', { httpStatus: 503 }))
  t.equal(readSettings({}).SPONSOR_DAILY_BUDGET, 5n * 10n ** 16n)
})
