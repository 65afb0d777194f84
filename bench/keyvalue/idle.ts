// Question: what do 10,000 clients cost that say nothing? RssAnon of Sigil with so many signed-in
// connections, held by a process of its own (peers/idle-clients.ts). The bar is 200 MB in all.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, plain } from '../support/figure.js'
import { benchKey, memoryOf, startPeer, startSigil } from '../support/processes.js'
import { connectSigil } from '../support/redis-client.js'

const connections = 10_000
const restMs = 5_000

export async function keyValueIdle(): Promise<Figure[]> {
  const sigil = await startSigil()
  const before = memoryOf(sigil.pid).anon
  // It counts among them: there may be no more.
  const client = connectSigil(sigil.redisPort)
  const count = async () => /connected_clients:(\d+)/.exec(await client.info('clients'))?.[1]
  await count()
  const words = [String(sigil.redisPort), String(connections - 1), benchKey]
  const clients = await startPeer('idle-clients', ...words)
  try {
    const after = memoryOf(sigil.pid).anon
    await sleep(restMs)
    return [
      plain('connections', Number(await count()), ''),
      plain('memory without them', before, 'MB'),
      plain('memory with them, at once', after, 'MB'),
      plain('memory with them, idle', memoryOf(sigil.pid).anon, 'MB'),
    ]
  } finally {
    client.disconnect()
    await clients.stop()
    await sigil.stop()
  }
}
