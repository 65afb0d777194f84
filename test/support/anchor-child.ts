// A process that anchors and stops at one point of it for ever: what a test kills there. Arguments:
// the folder of the store, the name of the point. Prints `ready` once its memories are written,
// `stopped` at the point, `done` where it never comes there.

import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.js'
import { anchorDueMs } from '../../src/base/limits/memory.js'
import { silentLog } from '../../src/base/log.js'
import { readSettings } from '../../src/base/settings.js'
import type { AnchorClient } from '../../src/chain/anchors/anchor-client.js'
import { openChain } from '../../src/chain/open.js'
import { graphPath } from '../../src/memory/graph/graph-names.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import type { Store } from '../../src/store/store.js'
import {
  database,
  type KillPoint,
  killedGraphs,
  killedMemories,
  killedPollMs,
  programsIn,
  proofsOver,
  rememberIn,
} from './anchor-room.js'

const [folder = '', given = ''] = process.argv.slice(2)
const point = given as KillPoint

function stop(): Promise<never> {
  process.stdout.write('stopped\n')
  // Keeps the process, which waits for nothing else.
  setInterval(() => {}, 1_000)
  return new Promise(() => {})
}

/** Whether its next write but so many stops, and whether before it is made or after. */
interface Stopping {
  left: number
  readonly isAfter: boolean
}

function stopping(store: Store, at: Stopping): Store {
  const write: Store['write'] = async (program) => {
    const isPoint = at.left-- === 0
    if (isPoint && !at.isAfter) return stop()
    const result = await store.write(program)
    return isPoint ? stop() : result
  }
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const settings = readSettings({})
const path = join(folder, 'store')
const store = await openLmdbStore({
  ...{ path, durability: 'interval', clock: systemClock, log: silentLog },
})
const never = Number.POSITIVE_INFINITY
const atIntent: Stopping = { left: never, isAfter: point === 'intent written' }
const ofChain = stopping(store, atIntent)
const chain = openChain({
  ...{
    settings,
    folder: join(folder, 'chain'),
    store: ofChain,
    clock: systemClock,
    log: silentLog,
  },
})
const client = await chain.anchors.client()
// The station writes an intent, then its end.
if (point === 'intent written') atIntent.left = 0
if (point === 'sent') atIntent.left = 1

const stoppingClient: AnchorClient = new Proxy(client, {
  get: (target, name) => {
    const isHere =
      (name === 'send' && point === 'batch marked') ||
      (name === 'transaction' && point === 'submitted')
    if (isHere) return stop
    if (name === 'send' && point === 'receipt read') {
      return async (...links: Parameters<AnchorClient['send']>) => {
        await target.send(...links)
        return stop()
      }
    }
    const value: unknown = Reflect.get(target, name)
    return typeof value === 'function' ? value.bind(target) : value
  },
})

// Its writes are: the lease, the record of the first batch, a hundred marks, and more of them.
const ofJob = stopping(store, { left: point === 'batch half marked' ? 3 : never, isAfter: false })
const texts = Array.from({ length: killedMemories }, (_, i) => `memory ${i}`)
const anchors = { isConfigured: true, client: () => Promise.resolve(stoppingClient) }
const { kind, chainId } = chain
const proofs = proofsOver(ofJob, { kind, chainId, anchors }, { pollMs: killedPollMs })
for (const graph of killedGraphs) {
  const ageMs = point === 'asked' ? 0 : anchorDueMs
  const [first = ''] = await rememberIn(store, graph, texts, systemClock.now() - ageMs)
  if (point !== 'asked') continue
  const programs = programsIn(store, graph)
  await proofs.anchor(graphPath(database, graph), programs, new Set([first]))
  await proofs.anchor(graphPath(database, graph), programs, undefined)
}
process.stdout.write('ready\n')
if (point === 'asked') await stop()
while (await proofs.job.round());
process.stdout.write('done\n')
