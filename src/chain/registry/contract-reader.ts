// Reads the registry's views at one block. On a remote chain the block number is sent, so the
// result belongs to the head that it is cached for; the local chain only has the latest.

import { id } from 'ethers'
import { chainWaitMs, sponsoredGasMax } from '../../base/limits/chain.js'
import { unavailable } from '../remote/away.js'
import { inTime } from '../remote/head.js'
import type { Header } from '../remote/header.js'
import { type Provider, RpcError, rpcCodes } from '../remote/provider.js'
import {
  addressOfWord,
  addressWord,
  bytesOfHex,
  callData,
  hexQuantity,
  numberOfWord,
  numberWord,
  requireHex,
  wordsOf,
} from '../words.js'
import type { CallRequest, RegistryKey } from './registry.js'

const selectorOf = (signature: string): string => id(signature).slice(0, 10)

const selectors = {
  getKey: selectorOf('getKey(address,uint256)'),
  account: selectorOf('account(address)'),
  nonces: selectorOf('nonces(address)'),
  firstActiveIndex: selectorOf('firstActiveIndex(address,uint256)'),
  gasStation: selectorOf('gasStation()'),
  pendingGasStation: selectorOf('pendingGasStation()'),
} as const

/** Gas of a view: firstActiveIndex reads 500 records. */
const viewGas = 4 * sponsoredGasMax

export class ContractReader {
  readonly contract: string
  private readonly provider: Provider
  private readonly isRemote: boolean

  constructor(provider: Provider, contract: string, isRemote: boolean) {
    this.provider = provider
    this.contract = contract
    this.isRemote = isRemote
  }

  /** Undefined if the wallet has no key with this index. */
  async key(address: string, index: number, head: Header): Promise<RegistryKey | undefined> {
    const data = callData(selectors.getKey, addressWord(address), numberWord(index))
    const words = wordsOf(await this.view(data, head), 7)
    const [commitment = '', stored = '', server = '', created, revoked, salt = '', active] = words
    const createdAt = numberOfWord(created)
    if (createdAt === 0) return undefined
    return {
      commitment,
      storedKey: bytesOfHex(stored),
      serverKey: bytesOfHex(server),
      createdAt,
      revokedAt: numberOfWord(revoked),
      salt: bytesOfHex(salt),
      active: numberOfWord(active) === 1,
    }
  }

  async account(
    address: string,
    head: Header,
  ): Promise<{ nextIndex: number; activeCount: number }> {
    const data = callData(selectors.account, addressWord(address))
    const [nextIndex, activeCount] = wordsOf(await this.view(data, head), 2)
    return { nextIndex: numberOfWord(nextIndex), activeCount: numberOfWord(activeCount) }
  }

  async nonce(address: string, head: Header): Promise<bigint> {
    const data = callData(selectors.nonces, addressWord(address))
    const [nonce = '0'] = wordsOf(await this.view(data, head), 1)
    return BigInt(`0x${nonce}`)
  }

  /** The contract reads a bounded number of records a call; `index` is where to continue. */
  async firstActiveFrom(address: string, from: number, head: Header) {
    const data = callData(selectors.firstActiveIndex, addressWord(address), numberWord(from))
    const [found, index] = wordsOf(await this.view(data, head), 2)
    return { found: numberOfWord(found) === 1, index: numberOfWord(index) }
  }

  /** Lower case. */
  async gasStations(head: Header): Promise<{ current: string; pending: string }> {
    const [[current = ''], [pending = '']] = [
      wordsOf(await this.view(selectors.gasStation, head), 1),
      wordsOf(await this.view(selectors.pendingGasStation, head), 1),
    ]
    return { current: addressOfWord(current), pending: addressOfWord(pending) }
  }

  /** Lower case. */
  async code(address: string, head: Header | undefined): Promise<string> {
    const params = [address, this.tag(head)]
    const code = await this.provider.request({ method: 'eth_getCode', params })
    return requireHex(code).toLowerCase()
  }

  /** Rejects with the RpcError of the code, or with CHAIN_UNAVAILABLE. */
  async call({ to, data, gas }: CallRequest, head: Header, from?: string): Promise<string> {
    const call = { data, gas: hexQuantity(gas), ...(to && { to }), ...(from && { from }) }
    const params = [call, this.tag(head)]
    try {
      return requireHex(
        await inTime(this.provider.request({ method: 'eth_call', params }), chainWaitMs),
      )
    } catch (error) {
      if (isExecutionFailure(error)) throw error
      throw unavailable(error)
    }
  }

  /** The block parameter of reads at `head`. */
  tag(head: Header | undefined): string {
    return this.isRemote && head !== undefined ? hexQuantity(head.number) : 'latest'
  }

  private view(data: string, head: Header): Promise<unknown> {
    const call = { to: this.contract, data, gas: hexQuantity(viewGas) }
    const params = [call, this.tag(head)]
    return inTime(this.provider.request({ method: 'eth_call', params }), chainWaitMs)
  }
}

const executionForm = /revert|out of gas|intrinsic gas|opcode|stack|jump|execution|memory/i

/** Whether the called code failed, not the node. */
export function isExecutionFailure(error: unknown): error is RpcError {
  if (!(error instanceof RpcError)) return false
  if (error.code === rpcCodes.reverted) return true
  if (typeof error.data === 'string' && error.data.startsWith('0x')) return true
  return error.code !== rpcCodes.limitExceeded && executionForm.test(error.message)
}
