// The contracts on the chain that Sigil itself runs, through ethers as any program would use them: the
// artifacts deploy, sponsored keys arrive, custom errors read as their names, gas is as measured.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BrowserProvider, ContractFactory, id, isError, Wallet, ZeroHash } from 'ethers'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { anchorRegistryArtifact } from '../../src/chain/artifacts/anchor-registry.js'
import { keyRegistryArtifact } from '../../src/chain/artifacts/key-registry.js'
import { type LocalChain, openLocalChain } from '../../src/chain/local/open.js'
import { keyValues, listed, requestTypes } from '../support/registry-room.js'

const chainId = 31337
const gas = JSON.parse(
  readFileSync(join(process.cwd(), 'protocol-fixtures/contracts/gas.json'), 'utf8'),
) as Readonly<Record<string, number>>

async function openScene(t: Test) {
  const options = { folder: undefined, chainId, fund: [], clock: systemClock, log: silentLog }
  const chain: LocalChain = await openLocalChain(options)
  t.teardown(() => chain.close())
  const network = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 25 }
  const provider = new BrowserProvider(chain, chainId, network)
  t.teardown(() => provider.destroy())
  const keys = await chain.keys()
  return {
    owner: new Wallet(keys.owner, provider),
    station: new Wallet(keys.gasStation, provider),
    wallet: new Wallet(id('a wallet of the local chain'), provider),
  }
}

/** The name of the custom error that a call ends with. */
async function errorName(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    return isError(error, 'CALL_EXCEPTION') ? error.revert?.name : String(error)
  }
}

t.test('the registry and the anchors work on the local chain as on any', async (t) => {
  const { owner, station, wallet } = await openScene(t)
  const { abi, creationBytecode } = keyRegistryArtifact
  const registry = await new ContractFactory(abi, creationBytecode, owner).deploy(
    owner.address,
    station.address,
  )
  await registry.waitForDeployment()
  const verifyingContract = await registry.getAddress()
  const domain = { name: 'Sigil Key Registry', version: '1', chainId, verifyingContract }
  const deadline = Math.floor(systemClock.now() / 1000) + 900
  const values = keyValues('local')
  const request = { wallet: wallet.address, index: 0, ...values, nonce: 0, deadline }
  const types = { RegisterKey: [...requestTypes.RegisterKey] }
  const signature = await wallet.signTypedData(domain, types, request)
  const sponsored = registry.connect(station).getFunction('registerKeyMeta')
  const args = [wallet.address, 0, ...listed(values), 0, deadline, signature]
  const receipt = await (await sponsored(...args)).wait()
  t.equal(receipt.status, 1)
  t.ok(receipt.gasUsed <= (gas['registerKeyMeta, first'] ?? 0) * 1.05, `${receipt.gasUsed} gas`)
  const key = await registry.getFunction('getKey')(wallet.address, 0)
  t.equal(key.storedKey, values.storedKey)
  t.equal(key.active, true)
  t.equal(await errorName(sponsored.staticCall(...args)), 'InvalidAccountNonce')
  t.equal(await errorName(registry.getFunction('revokeKey').staticCall(7)), 'NotActive')
})

t.test('anchors are read back by the names of their values', async (t) => {
  const { owner } = await openScene(t)
  const { abi, creationBytecode } = anchorRegistryArtifact
  const anchors = await new ContractFactory(abi, creationBytecode, owner).deploy()
  await anchors.waitForDeployment()
  const link = { graphKey: id('graph'), root: id('root'), prev: ZeroHash, count: 256 }
  const receipt = await (await anchors.getFunction('anchor')([link])).wait()
  const known = gas['anchor, first of a graph'] ?? 0
  t.ok(receipt.gasUsed <= known * 1.05, `${receipt.gasUsed} gas`)
  const entry = await anchors.getFunction('getAnchor')(owner.address, link.graphKey, link.root)
  t.equal(entry.sequence, 1n)
  t.equal(entry.prev, ZeroHash)
  t.equal(entry.count, 256n)
  t.ok(entry.anchoredAt > 0n)
  t.equal(await errorName(anchors.getFunction('anchor').staticCall([link])), 'BadPrevious')
})
