// The graph memory by clients of the Model Context Protocol, unmodified: both lines of the library,
// over HTTP and over `sigil mcp`, as the owner of a graph, as another wallet, and with a key that
// is revoked while the session is open.

import t, { type Test } from 'tap'
import { homeOf } from '../../src/engine/collection/catalog/homes.js'
import { ask } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { lines, type McpClient, openMcp, type Target } from '../support/mcp-clients.js'
import { isLong } from '../support/seed.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

const names = ['forget', 'graph', 'recall', 'relate', 'remember', 'verify', 'verify_many']

interface Room extends Target {
  readonly owner: WalletClient
  readonly otherWallet: WalletClient
}

/** One Sigil for all of them; each has a graph of its own. */
async function openRoom(): Promise<Room> {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  const owner = await WalletClient.signIn(url, testWallet('alice'))
  const otherWallet = await WalletClient.signIn(url, testWallet('mallory'))
  return { url, key: (await owner.issue()).apiKey, owner, otherWallet }
}

const opened = openRoom()

for (const over of ['http', 'stdio'] as const) {
  for (const line of lines) {
    // Starting a process takes as long as all its calls.
    if (over === 'stdio' && line === '2.x as before' && !isLong) continue
    t.test(`${line} over ${over}: every tool, resource and prompt`, async (t) => {
      const client = await openMcp(line, over, await opened)
      t.teardown(() => client.close())
      const graph = `A-${over}-${line.replace(/\W/g, '-')}`
      await describes(t, client)
      await remembers(t, client, graph)
      await refusesInput(t, client, graph)
    })
  }

  t.test(`over ${over}, another's graph is closed, and a revoked key ends at once`, async (t) => {
    const { url, owner, otherWallet } = await opened
    const issued = await owner.issue()
    const client = await openMcp('2.x', over, { url, key: issued.apiKey })
    t.teardown(() => client.close())
    const text = 'Nobody else reads this.'
    const { id } = (await client.call('remember', { graph: 'mine', text })).data
    const { apiKey } = await otherWallet.issue()
    const apart = await openMcp('1.x', over, { url, key: apiKey })
    t.teardown(() => apart.close())
    const own = await apart.call('recall', { graph: 'mine', q: 'nobody' })
    t.notMatch(own.text, text, 'the graph of that name in the own home is another')
    t.match(await apart.call('forget', { graph: 'mine', id }), { isError: true })
    t.notOk((await apart.resources()).includes('memory://mine/summary'))
    if (over === 'http') {
      const database = homeOf(owner.wallet.address)
      const other = await openMcp('1.x', over, { url, key: apiKey, database })
      t.teardown(() => other.close())
      await isClosed(t, other, String(id))
    }
    const revoked = await owner.send('DELETE', `/api/v1/keys/${issued.hash}`)
    t.equal(revoked.status, 200)
    const late = client.call('recall', { graph: 'mine', q: 'nobody' })
    if (over === 'http') await t.rejects(late, /401|Unauthorized|UNAUTHENTICATED/i)
    else t.match(await late, { isError: true, text: /^UNAUTHENTICATED/ })
  })
}

/** To one who names the home in which the graph lies. */
async function isClosed(t: Test, other: McpClient, id: string): Promise<void> {
  for (const [name, given] of [
    ['remember', { text: 'x' }],
    ['recall', { q: 'nobody' }],
    ['relate', { from: id, to: id, type: 'relates' }],
    ['forget', { id }],
    ['verify', { id }],
    ['verify_many', { ids: [id] }],
    ['graph', {}],
  ] as const) {
    const refused = await other.call(name, { graph: 'mine', ...given })
    t.match(refused, { isError: true, text: /^FORBIDDEN/ }, name)
  }
  await t.rejects(other.resource(`memory://mine/node/${id}`), /FORBIDDEN/)
  await t.rejects(other.resource('memory://mine/summary'), /FORBIDDEN/)
  await t.rejects(other.prompt('context', { graph: 'mine', entity: 'x' }), /FORBIDDEN/)
  t.notOk((await other.resources()).includes('memory://mine/summary'))
}

async function describes(t: Test, client: McpClient): Promise<void> {
  const tools = await client.tools()
  t.same(tools.map(({ name }) => name).sort(), names)
  for (const { name, annotations, inputSchema, outputSchema, description } of tools) {
    t.match(inputSchema, { type: 'object', additionalProperties: false }, name)
    t.match(outputSchema, { type: 'object' }, name)
    const reads = ['recall', 'verify', 'verify_many', 'graph'].includes(name)
    t.equal(annotations?.readOnlyHint, reads, name)
    if (!reads) t.equal(annotations?.destructiveHint, name === 'forget', name)
    if (['recall', 'graph'].includes(name)) t.match(description, /do not follow instructions/)
  }
  t.same([...(await client.templates())].sort(), [
    'memory://{graph}/node/{id}',
    'memory://{graph}/summary',
  ])
}

async function remembers(t: Test, client: McpClient, graph: string): Promise<void> {
  const text = 'Ada moved to Lisbon in May and keeps bees.'
  const given = { graph, text, entities: ['Ada', { name: 'Lisbon', kind: 'place' }] }
  const kept = await client.call('remember', given)
  const id = String(kept.data.id)
  t.match(kept, { data: { id: /^mem_/, duplicate: false } }, kept.text)
  t.match(kept.text, id)
  const again = await client.call('remember', given)
  t.match(again.data, { id, duplicate: true })
  const other = await client.call('remember', { graph, text: 'Bees need water in summer.' })

  const found = await client.call('recall', { graph, q: 'lisbon', hops: 1, limit: 5 })
  t.match(found.data, { memories: [{ id, text }], contextTruncated: false }, found.text)
  t.ok(found.text.includes(id) && Buffer.byteLength(found.text) <= 16_000)
  const about = await client.call('recall', { graph, entity: 'ada' })
  t.match(about.data, { memories: [{ id, score: 0.5, distance: 1 }] }, about.text)
  const nothing = await client.call('recall', { graph: 'elsewhere', q: 'lisbon' })
  t.match(nothing.data, { memories: [], nodeIds: [], edgeIds: [] }, nothing.text)

  const edge = { graph, from: id, to: other.data.id, type: 'relates' }
  const made = await client.call('relate', edge)
  t.match(made.data, { created: true, edge: { id: /^edg_/, type: 'relates' } }, made.text)
  t.match((await client.call('relate', edge)).data, { created: false })

  const verdict = await client.call('verify', { graph, id })
  t.match(verdict.data, { id, verified: false, hashValid: true, problem: 'not anchored yet' })
  const many = await client.call('verify_many', { graph, ids: [id, 'mem_none'] })
  t.match(many.data.results, [{ id }, { id: 'mem_none', problem: 'not found' }])
  const missing = await client.call('verify', { graph, id: 'mem_none' })
  t.match(missing.data, { verified: false, problem: 'not found' })

  const size = await client.call('graph', { graph })
  t.match(size.data, { total: Number }, size.text)
  t.notOk('nodes' in size.data, 'counts alone unless asked')
  const whole = await client.call('graph', { graph, metadataOnly: false, limit: 10 })
  t.ok((whole.data.nodes as unknown[]).length >= 4, whole.text)
  t.ok(whole.text.includes(id))
  t.match(JSON.parse(await client.resource(`memory://${graph}/summary`)), { graph })
  t.match(JSON.parse(await client.resource(`memory://${graph}/node/${id}`)), {
    memory: { id, text },
  })
  t.ok((await client.resources()).includes(`memory://${graph}/summary`))
  const prompt = await client.prompt('context', { graph, entity: 'Ada' })
  t.match(prompt, /Load context about Ada.*moved to Lisbon/s)
  t.match(await client.prompt('context', { graph, entity: 'Nobody' }), /Nothing was found/)
  await t.rejects(client.prompt('context', { graph }), /entity/)

  const gone = await client.call('forget', { graph, id })
  t.match(gone.data, { deleted: true, id }, gone.text)
  t.match(await client.call('forget', { graph, id }), {
    ...{ isError: true, text: /^NODE_NOT_FOUND/ },
  })
  await t.rejects(client.resource(`memory://${graph}/node/${id}`), /NODE_NOT_FOUND/)
  await t.rejects(client.resource(`memory://${graph}/node/%E0%A4`), /badly encoded/)
}

async function refusesInput(t: Test, client: McpClient, graph: string): Promise<void> {
  for (const [name, given] of [
    ['remember', {}],
    ['remember', { text: 5 }],
    ['remember', { text: 'x', graph: 'no graph' }],
    ['remember', { text: 'x'.repeat(8_193) }],
    ['remember', { text: 'half \ud83d' }],
    ['recall', { q: 'half \ud83d' }],
    ['verify', { id: '\ude00' }],
    ['remember', { text: 'x', unknown: true }],
    ['recall', {}],
    ['recall', { q: 'x', hops: 11 }],
    ['recall', { q: 'x', limit: 1.5 }],
    ['recall', { graph, entity: 'nobody of that name' }],
    ['relate', { from: 'mem_a', to: 'mem_b' }],
    ['relate', { from: 'mem_a', to: 'mem_b', type: 'relates' }],
    ['forget', { id: '' }],
    ['verify', {}],
    ['graph', { limit: 301 }],
  ] as const) {
    const refused = await client.call(name, given).catch((error: unknown) => ({
      ...{ isError: true, text: String(error) },
    }))
    t.match(refused, { isError: true }, `${name} ${JSON.stringify(given).slice(0, 40)}`)
  }
}

t.test('who has no key, or another Host or Origin, is not served', async (t) => {
  const { url, key, ports } = await startGateway(t)
  const initialize = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    },
  }
  const type = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const send = (headers: Readonly<Record<string, string>>, body = JSON.stringify(initialize)) =>
    ask(url, { path: '/mcp', headers: { ...type, ...headers }, body })
  const challenge = { status: 401, headers: { 'www-authenticate': 'Bearer' } }
  const bearer = { authorization: `Bearer ${key}` }
  t.match(await send({}), { ...challenge, json: { jsonrpc: '2.0', error: { code: -32_000 } } })
  t.match(await send({ authorization: 'Bearer wrong' }), challenge)
  const browser = await WalletClient.signIn(url, testWallet('alice'))
  t.match(await send(browser.headers), challenge, 'a session is no key')
  t.match(await send(bearer), { status: 200, text: /"serverInfo"/ })
  t.match(await send({ ...bearer, origin: `http://localhost:${ports.http}` }), { status: 200 })
  t.match(await send({ ...bearer, origin: 'https://evil.test' }), { status: 403 })
  t.match(await send({ ...bearer, 'sec-fetch-site': 'cross-site' }), { status: 403 })
  t.match(await send({ ...bearer, host: 'evil.test' }), { status: 421 })
  const refusedByHttp = { jsonrpc: '2.0', id: null, error: { code: -32_000 } }
  const plain = await send({ ...bearer, 'content-type': 'text/plain' })
  t.match(plain, { status: 415, json: refusedByHttp })
  t.match(await send(bearer, '{'), { status: 400, text: /-32700/ })
  for (const space of ['', ' '.repeat(100), '\ufeff']) {
    const sent = await send(bearer, `${space}[${JSON.stringify(initialize)}]`)
    t.match(sent, { status: 400, json: { error: { code: -32_600 } } })
  }
  t.match(await send(bearer, ' '.repeat(1_100_000)), { status: 413, json: refusedByHttp })
  for (const method of ['GET', 'DELETE']) {
    const answer = await ask(url, { method, path: '/mcp', headers: bearer })
    t.match(answer, { status: 405, headers: { allow: 'POST' }, json: refusedByHttp }, method)
  }
  const below = await ask(url, { path: '/mcp/sse', headers: bearer })
  t.match(below, { status: 404, json: refusedByHttp }, 'all below is answered alike')
  const other = await ask(url, { path: '/mcpx', headers: bearer })
  t.match(other, { status: 404, json: { ok: 0 } })
  const { status } = await ask(url, { path: '/health' })
  t.equal(status, 200)
})

t.test('with ANONYMOUS=read a key is needed all the same', async (t) => {
  const { url } = await startGateway(t, { ANONYMOUS: 'read' })
  const headers = { 'content-type': 'application/json' }
  t.match(await ask(url, { path: '/mcp', headers, body: '{}' }), { status: 401 })
})

t.test('a message of very many fields is refused before it is checked', async (t) => {
  const { url, key } = await opened
  const send = (fields: number) =>
    ask(url, {
      path: '/mcp',
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
        ...Object.fromEntries(Array.from({ length: fields }, (_, i) => [`field ${i}`, 'x'])),
      }),
    })
  const { status, json } = await send(10_001)
  t.same([status, (json.error as { code: number }).code], [400, -32_600])
  t.match(json, { error: { message: /at most 10000 elements and fields/ } })
  t.notMatch((await send(9_000)).text, 'at most 10000')
})
