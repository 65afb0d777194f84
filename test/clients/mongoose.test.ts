// mongoose 9 unmodified and with default settings: connecting with buffered operations, schemas, and
// what applications do with them in the first weeks.

import mongoose, { type Connection, type Mongoose, Schema, Types } from 'mongoose'
import t, { type Test } from 'tap'
import { openApi } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'

/** A connection of its own to a gateway of its own. */
async function connected(
  t: Test,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ db: Connection; uri: string }> {
  const { uri } = await startGateway(t, settings)
  const db = mongoose.createConnection(uri)
  t.teardown(() => db.close())
  await db.asPromise()
  return { db, uri }
}

t.test('operations wait for the connection, and the default instance signs in', async (t) => {
  const { uri } = await startGateway(t)
  const instance: Mongoose = new mongoose.Mongoose()
  const Cat = instance.model('Cat', new Schema({ name: String }))
  const early = Cat.create({ name: 'early' })
  const found = Cat.findOne({ name: 'early' }).exec()
  await instance.connect(uri)
  t.teardown(() => instance.disconnect())
  t.equal((await early).name, 'early')
  await found
  t.equal(instance.connection.readyState, mongoose.ConnectionStates.connected)
  t.equal(instance.connection.name, 'main')
  await instance.disconnect()
  await instance.connect(uri)
  t.equal(await Cat.countDocuments(), 1, 'closed, opened again')
  const wrongLogin = new mongoose.Mongoose()
  const wrong = uri.replace('operator', 'unknown')
  await t.rejects(wrongLogin.connect(wrong), { code: 18 })
  await wrongLogin.disconnect()
})

t.test('schemas validate, give defaults, cast, and keep times and versions', async (t) => {
  const { db } = await connected(t)
  const schema = new Schema(
    {
      name: { type: String, required: true, trim: true, minlength: 2 },
      age: { type: Number, min: 0, default: 18 },
      role: { type: String, enum: ['admin', 'user'], default: 'user' },
      tags: [String],
      address: { city: String, zip: String },
    },
    { timestamps: true },
  )
  schema.virtual('label').get(function () {
    return `${this.name} (${this.age})`
  })
  const User = db.model('User', schema)
  const wrong = new User({ name: 'a' })
  wrong.set('role', 'x')
  await t.rejects(wrong.save(), { name: 'ValidationError', message: /name: .*shorter.*role: .*x/ })
  const user = await User.create({ name: ' Ada ', tags: ['x'], address: { city: 'Rome' } })
  t.match(user.toObject(), { name: 'Ada', age: 18, role: 'user', __v: 0 })
  t.equal(user.get('label'), 'Ada (18)')
  const created = user.createdAt
  user.tags.push('y')
  user.set('address.zip', '00100')
  await user.save()
  const again = await User.findById(user._id).orFail()
  t.same([...again.tags], ['x', 'y'])
  t.equal(again.address?.zip, '00100')
  t.same(again.createdAt, created)
  t.ok(again.updatedAt >= created)
  await User.updateOne({ name: 'Ada' }, { $addToSet: { tags: 'z' } }).set('age', '30')
  t.match(await User.findOne().where('age').gt(29).lean(), { age: 30, tags: ['x', 'y', 'z'] })
  t.match(await User.exists({ name: 'Ada' }), { _id: user._id })
  t.equal(await User.exists({ name: 'Bob' }), null)
  t.match(await user.deleteOne(), { deletedCount: 1 })
})

t.test(
  'populate: references, in arrays, nested, by a virtual, with match and select',
  async (t) => {
    const { db } = await connected(t)
    const authorSchema = new Schema({ name: String, home: { type: Types.ObjectId, ref: 'City' } })
    authorSchema.virtual('books', { ref: 'Book', localField: '_id', foreignField: 'authors' })
    authorSchema.virtual('bookCount', {
      ref: 'Book',
      localField: '_id',
      foreignField: 'authors',
      count: true,
    })
    const City = db.model('City', new Schema({ name: String }))
    const Author = db.model('Author', authorSchema)
    const bookSchema = new Schema({
      title: String,
      authors: [{ type: Types.ObjectId, ref: 'Author' }],
      reviews: [{ by: { type: Types.ObjectId, ref: 'Author' }, stars: Number }],
    })
    const Book = db.model('Book', bookSchema)
    const rome = await City.create({ name: 'Rome' })
    const ada = await Author.create({ name: 'Ada', home: rome._id })
    const bob = await Author.create({ name: 'Bob' })
    await Book.create([
      { title: 'One', authors: [ada._id, bob._id], reviews: [{ by: bob._id, stars: 5 }] },
      { title: 'Two', authors: [bob._id] },
    ])
    const one = await Book.findOne({ title: 'One' })
      .populate({ path: 'authors', populate: { path: 'home', select: 'name' } })
      .populate('reviews.by', 'name')
      .lean()
    t.match(one, {
      authors: [{ name: 'Ada', home: { name: 'Rome' } }, { name: 'Bob' }],
      reviews: [{ stars: 5, by: { name: 'Bob' } }],
    })
    const authors = await Author.find()
      .sort('name')
      .populate({ path: 'books', options: { sort: { title: -1 } } })
      .populate('bookCount')
      .lean()
    t.match(authors, [
      { books: [{ title: 'One' }], bookCount: 1 },
      { books: [{ title: 'Two' }, { title: 'One' }], bookCount: 2 },
    ])
    const matched = await Book.find()
      .populate({ path: 'authors', match: { name: 'Ada' } })
      .lean()
    t.same(
      matched.map(({ authors }) => authors.length),
      [1, 0],
    )
  },
)

t.test('discriminators share a collection', async (t) => {
  const { db } = await connected(t)
  const Shape = db.model('Shape', new Schema({ name: String }, { discriminatorKey: 'kind' }))
  const Circle = Shape.discriminator('Circle', new Schema({ radius: Number }))
  const Square = Shape.discriminator('Square', new Schema({ side: Number }))
  await Circle.create({ name: 'c', radius: 2 })
  await Square.create({ name: 's', side: 3 })
  t.equal(await Shape.countDocuments(), 2)
  t.match(await Circle.find().lean(), [{ kind: 'Circle', radius: 2 }])
  t.match(await Square.aggregate([{ $group: { _id: '$kind', n: { $sum: 1 } } }]), [
    { _id: 'Square', n: 1 },
  ])
  const [circle] = await Shape.find({ kind: 'Circle' })
  t.ok(circle instanceof Circle)
})

t.test('indexes: made by init, told as duplicates, compared and brought in line', async (t) => {
  const { db } = await connected(t)
  const schema = new Schema({ email: { type: String, unique: true }, born: Date, name: String })
  schema.index({ name: 1, born: -1 }, { sparse: true })
  schema.index({ born: 1 }, { expireAfterSeconds: 3600 * 24 * 365 })
  const User = db.model('Person', schema)
  await User.init()
  t.same((await User.listIndexes()).map(({ name }) => name).sort(), [
    '_id_',
    'born_1',
    'email_1',
    'name_1_born_-1',
  ])
  await User.create({ email: 'a@b.c' })
  await t.rejects(User.create({ email: 'a@b.c' }), {
    code: 11000,
    keyPattern: { email: 1 },
    keyValue: { email: 'a@b.c' },
  })
  const many = User.insertMany([{ email: 'x' }, { email: 'a@b.c' }, { email: 'y' }], {
    ordered: false,
  })
  await t.rejects(many, { code: 11000, insertedDocs: { length: 2 } })
  t.equal(await User.countDocuments(), 3)
  await User.ensureIndexes()
  const changed = new Schema({
    email: { type: String, unique: true },
    name: { type: String, index: true },
  })
  const Changed = db.model('Person2', changed, User.collection.name)
  const { toDrop, toCreate } = await Changed.diffIndexes()
  t.same([...toDrop].sort(), ['born_1', 'name_1_born_-1'])
  t.equal(toCreate.length, 1)
  t.same((await Changed.syncIndexes()).sort(), ['born_1', 'name_1_born_-1'])
  t.same(await Changed.diffIndexes(), { toDrop: [], toCreate: [] })
  await Changed.cleanIndexes()
})

/** A plugin as applications write them: a field with a unique index, made from another one. */
function slugPlugin(schema: Schema): void {
  schema.add({ slug: { type: String, unique: true } })
  schema.pre('validate', function () {
    this.set('slug', String(this.get('title')).toLowerCase().replaceAll(' ', '-'))
  })
  schema.static('bySlug', function (slug: string) {
    return this.findOne({ slug })
  })
}

t.test('plugins that add a unique index, and optimistic concurrency', async (t) => {
  const { db } = await connected(t)
  const schema = new Schema({ title: String, n: Number }, { optimisticConcurrency: true })
  schema.plugin(slugPlugin)
  const Post = db.model('Post', schema)
  await Post.init()
  const post = await Post.create({ title: 'Hello World', n: 1 })
  t.equal(post.get('slug'), 'hello-world')
  await t.rejects(Post.create({ title: 'hello world' }), { code: 11000, keyPattern: { slug: 1 } })
  const other = await Post.findById(post._id).orFail()
  post.n = 2
  await post.save()
  other.n = 3
  await t.rejects(other.save(), { name: 'VersionError' })
  t.equal((await Post.findById(post._id).lean())?.n, 2)
})

t.test('aggregates, cursors of both kinds, and reads that count', async (t) => {
  const { db } = await connected(t)
  const Row = db.model('Row', new Schema({ n: Number, g: String }))
  await Row.insertMany(Array.from({ length: 250 }, (_, n) => ({ n, g: n % 2 ? 'odd' : 'even' })))
  const groups = await Row.aggregate([
    { $match: { n: { $lt: 100 } } },
    { $group: { _id: '$g', total: { $sum: '$n' } } },
  ]).sort({ _id: 1 })
  t.same(groups, [
    { _id: 'even', total: 2450 },
    { _id: 'odd', total: 2500 },
  ])
  let seen = 0
  for await (const row of Row.find().sort('n').batchSize(7).cursor()) if (row.n === seen) seen++
  t.equal(seen, 250)
  let total = 0
  for await (const row of Row.aggregate([{ $project: { n: 1 } }]).cursor({ batchSize: 11 })) {
    total += row.n
  }
  t.equal(total, (249 * 250) / 2)
  const cursor = Row.find().lean().cursor({ batchSize: 3 })
  t.match(await cursor.next(), { n: 0 })
  await cursor.close()
  let each = 0
  await Row.find({ g: 'odd' })
    .cursor()
    .eachAsync(
      () => {
        each++
      },
      { parallel: 4 },
    )
  t.equal(each, 125)
  t.equal(await Row.estimatedDocumentCount(), 250)
  t.equal(await Row.countDocuments({ n: { $gte: 200 } }), 50)
  t.same((await Row.distinct('g')).sort(), ['even', 'odd'])
  t.match(await Row.find({ n: { $in: [1, 2] } }).explain('executionStats'), {
    executionStats: { nReturned: 2 },
  })
  t.match(await Row.findOne().sort({ n: -1 }).skip(1).select('n -_id').lean(), { n: 248 })
  t.equal((await Row.find().where('n').gt(5).lt(9).lean()).length, 3)
  await t.rejects(Row.find({ $where: 'this.n === 1' }), { code: 2 })
})

t.test('writes: bulkWrite, findOneAndUpdate, upserts, replacements', async (t) => {
  const { db } = await connected(t)
  const Item = db.model('Item', new Schema({ sku: String, n: Number, list: [Number] }))
  const bulk = await Item.bulkWrite([
    { insertOne: { document: { sku: 'a', n: 1 } } },
    { updateOne: { filter: { sku: 'b' }, update: { $set: { n: '2' } }, upsert: true } },
    { updateMany: { filter: {}, update: { $inc: { n: 10 } } } },
    { replaceOne: { filter: { sku: 'a' }, replacement: { sku: 'a', n: 5 } } },
    { deleteOne: { filter: { sku: 'zzz' } } },
  ])
  t.match(bulk, { insertedCount: 1, upsertedCount: 1, matchedCount: 3, deletedCount: 0 })
  const made = await Item.findOneAndUpdate(
    { sku: 'new' },
    { $set: { n: 1 }, $setOnInsert: { list: [1] } },
    { upsert: true, returnDocument: 'after' },
  ).lean()
  t.match(made, { sku: 'new', n: 1, list: [1] })
  const before = await Item.findOneAndUpdate(
    { sku: 'new' },
    { $push: { list: { $each: [3, 2], $sort: 1 } } },
  )
  t.same([...(before?.list ?? [])], [1])
  const raw = await Item.findOneAndUpdate({ sku: 'new' }, { n: 2 }, { includeResultMetadata: true })
  t.match(raw, { ok: 1, lastErrorObject: { updatedExisting: true, n: 1 } })
  t.match(await Item.findOneAndReplace({ sku: 'new' }, { sku: 'newer' }, { new: true }).lean(), {
    sku: 'newer',
  })
  t.match(await Item.findOneAndDelete({ sku: 'newer' }).lean(), { sku: 'newer' })
  t.match(
    await Item.updateMany({}, [{ $set: { n: { $add: ['$n', 1] } } }], { updatePipeline: true }),
    {
      modifiedCount: 2,
    },
  )
  const docs = await Item.find()
  for (const doc of docs) doc.n = 0
  await Item.bulkSave(docs)
  t.equal(await Item.countDocuments({ n: 0 }), 2)
  t.match(await Item.deleteMany({}), { deletedCount: 2 })
})

t.test(
  'Map, Decimal128, Buffer, BigInt, UUID and mixed values come back as they were',
  async (t) => {
    const { db } = await connected(t)
    const schema = new Schema({
      map: { type: Map, of: Number },
      price: Schema.Types.Decimal128,
      bytes: Buffer,
      big: BigInt,
      uuid: Schema.Types.UUID,
      when: Date,
      mixed: Schema.Types.Mixed,
      double: Schema.Types.Double,
      int: Schema.Types.Int32,
    })
    const Typed = db.model('Typed', schema)
    const given = {
      map: { a: 1, b: 2 },
      price: '12.50',
      bytes: Buffer.from('héllo'),
      big: 9007199254740993n,
      uuid: '0b2e8f0a-3c3e-4d7a-9c3a-1d2e3f4a5b6c',
      when: new Date(0),
      mixed: { deep: [1, { x: null }] },
      double: 3,
      int: 4,
    }
    const { _id } = await Typed.create(given)
    const found = await Typed.findById(_id).orFail()
    t.equal(found.map?.get('b'), 2)
    t.equal(found.price?.toString(), '12.50')
    t.equal(found.bytes?.toString(), 'héllo')
    t.equal(found.big, 9007199254740993n)
    t.equal(String(found.uuid), given.uuid)
    t.same(found.mixed, given.mixed)
    t.equal(await Typed.countDocuments({ big: { $gt: 9007199254740992n } }), 1)
    t.equal(await Typed.countDocuments({ double: { $type: 'double' }, int: { $type: 'int' } }), 1)
    found.map?.set('c', 3)
    await found.save()
    t.equal(await Typed.countDocuments({ 'map.c': 3 }), 1)
  },
)

t.test('collections are made, listed and dropped', async (t) => {
  const { db } = await connected(t)
  const Log = db.model('Log', new Schema({ n: Number }, { autoCreate: false, autoIndex: false }))
  await Log.createCollection()
  const names = (await db.listCollections()).map(({ name }) => name)
  t.ok(names.includes('logs'))
  await Log.create({ n: 1 })
  await db.transaction(async (session) => {
    await Log.create([{ n: 2 }], { session })
    t.equal(await Log.countDocuments(), 1, 'others do not see it yet')
  })
  t.equal(await Log.countDocuments(), 2)
  const session = await db.startSession()
  t.equal((await Log.find().session(session).lean()).length, 2)
  await session.endSession()
  await db.dropCollection('logs')
  t.same((await db.listCollections()).map(({ name }) => name).includes('logs'), false)
  await db.dropDatabase()
})

t.test('TOPOLOGY=standalone refuses what needs a router', async (t) => {
  const { db } = await connected(t, { TOPOLOGY: 'standalone' })
  const Log = db.model('Log', new Schema({ n: Number }))
  await Log.create({ n: 1 })
  await t.rejects(
    db.transaction(async (session) => {
      await Log.create([{ n: 2 }], { session })
    }),
    // The driver's word for it; what the server said is kept.
    {
      message: /does not support retryable writes/,
      originalError: { code: 20, message: /only allowed on a replica set/ },
    },
  )
  const session = await db.startSession()
  t.equal((await Log.find().session(session).lean()).length, 1, 'sessions alone are fine')
  await session.endSession()
  const stream = Log.watch()
  const failure = await new Promise((resolve) => {
    stream.once('error', resolve)
  })
  t.match(failure, { code: 40573 })
  await stream.close().catch(() => undefined)
  t.match(await db.db?.command({ ping: 1 }), { ok: 1 })
})

t.test('collections with validators, collation and a bound, by createCollection', async (t) => {
  const { db } = await connected(t)
  const bounded = new Schema({ n: Number }, { capped: { size: 4096, max: 2 } })
  const Capped = db.model('Capped', bounded)
  await Capped.createCollection()
  for (const n of [1, 2, 3]) await Capped.create({ n })
  t.same(
    (await Capped.find().lean()).map(({ n }) => n),
    [2, 3],
  )
  const named = new Schema({ name: String }, { collation: { locale: 'en', strength: 2 } })
  const Named = db.model('Named', named)
  await Named.create([{ name: 'ada' }, { name: 'Ada' }])
  t.equal(await Named.countDocuments({ name: 'ADA' }), 2)
  t.equal((await Named.find({ name: 'ADA' }).collation({ locale: 'simple' })).length, 0)
  const Checked = db.model('Checked', new Schema({ n: {} }, { autoCreate: false }))
  await Checked.createCollection({ validator: { $jsonSchema: { required: ['n'] } } })
  await t.rejects(Checked.create({}), { code: 121 })
  await Checked.create({ n: 1 })
  t.equal(await Checked.countDocuments(), 1)
})

t.test('a schema of a time series, with mongoose and over HTTP', async (t) => {
  const { url, key, uri } = await startGateway(t)
  const db = mongoose.createConnection(uri)
  t.teardown(() => db.close())
  const schema = new Schema(
    { at: Date, sensor: String, value: Number },
    {
      timeseries: { timeField: 'at', metaField: 'sensor', granularity: 'minutes' },
      expireAfterSeconds: 3_600,
      autoCreate: false,
      versionKey: false,
    },
  )
  const Reading = db.model('Reading', schema, 'readings')
  await Reading.createCollection()
  const now = Date.now()
  const at = (minutes: number) => new Date(now + minutes * 60_000)
  await Reading.insertMany([
    { at: at(2), sensor: 'a', value: 2 },
    { at: at(1), sensor: 'a', value: 1 },
    { at: at(3), sensor: 'b', value: 3 },
  ])
  const found = await Reading.find({ sensor: 'a' }).sort({ at: 1 }).lean()
  t.same(
    found.map(({ value }) => value),
    [1, 2],
  )
  t.match(await Reading.updateMany({ sensor: 'b' }, { sensor: 'c' }), { modifiedCount: 1 })
  await t.rejects(Reading.updateOne({ sensor: 'a' }, { value: 5 }), { code: 72 })
  await t.rejects(Reading.create({ sensor: 'a' }), { code: 2 })
  t.match(await Reading.deleteOne({ value: 3 }), { deletedCount: 1 })
  const api = openApi(url, key)
  const stats = await api.get('readings/stats')
  t.match(stats.json, { documentCount: 2, indexCount: 1, timeseries: true })
  const told = await api.post('readings/find', { filter: { sensor: 'a' }, sort: { at: -1 } })
  t.match(told.json.cursor, { firstBatch: [{ value: 2 }, { value: 1 }] })
  const update = { filter: { sensor: 'a' }, update: { $set: { value: 9 } } }
  t.match(await api.post('readings/updateOne', update), { status: 400, json: { code: 72 } })
  t.match(await api.post('readings/insertOne', { document: { at: 'now' } }), { json: { code: 2 } })
})
