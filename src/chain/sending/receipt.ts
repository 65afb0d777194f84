// The outcome of a transaction, as far as its sender needs it. A malformed receipt is refused, so
// that it is never taken for success.

import { getAddress, isAddress } from 'ethers'
import { ChainAway } from '../remote/away.js'
import { hashOf } from '../remote/header.js'
import { bigQuantity, quantity } from '../words.js'

export interface Receipt {
  readonly hash: string
  readonly block: number
  /** False if it reverted. */
  readonly ok: boolean
  /** Wei. */
  readonly spent: bigint
  /** EIP-55; only for a deployment. */
  readonly contract: string | undefined
}

/** Undefined while no block includes it; throws ChainAway for a malformed receipt. */
export function readReceipt(answer: unknown): Receipt | undefined {
  if (answer === null || answer === undefined) return undefined
  if (typeof answer !== 'object') throw new ChainAway('the chain answered what is no receipt')
  const fields = answer as Record<string, unknown>
  const { transactionHash, blockNumber, status, gasUsed, effectiveGasPrice } = fields
  const price = typeof effectiveGasPrice === 'string' ? bigQuantity(effectiveGasPrice) : 0n
  const { contractAddress } = fields
  return {
    hash: hashOf(transactionHash),
    block: quantity(blockNumber),
    ok: quantity(status) === 1,
    spent: BigInt(quantity(gasUsed)) * price,
    contract: typeof contractAddress === 'string' ? addressOf(contractAddress) : undefined,
  }
}

function addressOf(text: string): string {
  if (isAddress(text)) return getAddress(text)
  throw new ChainAway('the chain answered what is no address')
}
