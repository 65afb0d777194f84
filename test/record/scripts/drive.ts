// What the drivers are recorded with: start-up, login, and each kind of CRUD once.

import type { MongoClient } from 'mongodb'

/** The commands of the two drivers differ in form; the calls are the same. */
export async function drive(client: MongoClient): Promise<void> {
  await client.connect()
  const db = client.db('test')
  await db.command({ ping: 1 })
  const people = db.collection<{ _id: number; name: string; age?: number; tags?: string[] }>(
    'people',
  )
  await people.insertOne({ _id: 1, name: 'Ada', age: 36, tags: ['a', 'b'] })
  await people.insertMany([
    { _id: 2, name: 'Grace', age: 85 },
    { _id: 3, name: 'Edsger', age: 72 },
    { _id: 4, name: 'Barbara' },
  ])
  await people.createIndex({ age: 1 })
  await people.find({ age: { $gt: 40 } }, { sort: { age: -1 } }).toArray()
  await people.find({}, { sort: { _id: 1 }, batchSize: 2 }).toArray()
  await people.findOne({ name: 'Ada' }, { projection: { _id: 0, name: 1 } })
  await people.updateOne({ _id: 1 }, { $inc: { age: 1 }, $push: { tags: 'c' } })
  await people.updateMany({ age: { $exists: false } }, { $set: { age: 0 } })
  await people.replaceOne({ _id: 9 }, { name: 'Alan' }, { upsert: true })
  await people.findOneAndUpdate({ _id: 2 }, { $set: { name: 'Grace H.' } })
  await people.bulkWrite([
    { insertOne: { document: { _id: 10, name: 'bulk' } } },
    { updateOne: { filter: { _id: 10 }, update: { $set: { age: 1 } } } },
    { deleteOne: { filter: { _id: 10 } } },
  ])
  await people.countDocuments({ age: { $gte: 0 } })
  await people.estimatedDocumentCount()
  await people.distinct('name')
  await people
    .aggregate([{ $group: { _id: null, total: { $sum: '$age' } } }, { $project: { _id: 0 } }])
    .toArray()
  await refused(people.insertOne({ _id: 1, name: 'again' }))
  await refused(db.command({ noSuchCommand: 1 }))
  await people.deleteMany({ age: 0 })
  await people.drop()
  await client.close()
}

/** Waits for what must fail: the error frames belong to the recording. */
async function refused(work: Promise<unknown>): Promise<void> {
  const failed = await work.then(
    () => false,
    () => true,
  )
  if (!failed) throw new Error('a command that had to fail went through')
}
