// The switches of the protocols on a whole Sigil: real listeners open and close, their connections
// are told, the state survives a restart, and who may turn them.

import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { ask } from '../../../support/http-client.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'
import { RespClient } from '../../../support/resp-client.js'
import { SqlClient } from '../../../support/sql-client.js'
import { testWallet } from '../../../support/wallet.js'
import { WalletClient } from '../../../support/wallet-client.js'

const path = '/api/v1/protocols'

function turn({ url, key }: LiveGateway, name: string, what: 'enable' | 'disable') {
  return ask(url, {
    method: 'POST',
    path: `${path}/${name}/${what}`,
    headers: { 'x-api-key': key },
  })
}

async function listed(gateway: LiveGateway): Promise<unknown> {
  return (await ask(gateway.url, { path })).json.protocols
}

/** Whether something listens there. */
function takes(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

t.test('all clients may see the protocols, with their ports', async (t) => {
  const gateway = await startGateway(t)
  const { wire, redis, sql } = gateway.ports
  t.same(await listed(gateway), [
    { name: 'wire', enabled: true, port: wire },
    { name: 'redis', enabled: true, port: redis },
    { name: 'sql', enabled: true, port: sql },
  ])
})

t.test('operator and administrators turn them, and no other identity', async (t) => {
  const wallet = testWallet('alice')
  const admin = testWallet('admin')
  const gateway = await startGateway(t, { ADMIN_ADDRESSES: admin.address })
  t.equal((await ask(gateway.url, { method: 'POST', path: `${path}/sql/disable` })).status, 401)
  const client = await WalletClient.signIn(gateway.url, wallet)
  t.equal((await client.send('POST', `${path}/sql/disable`, {})).status, 403)
  const administrator = await WalletClient.signIn(gateway.url, admin)
  const turned = await administrator.send('POST', `${path}/sql/disable`, {})
  t.same([turned.status, turned.json], [200, { ok: 1, protocol: 'sql', enabled: false }])
  const unknown = await turn(gateway, 'nosuch', 'enable')
  t.match([unknown.status, unknown.json], [404, { ok: 0, code: 2 }])
  t.equal((await turn(gateway, 'http', 'disable')).status, 404)
})

t.test(
  'disabling SQL tells its sessions, closes its port and its route; enabling opens both',
  async (t) => {
    const gateway = await startGateway(t, { AUTH_MODE: 'off' })
    const { url, ports } = gateway
    const { client } = await SqlClient.enter(ports.sql)
    const disabled = await turn(gateway, 'sql', 'disable')
    t.same(disabled.json, { ok: 1, protocol: 'sql', enabled: false })
    const [last] = await client.rest()
    t.match(last, ['ErrorResponse', ['SFATAL', 'VFATAL', 'C57P01']])
    t.equal(await takes(ports.sql), false)
    t.match(await listed(gateway), [{}, {}, { name: 'sql', enabled: false, port: undefined }])
    const body = JSON.stringify({ query: 'SELECT 1' })
    const headers = { 'content-type': 'application/json' }
    const refused = await ask(url, { path: '/api/v1/sql', headers, body })
    t.match([refused.status, refused.json], [503, { ok: 0, code: 115 }])
    t.match((await ask(url, { path: '/health' })).json.server, { sqlPort: 0 })
    const ready = await ask(url, { path: '/ready' })
    t.equal(ready.status, 200)
    t.notOk('sql' in (ready.json.listeners as object))
    t.equal((await turn(gateway, 'sql', 'disable')).status, 200, 'twice is once')
    t.equal((await turn(gateway, 'sql', 'enable')).status, 200)
    const again = await SqlClient.enter(ports.sql)
    again.client.close()
    t.equal((await ask(url, { path: '/api/v1/sql', headers, body })).status, 200)
  },
)

t.test('disabling redis tells its clients and closes its routes', async (t) => {
  const gateway = await startGateway(t)
  const { url, ports, key } = gateway
  const idle = await RespClient.open(ports.redis)
  t.equal((await turn(gateway, 'redis', 'disable')).status, 200)
  t.match(await idle.next().catch((error: Error) => error.message), /disabled/)
  t.equal(await takes(ports.redis), false)
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const body = JSON.stringify({ command: ['PING'] })
  const refused = await ask(url, { path: '/api/v1/redis', headers, body })
  t.match([refused.status, refused.json], [503, { code: 115 }])
  const upstash = await ask(url, {
    path: '/upstash',
    headers: { ...headers, authorization: `Bearer ${key}` },
    body: '["PING"]',
  })
  t.equal(upstash.status, 503)
  t.equal((await turn(gateway, 'redis', 'enable')).status, 200)
  t.equal((await ask(url, { path: '/api/v1/redis', headers, body })).status, 200)
  idle.close()
})

t.test('disabling the wire closes drivers, who come back when it is enabled', async (t) => {
  const gateway = await startGateway(t)
  const client = await MongoClient.connect(gateway.uri)
  t.teardown(() => client.close())
  await client.db('main').command({ ping: 1 })
  t.equal((await turn(gateway, 'wire', 'disable')).status, 200)
  t.equal(await takes(gateway.ports.wire), false)
  // Another one: the first has all the time that it wants to find the server again.
  const hasty = new MongoClient(gateway.uri, { serverSelectionTimeoutMS: 100 })
  await t.rejects(hasty.db('main').command({ ping: 1 }), { name: 'MongoServerSelectionError' })
  await hasty.close()
  t.equal((await turn(gateway, 'wire', 'enable')).status, 200)
  t.match(await client.db('main').command({ ping: 1 }), { ok: 1 })
  const audit = client.db('main').collection('_audit')
  const acts = await audit.find({ act: 'setProtocol' }).toArray()
  t.match(
    acts.map(({ details }) => details),
    [
      { protocol: 'wire', enabled: false },
      { protocol: 'wire', enabled: true },
    ],
  )
})

t.test('a switch stays as it was over a restart', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-protocols-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const environment = { STORE: `lmdb:${folder}` }
  const ends: (() => Promise<void>)[] = []
  const ending = { teardown: (end: () => Promise<void>) => ends.push(end) }
  const first = await startGateway(ending, environment)
  await turn(first, 'sql', 'disable')
  for (const end of ends) await end()
  const second = await startGateway(t, environment)
  t.equal(second.ports.sql, 0)
  t.match(await listed(second), [{ enabled: true }, { enabled: true }, { enabled: false }])
  await turn(second, 'sql', 'enable')
  const entries = (await listed(second)) as { readonly port?: number }[]
  t.equal(await takes(entries[2]?.port ?? 0), true)
})
