// Transactions by the official Node driver and mongoose: what an application
// does with withTransaction, and what it gets where two of them meet.

import { type ClientSession, type Collection, MongoClient, MongoServerError } from 'mongodb'
import mongoose from 'mongoose'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'

interface Account {
  _id: string
  balance: number
}

interface Room {
  readonly client: MongoClient
  readonly accounts: Collection<Account>
}

async function open(t: Test): Promise<Room> {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const accounts = client.db('main').collection<Account>('accounts')
  await accounts.insertMany([
    { _id: 'ada', balance: 100 },
    { _id: 'ben', balance: 100 },
  ])
  return { client, accounts }
}

async function transfer(
  { accounts }: Room,
  session: ClientSession,
  amount: number,
  [from, to] = ['ada', 'ben'],
): Promise<void> {
  const payer = await accounts.findOne({ _id: from as string }, { session })
  if ((payer?.balance ?? 0) < amount) throw new Error('not enough')
  await accounts.updateOne({ _id: from as string }, { $inc: { balance: -amount } }, { session })
  await accounts.updateOne({ _id: to as string }, { $inc: { balance: amount } }, { session })
}

const balances = async ({ accounts }: Room) =>
  (await accounts.find().sort({ _id: 1 }).toArray()).map(({ balance }) => balance)

t.test('a transfer is made as a whole, and seen when it is committed', async (t) => {
  const room = await open(t)
  await room.client.withSession(async (session) => {
    await session.withTransaction(async () => {
      await transfer(room, session, 30)
      t.same(await balances(room), [100, 100], 'others see nothing of it')
      const own = await room.accounts.find({}, { session }).sort({ _id: 1 }).toArray()
      t.same(
        own.map(({ balance }) => balance),
        [70, 130],
      )
    })
  })
  t.same(await balances(room), [70, 130])
})

t.test('an error ends it, and leaves nothing', async (t) => {
  const room = await open(t)
  await room.client.withSession(async (session) => {
    const failing = session.withTransaction(async () => {
      await room.accounts.insertOne({ _id: 'cy', balance: 1 }, { session })
      await transfer(room, session, 30)
      throw new Error('changed my mind')
    })
    await t.rejects(failing, { message: 'changed my mind' })
  })
  t.same(await balances(room), [100, 100])
})

t.test('a conflict carries the label, and withTransaction runs it again', async (t) => {
  const room = await open(t)
  let runs = 0
  await room.client.withSession(async (session) => {
    await session.withTransaction(async () => {
      runs++
      await transfer(room, session, 10)
      if (runs === 1) await room.accounts.updateOne({ _id: 'ada' }, { $inc: { balance: 5 } })
    })
  })
  t.equal(runs, 2)
  t.same(await balances(room), [95, 110])
  await room.client.withSession(async (session) => {
    session.startTransaction()
    await transfer(room, session, 10)
    await room.accounts.deleteOne({ _id: 'ben' })
    const error = await session.commitTransaction().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    t.match(error, { code: 112, codeName: 'WriteConflict' })
    t.ok((error as MongoServerError).hasErrorLabel('TransientTransactionError'))
  })
})

t.test('two at the same time lose nothing', async (t) => {
  const room = await open(t)
  const rounds = 15
  const worker = (way: [string, string], amount: number) =>
    room.client.withSession(async (session) => {
      for (let i = 0; i < rounds; i++) {
        await session.withTransaction(() => transfer(room, session, amount, way))
      }
    })
  await Promise.all([worker(['ada', 'ben'], 3), worker(['ben', 'ada'], 1)])
  t.same(await balances(room), [100 - 2 * rounds, 100 + 2 * rounds])
})

t.test('every kind of statement sees the own writes', async (t) => {
  const { client, accounts } = await open(t)
  await accounts.createIndex({ balance: 1 })
  await client.withSession(async (session) => {
    session.startTransaction()
    await accounts.insertOne({ _id: 'cy', balance: 7 }, { session })
    await accounts.updateMany({ balance: 100 }, { $inc: { balance: 1 } }, { session })
    await accounts.deleteOne({ _id: 'ben' }, { session })
    t.same(await accounts.find({ balance: { $gt: 0 } }, { session }).toArray(), [
      { _id: 'cy', balance: 7 },
      { _id: 'ada', balance: 101 },
    ])
    const descending = accounts
      .find({}, { session })
      .sort({ balance: -1 })
      .map(({ _id }) => _id)
    t.same(await descending.toArray(), ['ada', 'cy'])
    const sum = [{ $group: { _id: null, sum: { $sum: '$balance' }, n: { $sum: 1 } } }]
    t.same(await accounts.aggregate(sum, { session }).toArray(), [{ _id: null, sum: 108, n: 2 }])
    t.equal(await accounts.countDocuments({}, { session }), 2)
    t.same(await accounts.distinct('balance', {}, { session }), [7, 101])
    const joined = await accounts
      .aggregate(
        [
          { $match: { _id: 'cy' } },
          {
            $lookup: { from: 'accounts', localField: 'balance', foreignField: 'balance', as: 'j' },
          },
        ],
        { session },
      )
      .toArray()
    t.match(joined, [{ j: [{ _id: 'cy' }] }])
    const found = await accounts.findOneAndUpdate(
      { _id: 'cy' },
      { $set: { balance: 8 } },
      { session, returnDocument: 'after' },
    )
    t.same(found, { _id: 'cy', balance: 8 })
    await session.commitTransaction()
    await session.commitTransaction()
  })
  t.same(await accounts.find().sort({ _id: 1 }).toArray(), [
    { _id: 'ada', balance: 101 },
    { _id: 'cy', balance: 8 },
  ])
})

t.test('a cursor reads its transaction to the end, and ends with it', async (t) => {
  const { client, accounts } = await open(t)
  const many = Array.from({ length: 50 }, (_, i) => ({ _id: `n${i + 10}`, balance: i }))
  await accounts.insertMany(many)
  await client.withSession(async (session) => {
    session.startTransaction()
    const cursor = accounts.find({ _id: /^n/ }, { session, batchSize: 10 })
    await cursor.next()
    await accounts.deleteMany({ _id: /^n/ })
    let count = 1
    while ((await cursor.next()) !== null) count++
    t.equal(count, 50)
    const left = accounts.find({}, { session, batchSize: 1 })
    await left.next()
    await left.close()
    const open = accounts.find({}, { session, batchSize: 1 })
    await open.next()
    await session.abortTransaction()
    await t.rejects(open.next(), MongoServerError)
  })
})

t.test('a duplicate ends the transaction', async (t) => {
  const { client, accounts } = await open(t)
  await client.withSession(async (session) => {
    session.startTransaction()
    await accounts.insertOne({ _id: 'cy', balance: 1 }, { session })
    await t.rejects(accounts.insertOne({ _id: 'ada', balance: 1 }, { session }), { code: 11000 })
    await t.rejects(accounts.findOne({}, { session }), { code: 251 })
    await session.abortTransaction()
  })
  t.equal(await accounts.findOne({ _id: 'cy' }), null)
})

t.test('collections appear with the transaction that writes to them first', async (t) => {
  const { client } = await open(t)
  const db = client.db('main')
  await client.withSession(async (session) => {
    session.startTransaction()
    await db.collection('fresh').insertOne({ n: 1 }, { session })
    t.same(await db.listCollections({ name: 'fresh' }).toArray(), [])
    await session.abortTransaction()
    session.startTransaction()
    await db.collection('fresh').insertOne({ n: 2 }, { session })
    await session.commitTransaction()
  })
  t.equal(await db.collection('fresh').countDocuments(), 1)
})

t.test('what the writes rest on is read again by the commit', async (t) => {
  const { client, accounts } = await open(t)
  const db = client.db('main')
  const meanwhile = async (change: () => Promise<unknown>): Promise<unknown> =>
    client.withSession(async (session) => {
      session.startTransaction()
      await accounts.insertOne({ _id: 'cy', balance: 10 }, { session })
      await change()
      return session.commitTransaction().then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
    })
  const conflict = { code: 112, errorLabels: ['TransientTransactionError'] }
  t.match(await meanwhile(() => accounts.createIndex({ balance: 1 })), conflict)
  const validator = { validator: { balance: { $gt: 5 } } }
  t.match(await meanwhile(() => db.command({ collMod: 'accounts', ...validator })), conflict)
  t.match(await meanwhile(() => accounts.drop()), conflict)
  t.same(await accounts.find().toArray(), [])
})

t.test('what does not belong into a transaction has its code', async (t) => {
  const { client, accounts } = await open(t)
  const db = client.db('main')
  await db.createCollection('capped', { capped: true, size: 4_096 })
  const inTransaction = (work: (session: ClientSession) => Promise<unknown>) =>
    client.withSession(async (session) => {
      session.startTransaction()
      try {
        return await work(session)
      } finally {
        await session.abortTransaction().catch(() => undefined)
      }
    })
  const refused = async (code: number, work: (session: ClientSession) => Promise<unknown>) => {
    await t.rejects(inTransaction(work), { code })
  }
  await refused(263, (session) => db.command({ count: 'accounts' }, { session }))
  await refused(263, (session) => db.collection('capped').insertOne({ n: 1 }, { session }))
  const out = [{ $out: 'other' }]
  await refused(263, (session) => accounts.aggregate(out, { session }).toArray())
})

t.test('mongoose saves its documents in a transaction', async (t) => {
  const { uri } = await startGateway(t)
  const db = mongoose.createConnection(uri)
  t.teardown(() => db.close())
  const schema = new mongoose.Schema({ name: { type: String, unique: true }, n: Number })
  const Cat = db.model('Cat', schema)
  await Cat.init()
  await Cat.create([
    { name: 'a', n: 1 },
    { name: 'b', n: 1 },
  ])
  const cats = async () => (await Cat.find().sort({ name: 1 })).map(({ name, n }) => `${name}${n}`)
  await db.transaction(async (session) => {
    const a = await Cat.findOne({ name: 'a' }).session(session)
    if (a === null) throw new Error('a cat is missing')
    a.n = 6
    await a.save({ session })
    await Cat.create([{ name: 'c', n: 9 }], { session })
    t.same(await cats(), ['a1', 'b1'])
  })
  t.same(await cats(), ['a6', 'b1', 'c9'])
  const failing = db.transaction(async (session) => {
    await Cat.create([{ name: 'd', n: 1 }], { session })
    throw new Error('no')
  })
  await t.rejects(failing, { message: 'no' })
  t.same(await cats(), ['a6', 'b1', 'c9'])
})
