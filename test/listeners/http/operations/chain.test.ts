// `POST /chain`: the local chain for ordinary tools over real HTTP, and who may not use it.

import { Contract, ContractFactory, FetchRequest, JsonRpcProvider, Wallet } from 'ethers'
import t, { type Test } from 'tap'
import { chainBodyBytesMax } from '../../../../src/base/limits/chain.js'
import { keyRegistryArtifact } from '../../../../src/chain/artifacts/key-registry.js'
import { chainRoutes } from '../../../../src/listeners/http/operations/chain.js'
import { fixedStart, openFixedGateway, testKey } from '../../../support/gateway.js'
import { ask } from '../../../support/http-client.js'

async function open(t: Test, settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const gateway = await openFixedGateway({ ...fixedStart, settings })
  t.teardown(() => gateway.close())
  return `http://127.0.0.1:${gateway.ports.http}`
}

const json = { 'content-type': 'application/json' }
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
const path = '/chain'

t.test('ethers uses the chain without a key', async (t) => {
  const base = await open(t)
  const provider = new JsonRpcProvider(new FetchRequest(`${base}/chain`), 31_337, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 25,
  })
  t.teardown(() => provider.destroy())
  t.equal((await provider.getNetwork()).chainId, 31_337n)
  t.same(await provider.listAccounts(), [])
  const head = await provider.getBlock('latest')
  t.ok(head !== null)
  const poor = new Wallet(Wallet.createRandom().privateKey, provider)
  const { abi, creationBytecode } = keyRegistryArtifact
  const factory = new ContractFactory(abi, creationBytecode, poor)
  const deployment = await factory.getDeployTransaction(poor.address, poor.address)
  await t.rejects(poor.sendTransaction({ ...deployment, gasLimit: 2_000_000 }), {
    code: 'INSUFFICIENT_FUNDS',
  })
  await t.rejects(provider.send('eth_sendTransaction', [{}]), { code: 'UNSUPPORTED_OPERATION' })
  await t.rejects(new Contract(poor.address, abi, provider).getFunction('owner').staticCall(), {
    code: 'BAD_DATA',
  })
  // Three at once: one batch.
  const many = await Promise.all([0, 1, 2].map(() => provider.getBalance(poor.address)))
  t.same(many, [0n, 0n, 0n])
})

t.test('single requests, batches, notifications', async (t) => {
  const base = await open(t)
  const one = await ask(base, { path, headers: json, body: JSON.stringify(chainId) })
  t.equal(one.status, 200)
  t.match(one.headers['content-type'], /^application\/json/)
  t.notOk('access-control-allow-origin' in one.headers)
  t.same(one.json, { jsonrpc: '2.0', id: 1, result: '0x7a69' })
  const two = await ask(base, { path, headers: json, body: JSON.stringify([chainId, chainId]) })
  t.equal(JSON.parse(two.text).length, 2)
  const { id: _, ...notification } = chainId
  const none = await ask(base, { path, headers: json, body: JSON.stringify(notification) })
  t.equal(none.status, 204)
  t.equal(none.text, '')
  const broken = await ask(base, { path, headers: json, body: '{"jsonrpc":' })
  t.equal(broken.status, 200)
  t.match(broken.json, { id: null, error: { code: -32700 } })
})

t.test('pages of other sites get nothing', async (t) => {
  const base = await open(t)
  const body = JSON.stringify(chainId)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
    const refused = await ask(base, { path, headers: { 'content-type': type }, body })
    t.equal(refused.status, 415, type)
    t.match(refused.json, { jsonrpc: '2.0', id: null, error: { code: -32600 } })
  }
  t.equal((await ask(base, { path, body })).status, 415)
  const rebound = await ask(base, { path, headers: { ...json, host: 'evil.example:8080' }, body })
  t.equal(rebound.status, 421)
  const preflight = await ask(base, {
    ...{ method: 'OPTIONS', path },
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  })
  t.equal(preflight.status, 405)
  t.notOk('access-control-allow-origin' in preflight.headers)
  t.equal((await ask(base, { path })).status, 405)
})

t.test('a wrong key is refused as everywhere; a body has a bound', async (t) => {
  const base = await open(t)
  const body = JSON.stringify(chainId)
  const wrong = { ...json, authorization: 'Bearer svc_op_nonsense' }
  t.equal((await ask(base, { path, headers: wrong, body })).status, 401)
  const right = { ...json, authorization: `Bearer ${testKey}` }
  t.equal((await ask(base, { path, headers: right, body })).status, 200)
  const large = Buffer.alloc(chainBodyBytesMax + 1, ' ')
  t.equal((await ask(base, { path, headers: json, body: large })).status, 413)
})

t.test('there is no such route beyond loopback, or in front of a real chain', async (t) => {
  const serve = async () => undefined
  t.same(chainRoutes({ serve, isLoopback: false }), [])
  t.equal(chainRoutes({ serve, isLoopback: true }).length, 1)
})

t.test('while the chain is away, or too busy, clients are told to come again', async (t) => {
  const [route] = chainRoutes({ serve: async () => undefined, isLoopback: true })
  t.ok(route)
  for (const [code, status, told] of [
    [-32005, 429, -32005],
    [-32603, 503, -32603],
  ] as const) {
    const serve = () => Promise.reject(Object.assign(new Error('later'), { code }))
    const [failing] = chainRoutes({ serve, isLoopback: true })
    const call = {
      incoming: { headers: json },
      body: async (read: (b: Buffer) => unknown) => read(Buffer.from('{}')),
    }
    const error = await failing?.send(call as never, {} as never, {}).then(
      () => undefined,
      (thrown) => thrown,
    )
    t.equal(error.httpStatus, status)
    t.match(JSON.parse(failing?.errorBody?.(error) ?? ''), { id: null, error: { code: told } })
  }
})
