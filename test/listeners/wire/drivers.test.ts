// The official drivers against a gateway: they connect, sign in, pool, compress, and see their
// errors as they expect them.

import { MongoClient as MongoClient7, type MongoClientOptions } from 'mongodb'
import { MongoClient as MongoClient6 } from 'mongodb6'
import t, { type Test } from 'tap'
import type { Gateway } from '../../../src/gateway/gateway.js'
import { fixedStart, openFixedGateway, testKey } from '../../support/gateway.js'

// The calls made here are the same in both versions, and so are their types but in name.
const drivers = { 6: MongoClient6 as unknown as typeof MongoClient7, 7: MongoClient7 }

async function open(t: Test): Promise<Gateway> {
  const gateway = await openFixedGateway(fixedStart)
  t.teardown(() => gateway.close())
  return gateway
}

interface Options extends MongoClientOptions {
  readonly key?: string
}

for (const [version, MongoClient] of Object.entries(drivers)) {
  const connect = async (t: Test, gateway: Gateway, more: Options) => {
    const { key = testKey, ...options } = more
    const address = `127.0.0.1:${gateway.ports.wire}`
    const client = new MongoClient(`mongodb://operator:${key}@${address}/`, options)
    t.teardown(() => client.close())
    return client.connect()
  }

  t.test(`driver ${version} signs in by either mechanism`, async (t) => {
    const gateway = await open(t)
    for (const authMechanism of [undefined, 'SCRAM-SHA-256', 'PLAIN'] as const) {
      const options: Options = authMechanism === undefined ? {} : { authMechanism }
      const client = await connect(t, gateway, options)
      t.match(await client.db('test').command({ ping: 1 }), { ok: 1 })
      await client.close()
    }
  })

  t.test(`driver ${version} is told 18 for a wrong key`, async (t) => {
    const gateway = await open(t)
    await t.rejects(connect(t, gateway, { key: 'wrong' }), { code: 18 })
    await t.rejects(connect(t, gateway, { key: 'wrong', authMechanism: 'PLAIN' }), { code: 18 })
  })

  t.test(`driver ${version} with zlib, a full pool and unacknowledged writes`, async (t) => {
    const gateway = await open(t)
    const client = await connect(t, gateway, { compressors: ['zlib'], maxPoolSize: 20 })
    const items = client.db('test').collection<{ _id: number; text: string }>('items')
    const text = 'x'.repeat(1_000)
    const documents = Array.from({ length: 500 }, (_, _id) => ({ _id, text }))
    await items.insertMany(documents)
    const reads = await Promise.all(documents.map(({ _id }) => items.findOne({ _id })))
    t.same(reads, documents)
    const silent = client
      .db('test')
      .collection<{ _id: number; text: string }>('items', { writeConcern: { w: 0 } })
    await silent.insertOne({ _id: 1, text: 'an unreported duplicate' })
    await silent.insertOne({ _id: 1_000, text: 'silent' })
    t.equal(await items.countDocuments(), 501)
    await t.rejects(items.insertOne({ _id: 1, text }), { code: 11000 })
  })

  t.test(`driver ${version} closes without an error, twice`, async (t) => {
    const gateway = await open(t)
    const client = await connect(t, gateway, {})
    await client.db('test').collection('c').insertOne({ a: 1 })
    await client.close()
    await client.close()
  })
}
