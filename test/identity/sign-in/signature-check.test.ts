// Signatures of contract wallets, over the local chain as a gateway has it: what they say counts,
// what they do to the chain does not happen, and a chain that is away is no refusal.

import { AbiCoder, BrowserProvider, ContractFactory, concat, id, type Wallet } from 'ethers'
import t, { type Test } from 'tap'
import type { Bytes } from '../../../src/base/bytes/bytes.js'
import { signatureGasLocal } from '../../../src/base/limits/identity.js'
import type { OpenChain } from '../../../src/chain/open.js'
import { SignatureChecker } from '../../../src/identity/sign-in/signature-check.js'
import { burningWalletArtifact } from '../../contracts/mocks/burning-wallet.js'
import { oddWalletArtifact } from '../../contracts/mocks/odd-wallet.js'
import { ownedWalletArtifact } from '../../contracts/mocks/owned-wallet.js'
import { walletFactoryArtifact } from '../../contracts/mocks/wallet-factory.js'
import { yesWalletArtifact } from '../../contracts/mocks/yes-wallet.js'
import { openChainRoom, openClients } from '../../support/chain-room.js'
import { testWallet } from '../../support/wallet.js'

const holder = testWallet('holder')
const otherWallet = testWallet('otherWallet')
const text = 'localhost:8080 wants you to sign in'
const wrappedEnd = `0x${'6492'.repeat(16)}`
const noSignature = new Uint8Array(0)

interface Artifact {
  readonly abi: readonly unknown[]
  readonly creationBytecode: string
}

interface Room {
  readonly checker: SignatureChecker
  deploy(artifact: Artifact, ...args: readonly unknown[]): Promise<{ address: string; call: Call }>
  stateRoot(): Promise<unknown>
}

type Call = (name: string, ...args: readonly unknown[]) => Promise<unknown>

async function openRoom(t: Test): Promise<Room> {
  const opened = await openClients(t, {})
  const local = requireLocal(opened)
  await opened.registry.ready()
  const request = (method: string, params: readonly unknown[] = []) =>
    local.request({ method, params })
  const provider = new BrowserProvider(
    { request: ({ method, params }) => request(method, params as unknown[]) },
    31337,
    { staticNetwork: true, cacheTimeout: -1 },
  )
  provider.pollingInterval = 20
  const payer = testWallet('payer').connect(provider)
  await local.fund(payer.address, 10n ** 18n)
  return {
    checker: new SignatureChecker({ chain: opened.registry, gas: signatureGasLocal }),
    async deploy({ abi, creationBytecode }, ...args) {
      const factory = new ContractFactory(abi as never, creationBytecode, payer)
      const contract = await factory.deploy(...args)
      await contract.waitForDeployment()
      const call: Call = (name, ...given) => contract.getFunction(name).staticCall(...given)
      return { address: await contract.getAddress(), call }
    },
    async stateRoot() {
      const block = (await request('eth_getBlockByNumber', ['latest', false])) as {
        readonly stateRoot: string
        readonly number: string
      }
      return `${block.number} ${block.stateRoot}`
    },
  }
}

function requireLocal({ local }: OpenChain): NonNullable<OpenChain['local']> {
  if (local === undefined) throw new Error('not a local chain')
  return local
}

async function signed(wallet: Wallet): Promise<Bytes> {
  return bytesOf(await wallet.signMessage(text))
}

function bytesOf(hex: string): Bytes {
  return new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
}

t.test('ERC-1271: a contract says whose signature is its own', async (t) => {
  const room = await openRoom(t)
  const owned = await room.deploy(ownedWalletArtifact, holder.address)
  const before = await room.stateRoot()
  t.equal(await room.checker.holds(owned.address, text, await signed(holder)), true)
  t.equal(await room.checker.holds(owned.address, `${text}.`, await signed(holder)), false)
  t.equal(await room.checker.holds(owned.address, text, await signed(otherWallet)), false)
  t.equal(
    await room.checker.holds(otherWallet.address, text, await signed(holder)),
    false,
    'no code',
  )
  t.equal(await room.stateRoot(), before)
})

t.test('ERC-1271: signatures of any length are the contract’s to judge', async (t) => {
  const room = await openRoom(t)
  const { address } = await room.deploy(yesWalletArtifact)
  for (const length of [0, 1, 64, 65, 66, 1_000]) {
    t.equal(await room.checker.holds(address, text, new Uint8Array(length)), true, `${length}`)
  }
})

t.test('ERC-1271: odd answers, and none in time, are no', async (t) => {
  const room = await openRoom(t)
  for (let answer = 0; answer <= 6; answer++) {
    const { address } = await room.deploy(oddWalletArtifact, answer)
    t.equal(await room.checker.holds(address, text, noSignature), false, `answer ${answer}`)
  }
  const burning = await room.deploy(burningWalletArtifact)
  t.equal(await room.checker.holds(burning.address, text, noSignature), false)
})

t.test('ERC-6492: a wallet that is not there yet signs, and still is not there', async (t) => {
  const room = await openRoom(t)
  const factory = await room.deploy(walletFactoryArtifact)
  const args = [holder.address, id('salt')]
  const address = String(await factory.call('addressOf', ...args))
  const wrap = async (wallet: Wallet, name: string, ...given: readonly unknown[]) => {
    const data = new ContractFactory(walletFactoryArtifact.abi as never, '0x').interface
    const call = data.encodeFunctionData(name, given)
    const parts = [factory.address, call, await wallet.signMessage(text)]
    const body = AbiCoder.defaultAbiCoder().encode(['address', 'bytes', 'bytes'], parts)
    return bytesOf(concat([body, wrappedEnd]))
  }
  const before = await room.stateRoot()
  const good = await wrap(holder, 'deploy', ...args)
  t.equal(await room.checker.holds(address, text, good), true)
  t.equal(await room.checker.holds(address, `${text}.`, good), false, 'another text')
  t.equal(await room.checker.holds(holder.address, text, good), false, 'another address')
  const foreign = await wrap(otherWallet, 'deploy', ...args)
  t.equal(await room.checker.holds(address, text, foreign), false)
  t.equal(await room.checker.holds(address, text, await wrap(holder, 'refuse')), false)
  t.equal(await room.checker.holds(address, text, await wrap(holder, 'burn')), false)
  t.equal(await room.checker.holds(address, text, bytesOf(wrappedEnd)), false, 'nothing wrapped')
  t.equal(await room.checker.holds(address, text, await signed(holder)), false, 'not wrapped')
  t.equal(await room.stateRoot(), before, 'no block, no state')
})

t.test('a chain that is away is no refusal; a plain signature needs none', async (t) => {
  const { server, environment } = await openChainRoom(t)
  const { registry } = await openClients(t, environment)
  await registry.ready()
  const checker = new SignatureChecker({ chain: registry, gas: signatureGasLocal })
  await server.close()
  t.equal(await checker.holds(holder.address, text, await signed(holder)), true)
  const away = { code: 6, extra: { reason: 'CHAIN_UNAVAILABLE' } }
  await t.rejects(checker.holds(otherWallet.address, text, await signed(holder)), away)
  await t.rejects(checker.holds(holder.address, text, bytesOf(wrappedEnd)), away)
})
