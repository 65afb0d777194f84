// What a wallet is told of the use of its keys: every protocol counts, by route or command and by
// day, and no wallet sees another's.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { ask } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

interface Analytics {
  readonly totalRequests: number
  readonly byEndpoint: Readonly<Record<string, number>>
  readonly byDay: readonly { readonly date: string; readonly count: number }[]
}

t.test('requests by a key are told by endpoint and by day, on every protocol', async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const { url, ports, key: operatorKey } = gateway
  const alice = await WalletClient.signIn(url, testWallet('analytics'))
  const bob = await WalletClient.signIn(url, testWallet('analytics, another'))
  const made = await alice.issue('first')
  const { apiKey, hash } = made
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const path = '/api/v1/collections/things/insertOne'
  await ask(url, { path, headers, body: '{"document":{"a":1}}' })
  await ask(url, { path: path.replace('insertOne', 'find'), headers, body: '{}' })
  await ask(url, { path: path.replace('insertOne', 'find'), headers, body: '{"wrong":1}' })
  for (const id of ['mem_a', 'mem_b']) await ask(url, { path: `/api/memories/${id}`, headers })
  await ask(url, { path: '/mcp', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })
  const user = made.connection.user
  const uri = `mongodb://${user}:${apiKey}@127.0.0.1:${ports.wire}/main?authMechanism=PLAIN&authSource=$external`
  const client = new MongoClient(uri.replace(user, encodeURIComponent(user)))
  await client.db('main').collection('things').countDocuments({ a: 1 })
  await client.close()
  const resp = await RespClient.open(ports.redis)
  await resp.call('AUTH', user, apiKey)
  await resp.call('GET', 'x')
  resp.socket.destroy()

  const seen = await alice.send('GET', `/api/v1/keys/${hash}/analytics`)
  t.match(seen, { status: 200, json: { ok: 1 } }, seen.text)
  const { totalRequests, byEndpoint, byDay } = seen.json.analytics as Analytics
  t.match(byEndpoint, {
    '/api/v1/collections/:name/insertOne': 1,
    '/api/v1/collections/:name/find': 2,
    '/api/memories/:id': 2,
    '/mcp': 1,
    'wire:aggregate': 1,
    'redis:get': 1,
  })
  const sum = Object.values(byEndpoint).reduce((all, n) => all + n, 0)
  t.equal(totalRequests, sum)
  t.equal(byDay.length, 7)
  const today = new Date().toISOString().slice(0, 10)
  t.same(byDay.at(-1), { date: today, count: sum }, 'the last day is today')
  t.ok(byDay.slice(0, 6).every(({ count }) => count === 0))

  const overview = await alice.send('GET', '/api/v1/analytics/overview')
  const byKey = [{ hash, label: 'first', count: sum }]
  t.same(overview.json.overview, { totalRequests: sum, byKey, keys: 1 })
  const none = await bob.send('GET', '/api/v1/analytics/overview')
  t.same(none.json.overview, { totalRequests: 0, byKey: [], keys: 0 })
  const foreign = await bob.send('GET', `/api/v1/keys/${hash}/analytics`)
  t.match(foreign, { status: 404, json: { code: 26, reason: 'KEY_NOT_FOUND' } })
  const operator = { 'x-api-key': operatorKey }
  const all = await ask(url, { path: '/api/v1/analytics/overview', headers: operator })
  t.match(all.json.overview, { totalRequests: sum, byKey: [{ hash, count: sum }] })
  const byItself = await ask(url, { path: '/api/v1/analytics/overview', headers })
  t.equal(byItself.status, 401, 'a key is told nothing')

  await alice.send('DELETE', `/api/v1/keys/${hash}`, {})
  const ended = await alice.send('GET', `/api/v1/keys/${hash}/analytics?days=400`)
  t.match(ended, { status: 200, json: { analytics: { byDay: { length: 400 } } } })
  for (const days of ['0', '401', '-1', 'x', '1.5', '']) {
    const answer = await alice.send('GET', `/api/v1/keys/${hash}/analytics?days=${days}`)
    t.match(answer, { status: 400, json: { code: 2 } }, `days=${days}`)
  }
})
