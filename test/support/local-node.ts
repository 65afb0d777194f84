// The local chain's node without its worker: time in the test's hand, storage that can be told to
// fail, and transactions of throw-away wallets.

import { Wallet } from 'ethers'
import type { Test } from 'tap'
import { systemRandom } from '../../src/base/clock.js'
import type { GrowthBounds } from '../../src/chain/local/growth.js'
import { runMethod } from '../../src/chain/local/methods.js'
import { LocalNode } from '../../src/chain/local/node.js'
import { type ChainStorage, MemoryStorage, type Put } from '../../src/chain/local/storage.js'
import type { ChainHead } from '../../src/chain/remote/provider.js'

export const chainId = 31_337
export const ether = 10n ** 18n

/** Memory whose next commits can be made to fail, or to fail after they were kept. */
export class FaultyStorage implements ChainStorage {
  fails = 0
  /** Whether what a failing commit holds is kept nevertheless, as a torn flush may do. */
  keeps = false
  opened = 0
  closed = 0
  commits = 0
  private readonly memory = new MemoryStorage()

  get(key: Uint8Array): Uint8Array | undefined {
    return this.memory.get(key)
  }

  commit(puts: readonly Put[]): void {
    this.commits++
    if (this.fails > 0) {
      this.fails--
      if (this.keeps) this.memory.commit(puts)
      throw new Error('the disk refuses')
    }
    this.memory.commit(puts)
  }

  async close(): Promise<void> {
    this.closed++
  }
}

export interface NodeRoom {
  readonly node: LocalNode
  readonly storage: FaultyStorage
  readonly wallet: Wallet
  /** Blocks in the order they were told. */
  readonly blocks: ChainHead[]
  readonly errors: string[]
  /** Milliseconds that the node asked to be woken after. */
  readonly wakes: number[]
  /** Wall time, milliseconds. */
  now: number
  request(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** Signs a transfer of 1 wei, unless told otherwise, and answers the raw transaction. */
  sign(nonce: number, values?: Readonly<Record<string, unknown>>, by?: Wallet): Promise<string>
  send(raw: string): Promise<unknown>
}

export const startMs = 1_900_000_000_000

/** Another node over the same storage. */
export function openNodeRoom(
  t: Test,
  storage = new FaultyStorage(),
  by?: Wallet,
  growth?: GrowthBounds,
): NodeRoom {
  const wallet = by ?? new Wallet(Wallet.createRandom().privateKey)
  const blocks: ChainHead[] = []
  const errors: string[] = []
  const wakes: number[] = []
  const room = { now: startMs }
  const node = new LocalNode({
    chainId,
    fund: [wallet.address],
    random: systemRandom,
    now: () => room.now,
    openStorage: () => {
      storage.opened++
      return storage
    },
    wake: (ms) => wakes.push(ms),
    onBlock: (head) => blocks.push(head),
    onError: (text) => errors.push(text),
    growth,
  })
  t.teardown(() => node.close())
  const request = (method: string, ...params: readonly unknown[]) =>
    runMethod(node, 'own', method, params)
  return Object.assign(room, {
    ...{ node, storage, wallet, blocks, errors, wakes, request },
    sign: (nonce: number, values: Readonly<Record<string, unknown>> = {}, signer = wallet) =>
      signer.signTransaction({
        type: 2,
        chainId,
        nonce,
        to: '0x000000000000000000000000000000000000dEaD',
        value: 1,
        gasLimit: 21_000,
        maxFeePerGas: 1_000,
        maxPriorityFeePerGas: 0,
        ...values,
      }),
    send: (raw: string) => request('eth_sendRawTransaction', raw),
  })
}

/** Resolves when all that can happen without time or input has happened. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}
