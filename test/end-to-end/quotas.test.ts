// A wallet's bounds as its clients meet them, on each protocol; others and the operator go on.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { ask, openApi } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

t.test(
  'a wallet has so many connections over all protocols, and one that ends makes room',
  async (t) => {
    const { url, ports, key } = await startGateway(t, {
      RATE_LIMITS: 'off',
      WALLET_CONNECTIONS: '2',
    })
    const wallet = await WalletClient.signIn(url, testWallet('quotas'))
    const { apiKey, connection } = await wallet.issue()
    const open = async (user: string, password: string) => {
      const client = await RespClient.open(ports.redis)
      await client.call('AUTH', user, password)
      return client
    }
    const isServed = async (client: RespClient) => {
      try {
        return (await client.call('PING')) === '+PONG'
      } catch {
        return false
      }
    }
    const first = await open(connection.user, apiKey)
    const second = await open(connection.user, apiKey)
    const third = await open(connection.user, apiKey)
    t.same([await isServed(first), await isServed(second)], [true, true])
    t.equal(await isServed(third), false, 'the third is closed')
    const [host, more] = [
      `127.0.0.1:${ports.wire}`,
      'directConnection=true&serverSelectionTimeoutMS=300',
    ]
    const user = encodeURIComponent(connection.user)
    const uri = `mongodb://${user}:${apiKey}@${host}/main?${more}`
    const refused = new MongoClient(uri, { maxPoolSize: 1 })
    await t.rejects(refused.db('main').command({ listCollections: 1 }))
    await refused.close()
    const operators = await Promise.all([1, 2, 3].map(() => open('operator', key)))
    for (const client of operators) t.equal(await isServed(client), true)
    const gone = new Promise((resolve) => first.socket.once('close', resolve))
    await first.call('QUIT')
    await gone
    const next = await open(connection.user, apiKey)
    t.equal(await isServed(next), true)
    for (const client of [second, third, next, ...operators]) client.socket.destroy()
  },
)

t.test('what is over a quota is told with 8000: 507 on HTTP', async (t) => {
  const settings = { RATE_LIMITS: 'off', WALLET_COLLECTIONS: '1', WALLET_STORAGE: '10 KB' }
  const { url, key } = await startGateway(t, settings)
  const wallet = await WalletClient.signIn(url, testWallet('quotas'))
  const insert = (name: string, bytes: number) =>
    wallet.send('POST', `/api/v1/collections/${name}/insertOne`, {
      document: { text: 'x'.repeat(bytes) },
    })
  t.equal((await insert('a', 9_000)).status, 200)
  t.match(await insert('b', 1), {
    status: 507,
    json: { code: 8000, codeName: 'AtlasError', reason: 'COLLECTIONS' },
  })
  const full = await insert('a', 2_000)
  t.match(full, { status: 507, json: { code: 8000, reason: 'STORAGE' } })
  t.equal((await openApi(url, key).post('a/insertOne', { document: {} })).status, 200)
  t.equal((await wallet.send('POST', '/api/v1/collections/a/drop', {})).status, 200)
  t.equal((await insert('b', 1)).status, 200)
})

t.test('so many channels a wallet listens to, by all of its connections', async (t) => {
  const settings = { RATE_LIMITS: 'off', WALLET_SUBSCRIPTIONS: '2', SHARED_SPACES: 'shared' }
  const { url, ports } = await startGateway(t, settings)
  const wallet = await WalletClient.signIn(url, testWallet('quotas'))
  const { apiKey, connection } = await wallet.issue()
  const open = async () => {
    const client = await RespClient.open(ports.redis)
    await client.call('AUTH', connection.user, apiKey)
    return client
  }
  const [first, second] = [await open(), await open()]
  t.match(await first.call('SUBSCRIBE', 'a'), ['*3', '$subscribe'])
  t.match(await second.call('PSUBSCRIBE', 'a*'), ['*3', '$psubscribe'])
  t.equal(await second.call('PSUBSCRIBE', 'b*'), '-ERR max number of subscriptions reached')
  await first.call('UNSUBSCRIBE', 'a')
  t.match(await second.call('PSUBSCRIBE', 'b*'), ['*3', '$psubscribe'])
  const stream = await wallet.send('GET', '/api/v1/redis/stream?channels=x')
  t.match(stream, { status: 507, json: { code: 8000 } }, 'no stream begins')
  for (const client of [first, second]) client.socket.destroy()
})

t.test("a key's own limit is told on the key-value route as on all others", async (t) => {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off', SHARED_SPACES: 'shared' })
  const wallet = await WalletClient.signIn(url, testWallet('quotas'))
  const { apiKey } = await wallet.issue('slow', ['all'], 1)
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const asked = { path: '/api/v1/redis', headers, body: '{"command":["SET","k","v"]}' }
  t.equal((await ask(url, asked)).status, 200)
  const refused = await ask(url, asked)
  t.match(refused, { status: 429, json: { code: 462, errmsg: /^BUSY / } })
  t.match(refused.headers, { 'ratelimit-limit': '1', 'ratelimit-policy': '"api";q=1;w=60' })
  t.ok(Number(refused.headers['retry-after']) > 50)
})

t.test('a key-value command that is sent again is not run again', async (t) => {
  const { url, key } = await startGateway(t)
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': '1' }
  const asked = { path: '/api/v1/redis', headers, body: '{"command":["INCR","n"]}' }
  t.match((await ask(url, asked)).json, { ok: 1, result: 1 })
  t.match(await ask(url, asked), {
    json: { ok: 1, result: 1 },
    headers: { 'idempotency-replayed': 'true' },
  })
})
