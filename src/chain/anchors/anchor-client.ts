// The anchor contract with the entries of Sigil's account. Entries and their transactions are read
// from the chain; a separate station sends new roots. Entries of other accounts are ignored, so
// another account cannot anchor in Sigil's name.
// (docs/contracts.md, "AnchorRegistry"; contracts/AnchorRegistry.sol)

import { Interface, id } from 'ethers'
import type { Clock } from '../../base/clock.js'
import { anchorRegistryAbi } from '../artifacts/anchor-registry.js'
import type { ContractReader } from '../registry/contract-reader.js'
import { unavailable } from '../remote/away.js'
import type { SharedHead } from '../remote/head.js'
import { type Header, hashOf, readHeader } from '../remote/header.js'
import type { Provider } from '../remote/provider.js'
import type { GasStation } from '../sending/gas-station.js'
import type { Receipt } from '../sending/receipt.js'
import { addressWord, callData, hexQuantity, numberOfWord, quantity, wordsOf } from '../words.js'
import { allowance, type Urgency } from './anchor-allowance.js'

const contractInterface = new Interface(anchorRegistryAbi)
const selectors = {
  getAnchor: id('getAnchor(address,bytes32,bytes32)').slice(0, 10),
  latestAnchor: id('latestAnchor(address,bytes32)').slice(0, 10),
} as const
const anchoredTopic = contractInterface.getEvent('Anchored')?.topicHash ?? ''
const noRoot = `0x${'0'.repeat(64)}`
const viewGas = 100_000

/** As a node sends it, before validation. */
type Log = Readonly<Record<string, unknown>>

/** A root of a graph to be sent; keys and roots are `0x` and 64 digits. */
export interface AnchorLink {
  readonly graphKey: string
  readonly root: string
  /** The preceding root; null for a graph's first. */
  readonly prev: string | null
  readonly count: number
}

/** The contract's record of a root. */
export interface AnchorEntry {
  /** Time of its block, seconds. */
  readonly at: number
  readonly sequence: number
  readonly prev: string | null
  readonly count: number
}

export interface LatestAnchor {
  readonly root: string | null
  readonly sequence: number
}

/** In the newest block, or in one with CHAIN_CONFIRMATIONS blocks. */
type Depth = 'newest' | 'confirmed'

export interface AnchorTransaction {
  readonly hash: string
  readonly block: number
}

/** An entry, from the event of its transaction. */
interface AnchorEvent {
  readonly root: string
  readonly entry: AnchorEntry
  readonly transaction: AnchorTransaction
}

interface AnchorClientOptions {
  readonly provider: Provider
  readonly reader: ContractReader
  readonly head: SharedHead
  readonly station: GasStation
  readonly chainId: number
  /** EIP-55. */
  readonly contract: string
  /** Blocks after which an entry counts, including its own. */
  readonly confirmations: number
  /** Wei a day; undefined if gas is free. */
  readonly budget: bigint | undefined
  readonly clock: Clock
}

/** All reads reject with CHAIN_UNAVAILABLE if the chain does not answer. */
export class AnchorClient {
  readonly chainId: number
  /** EIP-55, both. */
  readonly contract: string
  readonly sender: string

  constructor(private readonly options: AnchorClientOptions) {
    this.chainId = options.chainId
    this.contract = options.contract
    this.sender = options.station.address
  }

  /** Rejects with CHAIN_UNAVAILABLE unless the chain answers now. */
  async reachable(): Promise<void> {
    await this.options.head.fresh()
  }

  /** Undefined if no block of that depth contains it. */
  async entry(graphKey: string, root: string, depth: Depth): Promise<AnchorEntry | undefined> {
    const data = callData(selectors.getAnchor, addressWord(this.sender), wordOf(graphKey, root))
    const [at, sequence, prev, count] = wordsOf(await this.view(data, depth), 4)
    if (numberOfWord(at) === 0) return undefined
    return {
      at: numberOfWord(at),
      sequence: numberOfWord(sequence),
      prev: rootOf(prev),
      count: numberOfWord(count),
    }
  }

  /** The newest root of a graph; sequence 0 before the first. */
  async latest(graphKey: string, depth: Depth): Promise<LatestAnchor> {
    const data = callData(selectors.latestAnchor, addressWord(this.sender), wordOf(graphKey))
    const [root, sequence] = wordsOf(await this.view(data, depth), 2)
    return { root: rootOf(root), sequence: numberOfWord(sequence) }
  }

  /**
   * The transaction that anchored a root: searched in block `near`, then by the time of its entry.
   * Undefined if there is none.
   */
  async transaction(
    graphKey: string,
    root: string,
    at: number,
    near: number | null,
  ): Promise<AnchorTransaction | undefined> {
    const { number: newest } = await this.options.head.fresh()
    try {
      if (near !== null && near >= 0 && near <= newest) {
        const found = await this.logged(graphKey, root, near, near)
        if (found !== undefined) return found
      }
      const first = await this.firstBlock(at, 0, newest)
      const end = await this.firstBlock(at + 1, first, newest)
      return first < end ? await this.logged(graphKey, root, first, end - 1) : undefined
    } catch (error) {
      throw unavailable(error)
    }
  }

  /**
   * The anchors of a graph in a range of confirmed blocks. Rejects with RpcError if the node
   * refuses the range as too long.
   */
  async events(graphKey: string, from: number, to: number): Promise<AnchorEvent[]> {
    const { head, confirmations } = this.options
    const last = Math.min(to, (await head.fresh()).number - (confirmations - 1))
    if (from > last) return []
    const logs = await this.logs([graphKey], from, last)
    return logs.map((log) => eventOf(log))
  }

  /**
   * Anchors all or none; resolves with the receipt of the first block. Rejects with the RpcError of
   * a revert, or 503 of the station: SPONSOR_PACE if the day's allowance is not available yet.
   */
  async send(links: readonly AnchorLink[], urgency: Urgency): Promise<Receipt> {
    const { head, station, budget, clock } = this.options
    const entries = links.map((link) => ({ ...link, prev: link.prev ?? noRoot }))
    const data = contractInterface.encodeFunctionData('anchor', [entries])
    const soFar = budget === undefined ? undefined : allowance(budget, clock.now(), urgency)
    const given = { wallet: this.sender, to: this.contract, data, soFar }
    const receipt = await station.relay(given, await head.fresh())
    await head.reached(receipt.block).catch(() => {})
    return receipt
  }

  /** Resolves once no transaction of this or an earlier process is pending. */
  settled(): Promise<void> {
    return this.options.station.settled()
  }

  private async view(data: string, depth: Depth): Promise<string> {
    const { reader, head, confirmations } = this.options
    const newest = await head.fresh()
    const under = depth === 'newest' ? 0 : confirmations - 1
    const at: Header = { ...newest, number: Math.max(0, newest.number - under) }
    const call = { to: this.contract, data, gas: viewGas }
    return reader.call(call, at).catch((error) => {
      throw unavailable(error)
    })
  }

  private async logged(
    graphKey: string,
    root: string,
    from: number,
    to: number,
  ): Promise<AnchorTransaction | undefined> {
    const [log] = await this.logs([graphKey, root], from, to)
    return log === undefined ? undefined : transactionOf(log)
  }

  /** Logs of Sigil's account, by graph or by graph and root. */
  private async logs(topics: readonly string[], from: number, to: number): Promise<Log[]> {
    const { provider } = this.options
    const filter = {
      address: this.contract,
      topics: [anchoredTopic, `0x${addressWord(this.sender)}`, ...topics],
      fromBlock: hexQuantity(from),
      toBlock: hexQuantity(to),
    }
    const logs = await provider.request({ method: 'eth_getLogs', params: [filter] })
    return Array.isArray(logs) ? (logs as Log[]) : []
  }

  /** The first block from `low` on that is not older than `at`; `newest + 1` if there is none. */
  private async firstBlock(at: number, low: number, newest: number): Promise<number> {
    let [from, end] = [low, newest + 1]
    while (from < end) {
      const middle = Math.floor((from + end) / 2)
      if ((await this.timeOf(middle)) < at) from = middle + 1
      else end = middle
    }
    return from
  }

  private async timeOf(block: number): Promise<number> {
    const params = [hexQuantity(block), false]
    const { provider } = this.options
    return readHeader(await provider.request({ method: 'eth_getBlockByNumber', params })).timestamp
  }
}

function wordOf(...hashes: readonly string[]): string {
  return hashes.map((hash) => hash.slice(2)).join('')
}

function transactionOf(log: Log): AnchorTransaction {
  return { hash: hashOf(log.transactionHash), block: quantity(log.blockNumber) }
}

function eventOf(log: Log): AnchorEvent {
  const [, , , root] = Array.isArray(log.topics) ? (log.topics as unknown[]) : []
  const [prev, sequence, count, at] = wordsOf(log.data, 4)
  const numbers = { at: numberOfWord(at), sequence: numberOfWord(sequence) }
  const entry = { ...numbers, prev: rootOf(prev), count: numberOfWord(count) }
  return { root: hashOf(root), entry, transaction: transactionOf(log) }
}

function rootOf(word: string | undefined): string | null {
  const root = `0x${word ?? ''}`
  return root === noRoot ? null : root
}
