// `sigil mcp`: the graph memory of a running Sigil for an MCP client that starts it and uses
// standard input and output. Only protocol messages are written there: any other line would end the
// client's session. (Model Context Protocol, transports, stdio; docs/memory.md, "MCP")

import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { toGatewayError } from '../base/errors.js'
import {
  type ApiReply,
  type ApiRequest,
  type MemoryApi,
  queryEntries,
} from '../listeners/mcp/memory-api.js'
import { memoryServer } from '../listeners/mcp/server.js'
import { type Client, openClient } from './client.js'

interface Given {
  readonly url: string
  readonly database?: string
}

/** Resolves when the client has closed its side. */
export async function runMcp(given: Given, version: string): Promise<number> {
  const api = new RemoteMemory(openClient(given.url, given.database))
  const ended = once(process.stdin, 'end')
  const handle = serveStdio(() => memoryServer({ api, version }), {
    onerror: (error) => process.stderr.write(`sigil mcp: ${error.message}\n`),
  })
  await ended
  await handle.close()
  return 0
}

/** The memory's API over the network; the key is checked at every request. */
class RemoteMemory implements MemoryApi {
  constructor(private readonly client: Client) {}

  async ask(request: ApiRequest): Promise<ApiReply> {
    const { method, path, params = {}, body } = request
    const filled = path.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    )
    const query = new URLSearchParams(queryEntries(request)).toString()
    const target = query === '' ? filled : `${filled}?${query}`
    const text = body === undefined ? undefined : JSON.stringify(body)
    try {
      return await this.client.ask(method, target, text)
    } catch (thrown) {
      const { message } = toGatewayError(thrown)
      return { status: 503, body: { error: { code: 'UNAVAILABLE', message } } }
    }
  }
}
