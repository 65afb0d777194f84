// A chain that takes blocks back: the local chain's node in this process, over storage that is
// copied at a mark and opened again from there. What lies below the mark is the same, block by
// block; what comes after it is another chain.

import { setImmediate } from 'node:timers/promises'
import type { Test } from 'tap'
import { mapKey } from '../../src/base/bytes/bytes.js'
import { systemClock, systemRandom } from '../../src/base/clock.js'
import { runMethod } from '../../src/chain/local/methods.js'
import { LocalNode } from '../../src/chain/local/node.js'
import type { ChainStorage, Put } from '../../src/chain/local/storage.js'
import type { Provider, RpcRequest } from '../../src/chain/remote/provider.js'
import { chainOwner, chainStation, publish, sendDirectly } from './chain-room.js'
import { testWallet } from './wallet.js'

class CopiedStorage implements ChainStorage {
  constructor(private readonly values = new Map<string, Uint8Array>()) {}

  get(key: Uint8Array): Uint8Array | undefined {
    return this.values.get(mapKey(key))
  }

  commit(puts: readonly Put[]): void {
    for (const { key, value } of puts) this.values.set(mapKey(key), value)
  }

  copy(): CopiedStorage {
    return new CopiedStorage(new Map(this.values))
  }

  async close(): Promise<void> {}
}

const chainId = 31_337
const bystander = testWallet('who makes blocks')

class ForkingChain implements Provider {
  readonly chainId = chainId
  private readonly nodes: LocalNode[] = []
  private storage = new CopiedStorage()
  private node = this.open()

  async request({ method, params = [] }: RpcRequest): Promise<unknown> {
    return runMethod(this.node, 'own', method, params)
  }

  /** The chain as it is now. */
  mark(): CopiedStorage {
    return this.storage.copy()
  }

  /** Everything since the mark has never been. */
  rewind(mark: CopiedStorage): void {
    this.storage = mark.copy()
    this.node = this.open()
  }

  /** Blocks with nothing of Sigil's in them. */
  async extend(blocks: number): Promise<void> {
    for (let i = 0; i < blocks; i++) {
      await sendDirectly(this, { by: bystander, to: bystander.address, data: '0x' })
    }
  }

  async close(): Promise<void> {
    for (const node of this.nodes) await node.close()
  }

  private open(): LocalNode {
    const { storage } = this
    const fund = [chainOwner, chainStation, bystander].map(({ address }) => address)
    const node: LocalNode = new LocalNode({
      ...{ chainId, fund, random: systemRandom, now: systemClock.now, openStorage: () => storage },
      wake: () => void setImmediate().then(() => node.tick()),
      onBlock: () => {},
      onError: (text) => {
        throw new Error(text)
      },
    })
    this.nodes.push(node)
    return node
  }
}

/**
 * With Sigil's contracts, behind JSON-RPC; the environment is that of a Sigil which anchors there.
 */
export async function openForkingRoom(t: Test) {
  const chain = new ForkingChain()
  t.teardown(() => chain.close())
  const { server, environment } = await publish(t, chain, chainId)
  const own = { ...environment, CHAIN_PRIVATE_KEY: chainOwner.privateKey }
  return { chain, server, environment: own }
}
