// A wallet that meets another's name is told whose it is and where the name is free, by each
// protocol; who has no home, and who lacks a right to its own, is told nothing further.

import { Redis } from 'ioredis'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import t from 'tap'
import { startGateway } from '../../support/live-gateway.js'
import { testWallet } from '../../support/wallet.js'
import { WalletClient } from '../../support/wallet-client.js'

t.setTimeout(120_000)

t.test('every protocol names the way out', async (t) => {
  const { url, ports } = await startGateway(t, { RATE_LIMITS: 'off' })
  const first = await WalletClient.signIn(url, testWallet('first'))
  const wallet = testWallet('second')
  const second = await WalletClient.signIn(url, wallet)
  const { apiKey } = await second.issue()
  const made = await first.send('POST', '/api/v1/collections/notes/insertOne', { document: {} })
  t.equal(made.json.insertedCount, 1, made.text)
  const home = `w_${wallet.address.toLowerCase()}`
  const text = `main.notes belongs to another wallet; the same name in your own database ${home} is free`

  const refused = await second.send('POST', '/api/v1/collections/notes/insertOne', { document: {} })
  t.equal(refused.status, 403)
  t.match(refused.text, text, 'HTTP')

  const user = `${wallet.address}:${apiKey}`
  const client = await MongoClient.connect(
    `mongodb://${user}@127.0.0.1:${ports.wire}/?authSource=admin&authMechanism=PLAIN`,
  )
  t.teardown(() => client.close())
  const insert = client.db('main').collection('notes').insertOne({})
  await t.rejects(insert, { code: 13, message: new RegExp(text) })
  await client.db(home).collection('notes').insertOne({ own: true })

  const sql = new pg.Client({
    ...{ host: '127.0.0.1', port: ports.sql ?? 0, database: 'main' },
    ...{ user: wallet.address, password: apiKey },
  })
  await sql.connect()
  const change = sql.query("INSERT INTO notes (a) VALUES ('x')")
  await t.rejects(change, { code: '42501', message: new RegExp(text) })
  await sql.end()

  const options = { port: ports.redis ?? 0, password: apiKey, retryStrategy: () => null }
  const redis = new Redis({ ...options, username: `${wallet.address}~main` })
  t.teardown(() => redis.disconnect())
  const space = `: space main belongs to the operator; your own is ${home}`
  await t.rejects(redis.set('k', 'v'), { message: new RegExp(space) })

  const unknown = await fetch(`${url}/api/v1/collections/notes/documents`)
  t.notMatch(await unknown.text(), /belongs to/, 'who has not signed in is told nothing')
})
