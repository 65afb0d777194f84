// An agent with a memory that outlives it: each line of standard input is what a person says. The agent
// recalls what is known about it over MCP, answers, and remembers the line. Where a model would be
// called, `answer` just tells what was recalled, so that the example needs no further key.
//
//     npm install @modelcontextprotocol/client
//     SIGIL_API_KEY=svc_live_… node docs/examples/agent.mjs

import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const { SIGIL_URL = 'http://127.0.0.1:8080', SIGIL_API_KEY = '' } = process.env
const graph = process.env.GRAPH ?? 'agent'
const headers = { authorization: `Bearer ${SIGIL_API_KEY}` }

const memory = new Client({ name: 'example-agent', version: '1.0.0' })
const transport = new StreamableHTTPClientTransport(new URL('/mcp', SIGIL_URL), {
  requestInit: { headers },
})
await memory.connect(transport)

async function use(name, given) {
  const { content, structuredContent, isError } = await memory.callTool({ name, arguments: given })
  if (isError) throw new Error(content[0].text)
  return structuredContent
}

/** Put your model here: give it `line` and `known` as context. */
function answer(_line, known) {
  if (known.length === 0) return 'I know nothing about that yet.'
  return `I remember: ${known.map(({ text }) => text).join(' ')}`
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue
  const { memories } = await use('recall', { graph, q: line, limit: 3 })
  console.log(answer(line, memories))
  // Questions tell nothing new.
  if (!line.endsWith('?')) await use('remember', { graph, text: line, source: { kind: 'chat', ref: 'example' } })
}
await memory.close()
