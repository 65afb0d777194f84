// failCommand as the tests of drivers use it: over the bus for what it does and when, and through
// the official driver for what a client sees.
// (wiki of the MongoDB server, "The failCommand fail point")

import { MongoClient, MongoNetworkError, MongoServerError } from 'mongodb'
import t, { type Test } from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { FailPoint } from '../../../../src/bus/document/fail-point.js'
import { Session } from '../../../../src/bus/session.js'
import { failPointRow } from '../../../../src/commands/document/server/fail-point.js'
import { documentRows } from '../../../../src/commands/rows.js'
import { operator } from '../../../../src/identity/identity.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { elementsOf } from '../../../../src/value/elements.js'
import { documentFrom } from '../../../../src/value/literal.js'
import type { Value } from '../../../../src/value/value.js'
import { CommandRoom, type Reply } from '../../../support/command-room.js'
import { startGateway } from '../../../support/live-gateway.js'

type Plain = Readonly<Record<string, unknown>>

interface Place {
  readonly room: CommandRoom
  readonly wire: Session
  readonly slept: number[]
  /** Arms it; answers the reply. */
  arm(mode: unknown, data: Plain): Promise<Reply>
  /** The code of a command over the wire; 0 where it works. */
  code(command: Plain): Promise<number>
}

function open(t: Test, onSleep: (wire: Session) => void = () => {}): Place {
  const slept: number[] = []
  const wire = new Session({ protocol: 'wire', id: 7, remoteAddress: 'test:7', identity: operator })
  const failPoint = new FailPoint({
    chance: () => 0.5,
    sleep: async (ms) => {
      slept.push(ms)
      onSleep(wire)
    },
  })
  const rows = [...documentRows, failPointRow]
  const store = openMemoryStore(systemClock)
  const room = new CommandRoom(store, systemClock, { rows, services: { failPoint } })
  t.teardown(() => room.engine.close())
  return {
    ...{ room, wire, slept },
    arm: (mode, data) => room.run({ configureFailPoint: 'failCommand', mode, data }, 'admin', wire),
    code: async (command) => {
      try {
        await room.raw(command, 'test', wire)
        return 0
      } catch (error) {
        return (error as { code: number }).code
      }
    },
  }
}

const failing = (name: string, more: Plain = {}) => ({
  failCommands: [name],
  errorCode: 11601,
  ...more,
})

t.test('times counts hits of the named commands alone', async (t) => {
  const { arm, code } = open(t)
  t.same(await arm({ times: 2 }, failing('find')), { count: 0, ok: 1 })
  t.equal(await code({ count: 'c' }), 0)
  t.equal(await code({ find: 'c' }), 11601)
  t.equal(await code({ find: 'c' }), 11601)
  t.equal(await code({ find: 'c' }), 0)
  t.same(await arm('off', {}), { count: 2, ok: 1 }, 'and is told how often it took effect')
})

t.test('alwaysOn goes on until off, and skip begins late', async (t) => {
  const { arm, code } = open(t)
  await arm('alwaysOn', failing('find'))
  for (let i = 0; i < 3; i++) t.equal(await code({ find: 'c' }), 11601)
  await arm({ skip: 1 }, failing('find'))
  t.same([await code({ find: 'c' }), await code({ find: 'c' })], [0, 11601])
  await arm({ activationProbability: 0.4 }, failing('find'))
  t.equal(await code({ find: 'c' }), 0)
  await arm({ activationProbability: 0.6 }, failing('find'))
  t.equal(await code({ find: 'c' }), 11601)
  await arm('off', {})
  t.equal(await code({ find: 'c' }), 0)
})

t.test('an alias names its command, and failAllCommands every one but its own', async (t) => {
  const { arm, code } = open(t)
  await arm('alwaysOn', failing('ismaster'))
  t.equal(await code({ isMaster: 1 }), 11601)
  t.equal(await code({ hello: 1 }), 0)
  await arm('alwaysOn', { failAllCommands: true, errorCode: 91 })
  t.equal(await code({ ping: 1 }), 91)
  t.same(await arm('off', {}), { count: 2, ok: 1 })
})

t.test('other protocols are left alone', async (t) => {
  const { room, arm } = open(t)
  await arm('alwaysOn', failing('find'))
  t.match(await room.run({ find: 'c' }), { ok: 1 })
})

t.test('a command that is malformed fails for that first', async (t) => {
  const { arm, code } = open(t)
  await arm('alwaysOn', failing('find'))
  t.equal(await code({ find: 'c', nonsense: 1 }), 40415)
})

t.test('appName and namespace narrow it down', async (t) => {
  const { arm, code, wire } = open(t)
  await arm('alwaysOn', failing('find', { appName: 'mine' }))
  t.equal(await code({ find: 'c' }), 0)
  wire.clientMetadata = documentFrom({ application: { name: 'mine' } })
  t.equal(await code({ find: 'c' }), 11601)
  await arm('alwaysOn', failing('find', { namespace: 'test.c' }))
  t.equal(await code({ find: 'c' }), 11601)
  t.equal(await code({ find: 'd' }), 0)
})

t.test('an error has the labels and fields that were given, and no others', async (t) => {
  const { room, arm, wire } = open(t)
  const labels = { errorLabels: ['RetryableWriteError'], errorExtraInfo: { why: 'test' } }
  await arm('alwaysOn', failing('find', labels))
  const { message, extra } = await room.refusal({ find: 'c' }, 'test', wire)
  t.equal(message, "Failing command via 'failCommand' failpoint")
  t.same(Object.keys(extra), ['why', 'errorLabels'])
  await arm('alwaysOn', failing('find', { errorLabels: [] }))
  const { extra: unlabelled } = await room.refusal({ find: 'c' }, 'test', wire)
  t.same(elementsOf(unlabelled.errorLabels as Value), [], 'the server adds none of its own')
})

t.test('with a write concern error alone the command does its work', async (t) => {
  const { room, arm, wire } = open(t)
  const writeConcernError = { code: 91, errmsg: 'Replication is being shut down' }
  const data = { failCommands: ['insert'], writeConcernError, errorLabels: ['x'] }
  await arm({ times: 1 }, data)
  const reply = await room.run({ insert: 'c', documents: [{ _id: 1 }] }, 'test', wire)
  t.same(reply, { n: 1, writeConcernError, errorLabels: ['x'], ok: 1 })
  t.same(await room.all('c'), [{ _id: 1 }])
})

t.test('a blocked command waits first, and then goes on or fails', async (t) => {
  const { arm, code, slept } = open(t)
  const blocking = { blockConnection: true, blockTimeMS: 120 }
  await arm({ times: 1 }, { failCommands: ['find'], ...blocking })
  t.equal(await code({ find: 'c' }), 0)
  t.equal(
    slept.reduce((sum, ms) => sum + ms),
    120,
  )
  await arm({ times: 1 }, failing('find', blocking))
  t.equal(await code({ find: 'c' }), 11601)
})

t.test('who is gone does not keep a command waiting', async (t) => {
  const { arm, code, slept } = open(t, (wire) => {
    wire.closed = true
  })
  const blocking = { blockConnection: true, blockTimeMS: 1e12 }
  await arm('alwaysOn', { failCommands: ['find'], ...blocking })
  t.equal(await code({ find: 'c' }), 11601)
  t.equal(slept.length, 1)
})

t.test('what cannot be meant is refused, and changes nothing', async (t) => {
  const { room, code, arm } = open(t)
  await arm('alwaysOn', failing('find'))
  const refused = (mode: unknown, data: unknown = {}, name = 'failCommand') =>
    room.fails({ configureFailPoint: name, mode, data }, 'admin').then(([code]) => code)
  t.equal(await refused('sometimes'), 2)
  t.equal(await refused({ sometimes: 1 }), 2)
  t.equal(await refused({ times: -1 }), 2)
  t.equal(await refused({ times: 'x' }), 14)
  t.equal(await refused({ activationProbability: 2 }), 2)
  t.equal(await refused(1), 14)
  t.equal(await refused('alwaysOn', 1), 14)
  t.equal(await refused('alwaysOn', { blockConnection: true }), 72)
  t.equal(await refused('alwaysOn', { blockConnection: true, blockTimeMS: -1 }), 72)
  t.equal(await refused('alwaysOn', {}, 'maxTimeAlwaysTimeOut'), 266)
  t.equal(await code({ find: 'c' }), 11601)
})

t.test('a driver sees an error with its name, and a connection that is gone', async (t) => {
  const { uri } = await startGateway(t, { TEST_COMMANDS: '1' })
  const client = await MongoClient.connect(`${uri}?retryWrites=false`)
  t.teardown(() => client.close())
  const admin = client.db('admin')
  const arm = (data: Plain) =>
    admin.command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data })
  const rows = client.db('main').collection<{ _id: number }>('rows')
  t.match(await admin.command({ getParameter: 1, enableTestCommands: 1 }), {
    enableTestCommands: true,
  })
  await arm({ failCommands: ['insert'], errorCode: 10107 })
  await t.rejects(rows.insertOne({ _id: 1 }), { code: 10107, codeName: 'NotWritablePrimary' })
  await arm({ failCommands: ['insert'], closeConnection: true })
  await t.rejects(rows.insertOne({ _id: 1 }), MongoNetworkError)
  await arm({ failCommands: ['find'], closeConnection: true })
  t.same(await rows.find().toArray(), [], 'a read is sent again')
})

t.test('without the setting no fail point can be armed', async (t) => {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const command = { configureFailPoint: 'failCommand', mode: 'alwaysOn' }
  const refusal = await client
    .db('admin')
    .command(command)
    .catch((error: unknown) => error)
  t.ok(refusal instanceof MongoServerError)
  t.match(refusal, { code: 59, message: "no such command: 'configureFailPoint'" })
})

t.test('the setting is warned about, and refused where others reach the server', async (t) => {
  const { notes } = await startGateway(t, { TEST_COMMANDS: '1' })
  t.match(notes.join(), /TEST_COMMANDS=1/)
  const elsewhere = [
    { HOST: '0.0.0.0', ALLOW_INSECURE: '1', WHITELIST: 'off' },
    { PUBLIC_URL: 'https://db.example.org' },
    { TRUSTED_PROXIES: '127.0.0.1' },
  ]
  for (const place of elsewhere) {
    await t.rejects(startGateway(t, { TEST_COMMANDS: '1', ...place }), { code: 72 })
  }
})
