// Clients whose URI asks for another topology: the log says so once, and not for those that work.

import { type Document, MongoClient } from 'mongodb'
import { pino } from 'pino'
import t from 'tap'
import type { Topology } from '../../../src/base/setting-kinds.js'
import { Session } from '../../../src/bus/session.js'
import { operator } from '../../../src/identity/identity.js'
import { HelloOnly } from '../../../src/listeners/wire/hello-only.js'
import { documentFrom } from '../../../src/value/literal.js'
import { startGateway } from '../../support/live-gateway.js'

const minute = 60_000

function logRoom() {
  const warnings: Record<string, unknown>[] = []
  const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) })
  return { log, warnings }
}

function open(topology: Topology = 'router') {
  const { log, warnings } = logRoom()
  const time = { ms: 0 }
  const clock = { now: () => time.ms, elapsed: () => time.ms }
  const helloOnly = new HelloOnly(topology, clock, log)
  /** A connection that sends these commands and ends after `ms`. */
  const visit = (commands: readonly string[], ms = 10, client: Document = { name: 'app' }) => {
    const session = new Session({ protocol: 'wire', id: 1, remoteAddress: '10.0.0.1:5' })
    session.clientMetadata = documentFrom(client)
    const begun = helloOnly.begin(session)
    const goesOn = commands.every((name) => begun.goesOn(name))
    time.ms += ms
    if (goesOn) begun.end()
    return session
  }
  return { warnings, time, helloOnly, visit }
}

t.test('three visits in a row are told once an hour, with the setting', async (t) => {
  const { warnings, time, visit } = open()
  for (let i = 0; i < 10; i++) visit(['ismaster', 'hello'])
  t.equal(warnings.length, 1)
  t.match(warnings[0]?.msg, /replicaSet=<name>.*TOPOLOGY=replica-set:<name>/)
  t.match(warnings[0], { address: '10.0.0.1', topology: 'router' })
  time.ms += 61 * minute
  for (let i = 0; i < 3; i++) visit(['hello'])
  t.equal(warnings.length, 2)
})

t.test('a set names its own settings', async (t) => {
  const { warnings, visit } = open('replica-set:rs0')
  for (let i = 0; i < 3; i++) visit(['hello'])
  t.match(warnings[0]?.msg, /replicaSet.*TOPOLOGY.*PUBLIC_WIRE_ADDRESS/)
})

t.test('clients that work, wait, or send nothing are not told of', async (t) => {
  const { warnings, time, visit, helloOnly } = open()
  for (let i = 0; i < 5; i++) {
    visit(['hello', 'find'])
    visit(['hello'])
    visit(['hello'])
  }
  for (let i = 0; i < 5; i++) visit([], 10, { name: 'silent' })
  for (let i = 0; i < 5; i++) visit(['hello'], 6_000, { name: 'monitor' })
  for (let i = 0; i < 5; i++) visit(['hello'], 4 * minute, { name: 'rare' })
  for (let i = 0; i < 5; i++) {
    const session = new Session({ protocol: 'wire', id: 1, remoteAddress: '10.0.0.2:5' })
    const begun = helloOnly.begin(session)
    begun.goesOn('hello')
    session.identity = operator
    begun.end()
  }
  t.same(warnings, [])
  for (let i = 0; i < 3; i++) visit(['hello'], 10, { name: 'other' })
  t.equal(warnings.length, 1, 'another client at the same address')
  time.ms += 11 * minute
  for (let i = 0; i < 3; i++) visit(['hello'])
  t.equal(warnings.length, 2, 'one that has worked, later')
})

t.test('a driver with replicaSet in its URI is told of', async (t) => {
  const { log, warnings } = logRoom()
  const { uri } = await startGateway(t, {}, { log })
  for (let i = 0; i < 4; i++) {
    const client = new MongoClient(`${uri}?replicaSet=rs0`, { serverSelectionTimeoutMS: 200 })
    await t.rejects(client.connect(), /Server selection timed out/)
    await client.close()
  }
  const told = warnings.filter(({ topology }) => topology !== undefined)
  t.match(told, [{ topology: 'router', msg: /TOPOLOGY=replica-set/ }])
  t.equal(told.length, 1)
  const working = await MongoClient.connect(uri)
  await working.db('main').command({ ping: 1 })
  await working.close()
})
