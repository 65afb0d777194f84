// Who is let in over HTTP, and what is checked before a request may say anything.

import t from 'tap'
import { silentLog } from '../../../../src/base/log.js'
import { ask, openApi } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

const list = '/api/v1/collections'

t.test('a key is needed, in either header, and a wrong one is 401', async (t) => {
  const { url, key } = await startGateway(t)
  const refused = { status: 401, json: { ok: 0, code: 13, codeName: 'Unauthorized' } }
  t.match(await ask(url, { path: list }), refused)
  t.match(await ask(url, { path: list, headers: { 'x-api-key': 'wrong' } }), refused)
  t.match(await ask(url, { path: list, headers: { authorization: 'Bearer wrong' } }), refused)
  t.equal((await ask(url, { path: list, headers: { 'x-api-key': key } })).status, 200)
  const bearer = { authorization: `Bearer ${key}` }
  t.equal((await ask(url, { path: list, headers: bearer })).status, 200)
  const both = { authorization: 'Bearer wrong', 'x-api-key': key }
  t.equal(
    (await ask(url, { path: list, headers: both })).status,
    401,
    'a wrong Bearer is not excused',
  )
})

t.test('unknown routes are 404, wrong methods 405 with Allow', async (t) => {
  const { url } = await startGateway(t)
  t.match(await ask(url, { path: '/nothing' }), { status: 404, json: { code: 59 } })
  const wrong = await ask(url, { path: `${list}/a/find` })
  t.match(wrong, { status: 405, headers: { allow: 'POST' }, json: { code: 59 } })
  const health = await ask(url, { path: '/health', method: 'DELETE' })
  t.match(health, { status: 405, headers: { allow: 'GET' } })
})

t.test('a body that is not announced as JSON is 415', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const answer = await api.post('a/find', '{}', { 'content-type': type })
    t.match(answer, { status: 415, json: { code: 2, codeName: 'BadValue' } }, type)
  }
  const vendor = await api.post('a/find', '{}', { 'content-type': 'application/vnd.x+json' })
  t.equal(vendor.status, 200)
})

t.test('on loopback a foreign Host is misdirected: 421', async (t) => {
  const { url, key, ports } = await startGateway(t, { ALLOWED_HOSTS: 'db.test:1234' })
  const status = async (host: string) =>
    (await ask(url, { path: list, headers: { 'x-api-key': key, host } })).status
  t.equal(await status(`localhost:${ports.http}`), 200)
  t.equal(await status(`[::1]:${ports.http}`), 200)
  t.equal(await status('db.test:1234'), 200)
  t.equal(await status('evil.test'), 421)
  t.equal(await status(`127.0.0.1:${ports.http + 1}`), 421)
  t.equal((await ask(url, { path: '/health', headers: { host: 'evil.test' } })).status, 421)
})

t.test(
  'with AUTH_MODE=off pages of other sites are refused, and no request needs a key',
  async (t) => {
    const { url, ports, notes } = await startGateway(t, { AUTH_MODE: 'off' })
    t.match(notes, [/AUTH_MODE=off/])
    const status = async (headers: Record<string, string>) =>
      (await ask(url, { path: list, headers })).status
    t.equal(await status({}), 200)
    t.equal(await status({ origin: `http://localhost:${ports.http}` }), 200)
    t.equal(await status({ origin: 'http://evil.test' }), 403)
    t.equal(await status({ origin: 'null' }), 403)
    t.equal(await status({ 'sec-fetch-site': 'cross-site' }), 403)
    t.equal(await status({ 'sec-fetch-site': 'same-origin' }), 200)
  },
)

t.test("an address gets 100 requests in 10 seconds; the operator's key passes", async (t) => {
  let elapsed = 0
  const clock = { now: () => 1_700_000_000_000, elapsed: () => elapsed }
  const { url, key } = await startGateway(t, {}, { clock })
  for (let asked = 0; asked < 100; asked++) {
    t.equal((await ask(url, { path: list })).status, 401)
  }
  const limited = await ask(url, { path: list })
  t.match(limited, {
    status: 429,
    json: { code: 462, codeName: 'IngressRequestRateLimitExceeded' },
  })
  t.match(limited.headers, { 'retry-after': '10', 'ratelimit-remaining': '0' })
  t.equal((await ask(url, { path: list, headers: { 'x-api-key': key } })).status, 200)
  t.equal((await ask(url, { path: '/health' })).status, 200)
  elapsed = 10_000
  t.equal((await ask(url, { path: list })).status, 401)
})

t.test('an error says nothing of its cause, and every answer names its request', async (t) => {
  const { url, key } = await startGateway(t)
  const named = await ask(url, { path: list, headers: { 'x-api-key': key, 'x-request-id': 'a-1' } })
  t.equal(named.headers['x-request-id'], 'a-1')
  t.match(named.headers, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  const forged = await ask(url, { path: '/nothing', headers: { 'x-request-id': 'a b<c>' } })
  t.match(forged.headers['x-request-id'], /^[A-Za-z0-9._-]+$/)
})

t.test('a slow command of a request is logged by its name', async (t) => {
  const lines: Record<string, unknown>[] = []
  const note = (fields: Record<string, unknown>) => {
    lines.push(fields)
  }
  const log = { ...silentLog, info: note } as typeof silentLog
  const { url, key } = await startGateway(t, { SLOW_COMMAND_MS: '0' }, { log })
  const headers = { 'x-api-key': key }
  await ask(url, { path: list, headers: { ...headers, 'x-request-id': 'mine.1' } })
  const { headers: made } = await ask(url, { path: list, headers })
  const names = lines.filter(({ command }) => command === 'collectionSummaries')
  t.same(
    names.map(({ requestId }) => requestId),
    ['mine.1', made['x-request-id']],
  )
})

t.test('behind a trusted proxy keys are only taken over https', async (t) => {
  const { url, key } = await startGateway(t, { TRUSTED_PROXIES: '127.0.0.1' })
  const plain = await ask(url, { path: list, headers: { 'x-api-key': key } })
  t.match(plain, { status: 403, json: { code: 13, reason: 'plaintext' } })
  const headers = { 'x-api-key': key, 'x-forwarded-proto': 'https', 'x-forwarded-for': '9.9.9.9' }
  t.equal((await ask(url, { path: list, headers })).status, 200)
})
