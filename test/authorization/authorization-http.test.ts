// The authorization matrix over HTTP: every route against wallets that have signed in, keys that
// were generated, the operator and an anonymous client, for a collection of each mode. The
// decisions are written here; a route without one fails. The last tests try an unrelated wallet on
// every protocol.

import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { routes } from '../../src/listeners/http/core/routes.js'
import { isMemoryUrl } from '../../src/listeners/http/memory/memory-errors.js'
import { metricsRoutes } from '../../src/listeners/http/operations/metrics-routes.js'
import { Browser } from '../support/browser.js'
import { byKey, type Crowd, openCrowd, type Send, wallets } from '../support/http-identities.js'
import { type Mode, modes, type Opens, rights, type Who } from '../support/identities.js'
import { startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'

interface Decision {
  readonly opens: Opens
  readonly privileges?: string
  readonly body?: unknown
  /** What refusals hold, where the route's clients expect another body. */
  readonly errors?: Readonly<Record<string, unknown>>
  /** Admits only the operator, by a rule of its handler. */
  readonly operatorOnly?: true
  /** A session's route that the operator may use besides. */
  readonly operatorToo?: true
}

const newcomer = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc'
const update = { filter: {}, update: { $set: { a: 1 } } }

/** By method and path; `c` stands for `/api/v1/collections/:name`. */
const decisions: Readonly<Record<string, Decision>> = {
  'GET /api/v1/collections': { opens: 'identity' },
  'GET c/stats': { opens: 'identity', privileges: 'r' },
  'GET c/indexes': { opens: 'identity', privileges: 'r' },
  'GET c/indexes/use': { opens: 'identity', privileges: 'r' },
  'GET c/schema': { opens: 'identity', privileges: 'r' },
  'POST c/explain': { opens: 'identity', privileges: 'r', body: { filter: {} } },
  'POST c/find': { opens: 'identity', privileges: 'r', body: {} },
  'POST c/findOne': { opens: 'identity', privileges: 'r', body: {} },
  'POST c/count': { opens: 'identity', privileges: 'r', body: {} },
  'POST c/distinct': { opens: 'identity', privileges: 'r', body: { field: 'a' } },
  'POST c/aggregate': { opens: 'identity', privileges: 'r', body: { pipeline: [] } },
  'POST c/getMore': { opens: 'identity', body: { cursor: 5 } },
  'POST c/insertOne': { opens: 'identity', privileges: 'w', body: { document: { a: 2 } } },
  'POST c/insertMany': { opens: 'identity', privileges: 'w', body: { documents: [{ a: 2 }] } },
  'POST c/updateOne': { opens: 'identity', privileges: 'w', body: update },
  'POST c/updateMany': { opens: 'identity', privileges: 'w', body: update },
  'POST c/deleteOne': { opens: 'identity', privileges: 'w', body: { filter: {} } },
  'POST c/deleteMany': { opens: 'identity', privileges: 'w', body: { filter: {} } },
  'POST c/import': { opens: 'identity', privileges: 'w', body: { a: 2 } },
  'GET c/export': { opens: 'identity', privileges: 'r' },
  'POST /app/:app/endpoint/data/:version/action/:action': {
    ...{ opens: 'identity', privileges: 'r' },
    body: { dataSource: 's', database: 'main', collection: 'c', filter: {} },
    errors: { error_code: 'Unauthorized' },
  },
  'POST /api/v1/sql': { opens: 'identity', privileges: 'r', body: { query: 'SELECT a FROM c' } },
  'GET c/docs': { opens: 'identity', privileges: 'r' },
  'GET c/docs/:id': { opens: 'identity', privileges: 'r' },
  'PUT c/docs/:id': { opens: 'identity', privileges: 'rw', body: { a: 2 } },
  'PATCH c/docs/:id': { opens: 'identity', privileges: 'rw', body: { $set: { a: 2 } } },
  'DELETE c/docs/:id': { opens: 'identity', privileges: 'w' },
  'POST c/createIndex': { opens: 'identity', privileges: 'i', body: { field: 'a' } },
  'POST c/createIndex, unique': {
    ...{ opens: 'identity', privileges: 'o' },
    body: { field: 'b', unique: true },
  },
  'POST c/dropIndex': { opens: 'identity', privileges: 'i', body: { name: 'z_1' } },
  'POST c/create': { opens: 'identity', privileges: 'w', body: {} },
  'POST c/create, validator': {
    ...{ opens: 'identity', privileges: 'o' },
    body: { validator: { a: 1 } },
  },
  'POST c/validator': { opens: 'identity', privileges: 'o', body: { validator: { b: 1 } } },
  'POST c/rename': { opens: 'identity', privileges: 'a', body: { to: 'c' } },
  'POST c/drop': { opens: 'identity', privileges: 'a', body: {} },
  'GET c/privacy': { opens: 'anonymous' },
  'POST c/privacy': { opens: 'identity', privileges: 'c', body: { mode: 'public' } },
  'POST c/privacy, owner': {
    ...{ opens: 'identity', operatorOnly: true },
    body: { ownerAddress: newcomer },
  },
  'GET c/roles': { opens: 'identity', privileges: 'a' },
  'POST c/roles': {
    ...{ opens: 'identity', privileges: 'a' },
    body: { address: newcomer, action: 'grant', role: 1 },
  },
  'GET /api/v1/protocols': { opens: 'anonymous' },
  'POST /api/v1/protocols/:name/enable': { opens: 'admin' },
  'POST /api/v1/protocols/:name/disable': { opens: 'admin' },
  'GET /api/v1/whitelist': { opens: 'anonymous' },
  'POST /api/v1/whitelist': {
    ...{ opens: 'admin' },
    body: { address: newcomer, action: 'remove' },
  },
  'POST /api/v1/auth/nonce': { opens: 'anonymous', body: { address: newcomer } },
  'POST /api/v1/auth/verify': { opens: 'anonymous', body: { message: 'x', signature: 'x' } },
  'GET /api/v1/auth/me': { opens: 'session' },
  'GET /api/v1/keys': { opens: 'session' },
  'POST /api/v1/keys/generate': { opens: 'session', body: { label: 'x', permissions: ['none'] } },
  'DELETE /api/v1/keys/:hash': { opens: 'session' },
  'POST /api/v1/keys/:hash/rotate': { opens: 'session', body: {} },
  'PUT /api/v1/keys/:hash/permissions': { opens: 'session', body: { permissions: ['read'] } },
  'GET /api/v1/keys/:hash/analytics': { opens: 'session' },
  'GET /api/v1/analytics/overview': { opens: 'session', operatorToo: true },
  'GET /api/v1/usage': { opens: 'identity' },
  'POST /api/v1/transactions': { opens: 'identity', body: {} },
  'GET /api/v1/transactions': { opens: 'identity' },
  // Of others: test/listeners/http/documents/transaction-routes.test.ts.
  'GET /api/v1/transactions/:id': { opens: 'identity' },
  'POST /api/v1/transactions/:id/commit': { opens: 'identity', body: {} },
  'POST /api/v1/transactions/:id/abort': { opens: 'identity', body: {} },
  'GET /api/v1/registry': { opens: 'anonymous' },
  // On loopback; over a network: test/listeners/http/operations/metrics.test.ts.
  'GET /metrics': { opens: 'anonymous' },
  'GET /api/v1/metrics': { opens: 'anonymous' },
  'GET /ready': { opens: 'anonymous' },
  'GET /api/v1/openapi.json': { opens: 'anonymous' },
}

/** Logging out would end the sessions that the other routes need: test/listeners/http/auth. */
const apart = new Set(['POST /api/v1/auth/logout'])
const collection = '/api/v1/collections/:name'

t.test('every route has a decision', async (t) => {
  const decided = new Set(Object.keys(decisions).map((key) => key.split(',')[0]))
  for (const { method, path } of [...routes, ...metricsRoutes({} as never)]) {
    const key = `${method} ${path.replace(collection, 'c')}`
    // Theirs: test/authorization/authorization-memory.test.ts.
    if (isMemoryUrl(path)) continue
    t.ok(decided.has(key) || apart.has(key), `${key} has no decision`)
  }
})

interface Place extends Crowd {
  readonly reset: (mode: Mode) => Promise<void>
}

async function openPlace(t: Test, settings: Readonly<Record<string, string>> = {}): Promise<Place> {
  const crowd = await openCrowd(t, settings)
  return { ...crowd, reset: (mode) => reset(crowd.as, mode) }
}

/** The collection as the matrix wants it, by its owner's own calls. */
async function reset(as: Place['as'], mode: Mode): Promise<void> {
  const c = '/api/v1/collections/c'
  const must = async (who: Who, path: string, body: unknown) => {
    const answer = await as[who]?.('POST', `${c}${path}`, body)
    if (answer?.status !== 200) throw new Error(`${who} ${path}: ${answer?.status} ${answer?.text}`)
  }
  await as.operator?.('POST', `${c}/drop`, { release: true })
  const maker: Who = mode === 'unowned' ? 'operator' : 'owner'
  await must(maker, '/insertMany', {
    documents: [
      { a: 1, b: 1 },
      { a: 2, b: 2 },
    ],
  })
  await must(maker, '/createIndex', { field: 'z' })
  if (mode === 'unowned') return
  await must('owner', '/privacy', { mode })
  for (const role of [1, 2] as const) {
    const { address } = wallets[`role ${role}`]
    await must('owner', '/roles', { address, action: 'grant', role })
  }
}

/** What is answered to who may not: 401 where one could sign in, 403 where that would not help. */
function refusalOf(decision: Decision, who: Who, mode: Mode): 401 | 403 | undefined {
  const { opens, privileges = '', operatorOnly, operatorToo } = decision
  if (opens === 'anonymous') return undefined
  if (who === 'anonymous') return 401
  if (operatorToo === true && who === 'operator') return undefined
  if (opens === 'session')
    return wallets[who as keyof typeof wallets] === undefined ? 401 : undefined
  if (opens === 'admin') return who === 'operator' || who === 'administrator' ? undefined : 403
  if (operatorOnly === true) return who === 'operator' ? undefined : 403
  return [...privileges].every((privilege) => rights[who][mode].includes(privilege))
    ? undefined
    : 403
}

let opened: Promise<Place> | undefined

/** One for the tests that begin with `reset`: a chain and six keys of it take a second. */
function sharedPlace(): Promise<Place> {
  opened ??= openPlace(t)
  return opened
}

t.test('each route is open to whom the decision says, and no more', async (t) => {
  const { as, reset } = await sharedPlace()
  for (const mode of modes) {
    await reset(mode)
    for (const [name, decision] of Object.entries(decisions)) {
      const [method = '', path = ''] = (name.split(',')[0] ?? '').split(' ')
      const target = path
        .replace(/^c\//, '/api/v1/collections/c/')
        .replace(':hash', '0'.repeat(64))
        .replace('/:version/action/:action', '/v1/action/findOne')
      for (const [who, send] of Object.entries(as) as [Who, Send][]) {
        const answer = await send(method, target, decision.body)
        const refused = refusalOf(decision, who, mode)
        const what = `${name} by ${who}, ${mode}: ${answer.status}`
        if (refused !== undefined) {
          const json = decision.errors ?? { ok: 0, code: 13 }
          t.match(answer, { status: refused, json }, what)
          continue
        }
        // A verification without a nonce is a credential that does not hold.
        const isCredential = path === '/api/v1/auth/verify' && answer.status === 400
        t.ok(isCredential || ![401, 403, 500].includes(answer.status), `${what} ${answer.text}`)
        const changes =
          method !== 'GET' && decision.privileges !== undefined && decision.privileges !== 'r'
        if (changes || decision.operatorOnly) await reset(mode)
      }
    }
  }
})

t.test('lists over HTTP show what the caller may read', async (t) => {
  const { as, reset } = await sharedPlace()
  for (const mode of modes) {
    await reset(mode)
    for (const [who, send] of Object.entries(as) as [Who, Send][]) {
      if (who === 'anonymous') continue
      const { json } = await send('GET', '/api/v1/collections')
      const listed = (json.collections as { name?: string }[] | undefined)?.some(
        ({ name }) => name === 'c',
      )
      const mayList = rights[who][mode].includes('r')
      t.equal(listed === true, mayList, `${who}, ${mode}`)
    }
  }
})

t.test('privacy tells all clients mode and owner, and the owner all', async (t) => {
  const { as, reset } = await sharedPlace()
  await reset('private')
  const path = '/api/v1/collections/c/privacy'
  const seen = async (who: Who) => (await as[who]?.('GET', path))?.json.privacy
  const open = { mode: 'private', ownerAddress: wallets.owner.address }
  for (const who of ['anonymous', 'otherWallet', 'role 2', 'owner, reading key'] as const) {
    t.strictSame(await seen(who), open, who)
  }
  const accessRoles = { [wallets['role 1'].address]: 1, [wallets['role 2'].address]: 2 }
  for (const who of ['owner', 'owner, key for all', 'operator'] as const) {
    const all = (await seen(who)) as Record<string, unknown>
    t.match(all, { ...open, accessRoles }, who)
    t.match(all.contractAddress, /^0x[0-9a-fA-F]{40}$/, 'once the chain is ready')
  }
  const set = await as.owner?.('POST', path, { mode: 'shared' })
  t.match(set?.json, { ok: 1, collection: 'c', mode: 'shared' })
  t.match(await as.owner?.('POST', path, { mode: 'secret' }), { status: 400, json: { code: 2 } })
  t.match(await as.owner?.('POST', path, {}), { status: 400, json: { code: 2 } })
  t.match(await as.owner?.('GET', '/api/v1/collections/none/privacy'), { status: 404 })
  const made = await as.otherWallet?.('POST', '/api/v1/collections/new/privacy', { mode: 'public' })
  t.match(made?.json, { ok: 1, mode: 'public', ownerAddress: wallets.otherWallet.address })
})

t.test('roles are granted and revoked, and bad ones refused', async (t) => {
  const { as, reset } = await sharedPlace()
  await reset('private')
  const path = '/api/v1/collections/c/roles'
  const change = async (body: unknown) => as.owner?.('POST', path, body)
  const granted = await change({ address: newcomer.toLowerCase(), action: 'grant', role: 2 })
  t.match(granted, { status: 200, json: { accessRoles: { [newcomer]: 2 }, ok: 1 } })
  const revoked = await change({ address: newcomer, action: 'revoke' })
  t.notOk(Object.hasOwn(revoked?.json.accessRoles as object, newcomer))
  const refused = { status: 403, json: { code: 13, reason: 'NOT_OWNER' } }
  t.match(await as['role 2']?.('GET', path), refused)
  t.match(await as['owner, reading key']?.('GET', path), { json: { reason: 'PERMISSION' } })
  for (const body of [
    { address: newcomer, action: 'grant' },
    { address: newcomer, action: 'grant', role: 3 },
    { address: newcomer, action: 'give', role: 1 },
    { address: `${newcomer}0`, action: 'grant', role: 1 },
    { address: newcomer.replace('D1a5', 'd1A5'), action: 'grant', role: 1 },
    { action: 'grant', role: 1 },
  ]) {
    t.match(await change(body), { status: 400, json: { code: 2 } }, JSON.stringify(body))
  }
})

t.test(
  'the whitelist lists, adds and removes, twice if one likes, and gates when enforced',
  async (t) => {
    const { as, gateway } = await openPlace(t)
    const path = '/api/v1/whitelist'
    const set = async (action: string, address = newcomer) =>
      as.administrator?.('POST', path, { address, action })
    t.strictSame((await as.anonymous?.('GET', path))?.json, { addresses: [], ok: 1 })
    for (const time of [1, 2]) {
      t.strictSame((await set('add'))?.json, { addresses: [newcomer], ok: 1 }, `time ${time}`)
    }
    for (const time of [1, 2]) {
      t.strictSame((await set('remove'))?.json, { addresses: [], ok: 1 }, `time ${time}`)
    }
    t.equal((await set('ban'))?.status, 400)
    t.equal((await set('add', '0x12'))?.status, 400)
    t.equal((await as.otherWallet?.('GET', '/api/v1/auth/me'))?.status, 200, 'it gates nothing')
    await gateway.close()
  },
)

t.test('under WHITELIST=enforce only the listed come in, from the next request on', async (t) => {
  const { url, key } = await startGateway(t, {
    ...{ WHITELIST: 'enforce', RATE_LIMITS: 'off' },
    ADMIN_ADDRESSES: wallets.administrator.address,
  })
  const operator = byKey(url, key)
  const set = async (action: string) =>
    operator('POST', '/api/v1/whitelist', { address: wallets.owner.address, action })
  const browser = new Browser(url)
  t.match(await browser.signIn(wallets.owner), {
    status: 403,
    json: { code: 13, reason: 'NOT_WHITELISTED' },
  })
  await set('add')
  t.equal((await browser.signIn(wallets.owner)).status, 200)
  const body = { label: 'x', permissions: ['all'], rateLimit: 0 }
  const { apiKey } = (await browser.post('/api/v1/keys/generate', body)).json
  const wallet = byKey(url, String(apiKey))
  const list = '/api/v1/collections'
  t.equal((await wallet('GET', list)).status, 200)
  t.equal((await wallet('POST', '/api/memories', { graph: 'g', text: 'one' })).status, 201)
  await set('remove')
  const refused = { status: 403, json: { code: 13, reason: 'NOT_WHITELISTED' } }
  t.match(await wallet('GET', list), refused)
  t.match(await browser.get(list), refused)
  const forbidden = { status: 403, json: { error: { code: 'FORBIDDEN' } } }
  t.match(await wallet('GET', '/api/graph?graph=g'), forbidden)
  t.match(await wallet('POST', '/api/memories', { graph: 'g', text: 'two' }), forbidden)
  t.match(await wallet('POST', '/api/anchor', { graph: 'g' }), forbidden)
  t.match(await wallet('GET', '/api/verify?graph=g&id=mem_x'), forbidden)
  const administrator = new Browser(url)
  t.equal((await administrator.signIn(wallets.administrator)).status, 200, 'they always count')
  t.equal((await administrator.get(list)).status, 200)
})

t.test('ANONYMOUS=read opens public collections without a key, and nothing else', async (t) => {
  const { as, reset } = await openPlace(t, { ANONYMOUS: 'read' })
  const find = async () => as.anonymous?.('POST', '/api/v1/collections/c/find', {})
  for (const mode of modes) {
    await reset(mode)
    t.equal((await find())?.status, mode === 'public' ? 200 : 403, mode)
    const insert = { document: {} }
    const written = await as.anonymous?.('POST', '/api/v1/collections/c/insertOne', insert)
    t.equal(written?.status, 401, mode)
  }
})

t.test(
  'the audit is read over HTTP by operator and administrators, and tells no secret',
  async (t) => {
    const { as, keys, reset } = await openPlace(t)
    await reset('public')
    const find = { filter: {}, limit: 1_000 }
    const read = async (who: Who) => as[who]?.('POST', '/api/v1/collections/_audit/find', find)
    for (const who of ['otherWallet', 'owner', 'owner, key for all', 'role 2'] as const) {
      t.equal((await read(who))?.status, 403, who)
    }
    t.equal((await read('anonymous'))?.status, 401)
    for (const who of ['operator', 'administrator'] as const) {
      const answer = await read(who)
      t.equal(answer?.status, 200, who)
      const { cursor } = answer?.json ?? {}
      const { firstBatch } = cursor as { firstBatch: { act: string }[] }
      const acts = new Set(firstBatch.map(({ act }) => act))
      t.same([...acts].sort(), ['generateKey', 'setPrivacy', 'setRole', 'signIn'], who)
      for (const key of Object.values(keys)) t.notOk(answer?.text.includes(key))
    }
  },
)

t.test('another wallet is refused on every protocol, and the owner is not', async (t) => {
  const { gateway, keys, reset } = await openPlace(t)
  await reset('private')
  const { wire, redis } = gateway.ports
  const open = async (who: 'owner' | 'otherWallet', name: Who) => {
    const key = keys[name] ?? ''
    const { address } = wallets[who]
    const client = new MongoClient(
      `mongodb://${address}%3As0:${key}@127.0.0.1:${wire}/main?authSource=admin`,
    )
    const resp = await RespClient.open(redis)
    t.equal(await resp.call('AUTH', `${address}:s0`, key), '+OK', who)
    return { client, resp, http: byKey(gateway.url, key) }
  }
  const owner = await open('owner', 'owner, key for all')
  const otherWallet = await open('otherWallet', 'otherWallet, key for all')
  const find = '/api/v1/collections/c/find'
  t.equal((await owner.http('POST', find, {})).status, 200)
  t.equal((await otherWallet.http('POST', find, {})).status, 403)
  t.equal(await owner.client.db().collection('c').countDocuments(), 2)
  await t.rejects(otherWallet.client.db().collection('c').find().toArray(), { code: 13 })
  await t.rejects(otherWallet.client.db().collection('c').insertOne({}), { code: 13 })
  t.same(await otherWallet.client.db().listCollections({ name: 'c' }).toArray(), [])

  const operator = byKey(gateway.url, gateway.key)
  const give = { ownerAddress: wallets.owner.address, mode: 'private' }
  t.equal((await operator('POST', '/api/v1/collections/kv0/privacy', give)).status, 200)
  t.equal((await operator('POST', '/api/v1/collections/pubsub/privacy', give)).status, 200)
  const say = (client: RespClient, line: string) => client.call(...line.split(' '))
  t.equal(await say(owner.resp, 'SET k v'), '+OK')
  for (const line of [
    'GET k',
    'SET k w',
    'DEL k',
    'KEYS *',
    'FLUSHDB',
    'SUBSCRIBE c',
    'PUBLISH c m',
  ]) {
    t.match(String(await say(otherWallet.resp, line)), /^-NOPERM/, line)
  }
  t.equal(await say(owner.resp, 'GET k'), '$v')
  const command = { command: ['GET', 'k'] }
  t.match((await otherWallet.http('POST', '/api/v1/redis', command)).text, /NOPERM/)
  t.equal((await owner.http('POST', '/api/v1/redis', command)).json.result, 'v')
  t.equal((await otherWallet.http('GET', '/api/v1/redis/stream?channels=c')).status, 403)
  t.equal((await otherWallet.http('POST', '/api/v1/backup', {})).status, 403)
  t.match((await otherWallet.http('POST', '/upstash', ['GET', 'k'])).text, /NOPERM/)
  for (const { client, resp } of [owner, otherWallet]) {
    await client.close()
    resp.close()
  }
})
