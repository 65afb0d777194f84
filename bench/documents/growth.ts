// Question: what do $group, $lookup, updateMany, a sort without index and distinct cost over
// 1,000,000 documents, and a document of it beside one of 10,000? Both in turns, in one server.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Collection, MongoClient } from 'mongodb'
import { type Figure, median, plain } from '../support/figure.js'
import { memoryOf, type SigilProcess, startSigil } from '../support/processes.js'
import { type Row, rowOf } from './rows.js'

const small = 10_000
const large = Number(process.env.BENCH_DOCUMENTS ?? 1_000_000)
const updated = Math.min(100_000, large / 10)

/** Work on one of the collections. */
interface Question {
  readonly name: string
  /** Documents that the work goes through: what a document costs is the time by this. */
  readonly documents: (count: number) => number
  readonly run: (rows: Collection<Row>, count: number) => Promise<unknown>
  readonly rounds: number
}

const byName = { name: 1 } as const
/** One document of all that comes out, so that no reply is measured. */
const last = { $group: { _id: null, last: { $last: '$in' } } }

const questions: readonly Question[] = [
  {
    name: '$group by one of 1,000 values',
    documents: (count) => count,
    run: (rows) => rows.aggregate([{ $group: { _id: '$group', total: { $sum: '$n' } } }]).toArray(),
    rounds: 3,
  },
  {
    name: '$group by a value of its own',
    documents: (count) => count,
    run: (rows) =>
      rows.aggregate([{ $group: { _id: '$n', t: { $sum: '$group' } } }, { $count: 'n' }]).toArray(),
    rounds: 1,
  },
  {
    name: '$lookup of 10,000 by index',
    documents: () => small,
    run: (rows) => rows.aggregate([{ $limit: small }, joinOf(rows), last]).toArray(),
    rounds: 3,
  },
  {
    name: '$lookup and $unwind of 10,000',
    documents: () => small,
    run: (rows) =>
      rows.aggregate([{ $limit: small }, joinOf(rows), { $unwind: '$in' }, last]).toArray(),
    rounds: 3,
  },
  {
    name: `updateMany of ${updated}, or 10,000`,
    documents: (count) => Math.min(count, updated),
    run: (rows, count) =>
      rows.updateMany({ _id: { $lt: Math.min(count, updated) } }, { $inc: { group: 1 } }),
    rounds: 3,
  },
  {
    name: 'sort without index, limit 100',
    documents: (count) => count,
    run: (rows) => rows.find().sort(byName).limit(100).toArray(),
    rounds: 3,
  },
  {
    name: 'sort without index, all, on disk',
    documents: (count) => count,
    run: (rows) =>
      rows.aggregate([{ $sort: byName }, { $project: { _id: 1 } }, { $count: 'n' }]).toArray(),
    rounds: 1,
  },
  {
    name: 'scan with two comparisons',
    documents: (count) => count,
    run: (rows) => rows.countDocuments({ group: { $gte: 0 }, text: 'y' }),
    rounds: 3,
  },
]

function joinOf(rows: Collection<Row>): object {
  const from = rows.collectionName
  return { $lookup: { from, localField: 'n', foreignField: 'n', as: 'in' } }
}

export async function documentsGrowth(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-documents-'))
  const sigil = await startSigil({ folder, environment: { TICK_PROBE: '1' } })
  const client = await MongoClient.connect(sigil.uri)
  try {
    const rows = (name: string) => client.db('main').collection<Row>(name)
    await fill(rows('small'), small)
    await fill(rows('large'), large)
    const figures = [plain('RssAnon, filled', memoryOf(sigil.pid).anon, 'MB')]
    for (const question of questions) {
      figures.push(...(await ask(question, sigil, rows('small'), rows('large'))))
    }
    figures.push(await distinct(rows('small'), rows('large')))
    return figures
  } finally {
    await client.close()
    await sigil.stop()
    rmSync(folder, { recursive: true })
  }
}

async function ask(
  { name, documents, run, rounds }: Question,
  sigil: SigilProcess,
  few: Collection<Row>,
  many: Collection<Row>,
): Promise<Figure[]> {
  const ofFew: number[] = []
  const ofMany: number[] = []
  await run(few, small)
  await sigil.longestTick()
  for (let round = 0; round < rounds; round++) {
    const pieces: number[] = []
    for (let piece = 0; piece < 5; piece++) pieces.push(await timed(() => run(few, small)))
    ofFew.push(median(pieces) / documents(small))
    ofMany.push((await timed(() => run(many, large))) / documents(large))
  }
  const { maxMs } = await sigil.longestTick()
  const ours = median(ofMany) * 1_000
  const peer = median(ofFew) * 1_000
  const ratio = median(ofMany.map((ms, i) => ms / (ofFew[i] ?? ms)))
  return [
    { name: `${name}: a document`, ours, peer, ratio, unit: 'us' },
    plain('  in all', (ours * documents(large)) / 1_000, 'ms'),
    plain('  longest tick', maxMs, 'ms'),
    plain('  RssAnon after it', memoryOf(sigil.pid).anon, 'MB'),
  ]
}

/** By jumps over the index: the number of documents must not matter. */
async function distinct(few: Collection<Row>, many: Collection<Row>): Promise<Figure> {
  await few.createIndex({ group: 1 })
  await many.createIndex({ group: 1 })
  const times: { ours: number; peer: number }[] = []
  for (let round = 0; round < 15; round++) {
    const peer = await timed(() => few.distinct('group'))
    times.push({ ours: await timed(() => many.distinct('group')), peer })
  }
  return {
    name: 'distinct of 1,000 values on an index',
    ours: median(times.map(({ ours }) => ours)),
    peer: median(times.map(({ peer }) => peer)),
    ratio: median(times.map(({ ours, peer }) => ours / peer)),
    unit: 'ms',
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function fill(rows: Collection<Row>, count: number): Promise<void> {
  await rows.createIndex({ n: 1 })
  for (let start = 0; start < count; start += 1_000) {
    await rows.insertMany(Array.from({ length: 1_000 }, (_, i) => rowOf(start + i)))
  }
}
