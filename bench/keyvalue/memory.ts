// Question: what do 1,000,000 keys of 64 bytes take in memory? RssAnon of Sigil's processes, right
// after the load and at rest, beside the resident memory of a redis-server with the same keys. The
// bar is 1.5x Redis' at both times. (What Sigil maps of its file is the page cache's: RssFile.)

import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, plain } from '../support/figure.js'
import { memoryOf, startSigil } from '../support/processes.js'
import { connectPeer, connectSigil, pipelined } from '../support/redis-client.js'
import { missingRedis, startRedis } from '../support/redis-server.js'

const keys = 1_000_000
const value = 'x'.repeat(64)
const restMs = 10_000
const sampleMs = 50

export async function keyValueMemory(): Promise<Figure[]> {
  const reason = await missingRedis()
  if (reason !== undefined) {
    process.stdout.write(`key-value memory is left out: ${reason}\n`)
    return []
  }
  const redis = await startRedis()
  const sigil = await startSigil({ environment: { DURABILITY: 'interval' } })
  try {
    const resident = () => memoryOf(redis.pid).anon + memoryOf(redis.pid).file
    const own = () => memoryOf(sigil.pid).anon
    const peer = connectPeer(redis.port)
    const ours = connectSigil(sigil.redisPort)
    const theirs = await loaded(() => pipelined(peer, keys, set), resident)
    const found = await loaded(() => pipelined(ours, keys, set), own)
    peer.disconnect()
    ours.disconnect()
    const beside = (name: string, ours: number, peer: number): Figure => {
      return { name, ours, peer, ratio: ours / peer, unit: 'MB' }
    }
    return [
      plain('memory before the load', found.before, 'MB'),
      plain('  most while loading', found.most, 'MB'),
      beside(`memory after ${keys} keys`, found.after, theirs.after),
      beside('memory at rest', found.rest, theirs.rest),
      plain('  mapped file at rest', memoryOf(sigil.pid).file, 'MB'),
    ]
  } finally {
    await sigil.stop()
    await redis.stop()
  }
}

function set(n: number): string[] {
  return ['SET', `key:${String(n).padStart(12, '0')}`, value]
}

async function loaded(load: () => Promise<void>, memory: () => number) {
  const before = memory()
  let most = before
  const probe = setInterval(() => {
    most = Math.max(most, memory())
  }, sampleMs)
  await load()
  const after = memory()
  await sleep(restMs)
  clearInterval(probe)
  return { before, most, after, rest: memory() }
}
