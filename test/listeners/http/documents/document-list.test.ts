// Lists page by page: every document once, in the order of one sorted query, whatever its values.

import t, { type Test } from 'tap'
import { ask, openApi } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

type Plain = Record<string, unknown>

async function open(t: Test) {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const get = (query: Record<string, string>, name = 'c') =>
    ask(url, {
      path: `/api/v1/collections/${name}/docs?${new URLSearchParams(query)}`,
      headers: { 'x-api-key': key },
    })
  /** The `_id`s of all pages. */
  const pages = async (query: Record<string, string>): Promise<unknown[]> => {
    const ids: unknown[] = []
    let cursor: unknown = null
    do {
      const more = cursor === null ? {} : { cursor: String(cursor) }
      const answer = await get({ ...query, ejson: 'canonical', ...more })
      if (answer.status !== 200) throw new Error(answer.text)
      ids.push(...(answer.json.documents as Plain[]).map(({ _id }) => _id))
      cursor = answer.json.cursor
    } while (cursor !== null && ids.length < 1_000)
    return ids
  }
  return { get, pages, api: openApi(url, key) }
}

const values: readonly unknown[] = [
  ...[null, 1, 1, 2.5, { $numberLong: '9' }, { $numberDecimal: '1.5' }, { $numberDouble: 'NaN' }],
  ...[
    { $numberDouble: '-Infinity' },
    '',
    'a',
    'b',
    {},
    { a: 1 },
    [],
    [1, 5],
    [3],
    [null],
    ['a', 0],
  ],
  ...[true, false, { $date: '2026-01-01T00:00:00Z' }, { $oid: '65f0c0ffee0123456789abcd' }],
  ...[{ $binary: { base64: 'AA==', subType: '00' } }, { $minKey: 1 }, { $maxKey: 1 }, [[2]]],
  ...[{ $timestamp: { t: 1, i: 1 } }, [{ a: 2 }]],
]

t.test('any sort meets every document once, in the order of one query', async (t) => {
  const { pages, api } = await open(t)
  const documents: Plain[] = values.map((a, _id) => ({ _id, a, b: _id % 3 }))
  documents.push({ _id: 100, b: 1 }, { _id: 101, a: null }, { _id: 102, a: 1, b: null })
  t.equal((await api.post('c/insertMany', { documents })).status, 200)
  const orders: Record<string, Plain> = {
    a: { a: 1, _id: 1 },
    '-a': { a: -1, _id: 1 },
    'b,-a': { b: 1, a: -1, _id: 1 },
    '-b,a,-_id': { b: -1, a: 1, _id: -1 },
  }
  for (const [sort, order] of Object.entries(orders)) {
    const whole = await api.post('c/find', { sort: order, limit: 1_000, projection: { _id: 1 } })
    const { firstBatch } = whole.json.cursor as { firstBatch: Plain[] }
    const wanted = firstBatch.map(({ _id }) => ({ $numberInt: String(_id) }))
    for (const limit of ['1', '4', '1000']) {
      t.strictSame(await pages({ sort, limit }), wanted, `${sort} by ${limit}`)
    }
  }
})

t.test('by _id too, through values of all types', async (t) => {
  const { pages, api } = await open(t)
  const ids = values.filter((id) => !Array.isArray(id) && id !== 1)
  const documents = [1, ...ids].map((_id) => ({ _id }))
  t.equal((await api.post('c/insertMany', { documents })).status, 200)
  for (const direction of [1, -1]) {
    const asked = { sort: { _id: direction }, limit: 1_000 }
    const whole = await api.post('c/find?ejson=canonical', asked)
    const { firstBatch } = whole.json.cursor as { firstBatch: Plain[] }
    const wanted = firstBatch.map(({ _id }) => _id)
    const sort = direction === 1 ? '_id' : '-_id'
    for (const limit of ['1', '3']) {
      t.strictSame(await pages({ sort, limit }), wanted, `${sort} by ${limit}`)
    }
  }
})

t.test('filter, fields and limit; what is inserted behind the place comes', async (t) => {
  const { get, api } = await open(t)
  const documents = Array.from({ length: 250 }, (_, _id) => ({
    _id,
    n: _id % 10,
    m: { x: 1, y: 2 },
  }))
  await api.post('c/insertMany', { documents })
  const first = await get({})
  t.equal((first.json.documents as Plain[]).length, 100, 'the default')
  const query = { filter: '{"n":{"$lt":5}}', fields: 'm.x,n', sort: '-n', limit: '2' }
  const page = await get(query)
  t.strictSame(page.json.documents, [
    { _id: 4, n: 4, m: { x: 1 } },
    { _id: 14, n: 4, m: { x: 1 } },
  ])
  await api.post('c/insertOne', { document: { _id: 20, x: 1 } })
  await api.post('c/insertOne', { document: { _id: 14.5, n: 4 } })
  const next = await get({ ...query, cursor: String(page.json.cursor) })
  t.match(next.json.documents, [{ _id: 14.5 }, { _id: 24 }])
  const byId = await get({ filter: '{"n":3}', fields: 'n', limit: '1' })
  t.strictSame(byId.json.documents, [{ _id: 3, n: 3 }])
  t.strictSame((await get({}, 'none')).json, { documents: [], cursor: null, ok: 1 })
})

t.test('a cursor that was made up, changed, or is of another list is refused', async (t) => {
  const { get, api } = await open(t)
  await api.post('c/insertMany', { documents: [{ a: 1 }, { a: 2 }, { a: 3 }] })
  const query = { sort: 'a', limit: '1' }
  const cursor = String((await get(query)).json.cursor)
  t.equal((await get({ ...query, cursor, limit: '2', fields: 'a' })).status, 200)
  const refused = { status: 400, json: { ok: 0, code: 2 } }
  const bad = [
    '',
    '.',
    'x',
    `${cursor}.`,
    `A${cursor}`,
    `${cursor.slice(0, -2)}AA`,
    'x'.repeat(9_000),
  ]
  for (const made of bad) t.match(await get({ ...query, cursor: made }), refused, made.slice(0, 20))
  t.match(await get({ ...query, cursor, sort: '-a' }), refused)
  t.match(await get({ ...query, cursor, filter: '{"a":1}' }), refused)
  t.match(await get({ ...query, cursor }, 'd'), refused)
})

t.test('bad queries are refused', async (t) => {
  const { get, api } = await open(t)
  const bad: Record<string, string>[] = [
    ...[{ filter: '{' }, { filter: '[]' }, { filter: '{"$nonsense":1}' }, { sort: '' }],
    ...[{ sort: 'a,,b' }, { sort: '$a' }, { sort: 'a.b' }, { sort: 'a,-a' }, { fields: 'a,$b' }],
    ...[{ fields: 'a..b' }, { limit: '0' }, { limit: '-1' }, { limit: '10001' }, { limit: 'x' }],
    { sort: 'a,b,c,d,e,f,g,h,i' },
  ]
  for (const query of bad) {
    t.match(await get(query), { status: 400, json: { ok: 0 } }, JSON.stringify(query))
  }
  const long = 'x'.repeat(10_000)
  await api.post('c/insertMany', { documents: [{ a: long }, { a: `${long}y` }] })
  t.match(await get({ sort: 'a', limit: '1' }), { status: 400, json: { errmsg: /too long/ } })
})

t.test('maxValueBytes cuts long values, and names their fields', async (t) => {
  const { get, api } = await open(t)
  const id = `k${'x'.repeat(100)}`
  const documents = [
    { _id: id, text: 'a'.repeat(63) + 'ä€'.repeat(1_000), n: 1, list: Array(100).fill(7) },
    { _id: 'short', text: 'b'.repeat(40), list: [1] },
  ]
  await api.post('c/insertMany', { documents })
  const { json } = await get({ maxValueBytes: '64', sort: '-n' })
  const cut = { _id: id, text: 'a'.repeat(63), n: 1, list: null }
  t.strictSame(json.documents, [cut, documents[1]], 'no character is cut in two')
  t.strictSame(json.cut, [['text', 'list'], []])
  const sorted = await get({ maxValueBytes: '66', sort: 'text', limit: '1' })
  t.match(sorted.json, { documents: [{ text: `${'a'.repeat(63)}ä` }], cut: [['text', 'list']] })
  const next = await get({ sort: 'text', limit: '1', cursor: String(sorted.json.cursor) })
  t.strictSame(next.json.documents, [documents[1]], 'the cursor has the whole value')
  t.equal(next.json.cut, undefined)
  for (const bytes of ['63', '0', '1e3', '16777217']) {
    const refused = await get({ maxValueBytes: bytes })
    t.equal(refused.status, 400, bytes)
    t.match(refused.json.errmsg, /maxValueBytes/)
  }
})
