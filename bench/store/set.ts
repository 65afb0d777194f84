// Question: what is left of a Map's speed when the store is in its place, in SETs through the same
// RESP loop? Both begin with 1,000,000 keys; keys are random. The bars are 0.8x at P=1 and 0.7x at
// P=16, in a burst and over 30 s, when checkpoints run beside. Needs redis-benchmark.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Figure, median } from '../support/figure.js'
import { loopTimeOf, type Peer, startPeer } from '../support/processes.js'

const run = promisify(execFile)
const keys = 1_000_000
const clients = 50
const pipelines = [1, 16]
const burst = { seconds: 3, rounds: 5 }
const sustained = { seconds: 30, rounds: 1 }
/** Of the first round, which only tells how fast the loop is. */
const firstRequests = 50_000

interface Sample {
  readonly rate: number
  /** Of the loop's thread, for one request. */
  readonly cpuUs: number
}

export async function storeSet(): Promise<Figure[]> {
  const reason = await missing()
  if (reason !== undefined) {
    process.stdout.write(`SET is left out: ${reason}\n`)
    return []
  }
  const folder = mkdtempSync(join(tmpdir(), 'sigil-set-'))
  const ours = await startPeer('set-loop', folder, String(keys))
  const map = await startPeer('set-loop', 'map', String(keys))
  try {
    const figures: Figure[] = []
    for (const pipeline of pipelines) {
      figures.push(...(await inTurns(ours, map, pipeline, 'burst', burst)))
    }
    for (const pipeline of pipelines) {
      figures.push(...(await inTurns(ours, map, pipeline, '30 s', sustained)))
    }
    return figures
  } finally {
    await ours.stop()
    await map.stop()
    rmSync(folder, { recursive: true })
  }
}

async function missing(): Promise<string | undefined> {
  try {
    await run('redis-benchmark', ['--version'])
    return undefined
  } catch (error) {
    return `redis-benchmark does not run (${error instanceof Error ? error.message : error})`
  }
}

async function inTurns(
  ours: Peer,
  map: Peer,
  pipeline: number,
  name: string,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<Figure[]> {
  const first = [
    await sample(ours, pipeline, firstRequests),
    await sample(map, pipeline, firstRequests),
  ]
  const [oursRate = 0, mapRate = 0] = first.map(({ rate }) => Math.ceil(rate * seconds))
  const pairs: { ours: Sample; peer: Sample }[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({
      ours: await sample(ours, pipeline, oursRate),
      peer: await sample(map, pipeline, mapRate),
    })
  }
  const figure = (what: string, unit: string, of: (sample: Sample) => number): Figure => ({
    name: `${what} over a Map's loop, P=${pipeline}, ${name}`,
    unit,
    ours: median(pairs.map((pair) => of(pair.ours))),
    peer: median(pairs.map((pair) => of(pair.peer))),
    ratio: median(pairs.map((pair) => of(pair.ours) / of(pair.peer))),
  })
  return [
    figure('SET', 'requests/s', ({ rate }) => rate),
    figure('  CPU of the loop', 'us', ({ cpuUs }) => cpuUs),
  ]
}

async function sample({ pid, port }: Peer, pipeline: number, requests: number): Promise<Sample> {
  const before = loopTimeOf(pid)
  const { stdout } = await run('redis-benchmark', [
    ...['-p', String(port), '-c', String(clients), '-P', String(pipeline), '-t', 'set', '--csv'],
    ...['-n', String(requests), '-r', String(keys), '-d', '64'],
  ])
  const rate = Number(/"SET","([\d.]+)"/.exec(stdout)?.[1])
  if (!(rate > 0)) throw new Error(`redis-benchmark told no rate: ${stdout}`)
  return { rate, cpuUs: ((loopTimeOf(pid) - before) * 1_000) / requests }
}
