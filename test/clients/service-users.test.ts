// Service users with unmodified clients: both lines of the driver, mongosh, ioredis and pg sign in
// by name and password; what a user may ends with its record, on each protocol and for cursors,
// subscriptions, blocked clients and portals that were open before.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import * as driver7 from 'mongodb'
import * as driver6 from 'mongodb6'
import t, { type Test } from 'tap'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'
import { SqlSession } from '../support/service-users.js'
import { mongoshScript } from '../support/tools.js'

const run = promisify(execFile)
const majors: readonly [string, typeof driver7][] = [
  ['driver 7', driver7],
  ['driver 6', driver6 as unknown as typeof driver7],
]
const password = 'geheim: ünd @ lang'

async function operatorOf(t: Test, gateway: LiveGateway): Promise<driver7.Db> {
  const client = await driver7.MongoClient.connect(gateway.uri)
  t.teardown(() => client.close())
  return client.db('main')
}

function uriOf({ ports }: LiveGateway, user: string, options: string, pwd = password): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(pwd)}`
  return `mongodb://${login}@127.0.0.1:${ports.wire}${options}`
}

const failed = { code: 18, codeName: 'AuthenticationFailed' }

for (const [major, driver] of majors) {
  t.test(`${major}: a user signs in where authSource has it`, async (t) => {
    const gateway = await startGateway(t)
    const db = await operatorOf(t, gateway)
    await db.command({ createUser: 'app', pwd: password, roles: ['readWrite'] })
    await db.client.db('shop').command({ createUser: 'app', pwd: 'another one', roles: ['read'] })
    const whoIs = async (uri: string): Promise<unknown> => {
      const client = await driver.MongoClient.connect(uri)
      const { authInfo } = await client.db('admin').command({ connectionStatus: 1 })
      await client.close()
      return authInfo.authenticatedUsers[0]
    }
    for (const options of ['/main', '/?authSource=main', '/x?authSource=main']) {
      t.same(await whoIs(uriOf(gateway, 'app', options)), { user: 'app', db: 'main' }, options)
    }
    const plain = '/main?authMechanism=PLAIN&authSource=main'
    const shop = uriOf(gateway, 'app', '/shop', 'another one')
    t.same(await whoIs(shop), { user: 'app', db: 'shop' })
    for (const uri of [
      uriOf(gateway, 'app', '/shop'),
      uriOf(gateway, 'app', '/'),
      uriOf(gateway, 'app', '/main', 'wrong'),
      // Drivers send PLAIN to $external whatever authSource says.
      uriOf(gateway, 'app', plain),
      uriOf(gateway, 'unknown', '/main'),
      uriOf(gateway, 'App', '/main'),
    ]) {
      const wrongLogin = new driver.MongoClient(uri)
      await t.rejects(wrongLogin.connect(), failed, uri)
      await wrongLogin.close()
    }
  })
}

t.test('a changed password closes the connections of its user, and no other', async (t) => {
  const gateway = await startGateway(t)
  const db = await operatorOf(t, gateway)
  for (const createUser of ['app', 'other']) {
    await db.command({ createUser, pwd: password, roles: ['readWrite'] })
  }
  const open = async (user: string) => {
    const resp = await RespClient.open(gateway.ports.redis)
    t.equal(await resp.call('AUTH', user, password), '+OK')
    t.teardown(() => resp.close())
    return resp
  }
  const [app, other] = [await open('app'), await open('other')]
  const sql = await SqlSession.open(gateway.ports.sql, {
    ...{ user: 'app', password, database: 'main' },
  })
  t.teardown(() => sql.close())
  await db.command({ updateUser: 'app', roles: ['read'] })
  t.equal(await app.call('PING'), '+PONG', 'another field closes nothing')
  await db.command({ updateUser: 'app', pwd: 'geheim: neu und lang' })
  await t.rejects(app.call('PING'), 'on the key-value protocol')
  await t.rejects(sql.rows('SELECT 1'), 'on the SQL protocol')
  t.equal(await other.call('PING'), '+PONG', "another user's goes on")
})

t.test('mongosh makes, shows, changes and drops users', async (t) => {
  const gateway = await startGateway(t)
  const script = `
    db.createUser({ user: 'app', pwd: 'first one', roles: ['read'] })
    db.grantRolesToUser('app', ['readWrite'])
    db.changeUserPassword('app', 'second one')
    print(EJSON.stringify(db.getUsers().users.map(({ _id, roles }) => [_id, roles])))
    print(db.auth('app', 'second one').ok)
  `
  const args = [await mongoshScript(), '--quiet', '--norc', gateway.uri]
  const shell = async (eval_: string): Promise<string> =>
    (await run(process.execPath, [...args, '--eval', eval_], { timeout: 120_000 })).stdout.trim()
  const [users = '', ...rest] = (await shell(script)).split('\n')
  t.same(JSON.parse(users), [
    [
      'main.app',
      [
        { role: 'read', db: 'main' },
        { role: 'readWrite', db: 'main' },
      ],
    ],
  ])
  t.same(rest, ['1'], 'with the new password')
  t.equal(await shell("print(db.dropUser('app').ok, db.getUser('app'))"), '1 null')
})

t.test('a dropped user is refused at its next use', async (t) => {
  const gateway = await startGateway(t)
  const db = await operatorOf(t, gateway)
  const roles = ['readWrite']
  await db.command({ createUser: 'app', pwd: password, roles })
  await db.collection('c').insertMany(Array.from({ length: 20 }, (_, a) => ({ a })))
  const client = await driver7.MongoClient.connect(uriOf(gateway, 'app', '/main'))
  t.teardown(() => client.close())
  const cursor = client.db('main').collection('c').find({}, { batchSize: 2 })
  t.match(await cursor.next(), { a: 0 })
  const redis = new Redis({
    ...{ port: gateway.ports.redis, username: 'app', password, retryStrategy: () => null },
  })
  redis.on('error', () => {})
  t.teardown(() => redis.disconnect())
  t.equal(await redis.set('k', 'v'), 'OK')
  const listener = await RespClient.open(gateway.ports.redis)
  const blocked = await RespClient.open(gateway.ports.redis)
  for (const each of [listener, blocked]) {
    t.equal(await each.call('AUTH', 'app', password), '+OK')
    t.teardown(() => each.socket.destroy())
  }
  const heard: string[] = []
  await listener.call('SUBSCRIBE', 'news')
  listener.onPush = (raw) => heard.push(raw)
  const popped = blocked.call('BLPOP', 'list', '0')
  const writer = await RespClient.open(gateway.ports.redis)
  t.teardown(() => writer.socket.destroy())
  await writer.call('AUTH', 'operator', gateway.key)
  while (!String(await writer.call('INFO', 'clients')).includes('blocked_clients:1'));
  const sql = await SqlSession.open(gateway.ports.sql, { user: 'app', password, database: 'main' })
  t.teardown(() => sql.close())
  t.equal((await sql.rows('SELECT a FROM c')).length, 20)

  await db.command({ dropUser: 'app' })
  await db.command({ createUser: 'app', pwd: password, roles })

  await t.rejects(cursor.toArray(), { code: 13 }, 'a cursor ends')
  await t.rejects(client.db('main').collection('c').findOne(), { code: 13 })
  await t.rejects(redis.get('k'), /^(?:NOAUTH|NOPERM|WRONGPASS|ERR)/)
  t.equal(await writer.call('PUBLISH', 'news', 'hello'), ':0', 'the channel is silent')
  await writer.call('RPUSH', 'list', 'x')
  t.match(await popped, /^-/, 'a blocked client is refused')
  t.equal(await writer.call('LLEN', 'list'), ':1', 'and took nothing')
  t.same(heard, [])
  t.not(await sql.stateOf('SELECT a FROM c'), '00000')
  const again = await driver7.MongoClient.connect(uriOf(gateway, 'app', '/main'))
  t.match(await again.db('main').collection('c').findOne({ a: 3 }), { a: 3 })
  await again.close()
})

t.test('roles are those of the record at each use', async (t) => {
  const gateway = await startGateway(t)
  const db = await operatorOf(t, gateway)
  await db.command({ createUser: 'app', pwd: password, roles: ['readWrite'] })
  const client = await driver7.MongoClient.connect(uriOf(gateway, 'app', '/main'))
  t.teardown(() => client.close())
  const own = client.db('main').collection('own')
  await own.insertOne({ a: 1 })
  await db.command({ revokeRolesFromUser: 'app', roles: ['readWrite'] })
  await t.rejects(own.findOne(), { code: 13 })
  await db.command({ updateUser: 'app', roles: ['read'] })
  t.match(await own.findOne(), { a: 1 })
  await t.rejects(own.insertOne({}), { code: 13 })
})

t.test("what a user makes is the operator's, and no wallet can claim it", async (t) => {
  const gateway = await startGateway(t, { WALLET_COLLECTIONS: '2', WALLET_CONNECTIONS: '1' })
  const db = await operatorOf(t, gateway)
  await db.command({ createUser: 'app', pwd: password, roles: ['readWrite'] })
  const uri = uriOf(gateway, 'app', '/main?maxPoolSize=1&minPoolSize=0')
  const redis = new Redis({ port: gateway.ports.redis, username: 'app~main', password })
  t.teardown(() => redis.disconnect())
  t.equal(await redis.call('ACL', 'WHOAMI'), 'app')
  redis.disconnect()
  const client = await driver7.MongoClient.connect(uri)
  t.teardown(() => client.close())
  const own = client.db('main')
  await own.createCollection('one')
  await own.createCollection('two')
  await t.rejects(own.createCollection('three'), { code: 8000 }, 'the quota of a wallet')
  await own.collection('two').drop()
  await own.createCollection('three')
  t.match(await db.command({ getPrivacy: 'one' }), { privacy: { ownerAddress: null } })
})

t.test('without USERS there are none', async (t) => {
  const gateway = await startGateway(t, { USERS: 'off' })
  const db = await operatorOf(t, gateway)
  const refused = { code: 20, message: 'createUser is not possible: the setting USERS is off' }
  await t.rejects(db.command({ createUser: 'app', pwd: password, roles: [] }), refused)
  const wrongLogin = new driver7.MongoClient(uriOf(gateway, 'app', '/main'))
  await t.rejects(wrongLogin.connect(), failed)
  await wrongLogin.close()
})

t.test('HTTP takes no password', async (t) => {
  const gateway = await startGateway(t)
  const db = await operatorOf(t, gateway)
  await db.command({ createUser: 'app', pwd: password, roles: ['read'] })
  for (const authorization of [
    `Basic ${Buffer.from(`app:${password}`).toString('base64')}`,
    `Bearer ${encodeURIComponent(password)}`,
  ]) {
    const { status } = await fetch(`${gateway.url}/api/v1/collections`, {
      headers: { authorization },
    })
    t.equal(status, 401)
  }
})
