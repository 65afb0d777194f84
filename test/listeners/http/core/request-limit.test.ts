// The limits of requests an address and a key: who is counted, under which name, what headers tell
// of it, and who passes all the same.

import t from 'tap'
import { addressesTrackedMax } from '../../../../src/base/limits/http.js'
import { readSettings } from '../../../../src/base/settings.js'
import { RequestWindows } from '../../../../src/listeners/http/core/request-limit.js'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { testWallet } from '../../../support/wallet.js'
import { WalletClient } from '../../../support/wallet-client.js'

const list = '/api/v1/collections'
const still = { now: () => 1_700_000_000_000, elapsed: () => 0 }

t.test('who is counted is told what is left, and a refusal has every header', async (t) => {
  const { url, key } = await startGateway(t, {}, { clock: still })
  const first = await ask(url, { path: list })
  t.match(first.headers, {
    'ratelimit-limit': '100',
    'ratelimit-remaining': '99',
    'ratelimit-reset': '10',
  })
  for (let asked = 1; asked < 100; asked++) await ask(url, { path: list })
  const refused = await ask(url, { path: list })
  t.match(refused, { status: 429, json: { ok: 0, code: 462, limit: 100, retryAfter: 10 } })
  t.match(refused.headers, {
    'retry-after': '10',
    'ratelimit-limit': '100',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '10',
    'ratelimit-policy': '"api";q=100;w=10',
    ratelimit: '"api";r=0;t=10',
  })
  const wrong = await ask(url, { path: list, headers: { 'x-api-key': 'wrong' } })
  t.equal(wrong.status, 429, 'a wrong key is not told apart any more')
  const right = await ask(url, { path: list, headers: { 'x-api-key': key } })
  t.equal(right.status, 200)
  t.notOk('ratelimit-limit' in right.headers, 'the operator is not counted')
})

t.test('a wallet is counted by its key, wherever it is', async (t) => {
  const settings = { RATE_KEY: '5/10s', RATE_ADDRESS: '8/10s' }
  const { url } = await startGateway(t, settings, { clock: still })
  const { apiKey: one } = await (await WalletClient.signIn(url, testWallet('one'))).issue()
  const { apiKey: two } = await (await WalletClient.signIn(url, testWallet('two'))).issue()
  const asked = (key?: string) =>
    ask(url, { path: list, headers: key === undefined ? {} : { 'x-api-key': key } })
  t.match(await asked(one), { status: 200, headers: { 'ratelimit-limit': '8' } })
  for (let left = 3; left >= 0; left--) {
    const headers = { 'ratelimit-limit': '5', 'ratelimit-remaining': String(left) }
    t.match(await asked(one), { status: 200, headers })
  }
  t.match(await asked(one), { status: 429, json: { code: 462, limit: 5 } })
  t.match(await asked(two), { status: 200 }, 'another key is not concerned')
  for (let i = 0; i < 8; i++) await asked()
  t.match(await asked(), { status: 429, json: { limit: 8 } })
  t.match(await asked(two), { status: 200 }, "nor is a key by its address's flood")
  const wrong = `${two.slice(0, -4)}0000`
  t.match(await asked(wrong), { status: 429 }, 'a wrong key counts for its address')
})

t.test('a rate that cannot be is refused', async (t) => {
  for (const text of ['0/10s', '10/0s', '10', '10/1m', '-1/10s', '10/10000s']) {
    t.throws(() => readSettings({ RATE_KEY: text }), /RATE_KEY=.*such as 100\/10s/, text)
  }
})

t.test('/health has a window of its own', async (t) => {
  const { url, key } = await startGateway(t, {}, { clock: still })
  for (let asked = 0; asked <= 100; asked++) await ask(url, { path: list })
  for (let asked = 0; asked < 100; asked++) {
    t.equal((await ask(url, { path: '/health' })).status, 200)
  }
  t.equal((await ask(url, { path: '/health' })).status, 429)
  t.equal((await ask(url, { path: '/health', headers: { 'x-api-key': key } })).status, 200)
})

for (const [name, settings] of [
  ['RATE_LIMITS=off', { RATE_LIMITS: 'off' }],
  ['AUTH_MODE=off', { AUTH_MODE: 'off' }],
] as const) {
  t.test(`with ${name} no client is counted`, async (t) => {
    const { url } = await startGateway(t, settings, { clock: still })
    for (let asked = 0; asked <= 100; asked++) {
      const { status, headers } = await ask(url, { path: asked % 2 === 0 ? list : '/health' })
      if (status === 429 || 'ratelimit-limit' in headers) t.fail(`request ${asked} was counted`)
    }
    t.pass('101 requests')
  })
}

t.test('a proxy is believed where it is trusted, and then its last word alone', async (t) => {
  const left = async (url: string, forwarded: string) => {
    const headers = { 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' }
    return Number((await ask(url, { path: list, headers })).headers['ratelimit-remaining'])
  }
  const open = await startGateway(t, {}, { clock: still })
  t.equal(await left(open.url, '198.51.100.1'), 99)
  t.equal(await left(open.url, '198.51.100.2'), 98, 'the header of another address is ignored')
  const { url } = await startGateway(t, { TRUSTED_PROXIES: '127.0.0.1' }, { clock: still })
  t.equal(await left(url, '198.51.100.1'), 99)
  t.equal(await left(url, '198.51.100.2'), 99)
  t.equal(await left(url, '203.0.113.9, 198.51.100.2'), 98, 'what the client claims is nothing')
  t.equal(await left(url, '198.51.100.2:4711'), 97, 'with a port')
  t.equal(await left(url, '2001:db8::1'), 99)
  t.equal(await left(url, '[2001:db8::2]:4711'), 98, 'one /64 is one client')
  t.equal(await left(url, '2001:db8:0:1::1'), 99)
})

t.test('addresses without end take bounded room', async (t) => {
  const windows = new RequestWindows(still, { max: 2, windowMs: 1_000 }, 100)
  for (let i = 0; i < 10_000; i++) windows.take(`address ${i}`)
  t.equal(windows.size, 100)
  t.ok(addressesTrackedMax <= 100_000)
})
