// Transactions over HTTP: which routes take the header, what ends a transaction, and that no other
// caller learns of it.

import t, { type Test } from 'tap'
import { ManualClock } from '../../../support/engine-room.js'
import { ask, type HttpAnswer } from '../../../support/http-client.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'
import { testWallet } from '../../../support/wallet.js'
import { WalletClient } from '../../../support/wallet-client.js'

type Headers = Readonly<Record<string, string>>
type Send = (path: string, body?: unknown, headers?: Headers, how?: string) => Promise<HttpAnswer>

const routes = '/api/v1/transactions'

function sender(url: string, key: string): Send {
  return (path, body, headers = {}, method = body === undefined ? 'GET' : 'POST') => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return ask(url, {
      method,
      path: path.startsWith('/') ? path : `/api/v1/collections/${path}`,
      headers: { authorization: `Bearer ${key}`, ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
}

async function open(t: Test, parts = {}): Promise<LiveGateway & { readonly send: Send }> {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' }, parts)
  return { ...gateway, send: sender(gateway.url, gateway.key) }
}

async function begin(send: Send, options: object = {}): Promise<{ id: string; inside: Headers }> {
  const { status, json, text } = await send(routes, options)
  if (status !== 201) throw new Error(text)
  const id = String(json.id)
  return { id, inside: { 'x-sigil-transaction': id } }
}

const end = (send: Send, id: string, how: string) => send(`${routes}/${id}/${how}`, {}, {}, 'POST')

t.test('a transaction tells its state to its owner', async (t) => {
  const { send } = await open(t)
  const { status, json } = await send(routes, { isolation: 'serializable', readOnly: true })
  t.equal(status, 201)
  t.match(json, { txnNumber: 1, state: 'open', isolation: 'serializable', readOnly: true, ok: 1 })
  t.match(json.id, /^[0-9a-f-]{36}\.1$/)
  const begun = Date.parse(String(json.begunAt))
  t.equal(Date.parse(String(json.expiresAt)) - begun, 60_000)
  t.match((await send(routes)).json, { transactions: [{ id: json.id, state: 'open' }], ok: 1 })
  t.match((await send(`${routes}/${json.id}`)).json, { id: json.id, state: 'open', ok: 1 })
  t.equal((await end(send, String(json.id), 'abort')).status, 200)
  t.same((await send(routes)).json, { transactions: [], ok: 1 })
  t.match((await send(`${routes}/${json.id}`)).json, { state: 'aborted' })
  const ejson = await send(routes, {}, { accept: 'application/ejson' })
  t.match(ejson.json, { lsid: { id: { $binary: { subType: '04' } } } })
  t.same(ejson.json.txnNumber, { $numberLong: '1' })
})

t.test('what is no transaction is 404 or 400, and bad options are 400', async (t) => {
  const { send } = await open(t)
  const unknown = '00000000-0000-4000-8000-000000000000.1'
  const none = { status: 404, json: { ok: 0, code: 251, codeName: 'NoSuchTransaction' } }
  for (const id of [unknown, 'nothing', `${unknown}0000000000000000`]) {
    t.match(await send(`${routes}/${id}`), none, id)
    t.match(await end(send, id, 'commit'), none, id)
    t.match(await end(send, id, 'abort'), none, id)
  }
  const named = (id: string) => ({ 'x-sigil-transaction': id })
  t.match(await send('a/find', {}, named(unknown)), none)
  t.match(await send('/api/v1/redis', { command: ['GET', 'a'] }, named(unknown)), none)
  for (const id of ['', 'x', `${unknown}, ${unknown}`]) {
    t.match(await send('a/find', {}, named(id)), { status: 400, json: { code: 2 } }, id)
  }
  t.match(await send(routes, { isolation: 'chaos' }), { status: 400, json: { code: 2 } })
  t.match(await send(routes, { readOnly: 1 }), { status: 400, json: { code: 2 } })
  t.match(await send(routes, { more: 1 }), { status: 400, json: { code: 2 } })
})

t.test('routes that are no part of transactions refuse the header', async (t) => {
  const { send } = await open(t)
  const { id, inside } = await begin(send)
  const refused = { status: 400, json: { code: 263 } }
  t.match(await send('a/drop', {}, inside), refused)
  t.match(await send('a/stats', undefined, inside), refused)
  t.match(await send('a/export', undefined, inside), refused)
  t.match(await send(`${routes}/${id}/commit`, {}, inside), refused)
  t.match(await send('a/privacy', undefined, inside), refused)
  const keyed = { ...inside, 'idempotency-key': 'a' }
  t.match(await send('a/insertOne', { document: {} }, keyed), { status: 400, json: { code: 2 } })
  t.equal((await send('a/insertOne', { document: {} }, inside)).status, 200, 'it is still open')
})

t.test('every document route runs in it', async (t) => {
  const { send } = await open(t)
  await send('a/insertMany', {
    documents: [
      { _id: '1', n: 1 },
      { _id: '2', n: 2 },
    ],
  })
  const { id, inside } = await begin(send)
  const inIt = async (path: string, body: unknown, how = 'POST', more: Headers = {}) => {
    const answer = await send(path, body, { ...inside, ...more }, how)
    t.ok(answer.status < 300, `${how} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  await inIt('a/insertOne', { document: { _id: '3', n: 3 } })
  await inIt('a/insertMany', { documents: [{ _id: '4', n: 4 }] })
  await inIt('a/updateOne', { filter: { _id: '1' }, update: { $inc: { n: 10 } } })
  await inIt('a/updateMany', { filter: {}, update: { $inc: { n: 100 } } })
  await inIt('a/deleteOne', { filter: { _id: '4' } })
  await inIt('a/docs/5', { n: 5 }, 'PUT')
  await inIt('a/docs/5', { $set: { m: 1 } }, 'PATCH')
  await inIt('a/docs/2', undefined, 'DELETE')
  t.same((await inIt('a/count', { filter: {} })).json, { count: 3, ok: 1 })
  t.same((await inIt('a/count', { filter: { n: { $gt: 99 } }, skip: 1 })).json, { count: 1, ok: 1 })
  t.same((await inIt('a/count', { limit: 2 })).json, { count: 2, ok: 1 })
  t.same((await inIt('a/distinct', { field: 'n' })).json.values, [111, 103, 5])
  t.same((await inIt('a/findOne', { filter: { _id: '3' } })).json.document, { _id: '3', n: 103 })
  t.same((await inIt('a/docs/5', undefined, 'GET')).json, { _id: '5', n: 5, m: 1 })
  const list = (await inIt('a/docs?sort=-n', undefined, 'GET')).json.documents
  t.same(list, [
    { _id: '1', n: 111 },
    { _id: '3', n: 103 },
    { _id: '5', n: 5, m: 1 },
  ])
  const pipeline = [{ $group: { _id: null, sum: { $sum: '$n' } } }]
  t.match((await inIt('a/aggregate', { pipeline })).text, '"sum":219')
  const page = (await inIt('a/find', { batchSize: 1 })).json.cursor as { id: number }
  t.match((await inIt('a/getMore', { cursor: page.id })).json, { cursor: { id: 0 } })
  const lines = await inIt('a/find', {}, 'POST', { accept: 'application/x-ndjson' })
  t.equal(lines.text.trim().split('\n').length, 3)
  await inIt('made/createIndex', { field: 'n', unique: true })
  await inIt('made/insertOne', { document: { _id: 1, n: 1 } })
  const of = { dataSource: 's', database: 'main', collection: 'made' }
  const action = '/app/a/endpoint/data/v1/action'
  await inIt(`${action}/insertOne`, { ...of, document: { _id: 2, n: 2 } })
  t.match((await inIt(`${action}/find`, of)).json, { documents: [{ n: 1 }, { n: 2 }] })
  t.same((await send('a/count', {})).json, { count: 2, ok: 1 }, 'nothing outside')
  t.equal((await end(send, id, 'commit')).status, 200)
  t.same((await send('a/count', {})).json, { count: 3, ok: 1 })
  t.same((await send('made/count', {})).json, { count: 2, ok: 1 })
})

t.test('an error of a command ends it, a refusal before it does not', async (t) => {
  const { send } = await open(t)
  const first = await begin(send)
  await send('a/insertOne', { document: { _id: 1 } }, first.inside)
  t.equal((await send('a/insertOne', { wrong: 1 }, first.inside)).status, 400)
  const wrongType = await send('/api/v1/redis', { command: ['NO'] }, first.inside)
  t.match(wrongType, { status: 400, json: { errmsg: /^ERR unknown command/ } })
  t.equal((await send('a/insertOne', { document: { _id: 2 } }, first.inside)).status, 200)
  const double = await send('a/insertOne', { document: { _id: 2 } }, first.inside)
  t.match(double, { status: 409, json: { code: 11000 } })
  const late = await send('a/insertOne', { document: { _id: 3 } }, first.inside)
  t.match(late, { status: 404, json: { code: 251, errorLabels: ['TransientTransactionError'] } })
  t.equal((await end(send, first.id, 'commit')).status, 404)
  t.same((await send('a/count', {})).json, { count: 0, ok: 1 })
  const pipeline = [{ $match: {} }, { $out: 'b' }]
  const second = await begin(send)
  t.match(await send('a/aggregate', { pipeline }, second.inside), { json: { code: 263 } })
  const third = await begin(send)
  const savepoint = { query: 'SAVEPOINT a' }
  t.match(await send('/api/v1/sql', savepoint, third.inside), { json: { sqlState: '0A000' } })
})

t.test('requests that come at once run one after the other, and one end counts', async (t) => {
  const { send } = await open(t)
  const { id, inside } = await begin(send)
  const ids = Array.from({ length: 20 }, (_, _id) => _id)
  const answers = await Promise.all([
    ...ids.map((_id) => send('a/insertOne', { document: { _id } }, inside)),
    send('/api/v1/redis', { command: ['INCR', 'n'] }, inside),
    send('/api/v1/redis', { command: ['INCR', 'n'] }, inside),
    send('/api/v1/sql', { query: 'INSERT INTO b (n) VALUES (1)' }, inside),
  ])
  t.same(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  )
  const ends = ['commit', 'abort', 'commit', 'abort'].map((how) => end(send, id, how))
  const told = (await Promise.all(ends)).map(({ status }) => status)
  const isCommitted = told[0] === 200
  if (isCommitted) t.same(told, [200, 409, 200, 409])
  else t.same(told.toSorted(), [200, 404, 404, 404], 'an abort came first')
  const count = isCommitted ? ids.length : 0
  t.same((await send('a/count', {})).json, { count, ok: 1 })
  const value = (await send('/api/v1/redis', { command: ['GET', 'n'] })).json.result
  t.equal(value, isCommitted ? '2' : null)
  // A request that comes after an end is refused by every route, and changes nothing.
  const code = isCommitted ? 256 : 251
  for (const [path, body] of [
    ['a/insertOne', { document: { _id: 99 } }],
    ['a/find', {}],
    ['/api/v1/redis', { command: ['INCR', 'n'] }],
    ['/api/v1/sql', { query: 'DELETE FROM a' }],
  ] as const) {
    t.equal((await send(path, body, inside)).json.code, code, path)
  }
  t.match(await send('/upstash/incr/n', {}, inside), { json: { error: /^ERR / } })
  t.same((await send('a/count', {})).json, { count, ok: 1 })
})

t.test('a read-only transaction refuses changes of every kind', async (t) => {
  const { send } = await open(t)
  const changes: [string, unknown, object][] = [
    ['a/insertOne', { document: {} }, { code: 263 }],
    ['a/updateOne', { filter: {}, update: { $set: { a: 1 } } }, { code: 263 }],
    ['/api/v1/sql', { query: 'DELETE FROM a' }, { code: 263, sqlState: '25006' }],
    ['/api/v1/redis', { command: ['SET', 'a', '1'] }, { code: 263 }],
  ]
  for (const [path, body, json] of changes) {
    const { inside } = await begin(send, { readOnly: true })
    t.equal((await send('a/find', {}, inside)).status, 200)
    t.equal((await send('/api/v1/redis', { command: ['GET', 'a'] }, inside)).status, 200)
    t.match(await send(path, body, inside), { status: 400, json }, path)
  }
})

t.test('it ends after 60 s, and says so', async (t) => {
  const clock = new ManualClock()
  const { send } = await open(t, { clock })
  const { id, inside } = await begin(send)
  await send('a/insertOne', { document: { _id: 1 } }, inside)
  clock.ms += 60_000
  // The job that ends transactions looks each second.
  const state = async () => (await send(`${routes}/${id}`)).json.state
  while ((await state()) === 'open') await new Promise((resolve) => setImmediate(resolve))
  const late = await send('a/find', {}, inside)
  t.match(late, { status: 404, json: { code: 251, errmsg: /open for too long/ } })
  t.match((await send(`${routes}/${id}`)).json, { state: 'aborted' })
  t.same((await send(routes)).json, { transactions: [], ok: 1 })
})

t.test('it is its own identity alone that may use it, and others see none', async (t) => {
  const gateway = await open(t)
  const { url, send } = gateway
  const client = await WalletClient.signIn(url, testWallet('transactions'))
  const one = sender(url, (await client.issue()).apiKey)
  const other = sender(url, (await client.issue()).apiKey)
  const { id, inside } = await begin(one)
  t.equal((await one('a/insertOne', { document: { _id: 1 } }, inside)).status, 200)
  const missing = await send(
    'a/find',
    {},
    {
      'x-sigil-transaction': '00000000-0000-4000-8000-000000000000.1',
    },
  )
  for (const [who, as] of Object.entries({ other, operator: send })) {
    for (const answer of [
      await as('a/find', {}, inside),
      await as('/api/v1/redis', { command: ['GET', 'a'] }, inside),
      await as(`${routes}/${id}`),
    ]) {
      t.same([answer.status, answer.json.code], [404, 251], who)
    }
    t.equal((await as('a/find', {}, inside)).text, missing.text, `${who}: as one that never was`)
    const committed = await end(as, id, 'commit')
    t.same([committed.status, committed.json.code], [404, 251], who)
    t.same((await as(routes)).json, { transactions: [], ok: 1 }, who)
  }
  t.equal((await ask(url, { path: `${routes}/${id}` })).status, 401)
  t.equal((await end(one, id, 'commit')).status, 200)
})

t.test('a key that is revoked meanwhile commits nothing', async (t) => {
  const { url, send } = await open(t)
  const wallet = testWallet('revoked')
  const client = await WalletClient.signIn(url, wallet)
  const made = await client.issue()
  const one = sender(url, made.apiKey)
  const { id, inside } = await begin(one)
  t.equal((await one('a/insertOne', { document: { _id: 1 } }, inside)).status, 200)
  t.equal((await one('/api/v1/redis', { command: ['SET', 'a', '1'] }, inside)).status, 200)
  t.equal((await client.send('DELETE', `/api/v1/keys/${made.hash}`)).status, 200)
  t.equal((await end(one, id, 'commit')).status, 401)
  t.same((await send('a/count', {})).json, { count: 0, ok: 1 })
})
