// Question: what does the recording of changes cost inserts and updates (at most 40 % more), what do
// many change streams cost a writer whose collection they do not watch, or do, and how much memory
// do they hold? Processor time of the server's loop, in turns, in one server.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type ChangeStream, type Collection, type Db, MongoClient } from 'mongodb'
import { compare, type Figure, plain } from '../support/figure.js'
import { memoryOf, preciseLoopTimeOf, type SigilProcess, startSigil } from '../support/processes.js'

const count = Number(process.env.BENCH_DOCUMENTS ?? 20_000)
const watchers = Number(process.env.BENCH_WATCHERS ?? 1_000)
const batch = 1_000
const rounds = 5
/** Writes beside many streams, one by one. */
const singles = 300
const openingMs = 5_000

export async function documentsChanges(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-changes-'))
  const sigil = await startSigil({ folder, environment: { TOPOLOGY: 'router' } })
  const client = await MongoClient.connect(sigil.uri, { maxPoolSize: 4 * watchers })
  try {
    const db = client.db('main')
    return [...(await recording(sigil, db)), ...(await watching(sigil, db))]
  } finally {
    await client.close()
    await sigil.stop()
    rmSync(folder, { recursive: true })
  }
}

async function recording(sigil: SigilProcess, db: Db): Promise<Figure[]> {
  const recorded = db.collection('recorded')
  const stream = recorded.watch()
  await stream.tryNext()
  await stream.close()
  const writes: readonly [string, (rows: Collection) => Promise<unknown>][] = [
    [`insertMany of ${batch}`, inserts],
    ['updateMany, one field', (rows) => rows.updateMany({}, { $inc: { n: 1 } })],
    ['deleteMany', (rows) => rows.deleteMany({})],
  ]
  const figures: Figure[] = []
  for (const [name, write] of writes) {
    const spent = async (rows: Collection): Promise<number> => {
      if (write !== inserts) await inserts(rows)
      const ms = await spentMs(sigil, () => write(rows))
      await rows.deleteMany({})
      return ms
    }
    const label = `${name}, recorded: beside a collection that is not`
    const others = db.collection('plain')
    figures.push(
      await compare(
        label,
        'cpu ms',
        () => spent(recorded),
        () => spent(others),
        rounds,
      ),
    )
  }
  return figures
}

async function inserts(rows: Collection): Promise<void> {
  const documents = Array.from({ length: batch }, (_, i) => ({
    ...{ n: i, name: `name ${i}`, tags: ['a', 'b', 'c'], at: new Date(i * 1_000) },
    address: { street: `street ${i}`, city: 'Bern', zip: 3_000 + (i % 100) },
  }))
  for (let done = 0; done < count; done += batch) {
    await rows.insertMany(documents.map((document) => ({ ...document })))
  }
}

async function watching(sigil: SigilProcess, db: Db): Promise<Figure[]> {
  const rows = db.collection('recorded')
  const alone = await singlesMs(sigil, rows)
  const figures = [plain(`insertOne, recorded: no stream`, alone / singles, 'cpu ms')]
  const before = memoryOf(sigil.pid).anon
  for (const [name, watched] of [
    ['other collections', (i: number) => db.collection(`other${i}`)],
    ['its collection', () => rows],
  ] as const) {
    const streams: ChangeStream[] = []
    for (let i = 0; i < watchers; i++) streams.push(watched(i % 100).watch([], options))
    // Each opens, and waits for events.
    for (const stream of streams) stream.on('change', () => {})
    await pause(openingMs)
    const spent = await singlesMs(sigil, rows)
    figures.push(
      plain(`insertOne beside ${watchers} streams of ${name}`, spent / singles, 'cpu ms'),
    )
    const grown = (memoryOf(sigil.pid).anon - before) * 1_024
    figures.push(plain(`memory of a stream of ${name}`, grown / watchers, 'kB'))
    await Promise.all(streams.map((stream) => stream.close()))
  }
  return figures
}

const options = { maxAwaitTimeMS: 60_000 }

async function singlesMs(sigil: SigilProcess, rows: Collection): Promise<number> {
  return await spentMs(sigil, async () => {
    for (let i = 0; i < singles; i++) await rows.insertOne({ n: i })
  })
}

async function spentMs(sigil: SigilProcess, work: () => Promise<unknown>): Promise<number> {
  const before = preciseLoopTimeOf(sigil.pid)
  await work()
  return preciseLoopTimeOf(sigil.pid) - before
}
