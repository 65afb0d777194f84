// The operator's sessions of the page: the one-time code, what a locked session may not do, and how
// sessions end.

import t, { type Test } from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { ask } from '../../../support/http-client.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'

type Headers = Readonly<Record<string, string>>

const json = { 'content-type': 'application/json' }

function post(gateway: LiveGateway, path: string, body: unknown, headers: Headers = {}) {
  const text = JSON.stringify(body)
  return ask(gateway.url, { path: `/api/v1/${path}`, headers: { ...json, ...headers }, body: text })
}

function get(gateway: LiveGateway, path: string, headers: Headers) {
  return ask(gateway.url, { path: `/api/v1/${path}`, headers })
}

async function codeOf(gateway: LiveGateway): Promise<string> {
  const { status, json } = await post(gateway, 'studio/code', {}, { 'x-api-key': gateway.key })
  if (status !== 200) throw new Error(String(status))
  return String(json.code)
}

async function room(t: Test, code?: string) {
  const moved = { ms: 0 }
  const clock = {
    now: () => systemClock.now() + moved.ms,
    elapsed: () => systemClock.elapsed() + moved.ms,
  }
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' }, { clock })
  const own = { origin: gateway.url }
  const start = async () => {
    const given = code ?? (await codeOf(gateway))
    const { status, json } = await post(gateway, 'studio/session', { code: given }, own)
    t.equal(status, 200)
    return { ...own, authorization: `Bearer ${String(json.token)}` }
  }
  return { gateway, own, start, moved }
}

t.test('a code becomes a session that reads, and changes when it is unlocked', async (t) => {
  const { gateway, start } = await room(t)
  const bearer = await start()
  const me = await get(gateway, 'auth/me', bearer)
  t.match(me.json, {
    ...{ address: null, chainId: 31337, home: 'main', operator: true, administrator: true },
    ...{ permissions: ['read'], unlockedUntil: null, ok: 1 },
  })
  const book = { document: { title: 'Emma' } }
  const locked = { status: 403, json: { ok: 0, code: 13, reason: 'LOCKED' } }
  t.equal((await get(gateway, 'collections', bearer)).status, 200)
  t.match(await post(gateway, 'collections/books/insertOne', book, bearer), locked)
  t.match(await post(gateway, 'protocols/sql/disable', {}, bearer), locked)
  const set = { command: ['SET', 'a', '1'] }
  t.match((await post(gateway, 'redis', set, bearer)).json, { errmsg: /^NOPERM/ })
  const told = { command: ['PUBLISH', 'news', '1'] }
  t.match((await post(gateway, 'redis', told, bearer)).json, { errmsg: /^NOPERM/ })
  const flush = { command: ['FLUSHALL'] }
  t.match((await post(gateway, 'redis', flush, bearer)).json, { errmsg: /^NOPERM/ })
  const read = { command: ['GET', 'a'] }
  t.match((await post(gateway, 'redis', read, bearer)).json, { result: null, ok: 1 })
  const sql = { query: "INSERT INTO books (title) VALUES ('Emma')" }
  t.match(await post(gateway, 'sql', sql, bearer), { status: 403 })
  const select = { query: 'SELECT 1' }
  t.match(await post(gateway, 'sql', select, bearer), { status: 200 })

  t.match(await post(gateway, 'studio/unlock', { key: 'x'.repeat(40) }, bearer), { status: 403 })
  t.match(await post(gateway, 'studio/unlock', {}, bearer), { status: 400 })
  t.equal((await post(gateway, 'studio/unlock', { key: gateway.key }, bearer)).status, 200)
  t.match((await get(gateway, 'auth/me', bearer)).json, { permissions: ['all'] })
  t.equal((await post(gateway, 'collections/books/insertOne', book, bearer)).status, 200)
  t.match((await post(gateway, 'redis', set, bearer)).json, { result: 'OK' })
  t.equal((await post(gateway, 'studio/lock', {}, bearer)).status, 200)
  t.match(await post(gateway, 'collections/books/insertOne', book, bearer), locked)
})

t.test('the unlock and the session end by time', async (t) => {
  const { gateway, start, moved } = await room(t)
  const bearer = await start()
  const book = { document: { title: 'Emma' } }
  await post(gateway, 'studio/unlock', { code: await codeOf(gateway) }, bearer)
  t.equal((await post(gateway, 'collections/books/insertOne', book, bearer)).status, 200)
  moved.ms = 10 * 60_000
  t.equal((await post(gateway, 'collections/books/insertOne', book, bearer)).status, 403)
  moved.ms = 8 * 60 * 60_000 + 1_000
  t.equal((await get(gateway, 'auth/me', bearer)).status, 401)
})

t.test('a code works once, for five minutes, and not after five wrong ones', async (t) => {
  const { gateway, own, moved } = await room(t)
  const exchange = (code: string, headers: Headers = own) =>
    post(gateway, 'studio/session', { code }, headers)
  const used = await codeOf(gateway)
  t.equal((await exchange(used)).status, 200)
  const again = { status: 401, json: { reason: 'CODE_USED', errmsg: /127\.0\.0\.1/ } }
  t.match(await exchange(used), again)
  const invalid = { status: 401, json: { reason: 'CODE_INVALID' } }
  const late = await codeOf(gateway)
  moved.ms = 5 * 60_000
  t.match(await exchange(late), invalid)
  const [before, tried] = [await codeOf(gateway), await codeOf(gateway)]
  t.match(await exchange(before), invalid, 'a newer code ends the one before')
  for (let i = 0; i < 4; i++) t.match(await exchange('0'.repeat(32)), invalid)
  t.match(await exchange(tried), invalid)
})

t.test('only the own page may exchange a code, and only the key makes one', async (t) => {
  const { gateway, start } = await room(t)
  const code = await codeOf(gateway)
  t.match(await post(gateway, 'studio/session', { code }), { status: 403 })
  const foreign = { origin: 'https://evil.example' }
  t.match(await post(gateway, 'studio/session', { code }, foreign), { status: 403 })
  t.match(await post(gateway, 'studio/code', {}), { status: 401 })
  const bearer = await start()
  await post(gateway, 'studio/unlock', { key: gateway.key }, bearer)
  t.match(await post(gateway, 'studio/code', {}, bearer), { status: 403 })
  t.match(await get(gateway, 'auth/me', { ...bearer, ...foreign }), { status: 403 })
  const { authorization } = bearer
  const body = '["GET","a"]'
  const upstash = await ask(gateway.url, {
    path: '/upstash',
    headers: { ...json, authorization },
    body,
  })
  t.equal(upstash.status, 401, 'a key only')
})

t.test('sessions are listed and ended, alone and all of them', async (t) => {
  const { gateway, start } = await room(t)
  const [first, second, third] = [await start(), await start(), await start()]
  const { json } = await get(gateway, 'studio/sessions', first)
  const sessions = json.sessions as { id: string; isOwn: boolean; from: string }[]
  t.match(sessions, [
    { isOwn: true, from: '127.0.0.1' },
    { isOwn: false, from: '127.0.0.1' },
    { isOwn: false, from: '127.0.0.1' },
  ])
  const path = `studio/sessions/${sessions[1]?.id}/end`
  t.equal((await post(gateway, path, {}, first)).status, 200)
  t.equal((await post(gateway, path, {}, first)).status, 404)
  t.equal((await get(gateway, 'auth/me', second)).status, 401)
  t.equal((await post(gateway, 'studio/logout', {}, third)).status, 200)
  t.equal((await get(gateway, 'auth/me', third)).status, 401)
  const fourth = await start()
  await post(gateway, 'studio/logout', { everywhere: true }, fourth)
  t.equal((await get(gateway, 'auth/me', first)).status, 401)
  const filter = JSON.stringify({ filter: { act: { $regex: '^studio' } } })
  const headers = { 'x-api-key': gateway.key, 'content-type': 'application/json' }
  const audit = await ask(gateway.url, {
    ...{ path: '/api/v1/collections/_audit/find', headers },
    body: filter,
  })
  t.match(audit.text, /studioSignIn/)
  t.notMatch(audit.text, /svc_op_s/)
})
