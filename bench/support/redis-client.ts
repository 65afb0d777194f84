// A client of the key-value protocol for benches that fill a server, and measure something else: it
// sends many commands at once, and what it costs itself is of no matter.

import { Redis } from 'ioredis'
import { benchKey } from './processes.js'

const perPipeline = 1_000

export function connectSigil(port: number): Redis {
  return new Redis({ port, host: '127.0.0.1', password: benchKey })
}

export function connectPeer(port: number): Redis {
  return new Redis({ port, host: '127.0.0.1' })
}

/** Sends `count` commands, some at a time; rejects with the first error of a reply. */
export async function pipelined(
  client: Redis,
  count: number,
  command: (n: number) => string[],
): Promise<void> {
  for (let from = 0; from < count; from += perPipeline) {
    const pipeline = client.pipeline()
    for (let n = from; n < Math.min(count, from + perPipeline); n++) {
      const [name = '', ...args] = command(n)
      pipeline.call(name, ...args)
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error
  }
}
