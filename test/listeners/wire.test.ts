// The listener over a bus that the test holds in its hand: order, silence, back-pressure, bounds,
// hard failures and the ways to an end.

import { deflateSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { systemClock, systemRandom } from '../../src/base/clock.js'
import { fail } from '../../src/base/errors.js'
import { MemoryAccount } from '../../src/base/heap/memory-account.js'
import { socketBacklogBytesMax } from '../../src/base/limits/connections.js'
import { anonymousMessageBytesMax } from '../../src/base/limits/documents.js'
import { silentLog } from '../../src/base/log.js'
import type { Request } from '../../src/bus/document/request.js'
import type { Session } from '../../src/bus/session.js'
import { operator } from '../../src/identity/identity.js'
import type { Credentials } from '../../src/identity/sign-in/login.js'
import { openWire, type WireListener, type WireOptions } from '../../src/listeners/wire.js'
import { decoyVerifier } from '../../src/protocol/scram/verifier.js'
import { readHeader } from '../../src/protocol/wire/header.js'
import type { Awaitable } from '../../src/store/store.js'
import { documentFrom } from '../../src/value/literal.js'
import { makeCertificate } from '../support/certificate.js'
import { toObject } from '../support/literal.js'
import {
  bodySection,
  command,
  frame,
  opCompressed,
  opMsg,
  opQuery,
  sequenceSection,
} from '../support/messages.js'
import { replyOf, unacknowledged, WireClient } from '../support/wire-client.js'

type Run = (request: Request, session: Session) => Awaitable<Uint8Array>

const noCredentials: Credentials = {
  account: (user) => ({
    verifier: decoyVerifier(Uint8Array.of(1), user, 4096),
    identity: undefined,
  }),
  identityOf: () => undefined,
  identify: () => undefined,
}

const budgetBytes = 256_000_000

interface Opened {
  readonly listener: WireListener
  readonly memory: MemoryAccount
  client(): Promise<WireClient>
}

async function open(t: Test, run: Run, more: Partial<WireOptions> = {}): Promise<Opened> {
  const memory = new MemoryAccount(budgetBytes)
  const listener = await openWire({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    allowInsecure: false,
    topology: 'standalone',
    authOff: false,
    bus: { run },
    credentials: noCredentials,
    memory,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    ...more,
  })
  t.teardown(() => listener.close(0))
  return {
    listener,
    memory,
    client: async () => {
      const client = await WireClient.open(listener.port)
      t.teardown(() => client.close())
      return client
    },
  }
}

/** Answers the command's first field, and signs in each client that asks for it. */
const echo: Run = (request, session) => {
  const body = toObject(request.body)
  if ('login' in body) session.identity = operator
  if ('zlib' in body) session.compression = ['zlib']
  if ('boom' in body) throw fail('BadValue', 'boom')
  return documentFrom({ db: request.db, ...body, ok: 1 })
}

const ok = documentFrom({ ok: 1 })

/** A bus whose answers the test gives one by one. */
class ManualBus {
  readonly seen: Record<string, unknown>[] = []
  readonly sessions: Session[] = []
  private readonly open: ((document: Uint8Array) => void)[] = []
  private arrived: (() => void) | undefined

  readonly run: Run = (request, session) => {
    this.seen.push(toObject(request.body))
    this.sessions.push(session)
    session.identity = operator
    this.arrived?.()
    return new Promise((resolve) => this.open.push(resolve))
  }

  /** Resolves when that many commands have come in all. */
  async count(commands: number): Promise<void> {
    while (this.seen.length < commands) {
      await new Promise<void>((resolve) => {
        this.arrived = resolve
      })
    }
  }

  answer(document = ok): void {
    this.open.shift()?.(document)
  }
}

t.test('a command is answered with its id, over OP_MSG and OP_QUERY', async (t) => {
  const client = await (await open(t, echo)).client()
  t.match(await client.run({ ping: 1 }), { db: 'test', ping: 1, ok: 1 })
  client.send(opQuery('admin.$cmd', { isMaster: 1 }, 99))
  const reply = await client.next()
  t.ok(reply)
  if (reply === undefined) return
  t.match(readHeader(reply), { requestId: 2, responseTo: 99, opcode: 1 })
  t.match(replyOf(reply), { db: 'admin', isMaster: 1, ok: 1 })
})

t.test('an error is a reply like any other', async (t) => {
  const client = await (await open(t, echo)).client()
  t.match(await client.run({ boom: 1 }), { ok: 0, code: 2, codeName: 'BadValue', errmsg: 'boom' })
  const rejecting = await open(t, () => Promise.reject(new Error('secret detail')))
  const other = await rejecting.client()
  t.match(await other.run({ ping: 1 }), { ok: 0, code: 1, errmsg: 'internal error' })
  t.match(await other.run({ ping: 1 }), { ok: 0, code: 1 })
})

t.test('every split of a message gives the same answer', async (t) => {
  const client = await (await open(t, echo)).client()
  for (let at = 1; at < command({ ping: 1 }).length; at++) {
    const message = command({ ping: 1 }, { requestId: at })
    client.send(message.subarray(0, at))
    await new Promise(setImmediate)
    client.send(message.subarray(at))
    t.equal((await client.replyTo(at)).ok, 1)
  }
})

t.test('pipelined commands run one at a time and answer in order', async (t) => {
  const bus = new ManualBus()
  const client = await (await open(t, bus.run)).client()
  const ids = [1, 2, 3, 4, 5]
  client.send(Buffer.concat(ids.map((requestId) => command({ ping: requestId }, { requestId }))))
  for (const id of ids) {
    await bus.count(id)
    t.equal(bus.seen.length, id)
    bus.answer()
    await client.replyTo(id)
  }
})

t.test('moreToCome is executed and never answered, errors included', async (t) => {
  let runs = 0
  const counted: Run = (request, session) => {
    runs++
    return echo(request, session)
  }
  const client = await (await open(t, counted)).client()
  client.send(unacknowledged({ ping: 1 }))
  client.send(unacknowledged({ boom: 1 }))
  client.send(opMsg([bodySection({ noDatabase: 1 })], { flags: 2 }))
  t.equal((await client.run({ ping: 1 })).ok, 1)
  t.equal(client.unread, 0)
  t.equal(runs, 3)
})

t.test('a bad document is an error, and the connection stays', async (t) => {
  const client = await (await open(t, echo)).client()
  const bad = command({ ping: 1, b: true }, { requestId: 5 })
  bad[bad.indexOf(98) + 2] = 9
  client.send(bad)
  t.match(await client.replyTo(5), { code: 22, codeName: 'InvalidBSON' })
  client.send(opMsg([bodySection({ ping: 1 })], { requestId: 6 }))
  t.match(await client.replyTo(6), { code: 40571 })
  client.send(opQuery('test.c', { a: 1 }, 7))
  t.match(await client.replyTo(7), { code: 352 })
  t.equal((await client.run({ ping: 1 })).ok, 1)
})

t.test('a message that cannot be understood is answered, then closed', async (t) => {
  const { client } = await open(t, echo)
  const wrong: [Uint8Array, number][] = [
    [command({ ping: 1 }, { flags: 4 }), 223],
    [opMsg([bodySection({ ping: 1 }), Uint8Array.of(9)]), 40432],
    [Buffer.concat([opMsg([bodySection({ ping: 1 })], { checksum: true })]), 0],
  ]
  for (const [message, code] of wrong) {
    const one = await client()
    if (code === 0) message[message.length - 1] = (message[message.length - 1] ?? 0) ^ 1
    one.send(message)
    t.match(await one.replyTo(1), { ok: 0, code: code === 0 ? 288 : code })
    await one.closed
  }
})

t.test('lengths and opcodes that are none close without a word', async (t) => {
  const { client } = await open(t, echo)
  const body = new Uint8Array(20)
  const messages = [
    frame(2013, body, 1, 15),
    frame(2013, body, 1, -5),
    frame(2013, body, 1, 48_000_001),
    frame(2013, new Uint8Array(anonymousMessageBytesMax)),
    ...[0, 1, 1000, 2001, 2002, 2005, 2006, 2007, 2010, 2011, 2014, -1].map((code) =>
      frame(code, body),
    ),
  ]
  for (const message of messages) {
    const one = await client()
    one.send(message)
    t.equal(await one.next(), undefined)
  }
})

t.test('signing in raises the bound of a message', async (t) => {
  const client = await (await open(t, echo)).client()
  const large = 'x'.repeat(anonymousMessageBytesMax)
  await client.run({ login: 1 })
  t.equal((await client.run({ large })).ok, 1)
  t.equal((await client.run({ large: 'y'.repeat(1_000_000) })).ok, 1)
})

t.test('a message of many megabytes is read in steps, answered and let go', async (t) => {
  const { client, memory } = await open(
    t,
    (request) => {
      const documents = request.sequences.get('documents')
      return documentFrom({ n: documents?.length ?? 0, ok: 1 })
    },
    { authOff: true },
  )
  const documents = new Array<Uint8Array>(40).fill(documentFrom({ text: 'x'.repeat(1_000_000) }))
  const one = await client()
  one.send(opMsg([sequenceSection('documents', documents), bodySection({ insert: 'c', $db: 'd' })]))
  t.match(await one.replyTo(1), { n: 40, ok: 1 })
  const spoilt = opMsg([bodySection({ insert: 'c' }), sequenceSection('documents', documents)])
  spoilt[spoilt.length - 1] = 1
  one.send(spoilt)
  t.match(await one.replyTo(1), { code: 22 })
  t.equal(memory.budget.bytesUsed, 0)
})

t.test('compressed requests get compressed answers, but only once agreed', async (t) => {
  const { client, memory } = await open(t, echo)
  for (const fields of [{ ping: 1 }, { text: 'x'.repeat(200_000) }]) {
    const one = await client()
    await one.run({ login: 1, zlib: 1 })
    const message = command(fields, { requestId: 9 })
    one.send(opCompressed(message, deflateSync(message.subarray(16))))
    const reply = await one.next()
    t.ok(reply)
    if (reply === undefined) return
    t.match(readHeader(reply), { responseTo: 9, opcode: 2012 })
    t.equal((await one.run({ ping: 1 })).ok, 1)
  }
  const message = command({ ping: 1 })
  const packed = opCompressed(message, deflateSync(message.subarray(16)))
  for (const first of [{ ping: 1 }, { login: 1 }]) {
    const one = await client()
    await one.run(first)
    one.send(packed)
    t.equal(await one.next(), undefined)
  }
  const bomb = await client()
  await bomb.run({ login: 1, zlib: 1 })
  bomb.send(opCompressed(message, deflateSync(Buffer.alloc(1_000_000))))
  t.match(await bomb.next().then((reply) => reply && replyOf(reply)), { code: 17 })
  await bomb.closed
  t.equal(memory.budget.bytesUsed, 0)
})

t.test('a monitor compresses without a login, in short messages', async (t) => {
  const { client, memory } = await open(t, echo)
  const monitor = await client()
  await monitor.run({ zlib: 1 })
  const packed = (fields: Record<string, unknown>) => {
    const message = command(fields, { requestId: 9 })
    return opCompressed(message, deflateSync(message.subarray(16)))
  }
  monitor.send(packed({ hello: 1 }))
  const reply = await monitor.next()
  t.match(reply && readHeader(reply), { responseTo: 9, opcode: 2012 })
  monitor.send(packed({ text: 'x'.repeat(anonymousMessageBytesMax) }))
  t.match(await monitor.next().then((last) => last && replyOf(last)), { code: 17 })
  await monitor.closed
  t.equal(memory.budget.bytesUsed, 0)
})

t.test('a client that does not read is not read from', async (t) => {
  const large = documentFrom({ text: 'x'.repeat(socketBacklogBytesMax), ok: 1 })
  let runs = 0
  const { client, memory } = await open(t, (_request, session) => {
    runs++
    session.identity = operator
    return large
  })
  const one = await client()
  one.socket.pause()
  const ids = Array.from({ length: 60 }, (_, index) => index + 1)
  for (const requestId of ids) one.send(command({ ping: 1 }, { requestId }))
  // Another connection's round trips give the first one all the time it needs to go too far.
  const other = await client()
  for (let round = 0; round < 20; round++) {
    await other.run({ ping: 1 })
  }
  const served = runs - 20
  t.ok(served > 0 && served < ids.length, `served ${served} of ${ids.length}`)
  t.ok(
    memory.budget.bytesUsed < 10 * socketBacklogBytesMax,
    `holds ${memory.budget.bytesUsed} bytes`,
  )
  one.socket.resume()
  for (const requestId of ids) t.equal((await one.replyTo(requestId)).ok, 1)
  t.equal(runs - 20, ids.length)
})

t.test('large messages wait for room, and those who leave give theirs back', async (t) => {
  const bus = new ManualBus()
  const memory = new MemoryAccount(1_000_000)
  const { client } = await open(t, bus.run, { memory, authOff: true })
  const text = 'x'.repeat(700_000)
  const [first, second, third] = [await client(), await client(), await client()]
  first.send(command({ text }, { requestId: 1 }))
  await bus.count(1)
  second.send(command({ text }, { requestId: 2 }))
  third.send(command({ small: 1 }, { requestId: 3 }))
  await bus.count(2)
  t.same(bus.seen[1], { small: 1, $db: 'test' })
  bus.answer()
  t.equal((await first.replyTo(1)).ok, 1)
  await bus.count(3)
  bus.answer()
  bus.answer()
  t.equal((await second.replyTo(2)).ok, 1)
  t.equal((await third.replyTo(3)).ok, 1)
  t.equal(memory.budget.bytesUsed, 0)
})

t.test('a client that goes away ends its session, and its memory comes back', async (t) => {
  const bus = new ManualBus()
  const gone: Session[] = []
  let closed: (() => void) | undefined
  const { client, memory } = await open(t, bus.run, {
    bus: {
      run: bus.run,
      sessionClosed: (session) => {
        gone.push(session)
        closed?.()
      },
    },
  })
  const one = await client()
  one.send(command({ ping: 1 }))
  await bus.count(1)
  t.equal(bus.sessions[0]?.closed, false)
  const told = new Promise<void>((resolve) => {
    closed = resolve
  })
  await one.close()
  await told
  t.same(gone, [bus.sessions[0]])
  t.equal(bus.sessions[0]?.closed, true)
  t.ok(memory.budget.bytesUsed > 0)
  bus.answer()
  await new Promise(setImmediate)
  t.equal(memory.budget.bytesUsed, 0)
})

t.test('five failed logins close the connection', async (t) => {
  const failing: Run = (_request, session) => {
    session.authFailures++
    throw fail('AuthenticationFailed', 'Authentication failed.')
  }
  const client = await (await open(t, failing)).client()
  for (let attempt = 1; attempt <= 5; attempt++) {
    t.equal((await client.run({ saslStart: 1 })).code, 18)
  }
  await client.closed
})

t.test('sockets without login are counted, and a login makes room', async (t) => {
  const { listener, client } = await open(t, echo)
  const one = await client()
  await one.run({ ping: 1 })
  t.match(listener.connections(), { current: 1, totalCreated: 1 })
  const two = await client()
  await two.run({ login: 1 })
  await two.close()
  await one.run({ ping: 1 })
  t.match(listener.connections(), { current: 1, totalCreated: 2 })
})

t.test('a newcomer takes the place of the oldest socket without login', async (t) => {
  const { client } = await open(t, echo, { bounds: { sockets: 3, anonymous: 2 } })
  const [one, two] = [await client(), await client()]
  await one.run({ ping: 1 })
  await two.run({ login: 1 })
  const three = await client()
  t.equal((await three.run({ ping: 1 })).ok, 1)
  const four = await client()
  t.equal((await four.run({ ping: 1 })).ok, 1)
  await one.closed
  t.equal((await two.run({ ping: 1 })).ok, 1, 'who has logged in stays')
  await three.run({ login: 1 })
  await four.run({ login: 1 })
  const beyond = await client()
  t.equal(await beyond.next(), undefined, 'with none to close, the newcomer is refused')
})

t.test('a stop lets what is in flight finish and takes nothing more', async (t) => {
  const bus = new ManualBus()
  const { listener, client } = await open(t, bus.run)
  const [busy, idle] = [await client(), await client()]
  busy.send(command({ ping: 1 }, { requestId: 1 }))
  await bus.count(1)
  busy.send(command({ ping: 2 }, { requestId: 2 }))
  const stopped = listener.close(60_000)
  await idle.closed
  await t.rejects(WireClient.open(listener.port))
  bus.answer()
  t.equal((await busy.replyTo(1)).ok, 1)
  await busy.closed
  await stopped
  t.equal(bus.seen.length, 1)
})

t.test('a stop does not wait longer than it is told', async (t) => {
  const bus = new ManualBus()
  const { listener, client } = await open(t, bus.run)
  const busy = await client()
  busy.send(command({ ping: 1 }))
  await bus.count(1)
  await listener.close(0)
  await busy.closed
})

t.test('a network is served with TLS, or by an explicit wish', async (t) => {
  const options = { host: '0.0.0.0' }
  await t.rejects(open(t, echo, options), { code: 72 })
  const opened = await open(t, echo, { ...options, allowInsecure: true })
  t.equal((await (await opened.client()).run({ ping: 1 })).ok, 1)
})

t.test('a port in use is told by its own error', async (t) => {
  const { listener } = await open(t, echo)
  await t.rejects(open(t, echo, { port: listener.port }), { code: 'EADDRINUSE' })
})

t.test('TLS from the first byte, and plaintext gets no answer', async (t) => {
  const tls = makeCertificate()
  const { listener, client } = await open(t, echo, { tls, host: '0.0.0.0' })
  const secure = await WireClient.openTls(listener.port, tls.cert.toString())
  t.match(await secure.run({ ping: 1 }), { ok: 1 })
  await secure.close()
  const plain = await client()
  plain.send(command({ ping: 1 }))
  t.equal(await plain.next(), undefined)
})
