// A real chain behind the endpoints of CHAIN_RPC_URL. Every poll of the head also checks the chain
// id: an endpoint that now serves another chain must not look like a reorganization.

import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { rpcEndpointsMax } from '../../base/limits/chain.js'
import type { Log } from '../../base/log.js'
import { quantity } from '../words.js'
import { ChainAway } from './away.js'
import type { Header } from './header.js'
import { type Provider, RpcError, type RpcRequest } from './provider.js'
import { Quorum } from './quorum.js'
import { RpcEndpoint } from './rpc-endpoint.js'

interface RemoteOptions {
  readonly urls: readonly string[]
  /** How many of them must agree. */
  readonly quorum: number
  readonly chainId: number
  readonly clock: Clock
  readonly log: Log
}

/** A node behind a load balancer may not have the newest block of another node yet. */
const lagForm = /(?:header|block|state) not (?:found|available)|unknown block|missing trie node/i
const lagMs = 250

export class Remote implements Provider {
  readonly chainId: number
  private readonly quorum: Quorum

  /** Throws InvalidOptions for unsafe addresses and impossible quorums. */
  constructor({ urls, quorum, chainId, clock, log }: RemoteOptions) {
    if (urls.length > rpcEndpointsMax) {
      throw fail('InvalidOptions', `CHAIN_RPC_URL takes at most ${rpcEndpointsMax} addresses`)
    }
    const endpoints = urls.map((url) => new RpcEndpoint(url, clock))
    if (new Set(endpoints.map(({ name }) => name)).size < quorum) {
      const text = `CHAIN_QUORUM=${quorum} needs as many different hosts in CHAIN_RPC_URL`
      throw fail('InvalidOptions', text)
    }
    this.chainId = chainId
    this.quorum = new Quorum(endpoints, quorum, log)
  }

  async request(request: RpcRequest): Promise<unknown> {
    try {
      return await this.quorum.request(request)
    } catch (error) {
      if (!(error instanceof RpcError) || !lagForm.test(error.message)) throw error
      await new Promise((resolve) => setTimeout(resolve, lagMs))
      return this.quorum.request(request)
    }
  }

  /** Rejects with ChainAway on another chain. */
  async latest(): Promise<Header> {
    const [id, head] = await Promise.all([
      this.quorum.request({ method: 'eth_chainId' }),
      this.quorum.head(),
    ])
    if (quantity(id) !== this.chainId) {
      throw new ChainAway(`the endpoint is of chain ${quantity(id)}, not ${this.chainId}`)
    }
    return head
  }
}
