// Cursors and transactions of HTTP behind a balancer: a request that reaches another gateway is
// passed on to the one that has them. If that one is gone, the answer is that of a router which
// does not know them.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { ask, type HttpAnswer } from '../support/http-client.js'
import type { LiveGateway } from '../support/live-gateway.js'
import { postgresMissing } from '../support/postgres-reference.js'
import { openPair, type SharedPair } from '../support/shared-pair.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

const origin = { PUBLIC_URL: 'http://localhost:4000' }

type Headers = Readonly<Record<string, string>>

function post(
  { url, key }: LiveGateway,
  path: string,
  body: unknown = {},
  headers: Headers = {},
): Promise<HttpAnswer> {
  const own = headers.authorization === undefined ? { 'x-api-key': key } : {}
  return ask(url, {
    method: 'POST',
    path: `/api/v1/${path}`,
    headers: { 'content-type': 'application/json', ...own, ...headers },
    body: JSON.stringify(body),
  })
}

async function fill(gateway: LiveGateway, headers: Headers = {}): Promise<void> {
  const documents = Array.from({ length: 10 }, (_, i) => ({ _id: i }))
  const { status, text } = await post(gateway, 'collections/c/insertMany', { documents }, headers)
  if (status !== 200) throw new Error(text)
}

async function cursorOn(gateway: LiveGateway, headers: Headers = {}): Promise<number> {
  const { json } = await post(gateway, 'collections/c/find', { batchSize: 4 }, headers)
  return (json.cursor as { id: number }).id
}

async function begin(gateway: LiveGateway, headers: Headers = {}): Promise<string> {
  return String((await post(gateway, 'transactions', {}, headers)).json.id)
}

/** The gateway ends as a killed one does: its row stays. */
async function kill({ query, address }: SharedPair, dead: number): Promise<void> {
  const schema = new URL(address).searchParams.get('schema')
  // Nothing listens at port 1.
  await query(`UPDATE ${schema}.heartbeats SET address = 'http://127.0.0.1:1' WHERE no = ${dead}`)
}

t.test('a cursor is read over both gateways', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t)
  const [one, two] = gateways
  await fill(one)
  const cursor = await cursorOn(one)
  t.ok(cursor > 0)
  const next = await post(two, 'collections/c/getMore', { cursor, batchSize: 3 })
  t.equal(next.status, 200, next.text)
  t.same(idsOf(next), [4, 5, 6])
  const last = await post(one, 'collections/c/getMore', { cursor, batchSize: 30 })
  t.same(idsOf(last), [7, 8, 9])
  const over = await post(two, 'collections/c/getMore', { cursor })
  t.equal(over.json.code, 43, 'the one that had it says so')
  t.equal(over.json.codeName, 'CursorNotFound')
  const rows = await post(one, 'sql', { query: 'SELECT * FROM c', batchSize: 4 })
  const { cursor: rest } = rows.json.result as { cursor: { id: number } }
  const more = await post(two, 'collections/c/getMore', { cursor: rest.id })
  t.equal(idsOf(more).length, 6, 'cursors of SQL too')
})

t.test('a transaction runs over both gateways', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t)
  const [one, two] = gateways
  await fill(one)
  const id = await begin(two)
  const within = { 'x-sigil-transaction': id }
  for (const [index, gateway] of [one, two, one].entries()) {
    const body = { document: { _id: `t${index}` } }
    const { status, text } = await post(gateway, 'collections/c/insertOne', body, within)
    t.equal(status, 200, text)
  }
  const large = { filter: { note: 'x'.repeat(2_000_000) } }
  t.equal((await post(one, 'collections/c/find', large, within)).status, 200, 'large bodies too')
  const sql = { query: "SELECT * FROM c WHERE _id = 't1'" }
  t.match((await post(one, 'sql', sql, within)).text, 't1')
  t.notMatch((await post(one, 'sql', sql)).text, 't1', 'not outside')
  const shown = await ask(one.url, {
    path: `/api/v1/transactions/${id}`,
    headers: { 'x-api-key': one.key },
  })
  t.equal(shown.json.state, 'open', shown.text)
  const lines = await post(
    one,
    'collections/c/find',
    {},
    {
      ...within,
      accept: 'application/x-ndjson',
    },
  )
  t.equal(lines.text.trim().split('\n').length, 13, 'streams too')
  t.equal((await post(one, `transactions/${id}/commit`)).json.state, 'committed')
  t.equal((await post(two, `transactions/${id}/commit`)).status, 200, 'asked again')
  t.match((await post(one, 'sql', sql)).text, 't1')
  const other = await begin(one)
  t.equal((await post(two, `transactions/${other}/abort`)).json.state, 'aborted')
  const late = await post(two, `transactions/${other}/commit`)
  t.equal(late.json.code, 251, late.text)
})

t.test('both gateways check the rights', { skip: postgresMissing }, async (t) => {
  const pair = await openPair(t, { ...origin, SHARED_SPACES: 'shared' })
  const [one, two] = pair.gateways
  const alice = await keyOf(one, 'alice')
  const bob = await keyOf(one, 'bob')
  await fill(one, alice.headers)
  const cursor = await cursorOn(one, alice.headers)
  const id = await begin(one, alice.headers)
  const more = (headers: Headers) => post(two, 'collections/c/getMore', { cursor }, headers)
  const insert = (headers: Headers) => {
    const within = { ...headers, 'x-sigil-transaction': id }
    return post(two, 'collections/c/insertOne', { document: {} }, within)
  }
  t.equal((await more(bob.headers)).json.code, 43, "another wallet's cursor does not exist")
  t.not((await insert(bob.headers)).status, 200)
  t.equal((await post(two, `transactions/${id}/commit`, {}, bob.headers)).json.code, 251)
  t.equal((await more({})).json.code, 43, 'nor for the operator')
  const wrong = { authorization: `Bearer svc_${'0'.repeat(64)}` }
  t.equal((await more(wrong)).status, 401)
  t.equal((await insert(alice.headers)).status, 200)
  await alice.end()
  t.equal((await more(alice.headers)).status, 401, 'an ended key')
  t.equal((await insert(alice.headers)).status, 401)
})

t.test('the gateway is gone', { skip: postgresMissing }, async (t) => {
  const pair = await openPair(t)
  const [one, two] = pair.gateways
  await fill(one)
  const cursor = await cursorOn(one)
  const id = await begin(one)
  const within = { 'x-sigil-transaction': id }
  const document = { _id: 'lost' }
  t.equal((await post(two, 'collections/c/insertOne', { document }, within)).status, 200)
  await kill(pair, 1)
  t.equal((await post(two, 'collections/c/getMore', { cursor })).json.code, 43)
  const statement = await post(two, 'collections/c/insertOne', { document }, within)
  t.equal(statement.json.code, 251, statement.text)
  const commit = await post(two, `transactions/${id}/commit`)
  t.equal(commit.json.code, 251, commit.text)
  const paused = await post(one, `transactions/${id}/commit`)
  t.not(paused.status, 200, 'what was said to be aborted is not committed')
  const found = await post(two, 'collections/c/findOne', { filter: document })
  t.equal(found.json.document, null)
})

t.test('an answer that is lost is told as such', { skip: postgresMissing }, async (t) => {
  const pair = await openPair(t)
  const [one, two] = pair.gateways
  await fill(one)
  const cursor = await cursorOn(one)
  const port = await openBroken(t)
  const schema = new URL(pair.address).searchParams.get('schema')
  const at = `http://127.0.0.1:${port}`
  await pair.query(`UPDATE ${schema}.heartbeats SET address = '${at}' WHERE no = 1`)
  const { status, json } = await post(two, 'collections/c/getMore', { cursor })
  t.same([status, json.code], [503, 6])
})

t.test('only another gateway can name the sender', { skip: postgresMissing }, async (t) => {
  const pair = await openPair(t, { RATE_ADDRESS: '5/60s' })
  const [one] = pair.gateways
  const statuses: number[] = []
  for (let i = 0; i < 8; i++) {
    const forged = `${Date.now()} https 10.0.0.${i} ${'A'.repeat(43)}`
    const headers = { authorization: 'Bearer x', 'x-sigil-forwarded': forged }
    statuses.push((await post(one, 'collections/c/find', {}, headers)).status)
  }
  t.same(statuses.slice(5), [429, 429, 429])
})

function idsOf({ json }: HttpAnswer): unknown[] {
  const { nextBatch } = json.cursor as { nextBatch: { _id: unknown }[] }
  return nextBatch.map(({ _id }) => _id)
}

async function keyOf(gateway: LiveGateway, name: string) {
  const client = await WalletClient.signIn(gateway.url, testWallet(name))
  const body = { label: 'k', permissions: ['all'], rateLimit: 0 }
  const { json } = await client.send('POST', '/api/v1/keys/generate', body)
  const { apiKey, hash } = json as { apiKey: string; hash: string }
  const headers = { authorization: `Bearer ${apiKey}` }
  return { headers, end: () => client.send('DELETE', `/api/v1/keys/${hash}`) }
}

/** A server that takes a request and closes the connection. */
async function openBroken(t: Test): Promise<number> {
  const server: Server = createServer((incoming) => incoming.socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}
