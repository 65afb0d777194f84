// Question: what do commands inside large containers and strings cost, beside Redis? Lists and sets
// of 50,000, a string of 8 MiB, and a sorted set that is emptied by ranks: processor time of each
// server's loop for one command, in turns against a redis-server that syncs its log every second.
// The pops of a sorted set stand beside ZADD of the same server, which they are to be no slower
// than.

import { setTimeout } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { MiB } from '../../src/base/units.js'
import { compare, type Figure, median } from '../support/figure.js'
import { preciseLoopTimeOf, startSigil } from '../support/processes.js'
import { connectPeer, connectSigil, pipelined } from '../support/redis-client.js'
import { missingRedis, startRedis } from '../support/redis-server.js'

/** With these counts it ends within three minutes on a busy machine. */
const members = 50_000
const perCommand = 500
const rounds = 3
const middle = members / 2
const stringBytes = 8 * MiB
/** What one round of the pops takes from the queue, or puts in, and by how many connections. */
const pops = 2_000
const connections = 50
const settleMs = 2_000

interface Server {
  readonly pid: number
  readonly client: Redis
}

/** Each fills what the commands before it have taken, and is done once a round. */
const commands: Readonly<Record<string, (round: number) => string[]>> = {
  'LINSERT in the middle': (round) => ['LINSERT', 'l', 'BEFORE', `element:${middle}`, `x${round}`],
  'LREM in the middle': (round) => ['LREM', 'l', '1', `element:${middle + 1 + round}`],
  'LPOS of what is not there': () => ['LPOS', 'l', 'nothing'],
  'COPY of a list': () => ['COPY', 'l', 'copied', 'REPLACE'],
  SDIFF: () => ['SDIFF', 'a', 'b'],
  SDIFFSTORE: () => ['SDIFFSTORE', 'd', 'a', 'b'],
  SUNIONSTORE: () => ['SUNIONSTORE', 'd', 'a', 'b'],
  SINTERSTORE: () => ['SINTERSTORE', 'd', 'a', 'c'],
  'COPY of a set': () => ['COPY', 'a', 'copied', 'REPLACE'],
  'COPY of a sorted set': () => ['COPY', 'z', 'copied', 'REPLACE'],
  ZUNIONSTORE: () => ['ZUNIONSTORE', 'e', '2', 'z', 'a'],
  'ZREMRANGEBYRANK of 10000': () => ['ZREMRANGEBYRANK', 'z', '0', '9999'],
  'STRLEN of 8 MiB': () => ['STRLEN', 's'],
  'GETRANGE in 8 MiB': () => ['GETRANGE', 's', `${stringBytes / 2}`, `${stringBytes / 2 + 9}`],
  'APPEND to 8 MiB': () => ['APPEND', 's', 'more'],
}

export async function keyValueLarge(): Promise<Figure[]> {
  const reason = await missingRedis()
  if (reason !== undefined) {
    process.stdout.write(`large key-value containers are left out: ${reason}\n`)
    return []
  }
  const sigil = await startSigil({ environment: { DURABILITY: 'interval' } })
  const redis = await startRedis()
  const ours = { pid: sigil.pid, client: connectSigil(sigil.redisPort) }
  const peer = { pid: redis.pid, client: connectPeer(redis.port) }
  try {
    for (const { client } of [ours, peer]) await fill(client)
    // What the fill has left to be done behind is not what a command costs.
    await setTimeout(settleMs)
    const figures: Figure[] = []
    for (const [name, words] of Object.entries(commands)) {
      figures.push(await inTurns(name, ours, peer, (server, round) => once(server, words(round))))
    }
    return [...figures, ...(await besideAdding(ours))]
  } finally {
    for (const { client } of [ours, peer]) client.disconnect()
    await sigil.stop()
    await redis.stop()
  }
}

async function fill(client: Redis): Promise<void> {
  const add = (name: string, key: string, words: (i: number) => string[], count = members) =>
    pipelined(client, count / perCommand, (n) => [
      ...[name, key],
      ...Array.from({ length: perCommand }, (_, i) => words(n * perCommand + i)).flat(),
    ])
  await client.set('s', 'x'.repeat(stringBytes))
  await add('RPUSH', 'l', (i) => [`element:${i}`])
  await add('SADD', 'a', (i) => [`member:${i}`])
  await add('SADD', 'b', (i) => [`other:${i}`])
  await add('SADD', 'c', (i) => [`member:${2 * i}`])
  await add('ZADD', 'z', (i) => [String((i * 7_919) % members), `member:${i}`])
  await add('ZADD', 'q', (i) => [String((i * 7_919) % members), `member:${i}`])
}

async function inTurns(
  name: string,
  ours: Server,
  peer: Server,
  run: (server: Server, round: number) => Promise<number>,
): Promise<Figure> {
  const pairs: { ours: number; peer: number }[] = []
  for (let round = 0; round < rounds; round++) {
    pairs.push({ ours: await run(ours, round), peer: await run(peer, round) })
  }
  return {
    name,
    unit: 'ms of the loop',
    ours: median(pairs.map((pair) => pair.ours)),
    peer: median(pairs.map((pair) => pair.peer)),
    ratio: median(pairs.map((pair) => pair.ours / pair.peer)),
  }
}

async function once({ pid, client }: Server, [name = '', ...args]: string[]): Promise<number> {
  const before = preciseLoopTimeOf(pid)
  await client.call(name, ...args)
  return preciseLoopTimeOf(pid) - before
}

/** Pops, and ZADD of members that are there, by many connections that each wait for their reply. */
async function besideAdding({ pid, client }: Server): Promise<Figure[]> {
  const clients = Array.from({ length: connections }, () => client.duplicate())
  let sent = 0
  const many = async (words: (n: number) => readonly string[]): Promise<number> => {
    const before = preciseLoopTimeOf(pid)
    const each = clients.map(async (one) => {
      for (let i = 0; i < pops / connections; i++) {
        const [name = '', ...args] = words(sent++)
        await one.call(name, ...args)
      }
    })
    await Promise.all(each)
    return ((preciseLoopTimeOf(pid) - before) * 1_000) / pops
  }
  const add = () =>
    many((n) => ['ZADD', 'q', String((n * 97) % members), `member:${members - 1 - n}`])
  const figures: Figure[] = []
  try {
    for (const pop of [
      ['ZPOPMIN', 'q'],
      ['ZPOPMAX', 'q'],
      ['BZPOPMIN', 'q', '1'],
    ]) {
      const takes = () => many(() => pop)
      figures.push(await compare(`${pop[0]} beside our ZADD`, 'us of the loop', takes, add, rounds))
    }
  } finally {
    for (const one of clients) one.disconnect()
  }
  return figures
}
