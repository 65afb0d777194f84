// A chain made by hand, block by block: what the local one never does (reorganisations, gaps
// between looks, nodes that cap what they are asked for) is a line here.

import { id, zeroPadValue } from 'ethers'
import { registeredTopic, revokedTopic } from '../../src/chain/registry/key-events.js'
import {
  type Provider,
  RpcError,
  type RpcRequest,
  rpcCodes,
} from '../../src/chain/remote/provider.js'

export const scriptedContract = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

export interface ScriptedEvent {
  readonly kind: 'registered' | 'revoked'
  readonly address: string
  readonly index: number
  /** 64 hex digits. */
  readonly commitment: string
  readonly storedKey?: string
  readonly removed?: boolean
}

interface Block {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: number
  readonly events: readonly ScriptedEvent[]
}

export class ScriptedChain implements Provider {
  readonly asked: RpcRequest[] = []
  /** Blocks of one eth_getLogs; more are refused as providers do. */
  logBlocksMax = Number.MAX_SAFE_INTEGER
  /** What a range that is too long is refused with. */
  refusal = new RpcError(rpcCodes.limitExceeded, 'query returned more than 10000 results')
  startSeconds = 1_800_000_000
  secondsPerBlock = 12
  private blocks: Block[] = []
  private readonly listeners = new Set<() => void>()

  constructor(length = 1) {
    this.extend(length)
  }

  get head(): Block {
    const head = this.blocks.at(-1)
    if (head === undefined) throw new Error('a chain has a genesis')
    return head
  }

  /** `count` empty blocks; `salt` makes them others than those of the same number before. */
  extend(count: number, salt = ''): void {
    for (let i = 0; i < count; i++) this.add([], salt)
  }

  add(events: readonly ScriptedEvent[], salt = ''): void {
    const number = this.blocks.length
    const parentHash = this.blocks.at(-1)?.hash ?? id('nothing')
    const hash = id(`${parentHash} ${number} ${salt}`)
    const timestamp = this.startSeconds + number * this.secondsPerBlock
    this.blocks.push({ number, hash, parentHash, timestamp, events })
  }

  /** Takes blocks from `number` on back. */
  cut(number: number): void {
    this.blocks = this.blocks.slice(0, number)
  }

  /** Tells those who listen, as a local chain does. */
  tell(): void {
    for (const listener of this.listeners) listener()
  }

  onBlock(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  async request(request: RpcRequest): Promise<unknown> {
    this.asked.push(request)
    const [first] = request.params ?? []
    if (request.method === 'eth_getLogs') return this.logs(first as Record<string, string>)
    if (request.method !== 'eth_getBlockByNumber') throw new RpcError(-32_601, request.method)
    const block = first === 'latest' ? this.head : this.blocks[Number(first)]
    if (block === undefined) return null
    const { number, timestamp, events, ...hashes } = block
    return { ...hashes, number: hex(number), timestamp: hex(timestamp) }
  }

  /** The ranges that eth_getLogs was asked for. */
  ranges(): [number, number][] {
    return this.asked
      .filter(({ method }) => method === 'eth_getLogs')
      .map(({ params }) => {
        const { fromBlock, toBlock } = (params?.[0] ?? {}) as Record<string, string>
        return [Number(fromBlock), Number(toBlock)]
      })
  }

  private logs({ fromBlock, toBlock }: Record<string, string>): unknown[] {
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    if (to - from + 1 > this.logBlocksMax) throw this.refusal
    return this.blocks.slice(from, to + 1).flatMap((block) =>
      block.events.map((event, at) => ({
        ...{ address: scriptedContract.toLowerCase(), ...contentOf(event) },
        ...{ blockNumber: hex(block.number), blockHash: block.hash, logIndex: hex(at) },
        ...{ transactionHash: block.hash, removed: event.removed ?? false },
      })),
    )
  }
}

function contentOf({ kind, address, index, commitment, storedKey = '' }: ScriptedEvent) {
  const wallet = zeroPadValue(address, 32).toLowerCase()
  const topics = [wallet, `0x${index.toString(16).padStart(64, '0')}`, `0x${commitment}`]
  const word = storedKey.padEnd(64, '0')
  return kind === 'registered'
    ? { topics: [registeredTopic, ...topics], data: `0x${word}${word}` }
    : { topics: [revokedTopic, ...topics], data: '0x' }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
