// Deploys the key registry and the anchor contract, and makes the gas station the registry's.
// `sigil deploy` does it on a real chain, the first start on the local one. Existing contracts are
// verified and kept, so it may be interrupted at any point and repeated.

import { setTimeout as wait } from 'node:timers/promises'
import {
  concat,
  getAddress,
  getCreateAddress,
  Interface,
  Transaction,
  Wallet,
  ZeroAddress,
} from 'ethers'
import { receiptMsMax } from '../base/limits/chain.js'
import { anchorRegistryArtifact } from './artifacts/anchor-registry.js'
import { keyRegistryAbi, keyRegistryArtifact } from './artifacts/key-registry.js'
import { type ContractArtifact, requireCode } from './registry/contract-code.js'
import { ChainAway } from './remote/away.js'
import { type Header, readHeader } from './remote/header.js'
import type { Provider } from './remote/provider.js'
import { type Receipt, readReceipt } from './sending/receipt.js'
import { addressOfWord, bigQuantity, quantity, requireHex, wordsOf } from './words.js'

/** Gas of a deployment: the registry takes 1.5 million. */
const deployGasMax = 4_000_000

const registryInterface = new Interface(keyRegistryAbi)

interface DeployOptions {
  readonly provider: Provider
  readonly chainId: number
  /** Private key of the deployer and owner. */
  readonly ownerKey: string
  /** Private key of the gas station; if missing, the registry has none. */
  readonly stationKey: string | undefined
  /** Contracts that already exist. */
  readonly registry?: string | undefined
  readonly anchor?: string | undefined
  /** Poll interval for a receipt, milliseconds. */
  readonly pollMs: number
}

export interface Deployed {
  readonly registry: string
  readonly anchor: string
  /** No event of either contract is older. */
  readonly block: number
  /** Hashes of the sent transactions, for explorers. */
  readonly sent: readonly string[]
}

/** Rejects with RpcError, or ChainAway, also if an existing contract has other code. */
export async function deployContracts(options: DeployOptions): Promise<Deployed> {
  const { provider, ownerKey, stationKey } = options
  const owner = new Sender(options, ownerKey)
  const station = stationKey === undefined ? undefined : new Wallet(stationKey).address
  const head = await latest(provider)
  const sent: Promise<Receipt>[] = []
  const nonces = [await owner.nonce()]
  const deploy = async (given: string | undefined, artifact: ContractArtifact, args: string) => {
    if (given !== undefined) return getAddress(given)
    const nonce = (nonces[0] ?? 0) + sent.length
    sent.push(owner.send({ nonce, data: concat([artifact.creationBytecode, args]) }))
    return getCreateAddress({ from: owner.address, nonce })
  }
  const args = registryInterface.encodeDeploy([owner.address, station ?? ZeroAddress])
  const registry = await deploy(options.registry, keyRegistryArtifact, args)
  const anchor = await deploy(options.anchor, anchorRegistryArtifact, '0x')
  const receipts = await Promise.all(sent)
  await requireDeployed(provider, keyRegistryArtifact, registry)
  await requireDeployed(provider, anchorRegistryArtifact, anchor)
  if (stationKey !== undefined) receipts.push(...(await appoint(options, registry, stationKey)))
  const blocks = receipts.map(({ block }) => block)
  const block = blocks.length === 0 ? head.number : Math.min(...blocks)
  return { registry, anchor, block, sent: receipts.map(({ hash }) => hash) }
}

/**
 * The addresses of contracts whose owner has sent nothing before them. On the local chain only
 * Sigil has the owner's key. Undefined for contracts that are not deployed yet.
 */
export async function findOwn(provider: Provider, ownerKey: string) {
  const { address: from } = new Wallet(ownerKey)
  const find = async (nonce: number, artifact: ContractArtifact): Promise<string | undefined> => {
    const address = getCreateAddress({ from, nonce })
    const code = await codeAt(provider, address)
    if (code === '0x') return undefined
    requireCode(code, artifact, address)
    return address
  }
  return {
    registry: await find(0, keyRegistryArtifact),
    anchor: await find(1, anchorRegistryArtifact),
  }
}

/** Throws ChainAway if the code at `address` is not the artifact's. */
async function requireDeployed(
  provider: Provider,
  artifact: ContractArtifact,
  address: string,
): Promise<void> {
  requireCode(await codeAt(provider, address), artifact, address)
}

/** The owner proposes the station and the station accepts, unless it already is the registry's. */
async function appoint(
  options: DeployOptions,
  registry: string,
  stationKey: string,
): Promise<Receipt[]> {
  const { provider, ownerKey } = options
  const station = new Sender(options, stationKey)
  const params = [
    { to: registry, data: registryInterface.encodeFunctionData('gasStation') },
    'latest',
  ]
  const [current = ''] = wordsOf(await provider.request({ method: 'eth_call', params }), 1)
  if (addressOfWord(current) === station.address.toLowerCase()) return []
  const owner = new Sender(options, ownerKey)
  const propose = registryInterface.encodeFunctionData('proposeGasStation', [station.address])
  const accept = registryInterface.encodeFunctionData('acceptGasStation')
  const proposed = await owner.send({ to: registry, data: propose })
  return [proposed, await station.send({ to: registry, data: accept })]
}

async function codeAt(provider: Provider, address: string): Promise<string> {
  const params = [address, 'latest']
  return requireHex(await provider.request({ method: 'eth_getCode', params })).toLowerCase()
}

async function latest(provider: Provider): Promise<Header> {
  const params = ['latest', false]
  return readHeader(await provider.request({ method: 'eth_getBlockByNumber', params }))
}

interface Call {
  readonly to?: string
  readonly data: string
  /** The next one of the account by default. */
  readonly nonce?: number
}

/** Sends single transactions of one account and waits for each; stores nothing. */
class Sender {
  readonly address: string
  private readonly wallet: Wallet
  private readonly options: DeployOptions

  constructor(options: DeployOptions, key: string) {
    this.options = options
    this.wallet = new Wallet(key)
    this.address = this.wallet.address
  }

  async nonce(): Promise<number> {
    return quantity(await this.ask('eth_getTransactionCount', this.address, 'latest'))
  }

  /** Rejects with ChainAway if the transaction reverts. */
  async send({ to, data, nonce }: Call): Promise<Receipt> {
    const { provider, chainId } = this.options
    const call = { from: this.address, data, ...(to && { to }) }
    const [gas, count, head] = await Promise.all([
      this.ask('eth_estimateGas', call).then(quantity),
      nonce ?? this.nonce(),
      latest(provider),
    ])
    const price =
      head.baseFee === undefined
        ? { type: 0, gasPrice: bigQuantity(await this.ask('eth_gasPrice')) }
        : await this.fees(head.baseFee)
    const gasLimit = Math.min(deployGasMax, Math.ceil(gas * 1.1))
    const fields = { chainId, nonce: count, data, gasLimit, value: 0, ...(to && { to }) }
    const tx = Transaction.from({ ...fields, ...price })
    tx.signature = this.wallet.signingKey.sign(tx.unsignedHash)
    await this.ask('eth_sendRawTransaction', tx.serialized)
    return this.receipt(tx.hash ?? '')
  }

  private async fees(baseFee: bigint) {
    const tip = bigQuantity(await this.ask('eth_maxPriorityFeePerGas'))
    return { type: 2, maxPriorityFeePerGas: tip, maxFeePerGas: 2n * baseFee + tip }
  }

  private async receipt(hash: string): Promise<Receipt> {
    const { pollMs } = this.options
    for (let waited = 0; waited < 2 * receiptMsMax; waited += pollMs) {
      const receipt = readReceipt(await this.ask('eth_getTransactionReceipt', hash))
      if (receipt?.ok === false) throw new ChainAway(`transaction ${hash} reverted`)
      if (receipt !== undefined) return receipt
      await wait(pollMs)
    }
    throw new ChainAway(`no block has taken transaction ${hash} yet; run this again`)
  }

  private ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return this.options.provider.request({ method, params })
  }
}
