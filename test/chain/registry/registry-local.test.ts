// The local chain behind the registry: ready by itself at the first start, the same at the next,
// and exact at the next request, for transactions of any sender.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Interface } from 'ethers'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { keyRegistryAbi } from '../../../src/chain/artifacts/key-registry.js'
import { localChainStartMsMax } from '../../../src/chain/open.js'
import { openLmdbStore } from '../../../src/store/lmdb.js'
import {
  materialFor,
  openClients,
  refusal,
  registerBySigning,
  revokeBySigning,
  sendDirectly,
} from '../../support/chain-room.js'
import { temporaryFolder } from '../../support/stores.js'
import { testWallet } from '../../support/wallet.js'

const contract = new Interface(keyRegistryAbi)
const alice = testWallet('alice')
const ether = 10n ** 18n

t.test('the first start deploys, and the second finds everything', async (t) => {
  const folder = await temporaryFolder(t)
  const open = async () => {
    const path = join(folder, 'store')
    const of = { path, durability: 'interval', clock: systemClock, log: silentLog } as const
    const store = await openLmdbStore(of)
    return { store, opened: await openClients(t, {}, { store, folder: join(folder, 'chain') }) }
  }
  const first = await open()
  const health = { mode: 'local', chainId: 31_337, head: null }
  t.match(first.opened.health(), { ...health, ok: true }, 'a new one begins when it is asked')
  await first.opened.registry.ready()
  const { contract: address } = first.opened.registry
  await registerBySigning(first.opened.registry, alice, materialFor('a'))
  await registerBySigning(first.opened.registry, alice, materialFor('b'))
  await revokeBySigning(first.opened.registry, alice, 0)
  const head = first.opened.health().head ?? 0
  t.match(first.opened.health(), { ok: true, ageMs: 0 })
  await first.opened.close()
  await first.store.close()
  const { store, opened } = await open()
  t.teardown(() => store.close())
  t.match(opened.health(), { ...health, ok: true }, 'one that is there has begun')
  const { registry } = opened
  await registry.ready()
  t.equal(registry.contract, address)
  t.equal(opened.health().head, head, 'nothing was deployed again')
  t.equal((await registry.candidates(materialFor('a').commitment)).length, 1)
  t.match(await registry.getKey(alice.address, 0), { active: false })
  t.equal(await registry.firstActive(alice.address), 1)
  t.match(await registerBySigning(registry, alice, materialFor('c')), { index: 2 })
})

t.test('a chain that starts is healthy while callers wait for it', async (t) => {
  const path = await temporaryFolder(t)
  let aheadMs = 0
  const elapsed = () => systemClock.elapsed() + aheadMs
  const clock = { ...systemClock, elapsed }
  const slow = await openClients(t, {}, { folder: path, clock })
  t.equal(slow.registry.state(), 'starting')
  t.match(slow.health(), { ok: true, head: null })
  aheadMs = localChainStartMsMax
  t.match(slow.health(), { ok: false, head: null })
  await slow.registry.ready()
  t.match(slow.health(), { ok: true, head: Number })
  const file = join(path, 'no folder')
  await writeFile(file, '')
  const broken = await openClients(t, {}, { folder: file })
  while (broken.health().problem === undefined) await setTimeout(1)
  t.match(broken.health(), { ok: false, head: null })
})

t.test('a direct revocation holds once its sender has the answer', async (t) => {
  const { registry, local, chainId } = await openClients(t, {})
  if (local === undefined) throw new Error('no local chain')
  await registry.ready()
  await local.fund(alice.address, ether)
  const chain = { chainId, request: local.request }
  const to = registry.contract
  for (let index = 0; index < 5; index++) {
    const { commitment, storedKey, serverKey } = materialFor(String(index))
    const values = [index, `0x${commitment}`, storedKey, serverKey]
    const register = contract.encodeFunctionData('registerKey', values)
    await sendDirectly(chain, { by: alice, to, data: register })
    t.equal((await registry.candidates(commitment)).length, 1)
    await registry.getKey(alice.address, index)
    t.equal(registry.keyStatus(alice.address, index), 'active')
    const data = contract.encodeFunctionData('revokeKey', [index])
    await sendDirectly(chain, { by: alice, to, data })
    t.equal(registry.keyStatus(alice.address, index), 'revoked')
  }
})

t.test('sigil may end before its chain has begun', async (t) => {
  const opened = await openClients(t, {})
  t.throws(() => opened.registry.contract, refusal('CHAIN_UNAVAILABLE'))
  t.equal(opened.registry.keyStatus(alice.address, 0), 'unknown')
  await opened.close()
  await t.rejects(opened.registry.getKey(alice.address, 0), refusal('CHAIN_UNAVAILABLE'))
  const never = await openClients(t, {})
  t.match(never.health(), { ok: true, head: null }, 'one in memory begins when it is asked')
  await never.close()
  await t.rejects(never.registry.getKey(alice.address, 0), refusal('CHAIN_UNAVAILABLE'))
})
