// `sigil mcp`: the graph memory of a running Sigil for an MCP client that starts it and speaks to
// it over standard input and output. Nothing but the protocol is written there: one stray line
// would end the client's session.
// (Model Context Protocol, transports, stdio; docs/memory.md, "MCP")

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

const help = `Usage:
  sigil mcp [--database NAME]

  Speaks the Model Context Protocol on standard input and output, for the graph memory of the Sigil
  at SIGIL_URL (http://127.0.0.1:8080), with the key in SIGIL_API_KEY. Graphs lie in that
  key's own space unless --database names one.
`

/** Resolves when the client has closed its side. */
export async function runMcp(args: readonly string[], version: string): Promise<number> {
  const [option, database] = args
  const isRight = args.length === 0 || (args.length === 2 && isDatabaseOption(option))
  if (!isRight) {
    process.stderr.write(help)
    return 2
  }
  const api = new RemoteMemory(openClient(process.env, database))
  const ended = once(process.stdin, 'end')
  const handle = serveStdio(() => memoryServer({ api, version }), {
    onerror: (error) => process.stderr.write(`sigil mcp: ${error.message}\n`),
  })
  await ended
  await handle.close()
  return 0
}

function isDatabaseOption(option: string | undefined): boolean {
  return option === '--database' || option === '-d'
}

/** The memory's API over the network; the key is looked at with every request. */
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
