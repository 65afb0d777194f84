// Document routes over HTTP: bodies and statuses, of good input and bad.

import t from 'tap'
import { openApi } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

const hexId = /^[0-9a-f]{24}$/

t.test('insertOne answers the id that it made, and honours one that is given', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const made = await api.post('people/insertOne', { document: { name: 'Ada' } })
  t.equal(made.status, 200)
  t.match(made.json, { acknowledged: true, insertedCount: 1, ok: 1 })
  t.match(made.json.insertedId, hexId)
  const given = await api.post('people/insertOne', { document: { _id: 'ada', n: 1 } })
  t.equal(given.json.insertedId, 'ada')
  const again = await api.post('people/insertOne', { document: { _id: 'ada', n: 2 } })
  t.equal(again.status, 409)
  t.match(again.json, { ok: 0, code: 11000, codeName: 'DuplicateKey', keyPattern: { _id: 1 } })
  t.match(again.json.keyValue, { _id: 'ada' })
})

t.test(
  'insertMany is partial like the reference server: what came before the duplicate stays',
  async (t) => {
    const { url, key } = await startGateway(t)
    const api = openApi(url, key)
    const documents = [{ _id: 1 }, { _id: 2 }, { _id: 1 }, { _id: 3 }]
    const ordered = await api.post('a/insertMany', { documents })
    t.equal(ordered.status, 409)
    t.match(ordered.json, { ok: 0, code: 11000, insertedCount: 2, insertedIds: [1, 2] })
    t.match(ordered.json.writeErrors, [{ index: 2, code: 11000 }])
    const unordered = await api.post('b/insertMany', { documents, ordered: false })
    t.match(unordered.json, { insertedCount: 3, insertedIds: [1, 2, 3] })
    const all = await api.post('c/insertMany', { documents: [{ x: 1 }, { x: 2 }] })
    t.match(all.json, { acknowledged: true, insertedCount: 2, ok: 1 })
    t.equal((all.json.insertedIds as unknown[]).length, 2)
  },
)

t.test(
  'a 24-digit string in _id position of a filter matches the ObjectId and the string',
  async (t) => {
    const { url, key } = await startGateway(t)
    const api = openApi(url, key)
    const { json } = await api.post('people/insertOne', { document: { kind: 'made' } })
    const id = json.insertedId as string
    await api.post('people/insertOne', { document: { _id: `${id}`, kind: 'given' } })
    for (const filter of [{ _id: id }, { _id: { $eq: id } }, { _id: { $in: [id] } }]) {
      const { json } = await api.post('people/count', { filter })
      t.equal(json.count, 2, JSON.stringify(filter))
    }
    const not = await api.post('people/count', { filter: { _id: { $ne: id } } })
    t.equal(not.json.count, 0)
    const nested = await api.post('people/count', { filter: { $or: [{ _id: id }, { kind: 'x' }] } })
    t.equal(nested.json.count, 2)
    const stage = await api.post('people/aggregate', { pipeline: [{ $match: { _id: id } }] })
    t.equal((stage.json.cursor as { firstBatch: unknown[] }).firstBatch.length, 2)
    const exact = await api.post(
      'people/count',
      { filter: { _id: { $oid: id } } },
      { 'content-type': 'application/ejson' },
    )
    t.equal(exact.json.count, 1)
  },
)

t.test('find has the documented defaults, and pages with getMore', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const documents = Array.from({ length: 250 }, (_, n) => ({ _id: n, even: n % 2 === 0 }))
  await api.post('n/insertMany', { documents })
  const first = await api.post('n/find', {})
  t.match(first.json, { cursor: { id: 0, ns: 'main.n' }, ok: 1 })
  t.equal(batch(first.json, 'firstBatch').length, 100)
  const sorted = await api.post('n/find', {
    filter: { even: true },
    sort: { _id: -1 },
    projection: { _id: 1 },
    skip: 1,
    limit: 2,
  })
  t.same(batch(sorted.json, 'firstBatch'), [{ _id: 246 }, { _id: 244 }])
  const page = await api.post('n/find', { batchSize: 200 })
  const { id } = page.json.cursor as { id: number }
  t.ok(Number.isSafeInteger(id) && id > 0)
  const rest = await api.post('n/getMore', { cursor: id })
  t.match(rest.json, { cursor: { id: 0, ns: 'main.n' }, ok: 1 })
  t.equal(batch(rest.json, 'nextBatch').length, 50)
  const gone = await api.post('n/getMore', { cursor: id })
  t.match(gone, { status: 404, json: { code: 43, codeName: 'CursorNotFound' } })
})

t.test('findOne answers the document, or null', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  t.same((await api.post('x/findOne', { filter: { a: 1 } })).json, { document: null, ok: 1 })
  await api.post('x/insertOne', { document: { _id: 1, a: 1 } })
  const { json } = await api.post('x/findOne', { filter: { a: 1 } })
  t.same(json, { document: { _id: 1, a: 1 }, ok: 1 })
})

t.test('updates answer what they matched, modified and upserted', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  await api.post('x/insertMany', {
    documents: [
      { _id: 1, n: 1 },
      { _id: 2, n: 1 },
    ],
  })
  const one = await api.post('x/updateOne', { filter: { n: 1 }, update: { $set: { m: 1 } } })
  t.match(one.json, { acknowledged: true, matchedCount: 1, modifiedCount: 1, upsertedId: null })
  const many = await api.post('x/updateMany', { filter: {}, update: { $set: { m: 1 } } })
  t.match(many.json, { matchedCount: 2, modifiedCount: 1, upsertedId: null, ok: 1 })
  const update = { filter: { _id: 9 }, update: { $set: { m: 2 } }, upsert: true }
  const upsert = await api.post('x/updateOne', update)
  t.match(upsert.json, { matchedCount: 0, modifiedCount: 0, upsertedId: 9 })
  const replace = await api.post('x/updateOne', { filter: {}, update: { a: 1 } })
  t.match(replace, { status: 400, json: { code: 2, codeName: 'BadValue' } })
  const immutable = await api.post('x/updateOne', { filter: {}, update: { $set: { _id: 7 } } })
  t.match(immutable, { status: 400, json: { code: 66, codeName: 'ImmutableField' } })
})

t.test('deletes, count, distinct and aggregate answer as documented', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const documents = [1, 2, 3, 4].map((n) => ({ _id: n, group: n % 2 === 0 ? 'even' : 'odd' }))
  await api.post('x/insertMany', { documents })
  t.same((await api.post('x/count', { filter: { group: 'odd' } })).json, { count: 2, ok: 1 })
  const distinct = await api.post('x/distinct', { field: 'group', filter: {} })
  t.same(new Set(distinct.json.values as unknown[]), new Set(['odd', 'even']))
  const grouped = await api.post('x/aggregate', {
    pipeline: [{ $group: { _id: '$group', n: { $sum: 1 } } }, { $sort: { _id: 1 } }],
  })
  t.same(batch(grouped.json, 'firstBatch'), [
    { _id: 'even', n: 2 },
    { _id: 'odd', n: 2 },
  ])
  t.same((await api.post('x/deleteOne', { filter: { group: 'odd' } })).json, {
    acknowledged: true,
    deletedCount: 1,
    ok: 1,
  })
  t.match((await api.post('x/deleteMany', { filter: {} })).json, { deletedCount: 3 })
})

t.test('a bad body is refused with 400 and code 2, and says which field', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const cases: readonly [path: string, body: unknown][] = [
    ['x/insertOne', '{"document":'],
    ['x/insertOne', {}],
    ['x/insertOne', { document: [] }],
    ['x/insertOne', { document: {}, extra: 1 }],
    ['x/insertMany', { documents: [] }],
    ['x/insertMany', { documents: [1] }],
    ['x/find', { limit: -1 }],
    ['x/find', { limit: 'many' }],
    ['x/find', { constructor: 1 }],
    ['x/find', { filter: 1 }],
    ['x/find', { filter: { $foo: 1 } }],
    ['x/deleteOne', {}],
    ['x/distinct', { filter: {} }],
    ['x/getMore', { cursor: 'x' }],
    ['x/find', '[]'],
  ]
  for (const [path, body] of cases) {
    const { status, json } = await api.post(path, body)
    t.match({ status, json }, { status: 400, json: { ok: 0, code: 2, codeName: 'BadValue' } })
    t.type(json.errmsg, 'string', `${path} ${JSON.stringify(body)}: ${json.errmsg}`)
  }
  const stage = await api.post('x/aggregate', { pipeline: [{ $foo: 1 }] })
  t.match(stage, { status: 400, json: { code: 40324, codeName: 'Location40324' } })
})

t.test('EJSON goes in and comes out by content type and Accept', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const document = { _id: 1, at: { $date: '2026-01-02T03:04:05Z' }, big: { $numberLong: '7' } }
  await api.post('x/insertOne', { document })
  const plain = await api.post('x/findOne', {})
  t.same(plain.json.document, { _id: 1, at: '2026-01-02T03:04:05.000Z', big: 7 })
  const canonical = await api.post('x/findOne', {}, { accept: 'application/ejson' })
  t.match(canonical.headers['content-type'], /^application\/ejson/)
  t.same(canonical.json.document, {
    _id: { $numberInt: '1' },
    at: { $date: { $numberLong: '1767323045000' } },
    big: { $numberLong: '7' },
  })
  const relaxed = await api.post('x/findOne', {}, { accept: 'application/ejson;mode=relaxed' })
  t.same((relaxed.json.document as { at: unknown }).at, { $date: '2026-01-02T03:04:05Z' })
  const wrong = await api.post('x/insertOne', { document: { a: { $oid: 'x', b: 1 } } })
  t.equal(wrong.status, 400)
})

t.test('a document above 16 MiB is refused with 413 and code 10334', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const big = await api.post('x/insertOne', { document: { text: 'x'.repeat(16 * 1024 * 1024) } })
  t.match(big, { status: 413, json: { code: 10334, codeName: 'BSONObjectTooLarge' } })
  const fits = { document: { _id: 1, text: 'x'.repeat(15 * 1024 * 1024) } }
  t.equal((await api.post('x/insertOne', fits)).status, 200)
  const huge = await api.post('x/insertOne', 'x'.repeat(48_000_001))
  t.match(huge, { status: 413, json: { code: 10334 } })
})

t.test('NDJSON streams a result of any size, a line a document', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const documents = Array.from({ length: 3000 }, (_, n) => ({ _id: n }))
  await api.post('x/insertMany', { documents })
  const lines = { accept: 'application/x-ndjson' }
  const all = await api.post('x/find', { sort: { _id: 1 } }, lines)
  t.match(all.headers['content-type'], /^application\/x-ndjson/)
  const ids = all.text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { _id: number })._id)
  t.same(
    ids,
    documents.map((document) => document._id),
  )
  const some = await api.post('x/aggregate', { pipeline: [{ $match: { _id: { $lt: 2 } } }] }, lines)
  t.equal(some.text, '{"_id":0}\n{"_id":1}\n')
  const none = await api.post('x/find', { filter: { $foo: 1 } }, lines)
  t.match(none, { status: 400, json: { code: 2 } }, 'an error before the first line is an answer')
})

t.test('another database is named by the header', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const other = { 'x-sigil-database': 'other' }
  await api.post('x/insertOne', { document: { _id: 1 } }, other)
  t.equal((await api.post('x/count', {})).json.count, 0)
  t.equal((await api.post('x/count', {}, other)).json.count, 1)
  const bad = await api.post('x/count', {}, { 'x-sigil-database': 'a b$' })
  t.match(bad, { status: 400, json: { code: 73, codeName: 'InvalidNamespace' } })
})

function batch(json: Record<string, unknown>, name: string): unknown[] {
  return (json.cursor as Record<string, unknown[]>)[name] ?? []
}

t.test('a long list of write errors is written like a short one', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  await api.post('a/insertOne', { document: { _id: 1 } })
  const documents = Array.from({ length: 2_000 }, () => ({ _id: 1 }))
  const short = await api.post('a/insertMany', { documents: documents.slice(0, 1), ordered: false })
  const long = await api.post('a/insertMany', { documents, ordered: false })
  t.equal(long.status, 409)
  const { writeErrors, ...rest } = long.json
  const { writeErrors: first, ...expected } = short.json
  t.same(rest, expected)
  const told = writeErrors as readonly object[]
  t.equal(told.length, 2_000)
  t.same(told[1_999], { ...(first as readonly object[])[0], index: 1_999 })
})
