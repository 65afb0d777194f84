// Histories of single documents that are read, written and swapped by the document driver and by SQL
// at the same time, with kills and conflicts: each operation takes effect at one moment between its
// begin and its end. The long counts run longer and more histories.

import t from 'tap'
import { openServers, type ServerKind } from '../../support/histories/history-servers.js'
import {
  DocumentRegisters,
  prepareRegisters,
  runRegisters,
  SqlRegisters,
} from '../../support/histories/register-clients.js'
import { checkRegisters } from '../../support/histories/registers.js'
import { runs } from '../../support/runs.js'
import { isLong, seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

const workersOfEach = 3
const operations = isLong ? 2_000 : 400
const historiesEach = runs(process.env.CI === 'true' ? 1 : isLong ? 5 : 1)
const kinds: readonly ServerKind[] = ['memory', 'two gateways', 'killed']

for (const kind of kinds) {
  t.test(`registers of documents and SQL (${kind})`, async (t) => {
    for (let at = 0; at < historiesEach; at++) {
      await t.test(`history ${at}`, async (t) => {
        const random = seededRandom(seed + at)
        const { ports, restart } = await openServers(t, kind, seed + at)
        const [first] = ports
        if (first === undefined) throw new Error('no server')
        const uriOf = ({ wire }: typeof first) => `mongodb://127.0.0.1:${wire}/main`
        await prepareRegisters(uriOf(first))
        const clients = Array.from({ length: workersOfEach }, (_, worker) => {
          const own = ports[worker % ports.length] ?? first
          return [new DocumentRegisters(uriOf(own)), new SqlRegisters(own.sql)]
        }).flat()
        const kills = [1, 2].map((part) => Math.floor((operations * (part - 0.7 * random())) / 2))
        let restarting = Promise.resolve()
        const onProgress = (made: number) => {
          if (made < (kills[0] ?? Number.POSITIVE_INFINITY)) return
          kills.shift()
          restarting = restarting.then(restart)
        }
        const workload = { random, operations, clients, onProgress }
        const history = await runRegisters(workload).finally(async () => {
          await restarting
          await Promise.all(clients.map((client) => client.close()))
        })
        t.same(checkRegisters(history), [], `SIGIL_SEED=${seed}`)
        const swapped = history.filter(({ action, outcome }) => {
          return outcome === 'done' && action.kind === 'swap' && action.isDone
        })
        t.ok(swapped.length > 10, `${swapped.length} of ${history.length} have swapped`)
      })
    }
  })
}
