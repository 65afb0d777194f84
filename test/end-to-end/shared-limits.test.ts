// Limits of a client that uses two gateways of one PostgreSQL: it has those of one. What a gateway
// passes on to another one counts once.

import t, { type Test } from 'tap'
import { ask, type HttpAnswer } from '../support/http-client.js'
import type { LiveGateway } from '../support/live-gateway.js'
import { postgresMissing } from '../support/postgres-reference.js'
import { RespClient } from '../support/resp-client.js'
import { openPair, until } from '../support/shared-pair.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

const origin = { PUBLIC_URL: 'http://localhost:4000', SHARED_SPACES: 'shared' }

/** Asks one gateway until it has heard of `sent` requests elsewhere; what it says is left then. */
async function leftWhenSettled(
  { url }: LiveGateway,
  headers: Readonly<Record<string, string>>,
  max: number,
  sent: number,
): Promise<{ readonly left: number; readonly wanted: number }> {
  let own = 0
  let left = max
  await until(async () => {
    const { headers: told } = await ask(url, { path: '/api/v1/collections', headers })
    own++
    left = Number(told['ratelimit-remaining'])
    return left <= max - own - sent
  })
  return { left, wanted: max - own - sent }
}

t.test('requests of an address', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t, { ...origin, RATE_ADDRESS: '5000/900s' })
  const [one, two] = gateways
  for (let i = 0; i < 7; i++) await ask(one.url, { path: '/api/v1/collections' })
  const { left, wanted } = await leftWhenSettled(two, {}, 5_000, 7)
  t.equal(left, wanted)
})

t.test('requests that are passed on', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t, { ...origin, RATE_KEY: '5000/900s' })
  const [one, two] = gateways
  const client = await WalletClient.signIn(one.url, testWallet('alice'))
  const headers = { 'x-api-key': (await client.issue()).apiKey }
  const post = ({ url }: LiveGateway, path: string, body: unknown): Promise<HttpAnswer> =>
    ask(url, {
      method: 'POST',
      path: `/api/v1/collections/c/${path}`,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  // The first request with a key counts for its address, and for the key.
  await post(one, 'insertMany', { documents: Array.from({ length: 10 }, (_, i) => ({ _id: i })) })
  const { json } = await post(one, 'find', { batchSize: 1 })
  const { id: cursor } = json.cursor as { id: number }
  const left: number[] = []
  for (let i = 0; i < 5; i++) {
    const answer = await post(two, 'getMore', { cursor, batchSize: 1 })
    t.equal(answer.status, 200, answer.text)
    left.push(Number(answer.headers['ratelimit-remaining']))
  }
  t.ok((left[1] ?? 0) > (left[4] ?? 0), 'the gateway that passes on tells what is left')
  const settled = await leftWhenSettled(one, headers, 5_000, 7)
  t.equal(settled.left, settled.wanted, 'two of its own and five that it was passed')
})

t.test('connections of a wallet', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t, { ...origin, WALLET_CONNECTIONS: '2' })
  const [one, two] = gateways
  const client = await WalletClient.signIn(one.url, testWallet('alice'))
  const { apiKey, connection } = await client.issue()
  const open = (gateway: LiveGateway) => openRedis(t, gateway, connection.user, apiKey)
  const [first, second] = [await open(one), await open(one)]
  const beyond = await open(two)
  await closed(beyond)
  t.same([await isServed(first), await isServed(second)], [true, true])
  await until(async () => (await usageAt(two, client)).connections === 2)
  t.equal(await isServed(await open(two)), false, 'refused at once')
  second.socket.destroy()
  let next: RespClient | undefined
  await until(async () => {
    next = await open(two)
    return isServed(next)
  })
  await until(async () => (await usageAt(one, client)).connections === 2)
  t.ok(next !== undefined && (await isServed(next)), 'it stays')
  await one.close()
  t.equal(await isServed(await open(two)), true, 'those of a gateway that is gone do not count')
})

t.test('subscriptions of a wallet', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t, { ...origin, WALLET_SUBSCRIPTIONS: '2' })
  const [one, two] = gateways
  const client = await WalletClient.signIn(one.url, testWallet('alice'))
  const { apiKey, connection } = await client.issue()
  const here = await openRedis(t, one, connection.user, apiKey)
  const there = await openRedis(t, two, connection.user, apiKey)
  t.match(await here.call('SUBSCRIBE', 'a'), ['*3', '$subscribe'])
  t.match(await here.call('SUBSCRIBE', 'b'), ['*3', '$subscribe'])
  await until(async () => {
    const reply = await there.call('SUBSCRIBE', 'c')
    if (reply === '-ERR max number of subscriptions reached') return true
    await there.call('UNSUBSCRIBE', 'c')
    return false
  })
  await here.call('UNSUBSCRIBE', 'a')
  await until(async () => Array.isArray(await there.call('SUBSCRIBE', 'c')))
  await until(async () => (await usageAt(one, client)).subscriptions === 2)
  t.match(await here.call('SUBSCRIBE', 'd'), /max number of subscriptions/)
})

async function openRedis(
  t: Test,
  { ports }: LiveGateway,
  user: string,
  password: string,
): Promise<RespClient> {
  const client = await RespClient.open(ports.redis)
  t.teardown(() => client.socket.destroy())
  await client.call('AUTH', user, password)
  return client
}

async function isServed(client: RespClient): Promise<boolean> {
  try {
    return (await client.call('PING')) === '+PONG'
  } catch {
    return false
  }
}

function closed({ isClosed, socket }: RespClient): Promise<void> | undefined {
  return isClosed ? undefined : new Promise((resolve) => socket.once('close', () => resolve()))
}

async function usageAt({ url }: LiveGateway, { headers }: WalletClient) {
  const { json } = await ask(url, { path: '/api/v1/usage', headers })
  return json.usage as { readonly connections: number; readonly subscriptions: number }
}
