// Question: what does a collection of 1,000,000 documents cost, beside one of 10,000? Point work
// at most twice the time, memory, start, and the longest turn of the event loop under heavy work.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Collection, MongoClient } from 'mongodb'
import { seededRandom } from '../test/support/seeded-random.js'
import { type Figure, median, plain } from './support/figure.js'
import { memoryOf, type SigilProcess, startSigil } from './support/processes.js'

const small = 10_000
const large = 1_000_000
const environment = { TICK_PROBE: '1' }

interface Row {
  _id: number
  n: number
  group: number
  name: string
  text: string
}

export async function million(): Promise<Figure[]> {
  const figures: Figure[] = []
  const folder = mkdtempSync(join(tmpdir(), 'sigil-million-'))
  let sigil = await startSigil({ folder, environment })
  const idle = memoryOf(sigil.pid)
  figures.push(plain('RssAnon idle', idle.anon, 'MB'), plain('RssFile idle', idle.file, 'MB'))
  let client = await MongoClient.connect(sigil.uri)
  try {
    await fill(rows(client, 'small'), small)
    await fill(rows(client, 'large'), large)
    figures.push(...(await points(client)))
    const loaded = memoryOf(sigil.pid)
    figures.push(plain('RssAnon after 1,000,000 documents', loaded.anon, 'MB'))
    figures.push(plain('RssFile after 1,000,000 documents', loaded.file, 'MB'))
    figures.push(...(await ticks(client, sigil)))
    await client.close()
    await sigil.stop()
    sigil = await startSigil({ folder, environment })
    figures.push(plain('start on 1,000,000 documents', sigil.startMs, 'ms'))
    client = await MongoClient.connect(sigil.uri)
    await sigil.longestTick()
    await rows(client, 'large').drop()
    figures.push(...(await tick(sigil, 'drop')))
    return figures
  } finally {
    await client.close()
    await sigil.stop()
    rmSync(folder, { recursive: true })
  }
}

function rows(client: MongoClient, name: string): Collection<Row> {
  return client.db('main').collection<Row>(name)
}

async function fill(collection: Collection<Row>, count: number): Promise<void> {
  await collection.createIndex({ n: 1 })
  for (let start = 0; start < count; start += 1_000) {
    const batch = Array.from({ length: 1_000 }, (_, index) => row(start + index))
    await collection.insertMany(batch)
  }
}

/** About 300 bytes; `n` is spread so that index order is not insertion order. */
function row(id: number): Row {
  const n = Math.imul(id, 2_654_435_761) >>> 0
  return { _id: id, n, group: id % 1_000, name: `name ${n}`, text: 'x'.repeat(200) }
}

async function points(client: MongoClient): Promise<Figure[]> {
  const questions: readonly [string, (rows: Collection<Row>, id: number) => Promise<unknown>][] = [
    ['find by index', (rows, id) => rows.findOne({ n: row(id).n })],
    ['count of everything', (rows) => rows.estimatedDocumentCount()],
    [
      'page of 100 by index order',
      (rows, id) =>
        rows
          .find({ n: { $gte: row(id).n } })
          .sort({ n: 1 })
          .limit(100)
          .toArray(),
    ],
  ]
  const figures: Figure[] = []
  for (const [name, ask] of questions) {
    const ours = await time(rows(client, 'large'), small, ask)
    const peer = await time(rows(client, 'small'), small, ask)
    const label = `${name}: 1,000,000 beside 10,000`
    figures.push({ name: label, ours, peer, ratio: ours / peer, unit: 'ms' })
  }
  return figures
}

async function time(
  collection: Collection<Row>,
  ids: number,
  ask: (rows: Collection<Row>, id: number) => Promise<unknown>,
): Promise<number> {
  const random = seededRandom(3)
  const times: number[] = []
  for (let round = 0; round < 300; round++) {
    const id = Math.floor(random() * ids)
    const started = performance.now()
    await ask(collection, id)
    times.push(performance.now() - started)
  }
  return median(times.slice(100))
}

/** Heavy work on the large collection, each with the longest turn of the event loop meanwhile. */
async function ticks(client: MongoClient, sigil: SigilProcess): Promise<Figure[]> {
  const collection = rows(client, 'large')
  const work: readonly [string, () => Promise<unknown>][] = [
    ['scan', () => collection.countDocuments({ text: 'y' })],
    ['$group', () => collection.aggregate([groupStage]).toArray()],
    ['$sort without index', () => collection.find().sort({ name: 1 }).limit(10).toArray()],
    ['updateMany', () => collection.updateMany({}, { $inc: { group: 1 } })],
    ['index build', () => collection.createIndex({ name: 1 })],
  ]
  const figures: Figure[] = []
  for (const [name, run] of work) {
    await sigil.longestTick()
    const started = performance.now()
    await run()
    figures.push(plain(`${name} over 1,000,000`, performance.now() - started, 'ms'))
    figures.push(...(await tick(sigil, name)))
  }
  return figures
}

const groupStage = { $group: { _id: '$group', total: { $sum: '$n' } } }

async function tick(sigil: SigilProcess, name: string): Promise<Figure[]> {
  const { maxMs, gcMaxMs } = await sigil.longestTick()
  return [
    plain(`longest tick: ${name}`, maxMs, 'ms'),
    plain(`  longest garbage collection: ${name}`, gcMaxMs, 'ms'),
  ]
}
