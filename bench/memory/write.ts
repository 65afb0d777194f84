// Question: how many memories a second are written by batches of 500, and how long is the longest
// turn of the event loop meanwhile, also where 200 are written all or none? The bar is 2,000 a
// second for 10,000 memories, and 20 ms.
// Method: by the commands of this process, and over HTTP from another one. Beside the rate on the
// wall stands what the event loop's thread had a processor for: the machine is shared. Turns are
// those behind the warming up: code that has never run takes several times as long.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.js'
import { documentFrom } from '../../src/value/literal.js'
import { CommandRoom } from '../../test/support/command-room.js'
import { openBenchStore } from '../support/bench-store.js'
import { type Figure, plain } from '../support/figure.js'
import { benchKey, startSigil } from '../support/processes.js'
import { processorTime } from '../support/thread-time.js'
import { type BenchMemory, benchMemories } from './texts.js'

const count = 10_000
const warmUp = 2_000
const batch = 500
const atomicBatch = 200
const atomicBatches = 20

export async function memoryWrite(): Promise<Figure[]> {
  return [...(await byCommands()), ...(await overHttp())]
}

function batches(): BenchMemory[][] {
  const all = [...benchMemories(warmUp + count)]
  return Array.from({ length: all.length / batch }, (_, i) => all.slice(i * batch, (i + 1) * batch))
}

/** Sends all, and measures those after the warming up. */
async function measure(
  send: (memories: readonly BenchMemory[]) => Promise<void>,
  busyMs: () => number,
  warm?: () => Promise<unknown>,
): Promise<{ readonly perSecond: number; readonly busyPerSecond: number }> {
  const all = batches()
  const cold = all.splice(0, warmUp / batch)
  for (const memories of cold) await send(memories)
  await warm?.()
  const started = performance.now()
  const busy = busyMs()
  for (const memories of all) await send(memories)
  const perSecond = (count / (performance.now() - started)) * 1_000
  return { perSecond, busyPerSecond: (count / (busyMs() - busy)) * 1_000 }
}

async function byCommands(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-memories-'))
  const store = openBenchStore(folder)
  const room = new CommandRoom(store, systemClock)
  try {
    const send = async (memories: readonly BenchMemory[]): Promise<void> => {
      const body = documentFrom({ rememberMemories: 'bench', memories })
      await room.bus.run({ db: 'main', body, sequences: new Map() }, room.session)
    }
    const { perSecond, busyPerSecond } = await measure(send, processorTime)
    return [
      plain(`memory: ${count} by commands, batches of ${batch}`, perSecond, 'memories/s'),
      plain('memory: the same, by processor time', busyPerSecond, 'memories/s'),
    ]
  } finally {
    await room.engine.close()
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

async function overHttp(): Promise<Figure[]> {
  const sigil = await startSigil({ environment: { RATE_LIMITS: 'off', TICK_PROBE: '1' } })
  try {
    const url = `http://127.0.0.1:${sigil.httpPort}/api/memories/batch`
    const headers = { 'x-api-key': benchKey, 'content-type': 'application/json' }
    const sendAs = async (mode: string, memories: readonly BenchMemory[]): Promise<void> => {
      const body = JSON.stringify({ graph: 'bench', memories, mode })
      const reply = await fetch(url, { method: 'POST', headers, body })
      const { inserted } = (await reply.json()) as { inserted?: number }
      if (inserted !== memories.length) throw new Error(`${reply.status}: ${inserted} inserted`)
    }
    const send = (memories: readonly BenchMemory[]): Promise<void> => sendAs('each', memories)
    const warm = (): Promise<unknown> => sigil.longestTick()
    const { perSecond, busyPerSecond } = await measure(send, () => busyOf(sigil.pid), warm)
    const { maxMs } = await sigil.longestTick()
    const others = [...benchMemories(warmUp + count + atomicBatches * atomicBatch)]
    for (let from = warmUp + count; from < others.length; from += atomicBatch) {
      // The first is the warming up of another way of writing.
      if (from === warmUp + count + atomicBatch) await warm()
      await sendAs('all', others.slice(from, from + atomicBatch))
    }
    const atomic = await sigil.longestTick()
    return [
      plain(`memory: ${count} over HTTP, batches of ${batch}`, perSecond, 'memories/s'),
      plain('memory: the same, by processor time', busyPerSecond, 'memories/s'),
      plain('memory: longest turn of the event loop meanwhile', maxMs, 'ms'),
      plain(`memory: the same, batches of ${atomicBatch} all or none`, atomic.maxMs, 'ms'),
    ]
  } finally {
    await sigil.stop()
  }
}

/** Milliseconds that the main thread of a process has had a processor. */
function busyOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
}
