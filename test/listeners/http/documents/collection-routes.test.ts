// Collection and index routes over HTTP, and the Health object.

import t from 'tap'
import { ask, openApi } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

t.test('collections are listed with their documented fields', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  t.same((await api.get('')).json, { collections: [], ok: 1 })
  await api.post('b/insertMany', { documents: [{ _id: 1 }, { _id: 2 }] })
  await api.post('a/insertOne', { document: { _id: 1 } })
  await api.post('a/createIndex', { field: 'n' })
  const { json } = await api.get('')
  t.match(json, {
    collections: [
      { name: 'a', documentCount: 1, indexCount: 2, ownerAddress: null, mode: 'private' },
      { name: 'b', documentCount: 2, indexCount: 1, ownerAddress: null, mode: 'private' },
    ],
    ok: 1,
  })
  const [first] = json.collections as { createdAt: number }[]
  t.ok(Number.isInteger(first?.createdAt) && (first?.createdAt ?? 0) < 1e11, 'seconds')
})

t.test('stats counts exactly, and a missing collection is 404', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  await api.post('a/insertMany', {
    documents: [
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ],
  })
  await api.post('a/createIndex', { field: 'n', unique: true })
  const { json } = await api.get('a/stats')
  t.match(json, {
    documentCount: 2,
    indexCount: 2,
    indexes: [
      { name: '_id_', field: '_id', unique: true },
      { name: 'n_1', field: 'n', unique: true, key: { n: 1 } },
    ],
    ok: 1,
  })
  t.ok((json.storageSizeBytes as number) >= 42)
  for (const path of ['none/stats', 'none/indexes']) {
    t.match(await api.get(path), { status: 404, json: { ok: 0, code: 26 } })
  }
  const missing = { status: 404, json: { code: 26, codeName: 'NamespaceNotFound' } }
  t.match(await api.post('none/drop', {}), missing)
})

t.test('collections are created with options, changed and renamed', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const done = { status: 200, json: { acknowledged: true, ok: 1 } }
  t.match(await api.post('log/create', { capped: true, size: 4_096, max: 2 }), done)
  await api.post('log/insertMany', { documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] })
  t.match((await api.get('log/stats')).json, { documentCount: 2, capped: true, maxDocuments: 2 })
  t.match(await api.post('log/create', {}), { status: 409, json: { code: 48 } })

  const validator = { age: { $gte: 0 } }
  t.match(await api.post('people/create', { validator, validationAction: 'warn' }), done)
  const may = ['read', 'write', 'own', 'admin']
  t.match((await api.get('people/stats')).json, { validator, validationAction: 'warn', may })
  t.match(await api.post('people/validator', { validationAction: 'error' }), done)
  const refused = { status: 400, json: { code: 121, codeName: 'DocumentValidationFailure' } }
  t.match(await api.post('people/insertOne', { document: { age: -1 } }), refused)
  t.match(await api.post('people/validator', { validator: {} }), done)
  t.notOk(Object.hasOwn((await api.get('people/stats')).json, 'validator'), 'removed')
  const unknown = { validator: { a: { $nosuch: 1 } } }
  t.match(await api.post('people/validator', unknown), { status: 400 })
  t.match(await api.post('none/validator', { validator }), { status: 404, json: { code: 26 } })

  await api.post('people/insertOne', { document: { _id: 1 } })
  t.match(await api.post('people/rename', { to: 'users' }), done)
  t.equal((await api.post('users/count', {})).json.count, 1)
  t.match(await api.post('people/rename', { to: 'x' }), { status: 404, json: { code: 26 } })
  t.match(await api.post('users/rename', { to: 'log' }), { status: 409, json: { code: 48 } })
  t.match(await api.post('users/rename', {}), { status: 400, json: { code: 2 } })
  const long = await api.post('users/rename', { to: 'x'.repeat(1_000_000) })
  t.match(long, { status: 400, json: { code: 73 } })
  t.ok(String(long.json.errmsg).length < 100, 'the name is not shown')
})

t.test('drop removes the collection and its data', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  await api.post('a/insertOne', { document: { _id: 1 } })
  t.same((await api.post('a/drop', '')).json, { acknowledged: true, dropped: true, ok: 1 })
  t.equal((await api.post('a/count', {})).json.count, 0)
  t.same((await api.get('')).json.collections, [])
})

t.test('indexes are created, listed and dropped', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  await api.post('a/insertMany', {
    documents: [
      { _id: 1, n: 1 },
      { _id: 2, n: 1 },
    ],
  })
  t.same((await api.post('a/createIndex', { field: 'n' })).json, {
    acknowledged: true,
    indexName: 'n_1',
    ok: 1,
  })
  const compound = await api.post('a/createIndex', { key: { n: 1, m: -1 } })
  t.equal(compound.json.indexName, 'n_1_m_-1')
  const unique = await api.post('a/createIndex', { field: 'n', unique: true, name: 'u' })
  t.equal(unique.status, 409, 'the same key with other options')
  const other = await api.post('a/createIndex', { field: '_id.x', unique: true })
  t.equal(other.status, 409)
  t.match(other.json, { code: 11000 }, 'documents without the field share the null key')
  const { json } = await api.get('a/indexes')
  const names = (json.indexes as { name: string }[]).map((index) => index.name)
  t.same(names, ['_id_', 'n_1', 'n_1_m_-1'])
  t.same((await api.post('a/dropIndex', { name: 'n_1' })).json, { acknowledged: true, ok: 1 })
  const gone = { status: 404, json: { code: 27, codeName: 'IndexNotFound' } }
  t.match(await api.post('a/dropIndex', { name: 'n_1' }), gone)
  t.match(await api.post('a/createIndex', {}), { status: 400, json: { code: 2 } })
})

t.test('health tells type, ports and documents to all clients', async (t) => {
  const { url, key, ports } = await startGateway(t)
  const api = openApi(url, key)
  await api.post('a/insertMany', { documents: [{ _id: 1 }, { _id: 2 }] })
  const { status, json } = await ask(url, { path: '/health' })
  t.equal(status, 200)
  t.match(json, {
    status: 'ok',
    version: '0.0.0-test',
    storage: { type: 'InMemory', connected: true, keyCount: 2 },
    server: { httpPort: ports.http, wirePort: ports.wire },
  })
  t.type(json.uptime, 'number')
})
