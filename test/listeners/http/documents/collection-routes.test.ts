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
