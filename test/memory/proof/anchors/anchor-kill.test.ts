// kill -9 of a process that anchors, at each point at which what the store knows and what the chain
// knows differ. The next start finishes it, and the chain has one transaction.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { silentLog } from '../../../../src/base/log.js'
import { openLmdbStore } from '../../../../src/store/lmdb.js'
import {
  AnchorRoom,
  type KillPoint,
  killedGraphs,
  killedMemories,
  killedPollMs,
  killPoints,
} from '../../../support/anchor-room.js'
import { openClients } from '../../../support/chain-room.js'
import { isLong } from '../../../support/seed.js'
import { temporaryFolder } from '../../../support/stores.js'

const child = new URL('../../../support/anchor-child.js', import.meta.url)
/** Nonces that the two deployments have used. */
const deployments = 2

async function killAt(folder: string, point: KillPoint): Promise<void> {
  const args = [child.pathname, folder, point]
  const process = spawn(globalThis.process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(process, 'exit')
  let output = ''
  process.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  while (!/stopped|done/.test(output)) await once(process.stdout, 'data')
  process.kill('SIGKILL')
  await ended
  if (output.includes('done')) throw new Error(`it never came to: ${point}`)
}

async function reopen(t: Test, folder: string): Promise<AnchorRoom> {
  const path = join(folder, 'store')
  const store = await openLmdbStore({
    ...{ path, durability: 'interval', clock: systemClock, log: silentLog },
  })
  const chain = await openClients(t, {}, { store, folder: join(folder, 'chain') })
  t.teardown(() => store.close())
  return AnchorRoom.open(t, { store, chain, pollMs: killedPollMs })
}

t.test('killed after requests were answered: what was asked for is anchored', async (t) => {
  const folder = await temporaryFolder(t)
  await killAt(folder, 'asked')
  const room = await reopen(t, folder)
  await room.settle()
  const sent = new Set<string | null>()
  for (const graph of killedGraphs) {
    const anchors = await room.anchors(graph)
    const rest = killedMemories - 1
    t.match(anchors, [
      { seq: 2, count: rest, status: 'confirmed' },
      { seq: 1, count: 1, status: 'confirmed' },
    ])
    for (const { tx } of anchors) sent.add(tx)
  }
  t.equal(sent.size, 1, 'in one transaction')
})

/** The short suite kills where another transaction would be sent if the intent were forgotten. */
const points = isLong ? killPoints : (['intent written'] as const)

for (const point of points) {
  t.test(`killed at "${point}": anchored once, and all verified`, async (t) => {
    const folder = await temporaryFolder(t)
    await killAt(folder, point)
    const room = await reopen(t, folder)
    const isDone = async (): Promise<boolean> => {
      const all = await Promise.all(killedGraphs.map((graph) => room.anchors(graph)))
      return all.every(([newest]) => newest?.status === 'confirmed')
    }
    // The lease of the dead holds for a moment.
    while (!(await isDone())) await room.settle()
    for (const graph of killedGraphs) {
      const anchors = await room.anchors(graph)
      const whole = { seq: 1, prev: null, count: killedMemories, isMarked: true }
      t.match(anchors, [{ ...whole, status: 'confirmed' }])
      const memories = killedMemories
      t.match(await room.verifyGraph(graph), { verified: true, chainSequence: 1, memories })
      for (const id of await room.memories(graph)) {
        const { verified, problem } = await room.verify(graph, id, room.anchoring)
        if (!verified) t.fail(`${id}: ${problem}`)
      }
    }
    const { sender } = await room.chain.anchors.client()
    const params = [sender, 'latest']
    const sent = await room.chain.local?.request({ method: 'eth_getTransactionCount', params })
    t.equal(Number(sent) - deployments, 1, 'one transaction')
  })
}
