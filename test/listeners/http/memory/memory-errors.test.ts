// What the graph memory refuses, and how: the codes and statuses of docs/memory.md, in its own
// bodies, and never much of what was sent.

import t, { type Test } from 'tap'
import { type CodeName, fail } from '../../../../src/base/errors.js'
import { homeOf } from '../../../../src/engine/collection/catalog/homes.js'
import { isMemoryUrl, memoryRefusal } from '../../../../src/listeners/http/memory/memory-errors.js'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { testWallet } from '../../../support/wallet.js'
import { WalletClient } from '../../../support/wallet-client.js'

interface Sent {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

async function open(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off', ...settings })
  const send = ({ method, path, body, headers = {} }: Sent, given = key) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const type = { 'content-type': 'application/json' }
    const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }
    return ask(url, {
      ...{ method: method ?? (body === undefined ? 'GET' : 'POST'), path },
      headers: { ...(given === '' ? {} : { 'x-api-key': given }), ...type, ...length, ...headers },
      ...(text === undefined ? {} : { body: text }),
    })
  }
  const refuses = async (status: number, code: string, sent: Sent, given = key) => {
    const answer = await send(sent, given)
    const what = `${sent.method ?? ''} ${sent.path} ${JSON.stringify(sent.body ?? '').slice(0, 60)}`
    t.equal(answer.status, status, `${what}: ${answer.text}`)
    t.same(Object.keys(answer.json), ['error'], what)
    const { error } = answer.json as { error?: { code?: unknown; message?: unknown } }
    t.equal(error?.code, code, what)
    t.equal(typeof error?.message, 'string', what)
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8', what)
    return answer
  }
  return { url, key, send, refuses }
}

t.test('bad input is 400 INVALID_INPUT', async (t) => {
  const { refuses } = await open(t)
  for (const path of [
    '/api/recall',
    '/api/recall?q=',
    '/api/recall?q=x&hops=1.5',
    '/api/recall?q=x&hops=-1',
    '/api/recall?q=x&hops=abc',
    '/api/recall?q=x&hops=11',
    '/api/recall?q=x&hops=',
    '/api/recall?q=x&limit=0',
    '/api/recall?q=x&limit=101',
    '/api/recall?q=x&hops=1&hops=9',
    '/api/recall?q=x&q=y',
    '/api/recall?q=x&include=all',
    '/api/recall?q=x&neighbours=2',
    `/api/recall?q=${'x'.repeat(513)}`,
    `/api/recall?entity=${'x'.repeat(257)}`,
    '/api/recall?q=x&graph=no%20graph',
    '/api/recall?q=x&graph=',
    '/api/graph?graph=-a',
    `/api/graph?graph=${'a'.repeat(65)}`,
    '/api/graph?graph=a%1fb',
    '/api/graph?limit=0',
    '/api/graph?limit=301',
    '/api/graph?graph=a&graph=b',
    '/api/verify',
    '/api/verify?id=',
    `/api/verify?id=${'x'.repeat(129)}`,
    '/api/verify?id=a&id=b',
  ]) {
    await refuses(400, 'INVALID_INPUT', { path })
  }
  for (const body of [
    '{',
    '[]',
    '"x"',
    '{"text":"x","text2":1}',
    '{"text":5}',
    '{}',
    '{"text":""}',
    '{"text":"x","graph":"a b"}',
    '{"text":"x","entities":"Ada"}',
    '{"text":"x","entities":[5]}',
    '{"text":"x","entities":[""]}',
    '{"text":"x","source":[]}',
    '{"text":"x","keywords":[1]}',
    '{"text":"x","edges":[{"to":5}]}',
  ]) {
    await refuses(400, 'INVALID_INPUT', { path: '/api/memories', body })
  }
  for (const body of [{}, { memories: 'x' }, { memories: [], mode: 'some' }]) {
    await refuses(400, 'INVALID_INPUT', { path: '/api/memories/batch', body })
  }
  for (const body of [{}, { from: 'a', to: 'b' }, { from: 'a', to: 'b', type: 5 }]) {
    await refuses(400, 'INVALID_INPUT', { path: '/api/edges', body })
  }
  await refuses(400, 'INVALID_INPUT', { path: '/api/edges', method: 'DELETE' })
  await refuses(400, 'INVALID_INPUT', { path: '/api/entities/merge', body: { from: 'a' } })
  await refuses(400, 'INVALID_INPUT', { path: '/api/anchor', body: { ids: 'x' } })
})

t.test('what is no Unicode is refused, never changed', async (t) => {
  const { send, refuses } = await open(t)
  const half = '\\ud83d'
  const fine = await send({ path: '/api/memories', body: '{"text": "\\ud83d\\ude00 \\ufffd"}' })
  t.match(fine, { status: 201, json: { memory: { text: '😀 \ufffd' } } })
  for (const body of [
    `{"text": "${half}"}`,
    `{"text": "x", "entities": ["${half}"]}`,
    `{"text": "x", "entities": [{"name": "x", "aliases": ["${half}"]}]}`,
    `{"text": "x", "keywords": ["${half}"]}`,
    `{"text": "x", "source": {"ref": "${half}"}}`,
    `{"text": "x", "idempotencyKey": "${half}"}`,
    `{"text": "x", "graph": "${half}"}`,
    `{"text": "x", "${half}": 1}`,
  ]) {
    await refuses(400, 'INVALID_INPUT', { path: '/api/memories', body })
  }
  const batch = `{"memories": [{"text": "good"}, {"text": "${half}"}]}`
  await refuses(400, 'INVALID_INPUT', { path: '/api/memories/batch', body: batch })
  for (const bytes of ['%ff', '%ED%A0%BD', 'a%c3']) {
    for (const name of ['recall?q', 'recall?entity', 'graph?graph', 'verify?id', 'edges?id']) {
      const method = name === 'edges?id' ? 'DELETE' : 'GET'
      await refuses(400, 'INVALID_INPUT', { path: `/api/${name}=${bytes}`, method })
    }
    for (const path of [`/api/memories/${bytes}`, `/api/graphs/${bytes}`]) {
      await refuses(400, 'INVALID_INPUT', { path })
      await refuses(400, 'INVALID_INPUT', { path, method: 'DELETE' })
    }
    const named = await send({ path: `/api/v1/collections/${bytes}/stats` })
    t.match(named, { status: 400, json: { code: 2 } }, 'nor by the document API')
  }
  const insert = { path: '/api/v1/collections/c/insertOne', body: `{"document": {"a": "${half}"}}` }
  t.match(await send(insert), { status: 400, json: { code: 2, errmsg: /half of a surrogate/ } })
  t.equal((await send({ path: '/api/recall?q=100%25+of+5%' })).status, 200, 'a bare percent sign')
})

t.test('unknown things are 404, each with its own code', async (t) => {
  const { send, refuses } = await open(t)
  await send({ path: '/api/memories', body: { text: 'Ada is here.', entities: ['Ada'] } })
  await refuses(404, 'NODE_NOT_FOUND', { path: '/api/recall?entity=unknown' })
  await refuses(404, 'NODE_NOT_FOUND', { path: '/api/recall?entity=unknown&graph=none' })
  for (const id of ['mem_none', 'ent_none', 'x', '%20', '%E6%9D%B1']) {
    await refuses(404, 'NODE_NOT_FOUND', { path: `/api/memories/${id}` })
    await refuses(404, 'NODE_NOT_FOUND', { path: `/api/memories/${id}`, method: 'DELETE' })
    const body = { status: 'superseded' }
    await refuses(404, 'NODE_NOT_FOUND', { path: `/api/memories/${id}`, method: 'PATCH', body })
  }
  const edge = { from: 'mem_a', to: 'mem_b', type: 'relates' }
  await refuses(404, 'NODE_NOT_FOUND', { path: '/api/edges', body: edge })
  await refuses(404, 'NODE_NOT_FOUND', { path: '/api/edges', method: 'DELETE', body: edge })
  for (const path of ['/api/edges?id=edg_none', '/api/edges?id=edg_none&graph=none']) {
    await refuses(404, 'EDGE_NOT_FOUND', { path, method: 'DELETE' })
  }
  const merge = { from: 'Nobody', into: 'Ada' }
  await refuses(404, 'NODE_NOT_FOUND', { path: '/api/entities/merge', body: merge })
  await refuses(404, 'GRAPH_NOT_FOUND', { path: '/api/graphs/none' })
  await refuses(404, 'GRAPH_NOT_FOUND', { path: '/api/graphs/none', method: 'DELETE' })
  for (const path of ['/api/', '/api/nothing', '/api/graph/', '/api/v10', '/api/memories/a/b']) {
    await refuses(404, 'ROUTE_NOT_FOUND', { path })
  }
  const other = await send({ path: '/api/v1/nothing' })
  t.match(other, { status: 404, json: { ok: 0, code: 59 } }, 'the document API has its own')
  const verdict = await send({ path: '/api/verify?id=mem_none&graph=none' })
  t.match(verdict, { status: 200, json: { verified: false, problem: 'not found' } })
})

t.test('methods, types and sizes', async (t) => {
  const { refuses, send } = await open(t)
  const wrong = await refuses(405, 'METHOD_NOT_ALLOWED', { path: '/api/graph', body: {} })
  t.equal(wrong.headers.allow, 'GET')
  await refuses(405, 'METHOD_NOT_ALLOWED', { path: '/api/memories', method: 'PUT', body: {} })
  await refuses(405, 'METHOD_NOT_ALLOWED', { path: '/api/memories/x', body: {} })
  const plain = { 'content-type': 'text/plain' }
  const sent = { path: '/api/memories', body: '{"text":"x"}', headers: plain }
  await refuses(415, 'UNSUPPORTED_MEDIA_TYPE', sent)
  await refuses(413, 'TOO_LARGE', { path: '/api/memories', body: { text: 'x'.repeat(8_193) } })
  const long = { path: '/api/memories', body: { text: '😀'.repeat(8_192) } }
  t.equal((await send(long)).status, 201, 'characters are counted, not their halves')
  await refuses(413, 'TOO_LARGE', { path: '/api/memories', body: ' '.repeat(1_048_577) })
  await refuses(413, 'TOO_LARGE', { path: '/api/memories/batch', body: ' '.repeat(8_388_609) })
  const spaced = `{"memories":[{"text":"b"}]${' '.repeat(8_000_000)}}`
  t.equal((await send({ path: '/api/memories/batch', body: spaced })).status, 200)
})

t.test(
  'no identity is 401, another wallet 403, a session without its token CSRF_FAILED',
  async (t) => {
    const { url, send, refuses } = await open(t)
    const alice = await WalletClient.signIn(url, testWallet('alice'))
    const kept = await alice.send('POST', '/api/memories', { graph: 'mine', text: 'A secret.' })
    t.equal(kept.status, 201, kept.text)
    const id = String(kept.json.id)
    const mallory = await (await WalletClient.signIn(url, testWallet('mallory'))).issue()
    const requests: readonly Sent[] = [
      { path: '/api/graph?graph=mine' },
      { path: '/api/recall?graph=mine&q=secret' },
      { path: `/api/verify?graph=mine&id=${id}` },
      { path: '/api/verify/graph?graph=mine' },
      { path: `/api/memories/${id}?graph=mine` },
      { path: '/api/memories', body: { graph: 'mine', text: 'x' } },
      { path: '/api/memories/batch', body: { graph: 'mine', memories: [{ text: 'x' }] } },
      { path: `/api/memories/${id}?graph=mine`, method: 'PATCH', body: { status: 'superseded' } },
      { path: `/api/memories/${id}?graph=mine`, method: 'DELETE' },
      { path: '/api/edges', body: { graph: 'mine', from: id, to: id, type: 'relates' } },
      { path: '/api/edges?graph=mine&id=edg_x', method: 'DELETE' },
      { path: '/api/entities/merge', body: { graph: 'mine', from: 'a', into: 'b' } },
      { path: '/api/anchor', body: { graph: 'mine' } },
      { path: '/api/graphs/mine', method: 'PUT', body: { mode: 'public' } },
      { path: '/api/graphs/mine', method: 'DELETE' },
    ]
    const own = await send({ path: '/api/graph?graph=mine' }, mallory.apiKey)
    t.match(own, { status: 200, json: { total: 0 } }, 'without a space it is of her own home')
    const headers = { 'x-sigil-database': homeOf(alice.wallet.address) }
    for (const request of requests) {
      const sent = { ...request, headers }
      const unauthenticated = await refuses(401, 'UNAUTHENTICATED', sent, '')
      t.equal(unauthenticated.headers['www-authenticate'], 'Bearer')
      await refuses(403, 'FORBIDDEN', sent, mallory.apiKey)
    }
    await refuses(404, 'GRAPH_NOT_FOUND', { path: '/api/graphs/mine' }, mallory.apiKey)
    await refuses(401, 'UNAUTHENTICATED', { path: '/api/graphs' }, 'wrong')
    const { cookie = '' } = alice.headers
    const body = { graph: 'mine', text: 'y' }
    await refuses(403, 'CSRF_FAILED', { path: '/api/memories', body, headers: { cookie } }, '')
    const token = { cookie, 'x-csrf-token': 'wrong' }
    await refuses(403, 'CSRF_FAILED', { path: '/api/memories', body, headers: token }, '')
  },
)

t.test('ANONYMOUS=read opens public graphs for reading and nothing else', async (t) => {
  const { send, refuses } = await open(t, { ANONYMOUS: 'read' })
  for (const graph of ['open', 'closed']) {
    await send({ path: '/api/memories', body: { graph, text: 'Ada is here.' } })
  }
  const mode = { mode: 'public' }
  const set = await send({ path: '/api/graphs/open', method: 'PUT', body: mode })
  t.equal(set.status, 200, set.text)
  const found = await send({ path: '/api/recall?graph=open&q=ada' }, '')
  t.match(found, { status: 200, json: { memories: [{ text: 'Ada is here.' }] } }, found.text)
  t.equal((await send({ path: '/api/graph?graph=open' }, '')).status, 200)
  // Who is not known is asked for a key, whether there is such a graph or not.
  for (const graph of ['closed', 'nowhere']) {
    await refuses(401, 'UNAUTHENTICATED', { path: `/api/recall?graph=${graph}&q=ada` }, '')
  }
  const body = { graph: 'open', text: 'x' }
  await refuses(401, 'UNAUTHENTICATED', { path: '/api/memories', body }, '')
})

t.test('too many requests are 429 RATE_LIMITED with Retry-After', async (t) => {
  const clock = { now: () => 1_700_000_000_000, elapsed: () => 0 }
  const { url } = await startGateway(t, {}, { clock })
  for (let asked = 0; asked < 100; asked++) await ask(url, { path: '/api/graph' })
  const limited = await ask(url, { path: '/api/graph' })
  t.match(limited, {
    status: 429,
    headers: { 'retry-after': '10' },
    json: { error: { code: 'RATE_LIMITED' } },
  })
})

t.test('each kind of failure has its status and code', async (t) => {
  const kinds: readonly (readonly [CodeName, number, string])[] = [
    ['BadValue', 400, 'INVALID_INPUT'],
    ['TypeMismatch', 400, 'INVALID_INPUT'],
    ['Unauthorized', 401, 'UNAUTHENTICATED'],
    ['NodeNotFound', 404, 'NODE_NOT_FOUND'],
    ['EdgeNotFound', 404, 'EDGE_NOT_FOUND'],
    ['GraphNotFound', 404, 'GRAPH_NOT_FOUND'],
    ['CommandNotFound', 404, 'ROUTE_NOT_FOUND'],
    ['MethodNotAllowed', 405, 'METHOD_NOT_ALLOWED'],
    ['MaxTimeMSExpired', 408, 'TIMEOUT'],
    ['AlreadyExists', 409, 'ALREADY_EXISTS'],
    ['IdempotencyKeyReused', 409, 'IDEMPOTENCY_CONFLICT'],
    ['IdempotencyKeyInUse', 409, 'IDEMPOTENCY_CONFLICT'],
    ['BSONObjectTooLarge', 413, 'TOO_LARGE'],
    ['MemoryTooLarge', 413, 'TOO_LARGE'],
    ['GraphLimit', 413, 'GRAPH_LIMIT'],
    ['TransactionTooLarge', 413, 'GRAPH_LIMIT'],
    ['UnsupportedMediaType', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['MisdirectedRequest', 421, 'MISDIRECTED'],
    ['IngressRequestRateLimitExceeded', 429, 'RATE_LIMITED'],
    ['InternalError', 500, 'INTERNAL'],
    ['HostUnreachable', 503, 'CHAIN_UNAVAILABLE'],
    ['ShutdownInProgress', 503, 'UNAVAILABLE'],
    ['QuotaExceeded', 507, 'QUOTA_EXCEEDED'],
  ]
  for (const [kind, status, code] of kinds) {
    const refused = memoryRefusal(fail(kind, 'a text'))
    t.equal(refused.status, status, kind)
    t.match(JSON.parse(refused.body), { error: { code, message: String } }, kind)
  }
  const long = memoryRefusal(fail('BadValue', `'${'😀'.repeat(500)}' and ${'y'.repeat(900)}`))
  const { message } = (JSON.parse(long.body) as { error: { message: string } }).error
  t.ok(message.length <= 300 && !/\p{Surrogate}/u.test(message), message)
  for (const url of ['/api/graph', '/api/', '/api/v10', '/api/v1x/y']) t.ok(isMemoryUrl(url), url)
  for (const url of ['/api/v1', '/api/v1?x', '/api/v1/x', '/api', '/mcp', '/apis/x']) {
    t.notOk(isMemoryUrl(url), url)
  }
})

t.test('no refusal repeats more than 64 characters of what was sent', async (t) => {
  const { send } = await open(t)
  const marked = `${'Zq'.repeat(100)}`
  const many: readonly Sent[] = [
    { path: `/api/recall?q=x&hops=${marked}` },
    { path: `/api/graph?graph=${marked}` },
    { path: `/api/recall?q=x&include=${marked}` },
    { path: `/api/recall?entity=${marked}` },
    { path: `/api/verify?id=${marked}` },
    { path: `/api/${marked}` },
    { path: `/api/memories/${marked}` },
    { path: `/api/graphs/${marked}` },
    { path: '/api/memories', body: { text: 'x', [marked]: 1 } },
    { path: '/api/memories', body: { text: 'x', graph: marked } },
    { path: '/api/memories', body: { text: 'x', supersedes: marked } },
    { path: '/api/memories', body: { text: 'x', entities: [{ name: 'a', [marked]: 1 }] } },
    { path: '/api/memories', body: { text: 'x', edges: [{ to: marked, type: marked }] } },
    { path: '/api/memories', body: { text: 'x', source: { [marked]: { $date: 'x' } } } },
    { path: '/api/memories/batch', body: { memories: [{ text: 'x' }], mode: marked } },
    { path: '/api/edges', body: { from: marked, to: marked, type: 'relates' } },
    { path: '/api/edges', body: { from: 'a', to: 'b', type: marked } },
    { path: '/api/entities/merge', body: { from: marked, into: marked } },
    { path: '/api/anchor', body: { ids: [marked] } },
    { path: '/api/graphs/g', method: 'PUT', body: { mode: marked } },
    { path: '/api/memories', body: '{}', headers: { 'content-type': `text/${marked}` } },
    { path: '/api/memories', body: { text: 'x' }, headers: { 'idempotency-key': 'é' } },
  ]
  let refused = 0
  for (const sent of many) {
    const { text, status } = await send(sent)
    if (status < 400) continue
    refused++
    t.notOk(/(?:Zq){33}/.test(text), `${status} ${text}`)
  }
  t.ok(refused >= 18, `${refused} were refused`)
})
