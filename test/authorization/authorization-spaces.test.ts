// Spaces: whatever a caller sends on whatever protocol, without naming a space it reads, hears,
// changes, counts and blocks its own alone; a space that it names is its owner's, those with a role
// and those whom a mode lets in. Protocol x caller x space x family of commands.

import { Wallet } from 'ethers'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import t, { type Test } from 'tap'
import { EventReader } from '../support/event-reader.js'
import { ask, type HttpAnswer } from '../support/http-client.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { openMcp } from '../support/mcp-clients.js'
import { RespClient, type RespReply } from '../support/resp-client.js'
import { WalletClient } from '../support/wallet-client.js'

t.setTimeout(240_000)

interface Caller {
  readonly name: string
  /** User and key; undefined: not signed in. */
  readonly login: readonly [user: string, key: string] | undefined
  /** The database that its own space is. */
  readonly home: string
  readonly address: string | undefined
}

const names = ['operator', 'first', 'second', 'administrator', 'grantee'] as const
type Name = (typeof names)[number]
type Callers = Readonly<Record<Name, Caller>>

const wallets: Readonly<Record<string, Wallet>> = Object.fromEntries(
  names.slice(1).map((name, i) => [name, new Wallet(`0x${String(i + 31).repeat(32)}`)]),
)

async function open(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const gateway = await startGateway(t, {
    ...{ RATE_LIMITS: 'off', ADMIN_ADDRESSES: wallets.administrator?.address ?? '', ...settings },
  })
  const callers: Partial<Record<Name, Caller>> = {
    operator: {
      ...{ name: 'operator', login: ['operator', gateway.key], home: 'main' },
      address: undefined,
    },
  }
  for (const [name, wallet] of Object.entries(wallets)) {
    const { address } = wallet
    const made = await (await WalletClient.signIn(gateway.url, wallet)).issue()
    const home = `w_${address.toLowerCase()}`
    callers[name as Name] = { name, login: [address, made.apiKey], home, address }
  }
  return { gateway, callers: callers as Callers }
}

/** A connection of the key-value protocol; `space` stands behind the user's name. */
async function resp(t: Test, { ports }: LiveGateway, { login }: Caller, space?: string) {
  const client = await RespClient.open(ports.redis)
  t.teardown(() => client.close())
  if (login === undefined) return client
  const [user, key] = login
  const suffix = space === undefined ? '' : `~${space}`
  t.equal(await client.call('AUTH', `${user}${suffix}`, key), '+OK', `${user}${suffix} signs in`)
  return client
}

type Ask = (
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<HttpAnswer>

function http({ url }: LiveGateway, { login }: Pick<Caller, 'login'>): Ask {
  return (path, body, headers = {}) =>
    ask(url, {
      ...{ method: body === undefined ? 'GET' : 'POST', path },
      headers: {
        ...(login === undefined ? {} : { authorization: `Bearer ${login[1]}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}

const redis = (ask: Ask, ...command: readonly string[]) => ask('/api/v1/redis', { command })
const everyone = (callers: Callers): readonly Caller[] => names.map((name) => callers[name])
const flat = (reply: RespReply): string => JSON.stringify(reply)

t.test('key-value commands of all callers stay in their own space', async (t) => {
  const { gateway, callers } = await open(t)
  const clients = new Map<string, RespClient>()
  for (const caller of everyone(callers)) clients.set(caller.name, await resp(t, gateway, caller))
  const each = async (body: (client: RespClient, name: string) => Promise<void>) => {
    for (const [name, client] of clients) await body(client, name)
  }
  await each(async (client, name) => {
    t.equal(await client.call('GET', 'k'), '$-1', `${name} begins with nothing`)
    t.equal(await client.call('DBSIZE'), ':0')
    t.same(await client.call('KEYS', '*'), ['*0'])
    t.same(await client.call('SCAN', '0'), ['*2', '$0', ['*0']])
    t.equal(await client.call('DEL', 'k'), ':0')
    t.equal(await client.call('RANDOMKEY'), '$-1')
  })
  await each(async (client, name) => {
    t.equal(await client.call('SET', 'k', name), '+OK')
    t.equal(await client.call('RPUSH', `only ${name}`, 'a', 'b'), ':2')
    t.equal(await client.call('SELECT', '5'), '+OK')
    t.equal(await client.call('SET', 'five', name), '+OK')
    t.equal(await client.call('SELECT', '0'), '+OK')
  })
  await each(async (client, name) => {
    t.equal(await client.call('GET', 'k'), `$${name}`, `${name} reads its own`)
    t.equal(await client.call('DBSIZE'), ':2', `${name} counts its own`)
    const keys = flat(await client.call('KEYS', '*'))
    const scanned = flat(await client.call('SCAN', '0', 'COUNT', '100'))
    for (const other of names) {
      t.equal(keys.includes(`only ${other}`), other === name, `${name} lists ${other}`)
      t.equal(scanned.includes(`only ${other}`), other === name, `${name} scans ${other}`)
    }
    const info = flat(await client.call('INFO', 'keyspace'))
    t.match(info, 'db0:keys=2')
    t.match(info, 'db5:keys=1')
    t.notMatch(info, 'db1:')
  })
  // Whole databases, all of them, and between them.
  const { first, second } = callers
  const [one, two] = [clients.get(first.name), clients.get(second.name)]
  if (one === undefined || two === undefined) throw new Error('both are there')
  t.equal(await one.call('SWAPDB', '0', '5'), '+OK')
  t.equal(await one.call('GET', 'five'), '$first')
  t.equal(await two.call('GET', 'five'), '$-1', 'another wallet sees no exchange')
  t.equal(await one.call('COPY', 'five', 'copied', 'DB', '7'), ':1')
  t.equal(await one.call('MOVE', 'five', '8'), ':1')
  t.equal(await one.call('FLUSHDB'), '+OK')
  t.equal(await one.call('FLUSHALL'), '+OK')
  t.equal(await one.call('DBSIZE'), ':0')
  t.match(flat(await one.call('INFO', 'keyspace')), '# Keyspace')
  for (const [name, client] of clients) {
    if (client !== one) t.equal(await client.call('DBSIZE'), ':2', `${name} keeps its keys`)
  }
})

t.test('no client is woken, notified or failed by what another does', async (t) => {
  const { gateway, callers } = await open(t)
  const { operator, first, second } = callers
  const [one, two] = [await resp(t, gateway, first), await resp(t, gateway, second)]
  const boss = await resp(t, gateway, operator)
  // Blocking.
  const blocked = await resp(t, gateway, first)
  const popped = blocked.call('BLPOP', 'queue', '0')
  for (const other of [two, boss]) {
    t.equal(await other.call('RPUSH', 'queue', 'not yours'), ':1', 'no other client takes it')
  }
  t.equal(await two.call('LLEN', 'queue'), ':1')
  await one.call('RPUSH', 'queue', 'yours')
  t.same(await popped, ['*2', '$queue', '$yours'])
  // WATCH.
  await one.call('WATCH', 'watched')
  await two.call('SET', 'watched', 'x')
  await boss.call('SET', 'watched', 'x')
  await one.call('MULTI')
  await one.call('SET', 'watched', 'mine')
  t.same(await one.call('EXEC'), ['*1', '+OK'], 'the same name elsewhere is another key')
  await one.call('WATCH', 'watched')
  await blocked.call('SET', 'watched', 'changed')
  await one.call('MULTI')
  await one.call('PING')
  t.same(await one.call('EXEC'), '*-1', 'a change of its own space is seen')
  // A watched key of a database that has no record yet, and has none again.
  await one.call('SELECT', '9')
  await one.call('WATCH', 'fresh')
  await blocked.call('SELECT', '9')
  await blocked.call('SET', 'fresh', '1')
  await blocked.call('DEL', 'fresh')
  await one.call('MULTI')
  await one.call('PING')
  t.same(await one.call('EXEC'), '*-1', 'made and gone again is a change')
  // Channels.
  const listening = await resp(t, gateway, first)
  await listening.call('SUBSCRIBE', 'news')
  t.equal(await two.call('PUBLISH', 'news', 'from another'), ':0')
  t.equal(await boss.call('PUBLISH', 'news', 'from the operator'), ':0')
  t.same(await two.call('PUBSUB', 'CHANNELS'), ['*0'])
  t.same(await two.call('PUBSUB', 'NUMSUB', 'news'), ['*2', '$news', ':0'])
  t.equal(await two.call('PUBSUB', 'NUMPAT'), ':0')
  t.equal(await one.call('PUBLISH', 'news', 'mine'), ':1')
  t.same(await listening.next(), ['*3', '$message', '$news', '$mine'])
  // Events of keys.
  await boss.call('CONFIG', 'SET', 'notify-keyspace-events', 'KEA')
  const events = await resp(t, gateway, first)
  await events.call('PSUBSCRIBE', '__key*__:*')
  await two.call('SET', 'seen', '1')
  await boss.call('SET', 'seen', '1')
  await one.call('SELECT', '3')
  await one.call('SET', 'mine', '1')
  t.match(flat((await events.next()) ?? ''), /@3__:.*mine/)
})

t.test('signing in as another ends what was begun', async (t) => {
  const { gateway, callers } = await open(t)
  const { first, second } = callers
  const client = await resp(t, gateway, first)
  await client.call('SET', 'k', 'first')
  for (let i = 0; i < 30; i++) await client.call('SET', `key ${i}`, 'v')
  const scanned = await client.call('SCAN', '0', 'COUNT', '5')
  const cursor = String(scanned[1]).slice(1)
  t.not(cursor, '0')
  await client.call('HELLO', '3')
  await client.call('SUBSCRIBE', 'news')
  await client.call('WATCH', 'k')
  const [user, key] = second.login ?? ['', '']
  t.equal(await client.call('AUTH', user, key), '+OK')
  t.equal(await client.call('GET', 'k'), '_')
  t.same(await client.call('SCAN', cursor, 'COUNT', '5'), ['*2', '$0', ['*0']])
  const other = await resp(t, gateway, first)
  t.equal(await other.call('PUBLISH', 'news', 'm'), ':0', 'its subscription has ended')
  t.equal(await client.call('MULTI'), '+OK')
  await client.call('RESET')
  t.match(await client.call('GET', 'k'), /NOAUTH/)
})

t.test('a space that is named is for its owner, roles and modes', async (t) => {
  const { gateway, callers } = await open(t)
  const { operator, first, second, grantee } = callers
  for (const caller of everyone(callers)) {
    const client = await resp(t, gateway, caller)
    await client.call('SET', 'k', caller.name)
  }
  const asFirst = await WalletClient.signIn(gateway.url, wallets.first as Wallet)
  const role = await ask(gateway.url, {
    ...{ method: 'POST', path: '/api/v1/collections/kv0/roles' },
    headers: { ...asFirst.headers, 'x-sigil-database': first.home },
    body: JSON.stringify({ address: grantee.address, action: 'grant', role: 1 }),
  })
  t.equal(role.status, 200, role.text)
  const readers: Readonly<Record<string, readonly string[]>> = {
    main: ['operator'],
    [first.home]: ['operator', 'first', 'grantee'],
    [second.home]: ['operator', 'second'],
  }
  const ownerOf = { main: 'operator', [first.home]: 'first', [second.home]: 'second' }
  for (const [space, allowed] of Object.entries(readers)) {
    const writers = allowed.filter((name) => name !== 'grantee')
    for (const caller of everyone(callers)) {
      const may = allowed.includes(caller.name)
      const what = `${caller.name} in ${space}`
      const client = await resp(t, gateway, caller, space)
      const got = await client.call('GET', 'k')
      if (may) t.equal(got, `$${ownerOf[space]}`, what)
      else t.match(got, /^-NOPERM/, what)
      const set = await client.call('SET', 'written', '1')
      if (writers.includes(caller.name)) t.equal(set, '+OK', what)
      else t.match(set, /^-NOPERM/, what)
      const scanned = await client.call('SCAN', '0')
      t.equal(flat(scanned).includes('NOPERM'), !may, what)
      const flushed = await client.call('FLUSHALL', 'ASYNC', 'x')
      t.match(flushed, writers.includes(caller.name) ? /^-ERR syntax/ : /^-NOPERM/, what)
      const pushed = await client.call('PUBLISH', 'news', 'm')
      t.equal(String(pushed).includes('NOPERM'), !writers.includes(caller.name), what)
      const send = http(gateway, caller)
      const named = { 'x-sigil-database': space }
      const byHeader = await send('/api/v1/redis', { command: ['GET', 'k'] }, named)
      t.equal(byHeader.status, may ? 200 : 400, `${what}: ${byHeader.text}`)
      const byQuery = await send(`/api/v1/redis?database=${space}`, { command: ['GET', 'k'] })
      t.equal(byQuery.text, byHeader.text, what)
      const upstash = await send('/upstash', ['GET', 'k'], named)
      t.equal(upstash.status, may ? 200 : 400, what)
      const path = await send(`/upstash/get/k?database=${space}`)
      t.equal(path.text, upstash.text, what)
    }
  }
  // Nothing of it was emptied.
  t.equal(await (await resp(t, gateway, operator)).call('GET', 'k'), '$operator')
})

t.test('a space that can be none is refused, and never another one', async (t) => {
  const { gateway, callers } = await open(t)
  const { first, second } = callers
  const send = http(gateway, first)
  await redis(send, 'SET', 'k', 'mine')
  const upper = second.home.toUpperCase()
  for (const space of ['w_0xzz', 'W_0X00', upper, 'a.b', 'admin', 'config', 'local', 'a/b']) {
    const named = { 'x-sigil-database': space }
    const refused = await send('/api/v1/redis', { command: ['GET', 'k'] }, named)
    t.equal(refused.status, 400, `${space}: ${refused.text}`)
    t.notMatch(refused.text, 'mine')
    const upstash = await send('/upstash', ['GET', 'k'], named)
    t.equal(upstash.status, 400, `${space}: ${upstash.text}`)
    const client = await RespClient.open(gateway.ports.redis)
    t.teardown(() => client.close())
    const [user, key] = first.login ?? ['', '']
    t.match(await client.call('AUTH', `${user}~${space}`, key), /^-ERR/, space)
    t.match(await client.call('GET', 'k'), /^-NOAUTH/, space)
  }
  const two = await send(
    '/api/v1/redis?database=main',
    { command: ['GET', 'k'] },
    {
      'x-sigil-database': first.home,
    },
  )
  t.equal(two.status, 400, two.text)
  const unknown = await send(
    '/api/v1/redis',
    { command: ['SET', 'k', 'v'] },
    {
      'x-sigil-database': 'w_zz',
    },
  )
  t.match(unknown.json, { ok: 0, errmsg: /^NOPERM/ }, 'an unused database is not its')
})

t.test('over HTTP the same holds, streams included', async (t) => {
  const { gateway, callers } = await open(t)
  for (const caller of everyone(callers)) {
    const send = http(gateway, caller)
    t.match((await redis(send, 'SET', 'k', caller.name)).json, { ok: 1, result: 'OK' })
  }
  for (const caller of everyone(callers)) {
    const send = http(gateway, caller)
    t.match((await redis(send, 'GET', 'k')).json, { result: caller.name })
    t.match((await redis(send, 'DBSIZE')).json, { result: 1 })
    t.match((await send('/upstash', ['GET', 'k'])).json, { result: caller.name })
    const many = await send('/upstash/pipeline', [['GET', 'k'], ['DBSIZE']])
    t.same(JSON.parse(many.text), [{ result: caller.name }, { result: 1 }])
    const over = await resp(t, gateway, caller)
    t.equal(await over.call('GET', 'k'), `$${caller.name}`, 'the same key on the key-value port')
  }
  t.equal(
    (await http(gateway, { login: undefined })('/api/v1/redis', { command: ['PING'] })).status,
    401,
  )
  const { first, second } = callers
  const headers = { authorization: `Bearer ${first.login?.[1]}` }
  const url = `${gateway.url}/api/v1/redis/stream?channels=news`
  const events = await EventReader.open(url, { headers })
  t.match(await events.next(), 'subscribe')
  t.match((await redis(http(gateway, second), 'PUBLISH', 'news', 'x')).json, { result: 0 })
  t.match((await redis(http(gateway, first), 'PUBLISH', 'news', 'mine')).json, { result: 1 })
  t.match(await events.next(), 'mine')
  const foreign = await http(
    gateway,
    second,
  )(`/api/v1/redis/stream?channels=news&database=${first.home}`)
  t.equal(foreign.status, 403)
})

t.test('documents and SQL reach a space by its name and its rights', async (t) => {
  const { gateway, callers } = await open(t)
  const { operator, first, second } = callers
  for (const caller of everyone(callers)) {
    await redis(http(gateway, caller), 'SET', 'k', caller.name)
  }
  const readers: Readonly<Record<string, readonly string[]>> = {
    main: ['operator'],
    [first.home]: ['operator', 'first'],
    [second.home]: ['operator', 'second'],
  }
  for (const caller of everyone(callers)) {
    const [user, key] = caller.login ?? ['', '']
    // The space behind the name is for keys: the login is the same.
    const name = encodeURIComponent(`${user}~main`)
    const uri = `mongodb://${name}:${key}@127.0.0.1:${gateway.ports.wire}/?authMechanism=SCRAM-SHA-256`
    const wire = new MongoClient(uri)
    t.teardown(() => wire.close())
    const listed = await wire.db('main').admin().listDatabases()
    const shown = listed.databases.map((each) => each.name)
    for (const [space, allowed] of Object.entries(readers)) {
      const may = allowed.includes(caller.name)
      const what = `${caller.name} in ${space}`
      const found = await wire.db(space).collection('kv0').countDocuments().catch(String)
      if (may) t.equal(found, 1, what)
      else t.match(found, /not authorized/, what)
      // Administrators read the audit, which lies there too.
      const isListed = may || (caller.name === 'administrator' && space === 'main')
      t.equal(shown.includes(space), isListed, `${what} is listed`)
      const sql = new pg.Client({
        ...{ host: '127.0.0.1', port: gateway.ports.sql, user: `${user}~${space}` },
        ...{ password: key, database: space },
      })
      await sql.connect()
      const rows = await sql.query('SELECT count(*) AS n FROM kv0').then(
        (result) => Number(result.rows.at(0)?.n),
        (error: Error) => error.message,
      )
      if (may) t.equal(rows, 1, what)
      else t.match(rows, /not authorized|permission denied/, what)
      await sql.end()
    }
  }
  t.equal(operator.home, 'main')
})

t.test('memories lie in the home of who writes them', async (t) => {
  const { gateway, callers } = await open(t, { ANONYMOUS: 'read' })
  for (const caller of everyone(callers)) {
    const said = await http(gateway, caller)('/api/memories', { text: `secret of ${caller.name}` })
    t.equal(said.status, 201, said.text)
  }
  for (const caller of everyone(callers)) {
    const send = http(gateway, caller)
    const recalled = (await send('/api/recall?q=secret')).text
    const graph = (await send('/api/graph')).text
    const target = { url: gateway.url, key: caller.login?.[1] ?? '' }
    const mcp = await openMcp('2.x', 'http', target)
    const tool = JSON.stringify(await mcp.call('recall', { q: 'secret' }))
    await mcp.close()
    for (const other of names) {
      const isOwn = other === caller.name
      t.equal(recalled.includes(`secret of ${other}`), isOwn, `${caller.name} recalls ${other}`)
      t.equal(graph.includes(`secret of ${other}`), isOwn, `${caller.name} shows ${other}`)
      t.equal(tool.includes(`secret of ${other}`), isOwn, `${caller.name} by MCP: ${other}`)
    }
  }
  const { first, second } = callers
  for (const path of ['/api/recall?q=secret', '/api/graph']) {
    const anonymous = await http(gateway, { login: undefined })(path)
    t.notMatch(anonymous.text, 'secret of')
    const foreign = await http(gateway, second)(path, undefined, { 'x-sigil-database': first.home })
    t.notMatch(foreign.text, 'secret of', path)
  }
  const main = await http(gateway, first)(
    '/api/memories',
    { text: 'x', graph: 'notes' },
    {
      'x-sigil-database': 'main',
    },
  )
  t.equal(main.status, 403, main.text)
  t.match(main.text, first.home, 'it is told where its graphs lie')
})

t.test('without authentication all work in the database of the server', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off', RATE_LIMITS: 'off' })
  const client = await RespClient.open(gateway.ports.redis)
  t.teardown(() => client.close())
  t.equal(await client.call('SET', 'k', 'v'), '+OK')
  const found = await redis(http(gateway, { login: undefined }), 'GET', 'k')
  t.match(found.json, { result: 'v' })
})

t.test(
  'a home belongs to its wallet, however it is made, and nothing else looks like one',
  async (t) => {
    const { gateway, callers } = await open(t)
    const { operator, first, second } = callers
    const wireOf = (caller: Caller) => {
      const [user, key] = caller.login ?? ['', '']
      const uri = `mongodb://${encodeURIComponent(user)}:${key}@127.0.0.1:${gateway.ports.wire}/`
      const client = new MongoClient(uri)
      t.teardown(() => client.close())
      return client
    }
    const [boss, mine, theirs] = [wireOf(operator), wireOf(first), wireOf(second)]
    const insert = (client: MongoClient, db: string, name = 'notes') =>
      client.db(db).collection<{ a: number }>(name).insertOne({ a: 1 })
    const upper = first.home.replace('w_', 'W_')
    const bad = [upper, first.home.toUpperCase(), 'w_0x', 'w_0xab', `${first.home}0`, 'W_0Xzz']
    for (const client of [boss, mine, theirs]) {
      for (const db of bad) await t.rejects(insert(client, db), { code: 73 }, db)
    }
    await insert(boss, first.home, 'made by the operator')
    const privacy = await boss.db(first.home).command({ getPrivacy: 'made by the operator' })
    t.equal(privacy.privacy.ownerAddress, first.address)
    await mine.db(first.home).collection('made by the operator').drop()
    await t.rejects(insert(theirs, first.home), { code: 13 })
    for (const name of ['kv3', 'pubsub']) {
      await t.rejects(
        insert(theirs, 'shop', name),
        { code: 13 },
        `shop.${name} belongs to the operator`,
      )
    }
    await insert(theirs, 'main', 'source')
    const rename = (from: string, to: string) =>
      theirs.db('admin').command({ renameCollection: from, to })
    await t.rejects(rename('main.source', `${first.home}.taken`), { code: 13 })
    await t.rejects(rename('main.source', `${upper}.taken`), { code: 73 })
    for (const db of [first.home, upper]) {
      const out = theirs
        .db('main')
        .collection('source')
        .aggregate([{ $out: { db, coll: 'x' } }])
      await t.rejects(out.toArray(), db)
      const into = { db, coll: 'x' }
      const merge = theirs
        .db('main')
        .collection('source')
        .aggregate([{ $merge: { into } }])
      await t.rejects(merge.toArray(), db)
    }
    const give = { setPrivacy: 'given', ownerAddress: second.address }
    await insert(mine, first.home, 'given')
    await t.rejects(boss.db(first.home).command(give), { code: 13 }, 'a home has one owner')
    const sql = new pg.Client({
      ...{ host: '127.0.0.1', port: gateway.ports.sql, user: first.login?.[0] ?? '' },
      ...{ password: first.login?.[1] ?? '', database: upper },
    })
    await t.rejects(sql.connect(), { code: '3D000' })
    // Mode shared: in the home, and in the database of all by the operator alone.
    const share = (client: MongoClient, db: string, name: string) =>
      client.db(db).command({ setPrivacy: name, mode: 'shared' })
    await t.rejects(share(theirs, 'main', 'source'), new RegExp(second.home))
    t.equal((await share(theirs, 'main', 'source').catch(({ code }) => code)) as unknown, 13)
    await insert(theirs, second.home, 'users')
    t.equal((await share(theirs, second.home, 'users')).ok, 1)
    await insert(mine, second.home, 'users')
    await t.rejects(rename(`${second.home}.users`, 'main.users'), new RegExp(second.home))
    t.equal((await share(boss, 'main', 'source')).ok, 1)
    t.equal((await share(theirs, 'main', 'source')).ok, 1, 'what is shared stays so')
    // A cache of the team: the operator shares main.kv0, and members name it.
    t.equal((await share(boss, 'main', 'kv0')).ok, 1)
    const member = await resp(t, gateway, second, 'main')
    t.equal(await member.call('SET', 'common', 'x'), '+OK')
    t.equal(await (await resp(t, gateway, second)).call('GET', 'common'), '$-1')
    const me = await WalletClient.signIn(gateway.url, wallets.first as Wallet)
    t.equal((await me.send('GET', '/api/v1/auth/me')).json.home, first.home)
    const made = await me.generate({ label: 'lines', permissions: ['all'], rateLimit: 0 })
    t.match(made.text, `/${first.home}`, 'lines to copy carry the home')
  },
)
