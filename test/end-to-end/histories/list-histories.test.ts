// Histories of concurrent clients over every frontend and kind of server, with kills and conflicts:
// what each transaction was told fits snapshot isolation, and strict serializability where it asked
// for that or was a single command. The long counts run 200 histories of 2,000 steps.

import t, { type Test } from 'tap'
import type { FixedPorts } from '../../support/fixed-ports.js'
import { DocumentLists, prepareDocumentLists } from '../../support/histories/document-lists.js'
import {
  type HistoryServers,
  openServers,
  type ServerKind,
} from '../../support/histories/history-servers.js'
import { KeyValueLists } from '../../support/histories/key-value-lists.js'
import { checkListAppend } from '../../support/histories/list-append.js'
import { type ListClient, runLists } from '../../support/histories/list-workload.js'
import { MixedLists, prepareMixedLists } from '../../support/histories/mixed-lists.js'
import { prepareSqlLists, SqlLists } from '../../support/histories/sql-lists.js'
import { runs } from '../../support/runs.js'
import { isLong, seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

interface Frontend {
  readonly name: string
  prepare(ports: FixedPorts): Promise<void>
  open(ports: FixedPorts, random: () => number): ListClient
}

const uriOf = ({ wire }: FixedPorts) => `mongodb://127.0.0.1:${wire}/main`
const urlOf = ({ http }: FixedPorts) => `http://127.0.0.1:${http}`

const frontends: readonly Frontend[] = [
  {
    name: 'documents',
    prepare: (ports) => prepareDocumentLists(uriOf(ports)),
    open: (ports, random) => new DocumentLists({ uri: uriOf(ports), random }),
  },
  {
    name: 'key-value',
    prepare: async () => {},
    open: ({ redis }, random) => new KeyValueLists({ port: redis, random }),
  },
  {
    name: 'SQL',
    prepare: ({ sql }) => prepareSqlLists(sql),
    open: ({ sql }, random) => new SqlLists({ port: sql, random }),
  },
  {
    name: 'documents, SQL and keys over HTTP',
    prepare: (ports) => prepareMixedLists(urlOf(ports)),
    open: (ports, random) => new MixedLists({ url: urlOf(ports), random }),
  },
]

const workers = 6
const stepsEach = isLong ? 2_000 : 400
/** Each takes 6 to 20 s with all its steps. */
const historiesEach = runs(process.env.CI === 'true' ? 1 : isLong ? 3 : 1)

async function runHistory(
  t: Test,
  frontend: Frontend,
  servers: HistoryServers,
  historySeed: number,
): Promise<void> {
  const random = seededRandom(historySeed)
  const [first] = servers.ports
  if (first === undefined) throw new Error('no server')
  await frontend.prepare(first)
  const clients = Array.from({ length: workers }, (_, at) => {
    return frontend.open(servers.ports[at % servers.ports.length] ?? first, random)
  })
  // Twice, each at a place of its own.
  const kills = [1, 2].map((part) => Math.floor((stepsEach * (part - 0.7 * random())) / 2))
  let restarting = Promise.resolve()
  const onProgress = (steps: number) => {
    if (steps < (kills[0] ?? Number.POSITIVE_INFINITY)) return
    kills.shift()
    restarting = restarting.then(() => servers.restart())
  }
  const workload = { random, steps: stepsEach, clients, onProgress }
  const history = await runLists(workload).finally(async () => {
    await restarting
    await Promise.all(clients.map((client) => client.close()))
  })
  const count = (outcome: string) => history.filter((one) => one.outcome === outcome).length
  const counts = `${count('committed')} committed, ${count('aborted')} aborted`
  t.same(checkListAppend(history), [], `SIGIL_SEED=${seed}: ${counts}, ${count('unknown')} unknown`)
  t.ok(count('committed') > history.length / 4, 'most of them were committed')
}

const kinds: readonly ServerKind[] = ['memory', 'two gateways', 'killed']

for (const kind of kinds) {
  for (const [at, frontend] of frontends.entries()) {
    t.test(`histories of ${frontend.name} (${kind})`, async (t) => {
      for (let history = 0; history < historiesEach; history++) {
        const historySeed = seed + 1_000 * at + history
        await t.test(`history ${history}`, async (t) => {
          const servers = await openServers(t, kind, historySeed)
          await runHistory(t, frontend, servers, historySeed)
        })
      }
    })
  }
}
