// Retryable writes by the official Node driver: the reply of the first attempt is lost on the way,
// the driver sends the write again, and it takes effect once.

import { connect, createServer, type Socket } from 'node:net'
import { Binary, Long } from 'bson'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { WireClient } from '../support/wire-client.js'

/** A proxy that closes a connection instead of passing on what answers an armed request. */
async function lossyProxy(t: Test, port: number) {
  const sockets = new Set<Socket>()
  const proxy = { port: 0, lost: 0, losesNext: false }
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let loses = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    client.on('data', (chunk) => {
      // Only a write has a number.
      if (proxy.losesNext && chunk.includes('txnNumber')) {
        proxy.losesNext = false
        loses = true
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!loses) {
        client.write(chunk)
        return
      }
      proxy.lost++
      client.destroy()
      upstream.destroy()
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  proxy.port = typeof address === 'object' && address !== null ? address.port : 0
  return proxy
}

t.test(
  'a write whose reply was lost takes effect once, and the driver sees its result',
  async (t) => {
    const gateway = await startGateway(t)
    const proxy = await lossyProxy(t, gateway.ports.wire)
    const client = new MongoClient(gateway.uri.replace(/:\d+\/main/, `:${proxy.port}/main`))
    t.teardown(() => client.close())
    const rows = client.db('main').collection<{ _id: number; n: number }>('rows')
    await rows.insertOne({ _id: 1, n: 0 })
    const losing = async <T>(write: () => Promise<T>): Promise<T> => {
      proxy.losesNext = true
      return write()
    }
    for (let round = 0; round < 10; round++) {
      const updated = await losing(() => rows.updateOne({ _id: 1 }, { $inc: { n: 1 } }))
      t.match(updated, { matchedCount: 1, modifiedCount: 1 })
    }
    t.match(await rows.findOne({ _id: 1 }), { n: 10 })
    const found = await losing(() => rows.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }))
    t.match(found, { n: 10 })
    t.match(await losing(() => rows.insertMany([2, 3, 4].map((_id) => ({ _id, n: _id })))), {
      insertedCount: 3,
    })
    t.match(await losing(() => rows.findOneAndDelete({ n: { $lt: 4 } }, { sort: { n: 1 } })), {
      _id: 2,
    })
    t.match(await losing(() => rows.deleteOne({ _id: 3 })), { deletedCount: 1 })
    const mixed = await losing(() =>
      rows.bulkWrite([
        { insertOne: { document: { _id: 5, n: 5 } } },
        { insertOne: { document: { _id: 6, n: 6 } } },
      ]),
    )
    t.match(mixed, { insertedCount: 2 })
    t.equal(proxy.lost, 15)
    t.same(await rows.find().sort({ _id: 1 }).toArray(), [
      { _id: 1, n: 11 },
      { _id: 4, n: 4 },
      { _id: 5, n: 5 },
      { _id: 6, n: 6 },
    ])
  },
)

t.test('a retry after a restart finds the record', async (t) => {
  const settings = { AUTH_MODE: 'off', STORE: `lmdb:${t.testdir()}/data` }
  const numbered = {
    lsid: { id: new Binary(new Uint8Array(16).fill(9), 4) },
    txnNumber: Long.fromNumber(3),
  }
  const sent = {
    update: 'rows',
    updates: [
      { q: { _id: 1 }, u: { $inc: { n: 1 } } },
      { q: { kind: 'upserted' }, u: { $inc: { n: 1 } }, upsert: true },
    ],
    ...numbered,
  }
  const run = async (...commands: Record<string, unknown>[]) => {
    const gateway = await startGateway(t, settings)
    const client = await WireClient.open(gateway.ports.wire)
    const replies = []
    for (const command of commands) {
      const { operationTime, $clusterTime, ...reply } = await client.run(command)
      t.ok(operationTime && $clusterTime, 'a router tells its times')
      replies.push(reply)
    }
    await client.close()
    await gateway.close()
    return replies
  }
  const insert = { insert: 'rows', documents: [{ _id: 1, n: 0 }] }
  const [, first] = await run(insert, sent)
  t.match(first, { n: 2, nModified: 1, ok: 1 })
  const [again, found] = await run(sent, { find: 'rows', sort: { n: 1 } })
  t.same(again, first)
  t.match(found?.cursor, { firstBatch: [{ n: 1 }, { n: 1 }] })
})
