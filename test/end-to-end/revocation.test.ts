// The end of a key, on every protocol: refused from the next request on, and what it has open is
// closed, for a key ended here or on the chain. Other keys of the wallet notice nothing.

import { JsonRpcProvider } from 'ethers'
import t, { type Test } from 'tap'
import { keyRegistryAbi } from '../../src/chain/artifacts/key-registry.js'
import { EventReader } from '../support/event-reader.js'
import { ask } from '../support/http-client.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'
import { testWallet } from '../support/wallet.js'
import { type Made, WalletClient } from '../support/wallet-client.js'
import { WireClient } from '../support/wire-client.js'

const alice = testWallet('alice')

interface Open {
  readonly wire: WireClient
  readonly resp: RespClient
  readonly events: EventReader
}

/** One connection of each protocol, signed in with the key. */
async function openAll(t: Test, { ports, url }: LiveGateway, made: Made): Promise<Open> {
  const { apiKey, connection } = made
  const wire = await WireClient.open(ports.wire)
  t.match(await wire.login(connection.user, apiKey), { ok: 1, done: true })
  const resp = await RespClient.open(ports.redis)
  t.equal(await resp.call('AUTH', connection.user, apiKey), '+OK')
  const events = await EventReader.open(`${url}/api/v1/redis/stream?channels=news`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  await events.next()
  t.match(await wire.run({ ping: 1, $db: 'main' }), { ok: 1 })
  t.equal(await resp.call('SET', 'a', '1'), '+OK')
  t.teardown(() => {
    resp.socket.destroy()
    return wire.close()
  })
  return { wire, resp, events }
}

function closed(resp: RespClient): Promise<void> {
  return new Promise((resolve) => {
    if (resp.isClosed) resolve()
    else resp.socket.once('close', () => resolve())
  })
}

async function requireOver(t: Test, room: LiveGateway, made: Made, open: Open): Promise<void> {
  await Promise.all([open.wire.closed, closed(open.resp)])
  t.equal(await open.events.next(), undefined, 'the stream has ended')
  t.pass('all three are closed')
  const { apiKey, connection } = made
  const wire = await WireClient.open(room.ports.wire)
  t.match(await wire.login(connection.user, apiKey), { ok: 0, code: 18 })
  await wire.close()
  const resp = await RespClient.open(room.ports.redis)
  t.match(await resp.call('AUTH', connection.user, apiKey), /^-WRONGPASS/)
  t.match(await resp.call('AUTH', apiKey), /^-WRONGPASS/)
  resp.socket.destroy()
  for (const headers of [{ authorization: `Bearer ${apiKey}` }, { 'x-api-key': apiKey }]) {
    const answer = await ask(room.url, { path: '/api/v1/collections', headers })
    t.match(answer, { status: 401, json: { code: 13 } })
  }
}

async function requireAlive(t: Test, { wire, resp }: Open): Promise<void> {
  t.match(await wire.run({ count: 'notes', $db: 'main' }), { ok: 1 })
  t.equal(await resp.call('GET', 'a'), '$1')
}

async function openRoom(t: Test) {
  const room = await startGateway(t, { RATE_LIMITS: 'off' })
  const client = await WalletClient.signIn(room.url, alice)
  const other = await openAll(t, room, await client.issue('other'))
  return { room, client, other }
}

t.test('a server key that is deleted', async (t) => {
  const { room, client, other } = await openRoom(t)
  const made = await client.issue()
  const open = await openAll(t, room, made)
  await client.send('DELETE', `/api/v1/keys/${made.hash}`)
  await requireOver(t, room, made, open)
  await requireAlive(t, other)
})

t.test('a server key that is rotated', async (t) => {
  const { room, client, other } = await openRoom(t)
  const made = await client.issue()
  const open = await openAll(t, room, made)
  await client.send('POST', `/api/v1/keys/${made.hash}/rotate`)
  await requireOver(t, room, made, open)
  await requireAlive(t, other)
})

t.test('an on-chain key that is denied here', async (t) => {
  const { room, client, other } = await openRoom(t)
  const made = await client.register()
  const open = await openAll(t, room, made)
  await client.send('DELETE', `/api/v1/keys/${made.hash}`)
  await requireOver(t, room, made, open)
  await requireAlive(t, other)
})

t.test('an on-chain key whose end the server relays', async (t) => {
  const { room, client, other } = await openRoom(t)
  const made = await client.register()
  const open = await openAll(t, room, made)
  const onChain = await client.revokePart(0)
  await client.send('DELETE', `/api/v1/keys/${made.hash}`, { onChain })
  await requireOver(t, room, made, open)
  await requireAlive(t, other)
})

t.test('an on-chain key that its wallet ends by itself', async (t) => {
  const { room, client, other } = await openRoom(t)
  const made = await client.register()
  const open = await openAll(t, room, made)
  const { contract, chainId } = await client.registry()
  const { Contract } = await import('ethers')
  const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 25 } as const
  const provider = new JsonRpcProvider(`${room.url}/chain`, chainId, options)
  t.teardown(() => provider.destroy())
  const registry = new Contract(contract, keyRegistryAbi, alice.connect(provider))
  const sent = await registry.getFunction('revokeKey').send(0)
  await sent.wait()
  await requireOver(t, room, made, open)
  await requireAlive(t, other)
})

t.test('permissions that are taken away are gone for open connections too', async (t) => {
  const { room, client } = await openRoom(t)
  const made = await client.issue()
  const { wire, resp } = await openAll(t, room, made)
  await client.send('PUT', `/api/v1/keys/${made.hash}/permissions`, { permissions: ['read'] })
  t.match(await wire.run({ insert: 'notes', documents: [{ a: 1 }], $db: 'main' }), { code: 13 })
  t.match(await resp.call('SET', 'a', '2'), /^-NOPERM/)
  t.equal(await resp.call('GET', 'a'), '$1')
})
