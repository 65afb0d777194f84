// Two processes on one PostgreSQL, as a user starts them: every protocol of both reaches the same
// documents, and one that is killed takes no acknowledged write with it.

import { createHash } from 'node:crypto'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import { createClient } from 'redis'
import t from 'tap'
import { testKey } from '../support/gateway.js'
import { postgresMissing } from '../support/postgres-reference.js'
import { sharedAddress } from '../support/shared-stores.js'
import { endSigil, type SigilProcess, settingsFor, startSigil } from '../support/sigil-process.js'

/** The password of the database, which nothing may print. */
const secret = createHash('sha256').update('a password').digest('hex')

t.test('two processes serve the same documents', { skip: postgresMissing }, async (t) => {
  const address = (await sharedAddress(t)).replace('test@', `test:${secret}@`)
  const start = async (): Promise<SigilProcess> => {
    const sigil = await startSigil({ ...settingsFor(''), STORE: address })
    t.teardown(() => sigil.child.kill('SIGKILL'))
    return sigil
  }
  const [one, two] = [await start(), await start()]
  for (const { output, errors } of [one, two]) t.notOk((output() + errors()).includes(secret))
  const hosts = [one, two].map(({ wirePort }) => `127.0.0.1:${wirePort}`)
  const client = new MongoClient(`mongodb://operator:${testKey}@${hosts.join(',')}/main`, {
    authSource: 'admin',
  })
  t.teardown(() => client.close())
  const documents = client.db('main').collection<{ _id: string; n: number }>('c')
  await documents.insertOne({ _id: 'sum', n: 0 })
  const increments = Array.from({ length: 40 }, () =>
    documents.updateOne({ _id: 'sum' }, { $inc: { n: 1 } }),
  )
  const transactions = Array.from({ length: 4 }, () =>
    client.withSession((session) =>
      session.withTransaction(async () => {
        const found = await documents.findOne({ _id: 'sum' }, { session })
        const n = (found?.n ?? 0) + 10
        await documents.updateOne({ _id: 'sum' }, { $set: { n } }, { session })
      }),
    ),
  )
  await Promise.all([...increments, ...transactions])
  for (const [index, sigil] of [one, two].entries()) {
    t.same(await seen(sigil), { sql: ['80'], http: { _id: 'sum', n: 80 }, keys: index + 1 })
  }
  const stored = client.db('main').collection<{ _id: string }>('load')
  const acknowledged: string[] = []
  for (let i = 0; i < 30; i++) {
    if (i === 10) await endSigil(two, 'SIGKILL')
    const _id = `d${i}`
    await stored.insertOne({ _id }).then(
      () => acknowledged.push(_id),
      // The specification lets the second attempt fail too.
      () => undefined,
    )
  }
  t.ok(acknowledged.length > 20)
  const ids = new Set((await stored.find().toArray()).map(({ _id }) => _id))
  t.same(
    acknowledged.filter((id) => !ids.has(id)),
    [],
  )
  const { code } = await endSigil(one, 'SIGTERM')
  t.equal(code, 0)
})

/** What the other protocols of one process see; each call counts the key on. */
async function seen({ sqlPort, httpPort, redisPort }: SigilProcess): Promise<unknown> {
  const client = new pg.Client({
    connectionString: `postgres://operator:${testKey}@127.0.0.1:${sqlPort}/main`,
  })
  await client.connect()
  const { rows } = await client.query("SELECT n::text FROM c WHERE _id = 'sum'")
  await client.end()
  const reply = await fetch(`http://127.0.0.1:${httpPort}/api/v1/collections/c/findOne`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ filter: { _id: 'sum' } }),
  })
  const { document } = (await reply.json()) as { readonly document: unknown }
  const keys = createClient({ url: `redis://:${testKey}@127.0.0.1:${redisPort}` })
  await keys.connect()
  const counted = await keys.incr('seen')
  await keys.quit()
  return { sql: rows.map(({ n }) => n), http: document, keys: counted }
}
