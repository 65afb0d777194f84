// kill -9 during concurrent inserts, updates and an index build, with DURABILITY=commit: nothing
// that was acknowledged is missing, and every entry has its document and the reverse.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Collection, MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { testKey } from '../support/gateway.js'
import { runs } from '../support/runs.js'
import { endSigil, runSigil, settingsFor, startSigil } from '../support/sigil-process.js'

interface Row {
  _id: string
  n: number
  tags: string[]
}

/** What a round's clients were told, and the most that may have happened beyond it. */
interface Told {
  readonly inserted: Set<string>
  readonly increments: Map<string, { acknowledged: number; sent: number }>
}

t.test('no acknowledged write is lost by kill -9', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-kill-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const settings = { ...settingsFor(folder), DURABILITY: 'commit' }
  const told: Told = { inserted: new Set(), increments: new Map() }
  const rounds = runs(2)
  for (let round = 0; round < rounds; round++) {
    await work(settings, told, round)
    const check = await runSigil(['check'], settings)
    t.equal(check.code, 0, `round ${round}: ${check.errors}`)
    await verify(t, settings, told, round)
  }
  t.ok(told.inserted.size > rounds, `${told.inserted.size} inserts were acknowledged`)
})

async function work(settings: Record<string, string>, told: Told, round: number): Promise<void> {
  const sigil = await startSigil(settings)
  const client = new MongoClient(uri(sigil.wirePort), { retryWrites: false, retryReads: false })
  await client.connect()
  const rows = client.db('main').collection<Row>('rows')
  const before = told.inserted.size
  const busy = [0, 1, 2].map((worker) => insert(rows, told, `${round}-${worker}`))
  busy.push(update(rows, told), update(rows, told), build(rows, round))
  // Killed by progress, not by time: after so many writes, wherever the index build is then.
  const enough = 100 + 37 * round
  await progress(() => told.inserted.size - before >= enough)
  await endSigil(sigil, 'SIGKILL')
  await Promise.all(busy)
  await client.close(true)
}

async function progress(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setImmediate(resolve))
}

async function insert(rows: Collection<Row>, told: Told, prefix: string): Promise<void> {
  for (let n = 0; ; n++) {
    const _id = `${prefix}-${n}`
    try {
      await rows.insertOne({ _id, n: 0, tags: [`a${n % 7}`, `b${n % 11}`] })
    } catch {
      return
    }
    told.inserted.add(_id)
    told.increments.set(_id, { acknowledged: 0, sent: 0 })
  }
}

async function update(rows: Collection<Row>, told: Told): Promise<void> {
  for (let turn = 0; ; turn++) {
    const ids = [...told.increments.keys()]
    const _id = ids[(turn * 7919) % Math.max(ids.length, 1)] ?? 'none'
    const count = told.increments.get(_id)
    if (count !== undefined) count.sent++
    try {
      await rows.updateOne({ _id }, { $inc: { n: 1 }, $push: { tags: `c${turn % 5}` } })
    } catch {
      return
    }
    if (count !== undefined) count.acknowledged++
  }
}

/** An index is always being built or dropped; which one is by the round. */
async function build(rows: Collection<Row>, round: number): Promise<void> {
  const key = round % 2 === 0 ? 'n' : 'tags'
  try {
    for (;;) {
      await rows.createIndex({ [key]: 1 })
      await rows.dropIndex(`${key}_1`)
    }
  } catch {
    return
  }
}

async function verify(
  t: Test,
  settings: Record<string, string>,
  told: Told,
  round: number,
): Promise<void> {
  const sigil = await startSigil(settings)
  const client = await MongoClient.connect(uri(sigil.wirePort))
  const rows = client.db('main').collection<Row>('rows')
  const found = new Map((await rows.find().toArray()).map((row) => [row._id, row]))
  const lost = [...told.inserted].filter((id) => !found.has(id))
  t.same(lost, [], `round ${round}: acknowledged inserts are there`)
  const wrong = [...told.increments].filter(([id, { acknowledged, sent }]) => {
    const n = found.get(id)?.n ?? -1
    return n < acknowledged || n > sent
  })
  t.same(wrong, [], `round ${round}: acknowledged updates are there, once each`)
  t.equal(await rows.estimatedDocumentCount(), found.size, `round ${round}: the count is exact`)
  await client.close()
  const { code } = await endSigil(sigil, 'SIGTERM')
  t.equal(code, 0)
}

function uri(port: number): string {
  return `mongodb://operator:${testKey}@127.0.0.1:${port}/main`
}
