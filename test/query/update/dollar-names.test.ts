// Names of fields with a dollar in front, as documents may have them: updates reach them below the
// top level, and an upsert inserts them anywhere. (MongoDB manual, Field Names with Periods and
// Dollar Signs; the refusals are in update-refusals.test.ts)

import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../../support/live-gateway.js'
import { type Literal, show } from '../../support/query.js'
import { apply, type UpdateLiteral } from '../../support/updates.js'

const rows: readonly (readonly [update: UpdateLiteral, before: Literal, after: Literal])[] = [
  [{ $set: { 'a.$x': 2 } }, { a: { $x: 1 } }, { a: { $x: 2 } }],
  [{ $set: { 'a.$x.$y': 2 } }, {}, { a: { $x: { $y: 2 } } }],
  [{ $set: { 'a.$*.b': 2 } }, { a: {} }, { a: { '$*': { b: 2 } } }],
  [{ $set: { 'a.0.$x': 2 } }, { a: [{}] }, { a: [{ $x: 2 }] }],
  [{ $set: { 'a.$[].$x': 2 } }, { a: [{ $x: 1 }, {}] }, { a: [{ $x: 2 }, { $x: 2 }] }],
  [{ $inc: { 'a.$each': 2 } }, { a: { $each: 1 } }, { a: { $each: 3 } }],
  [{ $push: { 'a.$x': { $each: [1, 2] } } }, { a: {} }, { a: { $x: [1, 2] } }],
  [{ $unset: { 'a.$x': 1 } }, { a: { $x: 1, b: 2 } }, { a: { b: 2 } }],
  [{ $rename: { 'a.$x': 'a.b' } }, { a: { $x: 1 } }, { a: { b: 1 } }],
  [{ $rename: { 'a.b': 'a.$x' } }, { a: { b: 1 } }, { a: { $x: 1 } }],
  [{ $set: { '$x.a': 2 } }, { $x: { a: 1 } }, { $x: { a: 2 } }],
  [{ $unset: { $x: 1 } }, { $x: 1, a: 2 }, { a: 2 }],
  [{ $set: { $x: 1 } }, { $x: 1 }, { $x: 1 }],
  [{ $pull: { $x: 1 } }, { a: 1 }, { a: 1 }],
  [{ $set: { 'a.$ref': 'c', 'a.$id': 1 } }, { a: {} }, { a: { $id: 1, $ref: 'c' } }],
]

t.test('updates reach names with a dollar', async (t) => {
  for (const [update, before, after] of rows) {
    t.equal(show(apply(update, before)), show(after), JSON.stringify([update, before]))
  }
})

t.test('a driver upserts, reads and changes them', async (t) => {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri, { authSource: 'admin' })
  t.teardown(() => client.close())
  const all = client.db().collection<{ _id: number }>('c')
  await all.updateOne({ _id: 1 }, { $set: { $x: { b: 1 } } }, { upsert: true })
  await all.updateOne({ _id: 1 }, { $inc: { '$x.b': 1 }, $set: { 'a.$y': 1 } })
  t.same(await all.findOne({ 'a.$y': 1 }), { _id: 1, $x: { b: 2 }, a: { $y: 1 } })
  const changed = { $set: { $x: 1 } }
  await t.rejects(all.updateOne({ _id: 1 }, changed, { upsert: true }), { code: 52 })
  await t.rejects(all.findOneAndUpdate({ _id: 1 }, changed), { code: 52 })
  const made = await all.findOneAndUpdate({ _id: 2 }, changed, {
    upsert: true,
    returnDocument: 'after',
  })
  t.same(made, { _id: 2, $x: 1 })
})
