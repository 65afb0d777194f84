// A POST that is sent again under its Idempotency-Key is answered as the first was, and not run.

import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { idempotencyMs } from '../../../../src/base/limits/http.js'
import { silentLog } from '../../../../src/base/log.js'
import type { Session } from '../../../../src/bus/session.js'
import { operator } from '../../../../src/identity/identity.js'
import { Idempotency } from '../../../../src/listeners/http/core/idempotency.js'
import type { HttpRequest } from '../../../../src/listeners/http/core/request.js'
import { keyClass } from '../../../../src/store/layout.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { ask, openApi } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { testWallet } from '../../../support/wallet.js'
import { WalletClient } from '../../../support/wallet-client.js'

t.test('the same again is the answer of before, and nothing happens twice', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const named = { 'idempotency-key': 'order 1' }
  const first = await api.post('orders/insertOne', { document: { a: 1 } }, named)
  t.equal(first.status, 200)
  t.notOk(first.headers['idempotency-replayed'])
  const again = await api.post('orders/insertOne', { document: { a: 1 } }, named)
  t.match(again, { status: 200, text: first.text, headers: { 'idempotency-replayed': 'true' } })
  t.not(again.headers['x-request-id'], first.headers['x-request-id'])
  t.equal((await api.post('orders/count', {})).json.count, 1)
  const other = await api.post('orders/insertOne', { document: { a: 2 } }, named)
  t.match(other, { status: 422, json: { ok: 0, code: 2 } })
  const elsewhere = await api.post('others/insertOne', { document: { a: 2 } }, named)
  t.match(elsewhere, { status: 200, headers: { 'idempotency-replayed': undefined } })
  const inOther = { ...named, 'x-sigil-database': 'second' }
  t.equal((await api.post('orders/insertOne', { document: { a: 2 } }, inOther)).status, 200)
})

t.test('an answer in lines is given whole, so that it can be given again', async (t) => {
  const { url, key } = await startGateway(t)
  const headers = {
    ...{ 'x-api-key': key, 'content-type': 'application/json' },
    ...{ 'idempotency-key': 'one', accept: 'application/x-ndjson' },
  }
  const body = JSON.stringify({ query: 'INSERT INTO orders (_id) VALUES (1) RETURNING _id' })
  const send = () => ask(url, { method: 'POST', path: '/api/v1/sql', headers, body })
  const first = await send()
  t.match(first, { status: 200, json: { result: { insertedCount: 1 } } })
  const again = await send()
  t.match(again, { status: 200, text: first.text, headers: { 'idempotency-replayed': 'true' } })
})

t.test('refusals of the request itself are kept, others are tried again', async (t) => {
  const { url, key } = await startGateway(t)
  const api = openApi(url, key)
  const insert = (id: number, name: string) =>
    api.post('c/insertOne', { document: { _id: id } }, { 'idempotency-key': name })
  await insert(1, 'a')
  t.equal((await insert(1, 'b')).status, 409)
  await api.post('c/deleteMany', { filter: {} })
  t.match(await insert(1, 'b'), { status: 409, headers: { 'idempotency-replayed': 'true' } })
  const broken = await api.post('c/insertOne', '{"document":', { 'idempotency-key': 'c' })
  t.equal(broken.status, 400)
  t.equal((await insert(1, 'c')).status, 200, 'what was no request is no first one')
  for (const wrong of ['x'.repeat(256), '\t']) {
    t.match(await insert(2, wrong), { status: 400, json: { code: 2 } })
  }
  const read = await api.post('c/find', {}, { 'idempotency-key': 'a' })
  t.match(read, { status: 200, headers: { 'idempotency-replayed': undefined } })
})

t.test('one caller has nothing of another, and key routes look at no such header', async (t) => {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const wallet = await WalletClient.signIn(url, testWallet('idempotency'))
  const headers = { ...wallet.headers, 'idempotency-key': 'one' }
  const send = (path: string, sent: unknown) =>
    ask(url, { method: 'POST', path, headers, body: JSON.stringify(sent) })
  const body = { document: { _id: 1 } }
  t.equal((await send('/api/v1/collections/mine/insertOne', body)).status, 200)
  const operators = await openApi(url, key).post('mine/insertOne', body, {
    'idempotency-key': 'one',
  })
  t.equal(operators.status, 409, 'run, and a duplicate')
  const wishes = { label: 'x', permissions: ['read'] }
  const made = await send('/api/v1/keys/generate', wishes)
  const next = await send('/api/v1/keys/generate', wishes)
  t.not(made.json.apiKey, next.json.apiKey)
})

t.test('while the first is at work the second is told to come again', async (t) => {
  const time = { ms: 1_700_000_000_000 }
  const clock = { now: () => time.ms, elapsed: () => systemClock.elapsed() }
  const store = openMemoryStore()
  const all = new Idempotency({ store, clock, log: silentLog, answersMax: 20 })
  const incoming = { method: 'POST', url: '/x', headers: {} }
  const session = { identity: operator }
  const request = {
    session,
    incoming,
    database: 'main',
    fields: new Map(),
  } as unknown as HttpRequest
  const answer = { status: 200, body: '{"ok":1}', headers: {} }
  const begin = async (key: string) => {
    const turn = all.turn(key)
    turn.read(Buffer.from('{}'))
    return [turn, await turn.begin(request)] as const
  }
  const [first] = await begin('a')
  await t.rejects(begin('a'), { code: 112, httpStatus: 409, extra: { retryAfter: 1 } })
  await first.end({ ...answer, status: 503 })
  const [second, none] = await begin('a')
  t.equal(none, undefined, 'a failure of ours is not kept')
  await second.end(answer)
  t.match((await begin('a'))[1], { status: 200, body: '{"ok":1}' })
  t.equal(all.running.size, 0)
  time.ms += idempotencyMs
  const [late, forgotten] = await begin('a')
  t.equal(forgotten, undefined, 'after a day it is forgotten')
  await late.end(undefined)
  for (let i = 0; i < 20; i++) {
    const [turn] = await begin(String(i))
    await turn.end(answer)
  }
  await t.rejects(begin('one more'), { code: 8000 })
  t.match((await begin('0'))[1], { status: 200 })
})

t.test(
  'the stored rights of an answer keep their names, which earlier versions wrote',
  async (t) => {
    const store = openMemoryStore()
    const all = new Idempotency({ store, clock: systemClock, log: silentLog, answersMax: 20 })
    const session: { identity: typeof operator; witness?: Session['witness'] } = {
      identity: operator,
    }
    const incoming = { method: 'POST', url: '/x', headers: {} }
    const request = { session, incoming, database: 'main', fields: new Map() }
    const turn = all.turn('a')
    turn.read(Buffer.from('{}'))
    await turn.begin(request as unknown as HttpRequest)
    const resources = [{ db: 'main', collection: 'c', privileges: ['read'] as const }]
    session.witness?.({ command: 'find', db: 'main', resources })
    await turn.end({ status: 200, body: '{"ok":1}', headers: {} })
    const range = {
      start: Uint8Array.of(keyClass.identity),
      end: Uint8Array.of(keyClass.identity + 1),
    }
    const entries = await store.read(function* (tx) {
      return yield* tx.scan(range, 100)
    })
    const text = entries.map(({ value }) => Buffer.from(value).toString('latin1')).join('')
    t.match(text, '"touches":[{"db":"main","collection":"c","needs":["read"]}]')
    t.notMatch(text, /"resources"|"privileges"/)
  },
)
