// Validators and views as applications have them: by the official Node driver, majors 6 and 7, and
// by the HTTP routes.

import * as driver7 from 'mongodb'
import * as driver6 from 'mongodb6'
import t from 'tap'
import { openApi } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'

const majors: readonly [string, typeof driver7][] = [
  ['driver 7', driver7],
  ['driver 6', driver6 as unknown as typeof driver7],
]

const validator = {
  $jsonSchema: {
    required: ['name'],
    properties: { age: { bsonType: 'int', minimum: 18, description: 'of age' } },
  },
}

const finding = {
  operatorName: 'properties',
  propertiesNotSatisfied: [
    {
      ...{ propertyName: 'age', description: 'of age' },
      details: [
        {
          operatorName: 'minimum',
          specifiedAs: { minimum: 18 },
          reason: 'comparison failed',
          consideredValue: 5,
        },
      ],
    },
  ],
}

interface Person {
  _id: number
  name?: string
  age?: number
}

for (const [major, driver] of majors) {
  t.test(`${major}: errInfo tells what a document lacks`, async (t) => {
    const { uri } = await startGateway(t)
    const client = await driver.MongoClient.connect(uri)
    t.teardown(() => client.close())
    const db = client.db('main')
    const people = await db.createCollection<Person>('people', { validator })
    const details = { operatorName: '$jsonSchema', schemaRulesNotSatisfied: [finding] }
    const errInfo = { failingDocumentId: 1, details }
    const young = { _id: 1, name: 'x', age: 5 }
    await t.rejects(people.insertOne(young), { code: 121, errInfo })
    await t.rejects(people.insertMany([{ _id: 2, name: 'y', age: 20 }, young]), {
      code: 121,
      writeErrors: [{ index: 1, err: { errInfo } }],
    })
    const set = { $set: { age: 6 } }
    await t.rejects(people.updateOne({ _id: 2 }, set), { code: 121 })
    await t.rejects(people.findOneAndUpdate({ _id: 2 }, set), {
      code: 121,
      errInfo: { failingDocumentId: 2 },
    })
    const bypassDocumentValidation = true
    await people.insertOne(young, { bypassDocumentValidation })
    t.same(await people.find({}, { sort: { _id: 1 } }).toArray(), [
      young,
      { _id: 2, name: 'y', age: 20 },
    ])
    const [listed] = await db.listCollections({ name: 'people' }).toArray()
    t.match(listed, { type: 'collection', options: { validator } })
  })

  t.test(`${major}: a view reads like a collection`, async (t) => {
    const { uri } = await startGateway(t)
    const client = await driver.MongoClient.connect(uri)
    t.teardown(() => client.close())
    const db = client.db('main')
    const many = Array.from({ length: 300 }, (_, _id) => ({ _id, age: _id % 50 }))
    await db.collection<Person>('people').insertMany(many)
    const pipeline = [{ $match: { age: { $gte: 25 } } }]
    const view = await db.createCollection<Person>('adults', { viewOn: 'people', pipeline })
    t.equal((await view.find({}, { batchSize: 20 }).toArray()).length, 150)
    t.same(await view.findOne({ _id: 30 }), { _id: 30, age: 30 })
    t.equal(await view.countDocuments({ age: 30 }), 6)
    t.equal(await view.estimatedDocumentCount(), 150)
    t.equal((await view.distinct('age')).length, 25)
    await t.rejects(view.insertOne({ _id: 1 }), { code: 166 })
    await t.rejects(view.createIndex({ age: 1 }), { code: 166 })
    const [listed] = await db.listCollections({ type: 'view' }).toArray()
    t.match(listed, { name: 'adults', type: 'view', info: { readOnly: true } })
    t.equal(await view.drop(), true)
    t.same(await db.listCollections({ type: 'view' }).toArray(), [])
  })
}

t.test('HTTP answers 400 with the explanation, and reads views', async (t) => {
  const { uri, url, key } = await startGateway(t)
  const client = await driver7.MongoClient.connect(uri)
  t.teardown(() => client.close())
  const db = client.db('main')
  await db.createCollection('people', { validator })
  await db.createCollection('adults', { viewOn: 'people', pipeline: [{ $project: { name: 1 } }] })
  const api = openApi(url, key)
  const refused = await api.post('people/insertOne', { document: { _id: 1, name: 'x', age: 5 } })
  t.equal(refused.status, 400)
  t.match(refused.json, { ok: 0, code: 121, codeName: 'DocumentValidationFailure' })
  t.match(refused.json.errInfo, {
    failingDocumentId: 1,
    details: { schemaRulesNotSatisfied: [finding] },
  })
  await api.post('people/insertOne', { document: { _id: 2, name: 'y', age: 20 } })
  const found = await api.post('adults/find', { filter: { _id: 2 } })
  t.same((found.json.cursor as { firstBatch: unknown }).firstBatch, [{ _id: 2, name: 'y' }])
  const written = await api.post('adults/insertOne', { document: { _id: 3 } })
  t.equal(written.status, 400)
  t.match(written.json, { code: 166, codeName: 'CommandNotSupportedOnView' })
})
