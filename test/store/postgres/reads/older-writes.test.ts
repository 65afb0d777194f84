// What begins to record waits for the write groups of other gateways that began before it, and for
// no later ones: collMod of images, and the first change stream.

import { MongoClient } from 'mongodb'
import pg from 'pg'
import t, { type Test } from 'tap'
import { writerName } from '../../../../src/store/postgres/gateway-row.js'
import { startGateway } from '../../../support/live-gateway.js'
import { postgresMissing } from '../../../support/postgres-reference.js'
import { until } from '../../../support/shared-pair.js'
import { sharedAddress } from '../../../support/shared-stores.js'

const asked =
  "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT virtualxid AS remaining%' AND datname = current_database()"

interface Room {
  readonly client: MongoClient
  /** Begins a transaction as a write group of another gateway does. */
  begin(): Promise<pg.Client>
  isWaiting(): Promise<boolean>
}

async function openRoom(t: Test): Promise<Room> {
  const address = await sharedAddress(t)
  const connectionString = address.replace(/&schema=.*/, '')
  const connect = async (name: string) => {
    const one = new pg.Client({ connectionString, application_name: name })
    await one.connect()
    t.teardown(() => one.end())
    return one
  }
  const observer = await connect('observer')
  const { uri } = await startGateway(t, { STORE: address, DURABILITY: 'none' })
  const client = await MongoClient.connect(uri, { directConnection: true })
  t.teardown(() => client.close())
  return {
    client,
    begin: async () => {
      const writer = await connect(writerName)
      await writer.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
      return writer
    },
    isWaiting: async () => (await observer.query(asked)).rows.length > 0,
  }
}

/** The answer comes when the older group has ended, though a later one is open; else never. */
async function waits(t: Test, room: Room, run: () => Promise<unknown>): Promise<void> {
  const older = await room.begin()
  let isOver = false
  const answer = run().finally(() => {
    isOver = true
  })
  await until(room.isWaiting)
  t.equal(isOver, false, 'it waits')
  const later = await room.begin()
  await older.query('COMMIT')
  await answer
  await later.query('COMMIT')
}

t.test('collMod of images', { skip: postgresMissing }, async (t) => {
  const room = await openRoom(t)
  const db = room.client.db('main')
  await db.createCollection('orders')
  const images = { changeStreamPreAndPostImages: { enabled: true } }
  await waits(t, room, () => db.command({ collMod: 'orders', ...images }))
})

t.test('the first change stream', { skip: postgresMissing }, async (t) => {
  const room = await openRoom(t)
  const db = room.client.db('main')
  await db.createCollection('orders')
  const pipeline = [{ $changeStream: {} }]
  await waits(t, room, () => db.command({ aggregate: 'orders', pipeline, cursor: {} }))
})
