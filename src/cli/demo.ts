// `sigil demo`: loads a small bookshop into a running Sigil, so that every protocol has data:
// documents, key-value keys and a graph of memories. It uses HTTP like any other client. Existing
// data stays as it is.

import { fail } from '../base/errors.js'
import { type Answer, type Client, openClient } from './client.js'
import { authors, books, memories, orders, soldCopies } from './demo-data.js'

interface Given {
  readonly url: string
  readonly database?: string
}

const graph = 'demo'
const duplicateKey = 11_000

/** Returns the exit code. Rejects with the server's error if it refuses a part. */
export async function runDemo({ url, database }: Given): Promise<number> {
  const client = openClient(url, database)
  for (const [name, documents] of Object.entries({ authors, books, orders })) {
    await loadCollection(client, `demo_${name}`, documents)
  }
  await loadKeys(client)
  await loadMemories(client)
  print(`\n${(await examples(client, database)).join('\n')}\n`)
  return 0
}

async function loadCollection(
  client: Client,
  name: string,
  documents: readonly unknown[],
): Promise<void> {
  const body = JSON.stringify({ documents, ordered: false })
  const answer = await client.post(`/api/v1/collections/${name}/insertMany`, body)
  const errors = (answer.body.writeErrors ?? []) as readonly { readonly code?: number }[]
  const isKnown = errors.length > 0 && errors.every(({ code }) => code === duplicateKey)
  if (!isKnown) requireOk(answer, name)
  const loaded = documents.length - errors.length
  print(`${name}: ${loaded} documents loaded${known(errors.length)}\n`)
}

async function loadKeys(client: Client): Promise<void> {
  const sold = [...soldCopies()].flatMap(([book, copies]) => [String(copies), book])
  const commands = [
    ['HSET', 'demo:shop', 'name', 'The Whale Bookshop', 'city', 'Bergen', 'opened', '1998'],
    ['ZADD', 'demo:bestsellers', ...sold],
    ['SADD', 'demo:genres', ...new Set(books.flatMap(({ genres }) => genres))],
    ['SET', 'demo:visits', '0', 'NX'],
  ]
  for (const command of commands) {
    const answer = await client.post('/api/v1/redis', JSON.stringify({ command }))
    requireOk(answer, String(command[1]))
  }
  print(`keys: ${commands.map(([, key]) => key).join(', ')}\n`)
}

async function loadMemories(client: Client): Promise<void> {
  const answer = await client.post(
    '/api/memories/batch',
    JSON.stringify({ memories, mode: 'all', graph }),
  )
  requireOk(answer, `graph ${graph}`)
  const { inserted, duplicates } = answer.body
  print(`graph ${graph}: ${Number(inserted)} memories loaded${known(Number(duplicates))}\n`)
}

function known(count: number): string {
  return count === 0 ? '' : `, ${count} were there`
}

/** Lines to copy, with this server's ports; disabled protocols have no line. */
async function examples(client: Client, database: string | undefined): Promise<string[]> {
  const ports = await portsOf(client)
  const place = await databaseOf(client)
  const { hostname } = new URL(client.origin)
  const uri = (scheme: string, user: string, port: number) =>
    `${scheme}://${user}:$SIGIL_API_KEY@${hostname}:${port}`
  // Keys and graphs are in the caller's home, unless the user name has a space.
  const spaceUser = database === undefined ? '$SIGIL_USER' : `$SIGIL_USER~${database}`
  const space = database === undefined ? '' : `&database=${database}`
  const { wire, redis, sql } = ports
  const lines = ['To look at it (SIGIL_USER is operator, or the address of your wallet):', '']
  if (wire !== undefined) {
    const find = `db.demo_books.find({ genres: "sea" }, { title: 1 })`
    lines.push(`  npx mongosh "${uri('mongodb', '$SIGIL_USER', wire)}/${place}" --eval '${find}'`)
  }
  if (redis !== undefined) {
    const command = 'ZREVRANGE demo:bestsellers 0 2 WITHSCORES'
    lines.push(`  redis-cli --no-auth-warning -u "${uri('redis', spaceUser, redis)}" ${command}`)
  }
  if (sql !== undefined) {
    const select = 'SELECT title, year FROM demo_books WHERE year < 1820'
    lines.push(`  psql "${uri('postgresql', '$SIGIL_USER', sql)}/${place}" -c '${select}'`)
  }
  const recall = `${client.origin}/api/recall?graph=${graph}&q=lisbon${space}`
  return [...lines, `  curl -H "x-api-key: $SIGIL_API_KEY" '${recall}'`]
}

async function portsOf(client: Client): Promise<Readonly<Record<string, number | undefined>>> {
  const { body } = await client.get('/api/v1/protocols')
  const rows = Array.isArray(body.protocols) ? (body.protocols as ProtocolRow[]) : []
  return Object.fromEntries(rows.map(({ name, port }) => [name, port ?? undefined]))
}

/** The database of the documents: `main` in the namespace `main.demo_books`. */
async function databaseOf(client: Client): Promise<string> {
  const { body } = await client.post('/api/v1/collections/demo_books/find', '{"limit":1}')
  const { ns } = body.cursor as { readonly ns: string }
  return ns.slice(0, ns.indexOf('.'))
}

interface ProtocolRow {
  readonly name: string
  readonly port?: number | null
}

function requireOk({ status, body }: Answer, what: string): void {
  if (status === 200 || status === 201) return
  const error = body.error as { readonly message?: unknown } | undefined
  throw fail('OperationFailed', `${what}: ${String(body.errmsg ?? error?.message ?? status)}`)
}

function print(text: string): void {
  process.stdout.write(text)
}
