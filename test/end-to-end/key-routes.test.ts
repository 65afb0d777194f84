// A wallet's keys over HTTP, on the local chain: made, listed, used, rotated, given permissions and
// ended, with what every mistake gets.

import { Contract, hexlify, JsonRpcProvider } from 'ethers'
import t, { type Test } from 'tap'
import { keyRegistryAbi } from '../../src/chain/artifacts/key-registry.js'
import { ask } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { derivedKey, testWallet } from '../support/wallet.js'
import { madeOf, WalletClient } from '../support/wallet-client.js'

const alice = testWallet('alice')
const bob = testWallet('bob')

async function openRoom(t: Test) {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const client = await WalletClient.signIn(gateway.url, alice)
  /** What a key may see: 200, or how it is refused. */
  const use = async (key: string, header = 'authorization') => {
    const headers = { [header]: header === 'authorization' ? `Bearer ${key}` : key }
    return (await ask(gateway.url, { path: '/api/v1/collections', headers })).status
  }
  return { ...gateway, client, use }
}

t.test('a server key: made, listed, used, and gone', async (t) => {
  const { client, use, url } = await openRoom(t)
  const answer = await client.generate({ label: 'laptop', permissions: ['read'], rateLimit: 60 })
  t.match(answer.json, {
    apiKey: /^svc_live_[0-9a-f]{64}$/,
    hash: /^[0-9a-f]{64}$/,
    metadata: { label: 'laptop', permissions: ['read'], rateLimit: 60, createdAt: Number },
    connection: { user: `${alice.address}:s0`, wire: /^mongosh "mongodb:/, redis: /^redis-cli -u/ },
    ok: 1,
  })
  const { apiKey, hash } = madeOf(answer)
  t.equal(await use(apiKey), 200)
  t.equal(await use(apiKey, 'x-api-key'), 200)
  const { json } = await client.send('GET', '/api/v1/keys')
  t.match(json, {
    keys: [
      {
        ...{ hash, label: 'laptop', prefix: apiKey.slice(0, 15), permissions: ['read'] },
        ...{ createdAt: Number, source: 'issued', index: 0 },
      },
    ],
    ok: 1,
  })
  t.notOk(JSON.stringify(json).includes(apiKey), 'the key is shown once')
  const ended = await client.send('DELETE', `/api/v1/keys/${hash}`)
  t.same(ended.json, { revoked: true, ok: 1 })
  t.equal(await use(apiKey), 401)
  t.equal(await use(apiKey, 'x-api-key'), 401)
  t.same((await client.send('GET', '/api/v1/keys')).json, { keys: [], ok: 1 })
  t.match(await client.send('DELETE', `/api/v1/keys/${hash}`), { status: 404 })
  const health = await ask(url, { path: '/health' })
  t.equal(health.status, 200)
})

t.test('permissions hold from the next request', async (t) => {
  const { client, url } = await openRoom(t)
  const { apiKey, hash } = await client.issue('writer', ['write'])
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const post = (path: string, body: string) =>
    ask(url, { path: `/api/v1/collections/notes/${path}`, headers, body })
  t.match(await post('insertOne', '{"document":{"a":1}}'), { status: 200 })
  t.match(await post('find', '{}'), { status: 403, json: { code: 13 } })
  const path = `/api/v1/keys/${hash}/permissions`
  t.same((await client.send('PUT', path, { permissions: ['read'] })).json, { updated: true, ok: 1 })
  t.match(await post('find', '{}'), { status: 200 })
  t.match(await post('insertOne', '{"document":{"a":1}}'), { status: 403, json: { code: 13 } })
  await client.send('PUT', path, { permissions: ['all'] })
  t.match(await client.send('GET', '/api/v1/keys'), {
    json: { keys: [{ permissions: ['all'] }] },
  })
  t.match(await post('find', '{}'), { status: 200 }, '`all` allows what the three allow')
  for (const permissions of [[], ['root'], 'read', [1], null]) {
    const { status } = await client.send('PUT', path, { permissions })
    t.equal(status, 400, JSON.stringify(permissions))
  }
})

t.test(
  'a key that its wallet has registered itself gets a name, permissions and a limit',
  async (t) => {
    const { client, url, use } = await openRoom(t)
    const { nextIndex, contract: place } = await client.registry()
    const { apiKey, hash, material } = await derivedKey(alice, nextIndex)
    const verifiers = [material.storedKey, material.serverKey].map((bytes) => hexlify(bytes))
    const provider = new JsonRpcProvider(`${url}/chain`, 31_337, { staticNetwork: true })
    t.teardown(() => provider.destroy())
    const contract = new Contract(place, keyRegistryAbi, alice.connect(provider))
    const register = contract.getFunction('registerKey')
    await (await register(nextIndex, `0x${hash}`, ...verifiers)).wait()
    t.equal(await use(apiKey), 200)
    const keys = '/api/v1/keys'
    const own = { hash, source: 'onchain', label: '', permissions: ['read', 'write'], rateLimit: 0 }
    t.match((await client.send('GET', keys)).json, { keys: [own] })
    const wanted = { label: 'own', permissions: ['all'], rateLimit: 60 }
    const path = `${keys}/${hash}/permissions`
    t.match(await client.send('PUT', path, wanted), { status: 200 })
    t.match((await client.send('GET', keys)).json, { keys: [{ ...own, ...wanted }] })
    await client.send('PUT', path, { permissions: ['read'] })
    const left = { ...own, ...wanted, permissions: ['read'] }
    t.match((await client.send('GET', keys)).json, { keys: [left] }, 'what is not given stays')
    for (const wrong of [{ label: 'a\nb' }, { label: 1 }, { rateLimit: -1 }, { rateLimit: '9' }]) {
      const answer = await client.send('PUT', path, { permissions: ['all'], ...wrong })
      t.equal(answer.status, 400, JSON.stringify(wrong))
    }
    t.match((await client.send('GET', keys)).json, { keys: [left] }, 'nothing by halves')
  },
)

t.test('a rotated key keeps what it may do, and its predecessor fails at once', async (t) => {
  const { client, use } = await openRoom(t)
  const old = await client.issue('ci', ['read', 'write'], 600)
  const answer = await client.send('POST', `/api/v1/keys/${old.hash}/rotate`)
  t.match(answer.json, {
    metadata: { label: 'ci', permissions: ['read', 'write'], rateLimit: 600 },
    connection: { user: `${alice.address}:s1` },
    ok: 1,
  })
  t.notOk('onChain' in answer.json)
  const { apiKey, hash } = madeOf(answer)
  t.not(hash, old.hash)
  t.equal(await use(old.apiKey), 401)
  t.equal(await use(apiKey), 200)
  t.match(await client.send('POST', `/api/v1/keys/${old.hash}/rotate`), { status: 404 })
})

t.test('`all` is told as it was given, by generate, list and rotate', async (t) => {
  const { client } = await openRoom(t)
  const keys = '/api/v1/keys'
  const body = { label: 'whole', permissions: ['all'], rateLimit: 0 }
  const made = await client.send('POST', `${keys}/generate`, body)
  t.same(made.json.metadata, { ...Object(made.json.metadata), permissions: ['all'] })
  const rotated = await client.send('POST', `${keys}/${madeOf(made).hash}/rotate`)
  t.same(rotated.json.metadata, { ...Object(rotated.json.metadata), permissions: ['all'] })
  const isListed = async (permissions: readonly string[], message: string) => {
    const { json } = await client.send('GET', keys)
    t.match(json, { keys: [{ permissions }] }, message)
  }
  await isListed(['all'], 'listed')
  const three = ['read', 'write', 'admin']
  const path = `${keys}/${madeOf(rotated).hash}/permissions`
  await client.send('PUT', path, { permissions: three })
  await isListed(three, 'the three stay the three')
})

t.test('an on-chain key: signed for, used, recovered, rotated and revoked', async (t) => {
  const { client, use } = await openRoom(t)
  const { key, part } = await client.nextPart()
  const body = { label: 'chain', permissions: ['all'], rateLimit: 0, onChain: part }
  const answer = await client.generate(body)
  t.match(answer, { status: 200, json: { apiKey: key.apiKey, hash: key.hash } })
  t.equal(await use(key.apiKey), 200)
  t.match(await client.registry(), {
    ...{ chainId: 31337, nextIndex: 1, nonce: 1 },
    keys: [{ index: 0, commitment: `0x${key.hash}` }],
  })

  t.test('what was signed holds once', async (t) => {
    t.match(await client.generate(body), {
      status: 409,
      json: { code: 2, reason: 'INDEX_TAKEN', expected: 1 },
    })
    const { key: next } = await client.nextPart()
    const forged = { ...part, index: 1, signature: next.signature }
    t.match(await client.generate({ ...body, onChain: forged }), { status: 400, json: { code: 2 } })
    t.equal(await use(next.apiKey), 401)
    const { json } = await client.send('GET', '/api/v1/keys')
    t.equal((json.keys as unknown[]).length, 1, 'a refused key leaves nothing behind')
  })

  t.test('rotation with a signature', async (t) => {
    const { key: next, part } = await client.rotatePart(0)
    const path = `/api/v1/keys/${key.hash}/rotate`
    const rotated = await client.send('POST', path, { onChain: part })
    t.match(rotated, {
      status: 200,
      json: { apiKey: next.apiKey, hash: next.hash, metadata: { label: 'chain' } },
    })
    t.equal(await use(key.apiKey), 401)
    t.equal(await use(next.apiKey), 200)
    t.match(await client.registry(), { nextIndex: 2, nonce: 2, keys: [{ index: 1 }] })
  })

  t.test('an end with a signature', async (t) => {
    const { keys } = await client.registry()
    const hash = (keys[0]?.commitment ?? '').slice(2)
    const part = await client.revokePart(1)
    const ended = await client.send('DELETE', `/api/v1/keys/${hash}`, { onChain: part })
    t.same(ended.json, { revoked: true, ok: 1 })
    t.match(await client.registry(), { keys: [] })
    t.match(await client.send('DELETE', `/api/v1/keys/${hash}`, { onChain: part }), { status: 404 })
  })
})

t.test('without a signature an on-chain key ends here, and the reply says so', async (t) => {
  const { client, use } = await openRoom(t)
  const first = await client.register()
  const second = await client.register()
  const ended = await client.send('DELETE', `/api/v1/keys/${first.hash}`)
  t.same(ended.json, { revoked: true, onChain: 'pending-signature', ok: 1 })
  t.equal(await use(first.apiKey), 401)
  const rotated = await client.send('POST', `/api/v1/keys/${second.hash}/rotate`)
  t.match(rotated.json, { onChain: 'pending-signature', connection: { user: /:s0$/ } })
  t.equal(await use(second.apiKey), 401)
  t.equal(await use(madeOf(rotated).apiKey), 200)
  const { keys } = await client.registry()
  t.equal(keys.length, 2, 'the chain has yet to hear of it')
  const listed = await client.send('GET', '/api/v1/keys')
  t.match(listed.json.keys, [{ source: 'issued' }])
  t.equal((listed.json.keys as unknown[]).length, 1)
})

t.test('verifiers alone: the server never sees the key', async (t) => {
  const { client, use } = await openRoom(t)
  const { key, part } = await client.nextPart()
  const { signature: _, ...relay } = part
  const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
  const { commitment, storedKey, serverKey } = key.material
  const onChain = {
    ...relay,
    ...{ commitment: `0x${commitment}`, storedKey: hex(storedKey), serverKey: hex(serverKey) },
  }
  const answer = await client.generate({ label: 'mine', permissions: ['read'], onChain })
  t.match(answer, { status: 200, json: { apiKey: null, hash: key.hash } })
  t.match(answer.json.connection, { wire: /:API_KEY@/ })
  t.equal(await use(key.apiKey), 200)
  for (const wrong of [
    { ...onChain, commitment: '0x00' },
    { ...onChain, storedKey: hex(new Uint8Array(32)) },
    { ...onChain, signature: part.signature },
    { ...relay },
    { ...onChain, index: -1 },
    { ...onChain, deadline: 0.5 },
    { ...onChain, further: 1 },
  ]) {
    const { status, text } = await client.generate({
      label: '',
      permissions: ['read'],
      onChain: wrong,
    })
    t.ok(status === 400 || status === 409, text)
  }
})

t.test('the derivation signature must be of the wallet itself', async (t) => {
  const { client } = await openRoom(t)
  const { part } = await client.nextPart()
  const foreign = await bob.signMessage(`Sigil API Key #0 for ${alice.address}`)
  for (const signature of [foreign, '0x', '0x00', `${part.signature}00`, 'nothing']) {
    const onChain = { ...part, signature }
    const answer = await client.generate({ label: '', permissions: ['read'], onChain })
    t.match(answer, { status: 400, json: { code: 2 } }, signature.slice(0, 12))
  }
})

t.test('ten active keys, on the chain and off it together', async (t) => {
  const { client } = await openRoom(t)
  await client.register()
  const made = [await client.register()]
  for (let i = 0; i < 8; i++) made.push(await client.issue())
  const full = { status: 409, json: { code: 2, codeName: 'BadValue', reason: 'TOO_MANY_KEYS' } }
  t.match(await client.generate({ label: '', permissions: ['read'] }), full)
  const { part } = await client.nextPart()
  const onChain = { label: '', permissions: ['read'], onChain: part }
  t.match(await client.generate(onChain), full)
  const [onChainKey, issued] = made
  t.match(await client.send('POST', `/api/v1/keys/${issued?.hash}/rotate`), { status: 200 })
  await client.send('DELETE', `/api/v1/keys/${onChainKey?.hash}`)
  t.match(await client.generate({ label: '', permissions: ['read'] }), { status: 200 })
  t.match(await client.generate({ label: '', permissions: ['read'] }), full)
})

t.test("another wallet's hash answers as an unknown one", async (t) => {
  const { client, url } = await openRoom(t)
  const hers = [(await client.issue()).hash, (await client.register()).hash]
  const other = await WalletClient.signIn(url, bob)
  const answers: string[] = []
  for (const hash of [...hers, 'f'.repeat(64), 'nothing', 'F'.repeat(64)]) {
    for (const [method, path, body] of [
      ['DELETE', '', undefined],
      ['POST', '/rotate', undefined],
      ['PUT', '/permissions', { permissions: ['all'] }],
    ] as const) {
      const answer = await other.send(method, `/api/v1/keys/${hash}${path}`, body)
      t.match(answer, { status: 404, json: { code: 26, reason: 'KEY_NOT_FOUND' } })
      answers.push(answer.text)
    }
  }
  t.equal(new Set(answers).size, 1, 'to the letter')
  t.equal(((await client.send('GET', '/api/v1/keys')).json.keys as unknown[]).length, 2)
})

t.test('keys are managed by sessions alone', async (t) => {
  const { client, url, key } = await openRoom(t)
  const { apiKey, hash } = await client.issue()
  const routes = [
    ['POST', '/generate', { label: '', permissions: ['read'] }],
    ['GET', '', undefined],
    ['DELETE', `/${hash}`, undefined],
    ['POST', `/${hash}/rotate`, undefined],
    ['PUT', `/${hash}/permissions`, { permissions: ['all'] }],
  ] as const
  for (const [method, path, body] of routes) {
    for (const given of [{ authorization: `Bearer ${apiKey}` }, { 'x-api-key': key }, {}]) {
      const headers = { ...given, 'content-type': 'application/json' }
      const asked = { method, path: `/api/v1/keys${path}`, headers }
      const answer = await ask(
        url,
        body === undefined ? asked : { ...asked, body: JSON.stringify(body) },
      )
      t.match(answer, { status: 401, json: { code: 13 } }, `${method} ${path}`)
    }
  }
})

t.test('a key has its requests a minute, on HTTP too', async (t) => {
  const { client, url } = await openRoom(t)
  const { apiKey } = await client.issue('slow', ['read'], 2)
  const headers = { authorization: `Bearer ${apiKey}` }
  const list = () => ask(url, { path: '/api/v1/collections', headers })
  t.equal((await list()).status, 200)
  t.equal((await list()).status, 200)
  const refused = await list()
  t.match(refused, { status: 429, json: { code: 462 } })
  t.match(refused.headers, {
    'retry-after': /^\d+$/,
    'ratelimit-limit': '2',
    'ratelimit-remaining': '0',
    'ratelimit-reset': /^\d+$/,
  })
})

t.test('a key of the other mode is refused', async (t) => {
  const gateway = await startGateway(t, { KEY_MODE: 'test' })
  const client = await WalletClient.signIn(gateway.url, alice)
  const { apiKey } = await client.issue()
  t.match(apiKey, /^svc_test_/)
  const status = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    return (await ask(gateway.url, { path: '/api/v1/collections', headers })).status
  }
  t.equal(await status(apiKey), 200)
  t.equal(await status(apiKey.replace('test', 'live')), 401)
})
