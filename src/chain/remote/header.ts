// The fields of a block that Sigil uses. A node's answer is validated here, so later code need not
// check its fields.

import { bigQuantity, quantity, requireHex } from '../words.js'
import { ChainAway } from './away.js'
import type { ChainHead } from './provider.js'

export interface Header extends ChainHead {
  readonly parentHash: string
  /** Wei; undefined on chains from before EIP-1559. */
  readonly baseFee: bigint | undefined
}

/** Throws ChainAway if the answer is not a block: null, or malformed fields. */
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
