// Question: how fast is Sigil where Redis is at home? redis-benchmark with 50 connections, 64-byte
// values and 100,000 random keys, in turns against a whole Sigil on disk (DURABILITY=interval) and
// a redis-server that syncs its log every second. The bars, of Redis' rate: GET and SET 0.5 at P=1;
// SET 0.4 and GET 0.35 at P=16; INCR, LPUSH, HSET, SADD, ZADD and MSET 0.3; LRANGE 0.3 at P=1. SPOP
// stands beside.
// SIGIL_BENCH_COMMANDS=set,zadd and SIGIL_BENCH_PIPELINES=16 measure a part.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Redis } from 'ioredis'
import { type Figure, median, plain } from '../support/figure.js'
import { benchKey, loopTimeOf, type Peer, startSigil } from '../support/processes.js'
import { connectPeer, connectSigil } from '../support/redis-client.js'
import { missingRedis, startRedis } from '../support/redis-server.js'

const run = promisify(execFile)
const clients = 50
const keys = 100_000
const valueBytes = 64
const roundSeconds = 0.5
const rounds = 11
/** Of the first round, which fills the keys and tells how fast the server is. */
const firstRequests = 100_000
const commands = ['set', 'get', 'incr', 'lpush', 'hset', 'sadd', 'zadd', 'mset', 'spop']
/** Elements from the front of a list of 1,000: 0.3 of Redis' rate at P=1. */
const ranges: Readonly<Record<string, number>> = {
  lrange_100: 100,
  lrange_300: 300,
  lrange_500: 500,
  lrange_600: 600,
}
const rangedList = 'ranged'
const rangedElements = 1_000

interface Server extends Peer {
  /** What redis-benchmark signs in with. */
  readonly login: readonly string[]
}

interface Sample {
  readonly rate: number
  /** Of the loop's thread, for one request. */
  readonly cpuUs: number
}

export async function keyValueSpeed(): Promise<Figure[]> {
  const reason = await missingRedis()
  if (reason !== undefined) {
    process.stdout.write(`key-value speed is left out: ${reason}\n`)
    return []
  }
  const sigil = await startSigil({ environment: { DURABILITY: 'interval' } })
  const redis = await startRedis()
  const ours = { ...sigil, port: sigil.redisPort, login: ['-a', benchKey] }
  const peer = { ...redis, login: [] }
  const figures: Figure[] = []
  try {
    await fillRanged(connectSigil(ours.port))
    await fillRanged(connectPeer(peer.port))
    for (const pipeline of chosen('SIGIL_BENCH_PIPELINES', ['1', '16'])) {
      for (const command of chosen('SIGIL_BENCH_COMMANDS', [...commands, ...Object.keys(ranges)])) {
        figures.push(...(await inTurns(ours, peer, command, pipeline)))
      }
    }
  } finally {
    await sigil.stop()
    await redis.stop()
  }
  return figures
}

async function fillRanged(client: Redis): Promise<void> {
  const elements = Array.from({ length: rangedElements }, (_, i) => `element:${i}`)
  await client.rpush(rangedList, ...elements)
  client.disconnect()
}

function chosen(variable: string, usual: readonly string[]): readonly string[] {
  return process.env[variable]?.split(',') ?? usual
}

async function inTurns(
  ours: Server,
  peer: Server,
  command: string,
  pipeline: string,
): Promise<Figure[]> {
  const first = [
    await sample(ours, command, pipeline, firstRequests),
    await sample(peer, command, pipeline, firstRequests),
  ]
  const [ourRequests = 0, peerRequests = 0] = first.map(({ rate }) =>
    Math.ceil(rate * roundSeconds),
  )
  const pairs: { ours: Sample; peer: Sample }[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({
      ours: await sample(ours, command, pipeline, ourRequests),
      peer: await sample(peer, command, pipeline, peerRequests),
    })
  }
  const name = `${command.toUpperCase()} P=${pipeline}`
  const figure = (called: string, unit: string, of: (sample: Sample) => number): Figure => ({
    name: called,
    unit,
    ours: median(pairs.map((pair) => of(pair.ours))),
    peer: median(pairs.map((pair) => of(pair.peer))),
    ratio: median(pairs.map((pair) => of(pair.ours) / of(pair.peer))),
  })
  const ratios = pairs.map((pair) => pair.ours.rate / pair.peer.rate)
  return [
    figure(name, 'requests/s', ({ rate }) => rate),
    plain(`  ${name}: worst of ${rounds} rounds`, Math.min(...ratios), 'x'),
    figure(`  ${name}: CPU of the loop`, 'us', ({ cpuUs }) => cpuUs),
  ]
}

async function sample(
  { pid, port, login }: Server,
  command: string,
  pipeline: string,
  requests: number,
): Promise<Sample> {
  const range = ranges[command]
  const before = loopTimeOf(pid)
  const { stdout } = await run('redis-benchmark', [
    ...['-p', String(port), '-c', String(clients), '-P', pipeline, '--csv'],
    ...['-n', String(requests), '-r', String(keys), '-d', String(valueBytes), ...login],
    ...(range === undefined ? ['-t', command] : ['LRANGE', rangedList, '0', String(range - 1)]),
  ])
  // The first line names the columns; MSET is called "MSET (10 keys)".
  const rate = Number(/^"[A-Z]+[^"]*","([\d.]+)"/m.exec(stdout)?.[1])
  if (!(rate > 0)) throw new Error(`redis-benchmark told no rate: ${stdout}`)
  return { rate, cpuUs: ((loopTimeOf(pid) - before) * 1_000) / requests }
}
