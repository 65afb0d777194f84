// `POST /mcp`: the graph memory for MCP clients, over streamable HTTP. Callers are known by keys
// only, never by cookies, and pages of other sites are refused. (docs/memory.md, "MCP")

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { fail } from '../../../base/errors.js'
import { mcpBodyBytesMax, mcpPiecesMax } from '../../../base/limits/memory.js'
import { requireJsonType } from '../core/request.js'
import type { RawCall, RawRoute } from '../core/route.js'
import { InProcessMemory } from './memory-in-process.js'

interface McpRouteOptions {
  /** Of Sigil's package. */
  readonly version: string
}

type HeaderTexts = Readonly<Record<string, string>>

export function mcpRoute({ version }: McpRouteOptions): RawRoute {
  return {
    method: 'POST',
    path: '/mcp',
    access: 'key',
    credentials: 'keys',
    takes: ['application/json'],
    bodyBytesMax: mcpBodyBytesMax,
    send: (call, outgoing, headers) => serve(version, call, outgoing, headers),
  }
}

/**
 * Loads the MCP library and compiles the schemas of the tools. The gateway does it before it
 * listens; programs of the command line that only share this module do without.
 */
export async function loadMcp() {
  const { createMcpHandler } = await import('@modelcontextprotocol/server')
  const { memoryServer } = await import('../../mcp/server.js')
  return { createMcpHandler, memoryServer }
}

async function serve(
  version: string,
  call: RawCall,
  outgoing: ServerResponse,
  headers: HeaderTexts,
): Promise<void> {
  const { incoming, session } = call
  call.checkOrigin()
  // ANONYMOUS=read is for the API: an MCP client needs a key.
  if (session.identity.kind === 'anonymous') throw fail('Unauthorized', 'an API key is needed')
  requireJsonType(incoming.headers['content-type'] ?? 'none')
  const body = await call.body((bytes) => bytes)
  // The library would replace invalid characters.
  if (!isUtf8(body)) throw fail('FailedToParse', 'the body is not UTF-8')
  // Many calls in one request would count once for the limits.
  if (/^\s*\[/.test(body.toString('utf8'))) {
    throw fail('BadValue', 'a request carries one message')
  }
  if (body.length > plainBytesMax) requirePieces(body)
  const { createMcpHandler, memoryServer } = await loadMcp()
  const api = new InProcessMemory(call)
  // No unrequested messages are sent, so no stream stays open.
  const handler = createMcpHandler(() => memoryServer({ api, version }), { maxSubscriptions: 0 })
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const response = await handler.fetch(requestOf(incoming, body, gone.signal))
  await write(response, outgoing, headers)
  await handler.close()
}

/** A shorter message cannot have too many pieces. */
const plainBytesMax = 16 * 1024

const quote = 0x22
const backslash = 0x5c
/** The byte before an element or a field: `,`, `[` or `{`. */
const isBefore = new Uint8Array(256)
for (const mark of ',[{') isBefore[mark.charCodeAt(0)] = 1

/**
 * Throws BadValue if a message has too many elements and fields. The library parses it afterwards;
 * here they are counted without a second parse.
 */
function requirePieces(body: Uint8Array): void {
  let count = 0
  let isText = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number
    if (isText) {
      if (byte === backslash) at++
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (isBefore[byte] === 1 && ++count > mcpPiecesMax) {
      throw fail('BadValue', `a message has at most ${mcpPiecesMax} elements and fields`)
    }
  }
}

/** A web Request with only the headers that MCP reads. */
function requestOf(incoming: IncomingMessage, body: Buffer, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    const isRead = /^(?:accept|content-type|last-event-id|mcp-.+)$/.test(name)
    if (isRead && typeof value === 'string') headers.set(name, value)
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers, body, signal })
}

async function write(response: Response, outgoing: ServerResponse, headers: HeaderTexts) {
  const { status, body } = response
  if (outgoing.destroyed) {
    await body?.cancel()
    return
  }
  outgoing.writeHead(status, { ...headers, ...Object.fromEntries(response.headers) })
  if (body === null) outgoing.end()
  // A disconnected client needs no reply.
  else await pipeline(body, outgoing).catch(() => undefined)
}
