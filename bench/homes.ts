// Question: what does a wallet's list of databases cost beside a million homes of others? It goes
// by what the wallet may reach: as long as beside a thousand, and no turn of the loop above 20 ms.
// Then a server starts on them: its start, its memory and its longest turns under the operator's
// listings and figures. The records are written by programs; BENCH_HOMES sets how many.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { MongoClient } from 'mongodb'
import { systemClock } from '../src/base/clock.js'
import { createNamespace } from '../src/engine/collection/catalog/catalog.js'
import { emptyDocument } from '../src/engine/collection/catalog/descriptors.js'
import { homeOf, ownerOfHome } from '../src/engine/collection/catalog/homes.js'
import { uuidOfName } from '../src/engine/collection/catalog/server-collections.js'
import type { Store } from '../src/store/store.js'
import { CommandRoom } from '../test/support/command-room.js'
import { admit, identities, revocation, wallets } from '../test/support/identities.js'
import { openBenchStore } from './support/bench-store.js'
import { type Figure, median, plain } from './support/figure.js'
import { memoryOf, preciseLoopTimeOf, startSigil } from './support/processes.js'

const few = 1_000
const many = Number(process.env.BENCH_HOMES ?? 1_000_000)
const atOnce = 50
const programsAtOnce = 16
const rounds = 20

export async function homes(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-homes-'))
  const store = openBenchStore(join(folder, 'data'), 'none')
  const room = new CommandRoom(store, systemClock, { services: { revocation } })
  let beside: Listed
  let far: Listed
  try {
    await room.engine.start()
    await admit(store, systemClock.now())
    await makeHome(store, [homeOf(wallets.owner)])
    await fill(store, 0, few)
    beside = await listed(room)
    await fill(store, few, many)
    far = await listed(room)
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  } finally {
    await room.engine.close()
    await store.close()
  }
  const listing = {
    name: `a wallet's listDatabases beside ${many} homes`,
    ours: far.ms,
    peer: beside.ms,
    ratio: far.ms / beside.ms,
    unit: 'ms',
  }
  try {
    return [
      listing,
      plain(`longest turn of a wallet's listDatabases beside ${many} homes`, far.turnMs, 'ms'),
      ...(await served(join(folder, 'data'))),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A server on that folder: twice, since the first start writes down what an older folder lacks. */
async function served(folder: string): Promise<Figure[]> {
  const environment = { TICK_PROBE: '1', HOMES_MAX: '1000000000' }
  const options = { folder, environment }
  await (await startSigil(options)).stop()
  const sigil = await startSigil(options)
  const client = await MongoClient.connect(sigil.uri)
  const figures = [
    plain(`start on ${many} homes`, sigil.startMs, 'ms'),
    plain('processor time of the main thread at the start', preciseLoopTimeOf(sigil.pid), 'ms'),
    plain(`RssAnon on ${many} homes`, memoryOf(sigil.pid).anon, 'MB'),
  ]
  const turn = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    await sigil.longestTick()
    const beforeMs = preciseLoopTimeOf(sigil.pid)
    const startedMs = performance.now()
    await work()
    const tookMs = performance.now() - startedMs
    const { maxMs, gcMaxMs } = await sigil.longestTick()
    const ranMs = preciseLoopTimeOf(sigil.pid) - beforeMs
    figures.push(plain(name, tookMs, 'ms'), plain(`processor time: ${name}`, ranMs, 'ms'))
    figures.push(plain(`longest turn: ${name}`, maxMs, 'ms'))
    figures.push(plain(`longest collection: ${name}`, gcMaxMs, 'ms'))
  }
  try {
    const admin = client.db('admin')
    const one = { listDatabases: 1, filter: { name: 'main' } }
    await turn("the operator's listDatabases of one name", () => admin.command(one))
    // Beside very many it is larger than a reply may be: refused, once so much is gathered.
    const all = () => admin.command({ listDatabases: 1 }).catch(String)
    await turn("the operator's listDatabases", all)
    const health = () => fetch(`http://127.0.0.1:${sigil.httpPort}/health`)
    await turn('the first /health', health)
    await turn('/health again', health)
    figures.push(plain('RssAnon behind these', memoryOf(sigil.pid).anon, 'MB'))
    return figures
  } finally {
    await client.close()
    await sigil.stop()
  }
}

async function fill(store: Store, from: number, to: number): Promise<void> {
  let next = from
  const some = async (): Promise<void> => {
    while (next < to) {
      const end = Math.min(next + atOnce, to)
      const names: string[] = []
      for (; next < end; next++) {
        names.push(homeOf(`0x${next.toString(16).padStart(8, '0')}${'ab'.repeat(16)}`))
      }
      await makeHome(store, names)
    }
  }
  await Promise.all(Array.from({ length: programsAtOnce }, some))
}

function makeHome(store: Store, names: readonly string[]): Promise<void> {
  return store.write(function* (tx) {
    for (const db of names) {
      const options = { mode: 'private', now: 0, options: emptyDocument } as const
      const owner = ownerOfHome(db) ?? null
      yield* createNamespace(tx, db, 'notes', { ...options, owner, uuid: uuidOfName(db, 'notes') })
    }
  })
}

interface Listed {
  readonly ms: number
  readonly turnMs: number
}

async function listed(room: CommandRoom): Promise<Listed> {
  const session = room.sessionOf(identities.owner)
  const times: number[] = []
  let turnMs = 0
  let last = performance.now()
  let isOver = false
  const watch = (): void => {
    const now = performance.now()
    turnMs = Math.max(turnMs, now - last)
    last = now
    if (!isOver) setImmediate(watch)
  }
  // What filling has left is collected before: it is no part of the question.
  await new Promise((resolve) => setTimeout(resolve, 500))
  last = performance.now()
  setImmediate(watch)
  for (let i = 0; i < rounds; i++) {
    const startedMs = performance.now()
    const reply = await room.run({ listDatabases: 1 }, 'admin', session)
    times.push(performance.now() - startedMs)
    if (reply.databases.length !== 1) throw new Error(`${reply.databases.length} databases`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  isOver = true
  return { ms: median(times), turnMs }
}
