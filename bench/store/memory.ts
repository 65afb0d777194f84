// Question: how much memory of its own does Sigil take with 1,000,000 documents? RssAnon of the
// process and those below it, every 50 ms. The bars: 250 MB at rest, 600 MB under any load, and
// under 300 MB again within 10 s.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Collection, MongoClient } from 'mongodb'
import { seededRandom } from '../../test/support/seeded-random.js'
import { type Figure, plain } from '../support/figure.js'
import { memoryOf, type SigilProcess, startSigil } from '../support/processes.js'

const documents = 1_000_000
const batch = 1_000
const loadMs = 15_000
const sampleMs = 50
const restMs = 10_000
const lowMB = 300

interface Row {
  _id: number
  n: number
  text: string
}

export async function storeMemory(): Promise<Figure[]> {
  const sigil = await startSigil()
  const client = await MongoClient.connect(sigil.uri)
  try {
    const rows = client.db('main').collection<Row>('rows')
    const figures = [plain('RssAnon idle', memoryOf(sigil.pid).anon, 'MB')]
    const loads: readonly [string, () => Promise<unknown>][] = [
      ['insertMany of 1,000,000', () => insertAll(rows)],
      ['createIndex', () => rows.createIndex({ n: 1 })],
      ['updateOne at random, 64 at once', () => updates(rows)],
      ['bulkWrite at random, 8 at once', () => bulks(rows)],
      ['updateMany of everything', () => rows.updateMany({}, { $inc: { n: 1 } })],
    ]
    for (const [name, load] of loads) figures.push(...(await under(sigil, name, load)))
    return figures
  } finally {
    await client.close()
    await sigil.stop()
  }
}

async function under(
  sigil: SigilProcess,
  name: string,
  load: () => Promise<unknown>,
): Promise<Figure[]> {
  let most = 0
  const probe = setInterval(() => {
    most = Math.max(most, memoryOf(sigil.pid).anon)
  }, sampleMs)
  await load()
  const ended = performance.now()
  let lowAfterMs = Number.POSITIVE_INFINITY
  while (performance.now() - ended < restMs) {
    if (memoryOf(sigil.pid).anon < lowMB)
      lowAfterMs = Math.min(lowAfterMs, performance.now() - ended)
    await sleep(sampleMs)
  }
  clearInterval(probe)
  return [
    plain(`most RssAnon: ${name}`, most, 'MB'),
    plain(`  under ${lowMB} MB after`, lowAfterMs, 'ms'),
    plain('  at rest, 10 s later', memoryOf(sigil.pid).anon, 'MB'),
  ]
}

/** About 300 bytes; `n` is spread so that index order is not insertion order. */
function row(id: number): Row {
  return { _id: id, n: Math.imul(id, 2_654_435_761) >>> 0, text: 'x'.repeat(240) }
}

async function insertAll(rows: Collection<Row>): Promise<void> {
  for (let start = 0; start < documents; start += batch) {
    await rows.insertMany(Array.from({ length: batch }, (_, index) => row(start + index)))
  }
}

async function updates(rows: Collection<Row>): Promise<void> {
  await atOnce(64, (_id) => rows.updateOne({ _id }, { $inc: { n: 1 } }))
}

async function bulks(rows: Collection<Row>): Promise<void> {
  await atOnce(8, (_id) => {
    const ids = Array.from({ length: batch }, (_, index) => (_id + index * 997) % documents)
    const changes = ids.map((id) => ({ updateOne: { filter: { _id: id }, update: changed } }))
    return rows.bulkWrite(changes, { ordered: false })
  })
}

const changed = { $inc: { n: 1 } }

async function atOnce(count: number, run: (id: number) => Promise<unknown>): Promise<void> {
  const random = seededRandom(13)
  const started = performance.now()
  const worker = async () => {
    while (performance.now() - started < loadMs) await run(Math.floor(random() * documents))
  }
  await Promise.all(Array.from({ length: count }, worker))
}
