// What one gateway takes away, another one refuses at its next request: keys, sessions, roles,
// collections, service users. A sign-in works over two gateways, each nonce once.

import { Redis } from 'ioredis'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { testKey } from '../support/gateway.js'
import { ask, type HttpAnswer } from '../support/http-client.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { postgresMissing } from '../support/postgres-reference.js'
import { mongoOn, openPair, redisOn, until } from '../support/shared-pair.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

const alice = testWallet('alice')
const bob = testWallet('bob')
const origin = { PUBLIC_URL: 'http://localhost:4000' }

function askAs(
  { url }: LiveGateway,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<HttpAnswer> {
  const text = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return ask(url, { path, headers: { 'content-type': 'application/json', ...headers }, ...text })
}

t.test('signing in over two gateways', { skip: postgresMissing }, async (t) => {
  const { gateways, third } = await openPair(t, origin)
  const [one, two] = gateways
  const begun = await askAs(one, '/api/v1/auth/nonce', {}, { address: alice.address })
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? ''
  const message = String(begun.json.message)
  const proof = { message, signature: await alice.signMessage(message) }
  const tries = await Promise.all(
    [two, one, two, one].map((gateway) => askAs(gateway, '/api/v1/auth/verify', { cookie }, proof)),
  )
  t.same(tries.map(({ status }) => status).sort(), [200, 401, 401, 401], 'a nonce is good once')
  const client = await WalletClient.signIn(one.url, alice)
  const { headers } = client
  for (const gateway of [one, two, await third()]) {
    t.equal((await askAs(gateway, '/api/v1/auth/me', headers)).status, 200)
  }
  t.equal((await client.send('POST', '/api/v1/auth/logout', {})).status, 200)
  t.equal((await askAs(two, '/api/v1/auth/me', headers)).status, 401)
})

t.test('keys and roles', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t, { ...origin, SHARED_SPACES: 'shared' })
  const [one, two] = gateways
  const owner = await WalletClient.signIn(one.url, alice)
  const other = await WalletClient.signIn(one.url, bob)
  const make = async (client: WalletClient) => {
    const body = { label: 'k', permissions: ['all'], rateLimit: 0 }
    const { json } = await client.send('POST', '/api/v1/keys/generate', body)
    return json as { apiKey: string; hash: string }
  }
  const ours = await make(owner)
  const theirs = await make(other)
  const bearer = ({ apiKey }: { apiKey: string }) => ({ authorization: `Bearer ${apiKey}` })
  const find = (gateway: LiveGateway, key: { apiKey: string }) =>
    askAs(gateway, '/api/v1/collections/c/find', bearer(key), { filter: {} })
  await askAs(one, '/api/v1/collections/c/insertOne', bearer(ours), { document: { _id: 'x' } })
  const at = (path: string) => `/api/v1/collections/c/${path}`
  await askAs(one, at('privacy'), bearer(ours), { mode: 'private' })
  t.equal((await find(two, ours)).status, 200)
  t.equal((await find(two, theirs)).status, 403)
  const grant = { address: bob.address, action: 'grant', role: 1 }
  t.equal((await askAs(one, at('roles'), bearer(ours), grant)).status, 200)
  t.equal((await find(two, theirs)).status, 200, 'a role is given')
  const revoke = { address: bob.address, action: 'revoke' }
  t.equal((await askAs(one, at('roles'), bearer(ours), revoke)).status, 200)
  t.equal((await find(two, theirs)).status, 403, 'and taken')
  const redis = redisOn(t, two, ours.apiKey)
  redis.on('error', () => undefined)
  t.equal(await redis.set('a', 1), 'OK')
  const gone = await owner.send('DELETE', `/api/v1/keys/${ours.hash}`)
  t.equal(gone.status, 200)
  t.equal((await find(two, ours)).status, 401, 'the key is refused at the next request')
  await t.rejects(redis.get('a'))
  t.equal((await find(two, theirs)).status, 403, 'others notice nothing')
})

t.test('collections and service users', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t)
  const [one, two] = gateways
  const [here, there] = [await mongoOn(t, one), await mongoOn(t, two)]
  const insert = () => there.db('main').collection('c').insertOne({ n: 1 })
  await here.db('main').createCollection('c', { validator: { n: { $type: 'int' } } })
  await insert()
  await here.db('main').collection('c').rename('d')
  t.equal(await there.db('main').collection('c').countDocuments(), 0)
  t.equal(await there.db('main').collection('d').countDocuments(), 1)
  await here.db('main').command({ collMod: 'd', validator: { n: { $type: 'string' } } })
  await t.rejects(there.db('main').collection('d').insertOne({ n: 2 }), { code: 121 })
  await here.db('main').collection('d').drop()
  t.equal(await there.db('main').collection('d').countDocuments(), 0)
  const user = { createUser: 'u', pwd: 'a-long-password-1', roles: ['readWrite'] }
  await here.db('main').command(user)
  const uri = `mongodb://u:a-long-password-1@127.0.0.1:${two.ports.wire}/main`
  const client = await MongoClient.connect(uri, { directConnection: true })
  t.teardown(() => client.close())
  await client.db('main').collection('e').insertOne({ n: 1 })
  await here.db('main').command({ updateUser: 'u', roles: ['read'] })
  await t.rejects(client.db('main').collection('e').insertOne({ n: 1 }), { code: 13 })
  await here.db('main').command({ dropUser: 'u' })
  await t.rejects(client.db('main').collection('e').findOne())
})

t.test('switches of protocols', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t)
  const [one, two] = gateways
  const before = await protocolsOf(two)
  const set = async (act: string) => {
    const answer = await askAs(one, `/api/v1/protocols/redis/${act}`, operator, {})
    t.equal(answer.status, 200, answer.text)
  }
  await set('disable')
  await until(async () => (await protocolsOf(two)) !== before)
  const refused = new Redis({ port: two.ports.redis, password: testKey, lazyConnect: true })
  refused.on('error', () => undefined)
  await t.rejects(refused.connect())
  refused.disconnect()
  await set('enable')
  await until(async () => (await protocolsOf(two)) === before)
  t.equal(await redisOn(t, two).ping(), 'PONG')
})

t.test("the operator's key", { skip: postgresMissing }, async (t) => {
  const { gateways, address } = await openPair(t)
  const [one, two] = gateways
  const asked = async (gateway: LiveGateway, key: string) =>
    (await askAs(gateway, '/api/v1/whitelist', { authorization: `Bearer ${key}` })).status
  t.same([await asked(one, testKey), await asked(two, testKey)], [200, 200])
  const other = `svc_op_${'fedcba9876543210'.repeat(4)}`
  const third = await startGateway(t, { STORE: address, DURABILITY: 'none', API_KEY: other })
  for (const gateway of [one, two, third]) {
    await until(async () => (await asked(gateway, testKey)) === 401)
    t.equal(await asked(gateway, other), 200)
  }
})

const operator = { authorization: `Bearer ${testKey}` }

async function protocolsOf(gateway: LiveGateway): Promise<string> {
  return JSON.stringify((await askAs(gateway, '/api/v1/protocols', operator)).json)
}

t.test("the operator's page", { skip: postgresMissing }, async (t) => {
  const { address } = await openPair(t, origin)
  const start = () => startGateway(t, { STORE: address, DURABILITY: 'none', ...origin })
  const [one, two] = [await start(), await start()]
  const page = (gateway: LiveGateway, act: string, headers: object, body: unknown) =>
    askAs(gateway, `/api/v1/studio/${act}`, { ...headers, origin: origin.PUBLIC_URL }, body)
  const make = async (gateway: LiveGateway) => {
    const made = await askAs(gateway, '/api/v1/studio/code', operator, {})
    return made.json.code
  }
  const code = await make(one)
  const tries = await Promise.all([
    page(two, 'session', {}, { code }),
    page(one, 'session', {}, { code }),
  ])
  t.same(tries.map(({ status }) => status).sort(), [200, 401], 'a code is good once')
  const token = tries.find(({ status }) => status === 200)?.json.token
  const bearer = { authorization: `Bearer ${String(token)}` }
  const sessions = async (gateway: LiveGateway) =>
    (await askAs(gateway, '/api/v1/studio/sessions', bearer)).status
  t.same([await sessions(one), await sessions(two)], [200, 200])
  const add = (gateway: LiveGateway) =>
    page(gateway, '../whitelist', bearer, { address: alice.address, action: 'add' })
  t.equal((await add(two)).status, 403, 'it is locked')
  const unlocked = await page(one, 'unlock', bearer, { code: await make(two) })
  t.equal(unlocked.status, 200, unlocked.text)
  t.not((await add(two)).status, 403, 'and unlocked on both')
  t.equal((await page(one, 'logout', bearer, {})).status, 200)
  t.same([await sessions(one), await sessions(two)], [401, 401], 'and ended on both')
})

t.test("a page's session ends with its gateway", { skip: postgresMissing }, async (t) => {
  const { gateways, third } = await openPair(t, origin)
  const [one] = gateways
  const maker = await third()
  const headers = { ...operator, origin: origin.PUBLIC_URL }
  const { json } = await askAs(maker, '/api/v1/studio/code', operator, {})
  const begun = await askAs(maker, '/api/v1/studio/session', headers, { code: json.code })
  const bearer = { authorization: `Bearer ${String(begun.json.token)}` }
  const status = async () => (await askAs(one, '/api/v1/studio/sessions', bearer)).status
  await until(async () => (await status()) === 200)
  await maker.close()
  await until(async () => (await status()) === 401)
  t.pass('it is refused')
})
