// Failures of the chain: unreachable endpoints, contradictory answers, foreign contracts. Callers
// get one error for all of them, so that none is mistaken for "no such key".

import { fail, GatewayError } from '../../base/errors.js'
import { RpcError } from './provider.js'

/** The chain does not answer, or its answer cannot be trusted. */
export class ChainAway extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ChainAway'
  }
}

/** HostUnreachable with the reason of all chain failures; a GatewayError passes unchanged. */
export function unavailable(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  const error = fail('HostUnreachable', `the chain is not available: ${reasonOf(thrown)}`, {
    reason: 'CHAIN_UNAVAILABLE',
  })
  error.cause = thrown
  return error
}

/** One short line, for replies and logs. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof RpcError) return `the node refused (${thrown.code})`
  if (thrown instanceof ChainAway) return thrown.message
  return 'no answer'
}
