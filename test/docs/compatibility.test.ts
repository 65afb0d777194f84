// What docs/compatibility.md says of features that are missing and of limits is what a server says.

import { existsSync } from 'node:fs'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { deviations } from './deviations.js'
import { refusals } from './refusals.js'

t.test('what is not there is refused as the page says', async (t) => {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const db = client.db('main')
  await db.collection('rows').createIndex({ a: 1 })
  for (const { what, command, code } of refusals) {
    await t.rejects(db.command(command), { code }, what)
  }
})

t.test('every deviation names tests that are there', async (t) => {
  for (const { topic, shown } of deviations.flatMap(({ rows }) => rows)) {
    for (const path of shown) t.ok(existsSync(path), `${topic}: ${path}`)
  }
})
