// Error responses of the graph memory: bodies `{error: {code, message}}` for every path under /api
// outside the document API. For `/mcp`, errors before a message is parsed have the bodies and codes
// of the MCP library. (docs/memory.md, "Routes")

import { type CodeName, codeRow, type GatewayError } from '../../../base/errors.js'
import { memoryEchoCharsMax, memoryMessageCharsMax } from '../../../base/limits/memory.js'

interface Refused {
  readonly status: number
  readonly body: string
}

interface Row {
  readonly code: string
  /** Set if it differs from the status in the document API. */
  readonly status?: number
  /** Replaces the error's own text, which names commands or repeats input. */
  readonly message?: string
}

/** Texts that replace the error's own, which names commands or repeats input. */
const messages: Readonly<Partial<Record<CodeName, string>>> = {
  TransactionTooLarge: 'too much for one transaction',
  UnsupportedMediaType: 'the body must be JSON, of content type application/json',
  MisdirectedRequest: 'this host is not served here',
}

/** For failures without a code in the table. */
const byStatus: Readonly<Record<number, string>> = {
  400: 'INVALID_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NODE_NOT_FOUND',
  409: 'ALREADY_EXISTS',
  413: 'TOO_LARGE',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
  507: 'QUOTA_EXCEEDED',
}

/** Whether a path belongs to the graph memory, existing or not. */
export function isMemoryUrl(url: string): boolean {
  return url.startsWith('/api/') && !/^\/api\/v1(?:[/?]|$)/.test(url)
}

export function memoryRefusal(error: GatewayError): Refused {
  const { code, status, message } = rowOf(error)
  const shown = shortened(message ?? error.message)
  return {
    status: status ?? error.httpStatus,
    body: `{"error":{"code":"${code}","message":${JSON.stringify(shown)}}}`,
  }
}

/** The code and text of a failure, for callers without HTTP. */
export function memoryError(error: GatewayError): { code: string; message: string } {
  const { code, message } = rowOf(error)
  return { code, message: shortened(message ?? error.message) }
}

function rowOf(error: GatewayError): Row {
  const { kind, httpStatus, extra, message } = error
  const code = codeRow(kind)?.memory
  if (code !== undefined) {
    const told = messages[kind]
    // The document API answers 422.
    const status = kind === 'IdempotencyKeyReused' ? { status: 409 } : {}
    return { code, ...status, ...(told === undefined ? {} : { message: told }) }
  }
  if (httpStatus === 403) return forbidden(extra.reason, message)
  if (httpStatus === 401) {
    return { code: 'UNAUTHENTICATED', message: 'a session or an API key that holds is needed' }
  }
  return { code: byStatus[httpStatus] ?? 'INTERNAL' }
}

function forbidden(reason: unknown, message: string): Row {
  if (reason === 'CSRF') return { code: 'CSRF_FAILED' }
  // The text names the caller's own space.
  if (reason === 'HOME') return { code: 'FORBIDDEN', message }
  if (reason === 'origin') return { code: 'FORBIDDEN' }
  return { code: 'FORBIDDEN', message: `not allowed: ${String(reason)}` }
}

/** Shortens quoted input. */
function shortened(message: string): string {
  const quoted = message.replace(/(["'])(.*)\1/s, (whole, mark: string, inside: string) =>
    inside.length > memoryEchoCharsMax
      ? `${mark}${cut(inside, memoryEchoCharsMax - 1)}…${mark}`
      : whole,
  )
  return quoted.length > memoryMessageCharsMax
    ? `${cut(quoted, memoryMessageCharsMax - 1)}…`
    : quoted
}

/** Never splits a surrogate pair. */
function cut(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')
}

/** JSON-RPC 2.0, 5.1; the last is the library's code for HTTP refusals. */
const parseError = -32_700
const invalidRequest = -32_600
const internalError = -32_603
const refusedByHttp = -32_000

/** Whether a path belongs to MCP, existing or not. */
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
