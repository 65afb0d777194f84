// mongosh, unmodified: each line of a session beside what a user must see.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { mongoshScript } from '../support/tools.js'

const run = promisify(execFile)

/** Evaluates a script in mongosh and answers what it printed. */
async function shell({ uri }: LiveGateway, script: string): Promise<string> {
  const args = [await mongoshScript(), '--quiet', '--norc', uri, '--eval', script]
  const { stdout } = await run(process.execPath, args, { timeout: 120_000 })
  return stdout.trim()
}

t.test('a session of everyday commands', async (t) => {
  const gateway = await startGateway(t)
  const output = await shell(
    gateway,
    `
    const show = (value) => print(EJSON.stringify(value))
    show(db.people.insertMany([{_id: 1, n: 1, t: ['a']}, {_id: 2, n: 2}, {_id: 3, n: 3}]))
    show(db.people.find({n: {$gt: 1}}, {_id: 0}).sort({n: -1}).toArray())
    show(db.people.updateOne({_id: 1}, {$set: {n: 5}}))
    show(db.people.countDocuments())
    show(db.people.estimatedDocumentCount())
    show(db.people.distinct('n'))
    show(db.people.aggregate([{$group: {_id: null, sum: {$sum: '$n'}}}]).toArray())
    show(db.people.createIndex({n: 1, t: -1}))
    show(db.people.getIndexes())
    show(db.people.find({n: 5}).explain().queryPlanner.winningPlan.inputStage.indexName)
    show(db.people.dropIndex('n_1_t_-1').nIndexesWas)
    show(db.people.stats().count)
    show(db.people.totalSize() > 0)
    show(db.people.dataSize() > 0)
    show(db.stats().collections)
    show(db.getCollectionNames())
    show(db.adminCommand({listDatabases: 1}).databases.map((each) => each.name))
    show(db.people.findOneAndUpdate({_id: 2}, {$inc: {n: 1}}, {returnDocument: 'after'}))
    show(db.people.bulkWrite([{insertOne: {document: {_id: 9}}}, {deleteOne: {filter: {_id: 9}}}]))
    show(db.people.renameCollection('persons').ok)
    show(db.persons.drop())
    show(db.version())
    `,
  )
  const lines = output.split('\n').map((line) => JSON.parse(line) as unknown)
  t.match(lines, [
    { acknowledged: true, insertedIds: { 0: 1, 1: 2, 2: 3 } },
    [{ n: 3 }, { n: 2 }],
    { acknowledged: true, matchedCount: 1, modifiedCount: 1 },
    3,
    3,
    [5, 2, 3],
    [{ _id: null, sum: 10 }],
    'n_1_t_-1',
    [{ name: '_id_' }, { name: 'n_1_t_-1', key: { n: 1, t: -1 } }],
    'n_1_t_-1',
    2,
    3,
    true,
    true,
    1,
    ['people'],
    ['admin', 'config', 'local', 'main'],
    { _id: 2, n: 3 },
    { acknowledged: true, insertedCount: 1, deletedCount: 1 },
    1,
    true,
    /^7\.0\./,
  ])
})

t.test('the shell finds a router of one shard', async (t) => {
  const gateway = await startGateway(t)
  t.match(await shell(gateway, 'sh.status()'), /shards[\s\S]*_id: 'sigil'[\s\S]*balancer/)
  t.match(await shell(gateway, 'sh.isBalancerRunning()'), /mode: 'off'/)
  const inTransaction = `
    const session = db.getMongo().startSession()
    const own = session.getDatabase('main').people
    session.startTransaction()
    own.insertOne({ _id: 1 })
    print(db.people.countDocuments())
    session.commitTransaction()
    print(db.people.countDocuments())`
  t.equal(await shell(gateway, inTransaction), '0\n1')
})

t.test('show and the cursor print what a user reads', async (t) => {
  const gateway = await startGateway(t)
  await shell(gateway, 'for (let i = 0; i < 30; i++) db.n.insertOne({_id: i})')
  t.match(await shell(gateway, 'show dbs'), /^main\s+420 B$/m)
  t.equal(await shell(gateway, 'show collections'), 'n')
  t.match(await shell(gateway, 'db.n.find()'), /_id: 19 [\s\S]*Type "it" for more/)
})

t.test('errors are in the reference server’s words', async (t) => {
  const gateway = await startGateway(t)
  const said = (script: string) =>
    shell(gateway, `try { ${script} } catch (error) { print(error.toString()) }`)
  t.match(
    await said('db.a.find({x: {$foo: 1}}).toArray()'),
    /MongoServerError: unknown operator: \$foo/,
  )
  t.match(
    await said('db.a.insertMany([{_id: 1}, {_id: 1}])'),
    /E11000 duplicate key error collection: main\.a index: _id_ dup key: \{ _id: 1 \}/,
  )
  t.match(
    await said('db.a.dropIndex("x_1")'),
    /MongoServerError: index not found with name \[x_1\]/,
  )
  t.match(await said('db.runCommand({nope: 1})'), /MongoServerError: no such command: 'nope'/)
})
