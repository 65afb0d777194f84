// The metrics over HTTP: what every protocol sent is in them, in the words that scrapers know; who
// may read them over a network; and a real scraper's own check of the text.

import { spawn } from 'node:child_process'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { openHealth } from '../../../../src/listeners/http/operations/health.js'
import type { MetricsSources } from '../../../../src/listeners/http/operations/metrics.js'
import { metricSeries } from '../../../../src/listeners/http/operations/metrics-series.js'
import {
  type ReadinessOptions,
  readiness,
} from '../../../../src/listeners/http/operations/readiness.js'
import { commandNames } from '../../../docs/metrics.js'
import { ask, openApi } from '../../../support/http-client.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'
import { RespClient } from '../../../support/resp-client.js'
import { openStore, temporaryFolder } from '../../../support/stores.js'

interface Metrics {
  readonly requests: {
    readonly total: number
    readonly byCommand: Readonly<Record<string, number>>
    readonly byProtocol: Readonly<Record<string, number>>
  }
  readonly latency: Readonly<Record<'p50' | 'p95' | 'p99' | 'avg', number>>
  readonly errors: { readonly total: number; readonly byCode: Readonly<Record<string, number>> }
  readonly storage: { readonly keyCount: number; readonly estimatedSizeBytes: number }
  readonly uptime: number
  readonly timestamp: number
}

async function metricsOf({ url }: LiveGateway): Promise<Metrics> {
  const { status, json } = await ask(url, { path: '/api/v1/metrics' })
  if (status !== 200) throw new Error(`status ${status}`)
  return json as unknown as Metrics
}

async function textOf({ url }: LiveGateway): Promise<string> {
  return (await ask(url, { path: '/metrics' })).text
}

const someone = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc'

/** One that has everything to tell of: a log, and a chain that is there. */
async function startWhole(t: Test): Promise<LiveGateway> {
  const gateway = await startGateway(t, { STORE: `lmdb:${await temporaryFolder(t)}` })
  const registry = await ask(gateway.url, { path: `/api/v1/registry?address=${someone}` })
  t.equal(registry.status, 200, 'the chain is there')
  return gateway
}

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Something over every protocol, right and wrong. */
async function useAll(t: Test, gateway: LiveGateway): Promise<void> {
  const api = openApi(gateway.url, gateway.key)
  await api.post('c/insertOne', { document: { _id: 'a' } })
  t.equal((await api.post('c/insertOne', { document: { _id: 'a' } })).status, 409)
  t.equal((await api.post('c/find', { filter: { $no: 1 } })).status, 400)
  t.equal((await ask(gateway.url, { path: '/api/v1/collections' })).status, 401)
  const client = await MongoClient.connect(gateway.uri)
  const db = client.db('main')
  await t.rejects(db.collection<{ _id: string }>('c').insertOne({ _id: 'a' }), { code: 11000 })
  await t.rejects(db.command({ nothing: 1 }), { code: 59 })
  t.equal(await db.collection('c').countDocuments(), 1)
  await client.close()
  const resp = await RespClient.open(gateway.ports.redis)
  await resp.call('AUTH', gateway.key)
  for (const line of ['SET k v', 'GET k', 'INCR k', 'GET', 'NOTHING x', 'MULTI', 'GET k', 'EXEC']) {
    await resp.call(...line.split(' '))
  }
  resp.close()
  const redis = { path: '/api/v1/redis', headers: { 'x-api-key': gateway.key } }
  const headers = { ...redis.headers, 'content-type': 'application/json' }
  await ask(gateway.url, { ...redis, headers, body: '{"command":["INCR","k"]}' })
}

t.test('the JSON object has its names, and numbers before anything happened', async (t) => {
  const beganMs = Date.now()
  const gateway = await startGateway(t)
  const metrics = await metricsOf(gateway)
  t.match(metrics, {
    requests: { total: 0, byCommand: {}, byProtocol: { http: 0, wire: 0, redis: 0 } },
    latency: { p50: 0, p95: 0, p99: 0, avg: 0 },
    errors: { total: 0, byCode: {} },
    storage: { keyCount: 0, estimatedSizeBytes: 0 },
    uptime: Number,
    timestamp: Number,
  })
  t.ok(metrics.uptime <= (Date.now() - beganMs) / 1_000)
  t.ok(Math.abs(metrics.timestamp - Date.now()) < 60_000)
  t.match(await textOf(gateway), /svc_request_duration_ms\{quantile="0.5"\} Nan\n/, 'no number')
})

t.test('commands of every protocol are counted, and errors by their code', async (t) => {
  const gateway = await startGateway(t)
  await useAll(t, gateway)
  const { requests, errors, latency, storage } = await metricsOf(gateway)
  const { byCommand, byProtocol } = requests
  t.equal(byCommand.insert, 3, 'two over HTTP, one over the wire')
  t.equal(byCommand['redis:incr'], 2, 'over its protocol and over HTTP')
  t.equal(byCommand['redis:get'], 3, 'one refused, one in a transaction')
  t.equal(byCommand['redis:exec'], 1)
  t.equal(byCommand.other, 3, '401 over HTTP, and a command each that does not exist')
  t.equal(byProtocol.http, 5)
  t.equal(requests.total, sumOf(byProtocol))
  t.equal(requests.total, sumOf(byCommand))
  t.equal(errors.byCode['11000'], 2, 'HTTP answers it as an error, the wire in its reply')
  t.equal(errors.byCode['59'], 2, 'over the wire and over the key-value protocol')
  t.equal(errors.byCode['13'], 1)
  t.equal(errors.total, sumOf(errors.byCode))
  t.ok(latency.p50 > 0 && latency.p50 <= latency.p95 && latency.p95 <= latency.p99)
  t.ok(latency.avg > 0)
  t.equal(storage.keyCount, 2, 'a document and a key')
  t.ok(storage.estimatedSizeBytes > 20)
  const health = await ask(gateway.url, { path: '/health' })
  t.match(health.json, { storage: { keyCount: 2, connected: true } }, 'as /health has them')
  const known = new Set(commandNames())
  for (const name of Object.keys(byCommand)) t.ok(known.has(name), `${name} is in the table`)
})

t.test('an import that fails in part is an error by what failed first', async (t) => {
  const gateway = await startGateway(t)
  const load = (body: string, query: string) =>
    ask(gateway.url, {
      ...{ path: `/api/v1/collections/c/import${query}`, body },
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/x-ndjson' },
    })
  t.match(await load('{"_id":1}\n{"_id":2}', ''), { status: 200, json: { errorCount: 0 } })
  const unordered = '{"_id":3}\n{"_id":1}\nnonsense\n{"_id":2}'
  t.match(await load(unordered, '?ordered=false'), { status: 200, json: { errorCount: 3 } })
  t.match(await load('{"_id":1}', ''), { status: 200, json: { errorCount: 1 } })
  t.strictSame((await metricsOf(gateway)).errors.byCode, { '11000': 2 })
})

t.test('what waits for others is not slow', async (t) => {
  const gateway = await startGateway(t)
  const resp = await RespClient.open(gateway.ports.redis)
  await resp.call('AUTH', gateway.key)
  await resp.call('BLPOP', 'nothing', '0.3')
  resp.close()
  const { latency, requests } = await metricsOf(gateway)
  t.equal(requests.byCommand['redis:blpop'], 1)
  t.ok(latency.p99 < 300, `${latency.p99} ms`)
})

t.test(
  'every series of the table is in the text, under its name, with its labels alone',
  async (t) => {
    const gateway = await startWhole(t)
    await useAll(t, gateway)
    const answer = await ask(gateway.url, { path: '/metrics' })
    t.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    t.equal(answer.headers['cache-control'], 'no-store')
    const lines = answer.text.split('\n')
    const known = new Map(metricSeries.map((series) => [series.name, series]))
    const seen = new Set<string>()
    for (const line of lines.filter((line) => line !== '' && !line.startsWith('#'))) {
      const [, name = '', , label, value = ''] = /^(\w+)(\{(\w+)="(.*)"\})? \S+$/.exec(line) ?? []
      const series = known.get(name.replace(/_(?:sum|count)$/, '')) ?? known.get(name)
      if (!t.ok(series, line) || series === undefined) continue
      seen.add(series.name)
      if (label === undefined) continue
      const values = series.labels[label]
      const isFree = series.name === 'svc_info'
      const all = values === 'commands' ? commandNames() : (values ?? [])
      t.ok(isFree || all.includes(value), line)
    }
    for (const name of known.keys()) t.ok(seen.has(name), `${name} is told`)
    t.match(answer.text, /^svc_requests_total\{command="insert"\} 3$/m)
    t.match(answer.text, /^svc_errors_total\{code="11000"\} 2$/m)
    t.match(answer.text, /^svc_request_duration_ms\{quantile="0.99"\} [\d.]+$/m)
    t.match(answer.text, /^svc_connections\{protocol="wire"\} \d+$/m)
  },
)

t.test('over a network they are for METRICS_TOKEN and administrators', async (t) => {
  const token = 'm'.repeat(32)
  const settings = { HOST: '0.0.0.0', ALLOW_INSECURE: '1', WHITELIST: 'off', METRICS_TOKEN: token }
  const { url, key } = await startGateway(t, settings)
  const status = async (path: string, bearer?: string) => {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    return (await ask(url, { path, headers })).status
  }
  for (const path of ['/metrics', '/api/v1/metrics', '/ready']) {
    t.equal(await status(path), 401, path)
    t.equal(await status(path, `${token}m`), 401, path)
    t.equal(await status(path, token), 200, path)
    t.equal(await status(path, key), 200, path)
  }
  t.equal(await status('/api/v1/collections', token), 401, 'the token opens nothing else')
  t.equal(await status('/health'), 200)
  const weak = startGateway(t, { ...settings, METRICS_TOKEN: 'short' })
  await t.rejects(weak, { message: /METRICS_TOKEN is shorter/ })
})

t.test('behind a proxy on this machine a client is not of this machine', async (t) => {
  const { url, key } = await startGateway(t, { TRUSTED_PROXIES: '127.0.0.1' })
  const status = async (headers: Record<string, string>) =>
    (await ask(url, { path: '/metrics', headers })).status
  const from = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' }
  t.equal(await status(from), 401)
  t.equal(await status({ ...from, authorization: `Bearer ${key}` }), 200)
})

t.test('ready is 200 while listeners are bound and no stop has begun', async (t) => {
  const { url } = await startGateway(t)
  const answer = await ask(url, { path: '/ready' })
  t.match(answer, { status: 200, json: { ok: 1, status: 'ready', degraded: [] } })
  t.match(answer.json.listeners, { http: true, wire: true, redis: true })
  const store = await openStore(t, 'memory')
  const health = { mode: 'local', chainId: 31_337, head: null, ageMs: null } as const
  const options: ReadinessOptions = {
    store,
    chain: { health: () => ({ ...health, ok: true }) },
    listeners: () => ({ http: true }),
    isDraining: () => false,
  }
  const bodyOf = async (changes: Partial<ReadinessOptions>) =>
    JSON.parse(await readiness({ ...options, ...changes })) as unknown
  t.match(await bodyOf({}), { status: 'ready' })
  const away: MetricsSources['chain'] = { health: () => ({ ...health, ok: false }) }
  t.match(await bodyOf({ chain: away }), { status: 'degraded', degraded: ['chain'], ok: 1 })
  await t.rejects(bodyOf({ isDraining: () => true }), { httpStatus: 503, code: 91 })
  const closed = { listeners: () => ({ http: true, wire: false }) }
  await t.rejects(bodyOf(closed), { httpStatus: 503, message: /wire/ })
  await store.close()
  await t.rejects(bodyOf({}), { code: 91 })
})

t.test('/health answers as documented, and says so when the store cannot be read', async (t) => {
  const store = await openStore(t, 'memory')
  const chain = { mode: 'local', chainId: 31_337, head: null, ageMs: null, ok: true } as const
  const health = openHealth({
    ...{ store, clock: systemClock, version: '1.2.3', httpPort: 1 },
    ports: () => ({ wire: 2, redis: 3, sql: 0 }),
    chain: { health: () => chain },
  })
  const bodyOf = async () => JSON.parse(await health()) as unknown
  t.match(await bodyOf(), {
    ...{ status: 'ok', uptime: Number, version: '1.2.3' },
    server: { httpPort: 1, wirePort: 2, redisPort: 3, sqlPort: 0 },
    storage: { type: 'InMemory', connected: true, keyCount: 0 },
  })
  await store.close()
  t.match(await bodyOf(), { status: 'degraded', storage: { connected: false, keyCount: 0 } })
})

const promtool = 'promtool'

/** What the program says of a text, and how it ends; undefined where it is not installed. */
function check(text: string): Promise<{ code: number | null; said: string } | undefined> {
  return new Promise((resolve) => {
    const child = spawn(promtool, ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] })
    let said = ''
    child.once('error', () => resolve(undefined))
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk
      })
    }
    child.once('close', (code) => resolve({ code, said }))
    child.stdin.on('error', () => {})
    child.stdin.end(text)
  })
}

const isMissing = (await check('')) === undefined && process.env.CI !== 'true'
const skip = isMissing && 'promtool is not installed: apt-get install prometheus'
const rightText = 'promtool finds the text right, but for the unit that one name has'

t.test(rightText, { skip }, async (t) => {
  const gateway = await startWhole(t)
  await useAll(t, gateway)
  const checked = await check(await textOf(gateway))
  if (checked === undefined) throw new Error('promtool is missing: CI installs prometheus')
  const remarks = checked.said.split('\n').filter((line) => line !== '')
  const ours = remarks.filter((line) => !line.startsWith('svc_request_duration_ms '))
  t.strictSame(ours, [], checked.said)
  t.ok(checked.code === 0 || checked.code === 3, 'understood; 3 is for remarks')
  const broken = await check('svc_requests_total{command="find} 1\n')
  t.equal(broken?.code, 1, 'it does refuse what is wrong')
})
