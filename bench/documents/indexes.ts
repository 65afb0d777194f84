// Question: what does an index build cost beside inserting the same documents with that index present
// (at most the same), and validate beside the scans of the collection and of each index (at most
// three times)? Processor time of the loop, in turns, in one server.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type CreateIndexesOptions,
  type Db,
  type IndexSpecification,
  MinKey,
  MongoClient,
} from 'mongodb'
import { compare, type Figure } from '../support/figure.js'
import { preciseLoopTimeOf, type SigilProcess, startSigil } from '../support/processes.js'

const count = Number(process.env.BENCH_DOCUMENTS ?? 50_000)
const batch = 1_000
const rounds = 3
/** Of the loop in such a window: a server at rest spends less. What is dropped is looked for each
 * second, so a shorter window would not see that there is some left. */
const restMsMax = 50
const restWindowMs = 1_500

/** One of each kind that there is. */
const builds: readonly (readonly [
  name: string,
  key: Record<string, 1 | 'hashed'>,
  options?: CreateIndexesOptions,
])[] = [
  ['{i: 1}', { i: 1 }],
  ['{i: 1}, unique', { i: 1 }, { unique: true }],
  ['{g: 1}, an array', { g: 1 }],
  ['{s: 1, i: 1}', { s: 1, i: 1 }],
  ["{s: 'hashed'}", { s: 'hashed' }],
  ['wildcard', { '$**': 1 }],
  ['wildcard with {i: 1}', { i: 1, '$**': 1 }, { wildcardProjection: { i: 0 } }],
]

/** Indexes of the collection that is validated, each with the field that all its keys have. */
const validated: readonly (readonly [field: string, key: IndexSpecification])[] = [
  ['i', { i: 1 }],
  ['s', { s: 1 }],
  ['at', { at: 1 }],
  ['n', { n: 1, i: -1 }],
  ['a.b', { 'a.b': 1 }],
  ['a.c', { 'a.c': 1, s: 1 }],
  ['t', { t: 1 }],
  ['x', { x: 1 }],
]

export async function documentsIndexes(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-indexes-'))
  const sigil = await startSigil({ folder })
  const client = await MongoClient.connect(sigil.uri)
  try {
    const db = client.db('main')
    await fill(db, 'plain')
    const figures: Figure[] = []
    for (const [name, key, options] of builds) {
      const label = `build of ${name}: beside inserts with it`
      const build = () => buildMs(sigil, db, key, options)
      const insert = () => insertMs(sigil, db, key, options)
      figures.push(await compare(label, 'cpu ms', build, insert, rounds))
    }
    figures.push(...(await validation(sigil, db)))
    return figures
  } finally {
    await client.close()
    await sigil.stop()
    rmSync(folder, { recursive: true })
  }
}

async function buildMs(
  sigil: SigilProcess,
  db: Db,
  key: IndexSpecification,
  options?: CreateIndexesOptions,
): Promise<number> {
  const plain = db.collection('plain')
  const spent = await timed(sigil, () => plain.createIndex(key, { ...options, name: 'built' }))
  await plain.dropIndex('built')
  return spent
}

async function insertMs(
  sigil: SigilProcess,
  db: Db,
  key: IndexSpecification,
  options?: CreateIndexesOptions,
): Promise<number> {
  await db.collection('indexed').createIndex(key, options)
  const spent = await timed(sigil, () => fill(db, 'indexed'))
  await db.collection('indexed').drop()
  return spent
}

async function validation(sigil: SigilProcess, db: Db): Promise<Figure[]> {
  const plain = db.collection('plain')
  await plain.createIndexes(validated.map(([, key]) => ({ key: key as Record<string, 1 | -1> })))
  const validate = async () => {
    const { valid } = await db.command({ validate: 'plain' })
    if (valid !== true) throw new Error('the collection is not valid')
  }
  const scans = async () => {
    await whole(db, { absent: 1 }, { $natural: 1 })
    for (const [field, key] of validated) {
      await whole(db, { [field]: { $gte: new MinKey() } }, key)
    }
  }
  const name = `validate with ${validated.length} indexes: beside the scans`
  const ours = () => timed(sigil, validate)
  return [await compare(name, 'cpu ms', ours, () => timed(sigil, scans), rounds)]
}

/** Goes through the whole collection, or the whole of an index and nothing else. */
async function whole(db: Db, filter: object, hint: IndexSpecification): Promise<void> {
  const pipeline = [{ $match: filter }, { $count: 'n' }]
  await db.collection('plain').aggregate(pipeline, { hint }).toArray()
}

/** What the loop spends on it; the thread of checkpoints has the same entries to apply in both. */
async function timed(sigil: SigilProcess, work: () => Promise<unknown>): Promise<number> {
  await rest(sigil)
  const before = preciseLoopTimeOf(sigil.pid)
  await work()
  return preciseLoopTimeOf(sigil.pid) - before
}

/** Until nothing is left to do behind a drop. */
async function rest({ pid }: SigilProcess): Promise<void> {
  for (let spent = restMsMax; spent >= restMsMax; ) {
    const before = preciseLoopTimeOf(pid)
    await pause(restWindowMs)
    spent = preciseLoopTimeOf(pid) - before
  }
}

async function fill(db: Db, name: string): Promise<void> {
  for (let start = 0; start < count; start += batch) {
    const documents = Array.from({ length: batch }, (_, place) => documentOf(start + place))
    await db.command({ insert: name, documents })
  }
}

/** Small, with fields of each kind of order. */
function documentOf(id: number): object {
  const spread = Math.imul(id, 2_654_435_761) >>> 0
  return {
    ...{ _id: id, i: spread, s: `text ${spread}`, at: new Date(1_700_000_000_000 + id) },
    ...{ n: id % 100, a: { b: id % 10, c: 'x' }, t: `tag ${id % 1_000}`, x: id / 7 },
    g: [id % 7, id % 1_000, spread],
  }
}
