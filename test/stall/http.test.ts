// Every HTTP route with hostile bodies: each field of its schema made large, and bodies that are
// long, deep or wide themselves. The routes are those of the OpenAPI document.

import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { isLong } from '../support/seed.js'
import { type HostileKind, large, type StallCase } from './cases.js'
import { hunt } from './hunt.js'

const size = isLong ? 6_000_000 : 500_000
const kinds: readonly HostileKind[] = [
  ...(['text', 'words', 'numbers', 'objects', 'nested', 'deep', 'wide'] as const),
]

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, { schema?: Schema }>> }
}

/** What other fields than the large one say. */
const usual: Readonly<Record<string, unknown>> = {
  ...{ filter: {}, document: { a: 1 }, update: { $set: { a: 1 } }, pipeline: [], field: 'a' },
  ...{ documents: [{ a: 1 }], command: ['GET', 'a'], text: 'a text', sql: 'SELECT 1' },
  ...{ query: 'SELECT 1', key: { a: 1 }, id: 'x', memories: [{ text: 'Ann met Bob.' }] },
}

/** Routes that end what the hunt lives on. */
const left = /backup|protocols|logout|stream|chain|mcp/

async function casesOf(url: string, key: string): Promise<StallCase[]> {
  const answer = await fetch(`${url}/api/v1/openapi.json`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { paths } = (await answer.json()) as {
    paths: Record<string, Record<string, Operation>>
  }
  const cases: StallCase[] = []
  for (const [template, methods] of Object.entries(paths)) {
    if (left.test(template)) continue
    const path = template.replaceAll(/\{[^}]+\}/g, 'made')
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const add = (name: string, json: unknown): void => {
        cases.push({
          ...{ kind: 'http', name: `${method} ${path} ${name}`, path, json },
          method: method.toUpperCase(),
        })
      }
      if (requestBody === undefined) {
        cases.push({
          ...{ kind: 'http', name: `${method} ${path}`, method: method.toUpperCase() },
          path: `${path}?q=${'a%20'.repeat(2_000)}`,
        })
        continue
      }
      const schema = Object.values(requestBody.content ?? {})[0]?.schema
      const fields = Object.keys(schema?.properties ?? {})
      const others = Object.fromEntries(
        (schema?.required ?? fields).map((field) => [field, usual[field] ?? 'x']),
      )
      for (const kind of kinds) {
        add(`body of ${kind}`, large(kind, size))
        for (const field of fields) {
          add(`${field} of ${kind}`, { ...others, [field]: large(kind, size) })
          add(`${field} with ${kind}`, { ...others, [field]: { a: large(kind, size) } })
        }
      }
    }
  }
  return cases
}

/** Routes that are no part of the document: commands as arrays, and messages of MCP. */
function arrayCases(): StallCase[] {
  const post = (path: string, name: string, json: unknown): StallCase => ({
    ...{ kind: 'http', method: 'POST', path, json },
    name: `${path} ${name}`,
  })
  const many = Array.from({ length: isLong ? 200_000 : 10_000 }, (_, i) => ['GET', `k${i}`])
  // The first request of MCP: its library is loaded by then.
  const tools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  return [
    post('/mcp', 'first message', tools),
    ...kinds.flatMap((kind) => [
      post('/upstash', `body of ${kind}`, large(kind, size)),
      post('/upstash', `SET of ${kind}`, ['SET', 'a', large(kind, size)]),
      post('/upstash/pipeline', `body of ${kind}`, large(kind, size)),
      post('/mcp', `body of ${kind}`, large(kind, Math.min(size, 900_000))),
    ]),
    post('/upstash', 'many words', ['DEL', ...many.map(([, name]) => name)]),
    post('/upstash/pipeline', 'many', many),
    post('/upstash/multi-exec', 'many', many),
    ...['pipeline', 'multi-exec'].map((name) =>
      post(
        `/upstash/${name}`,
        'unknown',
        many.slice(0, many.length >> 2).map(([, word]) => [`${'x'.repeat(100)}${word}`]),
      ),
    ),
  ]
}

t.test('no route holds the loop', async (t) => {
  const { url, key } = await startGateway(t)
  const cases = [...(await casesOf(url, key)), ...arrayCases()]
  t.ok(cases.length > 300, `${cases.length} cases`)
  await hunt(t, cases)
})
