// A request that is sent again under its Idempotency-Key is let in as a request is: key, its
// permissions, roles, modes and collections as they are now. Each route that takes the header.

import t, { type Test } from 'tap'
import { routes } from '../../../../src/listeners/http/core/routes.js'
import { memoryWriteRoutes } from '../../../../src/listeners/http/memory/memory-write-routes.js'
import { ask, type HttpAnswer } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { testWallet } from '../../../support/wallet.js'
import { type Made, WalletClient } from '../../../support/wallet-client.js'

interface Sent {
  readonly path: string
  readonly body?: unknown
  /** What the first answer has; 200 unless given. */
  readonly status?: number
}

const reader = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const memory = { text: 'Ann works at Acme.', entities: ['Ann', 'Acme'] }
const update = { filter: { _id: 1 }, update: { $set: { b: 2 } } }
const of = (operation: string) => `/api/v1/collections/${operation.toLowerCase()}/${operation}`

/** By method and path of the route; what its keyed request is. */
const requests: Readonly<Record<string, Sent>> = {
  'POST /api/v1/collections/:name/drop': { path: of('drop') },
  'POST /api/v1/collections/:name/create': { path: of('create') },
  'POST /api/v1/collections/:name/validator': {
    ...{ path: of('validator'), body: { validator: { a: 1 } } },
  },
  'POST /api/v1/collections/:name/rename': { path: of('rename'), body: { to: 'renamed' } },
  'POST /api/v1/collections/:name/createIndex': {
    ...{ path: of('createIndex'), body: { field: 'a' } },
  },
  'POST /api/v1/collections/:name/dropIndex': {
    ...{ path: of('dropIndex'), body: { name: 'z_1' } },
  },
  'POST /api/v1/collections/:name/insertOne': {
    ...{ path: of('insertOne'), body: { document: { a: 1 } } },
  },
  'POST /api/v1/collections/:name/insertMany': {
    ...{ path: of('insertMany'), body: { documents: [{ a: 1 }] } },
  },
  'POST /api/v1/collections/:name/updateOne': { path: of('updateOne'), body: update },
  'POST /api/v1/collections/:name/updateMany': { path: of('updateMany'), body: update },
  'POST /api/v1/collections/:name/deleteOne': {
    ...{ path: of('deleteOne'), body: { filter: { _id: 1 } } },
  },
  'POST /api/v1/collections/:name/deleteMany': {
    ...{ path: of('deleteMany'), body: { filter: {} } },
  },
  'POST /api/v1/collections/:name/privacy': {
    ...{ path: of('privacy'), body: { mode: 'private' } },
  },
  'POST /api/v1/collections/:name/roles': {
    ...{ path: of('roles'), body: { address: reader, action: 'grant', role: 1 } },
  },
  'POST /api/v1/whitelist': {
    ...{ path: '/api/v1/whitelist', body: { address: reader, action: 'add' } },
  },
  'POST /api/v1/sql': {
    ...{ path: '/api/v1/sql', body: { query: 'DELETE FROM sql WHERE a = 7 RETURNING *' } },
  },
  'POST /api/v1/redis': {
    ...{ path: '/api/v1/redis', body: { command: ['GETDEL', 'secret'] } },
  },
  'POST /app/:app/endpoint/data/:version/action/:action': {
    path: '/app/data/endpoint/data/v1/action/deleteOne',
    body: { dataSource: 's', database: 'main', collection: 'action', filter: { _id: 1 } },
  },
  'POST /api/memories': { path: '/api/memories', body: memory, status: 201 },
  'POST /api/memories/batch': { path: '/api/memories/batch', body: { memories: [memory] } },
  'PATCH /api/memories/:id': { path: '/api/memories/ID', body: { status: 'superseded' } },
  'DELETE /api/memories/:id': { path: '/api/memories/OTHER' },
  'POST /api/edges': { path: '/api/edges', body: { from: 'ID', to: 'OTHER', type: 'related' } },
  'DELETE /api/edges': { path: '/api/edges?from=ID&to=OTHER&type=other' },
  'POST /api/entities/merge': {
    ...{ path: '/api/entities/merge', body: { from: 'ENTITY', into: 'ENTITY2' } },
  },
  'POST /api/anchor': { path: '/api/anchor', body: {}, status: 202 },
  'PUT /api/graphs/:name': { path: '/api/graphs/mine', body: { mode: 'private' } },
  'DELETE /api/graphs/:name': { path: '/api/graphs/mine' },
}

const mutating = [...routes, ...memoryWriteRoutes]
  .filter((route) => 'mutates' in route && route.mutates === true)
  .map(({ method, path }) => `${method} ${path}`)

async function openRoom(t: Test) {
  const wallet = testWallet('replayed')
  const gateway = await startGateway(t, {
    RATE_LIMITS: 'off',
    ADMIN_ADDRESSES: wallet.address,
  })
  const { url } = gateway
  const client = await WalletClient.signIn(url, wallet)
  const made = await client.issue()
  const asKey = (key: string, method: string, path: string, body?: unknown, name?: string) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const type = text === undefined ? {} : { 'content-type': 'application/json' }
    const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }
    const named = name === undefined ? {} : { 'idempotency-key': name }
    const headers = { authorization: `Bearer ${key}`, ...type, ...length, ...named }
    return ask(url, { method, path, headers, ...(text === undefined ? {} : { body: text }) })
  }
  const send = (method: string, path: string, body?: unknown, name?: string) =>
    asKey(made.apiKey, method, path, body, name)
  const permit = async ({ hash }: Made, ...permissions: string[]) => {
    const set = await client.send('PUT', `/api/v1/keys/${hash}/permissions`, { permissions })
    t.equal(set.status, 200, set.text)
  }
  return { gateway, url, client, made, send, asKey, permit }
}

const isReplay = ({ headers }: HttpAnswer) => headers['idempotency-replayed'] === 'true'

t.test('every route that takes the header is here', async (t) => {
  const known = new Set([...Object.keys(requests)])
  for (const route of mutating) t.ok(known.has(route), route)
})

t.test('what the key may do no more is not answered again, on any route', async (t) => {
  const { send, made, permit, gateway, asKey } = await openRoom(t)
  for (const { path, body } of Object.values(requests)) {
    const [, name] = /collections\/(\w+)\//.exec(path) ?? []
    if (name === undefined || body === undefined) continue
    await send('POST', `/api/v1/collections/${name}/insertOne`, { document: { _id: 1, a: 1 } })
    await send('POST', `/api/v1/collections/${name}/createIndex`, { field: 'z' })
  }
  for (const name of ['drop', 'sql', 'action']) {
    await send('POST', `/api/v1/collections/${name}/insertOne`, { document: { _id: 1, a: 7 } })
  }
  await asKey(gateway.key, 'POST', '/api/v1/redis', { command: ['SET', 'secret', 'hidden'] })
  const ids: string[] = []
  for (const text of ['Bob met Cleo.', 'Dan left.']) {
    const { json } = await send('POST', '/api/memories', { text, entities: [text.slice(0, 3)] })
    ids.push(String(json.id))
  }
  await send('POST', '/api/memories', { graph: 'mine', ...memory })
  const graph = await send('GET', '/api/graph')
  const nodes = (graph.json.nodes ?? []) as { readonly id: string; readonly type?: string }[]
  const entities = nodes.map(({ id }) => id).filter((id) => !ids.includes(id))
  const [id = '', other = ''] = ids
  const filled = (text: string) =>
    text
      .replaceAll('ENTITY2', entities[1] ?? '')
      .replaceAll('ENTITY', entities[0] ?? '')
      .replaceAll('OTHER', other)
      .replaceAll('ID', id)
  for (const [route, { path, body }] of Object.entries(requests)) {
    const [method = ''] = route.split(' ', 1)
    const to = filled(path)
    const sent = body === undefined ? undefined : JSON.parse(filled(JSON.stringify(body)))
    const again = () => send(method, to, sent, `key of ${route}`)
    const first = await again()
    t.ok(first.status < 500 && ![401, 403, 429].includes(first.status), `${route}: ${first.text}`)
    const second = await again()
    t.ok(isReplay(second) && second.text === first.text, `${route} is answered again`)
    await permit(made, 'read')
    const refused = await again()
    t.notOk(isReplay(refused), `${route}: ${refused.text}`)
    t.match(refused.text, /not authorized|NOPERM|administrator|FORBIDDEN/, route)
    t.notMatch(refused.text, /hidden|"a":7/, route)
    await permit(made, 'all')
    const third = await again()
    t.ok(isReplay(third) && third.text === first.text, `${route}: the right is back`)
  }
})

t.test('a key that is gone, a role that is taken, a mode that has changed', async (t) => {
  const { url, send, client, asKey } = await openRoom(t)
  const friend = await WalletClient.signIn(url, testWallet('replayed friend'))
  const key = await friend.issue()
  const insert = { document: { _id: 1, a: 7, s: 'hidden' } }
  await send('POST', '/api/v1/collections/c/insertOne', insert)
  await send('POST', '/api/v1/collections/c/insertOne', { document: { _id: 2, a: 8, s: 'hidden' } })
  const role = async (action: string) => {
    const { address } = friend.wallet
    const body = { address, action, ...(action === 'grant' ? { role: 2 } : {}) }
    t.equal((await client.send('POST', '/api/v1/collections/c/roles', body)).status, 200)
  }
  const sql = { query: 'UPDATE c SET b = 1 WHERE a = 7 RETURNING *' }
  const read = { query: 'SELECT * FROM c WHERE a = 8' }
  const change = () => asKey(key.apiKey, 'POST', '/api/v1/sql', sql, 'change')
  const look = () => asKey(key.apiKey, 'POST', '/api/v1/sql', read, 'look')
  await role('grant')
  for (const again of [change, look]) t.match((await again()).text, /hidden/)
  await role('revoke')
  for (const again of [change, look]) {
    const refused = await again()
    t.equal(refused.status, 403)
    t.notMatch(refused.text, /hidden/)
  }
  await client.send('POST', '/api/v1/collections/c/privacy', { mode: 'public' })
  t.ok(isReplay(await look()), 'a public collection is read')
  t.equal((await change()).status, 403, 'and not written')
  await client.send('POST', '/api/v1/collections/c/privacy', { mode: 'private' })
  t.equal((await look()).status, 403)
  await role('grant')
  t.ok(isReplay(await change()))
  await friend.send('DELETE', `/api/v1/keys/${key.hash}`)
  for (const again of [change, look]) t.equal((await again()).status, 401, 'the key is gone')
})

t.test('a collection that is gone, and another one under its name', async (t) => {
  const { send } = await openRoom(t)
  const post = (name: string, body: unknown, key?: string) =>
    send('POST', `/api/v1/collections/${name}`, body, key)
  await post('c/insertOne', { document: { _id: 1, s: 'hidden' } })
  await send('POST', '/api/v1/sql', { query: 'CREATE VIEW shown AS SELECT 1' })
  const look = () => send('POST', '/api/v1/sql', { query: 'SELECT * FROM c' }, 'look')
  const insert = () => post('new/insertOne', { document: { _id: 1 } }, 'insert')
  const drop = () => post('c/drop', undefined, 'drop')
  t.match((await look()).text, /hidden/)
  const first = await insert()
  t.equal(first.status, 200)
  t.ok(isReplay(await insert()), 'what the request has made is there')
  t.equal((await drop()).status, 200)
  t.ok(isReplay(await drop()), 'what has dropped it is answered again')
  for (const made of [false, true]) {
    if (made) await post('c/insertOne', { document: { _id: 2 } })
    const gone = await look()
    t.match(gone, { status: 404, json: { code: 26 } })
    t.notMatch(gone.text, /hidden/)
  }
  await post('new/drop', undefined)
  t.equal((await insert()).status, 404)
})

t.test('a view whose source is gone, or closed to its owner', async (t) => {
  const { send, gateway } = await openRoom(t)
  const { uri } = gateway
  const { MongoClient } = await import('mongodb')
  const operator = await MongoClient.connect(uri)
  t.teardown(() => operator.close())
  await operator.db('main').collection('base').insertOne({ s: 'hidden' })
  await operator.db('main').createCollection('shown', { viewOn: 'base', pipeline: [] })
  await operator.db('main').command({ setPrivacy: 'shown', mode: 'public' })
  const look = () => send('POST', '/api/v1/sql', { query: 'SELECT * FROM shown' }, 'look')
  t.match((await look()).text, /hidden/)
  t.ok(isReplay(await look()))
  await operator.db('main').collection('base').drop()
  const gone = await look()
  t.equal(gone.status, 404)
  t.notMatch(gone.text, /hidden|base/)
})

t.test(
  'a key-value refusal is not kept, and its answer is looked at by the database',
  async (t) => {
    const { url, send, asKey, gateway } = await openRoom(t)
    const friend = await WalletClient.signIn(url, testWallet('replayed friend'))
    const key = await friend.issue()
    const mode = (given: string) =>
      asKey(gateway.key, 'POST', '/api/v1/collections/kv0/privacy', { mode: given })
    await asKey(gateway.key, 'POST', '/api/v1/redis', { command: ['SET', 'k', 'hidden'] })
    const path = '/api/v1/redis?database=main'
    const get = () => asKey(key.apiKey, 'POST', path, { command: ['GET', 'k'] }, 'get')
    await mode('private')
    t.match((await get()).text, /NOPERM/)
    await mode('public')
    t.match((await get()).text, /hidden/, 'a refusal was not kept')
    t.ok(isReplay(await get()))
    await mode('private')
    const refused = await get()
    t.notOk(isReplay(refused))
    t.match(refused.text, /NOPERM/)
    t.notMatch(refused.text, /hidden/)
    t.ok(send)
  },
)
