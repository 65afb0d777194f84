// A chain that is away: its keys are refused on every protocol with 6 (503), no login relies on an
// old answer, and what does not need the chain goes on. And a chain that other accounts write to:
// squatters and thieves, with their own transactions.

import { Contract, JsonRpcProvider, type Wallet } from 'ethers'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { keyRegistryAbi } from '../../src/chain/artifacts/key-registry.js'
import type { KeyMaterial } from '../../src/chain/registry/registry.js'
import { RpcError } from '../../src/chain/remote/provider.js'
import { ask } from '../support/http-client.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'
import { RpcServer } from '../support/rpc-server.js'
import { derivedKey, materialOf, testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'
import { WireClient } from '../support/wire-client.js'

const alice = testWallet('alice')
const thief = testWallet('thief')

function list(url: string, key: string) {
  return ask(url, { path: '/api/v1/collections', headers: { authorization: `Bearer ${key}` } })
}

/** The JSON-RPC of a Sigil's local chain. */
function chainOf(url: string) {
  let id = 0
  return {
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })
      const headers = { 'content-type': 'application/json' }
      const { json } = await ask(url, { path: '/chain', headers, body })
      const error = json.error as { code: number; message: string; data?: unknown } | undefined
      if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
      return json.result
    },
  }
}

t.test('while the chain is away', async (t) => {
  const home = await startGateway(t)
  const owner = await WalletClient.signIn(home.url, alice)
  const { apiKey } = await owner.register()
  const { contract } = await owner.registry()
  const rpc = await RpcServer.open(t, chainOf(home.url))
  const time = { ahead: 0 }
  const clock = { now: systemClock.now, elapsed: () => systemClock.elapsed() + time.ahead }
  const settings = { CHAIN_RPC_URL: rpc.url(), CHAIN_ID: '31337', AUTH_CONTRACT_ADDRESS: contract }
  const gateway = await startGateway(t, settings, { clock })
  const { url, ports, key } = gateway
  const client = await WalletClient.signIn(url, alice)
  const issued = await client.issue()
  t.match(await list(url, apiKey), { status: 200 }, 'a second Sigil knows the key by the chain')
  const wire = await WireClient.open(ports.wire)
  t.match(await wire.login(`${alice.address}:0`, apiKey), { ok: 1 })
  const resp = await RespClient.open(ports.redis)
  t.equal(await resp.call('AUTH', alice.address, apiKey), '+OK')
  t.teardown(() => {
    resp.socket.destroy()
    return wire.close()
  })

  await rpc.close()
  time.ahead += 60_000
  const away = { status: 503, json: { code: 6, reason: 'CHAIN_UNAVAILABLE' } }
  t.match(await list(url, apiKey), away)
  t.match(await list(url, (await derivedKey(thief, 0)).apiKey), away, 'an unknown key too')
  t.match(await client.send('GET', '/api/v1/keys'), away)
  t.match(await wire.run({ count: 'a', $db: 'main' }), { code: 6, codeName: 'HostUnreachable' })
  t.match(await resp.call('GET', 'a'), /^-LOADING /)
  const another = await WireClient.open(ports.wire)
  for (const user of [alice.address, `${alice.address}:0`, thief.address]) {
    t.match(await another.login(user, apiKey), { ok: 0, code: 6 }, user)
  }
  await another.close()
  const late = await RespClient.open(ports.redis)
  t.match(await late.call('AUTH', alice.address, apiKey), /^-LOADING /)
  t.match(await late.call('AUTH', issued.apiKey), '+OK')
  t.equal(await late.call('SET', 'a', '1'), '+OK')
  late.socket.destroy()
  const goesOn = await WireClient.open(ports.wire)
  t.match(await goesOn.login(`${alice.address}:s0`, issued.apiKey), { ok: 1 })
  await goesOn.close()
  t.match(await list(url, issued.apiKey), { status: 200 })
  t.match(await list(url, key), { status: 200 }, 'the operator')
  t.match(await client.send('GET', '/api/v1/auth/me'), { status: 200 })
  t.match(await client.send('DELETE', `/api/v1/keys/${issued.hash}`), { status: 200 })
  t.match(await list(url, issued.apiKey), { status: 401 }, 'gone at once')
})

/** Registers at its own expense, as any wallet can. */
async function registerAlone(
  t: Test,
  { url }: LiveGateway,
  wallet: Wallet,
  { commitment, storedKey, serverKey }: KeyMaterial,
): Promise<Contract> {
  const client = await WalletClient.signIn(url, wallet)
  const { contract, chainId, nextIndex } = await client.registry()
  const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 25 } as const
  const provider = new JsonRpcProvider(`${url}/chain`, chainId, options)
  t.teardown(() => provider.destroy())
  const registry = new Contract(contract, keyRegistryAbi, wallet.connect(provider))
  const words = [`0x${commitment}`, storedKey, serverKey]
  await (await registry.getFunction('registerKey').send(nextIndex, ...words)).wait()
  return registry
}

t.test('a squatter registers first, and gains nothing', async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const { apiKey, material } = await derivedKey(alice, 0)
  await registerAlone(t, gateway, thief, material)
  t.match(await list(gateway.url, apiKey), { status: 401 })
  await registerAlone(t, gateway, alice, material)
  const client = await WalletClient.signIn(gateway.url, alice)
  const made = await client.send('GET', '/api/v1/keys')
  t.match(made.json.keys, [{ label: '', prefix: '', permissions: ['read', 'write'], index: 0 }])
  t.match(await list(gateway.url, apiKey), { status: 200 })
  const resp = await RespClient.open(gateway.ports.redis)
  t.equal(await resp.call('AUTH', apiKey), '+OK')
  t.equal(await resp.call('ACL', 'WHOAMI'), `$${alice.address}:0`)
  t.match(await resp.call('AUTH', thief.address, apiKey), /^-WRONGPASS/)
  resp.socket.destroy()
})

t.test('a thief registers a stolen key as his own, and it dies with its owner’s', async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const { apiKey, material } = await derivedKey(alice, 0)
  const registry = await registerAlone(t, gateway, alice, material)
  t.match(await list(gateway.url, apiKey), { status: 200 })
  await (await registry.getFunction('revokeKey').send(0)).wait()
  await registerAlone(t, gateway, thief, (await materialOf(apiKey, thief.address, 0)).material)
  t.match(await list(gateway.url, apiKey), { status: 401 })
  const resp = await RespClient.open(gateway.ports.redis)
  t.match(await resp.call('AUTH', apiKey), /^-WRONGPASS/)
  t.match(await resp.call('AUTH', alice.address, apiKey), /^-WRONGPASS/)
  resp.socket.destroy()
})
