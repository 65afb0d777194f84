// A backup of the tables by pg_dump, while a gateway writes: restored into another database, it
// starts a gateway whose check finds nothing wrong.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { checkStore } from '../../../src/engine/check/check.js'
import { startGateway } from '../../support/live-gateway.js'
import { postgresMissing, postgresProgram } from '../../support/postgres-reference.js'
import { mongoOn, redisOn } from '../../support/shared-pair.js'
import { addressOn, openShared, postgresServer } from '../../support/shared-stores.js'

const run = promisify(execFile)

t.test('pg_dump and a restore keep a store whole', { skip: postgresMissing }, async (t) => {
  const { folder } = await postgresServer(t)
  const address = addressOn(folder)
  const schema = new URL(address).searchParams.get('schema') ?? ''
  const gateway = await startGateway(t, { STORE: address, DURABILITY: 'none' })
  const before = (await mongoOn(t, gateway)).db('main').collection('c')
  await before.createIndex({ n: 1 }, { unique: true })
  await before.insertMany(Array.from({ length: 500 }, (_, n) => ({ n, text: 'x'.repeat(n) })))
  const keys = redisOn(t, gateway)
  await keys.zadd('z', ...Array.from({ length: 300 }, (_, n) => [n, `m${n}`]).flat())
  await keys.set('s', 'x'.repeat(600_000))
  let isOver = false
  let written = 0
  const writing = (async () => {
    while (!isOver) {
      await before.insertOne({ n: 1_000 + written, text: 'meanwhile' })
      written++
    }
  })()
  const at = ['-h', folder, '-U', 'test']
  const file = `${folder}/dump`
  await run(postgresProgram('pg_dump'), [...at, '-Fc', '-n', schema, '-f', file, 'postgres'])
  isOver = true
  await writing
  await run(postgresProgram('createdb'), [...at, 'restored'])
  await run(postgresProgram('pg_restore'), [...at, '-d', 'restored', file])
  const restored = address.replace('/postgres?', '/restored?')
  const next = await startGateway(t, { STORE: restored, DURABILITY: 'none' })
  const after = (await mongoOn(t, next)).db('main').collection('c')
  const found = await after.countDocuments({ n: { $gte: 1_000 } })
  t.ok(found <= written, `${found} of ${written} inserts were in the dump`)
  t.equal(await after.countDocuments({ n: { $lt: 1_000 } }), 500)
  await t.rejects(after.insertOne({ n: 7 }), { code: 11_000 })
  await after.insertOne({ n: -1 })
  const others = redisOn(t, next)
  t.equal(await others.zscore('z', 'm299'), '299')
  t.equal(await others.strlen('s'), 600_000)
  others.disconnect()
  await next.close()
  const problems = await checkStore(await openShared(t, restored), () => undefined)
  t.same(problems, [])
})
