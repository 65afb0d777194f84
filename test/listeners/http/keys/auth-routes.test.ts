// Sessions over HTTP: the four routes, their cookies, and what a page of another site, a thief and
// an impatient client get.

import { Wallet } from 'ethers'
import t, { type Test } from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { Browser, linesOf } from '../../../support/browser.js'
import { openChainRoom } from '../../../support/chain-room.js'
import { EventReader } from '../../../support/event-reader.js'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { WalletClient } from '../../../support/wallet-client.js'

const wallet = new Wallet(`0x${'17'.repeat(32)}`)
const [nonce, verify, me, logout] = ['nonce', 'verify', 'me', 'logout'].map(
  (name) => `/api/v1/auth/${name}`,
) as [string, string, string, string]
const list = '/api/v1/collections'
const insert = '/api/v1/collections/books/insertOne'
const book = { document: { title: 'Emma' } }

/** A clock that a test moves, beside the machine's. */
function movable() {
  const moved = { ms: 0 }
  const clock = {
    now: () => systemClock.now() + moved.ms,
    elapsed: () => systemClock.elapsed() + moved.ms,
  }
  return { moved, clock }
}

async function signedIn(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off', ...settings })
  const browser = new Browser(gateway.url)
  t.match(await browser.signIn(wallet), { status: 200, json: { address: wallet.address, ok: 1 } })
  return { gateway, browser }
}

t.test('a wallet signs in, is known, acts, and signs out', async (t) => {
  const { url } = await startGateway(t)
  const browser = new Browser(url)
  const asked = await browser.post(nonce, { address: wallet.address.toLowerCase() })
  t.match(asked, { status: 200, json: { nonce: /^[0-9A-Za-z]{22}$/, ok: 1 } })
  t.strictSame(Object.keys(asked.json), ['nonce', 'message', 'ok'])
  const [first, ...more] = linesOf(asked)
  t.strictSame(more, [], 'no CSRF token before sign-in')
  t.match(first, /^svc_session=v1\.k1\.[\w-]+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax$/)
  t.equal((await browser.get(me)).status, 401, 'not yet')

  const before = browser.cookies.get('svc_session')
  const message = String(asked.json.message)
  const signature = await wallet.signMessage(message)
  const answer = await browser.post(verify, { message, signature })
  t.strictSame(answer.json, { address: wallet.address, ok: 1 })
  const [session = '', csrf = ''] = linesOf(answer)
  t.match(session, /^svc_session=v1\.k1\.[\w-]+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax$/)
  t.match(csrf, /^svc_csrf=[\w-]{43}; Path=\/; Max-Age=86400; SameSite=Lax$/)
  t.not(browser.cookies.get('svc_session'), before, 'another session than before')

  t.match(await browser.get(me), {
    status: 200,
    json: { address: wallet.address, chainId: 31337, ok: 1 },
  })
  t.equal((await browser.post(insert, book)).status, 200)
  const ended = await browser.post(logout)
  t.strictSame(ended.json, { ok: 1 })
  t.match(linesOf(ended), [/^svc_session=; Path=\/; Max-Age=0/, /^svc_csrf=; Path=\/; Max-Age=0/])
  t.match(await browser.get(me), { status: 401, json: { ok: 0, code: 13 } })
})

t.test('logout without a session is no error, and a stolen cookie is dead after it', async (t) => {
  const { browser, gateway } = await signedIn(t)
  const thief = new Browser(gateway.url)
  for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
  t.equal((await thief.get(me)).status, 200)
  await browser.post(logout)
  t.equal((await thief.get(me)).status, 401)
  t.equal((await thief.post(insert, book)).status, 401)
  t.equal((await new Browser(gateway.url).post(logout)).status, 200)
  t.equal((await thief.post(logout)).status, 200, 'nor with a dead one')
})

t.test('what a session has open ends with it', async (t) => {
  const { browser, gateway } = await signedIn(t)
  const pairs = [...browser.cookies].map(([name, value]) => `${name}=${value}`)
  const headers = { cookie: pairs.join('; ') }
  const url = `${gateway.url}/api/v1/redis/stream?channels=news`
  const reader = await EventReader.open(url, { headers })
  t.match(await reader.next(), /"event":"subscribe"/)
  await browser.post(logout)
  t.equal(await reader.next(), undefined)
})

t.test('a chain that is away keeps no plain wallet out, and answers for no contract', async (t) => {
  const { server, environment } = await openChainRoom(t)
  const { url } = await startGateway(t, { RATE_LIMITS: 'off', ...environment })
  await server.close()
  const browser = new Browser(url)
  t.equal((await browser.signIn(wallet)).status, 200)
  const { message } = (await browser.post(nonce, { address: wallet.address })).json
  t.match(await browser.post(verify, { message, signature: '0x' }), {
    status: 503,
    json: { code: 6, codeName: 'HostUnreachable', reason: 'CHAIN_UNAVAILABLE' },
  })
})

t.test('sign-ins are in the audit, and nothing that could be used again', async (t) => {
  const { browser, gateway } = await signedIn(t)
  const headers = { 'x-api-key': gateway.key, 'content-type': 'application/json' }
  const path = '/api/v1/collections/_audit/find'
  const { text, json } = await ask(gateway.url, { path, headers, body: '{}' })
  const { cursor } = json as { cursor: { firstBatch: unknown[] } }
  const by = { kind: 'session', address: wallet.address }
  t.match(cursor.firstBatch, [{ act: 'signIn', by, protocol: 'http', peer: '127.0.0.1' }])
  for (const [name, value] of browser.cookies) t.notOk(text.includes(value), name)
  t.notMatch(text, /0x[0-9a-f]{130}/)
})

t.test('everywhere: all sessions of the wallet end, and no others', async (t) => {
  const { browser, gateway } = await signedIn(t)
  const [elsewhere, other] = [new Browser(gateway.url), new Browser(gateway.url)]
  await elsewhere.signIn(wallet)
  await other.signIn(new Wallet(`0x${'18'.repeat(32)}`))
  await browser.post(logout, { everywhere: true })
  t.equal((await elsewhere.get(me)).status, 401)
  t.equal((await other.get(me)).status, 200)
})

t.test('what changes something needs the token of this very session', async (t) => {
  const { browser, gateway } = await signedIn(t)
  const other = new Browser(gateway.url)
  await other.signIn(wallet)
  const refused = {
    status: 403,
    json: { ok: 0, code: 13, codeName: 'Unauthorized', reason: 'CSRF' },
  }
  const body = JSON.stringify(book)
  const json = { 'content-type': 'application/json' }
  t.match(await browser.send('POST', insert, json, body), refused, 'missing')
  t.match(await browser.post(insert, book, { 'x-csrf-token': 'a'.repeat(43) }), refused, 'wrong')
  const foreign = { 'x-csrf-token': other.cookies.get('svc_csrf') ?? '' }
  t.match(await browser.post(insert, book, foreign), refused, 'of another session')
  t.match(await browser.send('POST', logout, json, '{}'), refused, 'to sign out too')
  const key = `/api/v1/keys/${'0'.repeat(64)}`
  t.match(await browser.send('DELETE', key, {}), refused, 'to remove')
  t.match(await browser.send('PUT', `${key}/permissions`, json, '{}'), refused, 'to put')
  const withKey = { ...json, authorization: `Bearer ${gateway.key}` }
  t.match(await browser.send('POST', insert, withKey, body), refused, 'no key excuses it')
  t.equal((await browser.get(list)).status, 200, 'reading needs none')
  t.equal((await browser.post(insert, book)).status, 200)
  const byKey = await ask(gateway.url, { path: insert, headers: withKey, body })
  t.equal(byKey.status, 200, 'keys need none')
})

t.test('a session comes before the keys; a cookie that does not hold is none', async (t) => {
  const { browser, gateway } = await signedIn(t)
  const bearer = { authorization: `Bearer ${gateway.key}` }
  t.equal((await browser.get(me, bearer)).status, 200, 'the session is who asks')
  t.equal((await browser.get(list, { authorization: 'Bearer wrong' })).status, 200)
  const session = browser.cookies.get('svc_session') ?? ''
  const last = session.endsWith('A') ? 'B' : 'A'
  for (const broken of [session.slice(0, -1) + last, session.replace('k1', 'k9'), '', 'x', '%']) {
    const tampered = new Browser(gateway.url)
    tampered.cookies.set('svc_session', broken)
    t.equal((await tampered.get(me)).status, 401, broken.slice(0, 8))
    t.equal((await tampered.get(list, bearer)).status, 200, 'then the key counts')
    t.equal((await tampered.get(list, { authorization: 'Bearer wrong' })).status, 401)
  }
})

t.test('a session is over after 24 hours', async (t) => {
  const { moved, clock } = movable()
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' }, { clock })
  const browser = new Browser(gateway.url)
  await browser.signIn(wallet)
  moved.ms = 24 * 3_600_000 - 60_000
  t.equal((await browser.get(me)).status, 200)
  moved.ms = 24 * 3_600_000 + 60_000
  t.equal((await browser.get(me)).status, 401)
})

t.test('keys are not asked who they are, nor taken from the URL', async (t) => {
  const { url, key } = await startGateway(t)
  const headers = { 'x-api-key': key }
  t.match(await ask(url, { path: me, headers }), { status: 401, json: { code: 13 } })
  for (const name of ['api_key', 'key', 'token', '_token', 'authorization']) {
    t.equal((await ask(url, { path: `${list}?${name}=${key}` })).status, 401, name)
  }
})

t.test('pages of other sites are refused wherever a cookie counts', async (t) => {
  const { browser, gateway } = await signedIn(t)
  const own = `http://localhost:${gateway.ports.http}`
  const refused = { status: 403, json: { code: 13, reason: 'origin' } }
  for (const origin of ['http://evil.test', 'null', own.replace('http:', 'https:'), `${own}0`]) {
    t.match(await browser.get(me, { origin }), refused, origin)
    t.match(await browser.post(insert, book, { origin }), refused, origin)
    const otherBrowser = new Browser(gateway.url)
    t.match(
      await otherBrowser.post(nonce, { address: wallet.address }, { origin }),
      refused,
      origin,
    )
  }
  t.match(await browser.get(me, { 'sec-fetch-site': 'cross-site' }), refused)
  t.match(await browser.post(insert, book, { 'sec-fetch-site': 'cross-site' }), refused)
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    const origin = `http://${name}:${gateway.ports.http}`
    t.equal((await browser.post(insert, book, { origin })).status, 200, origin)
  }
  const origin = 'http://evil.test'
  const { apiKey } = await (await WalletClient.signIn(gateway.url, wallet)).issue()
  const asked = (key: string) =>
    ask(gateway.url, { path: list, headers: { 'x-api-key': key, origin } })
  t.equal((await asked(apiKey)).status, 200, "wallets' keys come from anywhere")
  t.match(await asked(gateway.key), refused, "the operator's does not")
})

t.test('with PUBLIC_URL, pages that change something are its pages alone', async (t) => {
  const settings = { PUBLIC_URL: 'https://db.test' }
  const gateway = await startGateway(t, { RATE_LIMITS: 'off', ...settings })
  const browser = new Browser(gateway.url, { host: 'db.test' })
  t.match(await browser.signIn(wallet), { status: 200 })
  const issued = await browser.post(nonce, { address: wallet.address })
  t.match(issued.json.message, /^db\.test wants you .*\nURI: https:\/\/db\.test\n/s)
  const local = { origin: `http://localhost:${gateway.ports.http}` }
  t.equal((await browser.post(insert, book, { origin: 'https://db.test' })).status, 200)
  t.match(await browser.post(insert, book, local), { status: 403, json: { reason: 'origin' } })
  t.equal((await browser.get(me, local)).status, 200, 'reading changes nothing')
})

t.test('on a network without PUBLIC_URL wallets do not sign in', async (t) => {
  const { notes, ports } = await startGateway(t, {
    HOST: '0.0.0.0',
    ALLOW_INSECURE: '1',
    WHITELIST: 'off',
  })
  t.ok(notes.some((note) => note.startsWith('PUBLIC_URL is not set')))
  const browser = new Browser(`http://127.0.0.1:${ports.http}`)
  const answer = await browser.post(nonce, { address: wallet.address })
  t.match(answer, { status: 400, json: { code: 115, errmsg: /PUBLIC_URL/ } })
})

t.test('PUBLIC_URL is a web address', async (t) => {
  for (const PUBLIC_URL of ['localhost:8080', 'file:///x', 'null', 'mailto:a@b.test']) {
    await t.rejects(startGateway(t, { PUBLIC_URL }), { message: /PUBLIC_URL/ }, PUBLIC_URL)
  }
})

t.test('no answer lets another site read it', async (t) => {
  const { browser, gateway } = await signedIn(t)
  const origin = `http://localhost:${gateway.ports.http}`
  const answers = [
    await browser.get(me, { origin }),
    await browser.post(nonce, { address: wallet.address }, { origin }),
    await browser.send('OPTIONS', me, { origin, 'access-control-request-method': 'GET' }),
  ]
  for (const { headers } of answers) {
    const names = Object.keys(headers).filter((name) => name.startsWith('access-control'))
    t.strictSame(names, [])
  }
  t.equal(answers.at(-1)?.status, 405)
})

t.test('each route has its own limit a minute and address', async (t) => {
  const { moved, clock } = movable()
  const { url, key } = await startGateway(t, {}, { clock })
  const post = (path: string, headers = {}) =>
    ask(url, { path, headers: { 'content-type': 'application/json', ...headers }, body: '{}' })
  const get = () => ask(url, { path: me })
  const routes = [
    [nonce, 10, () => post(nonce)],
    [verify, 5, () => post(verify)],
    [me, 30, get],
    [logout, 10, () => post(logout)],
  ] as const
  for (const [path, most, send] of routes) {
    for (let i = 0; i < most; i++) t.not((await send()).status, 429, `${path} ${i}`)
    const refused = await send()
    t.match(refused, { status: 429, json: { code: 462, retryAfter: Number } }, path)
    t.match(refused.headers, { 'ratelimit-limit': String(most), 'ratelimit-remaining': '0' })
    const seconds = Number(refused.headers['retry-after'])
    t.ok(seconds > 0 && seconds <= 60, `${path}: ${seconds} s`)
    t.equal(refused.headers['ratelimit-reset'], refused.headers['retry-after'])
  }
  t.equal((await ask(url, { path: list })).status, 401, 'other routes have theirs')
  t.equal((await post(verify, { 'x-api-key': key })).status, 400, 'the operator has none')
  moved.ms = 60_000
  for (const [path, , send] of routes) t.not((await send()).status, 429, path)
})

t.test('a wallet’s session has the limit of other routes too', async (t) => {
  const { url } = await startGateway(t)
  const browser = new Browser(url)
  await browser.signIn(wallet)
  for (let i = 0; i < 100; i++) t.equal((await browser.get(list)).status, 200)
  t.equal((await browser.get(list)).status, 429)
})

t.test('behind a trusted proxy cookies are Secure, and nothing crosses in the clear', async (t) => {
  const settings = { TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: 'https://db.test' }
  const gateway = await startGateway(t, { RATE_LIMITS: 'off', ...settings })
  const plain = new Browser(gateway.url, { host: 'db.test' })
  const refused = { status: 403, json: { code: 13, reason: 'plaintext' } }
  t.match(await plain.post(nonce, { address: wallet.address }), refused)
  const forwarded = { host: 'db.test', 'x-forwarded-proto': 'https', 'x-forwarded-for': '9.9.9.9' }
  const browser = new Browser(gateway.url, forwarded)
  const answer = await browser.signIn(wallet)
  t.equal(answer.status, 200)
  for (const line of linesOf(answer)) t.match(line, /; Secure$/)
  for (const [name, value] of browser.cookies) plain.cookies.set(name, value)
  t.match(await plain.get(me), refused)
})

t.test('who is not known yet has little to say', async (t) => {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  const browser = new Browser(url)
  const long = { message: 'a'.repeat(70_000), signature: '0x' }
  t.match(await browser.post(verify, long), { status: 413, json: { code: 10334 } })
  t.match(await browser.post(verify, { message: '' }), { status: 400, json: { code: 2 } })
  const wrong = { message: 'hello', signature: '0x' }
  t.match(await browser.post(verify, wrong), {
    status: 400,
    json: { code: 2, reason: 'SIWE_MALFORMED:domain' },
  })
  const address = wallet.address.replace(/[a-f]/, (letter) => letter.toUpperCase())
  t.match(await browser.post(nonce, { address }), { status: 400, json: { code: 2 } })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  t.equal((await browser.post(nonce, {}, form)).status, 415)
})

t.test('only wallets of the whitelist get a session where it is enforced', async (t) => {
  const other = new Wallet(`0x${'19'.repeat(32)}`)
  const gateway = await startGateway(t, {
    RATE_LIMITS: 'off',
    WHITELIST: 'enforce',
    ADMIN_ADDRESSES: other.address,
  })
  const refused = { status: 403, json: { code: 13, reason: 'NOT_WHITELISTED' } }
  t.match(await new Browser(gateway.url).signIn(wallet), refused)
  t.equal((await new Browser(gateway.url).signIn(other)).status, 200, 'administrators count')
})

t.test('a restart ends no session, but a change of the sealing key does', async (t) => {
  const STORE = `lmdb:${t.testdir()}/data`
  const keys = ['k1', 'k2'].map((name, i) => `${name}:${String(i + 1).repeat(64)}`)
  const settings = { RATE_LIMITS: 'off', STORE }
  const visit = async (more: Readonly<Record<string, string>>, cookies?: Map<string, string>) => {
    const ends: (() => Promise<void>)[] = []
    const ending = { teardown: (end: () => Promise<void>) => ends.push(end) }
    const gateway = await startGateway(ending, { ...settings, ...more })
    const browser = new Browser(gateway.url)
    if (cookies === undefined) await browser.signIn(wallet)
    else for (const [name, value] of cookies) browser.cookies.set(name, value)
    const { status } = await browser.get(me)
    for (const end of ends) await end()
    return { status, cookies: browser.cookies }
  }
  const made = await visit({})
  t.equal((await visit({}, made.cookies)).status, 200, 'with the key of the data folder')
  const old = await visit({ SESSION_KEYS: keys[0] ?? '' })
  const both = { SESSION_KEYS: [...keys].reverse().join(',') }
  t.equal((await visit(both, old.cookies)).status, 200, 'the older key opens')
  t.equal((await visit({ SESSION_KEYS: keys[1] ?? '' }, old.cookies)).status, 401, 'retired')
})
