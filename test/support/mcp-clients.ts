// Clients of the Model Context Protocol as users have them: the library's current line in its own
// protocol and in the older one, and the line before it; each over HTTP and over a spawned process.

import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

interface ToolResult {
  readonly isError?: boolean
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What the tests do with a client of any line. */
export interface McpClient {
  readonly tools: () => Promise<readonly ToolAbout[]>
  readonly call: (name: string, given: Readonly<Record<string, unknown>>) => Promise<ToolResult>
  readonly resource: (uri: string) => Promise<string>
  readonly resources: () => Promise<readonly string[]>
  readonly templates: () => Promise<readonly string[]>
  readonly prompt: (name: string, given: Readonly<Record<string, string>>) => Promise<string>
  readonly close: () => Promise<void>
}

interface ToolAbout {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: object
  readonly outputSchema?: object | undefined
  readonly annotations?: Readonly<Record<string, unknown>> | undefined
}

export interface Target {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly key: string
  /** The space that is named, over HTTP; the key's own unless given. */
  readonly database?: string
}

type Transport = 'http' | 'stdio'

export const lines = ['2.x', '2.x as before', '1.x'] as const
type Line = (typeof lines)[number]

const identity = { name: 'test', version: '1.0.0' }

export async function openMcp(line: Line, over: Transport, target: Target): Promise<McpClient> {
  const url = new URL('/mcp', target.url)
  const named = target.database === undefined ? {} : { 'x-sigil-database': target.database }
  const requestInit = { headers: { authorization: `Bearer ${target.key}`, ...named } }
  const server = {
    ...{ command: process.execPath, args: ['build/src/main.js', 'mcp'] },
    env: { SIGIL_URL: target.url, SIGIL_API_KEY: target.key, PATH: process.env.PATH ?? '' },
  }
  if (line === '1.x') {
    const client = new Client1(identity)
    // Its types are older than the compiler's strictness.
    const transport = over === 'http' ? new Http1(url, { requestInit }) : new Stdio1(server)
    await client.connect(transport as Parameters<typeof client.connect>[0])
    return wrapped(client as unknown as AnyClient)
  }
  const mode = line === '2.x' ? { pin: '2026-07-28' } : ('legacy' as const)
  const client = new Client2(identity, { versionNegotiation: { mode } })
  await client.connect(over === 'http' ? new Http2(url, { requestInit }) : new Stdio2(server))
  return wrapped(client as unknown as AnyClient)
}

/** What both lines have in common, as far as it is used. */
interface AnyClient {
  listTools(): Promise<{ tools: ToolAbout[] }>
  callTool(asked: object): Promise<{
    isError?: boolean
    content: readonly { readonly text?: string }[]
    structuredContent?: Readonly<Record<string, unknown>>
  }>
  readResource(asked: object): Promise<{ contents: readonly { readonly text?: string }[] }>
  listResources(): Promise<{ resources: readonly { uri: string }[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: readonly { uriTemplate: string }[] }>
  getPrompt(
    asked: object,
  ): Promise<{ messages: readonly { readonly content: { readonly text?: string } }[] }>
  close(): Promise<void>
}

function wrapped(client: AnyClient): McpClient {
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, given) => {
      const { isError, content, structuredContent } = await client.callTool({
        ...{ name, arguments: given },
      })
      const text = content.map((part) => part.text ?? '').join('\n')
      return { text, data: structuredContent ?? {}, ...(isError === true ? { isError } : {}) }
    },
    resource: async (uri) => (await client.readResource({ uri })).contents[0]?.text ?? '',
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    templates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate),
    prompt: async (name, given) =>
      (await client.getPrompt({ name, arguments: given })).messages[0]?.content.text ?? '',
    close: () => client.close(),
  }
}
