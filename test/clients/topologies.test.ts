// URIs and topologies, by the official Node driver: what docs/transactions.md says of each pair.

import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { testKey } from '../support/gateway.js'
import { startGateway } from '../support/live-gateway.js'

/** A commit by this URI works, and others see its document only then. */
async function commits(t: Test, uri: string): Promise<void> {
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const rows = client.db('main').collection<{ _id: string }>('rows')
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await rows.insertOne({ _id: uri }, { session })
      t.equal(await rows.countDocuments({ _id: uri }), 0)
    }),
  )
  t.equal(await rows.countDocuments({ _id: uri }), 1)
}

async function findsNothing(t: Test, uri: string): Promise<void> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 300 })
  t.teardown(() => client.close())
  const ping = client.db('main').command({ ping: 1 })
  await t.rejects(ping, /Server selection timed out|ENOTFOUND|EAI_AGAIN/)
}

t.test('a router serves plain URIs, several hosts, and load balancers', async (t) => {
  const { uri, ports } = await startGateway(t)
  await commits(t, uri)
  await commits(t, `${uri}?directConnection=true`)
  await commits(t, `${uri}?loadBalanced=true`)
  const hosts = `127.0.0.1:${ports.wire},localhost:${ports.wire}`
  await commits(t, `mongodb://operator:${testKey}@${hosts}/main`)
  await findsNothing(t, `${uri}?replicaSet=rs0`)
})

t.test('a replica set of one member serves URIs that name it', async (t) => {
  const { uri } = await startGateway(t, { TOPOLOGY: 'replica-set:rs0' })
  await commits(t, `${uri}?replicaSet=rs0`)
  await commits(t, uri)
  await findsNothing(t, `${uri}?replicaSet=other`)
})

t.test('drivers go to the address of PUBLIC_WIRE_ADDRESS', async (t) => {
  const settings = { TOPOLOGY: 'replica-set:rs0', PUBLIC_WIRE_ADDRESS: 'db.invalid:27017' }
  const { uri } = await startGateway(t, settings)
  await findsNothing(t, `${uri}?replicaSet=rs0`)
  await commits(t, `${uri}?directConnection=true`)
})

t.test('a standalone has no transactions', async (t) => {
  const { uri } = await startGateway(t, { TOPOLOGY: 'standalone' })
  await t.rejects(commits(t, uri), /retryable writes|Transaction numbers/)
  await findsNothing(t, `${uri}?replicaSet=rs0`)
})
