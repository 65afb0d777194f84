// Change streams by the official Node driver: watch() of a collection, a
// database and the whole deployment, resuming, and the events of every command.

import { type ChangeStream, type ChangeStreamDocument, MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'

t.test('a driver watches', async (t) => {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const db = client.db('watching')

  await t.test('every kind of change of a collection', async (t) => {
    const cities = db.collection<{ _id: number; [name: string]: unknown }>('cities')
    await cities.insertOne({ _id: 1, name: 'Bern', tags: [1, 2, 3], at: { x: 1, y: 2 } })
    const stream = cities.watch([], { fullDocument: 'updateLookup' })
    t.teardown(() => stream.close())
    await begun(stream)
    await cities.insertOne({ _id: 2, name: 'Basel' })
    await cities.updateOne({ _id: 1 }, { $set: { 'at.x': 5 }, $unset: { name: 1 } })
    await cities.updateOne({ _id: 1 }, { $push: { tags: 4 } as never })
    await cities.updateOne({ _id: 1 }, [{ $set: { tags: [1] } }])
    await cities.replaceOne({ _id: 2 }, { name: 'Biel' })
    await cities.findOneAndDelete({ _id: 2 })
    const shown = (await take(stream, 6)).map(plain)
    const key = (id: number) => ({
      ns: { db: 'watching', coll: 'cities' },
      documentKey: { _id: id },
    })
    t.same(shown[0], {
      operationType: 'insert',
      ...key(2),
      fullDocument: { _id: 2, name: 'Basel' },
    })
    t.same(shown[1]?.updateDescription, {
      updatedFields: { 'at.x': 5 },
      removedFields: ['name'],
      truncatedArrays: [],
    })
    t.same(shown[2]?.updateDescription.updatedFields, { 'tags.3': 4 })
    t.same(shown[3]?.updateDescription, {
      updatedFields: {},
      removedFields: [],
      truncatedArrays: [{ field: 'tags', newSize: 1 }],
    })
    t.same(shown[3]?.fullDocument, { _id: 1, tags: [1], at: { x: 5, y: 2 } })
    t.same(shown[4], {
      operationType: 'replace',
      ...key(2),
      fullDocument: { _id: 2, name: 'Biel' },
    })
    t.same(shown[5], { operationType: 'delete', ...key(2) })
  })

  await t.test('a getMore waits for the next change', async (t) => {
    const waiting = db.collection('waiting')
    const stream = waiting.watch()
    t.teardown(() => stream.close())
    await begun(stream)
    const next = stream.next()
    await waiting.insertOne({ n: 1 })
    t.equal((await next).operationType, 'insert')
  })

  await t.test('a stream resumes behind any of its events', async (t) => {
    const numbers = db.collection<{ _id: number }>('numbers')
    const stream = numbers.watch()
    t.teardown(() => stream.close())
    await begun(stream)
    await numbers.insertMany(Array.from({ length: 10 }, (_, i) => ({ _id: i })))
    const events = await take(stream, 10)
    for (const [i, { _id }] of events.entries()) {
      for (const option of ['resumeAfter', 'startAfter'] as const) {
        const resumed = numbers.watch([], { [option]: _id })
        const rest = await take(resumed, 9 - i)
        await resumed.close()
        t.same(
          rest.map(idOf),
          Array.from({ length: 9 - i }, (_, k) => i + 1 + k),
        )
      }
    }
    const third = events[3] as ChangeStreamDocument
    const at = numbers.watch([], { startAtOperationTime: third.clusterTime as never })
    t.same((await take(at, 7)).map(idOf), [3, 4, 5, 6, 7, 8, 9])
    await at.close()
  })

  await t.test('stages follow, but must keep the token', async (t) => {
    const staged = db.collection<{ _id: number }>('staged')
    const stream = staged.watch([
      { $match: { 'documentKey._id': { $gt: 3 } } },
      { $project: { documentKey: 1 } },
    ])
    t.teardown(() => stream.close())
    await begun(stream)
    await staged.insertMany(Array.from({ length: 6 }, (_, i) => ({ _id: i })))
    t.same((await take(stream, 2)).map(idOf), [4, 5])
    const broken = staged.watch([{ $project: { _id: 0 } }])
    await begun(broken)
    const failing = broken.next()
    failing.catch(() => undefined)
    await staged.insertOne({ _id: 10 })
    await t.rejects(failing, /resume token/)
    const refused = staged.watch([{ $group: { _id: 1 } }])
    await t.rejects(refused.next(), { code: 20 })
  })

  await t.test('a drop ends the stream of a collection, and startAfter goes on', async (t) => {
    const ended = db.collection<{ _id: number }>('ended')
    await ended.insertOne({ _id: 1 })
    const stream = ended.watch()
    await begun(stream)
    await ended.drop()
    const [drop, invalidate] = await take(stream, 2)
    t.equal(drop?.operationType, 'drop')
    t.equal(invalidate?.operationType, 'invalidate')
    t.equal(await stream.tryNext().catch(() => null), null)
    t.equal(stream.closed, true)
    const after = ended.watch([], { resumeAfter: invalidate?._id })
    await t.rejects(after.next(), { code: 260 })
    const later = ended.watch([], { startAfter: invalidate?._id })
    await ended.insertOne({ _id: 2 })
    t.same((await take(later, 1)).map(idOf), [2])
    await later.close()
  })

  await t.test('a database and the deployment show renames and other collections', async (t) => {
    const other = client.db('others')
    const ofDb = other.watch()
    const ofAll = client.watch()
    t.teardown(() => Promise.all([ofDb.close(), ofAll.close()]))
    await Promise.all([begun(ofDb), begun(ofAll)])
    await other.collection<{ _id: number }>('one').insertOne({ _id: 1 })
    await other.renameCollection('one', 'two')
    await other.collection<{ _id: number }>('two').insertOne({ _id: 2 })
    await client.db('third').collection<{ _id: number }>('far').insertOne({ _id: 3 })
    const shown = (await take(ofDb, 3)).map(plain)
    t.same(
      shown.map(({ operationType }) => operationType),
      ['insert', 'rename', 'insert'],
    )
    t.same(shown[1]?.ns, { db: 'others', coll: 'one' })
    t.same(shown[1]?.to, { db: 'others', coll: 'two' })
    t.same(
      (await take(ofAll, 4)).map(({ operationType }) => operationType),
      [...['insert', 'rename', 'insert', 'insert']],
    )
  })

  await t.test('a transaction shows its changes when it has committed', async (t) => {
    const kept = db.collection<{ _id: number }>('kept')
    await kept.insertOne({ _id: 0 })
    const stream = kept.watch()
    t.teardown(() => stream.close())
    await begun(stream)
    await client.withSession(async (session) => {
      session.startTransaction()
      await kept.insertOne({ _id: 1 }, { session })
      await session.abortTransaction()
    })
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await kept.insertOne({ _id: 2 }, { session })
        await kept.deleteOne({ _id: 0 }, { session })
      }),
    )
    t.same((await take(stream, 2)).map(idOf), [2, 0])
  })

  await t.test('a token before the recording is lost', async (t) => {
    const early = db.collection('early')
    const token = { _data: '82000000010000000129' }
    await t.rejects(early.watch([], { resumeAfter: token }).next(), { code: 260 })
    const old = { _data: '8200000001000000012B042C0100296E1404' }
    await t.rejects(early.watch([], { resumeAfter: old }).next(), { code: 286 })
  })
})

/** Resolves when the server has opened the stream. */
async function begun(stream: ChangeStream): Promise<void> {
  await stream.tryNext()
}

async function take(stream: ChangeStream, count: number): Promise<ChangeStreamDocument[]> {
  const events: ChangeStreamDocument[] = []
  while (events.length < count) events.push((await stream.next()) as ChangeStreamDocument)
  return events
}

// biome-ignore lint/suspicious/noExplicitAny: events of several shapes are compared field by field
function plain(event: any): any {
  const { _id, clusterTime, wallTime, ...rest } = event
  return rest
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function idOf(event: any): unknown {
  return event.documentKey?._id
}
