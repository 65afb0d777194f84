// What the graph memory answers when it refuses: bodies of its own, `{error: {code, message}}`, for
// every address under /api that is not of the document API. The one place that knows which failure
// has which code. (docs/memory.md, "Routes")

import type { GatewayError } from '../../../base/errors.js'
import { memoryEchoCharsMax, memoryMessageCharsMax } from '../../../base/limits.js'

interface Refused {
  readonly status: number
  readonly body: string
}

interface Row {
  readonly code: string
  /** Where it is not the status of the same failure in the document API. */
  readonly status?: number
  /** Instead of the error's own, which speaks of commands or repeats what was sent. */
  readonly message?: string
}

/** By the kind of the failure; what is not here goes by its status. */
const byKind: Readonly<Record<string, Row>> = {
  NodeNotFound: { code: 'NODE_NOT_FOUND' },
  EdgeNotFound: { code: 'EDGE_NOT_FOUND' },
  GraphNotFound: { code: 'GRAPH_NOT_FOUND' },
  CommandNotFound: { code: 'ROUTE_NOT_FOUND' },
  MethodNotAllowed: { code: 'METHOD_NOT_ALLOWED' },
  GraphLimit: { code: 'GRAPH_LIMIT' },
  TransactionTooLarge: { code: 'GRAPH_LIMIT', message: 'too much for one transaction' },
  AlreadyExists: { code: 'ALREADY_EXISTS' },
  IdempotencyKeyReused: { code: 'IDEMPOTENCY_CONFLICT', status: 409 },
  IdempotencyKeyInUse: { code: 'IDEMPOTENCY_CONFLICT' },
  HostUnreachable: { code: 'CHAIN_UNAVAILABLE' },
  UnsupportedMediaType: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'the body must be JSON, of content type application/json',
  },
  MisdirectedRequest: { code: 'MISDIRECTED', message: 'this host is not served here' },
  MaxTimeMSExpired: { code: 'TIMEOUT' },
}

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

/** Whether an address is the graph memory's, found or not. */
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

/** The code and text of a failure, for those who do not speak HTTP. */
export function memoryError(error: GatewayError): { code: string; message: string } {
  const { code, message } = rowOf(error)
  return { code, message: shortened(message ?? error.message) }
}

function rowOf(error: GatewayError): Row {
  const known = byKind[error.kind]
  if (known !== undefined) return known
  const { httpStatus, extra, message } = error
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

/** What is quoted is what was sent: of that no more than a little comes back. */
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

/** Never between the halves of a surrogate pair. */
function cut(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')
}
