// A login reveals nothing to an unknown client. Known and unknown users are answered in the same
// shape, wrong keys in the same words, and too many attempts close the connection.

import { Binary } from 'bson'
import t, { type Test } from 'tap'
import { authFailuresPerConnectionMax } from '../../src/base/limits/connections.js'
import { startGateway } from '../support/live-gateway.js'
import { encode, RespClient } from '../support/resp-client.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'
import {
  clientFinal,
  type ReplyFields,
  textOf,
  WireClient,
  withoutTimes,
} from '../support/wire-client.js'

const alice = testWallet('alice')
const bob = testWallet('bob')
/** Never made: no wallet's. */
const wrongKey = `svc_live_${'0'.repeat(64)}`

async function openRoom(t: Test) {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const client = await WalletClient.signIn(gateway.url, alice)
  const onChain = await client.register()
  const issued = await client.issue()
  return { ...gateway, client, onChain, issued }
}

async function start(wire: WireClient, user: string): Promise<ReplyFields> {
  return wire.run({
    ...{ saslStart: 1, mechanism: 'SCRAM-SHA-256', $db: 'admin' },
    payload: new Binary(Buffer.from(`n,,n=${user},r=abcdefgh`)),
    options: { skipEmptyExchange: true },
  })
}

/** A reply with everything in it that may differ blanked out, letter for letter. */
function shapeOf(reply: ReplyFields): string {
  const text = textOf(reply.payload).replace(/[A-Za-z0-9+/]/g, 'x')
  return JSON.stringify({ ...reply, payload: text })
}

t.test('saslStart answers all users alike', async (t) => {
  const { ports } = await openRoom(t)
  const shapes = new Set<string>()
  const ofUsers = new Set<string>()
  const { address } = alice
  for (const user of [
    ...[address, `${address}:0`, `${address}:s0`, `${address}:7`, `${address}:s7`],
    ...[bob.address, `${bob.address}:0`, `${bob.address}:s0`, 'operator', 'unknown', '0x12'],
  ]) {
    const wire = await WireClient.open(ports.wire)
    // Names of service users have passwords behind them: another count of iterations, for all.
    const isOfUsers = user === 'unknown' || user === '0x12'
    const known = isOfUsers ? ofUsers : shapes
    known.add(shapeOf(withoutTimes(await start(wire, user))))
    t.match(
      await wire.run({ hello: 1, saslSupportedMechs: `admin.${user}`, $db: 'admin' }),
      { saslSupportedMechs: ['SCRAM-SHA-256', 'PLAIN'] },
      user,
    )
    await wire.close()
  }
  t.equal(shapes.size, 1, [...shapes].join('\n'))
  t.equal(ofUsers.size, 1, [...ofUsers].join('\n'))
})

t.test('a login that fails is told in the same words, whatever was wrong', async (t) => {
  const { ports, onChain, issued, client } = await openRoom(t)
  const revoked = await client.issue()
  await client.send('DELETE', `/api/v1/keys/${revoked.hash}`)
  const { address } = alice
  const attempts = [
    ...[
      [address, wrongKey],
      [`${address}:0`, issued.apiKey],
      [`${address}:s0`, onChain.apiKey],
    ],
    ...[
      [`${address}:9`, onChain.apiKey],
      [bob.address, onChain.apiKey],
      ['operator', wrongKey],
    ],
    ...[
      [revoked.connection.user, revoked.apiKey],
      ['unknown', wrongKey],
    ],
  ] as const
  const scram = new Set<string>()
  const plain = new Set<string>()
  const resp = new Set<string>()
  for (const [i, [user = '', key = '']] of attempts.entries()) {
    // From an address each, since one that fails is answered later and later.
    const from = process.platform === 'linux' ? `127.0.1.${i + 1}` : undefined
    const wire = await WireClient.open(ports.wire, '127.0.0.1', from)
    scram.add(JSON.stringify(withoutTimes(await wire.login(user, key))))
    const payload = new Binary(Buffer.from(`\0${user}\0${key}`))
    const started = { saslStart: 1, mechanism: 'PLAIN', payload, $db: '$external' }
    plain.add(JSON.stringify(withoutTimes(await wire.run(started))))
    await wire.close()
    const redis = await RespClient.open(ports.redis, from)
    resp.add(String(await redis.call('AUTH', user, key)))
    resp.add(String(await redis.call('HELLO', '3', 'AUTH', user, key)))
    redis.socket.destroy()
  }
  const failed = { ok: 0, errmsg: 'Authentication failed.', code: 18 }
  const words = JSON.stringify({ ...failed, codeName: 'AuthenticationFailed' })
  t.same([...scram], [words])
  t.same([...plain], [words])
  t.same([...resp], ['-WRONGPASS invalid username-password pair or user is disabled.'])
})

t.test('half a login within hello saves a round, for a wallet too', async (t) => {
  const { ports, onChain } = await openRoom(t)
  const bare = `n=${alice.address},r=abcdefgh`
  const wire = await WireClient.open(ports.wire)
  const speculativeAuthenticate = {
    ...{ saslStart: 1, mechanism: 'SCRAM-SHA-256', db: 'admin' },
    payload: new Binary(Buffer.from(`n,,${bare}`)),
    options: { skipEmptyExchange: true },
  }
  const hello = await wire.run({ hello: 1, speculativeAuthenticate, $db: 'admin' })
  const begun = hello.speculativeAuthenticate as ReplyFields
  t.match(begun, { conversationId: 1, done: false })
  const final = clientFinal(bare, textOf(begun.payload), onChain.apiKey)
  const payload = new Binary(Buffer.from(final))
  const done = await wire.run({ saslContinue: 1, conversationId: 1, payload, $db: 'admin' })
  t.match(done, { ok: 1, done: true })
  t.match(await wire.run({ connectionStatus: 1, $db: 'admin' }), {
    authInfo: {
      authenticatedUsers: [{ user: `${alice.address}:0`, db: 'admin' }],
      authenticatedUserRoles: [{ role: 'read' }, { role: 'write' }, { role: 'admin' }],
    },
  })
  await wire.close()
})

t.test('a connection signs in once', async (t) => {
  const { ports, onChain, issued } = await openRoom(t)
  const wire = await WireClient.open(ports.wire)
  t.match(await wire.login(alice.address, onChain.apiKey), { ok: 1 })
  t.match(await wire.login(`${alice.address}:0`, onChain.apiKey), { ok: 1 }, 'as the same again')
  t.match(await wire.login(`${alice.address}:s0`, issued.apiKey), { code: 13 })
  t.match(await wire.run({ logout: 1, $db: 'admin' }), { ok: 1 })
  t.match(await wire.login(`${alice.address}:s0`, issued.apiKey), { ok: 1 })
  await wire.close()
})

t.test('five failures end a connection', async (t) => {
  const { ports, onChain } = await openRoom(t)
  const wire = await WireClient.open(ports.wire)
  for (let i = 0; i < authFailuresPerConnectionMax; i++)
    await wire.login(`${alice.address}:${i}`, '-')
  await wire.closed
  const resp = await RespClient.open(ports.redis)
  for (let i = 0; i < authFailuresPerConnectionMax; i++) await resp.call('AUTH', `u${i}`, wrongKey)
  await new Promise<void>((resolve) => {
    if (resp.isClosed) resolve()
    else resp.socket.once('close', () => resolve())
  })
  t.ok(resp.isClosed)
  const again = await WireClient.open(ports.wire)
  t.match(await again.login(alice.address, onChain.apiKey), { ok: 1 }, 'the owner is not kept out')
  await again.close()
})

t.test('logins that are begun and given up end a connection too', async (t) => {
  const { ports } = await openRoom(t)
  const wire = await WireClient.open(ports.wire)
  for (let i = 0; i <= authFailuresPerConnectionMax; i++) {
    t.match(await start(wire, `${bob.address}:${i}`), { ok: 1 })
  }
  await wire.closed
})

t.test('what is pipelined behind AUTH waits for it, and is answered in order', async (t) => {
  const { ports, onChain } = await openRoom(t)
  const resp = await RespClient.open(ports.redis)
  const lines = [
    ['GET', 'a'],
    ['AUTH', wrongKey],
    ['GET', 'a'],
    ['AUTH', alice.address, onChain.apiKey],
    ['SET', 'a', '1'],
    ['HELLO', '2', 'AUTH', 'default', onChain.apiKey, 'SETNAME', 'me'],
    ['CLIENT', 'GETNAME'],
    ['GET', 'a'],
    ['ACL', 'WHOAMI'],
  ]
  resp.send(Buffer.concat(lines.map((words) => Buffer.from(encode(words)))))
  const replies: unknown[] = []
  for (const _ of lines) replies.push(await resp.next())
  t.match(replies, [
    '-NOAUTH Authentication required.',
    /^-WRONGPASS/,
    '-NOAUTH Authentication required.',
    '+OK',
    '+OK',
    Array,
    '$me',
    '$1',
    `$${alice.address}:0`,
  ])
  resp.socket.destroy()
})

t.test('a key has its requests a minute on the wire and on RESP', async (t) => {
  const { ports, client } = await openRoom(t)
  const { apiKey, connection } = await client.issue('slow', ['read'], 2)
  const wire = await WireClient.open(ports.wire)
  t.match(await wire.login(connection.user, apiKey), { ok: 1 })
  t.match(await wire.run({ ping: 1, $db: 'main' }), { ok: 1 })
  t.match(await wire.run({ count: 'a', $db: 'main' }), { ok: 1 })
  const resp = await RespClient.open(ports.redis)
  t.equal(await resp.call('AUTH', apiKey), '+OK')
  t.equal(await resp.call('GET', 'a'), '$-1')
  t.match(await resp.call('GET', 'a'), /^-\w+ this key has 2 requests a minute/)
  t.match(await wire.run({ count: 'a', $db: 'main' }), {
    ...{ code: 462, codeName: 'IngressRequestRateLimitExceeded' },
    errorLabels: ['SystemOverloadedError', 'RetryableError'],
  })
  resp.socket.destroy()
  await wire.close()
})
