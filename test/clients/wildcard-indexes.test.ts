// Wildcard indexes by the real Node driver, both majors: made and named, listed, hinted, explained,
// and looked at by the stage that drivers' tools use for plans.

import * as driver7 from 'mongodb'
import * as driver6 from 'mongodb6'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'

// The two majors agree in what is used here; their declarations do not know each other.
const majors: readonly [string, typeof driver7][] = [
  ['driver 7', driver7],
  ['driver 6', driver6 as unknown as typeof driver7],
]

interface Product {
  readonly _id: number
  readonly attributes: Readonly<Record<string, unknown>>
}

for (const [major, driver] of majors) {
  t.test(`${major}: attributes without a name are found by one index`, async (t) => {
    const { uri } = await startGateway(t)
    const client = await driver.MongoClient.connect(uri)
    t.teardown(() => client.close())
    const products = client.db('main').collection<Product>('products')
    await products.insertMany(
      Array.from({ length: 200 }, (_, _id) => ({
        _id,
        attributes: { [`p${_id % 20}`]: _id, size: { w: _id }, colors: ['red', `c${_id}`] },
      })),
    )
    t.equal(await products.createIndex({ 'attributes.$**': 1 }), 'attributes.$**_1')
    const projection = { wildcardProjection: { _id: 0 } }
    t.equal(await products.createIndex({ '$**': 1 }, projection), '$**_1')
    t.match(await products.indexes(), [
      { name: '_id_' },
      { name: 'attributes.$**_1', key: { 'attributes.$**': 1 } },
      { name: '$**_1', ...projection },
    ])
    await products.dropIndex('$**_1')

    const query = { 'attributes.p7': { $gte: 100 } }
    const found = await products.find(query).sort({ _id: 1 }).toArray()
    t.same(
      found.map(({ _id }) => _id),
      [107, 127, 147, 167, 187],
    )
    const explained = await products.find(query).explain('executionStats')
    t.match(explained, {
      queryPlanner: {
        winningPlan: { inputStage: { keyPattern: { $_path: 1, 'attributes.p7': 1 } } },
      },
      executionStats: { nReturned: 5, totalKeysExamined: 5, totalDocsExamined: 5 },
    })
    t.equal(await products.countDocuments({ 'attributes.colors': 'c3' }), 1)
    t.equal(await products.countDocuments({ 'attributes.p3': { $exists: true } }), 10)
    t.same(await products.distinct('_id', { 'attributes.size.w': { $lt: 2 } }), [0, 1])
    const hinted = products.find({ 'attributes.size.w': 5 }).hint({ 'attributes.$**': 1 })
    t.equal((await hinted.toArray()).length, 1)
    await t.rejects(products.find({}).hint('attributes.$**_1').toArray(), { code: 291 })
    await t.rejects(products.createIndex({ '$**': 1 }, { unique: true }), { code: 67 })
    await products.updateMany({ 'attributes.p7': { $gte: 100 } }, { $unset: { attributes: 1 } })
    t.equal(await products.countDocuments(query), 0)
    t.equal((await client.db('main').command({ validate: 'products' })).valid, true)
  })
}
