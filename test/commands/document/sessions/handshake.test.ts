// The first messages of a connection, by the bytes that drivers send: both generations of hello,
// logins within and beside it, and what must stay closed before one.

import { Binary, ObjectId } from 'bson'
import t, { type Test } from 'tap'
import { fixedStart, openFixedGateway, testKey } from '../../../support/gateway.js'
import { opQuery } from '../../../support/messages.js'
import { clientFinal, replyOf, textOf, WireClient } from '../../../support/wire-client.js'

async function open(t: Test, settings: Record<string, string> = {}): Promise<WireClient> {
  const gateway = await openFixedGateway({ ...fixedStart, settings })
  const client = await WireClient.open(gateway.ports.wire)
  t.teardown(async () => {
    await client.close()
    await gateway.close()
  })
  return client
}

const payload = (text: string) => new Binary(Buffer.from(text))
const speculate = (user: string) => ({
  saslStart: 1,
  mechanism: 'SCRAM-SHA-256',
  payload: payload(`n,,n=${user},r=abc`),
  db: 'admin',
  options: { skipEmptyExchange: true },
})

t.test('hello is a standalone of wire version 21 where the setting says so', async (t) => {
  const client = await open(t, { TOPOLOGY: 'standalone' })
  const reply = await client.run({ hello: 1, helloOk: true, backpressure: '2', $db: 'admin' })
  const { topologyVersion, ...rest } = reply
  t.match(topologyVersion, { processId: ObjectId, counter: 0 })
  t.same(rest, {
    helloOk: true,
    isWritablePrimary: true,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(fixedStart.nowMs),
    logicalSessionTimeoutMinutes: 30,
    connectionId: 1,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
    ok: 1,
  })
  t.equal(Object.keys(reply).at(-1), 'ok')
})

t.test('hello is a router', async (t) => {
  const client = await open(t)
  t.match(await client.run({ hello: 1, $db: 'admin' }), {
    isWritablePrimary: true,
    msg: 'isdbgrid',
  })
  t.match(await client.run({ isMaster: 1, $db: 'admin' }), { ismaster: true, msg: 'isdbgrid' })
})

t.test('hello is the only member of a set where the setting says so', async (t) => {
  const settings = { TOPOLOGY: 'replica-set:rs0', PUBLIC_WIRE_ADDRESS: 'db.example.com:27017' }
  const client = await open(t, settings)
  const reply = await client.run({ hello: 1, $db: 'admin' })
  const address = 'db.example.com:27017'
  const member = { setName: 'rs0', hosts: [address], me: address, primary: address }
  t.match(reply, { ...member, isWritablePrimary: true, secondary: false })
  t.notOk('msg' in reply)
})

t.test('without an address the member is at the listener’s', async (t) => {
  const client = await open(t, { TOPOLOGY: 'replica-set:rs0' })
  const { me } = await client.run({ hello: 1, $db: 'admin' })
  t.equal(me, `127.0.0.1:${client.socket.remotePort}`)
})

t.test('a client behind a load balancer learns which process serves it', async (t) => {
  const client = await open(t)
  const balanced = await client.run({ hello: 1, loadBalanced: true, $db: 'admin' })
  t.same(balanced.serviceId, (balanced.topologyVersion as { processId: unknown }).processId)
  const plain = await client.run({ hello: 1, loadBalanced: false, $db: 'admin' })
  t.notOk('serviceId' in plain)
})

t.test('the older names answer ismaster, over either protocol', async (t) => {
  const client = await open(t)
  for (const name of ['isMaster', 'ismaster']) {
    const reply = await client.run({ [name]: 1, $db: 'admin' })
    t.match(reply, { ismaster: true, ok: 1 })
    t.notOk('isWritablePrimary' in reply || 'helloOk' in reply)
    client.send(opQuery('admin.$cmd', { [name]: true, helloOk: true }, 9))
    t.match(await client.replyTo(9), { ismaster: true, helloOk: true, maxWireVersion: 21 })
  }
})

t.test('compression is the intersection, in the client’s order, or absent', async (t) => {
  const client = await open(t)
  const ask = async (compression: unknown) =>
    (await client.run({ hello: 1, compression, $db: 'admin' })).compression
  t.same(await ask(['snappy', 'zlib', 'zstd']), ['zlib'])
  for (const none of [['none'], [], ['snappy'], 'zlib', undefined])
    t.equal(await ask(none), undefined)
})

t.test('mechanisms are the same for every name', async (t) => {
  const client = await open(t)
  for (const user of ['admin.operator', 'admin.unknown', 'test.a.b']) {
    const reply = await client.run({ hello: 1, saslSupportedMechs: user, $db: 'admin' })
    t.same(reply.saslSupportedMechs, ['SCRAM-SHA-256', 'PLAIN'])
  }
})

t.test('a login may begin in hello and end by saslContinue', async (t) => {
  const client = await open(t)
  client.send(
    opQuery('admin.$cmd', { ismaster: 1, speculativeAuthenticate: speculate('operator') }, 1),
  )
  const hello = await client.replyTo(1)
  t.match(hello, { ok: 1, speculativeAuthenticate: { conversationId: 1, done: false } })
  const { payload: first } = hello.speculativeAuthenticate as { payload: unknown }
  const proof = clientFinal('n=operator,r=abc', textOf(first), testKey)
  const done = await client.run({
    ...{ saslContinue: 1, conversationId: 1, payload: payload(proof) },
    $db: 'admin',
  })
  t.match(done, { conversationId: 1, done: true, ok: 1 })
  t.match(textOf(done.payload), /^v=/)
  t.match(await client.run({ listDatabases: 1, $db: 'admin' }), { ok: 1 })
})

t.test('no login in hello can make it fail', async (t) => {
  const client = await open(t)
  for (const speculativeAuthenticate of [
    { ...speculate('operator'), mechanism: 'SCRAM-SHA-1' },
    { ...speculate('operator'), payload: payload('rubbish') },
    { ...speculate('operator'), payload: 7 },
    { saslStart: 1 },
    'text',
  ]) {
    const reply = await client.run({ hello: 1, speculativeAuthenticate, $db: 'admin' })
    t.equal(reply.ok, 1)
    t.notOk('speculativeAuthenticate' in reply)
  }
  t.match(
    await client.run({ hello: 1, speculativeAuthenticate: speculate('unknown'), $db: 'admin' }),
    { ok: 1, speculativeAuthenticate: { done: false } },
  )
})

t.test('the right key signs in, a wrong one and an unknown user answer alike', async (t) => {
  const client = await open(t)
  const failure = { ok: 0, code: 18, codeName: 'AuthenticationFailed' }
  for (const [user, key] of [
    ['operator', 'wrong'],
    ['unknown', testKey],
  ] as const) {
    t.match(await client.login(user, key), { ...failure, errmsg: 'Authentication failed.' })
  }
  t.match(await client.run({ listDatabases: 1, $db: 'admin' }), {
    code: 13,
    errmsg: /requires authentication/,
  })
  t.match(await client.login('operator', testKey), { ok: 1, done: true })
  t.match(await client.login('operator', testKey), { ok: 1, done: true })
  t.match(await client.run({ logout: 1, $db: 'admin' }), { ok: 1 })
  t.match(await client.run({ listDatabases: 1, $db: 'admin' }), { code: 13 })
})

t.test('an unknown salt is stable, as a known one is', async (t) => {
  const client = await open(t)
  const salt = async (user: string) => {
    const { options, ...start } = speculate(user)
    const reply = await client.run({ ...start, options, $db: 'admin' })
    return /s=([^,]+)/.exec(textOf(reply.payload))?.[1]
  }
  t.equal(await salt('unknown'), await salt('unknown'))
  t.not(await salt('unknown'), await salt('another'))
  t.equal((await salt('operator'))?.length, (await salt('unknown'))?.length)
})

t.test('PLAIN works on loopback, with payloads as text too', async (t) => {
  const client = await open(t)
  const plain = { saslStart: 1, mechanism: 'PLAIN', $db: '$external' }
  const text = `\0operator\0${testKey}`
  t.match(await client.run({ ...plain, payload: payload('\0operator\0wrong') }), { code: 18 })
  t.match(await client.run({ ...plain, payload: payload(text) }), { ok: 1, done: true })
  await client.run({ logout: 1, $db: '$external' })
  const encoded = Buffer.from(text).toString('base64')
  t.match(await client.run({ ...plain, payload: encoded }), { ok: 1, done: true, payload: '' })
})

t.test('misuse of the conversation is 17, five failed keys are the end', async (t) => {
  const client = await open(t)
  const proceed = { saslContinue: 1, conversationId: 1, payload: payload(''), $db: 'admin' }
  t.match(await client.run(proceed), { code: 17, errmsg: 'No SASL session state found' })
  t.match(await client.run({ ...speculate('operator'), $db: 'admin' }), { ok: 1 })
  t.match(await client.run({ ...proceed, conversationId: 2 }), { code: 17 })
  t.match(await client.run({ ...speculate('operator'), mechanism: 'GSSAPI', $db: 'admin' }), {
    code: 334,
  })
  t.match(await client.run({ authenticate: 1, mechanism: 'MONGODB-X509', $db: '$external' }), {
    code: 334,
  })
  for (let attempt = 1; attempt <= 5; attempt++) {
    t.match(await client.login('operator', 'wrong'), { code: 18 })
  }
  await client.closed
})

t.test('with AUTH_MODE=off everyone is the operator, also after logout', async (t) => {
  const client = await open(t, { AUTH_MODE: 'off' })
  for (const command of [{ listDatabases: 1 }, { logout: 1 }, { listDatabases: 1 }]) {
    t.match(await client.run({ ...command, $db: 'admin' }), { ok: 1 })
  }
  t.match(await client.login('operator', testKey), { ok: 1 })
  t.match(await client.login('operator', 'wrong'), { code: 18 })
})

t.test('getnonce gives a number, OP_QUERY nothing but hello', async (t) => {
  const client = await open(t)
  t.match(await client.run({ getnonce: 1, $db: 'admin' }), { nonce: /^[0-9a-f]{16}$/, ok: 1 })
  client.send(opQuery('admin.$cmd', { ping: 1 }, 4))
  const frame = await client.next()
  t.match(frame === undefined ? {} : replyOf(frame), { ok: 0, code: 352 })
})
