// How a query finds its documents, which indexes are used, and the fields of a sample, over HTTP.

import { Wallet } from 'ethers'
import t from 'tap'
import { Browser } from '../../../support/browser.js'
import { openApi } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

t.test('explain shows the index of a query, and the cost', async (t) => {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const api = openApi(url, key)
  const documents = Array.from({ length: 50 }, (_, i) => ({ _id: i, n: i % 5 }))
  await api.post('a/insertMany', { documents })
  const scan = await api.post('a/explain', { filter: { n: 3 } })
  t.match(scan.json, { executionStats: { nReturned: 10, totalDocsExamined: 50 }, ok: 1 })
  t.match(scan.text, /COLLSCAN/)
  await api.post('a/createIndex', { field: 'n' })
  const seek = await api.post('a/explain', { filter: { n: 3 } })
  t.match(seek.json, { executionStats: { nReturned: 10, totalDocsExamined: 10 } })
  t.match(seek.text, /IXSCAN/)
  const plan = await api.post('a/explain', { filter: { n: 3 }, verbosity: 'queryPlanner' })
  t.notOk('executionStats' in plan.json)
  const piped = await api.post('a/explain', { pipeline: [{ $match: { n: 3 } }] })
  t.equal(piped.status, 200)
  t.match(piped.text, /IXSCAN/)
  const refused = { status: 400 }
  t.match(await api.post('a/explain', { filter: {}, pipeline: [] }), refused)
  t.match(await api.post('a/explain', { verbosity: 'loud' }), refused)
  t.match(await api.post('a/explain', { filter: { n: { $none: 1 } } }), refused)

  await api.post('a/find', { filter: { n: 3 } })
  const used = (await api.get('a/indexes/use')).json.indexes as { name: string; ops: number }[]
  t.same(used.map(({ name }) => name).sort(), ['_id_', 'n_1'])
  t.ok((used.find(({ name }) => name === 'n_1')?.ops ?? 0) >= 1)
})

t.test('the schema counts fields and types of a sample', async (t) => {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const api = openApi(url, key)
  await api.post('a/insertMany', {
    documents: [
      { _id: 1, name: 'Ada', place: { city: 'London' } },
      { _id: 2, name: null, tags: ['a'] },
    ],
  })
  const { fields, ...rest } = (await api.get('a/schema')).json
  t.same(rest, { sampled: 2, truncated: false, ok: 1 })
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)
  t.same((fields as { path: string }[]).sort(byPath), [
    { path: '_id', count: 2, types: { int: 2 } },
    { path: 'name', count: 2, types: { string: 1, null: 1 } },
    { path: 'place', count: 1, types: { object: 1 } },
    { path: 'place.city', count: 1, types: { string: 1 } },
    { path: 'tags', count: 1, types: { array: 1 } },
  ])
  t.match((await api.get('a/schema?sample=1')).json, { sampled: 1 })
  t.match((await api.get('none/schema')).json, { sampled: 0, fields: [] })
  for (const sample of ['0', '1001', 'x']) {
    t.equal((await api.get(`a/schema?sample=${sample}`)).status, 400, sample)
  }
  const wide = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`f${i}`, i]))
  await api.post('wide/insertOne', { document: wide })
  const cut = (await api.get('wide/schema')).json
  t.equal((cut.fields as unknown[]).length, 500)
  t.equal(cut.truncated, true)
})

t.test('an unrelated wallet sees nothing of it', async (t) => {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  await openApi(url, key).post('a/insertOne', { document: { secret: 1 } })
  const other = new Browser(url)
  await other.signIn(new Wallet(`0x${'17'.repeat(32)}`))
  const base = '/api/v1/collections/a'
  t.equal((await other.post(`${base}/explain`, {})).status, 403)
  t.equal((await other.get(`${base}/schema`)).status, 403)
  t.equal((await other.get(`${base}/indexes/use`)).status, 403)
  const anonymous = new Browser(url)
  t.equal((await anonymous.get(`${base}/schema`)).status, 401)
})
