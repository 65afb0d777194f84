// The MCP server over the graph memory: one for each HTTP request, one for each stdio connection.
// It depends only on the given API, not on a transport or a store. (docs/memory.md, "MCP")

import {
  type CallToolResult,
  fromJsonSchema,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type Variables,
} from '@modelcontextprotocol/server'
import { mcpResourcesMax } from '../../base/limits/memory.js'
import { productName } from '../../base/product.js'
import {
  type ApiReply,
  isSuccess,
  type Json,
  type MemoryApi,
  refusalText,
  wellFormed,
} from './memory-api.js'
import { graph, strict, text } from './schemas.js'
import { recallText, untrusted } from './texts.js'
import { type Arguments, summary, type Tool, tools } from './tools.js'

const instructions =
  'A lasting memory: remember what will matter later, recall it by words or by subject, ' +
  `relate and verify it. ${untrusted}`

/** Schemas are compiled once: that takes longer than most requests. */
const definitions = tools.map((tool) => ({
  ...tool,
  inputSchema: fromJsonSchema<Arguments>(tool.input),
  outputSchema: fromJsonSchema(tool.output),
}))

const promptSchema = fromJsonSchema<{ readonly entity: string; readonly graph?: string }>(
  strict({ graph, 'entity!': text('The entity to load context about.', 256) }),
)

interface MemoryServerOptions {
  readonly api: MemoryApi
  /** Of Sigil's package. */
  readonly version: string
}

export function memoryServer(options: MemoryServerOptions): McpServer {
  const api = wellFormed(options.api)
  const identity = { name: productName.toLowerCase(), title: productName, version: options.version }
  const server = new McpServer(identity, {
    instructions,
    // These do not change while the server runs.
    capabilities: {
      tools: { listChanged: false },
      resources: { listChanged: false },
      prompts: { listChanged: false },
    },
  })
  for (const tool of definitions) {
    const { name, title, description, inputSchema, outputSchema, annotations } = tool
    const about = { title, description, inputSchema, outputSchema, annotations }
    server.registerTool(name, about, (given) => call(tool, api, given))
  }
  addResources(server, api)
  addPrompt(server, api)
  return server
}

async function call(tool: Tool, api: MemoryApi, given: Arguments): Promise<CallToolResult> {
  const reply = await tool.run(api, given)
  if (!isSuccess(reply)) {
    return { content: [{ type: 'text', text: refusalText(reply) }], isError: true }
  }
  const { body } = reply
  const shown = tool.shown(body, given)
  return { content: [{ type: 'text', text: shown }], structuredContent: { ...body } }
}

function addResources(server: McpServer, api: MemoryApi): void {
  const mimeType = 'application/json'
  const complete = {
    graph: async (begun: string) =>
      (await graphNames(api)).filter((name) => name.startsWith(begun)),
  }
  server.registerResource(
    'node',
    new ResourceTemplate('memory://{graph}/node/{id}', { list: undefined, complete }),
    { title: 'Node', description: `One memory with its edges. ${untrusted}`, mimeType },
    async (uri, variables) => {
      const params = { id: part(variables, 'id') }
      const query = { graph: part(variables, 'graph') }
      const reply = await api.ask({ method: 'GET', path: '/api/memories/:id', params, query })
      return contents(uri, reply)
    },
  )
  server.registerResource(
    'summary',
    new ResourceTemplate('memory://{graph}/summary', { list: () => summaries(api), complete }),
    { title: 'Summary', description: 'Size and owner of a graph.', mimeType },
    async (uri, variables) => contents(uri, await summary(api, part(variables, 'graph'))),
  )
}

/** Names of the graphs that the caller may read: few enough for a list that people read. */
async function graphNames(api: MemoryApi): Promise<string[]> {
  const reply = await api.ask({ method: 'GET', path: '/api/graphs' })
  if (!isSuccess(reply)) throw refused(reply)
  const graphs = reply.body.graphs as readonly Json[]
  return graphs.slice(0, mcpResourcesMax).map(({ name }) => String(name))
}

async function summaries(api: MemoryApi) {
  const names = await graphNames(api)
  return { resources: names.map((name) => ({ uri: `memory://${name}/summary`, name })) }
}

function contents(uri: URL, reply: ApiReply) {
  const { href } = uri
  if (reply.status === 404) throw new ResourceNotFoundError(href, refusalText(reply))
  if (!isSuccess(reply)) throw refused(reply)
  return {
    contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(reply.body) }],
  }
}

function refused(reply: ApiReply): Error {
  const { InternalError, InvalidParams } = ProtocolErrorCode
  const code = reply.status >= 500 ? InternalError : InvalidParams
  return new ProtocolError(code, refusalText(reply))
}

function part(variables: Variables, name: string): string {
  const value = variables[name]
  try {
    return decodeURIComponent(Array.isArray(value) ? (value[0] ?? '') : (value ?? ''))
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${name} is badly encoded`)
  }
}

function addPrompt(server: McpServer, api: MemoryApi): void {
  const about = {
    title: 'Load context',
    description: 'Puts memories about a person or a subject before the question.',
    argsSchema: promptSchema,
  }
  server.registerPrompt('context', about, async ({ entity, graph }) => {
    const query = { graph, entity, hops: 1 }
    const reply = await api.ask({ method: 'GET', path: '/api/recall', query })
    // An unknown subject is no error of the prompt; other failures are.
    if (!isSuccess(reply) && reply.status !== 404) throw refused(reply)
    const known = isSuccess(reply) ? recallText(reply.body) : 'Nothing was found.'
    const said = `Load context about ${entity}. This is what the memory holds:\n\n${known}`
    return { messages: [{ role: 'user', content: { type: 'text', text: said } }] }
  })
}
