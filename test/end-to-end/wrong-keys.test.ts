// Wrong keys on every listener: of an address so many a minute are looked at, on all of them
// together; then not even the right one is. Wallets' keys and other addresses go on.

import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { wrongKeysMax, wrongKeysMs } from '../../src/base/limits/identity.js'
import { int32, message, startup, text } from '../protocol/pgwire/frontend.js'
import { testKey } from '../support/gateway.js'
import { ask } from '../support/http-client.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'
import { SqlClient, version3 } from '../support/sql-client.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'
import { clientFinal, WireClient } from '../support/wire-client.js'

const type = { 'content-type': 'application/json' }
const list = '/api/v1/collections'

/** A gateway whose minutes pass when the test says so. */
async function open(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const late = { ms: 0 }
  const clock = {
    now: () => systemClock.now() + late.ms,
    elapsed: () => systemClock.elapsed() + late.ms,
  }
  const given = { RATE_LIMITS: 'off', ...settings }
  const gateway = await startGateway(t, given, { clock })
  return { gateway, late }
}

type Headers = Readonly<Record<string, string>>

async function statusOf(url: string, headers: Headers, path = list): Promise<number> {
  return (await ask(url, { path, headers })).status
}

/** That many different wrong keys over HTTP; how many were looked at. */
async function guess(url: string, times: number, from: Headers = {}): Promise<number> {
  const headersOf = (i: number): Headers =>
    i % 2 === 0 ? { authorization: `Bearer wrong-${i}` } : { 'x-api-key': `wrong-${i}` }
  const sent = Array.from({ length: times }, (_, i) => statusOf(url, { ...headersOf(i), ...from }))
  const statuses = await Promise.all(sent)
  t.ok(statuses.every((status) => status === 401 || status === 429))
  return statuses.filter((status) => status === 401).length
}

async function overSql(port: number, user: string, password: string): Promise<string> {
  const client = await SqlClient.open(port)
  client.send(startup(version3, { user, database: 'main' }))
  await client.until('Sasl')
  const bare = 'n=,r=abcdefghijklmnopqrstuvwx'
  const first = Buffer.from(`n,,${bare}`)
  client.send(message('p', text('SCRAM-SHA-256'), int32(first.length), first))
  try {
    const [continued] = await client.until('SaslContinue')
    client.send(message('p', Buffer.from(clientFinal(bare, String(continued?.[1]), password))))
    const end = await client.until('ReadyForQuery')
    return end.length > 0 ? 'in' : 'out'
  } catch (thrown) {
    return /C(28P01|53400)/.exec(String(thrown))?.[1] ?? String(thrown)
  } finally {
    client.close()
  }
}

async function overWire(port: number, user: string, password: string, from?: string) {
  const client = await WireClient.open(port, '127.0.0.1', from)
  const { ok, code } = await client.login(user, password)
  await client.close()
  return ok === 1 ? 'in' : code
}

async function overResp(port: number, ...login: readonly string[]): Promise<string> {
  const client = await RespClient.open(port)
  const answer = String(await client.call('AUTH', ...login))
  client.socket.destroy()
  return answer.slice(1)
}

async function everywhere({ url, ports }: LiveGateway, key: string): Promise<readonly unknown[]> {
  const json = { ...type, 'x-api-key': key }
  const initialize = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: {
      protocolVersion: '2025-03-26',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    },
  }
  const accept = 'application/json, text/event-stream'
  const posts: readonly [string, Headers, unknown][] = [
    ['/api/v1/redis', json, { command: ['PING'] }],
    ['/upstash', { ...type, authorization: `Bearer ${key}` }, ['PING']],
    ['/mcp', { ...type, accept, authorization: `Bearer ${key}` }, initialize],
    ['/api/v1/sql', json, { query: 'SELECT 1' }],
  ]
  const statuses: number[] = []
  for (const [path, headers, body] of posts) {
    statuses.push((await ask(url, { path, headers, body: JSON.stringify(body) })).status)
  }
  return [
    ...statuses,
    await statusOf(url, { authorization: `Bearer ${key}` }),
    await overWire(ports.wire, 'operator', key),
    await overSql(ports.sql, 'operator', key),
    await overResp(ports.redis, key),
    await overResp(ports.redis, 'operator', key),
  ]
}

t.test('of 150 wrong keys at once, 20 are looked at', async (t) => {
  const { gateway, late } = await open(t)
  const { url } = gateway
  t.equal(await guess(url, 150), wrongKeysMax)
  const refused = await ask(url, { path: list, headers: { 'x-api-key': testKey } })
  t.match(refused, { status: 429, json: { ok: 0, code: 462 } }, 'the right one is not looked at')
  t.ok(Number(refused.headers['retry-after']) > 0)
  t.match(refused.text, /too many wrong keys/)
  late.ms += wrongKeysMs
  t.equal(await statusOf(url, { 'x-api-key': testKey }), 200, 'a minute later')
  t.equal(await guess(url, 30), wrongKeysMax)
})

t.test('a right key is never counted, and wrong ones count whatever else is refused', async (t) => {
  const { gateway } = await open(t, { RATE_LIMITS: 'on', METRICS_TOKEN: 'a-token' })
  const { url } = gateway
  for (let i = 0; i < 200; i++) await statusOf(url, { 'x-api-key': testKey })
  for (let i = 0; i < 110; i++) await statusOf(url, {})
  t.equal(await statusOf(url, { 'x-api-key': testKey }), 200, 'over the limit of the address')
  const metrics = { authorization: 'Bearer a-token' }
  for (let i = 0; i < 30; i++) t.equal(await statusOf(url, metrics, '/metrics'), 200)
  for (let i = 0; i < 10; i++) await statusOf(url, { 'x-api-key': `wrong-${i}` })
  t.equal(await statusOf(url, { 'x-api-key': testKey }), 200)
  for (let i = 0; i < 9; i++) await statusOf(url, { 'x-api-key': `wrong-${i}` }, '/health')
  t.equal(await statusOf(url, { 'x-api-key': testKey }), 200, '19 wrong ones')
  await statusOf(url, { 'x-api-key': 'wrong' }, '/api/v1/whitelist')
  t.equal(await statusOf(url, { 'x-api-key': testKey }), 429)
})

t.test('all listeners count together, and refuse together', async (t) => {
  const { gateway, late } = await open(t)
  const { url, ports } = gateway
  const right = [200, 200, 200, 200, 200, 'in', 'in', 'OK', 'OK']
  t.same(await everywhere(gateway, testKey), right)
  t.equal(await guess(url, wrongKeysMax - 5), wrongKeysMax - 5)
  t.equal(await overWire(ports.wire, 'operator', 'wrong'), 18)
  t.equal(await overSql(ports.sql, 'operator', 'wrong'), '28P01')
  t.match(await overResp(ports.redis, 'wrong'), /^WRONGPASS/)
  const redis = { ...type, 'x-api-key': testKey }
  const auth = JSON.stringify({ command: ['AUTH', 'wrong'] })
  t.match((await ask(url, { path: '/api/v1/redis', headers: redis, body: auth })).text, /WRONGPASS/)
  t.same(await everywhere(gateway, testKey), right, '19 wrong ones')
  t.equal(await overWire(ports.wire, 'root', 'wrong'), 18, 'a name that is none counts as well')
  const refused = [429, 429, 429, 429, 429, 462, '53400', 'BUSY', 'BUSY']
  const answers = await everywhere(gateway, testKey)
  t.same(
    answers.map((each) => String(each).split(' ')[0]),
    refused.map(String),
  )
  t.equal(await overWire(ports.wire, 'operator', testKey, '127.0.0.2'), 'in', 'from elsewhere')
  late.ms += wrongKeysMs
  t.same(await everywhere(gateway, testKey), right, 'a minute later')
})

t.test("wallets' keys and sessions go on at such an address", async (t) => {
  const { gateway } = await open(t)
  const { url, ports } = gateway
  const wallet = testWallet('wrong-keys')
  const client = await WalletClient.signIn(url, wallet)
  const { apiKey, connection } = await client.issue()
  t.equal(await guess(url, 30), wrongKeysMax)
  t.equal(await statusOf(url, { 'x-api-key': apiKey }), 200)
  t.equal((await client.send('GET', list)).status, 200)
  t.equal(await overWire(ports.wire, connection.user, apiKey), 'in')
  t.equal(await overResp(ports.redis, apiKey), 'OK')
  const foreign = `svc_live_${'0'.repeat(64)}`
  t.equal(await statusOf(url, { 'x-api-key': foreign }), 429, 'one that is none')
})

t.test('behind a proxy the address is the one that it tells of', async (t) => {
  const { gateway } = await open(t, { TRUSTED_PROXIES: '127.0.0.1' })
  const { url } = gateway
  const from = (address: string) => ({
    'x-forwarded-for': address,
    'x-forwarded-proto': 'https',
  })
  t.equal(await guess(url, 50, from('2001:db8::1')), wrongKeysMax)
  const right = { 'x-api-key': testKey }
  t.equal(await statusOf(url, { ...right, ...from('2001:db8::2') }), 429, 'the same /64')
  t.equal(await statusOf(url, { ...right, ...from('2001:db8:0:1::1') }), 200)
  t.equal(await statusOf(url, { ...right, ...from('198.51.100.7') }), 200)
})
