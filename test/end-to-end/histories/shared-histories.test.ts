// Histories of clients of two or three gateways on one PostgreSQL, while gateways and PostgreSQL are
// killed, paused, cut off and slowed down: serializable, single documents linearizable, no
// acknowledged write lost, none applied twice, no job run twice, no right that was taken.
// By hand, SIGIL_ROUNDS=100 runs so many rounds, and SIGIL_PAUSE=31000 pauses for longer than a lease.

import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { testKey } from '../../support/gateway.js'
import { CountedWrites } from '../../support/histories/counted-writes.js'
import { DocumentLists, prepareDocumentLists } from '../../support/histories/document-lists.js'
import { ExpiringKeys } from '../../support/histories/expiring-keys.js'
import type { HistoryTransaction } from '../../support/histories/history.js'
import { KeyValueLists } from '../../support/histories/key-value-lists.js'
import { checkListAppend, type Timed } from '../../support/histories/list-append.js'
import { type ListClient, runLists } from '../../support/histories/list-workload.js'
import { MixedLists, prepareMixedLists } from '../../support/histories/mixed-lists.js'
import {
  DocumentRegisters,
  prepareRegisters,
  runRegisters,
  SqlRegisters,
} from '../../support/histories/register-clients.js'
import { checkRegisters } from '../../support/histories/registers.js'
import { RightsFlips } from '../../support/histories/rights-flips.js'
import {
  Faults,
  openSharedServers,
  type SharedGateway,
} from '../../support/histories/shared-servers.js'
import { prepareSqlLists, SqlLists } from '../../support/histories/sql-lists.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

const rounds = Number(process.env.SIGIL_ROUNDS ?? 1)
const pauseMs = Number(process.env.SIGIL_PAUSE ?? 1_000)
const isLarge = rounds > 1 || runs(1) > 1
const { steps, operations, faultsMost } = isLarge
  ? { steps: 400, operations: 300, faultsMost: 4 }
  : { steps: 80, operations: 50, faultsMost: 2 }

const key = testKey
const uriOf = (gateways: readonly SharedGateway[]) => {
  const hosts = gateways.map(({ ports }) => `127.0.0.1:${ports.wire}`)
  return `mongodb://operator:${key}@${hosts.join(',')}/main?authSource=admin`
}
const urlOf = ({ ports }: SharedGateway) => `http://127.0.0.1:${ports.http}`

interface Frontend {
  readonly name: string
  /** Reads of several keys are serializable; reads of documents only where a transaction asks. */
  readonly timed: Timed
  prepare(gateway: SharedGateway): Promise<void>
  open(gateway: SharedGateway, random: () => number): ListClient
}

const frontends: readonly Frontend[] = [
  {
    name: 'documents',
    timed: 'each list',
    prepare: (gateway) => prepareDocumentLists(uriOf([gateway])),
    open: (gateway, random) => new DocumentLists({ uri: uriOf([gateway]), random }),
  },
  {
    name: 'key-value',
    timed: 'all',
    prepare: async () => {},
    open: ({ ports }, random) => new KeyValueLists({ port: ports.redis, random, key }),
  },
  {
    name: 'SQL',
    timed: 'each list',
    prepare: ({ ports }) => prepareSqlLists(ports.sql, key),
    open: ({ ports }, random) => new SqlLists({ port: ports.sql, random, key }),
  },
  {
    name: 'documents, SQL and keys over HTTP',
    timed: 'each list',
    prepare: (gateway) => prepareMixedLists(urlOf(gateway), key),
    open: (gateway, random) => new MixedLists({ url: urlOf(gateway), random, key }),
  },
]

interface Round {
  readonly gateways: readonly SharedGateway[]
  readonly frontend: Frontend
  readonly random: () => number
  /** Called with the sum of all steps. */
  readonly onProgress: (made: number) => void
}

/** The lists of one frontend, and registers of documents and SQL, at the same time. */
async function runHistories({ gateways, frontend, random, onProgress }: Round) {
  const [first] = gateways as [SharedGateway]
  await frontend.prepare(first)
  await prepareRegisters(uriOf([first]))
  const made = { lists: 0, registers: 0 }
  const on = (kind: 'lists' | 'registers') => (count: number) => {
    made[kind] = count
    onProgress(made.lists + made.registers)
  }
  const at = (worker: number) => gateways[worker % gateways.length] ?? first
  const clients = Array.from({ length: 6 }, (_, worker) => frontend.open(at(worker), random))
  const registers = Array.from({ length: 3 }, (_, worker) => [
    new DocumentRegisters(uriOf([at(worker)])),
    new SqlRegisters(at(worker + 1).ports.sql, key),
  ]).flat()
  try {
    return await Promise.all([
      runLists({ random, steps, clients, onProgress: on('lists') }),
      runRegisters({ random, operations, clients: registers, onProgress: on('registers') }),
    ])
  } finally {
    await Promise.all([...clients, ...registers].map((client) => client.close()))
  }
}

async function runRound(t: Test, roundSeed: number): Promise<void> {
  const random = seededRandom(roundSeed)
  const servers = await openSharedServers(t, isLarge ? 2 + (roundSeed % 2) : 2)
  const { gateways } = servers
  const frontend = frontends[Math.floor(random() * frontends.length)] as Frontend
  const client = new MongoClient(uriOf(gateways), { serverSelectionTimeoutMS: 120_000 })
  t.teardown(() => client.close())
  const counted = [0, 1].map((at) => new CountedWrites(client, at))
  for (const one of counted) await one.start()
  const redis = gateways.map(({ ports }) => ports.redis)
  const keys = new ExpiringKeys(client, redis, key)
  await keys.start()
  const flips = await RightsFlips.open(gateways.map(urlOf), random)
  const faults = new Faults({ servers, random, pauseMs, note: (name) => t.comment(name) })
  let isOver = false
  const whileRunning = async (work: () => Promise<void>) => {
    while (!isOver) await work()
  }
  const beside = Promise.all([
    ...counted.map((one) => whileRunning(() => one.next(random))),
    whileRunning(() => keys.setOne()),
    whileRunning(() => flips.flipOne()),
  ])
  const each = (steps + operations) / (faultsMost + 1)
  const histories = new Promise<Awaited<ReturnType<typeof runHistories>>>((resolve, reject) => {
    beside.catch(reject)
    for (const { failed } of gateways) failed.catch(reject)
    const onProgress = (made: number) => {
      const count = faults.made.length
      if (count === faultsMost || faults.isBusy || made < each * (count + 1)) return
      faults.next().catch(reject)
    }
    runHistories({ gateways, frontend, random, onProgress }).then(resolve, reject)
  })
  const [lists, registers] = await histories
    .finally(() => faults.idle())
    .finally(() => {
      isOver = true
    })
  await beside
  const what = `SIGIL_SEED=${roundSeed} ${frontend.name}: ${faults.made.join(', ')}`
  requireHistory(t, lists, frontend, what)
  t.same(checkRegisters(registers), [], `registers, ${what}`)
  for (const one of counted) {
    t.equal(await one.problem(), undefined, what)
    t.ok(one.acknowledged > 0)
  }
  t.same(await keys.end(), [], `expired keys, ${what}`)
  t.same(flips.problems, [], `rights, ${what}`)
  t.ok(keys.acknowledged.length > 0 && flips.flips > 0)
  await client.close()
  t.equal(await servers.check(), undefined, `check, ${what}`)
}

function requireHistory(
  t: Test,
  history: readonly HistoryTransaction[],
  { timed }: Frontend,
  what: string,
): void {
  const count = (outcome: string) => history.filter((one) => one.outcome === outcome).length
  const counts = `${count('committed')} committed, ${count('unknown')} unknown`
  t.same(checkListAppend(history, timed), [], `${counts}, ${what}`)
  // How many of them is the machine's matter: a client that is refused goes on at once.
  t.ok(count('committed') > 0, counts)
}

for (let round = 0; round < rounds; round++) {
  t.test(`round ${round}`, { skip: postgresMissing, timeout: 900_000 }, (t) => {
    return runRound(t, seed + round)
  })
}
