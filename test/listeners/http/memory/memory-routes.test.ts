// The graph memory over HTTP as a new client uses it: what one writes is found, shown, linked and
// proven; requests that are sent again, and snapshots that one has already.

import t, { type Test } from 'tap'
import { ask, type HttpAnswer } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<HttpAnswer>

async function open(t: Test): Promise<{ readonly send: Send }> {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const send: Send = (method, path, body, headers = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }
    const all = { 'x-api-key': key, 'content-type': 'application/json', ...length, ...headers }
    return ask(url, { method, path, headers: all, ...(text === undefined ? {} : { body: text }) })
  }
  return { send }
}

interface Listed {
  readonly id: string
  readonly type?: string
}

t.test('the first five minutes of a new wallet', async (t) => {
  const { send } = await open(t)
  const empty = await send('GET', '/api/graph')
  const nothing = { nodes: [], edges: [], anchors: [], total: 0, truncated: false }
  t.match(empty, { status: 200, json: nothing })
  t.match((await send('GET', '/api/recall?q=anything')).json, {
    ...{ memories: [], nodeIds: [], edgeIds: [], contextTruncated: false },
  })

  const text = 'Ada Lovelace moved to Lisbon on 2024-05-01.'
  const entities = ['Ada Lovelace', { name: 'Lisbon', kind: 'place', aliases: ['Lisboa'] }]
  const made = await send('POST', '/api/memories', { text, entities })
  t.match(made, {
    status: 201,
    json: { id: /^mem_[0-9A-Z]{26}$/, duplicate: false, memory: { text, type: 'memory' } },
  })
  t.notOk('ok' in made.json || 'index' in made.json)
  const id = String(made.json.id)
  const again = await send('POST', '/api/memories', { text, entities })
  t.match(again, { status: 200, json: { id, duplicate: true } })

  const batch = await send('POST', '/api/memories/batch', {
    memories: [
      { text: 'Ada keeps bees.', entities: ['Ada Lovelace'] },
      { text: '' },
      { text, entities },
    ],
  })
  t.match(batch, { status: 200, json: { inserted: 1, duplicates: 1 } }, batch.text)
  const results = batch.json.results as readonly Record<string, unknown>[]
  t.match(results[1], { index: 1, error: { code: 'INVALID_INPUT', message: String } })
  const bees = String(results[0]?.id)

  const elsewhere = await send('GET', '/api/graph', undefined, { 'x-sigil-database': 'other' })
  t.equal(elsewhere.json.total, 0, 'each space has graphs of its own')
  const found = await send('GET', '/api/recall?q=where+did+ada+move')
  t.match(found.json, { memories: [{ id, text, distance: 0 }], contextTruncated: false })
  const near = await send('GET', '/api/recall?entity=Lisboa&hops=3&q=')
  const ids = (near.json.memories as readonly Listed[]).map((one) => one.id)
  t.same([...ids].sort(), [id, bees].sort(), 'an empty parameter is none')

  const one = await send('GET', `/api/memories/${id}`)
  t.match(one, { status: 200, json: { memory: { id, text }, edges: [{ type: 'mentions' }] } })
  for (const hidden of ['keywords', 'contentKey', '_id']) t.notMatch(one.text, `"${hidden}"`)

  const edge = { from: id, to: bees, type: 'relates', weight: 0.5 }
  t.match(await send('POST', '/api/edges', edge), { status: 201, json: { edge: { weight: 0.5 } } })
  t.match(await send('POST', '/api/edges', edge), { status: 200, json: { created: false } })
  const { from, to, type } = edge
  t.match(await send('DELETE', `/api/edges?from=${from}&to=${to}&type=${type}`), {
    ...{ status: 200, json: { deleted: true } },
  })
  const said = { ...edge, type: 'knows', source: 'a letter', validTo: 5 }
  t.match(await send('POST', '/api/edges', said), {
    status: 201,
    json: { edge: { source: 'a letter' } },
  })
  t.equal((await send('POST', '/api/edges', edge)).status, 201)
  t.match(await send('DELETE', '/api/edges', { from, to, type }), { status: 200 })

  const patched = async (body: object) => {
    const { json } = await send('PATCH', `/api/memories/${bees}`, body)
    return (json.memory as { validTo?: unknown }).validTo
  }
  t.equal(await patched({ validTo: 5 }), 5)
  t.equal(await patched({ validTo: null }), undefined, 'null takes it away again')

  const whole = await send('GET', '/api/graph')
  const nodes = whole.json.nodes as readonly Listed[]
  const kinds = nodes.map((node) => node.type).sort()
  t.same(kinds, ['entity', 'entity', 'entity', 'memory', 'memory'], 'the date is one')
  t.match(whole.json, { total: 5, truncated: false })
  t.match((await send('GET', '/api/graph?limit=2')).json, { total: 5, truncated: true })

  const verdict = await send('GET', `/api/verify?id=${id}`)
  t.match(verdict.json, {
    ...{ verified: false, hashValid: true, anchored: false, proofValid: false, onChain: false },
    ...{ root: null, txHash: null, anchoredAt: null, anchoredBy: null, explorerUrl: null },
    ...{ computedHash: /^0x[0-9a-f]{64}$/, problem: 'not anchored yet' },
  })

  const corrected = { text: 'Ada Lovelace moved to Porto.', supersedes: id }
  t.equal((await send('POST', '/api/memories', corrected)).status, 201)
  const active = await send('GET', '/api/recall?q=lisbon')
  t.same(active.json.memories, [], 'what is superseded is not found')
  const old = await send('GET', '/api/recall?q=lisbon&include=superseded')
  t.match(old.json.memories, [{ id }])

  t.match(await send('GET', '/api/graphs'), { json: { graphs: [{ name: 'default' }] } })
  t.match(await send('GET', '/api/graphs/default'), { json: { name: 'default', memories: 3 } })
  t.match(await send('DELETE', `/api/memories/${bees}`), { status: 200, json: { deleted: true } })
  t.equal((await send('GET', `/api/memories/${bees}`)).status, 404)
})

t.test('graphs are made, set, merged in and dropped', async (t) => {
  const { send } = await open(t)
  const graph = 'notes'
  for (const text of ['Bob likes tea.', 'Robert likes coffee.']) {
    const entities = [text.split(' ')[0]]
    t.equal((await send('POST', '/api/memories', { graph, text, entities })).status, 201)
  }
  const merged = await send('POST', '/api/entities/merge', { graph, from: 'Robert', into: 'Bob' })
  t.match(merged, { status: 200, json: { entity: { name: 'Bob' } } }, merged.text)
  const about = await send('GET', `/api/recall?graph=${graph}&entity=robert`)
  t.equal((about.json.memories as unknown[]).length, 2, 'the old name is found')
  const set = await send('PUT', `/api/graphs/${graph}`, { mode: 'public', k1: 0.9, b: 0.4 })
  t.match(set, { status: 200, json: { mode: 'public' } }, set.text)
  t.match(await send('GET', `/api/graphs/${graph}`), { json: { name: graph, mode: 'public' } })
  for (const body of [{ mode: 'secret' }, { k1: 'x' }, { b: 2 }]) {
    t.equal((await send('PUT', `/api/graphs/${graph}`, body)).status, 400, JSON.stringify(body))
  }
  t.match(await send('DELETE', `/api/graphs/${graph}`), { status: 200, json: { dropped: true } })
  t.match((await send('GET', `/api/graph?graph=${graph}`)).json, { nodes: [], total: 0 })
})

t.test('a snapshot that one has already is 304, and any change makes another', async (t) => {
  const { send } = await open(t)
  await send('POST', '/api/memories', { text: 'One.' })
  const first = await send('GET', '/api/graph')
  const etag = String(first.headers.etag)
  t.match(etag, /^"\d+-300"$/)
  t.equal(first.headers['cache-control'], 'private, no-cache')
  const known = (tag: string, path = '/api/graph') =>
    send('GET', path, undefined, { 'if-none-match': tag })
  const same = await known(etag)
  t.match(same, { status: 304, text: '', headers: { etag } })
  t.equal((await known(`"other", W/${etag}`)).status, 304)
  t.equal((await known('*')).status, 304)
  t.equal((await known('no tag')).status, 400)
  t.equal((await known(etag, '/api/graph?limit=1')).status, 200, 'another snapshot')
  await send('POST', '/api/memories', { text: 'Two.' })
  t.match(await known(etag), { status: 200, json: { total: 2 } })
  const head = await send('HEAD', '/api/graph')
  t.match(head, { status: 200, text: '' })
  const { headers } = await send('GET', '/api/recall?q=one')
  t.equal(headers['cache-control'], 'no-store')
  t.equal(headers['content-type'], 'application/json; charset=utf-8')
})

t.test('whatever changes a graph changes the tag of its snapshot', async (t) => {
  const { send } = await open(t)
  const remember = async (text: string, entity: string) =>
    String((await send('POST', '/api/memories', { text, entities: [entity] })).json.id)
  const [a, b] = [await remember('One.', 'Ada'), await remember('Two.', 'Bob')]
  const edge = { from: a, to: b, type: 'relates' }
  const seen = new Set<string>()
  const look = async (what: string) => {
    const { etag } = (await send('GET', '/api/graph')).headers
    t.notOk(seen.has(String(etag)), what)
    seen.add(String(etag))
  }
  await look('at first')
  for (const [method, path, body] of [
    ['POST', '/api/memories', { text: 'Three.' }],
    ['POST', '/api/memories/batch', { memories: [{ text: 'Four.' }] }],
    ['POST', '/api/edges', edge],
    ['DELETE', '/api/edges', edge],
    ['PATCH', `/api/memories/${a}`, { status: 'superseded' }],
    ['POST', '/api/entities/merge', { from: 'Bob', into: 'Ada' }],
    ['POST', '/api/anchor', {}],
    ['DELETE', `/api/memories/${b}`, undefined],
    ['DELETE', '/api/graphs/default?release=true', undefined],
    ['POST', '/api/memories', { text: 'One.' }],
  ] as const) {
    const { status, text } = await send(method, path, body)
    t.ok(status < 300, `${method} ${path} ${text}`)
    await look(`${method} ${path}`)
  }
})

t.test('a request under an idempotency key is run once', async (t) => {
  const { send } = await open(t)
  const body = { text: 'Kept once.' }
  const key = { 'idempotency-key': 'k1' }
  const first = await send('POST', '/api/memories', body, key)
  t.equal(first.status, 201, first.text)
  const again = await send('POST', '/api/memories', body, key)
  t.match(again, { status: 201, text: first.text, headers: { 'idempotency-replayed': 'true' } })
  const conflict = { status: 409, json: { error: { code: 'IDEMPOTENCY_CONFLICT' } } }
  t.match(await send('POST', '/api/memories', { text: 'Another.' }, key), conflict)

  const named = { text: 'Named in the body.', idempotencyKey: 'k2' }
  const made = await send('POST', '/api/memories', named)
  t.equal(made.status, 201, made.text)
  t.match(await send('POST', '/api/memories', named), { status: 201, text: made.text })
  t.match(await send('POST', '/api/memories', { ...named, text: 'Other.' }), conflict)
  const both = await send(
    'POST',
    '/api/memories',
    { ...named, text: 'New.' },
    {
      ...{ 'idempotency-key': 'k3' },
    },
  )
  t.equal(both.status, 201, 'the header wins')

  const path = `/api/memories/${String(made.json.id)}`
  t.equal((await send('DELETE', path, undefined, { 'idempotency-key': 'k4' })).status, 200)
  t.equal((await send('DELETE', path, undefined, { 'idempotency-key': 'k4' })).status, 200)
  t.equal((await send('DELETE', path)).status, 404)
  const many = { memories: [{ text: 'In a batch.' }] }
  const batch = await send('POST', '/api/memories/batch', many, { 'idempotency-key': 'k5' })
  t.match(await send('POST', '/api/memories/batch', many, { 'idempotency-key': 'k5' }), {
    ...{ status: 200, text: batch.text },
  })
  t.match(batch.json, { inserted: 1 })
})

t.test('an anchoring on request is accepted, and proven on the local chain', async (t) => {
  const { send } = await open(t)
  const made = await send('POST', '/api/memories', { text: 'To be proven.' })
  const asked = await send('POST', '/api/anchor', {})
  t.match(asked, { status: 202, json: { anchorId: /^anc_/, count: 1 } }, asked.text)
  const none = await send('POST', '/api/anchor', {})
  t.match(none, { status: 202, json: { anchorId: null, count: 0 } }, none.text)
  t.match(await send('GET', `/api/verify?id=${String(made.json.id)}`), { status: 200 })
  t.equal((await send('GET', '/api/verify/graph')).status, 200)
})
