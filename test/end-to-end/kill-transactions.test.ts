// kill -9 during transactions that write a document, a row and keys, with DURABILITY=commit: a
// commit that was answered is there after the start, and of every transaction all or nothing.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { testKey } from '../support/gateway.js'
import { ask, type HttpAnswer } from '../support/http-client.js'
import { runs } from '../support/runs.js'
import { endSigil, runSigil, settingsFor, startSigil } from '../support/sigil-process.js'

const rounds = runs(2)
const workers = 3
/** Answered commits of a round, before the kill. */
const enough = 40

/** What happened to transactions, by their number. */
interface Told {
  next: number
  readonly committed: Set<number>
  /** Their commit was sent, and not answered. */
  readonly unknown: Map<number, string>
  readonly aborted: Set<number>
}

class Client {
  constructor(private readonly port: number) {}

  async send(path: string, body?: unknown, id?: string, method = 'POST'): Promise<HttpAnswer> {
    const named = id === undefined ? {} : { 'x-sigil-transaction': id }
    return ask(`http://127.0.0.1:${this.port}`, {
      method,
      path: `/api/v1/${path}`,
      headers: { 'x-api-key': testKey, 'content-type': 'application/json', ...named },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  /** Throws for any other status than success. */
  async must(path: string, body?: unknown, id?: string): Promise<HttpAnswer> {
    const answer = await this.send(path, body, id)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer
  }
}

t.test('of a transaction all or nothing outlives kill -9', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-kill-transactions-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const settings = { ...settingsFor(folder), DURABILITY: 'commit', RATE_LIMITS: 'off' }
  const told: Told = { next: 0, committed: new Set(), unknown: new Map(), aborted: new Set() }
  for (let round = 0; round < rounds; round++) {
    await work(settings, told, round === 0)
    const check = await runSigil(['check'], settings)
    t.equal(check.code, 0, `round ${round}: ${check.errors}`)
    await verify(t, settings, told, round)
  }
  t.ok(told.committed.size >= rounds * enough, `${told.committed.size} committed`)
})

async function work(settings: Record<string, string>, told: Told, isFirst: boolean): Promise<void> {
  const sigil = await startSigil(settings)
  const client = new Client(sigil.httpPort)
  if (isFirst) {
    await client.must('sql', { query: 'CREATE TABLE killed_rows (id integer PRIMARY KEY)' })
  }
  const wanted = told.committed.size + enough
  const busy = Array.from({ length: workers }, async () => {
    // A lost connection ends the worker.
    await transactions(client, told).catch(() => {})
  })
  while (told.committed.size < wanted) await new Promise((resolve) => setImmediate(resolve))
  await endSigil(sigil, 'SIGKILL')
  await Promise.all(busy)
}

async function transactions(client: Client, told: Told): Promise<void> {
  for (;;) {
    const n = told.next++
    told.aborted.add(n)
    const id = String((await client.must('transactions', {})).json.id)
    await client.must('collections/killed/insertOne', { document: { _id: n } }, id)
    await client.must('sql', { query: 'INSERT INTO killed_rows VALUES ($1)', params: [n] }, id)
    await client.must('redis', { command: ['SET', `killed:${n}`, 'x'.repeat(n % 9)] }, id)
    await client.must('redis', { command: ['RPUSH', `list:${n}`, ...words(n)] }, id)
    if (n % 7 === 6) {
      await client.must(`transactions/${id}/abort`)
      continue
    }
    told.aborted.delete(n)
    told.unknown.set(n, id)
    const { status } = await client.send(`transactions/${id}/commit`)
    told.unknown.delete(n)
    if (status === 200) told.committed.add(n)
    else told.aborted.add(n)
  }
}

/** Enough for some lists that they are records of their own. */
function words(n: number): string[] {
  return Array.from({ length: n % 5 === 0 ? 200 : 2 }, (_, i) => `w${i}`)
}

async function verify(
  t: Test,
  settings: Record<string, string>,
  told: Told,
  round: number,
): Promise<void> {
  const sigil = await startSigil(settings)
  const client = new Client(sigil.httpPort)
  const found = await client.must('collections/killed/find', { batchSize: 10_000 })
  const { firstBatch } = found.json.cursor as { firstBatch: { _id: number }[] }
  const documents = new Set(firstBatch.map(({ _id }) => _id))
  const select = { query: 'SELECT id FROM killed_rows', batchSize: 10_000 }
  const { cursor } = (await client.must('sql', select)).json.result as {
    cursor: { firstBatch: { id: number }[] }
  }
  const rows = new Set(cursor.firstBatch.map(({ id }) => id))
  const torn: string[] = []
  for (let n = 0; n < told.next; n++) {
    const keys = await client.must('redis', { command: ['EXISTS', `killed:${n}`] })
    const list = await client.must('redis', { command: ['LLEN', `list:${n}`] })
    const parts = [documents.has(n), rows.has(n), keys.json.result === 1, list.json.result !== 0]
    const isThere = parts.every((part) => part)
    if (!isThere && parts.some((part) => part)) torn.push(`${n}: ${parts}`)
    if (told.committed.has(n) && !isThere) torn.push(`${n} was committed and is lost`)
    if (told.aborted.has(n) && isThere) torn.push(`${n} was never committed and is there`)
    if (isThere && list.json.result !== words(n).length) torn.push(`${n}: its list is cut`)
  }
  t.same(torn, [], `round ${round}: ${told.committed.size} committed of ${told.next}`)
  await askAgain(t, client, told, documents)
  await endSigil(sigil, 'SIGTERM')
}

/** A commit without an answer is sent again, and tells what happened. */
async function askAgain(
  t: Test,
  client: Client,
  told: Told,
  documents: ReadonlySet<number>,
): Promise<void> {
  for (const [n, id] of told.unknown) {
    const { status } = await client.send(`transactions/${id}/commit`)
    const isThere = documents.has(n)
    t.equal(status, isThere ? 200 : 404, `the commit of ${n} is told again`)
    if (isThere) told.committed.add(n)
    else told.aborted.add(n)
  }
  told.unknown.clear()
}
