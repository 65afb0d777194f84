// Why the chain could not answer: endpoints that cannot be reached, that contradict each other or
// their own past, contracts that are not ours. To callers they are all one failure, so that none
// of them is mistaken for "no such key".

import { fail, GatewayError } from '../../base/errors.js'
import { RpcError } from './provider.js'

/** The chain cannot be asked, or what it answered cannot be believed. */
export class ChainAway extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ChainAway'
  }
}

/** HostUnreachable with the reason that all chain failures have; ours pass unchanged. */
export function unavailable(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  const error = fail('HostUnreachable', `the chain is not available: ${reasonOf(thrown)}`, {
    reason: 'CHAIN_UNAVAILABLE',
  })
  error.cause = thrown
  return error
}

/** In one short line, for replies and logs. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof RpcError) return `the node refused (${thrown.code})`
  if (thrown instanceof ChainAway) return thrown.message
  return 'no answer'
}
