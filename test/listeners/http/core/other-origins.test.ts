// Pages of other origins: which requests of theirs are answered, with which headers, and what stays
// closed to them whatever they send.

import t, { type Test } from 'tap'
import { requireOrigins } from '../../../../src/listeners/http/core/other-origins.js'
import { Browser } from '../../../support/browser.js'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { testWallet } from '../../../support/wallet.js'
import { WalletClient } from '../../../support/wallet-client.js'

const origin = 'https://app.example.com'
const find = '/api/v1/collections/books/find'
const alice = testWallet('alice')

async function openRoom(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const given = { ALLOWED_ORIGINS: `${origin}, http://localhost:3000`, RATE_LIMITS: 'off' }
  const gateway = await startGateway(t, { ...given, ...settings })
  const client = await WalletClient.signIn(gateway.url, alice)
  const { apiKey } = await client.issue()
  return { ...gateway, client, apiKey }
}

function preflight(path: string, headers: Readonly<Record<string, string>> = {}) {
  const asks = { 'access-control-request-method': 'POST' }
  return { method: 'OPTIONS', path, headers: { origin, ...asks, ...headers } }
}

t.test('an origin is taken exactly as browsers write it', (t) => {
  for (const text of ['https://a.test', 'http://localhost:3000', 'https://a.test:8443']) {
    t.doesNotThrow(() => requireOrigins([text]), text)
  }
  for (const text of [
    ...['*', 'null', 'https://*.a.test', 'a.test', 'https://a.test/', 'https://a.test/x', ''],
    ...['HTTPS://a.test', 'https://A.test', 'https://a.test:443', 'http://[::1]:80'],
    ...['file:///x', 'ws://a.test', 'https://u:p@a.test', 'https://a.test?x', 'https://'],
  ]) {
    t.throws(() => requireOrigins([text]), { code: 72 }, text)
  }
  t.end()
})

t.test('a start refuses what is no origin, and pages without keys', async (t) => {
  for (const settings of [
    { ALLOWED_ORIGINS: '*' },
    { ALLOWED_ORIGINS: `${origin},null` },
    { ALLOWED_ORIGINS: origin, AUTH_MODE: 'off' },
  ]) {
    await t.rejects(startGateway(t, settings), { code: 72, message: /ALLOWED_ORIGINS/ })
  }
})

t.test('a preflight is answered without a key', async (t) => {
  const { url } = await openRoom(t)
  const asked = 'authorization,content-type,x-sigil-database,upstash-sync-token,x-evil,x-sigil-é'
  const answer = await ask(url, preflight(find, { 'access-control-request-headers': asked }))
  t.equal(answer.status, 204)
  t.equal(answer.headers['access-control-allow-origin'], origin)
  t.equal(answer.headers['access-control-allow-methods'], 'POST')
  t.equal(answer.headers['access-control-allow-credentials'], undefined)
  t.match(answer.headers.vary, /\bOrigin\b/)
  const allowed = String(answer.headers['access-control-allow-headers']).split(', ')
  t.same(allowed, [
    ...['authorization', 'x-api-key', 'content-type', 'accept', 'idempotency-key'],
    ...['x-sigil-database', 'upstash-sync-token'],
  ])
  for (const path of [
    '/api/v1/sql',
    '/api/v1/redis',
    '/upstash/get/a',
    '/api/memories',
    '/health',
  ]) {
    const other = await ask(url, preflight(path))
    t.equal(other.status, 204, path)
    t.equal(other.headers['access-control-allow-origin'], origin)
  }
  const docs = await ask(url, preflight('/api/v1/collections/books/docs/1'))
  t.match(docs.headers['access-control-allow-methods'], /GET.*DELETE|DELETE.*GET/)
})

t.test('others get no word, and neither do plain OPTIONS', async (t) => {
  const { url, apiKey } = await openRoom(t)
  for (const other of [
    ...['https://app.example.com.evil.test', 'http://app.example.com', 'https://app.example.com:1'],
    ...['null', 'https://APP.example.com', 'https://evil.test'],
  ]) {
    const refused = await ask(url, preflight(find, { origin: other }))
    t.equal(refused.status, 405, other)
    t.equal(refused.headers['access-control-allow-origin'], undefined, other)
    const headers = { origin: other, 'x-api-key': apiKey, 'content-type': 'application/json' }
    const answer = await ask(url, { method: 'POST', path: find, headers, body: '{}' })
    t.equal(answer.headers['access-control-allow-origin'], undefined, other)
  }
  t.equal((await ask(url, { method: 'OPTIONS', path: find, headers: { origin } })).status, 405)
  const misdirected = await ask(url, preflight(find, { host: 'evil.test' }))
  t.equal(misdirected.status, 421, 'a rebound name')
})

t.test('answers and refusals carry the headers, on the short way and the long', async (t) => {
  const { url, apiKey } = await openRoom(t)
  const type = { 'content-type': 'application/json', origin }
  const post = (path: string, headers: Readonly<Record<string, string>>, body = '{}') =>
    ask(url, { method: 'POST', path, headers: { ...type, ...headers }, body })
  const key = { 'x-api-key': apiKey }
  for (const [answer, status] of [
    [await post(find, key), 200],
    [await post(find, { authorization: `Bearer ${apiKey}` }), 200],
    [await post(find, {}), 401],
    [await post(find, { 'x-api-key': 'wrong' }), 401],
    [await post(find, key, '{'), 400],
    [await post(find, { ...key, 'content-type': 'text/plain' }), 415],
    [await post('/api/v1/sql', key, '{"query":"SELECT 1"}'), 200],
    [await ask(url, { path: '/nothing', headers: { origin } }), 404],
    [await ask(url, { path: find, headers: { origin } }), 405],
    [await ask(url, { path: '/health', headers: { origin } }), 200],
    [await ask(url, { path: '/upstash/get/a', headers: { origin } }), 401],
    [await ask(url, { path: '/api/graphs', headers: { origin } }), 401],
  ] as const) {
    t.equal(answer.status, status)
    t.equal(answer.headers['access-control-allow-origin'], origin, String(status))
    t.match(answer.headers.vary, /\bOrigin\b/)
    t.equal(answer.headers['access-control-allow-credentials'], undefined)
  }
  const lines = await post(find, { ...key, accept: 'application/x-ndjson' })
  t.equal(lines.headers['access-control-allow-origin'], origin)
  const own = await ask(url, { path: '/api/v1/collections', headers: key })
  t.equal(own.headers['access-control-allow-origin'], undefined, 'without Origin there is nothing')
})

t.test('a cookie counts for nothing', async (t) => {
  const { url } = await openRoom(t)
  const browser = new Browser(url)
  t.equal((await browser.signIn(alice)).status, 200)
  t.equal((await browser.get('/api/v1/collections')).status, 200)
  const answer = await browser.get('/api/v1/collections', { origin })
  t.equal(answer.status, 401, 'it is no identity, and no reason to refuse a key')
  const insert = '/api/v1/collections/books/insertOne'
  t.equal((await browser.post(insert, { document: {} }, { origin })).status, 401)
})

t.test('sign-in, keys, the chain and MCP stay closed', async (t) => {
  const { url, client, apiKey } = await openRoom(t)
  const closed = [
    ...['/api/v1/auth/nonce', '/api/v1/auth/verify', '/api/v1/auth/logout', '/api/v1/auth/me'],
    ...['/api/v1/auth/%6eonce', '/api/v1/keys', '/api/v1/keys/generate', '/chain', '/mcp'],
    ...['/metrics', '/ready', '/api/v1/backup'],
  ]
  for (const path of closed) {
    const answer = await ask(url, preflight(path))
    t.not(answer.status, 204, path)
    t.equal(answer.headers['access-control-allow-origin'], undefined, path)
    for (const method of ['GET', 'POST']) {
      const headers = { origin, 'x-api-key': apiKey, 'content-type': 'application/json' }
      const body = method === 'POST' ? { body: '{}' } : {}
      const other = await ask(url, { method, path, headers, ...body })
      t.equal(other.headers['access-control-allow-origin'], undefined, `${method} ${path}`)
    }
  }
  const { headers } = client
  const me = await ask(url, { path: '/api/v1/auth/me', headers: { ...headers, origin } })
  t.match(me, { status: 403, json: { reason: 'origin' } }, 'a cookie of another origin is refused')
})

t.test("the operator's key is refused from a page of another origin", async (t) => {
  const room = await openRoom(t)
  const bare = await startGateway(t)
  for (const { url, key } of [room, bare]) {
    for (const other of [origin, 'https://evil.test', 'null']) {
      const headers = { 'x-api-key': key, origin: other }
      const answer = await ask(url, { path: '/api/v1/collections', headers })
      t.match(answer, { status: 403, json: { code: 13, reason: 'origin' } }, other)
    }
    const headers = { 'x-api-key': key, origin: url }
    t.equal((await ask(url, { path: '/api/v1/collections', headers })).status, 200, 'its own page')
  }
})

t.test('preflights are limited by address', async (t) => {
  const { url } = await startGateway(t, { ALLOWED_ORIGINS: origin })
  for (let i = 0; i < 100; i++) t.equal((await ask(url, preflight(find))).status, 204)
  const refused = await ask(url, preflight(find))
  t.match(refused, { status: 429, json: { code: 462 } })
  t.equal(refused.headers['access-control-allow-origin'], origin)
  t.type(refused.headers['retry-after'], 'string')
  const headers = { origin, 'x-api-key': 'wrong' }
  const answer = await ask(url, { path: '/api/v1/collections', headers })
  t.equal(answer.status, 401, 'requests have their own limit')
})
