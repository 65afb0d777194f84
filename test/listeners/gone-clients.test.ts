// Pipelines of clients that leave: on each protocol, requests that have not begun are dropped, and
// hold no memory.

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { message, startup, text } from '../protocol/pgwire/frontend.js'
import { startGateway } from '../support/live-gateway.js'
import { command } from '../support/messages.js'
import { encode } from '../support/resp-client.js'
import { openSilent } from '../support/silent-clients.js'
import { watchBudget } from '../support/used-budget.js'

const pipelined = 20
const budget = 16_000_000
/** Enough for what is sent to arrive, and for an end to be noticed. */
const turns = 500

const used = watchBudget()

async function someTurns(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTurn()
}

t.test('what has not begun for a client that has left', async (t) => {
  const settings = { AUTH_MODE: 'off', RATE_LIMITS: 'off', MEMORY_BUDGET: '16MB' }
  const { ports, url } = await startGateway(t, settings)
  const collections = '/api/v1/collections'
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as Record<string, unknown>
  }
  // The account of the gateway is the last one that counts.
  await post(`${collections}/first/insertOne`, { document: {} })
  const count = async (of: string): Promise<unknown> =>
    (await post(`${collections}/${of}/count`, {})).count
  const insert = JSON.stringify({ document: { v: 1 } })
  const overHttp =
    `POST ${collections}/http/insertOne HTTP/1.1\r\nHost: 127.0.0.1:${ports.http}\r\n` +
    `content-type: application/json\r\ncontent-length: ${insert.length}\r\n\r\n${insert}`
  const overWire = command({ insert: 'wire', documents: [{ v: 1 }], $db: 'main' })
  const overSql = message('Q', text('INSERT INTO sql (v) VALUES (1)'))
  const login = startup(196_608, { user: 'tester' })
  const each = (bytes: Uint8Array): Buffer => Buffer.concat(Array(pipelined).fill(bytes))
  const requests: Record<string, readonly [number, Buffer]> = {
    http: [ports.http, each(Buffer.from(overHttp))],
    wire: [ports.wire, each(overWire)],
    sql: [ports.sql, Buffer.concat([login, each(overSql)])],
    redis: [ports.redis, each(encode(['SADD', 'redis', 'x']))],
  }
  for (const [name, [port, bytes]] of Object.entries(requests)) {
    const [socket] = (await openSilent(port, 1)) as [Socket]
    const collection = name === 'redis' ? 'kv0' : name
    t.equal(await count(collection), 0)
    const account = used()
    account.charge(budget)
    socket.write(bytes)
    await someTurns()
    // The key-value port still answers a client that has only ended its side.
    if (name === 'redis') socket.resetAndDestroy()
    else socket.destroy()
    await once(socket, 'close')
    await someTurns()
    account.release(budget)
    await someTurns()
    t.equal(await count(collection), 0, name)
    t.equal(account.bytesUsed, 0, `${name} holds nothing`)
  }
})
