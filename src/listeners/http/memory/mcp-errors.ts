// What `/mcp` answers before a message of the Model Context Protocol has been read: the same bodies
// and numbers as the servers of the protocol's own library, for the address and all below it.

import type { GatewayError } from '../../../base/errors.js'
import { memoryError } from './memory-errors.js'

/** JSON-RPC 2.0, 5.1; the last is the library's for what HTTP itself refuses. */
const parseError = -32_700
const invalidRequest = -32_600
const internalError = -32_603
const refusedByHttp = -32_000

/** Whether an address is the protocol's, found or not. */
export function isMcpUrl(url: string): boolean {
  return /^\/mcp(?:[/?]|$)/.test(url)
}

export function mcpRefusal(error: GatewayError): string {
  const { code, message } = memoryError(error)
  const told = { code: numberOf(error), message: `${code}: ${message}` }
  return JSON.stringify({ jsonrpc: '2.0', error: told, id: null })
}

function numberOf({ kind, httpStatus }: GatewayError): number {
  if (kind === 'FailedToParse') return parseError
  if (httpStatus === 400) return invalidRequest
  return httpStatus === 500 ? internalError : refusedByHttp
}
