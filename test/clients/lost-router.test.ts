// Three gateways on one PostgreSQL in one URI. One is killed during a load of finds, retryable writes
// and transactions: the driver goes on with the others, and the application sees no error but those
// of what this driver does not repeat.

import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { testKey } from '../support/gateway.js'
import { CountedWrites } from '../support/histories/counted-writes.js'
import { postgresMissing } from '../support/postgres-reference.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'
import { until } from '../support/shared-pair.js'
import { sharedAddress } from '../support/shared-stores.js'
import { endSigil, settingsFor, startSigil } from '../support/sigil-process.js'

const workers = 6

/**
 * The specification lets a driver repeat writes. This one does so only if the connection is the first
 * that it finds closed: its server is of an unknown version from then on. And it gives no label to a
 * connection that it could not open, or whose pool another one has cleared, so `withTransaction` does
 * not begin again.
 */
const notRepeated = /^(?:write|transaction): Mongo(?:Network|PoolCleared)Error/

/**
 * Node's errors of a connection that the killed process has closed: if they meet a write, the driver
 * gives them as they are, or in the error of its bulk writes, and does not repeat the write.
 */
const bareError =
  /^\w+: (?:Error|MongoBulkWriteError): (?:This socket has been ended by the other party|(?:read|write) E(?:PIPE|CONNRESET))$/

/** One for each worker, and no hello that waits: it would often be the first. */
function openClient(t: Test, uri: string): MongoClient {
  const client = new MongoClient(uri, { monitorCommands: true, serverMonitoringMode: 'poll' })
  t.teardown(() => client.close())
  return client
}

t.test('a driver survives the loss of a router', { skip: postgresMissing }, async (t) => {
  const random = seededRandom(seed)
  const settings = { ...settingsFor(''), STORE: await sharedAddress(t), TOPOLOGY: 'router' }
  const sigils = await Promise.all([1, 2, 3].map(() => startSigil(settings)))
  for (const { child } of sigils) t.teardown(() => child.kill('SIGKILL'))
  const hosts = sigils.map(({ wirePort }) => `127.0.0.1:${wirePort}`)
  const uri = `mongodb://operator:${testKey}@${hosts.join(',')}/main?authSource=admin`
  const used = new Map<string, number>()
  const lost = new Set<string>()
  const counted = Array.from({ length: workers }, (_, at) => {
    const client = openClient(t, uri)
    client.on('commandSucceeded', ({ address }) => used.set(address, (used.get(address) ?? 0) + 1))
    client.on('serverDescriptionChanged', ({ address, newDescription }) => {
      if (newDescription.type === 'Unknown') lost.add(address)
    })
    return new CountedWrites(client, at)
  })
  for (const one of counted) await one.start()
  let isOver = false
  const load = counted.map(async (one) => {
    while (!isOver) await one.next(random)
  })
  const made = () => counted.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  await until(async () => made() > 40 && used.size === 3)
  const [killed] = sigils
  if (killed === undefined) throw new Error('three processes')
  await endSigil(killed, 'SIGKILL')
  const before = made()
  await until(async () => made() > before + 60 && lost.has(`127.0.0.1:${killed.wirePort}`))
  isOver = true
  await Promise.all(load)
  for (const one of counted) {
    const errors = one.errors.filter((text) => !notRepeated.test(text) && !bareError.test(text))
    t.same(errors, [], `SIGIL_SEED=${seed}: no error reaches the application`)
    t.equal(await one.problem(), undefined, 'each write is there once')
  }
})
