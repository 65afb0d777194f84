// Wallets' keys with unmodified clients: drivers 6 and 7 by SCRAM and PLAIN, mongosh, ioredis, and
// pymongo and redis-cli where the machine has them. The lines are those that generating answers.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import * as driver7 from 'mongodb'
import * as driver6 from 'mongodb6'
import t, { type Test } from 'tap'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { mongoshScript } from '../support/tools.js'
import { testWallet } from '../support/wallet.js'
import { type Made, WalletClient } from '../support/wallet-client.js'

const run = promisify(execFile)
const alice = testWallet('alice')
const majors: readonly [string, typeof driver7][] = [
  ['driver 7', driver7],
  ['driver 6', driver6 as unknown as typeof driver7],
]
const authenticationFailed = { code: 18, codeName: 'AuthenticationFailed' }

interface Room extends LiveGateway {
  readonly client: WalletClient
  readonly issued: Made
  readonly onChain: Made
}

async function openRoom(t: Test): Promise<Room> {
  const gateway = await startGateway(t)
  const client = await WalletClient.signIn(gateway.url, alice)
  const issued = await client.issue()
  const onChain = await client.register()
  return { ...gateway, client, issued, onChain }
}

function uriOf({ ports }: Room, user: string, key: string, options = ''): string {
  return `mongodb://${encodeURIComponent(user)}:${key}@127.0.0.1:${ports.wire}/main${options}`
}

/** The address that the shell's line names. */
function wireOf({ connection }: Made): string {
  return /"(mongodb:.*)"/.exec(connection.wire)?.[1] ?? ''
}

for (const [major, driver] of majors) {
  t.test(`${major}: a wallet signs in by every name and mechanism`, async (t) => {
    const room = await openRoom(t)
    const { issued, onChain } = room
    const { address } = alice
    const whoIs = async (uri: string): Promise<string> => {
      const client = await driver.MongoClient.connect(uri)
      const { authInfo } = await client.db('admin').command({ connectionStatus: 1 })
      await client.close()
      return authInfo.authenticatedUsers[0]?.user
    }
    const scram = '?authMechanism=SCRAM-SHA-256'
    const plain = '?authMechanism=PLAIN&authSource=$external'
    for (const options of ['', scram, plain]) {
      for (const [user, made] of [
        [address, onChain],
        [address.toLowerCase(), onChain],
        [`${address}:0`, onChain],
        [`${address}:s0`, issued],
      ] as const) {
        t.equal(await whoIs(uriOf(room, user, made.apiKey, options)), made.connection.user)
      }
    }
    t.equal(await whoIs(wireOf(issued)), `${address}:s0`, 'the line of the reply')
    t.equal(await whoIs(wireOf(onChain)), `${address}:0`)
    for (const options of ['', scram, plain]) {
      for (const [user, key] of [
        [address, onChain.apiKey.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))],
        [`${address}:1`, onChain.apiKey],
        [`${address}:s1`, issued.apiKey],
        [testWallet('bob').address, onChain.apiKey],
        [`${address.slice(0, -1)}`, onChain.apiKey],
      ] as const) {
        const wrongLogin = new driver.MongoClient(uriOf(room, user, key, options))
        await t.rejects(wrongLogin.connect(), authenticationFailed, `${user} ${options}`)
        await wrongLogin.close()
      }
    }
  })

  t.test(`${major}: a wallet's documents are its own`, async (t) => {
    const room = await openRoom(t)
    const client = await driver.MongoClient.connect(wireOf(room.onChain))
    const notes = client.db('main').collection('notes')
    await notes.insertOne({ a: 1 })
    t.match(await notes.findOne({}, { projection: { _id: 0 } }), { a: 1 })
    t.equal(
      await client
        .db('main')
        .command({ ping: 1 })
        .then((reply) => reply.ok),
      1,
    )
    await client.close()
    const bob = await WalletClient.signIn(room.url, testWallet('bob'))
    const wrongLogin = await driver.MongoClient.connect(wireOf(await bob.issue()))
    await t.rejects(wrongLogin.db('main').collection('notes').findOne(), { code: 13 })
    t.match(await wrongLogin.db('admin').command({ usersInfo: 1 }), {
      users: [{ user: `${testWallet('bob').address}:s0`, mechanisms: ['SCRAM-SHA-256', 'PLAIN'] }],
    })
    await wrongLogin.close()
  })
}

t.test('mongosh takes the line as it is', async (t) => {
  const { onChain } = await openRoom(t)
  const args = [await mongoshScript(), '--quiet', '--norc', wireOf(onChain)]
  const script = 'print(db.runCommand({connectionStatus: 1}).authInfo.authenticatedUsers[0].user)'
  const { stdout } = await run(process.execPath, [...args, '--eval', script], { timeout: 120_000 })
  t.equal(stdout.trim(), onChain.connection.user)
})

const pymongo = `
import sys
from pymongo import MongoClient
from pymongo.errors import OperationFailure

for uri in sys.argv[1:-1]:
    client = MongoClient(uri)
    client['py']['rows'].insert_one({'a': 1})
    client.close()
try:
    MongoClient(sys.argv[-1]).admin.command('ping')
    raise AssertionError('a wrong key was taken')
except OperationFailure as error:
    assert error.code == 18, error.details
print('done')
`

t.test('pymongo signs in by SCRAM and PLAIN', async (t) => {
  const python = process.env.SIGIL_PYTHON ?? 'python3'
  try {
    await run(python, ['-c', 'import pymongo'])
  } catch {
    t.comment('no pymongo on this machine')
    return
  }
  const room = await openRoom(t)
  const { apiKey } = room.issued
  const user = `${alice.address}:s0`
  const uris = ['', '?authMechanism=PLAIN&authSource=$external'].map((options) =>
    uriOf(room, user, apiKey, options),
  )
  const wrong = uriOf(room, user, room.onChain.apiKey)
  const { stdout } = await run(python, ['-c', pymongo, ...uris, wrong], { timeout: 60_000 })
  t.equal(stdout.trim(), 'done')
})

t.test('ioredis signs in with a wallet, a wallet and a number, or a key alone', async (t) => {
  const { issued, onChain, ports, client } = await openRoom(t)
  const { address } = client.wallet
  const open = (username: string | undefined, password: string) =>
    new Redis({
      ...{ port: ports.redis, password, retryStrategy: () => null },
      ...(username === undefined ? {} : { username }),
    })
  for (const [user, made] of [
    [undefined, issued],
    [undefined, onChain],
    ['default', issued],
    [address, onChain],
    [address.toLowerCase(), issued],
    [`${address}:0`, onChain],
    [`${address}:s0`, issued],
  ] as const) {
    const redis = open(user, made.apiKey)
    t.equal(await redis.call('ACL', 'WHOAMI'), made.connection.user, String(user))
    t.equal(await redis.set('a', String(user)), 'OK')
    redis.disconnect()
  }
  const url = new Redis(issued.connection.redis.replace('redis-cli -u ', ''))
  t.equal(await url.call('ACL', 'WHOAMI'), `${address}:s0`)
  url.disconnect()
  for (const [user, key] of [
    [address, `${issued.apiKey}0`],
    [`${address}:1`, onChain.apiKey],
    [`${address}:0`, issued.apiKey],
    ['operator', issued.apiKey],
    [testWallet('bob').address, issued.apiKey],
    [undefined, 'svc_live_'],
  ] as const) {
    const redis = open(user, key)
    const errors: string[] = []
    redis.on('error', (error: Error) => errors.push(error.message))
    await t.rejects(redis.get('a'))
    t.match(errors.join(), /WRONGPASS invalid username-password pair or user is disabled\./)
    redis.disconnect()
  }
})

t.test('redis-cli takes the line as it is', async (t) => {
  try {
    await run('redis-cli', ['--version'])
  } catch {
    t.comment('no redis-cli on this machine')
    return
  }
  const { onChain } = await openRoom(t)
  const [program = '', ...args] = onChain.connection.redis.split(' ')
  const { stdout } = await run(program, [...args, '--no-auth-warning', 'ACL', 'WHOAMI'])
  t.equal(stdout.trim(), onChain.connection.user)
})
