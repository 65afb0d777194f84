// Much to show for the pages of the Studio: wide documents, keys and memories, and one value of
// each kind that is larger than a page can hold.

import { Redis } from 'ioredis'
import { MongoClient } from 'mongodb'
import { ask } from './http-client.js'
import type { LiveGateway } from './live-gateway.js'

interface Amounts {
  /** In main.books, of 60 fields each. */
  readonly documents: number
  readonly keys: number
  /** A multiple of 500. */
  readonly memories: number
  /** Of the large document and the large key. */
  readonly largeBytes: number
}

const batch = 5_000
const memoriesInBatch = 500

/** For a gateway with AUTH_MODE=off. */
export async function fillMuch(gateway: LiveGateway, amounts: Amounts): Promise<void> {
  await fillDocuments(gateway, amounts)
  await fillKeys(gateway, amounts)
  await fillMemories(gateway, amounts)
}

async function fillDocuments(
  { uri }: LiveGateway,
  { documents, largeBytes }: Amounts,
): Promise<void> {
  const client = await MongoClient.connect(uri.replace(/operator:\w+@/, ''))
  try {
    const database = client.db('main')
    const books = database.collection<{ _id: number }>('books')
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field${at}`, at]))
    for (let from = 0; from < documents; from += batch) {
      const length = Math.min(batch, documents - from)
      await books.insertMany(Array.from({ length }, (_, at) => ({ _id: from + at, ...fields })))
    }
    const large = { _id: -1, ...fields, text: 'x'.repeat(largeBytes) }
    await books.insertOne(large as { _id: number })
    for (let i = 0; i < 60; i++) await database.createCollection(`c${i}`)
  } finally {
    await client.close()
  }
}

async function fillKeys({ ports }: LiveGateway, { keys, largeBytes }: Amounts): Promise<void> {
  const redis = new Redis(ports.redis)
  try {
    for (let from = 0; from < keys; from += batch) {
      const length = Math.min(batch, keys - from)
      await redis.mset(Array.from({ length: 2 * length }, (_, at) => `k${from + (at >> 1)}`))
    }
    await redis.set('a', 'x'.repeat(largeBytes))
  } finally {
    redis.disconnect()
  }
}

async function fillMemories(
  { url, key }: LiveGateway,
  { memories: count }: Amounts,
): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  for (let from = 0; from < count; from += memoriesInBatch) {
    const memories = Array.from({ length: memoriesInBatch }, (_, at) => ({
      text: `Fact ${from + at} of Mary Somerville is kept on Shelf ${at % 40}.`,
    }))
    const body = JSON.stringify({ memories })
    const { status } = await ask(url, { path: '/api/memories/batch', headers, body })
    if (status !== 200) throw new Error(`memories were refused with ${status}`)
  }
}
