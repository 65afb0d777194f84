// The operations of the test files as calls of the official driver: a table by the object's kind
// and the operation's name. An argument without a place of its own is an option of the call.

import type { Readable } from 'node:stream'
import {
  type AnyBulkWriteOperation,
  ChangeStream,
  type ClientBulkWriteModel,
  ClientSession,
  Collection,
  Db,
  type Document,
  GridFSBucket,
  MongoClient,
} from 'mongodb'
import { options as driverOptions, type Entities } from './entities.js'
import type { Fields, Operation } from './format.js'
import { text } from './matcher.js'

type Run = (operation: Operation) => Promise<void>

/**
 * Does one operation and returns what the files call its result. `run` does those within it, with
 * their checks.
 */
export async function execute(
  operation: Operation,
  entities: Entities,
  run: Run,
): Promise<unknown> {
  const { object, name } = operation
  const given = argumentsOf(operation, entities, run)
  const target = entities.entity(object)
  if (target instanceof Collection) return await called(collectionCalls, name)(target, given)
  if (target instanceof Db) return await called(databaseCalls, name)(target, given)
  if (target instanceof ClientSession) return await called(sessionCalls, name)(target, given)
  if (target instanceof MongoClient) return await called(clientCalls, name)(target, given)
  if (target instanceof ChangeStream) return await called(streamCalls, name)(target, given)
  if (target instanceof GridFSBucket) return await called(bucketCalls, name)(target, given)
  throw new Error(`the runner has no operations on ${object}`)
}

function argumentsOf(operation: Operation, entities: Entities, run: Run): Document {
  const given: Document = { ...driverOptions(operation.arguments) }
  if (Array.isArray(given.callback)) {
    const steps: readonly Operation[] = given.callback
    given.callback = async () => {
      for (const step of steps) await run(step)
    }
  }
  if (given.session !== undefined) given.session = entities.session(String(given.session))
  if (given.returnDocument !== undefined) {
    given.returnDocument = String(given.returnDocument).toLowerCase()
  }
  return given
}

type Call<T> = (target: T, given: Document) => Promise<unknown>
type Calls<T> = Readonly<Record<string, Call<T>>>

function called<T>(calls: Calls<T>, name: string): Call<T> {
  const call = calls[name]
  if (call === undefined) throw new Error(`the runner has no operation ${name}`)
  return call
}

/** Sends the aggregate. The cursor's method is not declared; other ways send a getMore too. */
async function opened(stream: ChangeStream): Promise<ChangeStream> {
  const { cursor } = stream as unknown as { cursor: { cursorInit(): Promise<void> } }
  await cursor.cursorInit()
  return stream
}

const streamCalls: Calls<ChangeStream> = {
  iterateUntilDocumentOrError: (stream) => stream.next(),
}

const clientCalls: Calls<MongoClient> = {
  createChangeStream: (client, { pipeline, ...options }) => opened(client.watch(pipeline, options)),
  clientBulkWrite: (client, { models, ...options }) =>
    client.bulkWrite(clientModels(models), options),
  listDatabaseNames: async (client, options) => {
    const { databases } = await client
      .db('admin')
      .admin()
      .listDatabases({ ...options, nameOnly: true })
    return databases.map(({ name }) => name)
  },
  listDatabaseObjects: async (client, options) =>
    (await client.db('admin').admin().listDatabases(options)).databases,
  listDatabases: async (client, options) =>
    (await client.db('admin').admin().listDatabases(options)).databases,
}

const bucketCalls: Calls<GridFSBucket> = {
  download: (bucket, { id, ...options }) => bytesOf(bucket.openDownloadStream(id, options)),
  downloadByName: (bucket, { filename, ...options }) =>
    bytesOf(bucket.openDownloadStreamByName(filename, options)),
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  return Buffer.concat((await stream.toArray()) as Buffer[])
}

const sessionCalls: Calls<ClientSession> = {
  // Not declared, and the only way to ask.
  getSnapshotTime: async (session) => (session as unknown as Fields).snapshotTime,
  startTransaction: async (session, options) => session.startTransaction(options),
  commitTransaction: (session) => session.commitTransaction(),
  abortTransaction: (session) => session.abortTransaction(),
  endSession: (session) => session.endSession(),
  withTransaction: (session, { callback, ...options }) =>
    session.withTransaction(async () => await callback(), options),
}

const databaseCalls: Calls<Db> = {
  createChangeStream: (db, { pipeline, ...options }) => opened(db.watch(pipeline, options)),
  aggregate: (db, { pipeline, ...options }) => db.aggregate(pipeline, options).toArray(),
  createCollection: (db, { collection, ...options }) => db.createCollection(collection, options),
  dropCollection: (db, { collection, ...options }) => db.dropCollection(collection, options),
  listCollections: (db, { filter, ...options }) => db.listCollections(filter, options).toArray(),
  listCollectionNames: async (db, { filter, ...options }) => {
    const found = await db.listCollections(filter, { ...options, nameOnly: true }).toArray()
    return found.map(({ name }) => name)
  },
  listCollectionObjects: (db, { filter, ...options }) =>
    db.listCollections(filter, options).toArray(),
  runCommand: (db, { command, commandName: _, ...options }) => db.command(command, options),
  modifyCollection: (db, { collection, ...changes }) =>
    db.command({ collMod: collection, ...changes }),
}

const collectionCalls: Calls<Collection> = {
  createChangeStream: (rows, { pipeline, ...options }) => opened(rows.watch(pipeline, options)),
  rename: (rows, { to, ...options }) => rows.rename(to, options),
  aggregate: (rows, { pipeline, ...options }) => rows.aggregate(pipeline, options).toArray(),
  bulkWrite: (rows, { requests, ...options }) => rows.bulkWrite(models(requests), options),
  count: (rows, { filter, ...options }) => rows.count(filter, options),
  countDocuments: (rows, { filter, ...options }) => rows.countDocuments(filter, options),
  createIndex: (rows, { keys, ...options }) => rows.createIndex(keys, options),
  createSearchIndex: (rows, { model }) => rows.createSearchIndex(model),
  createSearchIndexes: (rows, { models }) => rows.createSearchIndexes(models),
  deleteMany: (rows, { filter, ...options }) => rows.deleteMany(filter, options),
  deleteOne: (rows, { filter, ...options }) => rows.deleteOne(filter, options),
  distinct: (rows, { fieldName, filter, ...options }) => rows.distinct(fieldName, filter, options),
  dropIndex: (rows, { name, ...options }) => rows.dropIndex(name, options),
  dropSearchIndex: (rows, { name }) => rows.dropSearchIndex(name),
  estimatedDocumentCount: (rows, options) => rows.estimatedDocumentCount(options),
  find: (rows, { filter, ...options }) => rows.find(filter, options).toArray(),
  findOne: (rows, { filter, ...options }) => rows.findOne(filter, options),
  findOneAndDelete: (rows, { filter, ...options }) => rows.findOneAndDelete(filter, options),
  findOneAndReplace: (rows, { filter, replacement, ...options }) =>
    rows.findOneAndReplace(filter, replacement, options),
  findOneAndUpdate: (rows, { filter, update, ...options }) =>
    rows.findOneAndUpdate(filter, update, options),
  insertMany: (rows, { documents, ...options }) => rows.insertMany(documents, options),
  insertOne: (rows, { document, ...options }) => rows.insertOne(document, options),
  listIndexes: (rows, options) => rows.listIndexes(options).toArray(),
  listIndexNames: async (rows, options) =>
    (await rows.listIndexes(options).toArray()).map(({ name }) => name),
  listSearchIndexes: (rows, { name, aggregationOptions }) =>
    rows.listSearchIndexes(name, aggregationOptions).toArray(),
  replaceOne: (rows, { filter, replacement, ...options }) =>
    rows.replaceOne(filter, replacement, options),
  updateMany: (rows, { filter, update, ...options }) => rows.updateMany(filter, update, options),
  updateOne: (rows, { filter, update, ...options }) => rows.updateOne(filter, update, options),
  updateSearchIndex: (rows, { name, definition }) => rows.updateSearchIndex(name, definition),
}

/** The files name the models and their parts as this driver does. */
function models(requests: unknown): AnyBulkWriteOperation[] {
  return requests as AnyBulkWriteOperation[]
}

/** There the kind of a model is its one key, here one of its fields. */
function clientModels(models: unknown): ClientBulkWriteModel<Document>[] {
  return (models as Readonly<Record<string, Fields>>[]).map((model) => {
    const [name, fields] = Object.entries(model)[0] ?? []
    return { name, ...fields } as unknown as ClientBulkWriteModel<Document>
  })
}

/** Operations that ask the runner itself, about what the server holds. */
export async function askServer(name: string, given: Fields, database: (name: string) => Db) {
  const db = database(String(given.databaseName))
  if (name.startsWith('assertIndex')) return await askIndex(name, given, db)
  const found = await db.listCollections({ name: given.collectionName }).toArray()
  const isThere = found.length > 0
  if (name === 'assertCollectionExists' && isThere) return
  if (name === 'assertCollectionNotExists' && !isThere) return
  throw new Error(`${name} ${text(given)}: ${isThere ? 'it exists' : 'it does not exist'}`)
}

async function askIndex(name: string, given: Fields, db: Db): Promise<void> {
  const collections = await db.listCollections({ name: given.collectionName }).toArray()
  const rows = db.collection(String(given.collectionName))
  const found = collections.length === 0 ? [] : await rows.listIndexes().toArray()
  const isThere = found.some((index) => index.name === given.indexName)
  if (isThere === (name === 'assertIndexExists')) return
  throw new Error(`${name} ${text(given)}: ${isThere ? 'it exists' : 'it does not exist'}`)
}
