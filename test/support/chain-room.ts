// A chain that plays the real one: a local chain served over HTTP with the contracts deployed by an
// owner of ours, and Sigil's chain clients opened on it as a gateway would.

import type { Wallet } from 'ethers'
import type { Test } from 'tap'
import { type Clock, systemClock } from '../../src/base/clock.js'
import { type Log, silentLog } from '../../src/base/log.js'
import { readSettings } from '../../src/base/settings.js'
import { type Deployed, deployContracts } from '../../src/chain/deploy.js'
import { type LocalChain, openLocalChain } from '../../src/chain/local/open.js'
import { type OpenChain, openChain } from '../../src/chain/open.js'
import type { KeyMaterial, Registry, Relayed } from '../../src/chain/registry/registry.js'
import type { Provider } from '../../src/chain/remote/provider.js'
import { openMemoryStore } from '../../src/store/memory.js'
import type { Store } from '../../src/store/store.js'
import { RpcServer } from './rpc-server.js'
import { signRegister, signRevoke, testWallet } from './wallet.js'

export const chainOwner = testWallet('owner of the contracts')
export const chainStation = testWallet('gas station')

export interface ChainRoom {
  readonly chain: LocalChain
  readonly deployed: Deployed
  readonly server: RpcServer
  /** Settings of a Sigil that uses it as its real chain. */
  readonly environment: Readonly<Record<string, string>>
}

interface RoomOptions {
  readonly chainId?: number
  readonly clock?: Clock
  readonly fund?: readonly string[]
}

export async function openChainRoom(t: Test, options: RoomOptions = {}): Promise<ChainRoom> {
  const { chainId = 31_337, clock = systemClock, fund = [] } = options
  const funded = [chainOwner.address, chainStation.address, ...fund]
  const chain = await openLocalChain({
    ...{ folder: undefined, chainId, fund: funded, clock, log: silentLog },
  })
  t.teardown(() => chain.close())
  const published = await publish(t, chain, chainId)
  const environment = {
    ...published.environment,
    AUTH_GAS_STATION_PRIVATE_KEY: chainStation.privateKey,
  }
  return { chain, ...published, environment }
}

/** Deploys Sigil's contracts, and serves the chain as JSON-RPC. */
export async function publish(t: Test, chain: Provider, chainId: number) {
  const deployed = await deployContracts({
    ...{ provider: chain, chainId, pollMs: 20 },
    ownerKey: chainOwner.privateKey,
    stationKey: chainStation.privateKey,
  })
  const server = await RpcServer.open(t, chain)
  const environment = {
    CHAIN_RPC_URL: server.url(),
    CHAIN_ID: String(chainId),
    CHAIN_DEPLOY_BLOCK: String(deployed.block),
    AUTH_CONTRACT_ADDRESS: deployed.registry,
    ANCHOR_CONTRACT_ADDRESS: deployed.anchor,
  }
  return { deployed, server, environment }
}

interface ClientOptions {
  readonly store?: Store
  readonly clock?: Clock
  readonly log?: Log
  readonly folder?: string
  readonly mayHost?: () => Promise<boolean>
}

/** Sigil's side; ends with the test. */
export async function openClients(
  t: Test,
  environment: Readonly<Record<string, string>>,
  options: ClientOptions = {},
): Promise<OpenChain> {
  const { store = openMemoryStore(), clock = systemClock, log = silentLog, folder } = options
  const { mayHost = async () => true } = options
  const settings = readSettings(environment)
  const opened = openChain({ settings, folder, mayHost, store, clock, log })
  t.teardown(() => opened.close())
  return opened
}

/** Key values that no other name has; their key is unknown, so they open nothing. */
export function materialFor(name: string): KeyMaterial {
  const words = testWallet(name).signingKey.publicKey.slice(4)
  const bytes = (at: number) => new Uint8Array(Buffer.from(words.slice(at, at + 64), 'hex'))
  return { commitment: words.slice(0, 64), storedKey: bytes(2), serverKey: bytes(60) }
}

/** As a wallet does it: asks for nonce and index, signs, has it relayed. */
export async function registerBySigning(
  registry: Registry,
  wallet: Wallet,
  material: KeyMaterial,
): Promise<Relayed & { index: number }> {
  const { nextIndex: index, nonce } = await registry.account(wallet.address)
  const deadline = registry.chainTime() + 900
  const signature = await signRegister(wallet, {
    ...{ data: registry.typedData(), index, material, nonce: Number(nonce), deadline },
  })
  const args = { address: wallet.address, index, ...material }
  return { ...(await registry.registerMeta(args, signature, deadline)), index }
}

export async function revokeBySigning(
  registry: Registry,
  wallet: Wallet,
  index: number,
): Promise<Relayed> {
  const { nonce } = await registry.account(wallet.address)
  const deadline = registry.chainTime() + 900
  const request = { data: registry.typedData(), index, nonce: Number(nonce), deadline }
  const signature = await signRevoke(wallet, request)
  return registry.revokeMeta({ address: wallet.address, index }, signature, deadline)
}

interface Transaction {
  readonly by: Wallet
  readonly to?: string
  readonly data: string
  readonly gas?: number
}

/** A wallet's own transaction, past Sigil; resolves with the receipt. */
export async function sendDirectly(
  chain: Pick<LocalChain, 'chainId' | 'request'>,
  { by, to, data, gas }: Transaction,
) {
  const ask = (method: string, ...params: unknown[]) => chain.request({ method, params })
  const nonce = Number(await ask('eth_getTransactionCount', by.address, 'pending'))
  const raw = await by.signTransaction({
    ...{ type: 2, chainId: chain.chainId, nonce, data, gasLimit: gas ?? 1_000_000 },
    ...{ maxFeePerGas: 1_000n, maxPriorityFeePerGas: 0n, ...(to && { to }) },
  })
  const hash = await ask('eth_sendRawTransaction', raw)
  return (await ask('eth_getTransactionReceipt', hash)) as Record<string, string>
}

/** What a refused act is matched with: its reason, and more of the error where that matters. */
export function refusal(reason: string, more: object = {}, extra: object = {}) {
  return { name: 'GatewayError', ...more, extra: { reason, ...extra } }
}
