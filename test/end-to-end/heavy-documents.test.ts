// Heavy documents over the network: what ends one that is computed in a thread, and that others are
// served meanwhile.

import { setTimeout as later } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'

const numbers = Array.from({ length: 100_000 }, (_, i) => i)

/** Some seconds to a minute for one document. */
const many = { $range: [0, { $add: [500_000, '$n'] }] }
const endless = [
  { $project: { r: { $size: { $filter: { input: many, cond: { $size: many } } } } } },
]
const sum = { $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }

async function opened(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off', ...settings })
  const uri = gateway.uri.replace(/\/main$/, '/?authSource=main')
  const client = await new MongoClient(uri).connect()
  t.teardown(() => client.close())
  const docs = client.db('main').collection<{ _id: number; n: number; a?: number[] }>('docs')
  await docs.insertMany([
    { _id: 1, n: 1, a: numbers },
    { _id: 2, n: 2 },
  ])
  return { gateway, client, docs, uri }
}

/** The operation of an aggregate that is at work, as soon as it is listed. */
async function operationOf(client: MongoClient): Promise<unknown> {
  for (let looks = 0; looks < 1_000; looks++) {
    const { inprog } = await client.db('admin').command({ currentOp: 1 })
    const found = inprog.find(
      (one: { command?: { aggregate?: string } }) => one.command?.aggregate !== undefined,
    )
    if (found !== undefined) return found.opid
    await later(10)
  }
  throw new Error('the aggregate is not at work')
}

t.test('maxTimeMS ends a heavy document', async (t) => {
  const { docs } = await opened(t)
  await t.rejects(docs.aggregate(endless, { maxTimeMS: 300 }).toArray(), { code: 50 })
  t.same(await docs.aggregate([{ $match: { _id: 1 } }, { $project: { s: sum } }]).toArray(), [
    { _id: 1, s: 4_999_950_000 },
  ])
})

t.test('killOp ends it, and others are served meanwhile', async (t) => {
  const { client, docs } = await opened(t)
  const running = docs.aggregate(endless).toArray()
  const refused = t.rejects(running, { code: 11_601 })
  const op = await operationOf(client)
  for (let i = 0; i < 50; i++) t.equal((await docs.findOne({ _id: 2 }))?.n, 2)
  await client.db('admin').command({ killOp: 1, op })
  await refused
})

t.test('killOp ends the transaction too in which it is computed', async (t) => {
  const { client, docs } = await opened(t, { TOPOLOGY: 'router' })
  const session = client.startSession()
  t.teardown(() => session.endSession())
  session.startTransaction()
  await docs.insertOne({ _id: 3, n: 3 }, { session })
  const refused = t.rejects(docs.aggregate(endless, { session }).toArray(), { code: 11_601 })
  const op = await operationOf(client)
  await client.db('admin').command({ killOp: 1, op })
  await refused
  await t.rejects(docs.findOne({ _id: 2 }, { session }), { code: 251 })
  await t.rejects(session.commitTransaction(), { code: 251 })
  t.equal(await docs.countDocuments({ _id: 3 }), 0)
})

t.test('a closed connection ends it, and its place is free again', async (t) => {
  const { client, docs, uri } = await opened(t)
  const other = await new MongoClient(uri, { maxPoolSize: 1 }).connect()
  const running = other.db('main').collection('docs').aggregate(endless).toArray()
  const refused = t.rejects(running)
  await operationOf(client)
  await other.close()
  await refused
  const pipeline = [{ $match: { _id: 1 } }, { $project: { s: sum } }]
  t.same(await docs.aggregate(pipeline).toArray(), [{ _id: 1, s: 4_999_950_000 }])
})

t.test('HTTP computes heavy documents too', async (t) => {
  const { gateway } = await opened(t)
  const ask = (route: string, body: object) =>
    fetch(`${gateway.url}/api/v1/collections/docs/${route}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.json())
  const expected = [{ _id: 1, s: 4_999_950_000 }]
  const pipeline = [{ $match: { _id: 1 } }, { $project: { s: sum } }]
  t.match(await ask('aggregate', { pipeline }), { cursor: { firstBatch: expected } })
})

t.test('a server that stops does not wait for one', async (t) => {
  const { gateway, docs } = await opened(t)
  const running = docs.aggregate(endless).toArray()
  const refused = t.rejects(running)
  await later(200)
  await gateway.close()
  await refused
})
