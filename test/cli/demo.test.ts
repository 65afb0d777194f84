// `sigil demo` against a running Sigil: what it loads can be read by every protocol, by the lines
// that it prints, and a second run adds nothing.

import { MongoClient } from 'mongodb'
import pg from 'pg'
import { createClient } from 'redis'
import t from 'tap'
import { books, orders, soldCopies } from '../../src/cli/demo-data.js'
import { ask } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { runSigil } from '../support/sigil-process.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

t.test('each part is there, over the protocol that it is for', async (t) => {
  const { url, uri, ports, key } = await startGateway(t)
  const environment = { SIGIL_URL: url, SIGIL_API_KEY: key }
  const first = await runSigil(['demo'], environment)
  t.match(first, { code: 0, errors: '' })
  t.match(first.output, /demo_orders: 300 documents loaded\n/)

  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const db = client.db('main')
  t.equal(await db.collection('demo_books').countDocuments(), books.length)
  const joined = await db
    .collection('demo_books')
    .aggregate([
      { $lookup: { from: 'demo_authors', localField: 'author', foreignField: '_id', as: 'by' } },
      { $match: { by: { $size: 1 } } },
    ])
    .toArray()
  t.equal(joined.length, books.length, 'each book has its author')
  const known = new Set(books.map(({ _id }) => _id))
  t.ok(orders.every(({ lines }) => lines.every(({ book }) => known.has(book))))

  const redis = createClient({ url: `redis://operator:${key}@127.0.0.1:${ports.redis}` })
  await redis.connect()
  t.teardown(() => redis.destroy())
  t.equal(await redis.zScore('demo:bestsellers', 'moby-dick'), soldCopies().get('moby-dick'))

  const connectionString = `postgresql://operator:${key}@127.0.0.1:${ports.sql}/main`
  const sql = new pg.Client({ connectionString })
  await sql.connect()
  t.teardown(() => sql.end())
  const { rows } = await sql.query('SELECT title FROM demo_books WHERE year < 1812')
  t.same(rows, [{ title: 'Sense and Sensibility' }])

  const headers = { 'x-api-key': key }
  const recalled = await ask(url, { path: '/api/recall?graph=demo&q=lisbon', headers })
  t.match(recalled.json, { memories: [{ text: /Lisbon/ }] })

  await redis.incr('demo:visits')
  const again = await runSigil(['demo'], environment)
  t.match(again, { code: 0, output: /demo_books: 0 documents loaded, 30 were there\n/ })
  t.match(again.output, /0 memories loaded, 6 were there\n/)
  t.equal(await redis.get('demo:visits'), '1', 'what is there stays as it is')
  for (const port of [ports.wire, ports.redis, ports.sql, ports.http]) {
    t.match(again.output, `127.0.0.1:${port}`, 'lines to copy have the ports')
  }
})

t.test('a wallet that finds the names taken loads it into its home', async (t) => {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  t.match(await runSigil(['demo'], { SIGIL_URL: url, SIGIL_API_KEY: key }), { code: 0 })
  const owner = await WalletClient.signIn(url, testWallet('alice'))
  const environment = { SIGIL_URL: url, SIGIL_API_KEY: (await owner.issue()).apiKey }
  const refused = await runSigil(['demo'], environment)
  t.match(refused, { code: 1, errors: /^sigil: demo_authors: .*own database w_0x/ })
  const home = `w_${owner.wallet.address.toLowerCase()}`
  const { code, output } = await runSigil(['demo', '-d', home], environment)
  t.equal(code, 0)
  t.match(output, `/${home}" --eval`)
  t.match(output, `$SIGIL_USER~${home}`)
  t.match(output, `&database=${home}`)
})

t.test('a missing server and a wrong key are told', async (t) => {
  const { url } = await startGateway(t)
  const wrong = { SIGIL_URL: url, SIGIL_API_KEY: `svc_op_${'0'.repeat(64)}` }
  t.match(await runSigil(['demo'], wrong), { code: 1, errors: /^sigil: demo_authors: / })
  const nowhere = { SIGIL_URL: 'http://127.0.0.1:1' }
  t.match(await runSigil(['demo'], nowhere), { code: 1, errors: /no Sigil answers/ })
})
