// Question: what does a wallet's list of databases cost beside a million homes of others? It goes by
// what the wallet may reach: as long as beside a thousand, and no turn of the loop above 20 ms. The
// records are written by programs; BENCH_HOMES sets how many.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { systemClock } from '../src/base/clock.js'
import { createNamespace } from '../src/engine/collection/catalog.js'
import { emptyDocument } from '../src/engine/collection/descriptors.js'
import { homeOf, ownerOfHome } from '../src/engine/collection/homes.js'
import { uuidOfName } from '../src/engine/collection/server-collections.js'
import type { Store } from '../src/store/store.js'
import { CommandRoom } from '../test/support/command-room.js'
import { admit, identities, standing, wallets } from '../test/support/identities.js'
import { openBenchStore } from './support/bench-store.js'
import { type Figure, median, plain } from './support/figure.js'

const few = 1_000
const many = Number(process.env.BENCH_HOMES ?? 1_000_000)
const atOnce = 200
const rounds = 20

export async function homes(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-homes-'))
  const store = openBenchStore(join(folder, 'data'), 'none')
  const room = new CommandRoom(store, systemClock, { services: { standing } })
  try {
    await admit(store, systemClock.now())
    await makeHome(store, [homeOf(wallets.owner)])
    await fill(store, 0, few)
    const beside = await listed(room)
    await fill(store, few, many)
    const far = await listed(room)
    return [
      {
        name: `a wallet's listDatabases beside ${many} homes`,
        ours: far.ms,
        peer: beside.ms,
        ratio: far.ms / beside.ms,
        unit: 'ms',
      },
      plain(`longest turn of a wallet's listDatabases beside ${many} homes`, far.turnMs, 'ms'),
    ]
  } finally {
    await room.engine.close()
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

async function fill(store: Store, from: number, to: number): Promise<void> {
  for (let next = from; next < to; next += atOnce) {
    const names: string[] = []
    for (let i = next; i < Math.min(next + atOnce, to); i++) {
      names.push(homeOf(`0x${i.toString(16).padStart(8, '0')}${'ab'.repeat(16)}`))
    }
    await makeHome(store, names)
  }
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
