// The part of a block that the clients of the chain look at. A node's answer becomes one here or is
// refused here, so that later code need not check its fields.

import { bigQuantity, quantity, requireHex } from '../words.js'
import { ChainAway } from './away.js'
import type { ChainHead } from './provider.js'

export interface Header extends ChainHead {
  readonly parentHash: string
  /** Wei; undefined on chains from before EIP-1559. */
  readonly baseFee: bigint | undefined
}

/** Throws ChainAway where the answer is no block: null, or fields that are none. */
export function readHeader(answer: unknown): Header {
  if (typeof answer !== 'object' || answer === null) throw new ChainAway('the block is not known')
  const { number, hash, parentHash, timestamp, baseFeePerGas } = answer as Record<string, unknown>
  return {
    number: quantity(number),
    hash: hashOf(hash),
    parentHash: hashOf(parentHash),
    timestamp: quantity(timestamp),
    baseFee: typeof baseFeePerGas === 'string' ? bigQuantity(baseFeePerGas) : undefined,
  }
}

/** A 32-byte hash, lower case. */
export function hashOf(answer: unknown): string {
  const hash = requireHex(answer).toLowerCase()
  if (hash.length !== 66) throw new ChainAway('the chain answered what is no hash')
  return hash
}
