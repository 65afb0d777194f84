// POST /api/v1/sql with real requests: shapes and statuses, values for placeholders, pages,
// streams, and errors with their SQLSTATE and place.

import t from 'tap'
import { type Api, ask, type HttpAnswer, openApi } from '../../../support/http-client.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers, each of its own shape
type Json = any

interface Place {
  readonly sql: (
    query: unknown,
    more?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<HttpAnswer>
  readonly result: (query: string, more?: Readonly<Record<string, unknown>>) => Promise<Json>
  readonly api: Api
  readonly gateway: LiveGateway
}

async function open(t: Parameters<typeof startGateway>[0]): Promise<Place> {
  const gateway = await startGateway(t)
  const { url, key } = gateway
  const sql: Place['sql'] = (query, more = {}, headers = {}) =>
    ask(url, {
      path: '/api/v1/sql',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, ...more }),
    })
  const result: Place['result'] = async (query, more) => {
    const { status, json, text } = await sql(query, more)
    if (status !== 200 || json.ok !== 1) throw new Error(text)
    return json.result
  }
  return { sql, result, api: openApi(url, key), gateway }
}

t.test('each kind of statement has its shape', async (t) => {
  const { result } = await open(t)
  const inserted = await result(
    "INSERT INTO people (_id, name, age) VALUES (1, 'Ada', 36), (2, 'Bob', 41)",
  )
  t.same(inserted, {
    acknowledged: true,
    insertedCount: 2,
    insertedIds: [1, 2],
    cursor: { firstBatch: [], id: 0, ns: 'main.people' },
    ok: 1,
  })
  t.same(await result('UPDATE people SET age = age + 1 WHERE age > 40'), {
    acknowledged: true,
    matchedCount: 1,
    modifiedCount: 1,
    upsertedId: null,
    cursor: { firstBatch: [], id: 0, ns: 'main.people' },
    ok: 1,
  })
  t.same(await result('SELECT name, age AS years FROM people WHERE age >= 42'), {
    cursor: { firstBatch: [{ name: 'Bob', years: 42 }], id: 0, ns: 'main.people' },
    columns: [
      { name: 'name', type: 'text' },
      { name: 'years', type: 'int4' },
    ],
    ok: 1,
  })
  t.match(await result('DELETE FROM people WHERE _id = 1 RETURNING name'), {
    acknowledged: true,
    deletedCount: 1,
    cursor: { firstBatch: [{ name: 'Ada' }] },
    columns: [{ name: 'name', type: 'text' }],
  })
  t.match(await result('CREATE UNIQUE INDEX ON people (name)'), {
    acknowledged: true,
    indexName: 'name_1',
    cursor: { firstBatch: [], id: 0 },
  })
  t.match(await result('SHOW TABLES'), { cursor: { firstBatch: [{ name: 'people' }] } })
  t.match(await result('DROP INDEX people.name_1'), { acknowledged: true })
  const explained = await result('EXPLAIN SELECT * FROM people WHERE _id = 2')
  t.match(explained, {
    cursor: { firstBatch: [{ 'QUERY PLAN': 'Index Scan using _id_ on people' }] },
    explain: { statement: 'select', tables: [{ operation: { find: 'people' } }] },
  })
  t.match(await result('TRUNCATE people'), { acknowledged: true, deletedCount: 1 })
})

t.test('values come as an array, as an object, and typed', async (t) => {
  const { sql, result, api } = await open(t)
  await result('INSERT INTO c (_id, a, b) VALUES ($1, $2, ?)'.replace('?', '$3'), {
    params: ["x'); DROP TABLE c; --", { $gt: 1 }, [1, null]],
  })
  await result('INSERT INTO c (_id, a) VALUES (?, ?)', { params: ['y', null] })
  await result('INSERT INTO c (_id, a) VALUES (:id, :at)', {
    params: { id: 'z', at: { $date: '2026-01-02T03:04:05Z' } },
  })
  const { json } = await api.post('c/find', { sort: { _id: 1 } })
  t.same((json.cursor as Json).firstBatch, [
    { _id: "x'); DROP TABLE c; --", a: { $gt: 1 }, b: [1, null] },
    { _id: 'y', a: null },
    { _id: 'z', a: '2026-01-02T03:04:05.000Z' },
  ])
  const found = await result('SELECT _id FROM c WHERE a = $1', { params: [{ $gt: 1 }] })
  t.same(found.cursor.firstBatch.length, 1, 'an object is a value and never an operator')
  const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`f${i}`, i]))
  const wrong: readonly (readonly [string, unknown])[] = [
    ['SELECT $1', []],
    ['SELECT 1', [1]],
    ['SELECT :a', [1]],
    ['SELECT :a', { b: 1 }],
    ['SELECT :a', { a: 1, b: 1 }],
    ['SELECT 1', { a: 1 }],
    ['SELECT 1', 'x'],
    ['SELECT 1', many],
  ]
  for (const [query, params] of wrong) {
    const { status, json } = await sql(query, { params })
    t.same(
      [status, json.code, json.sqlState],
      [400, 2, '08P01'],
      `${query} ${JSON.stringify(params).slice(0, 80)}`,
    )
  }
  const tooMany = await sql('SELECT 1', { params: many })
  t.match(tooMany.json.errmsg, /^more than 32767 values of parameters/)
})

t.test('errors tell their SQLSTATE, and where the statement has them', async (t) => {
  const { sql, result } = await open(t)
  const bad = await sql('SELECT *\nFROM c WHERE 1 = = 2')
  t.equal(bad.status, 400)
  t.match(bad.json, {
    ...{ ok: 0, code: 2, codeName: 'BadValue', sqlState: '42601' },
    ...{ position: 27, line: 2, column: 18 },
  })
  for (const query of ['', 7, null, undefined, {}]) {
    const { status, json } = await sql(query)
    t.same([status, json.code], [400, 2], JSON.stringify(query))
  }
  await result('INSERT INTO c (_id, k) VALUES (1, 1)')
  const cases: readonly [string, number, number, string][] = [
    ['INSERT INTO c (_id) VALUES (1)', 409, 11000, '23505'],
    ['UPDATE c SET _id = 2', 400, 66, '428C9'],
    ['SELECT 1 / 0', 400, 2, '22012'],
    ['DROP TABLE missing', 404, 26, '42P01'],
    ['DROP INDEX missing', 404, 27, '42704'],
    ['SELECT (SELECT 1)', 400, 2, '0A000'],
    ['BEGIN', 400, 115, '0A000'],
    ['SET a = 1', 400, 115, '0A000'],
    ['INSERT INTO "system.users" (a) VALUES (1)', 400, 73, '42602'],
  ]
  for (const [query, status, code, state] of cases) {
    const { json, status: given } = await sql(query)
    t.same([given, json.code, json.sqlState], [status, code, state], query)
  }
  const { json, status } = await sql('SELECT 1', {}, { 'x-api-key': 'wrong' })
  t.same([status, json.code], [401, 13])
})

t.test(
  'a hundred rows unless LIMIT or batchSize says more, then the rest by getMore',
  async (t) => {
    const { sql, result, api } = await open(t)
    const documents = Array.from({ length: 250 }, (_, n) => ({ _id: n }))
    await api.post('c/insertMany', { documents })
    const few = await result('SELECT _id FROM c')
    t.equal(few.cursor.firstBatch.length, 100)
    t.equal(few.cursor.id, 0)
    t.equal((await result('SELECT _id FROM c LIMIT 200')).cursor.firstBatch.length, 200)
    const first = await result('SELECT _id FROM c ORDER BY _id', { batchSize: 120 })
    t.equal(first.cursor.firstBatch.length, 120)
    t.not(first.cursor.id, 0)
    const { json } = await api.post('c/getMore', { cursor: first.cursor.id, batchSize: 1000 })
    const { nextBatch, id } = json.cursor as Json
    t.same([nextBatch.length, id, nextBatch[0]], [130, 0, { _id: 120 }])
    t.equal((await sql('SELECT 1', { batchSize: -1 })).status, 400)
    const returned = await result('UPDATE c SET a = 1 RETURNING _id')
    t.equal(returned.cursor.firstBatch.length, 250, 'what a change returns is all of it')
    const lines = await sql(
      'SELECT _id FROM c ORDER BY _id',
      {},
      { accept: 'application/x-ndjson' },
    )
    t.equal(lines.headers['content-type'], 'application/x-ndjson; charset=utf-8')
    t.equal(lines.text.trim().split('\n').length, 250)
    const failed = await sql('SELECT nope(1)', {}, { accept: 'application/x-ndjson' })
    t.same([failed.status, failed.json.sqlState], [400, '42883'])
  },
)

t.test('EJSON in and out', async (t) => {
  const { sql } = await open(t)
  const ejson = { 'content-type': 'application/ejson', accept: 'application/ejson' }
  const params = [{ $numberLong: '9007199254740993' }, { $oid: '0123456789abcdef01234567' }]
  const { json } = await sql('SELECT $1 AS n, $2 AS id', { params }, ejson)
  const result = json.result as Json
  t.same(result.cursor.firstBatch, [{ n: params[0], id: params[1] }])
  t.same(result.columns, [
    { name: 'n', type: 'int8' },
    { name: 'id', type: 'text' },
  ])
  const inserted = await sql('INSERT INTO c (_id) VALUES ($1)', { params: [params[1]] }, ejson)
  t.same((inserted.json.result as Json).insertedIds, [params[1]])
})
