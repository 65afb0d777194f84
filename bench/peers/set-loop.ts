// A RESP loop of a few lines that knows SET and nothing else, over a Map or over the store: what
// the store costs when there is hardly a server around it. Arguments: `map`, `memory` or the
// store's folder, and how many keys it begins with.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Bytes, utf8 } from '../../src/base/bytes/bytes.js'
import { systemClock } from '../../src/base/clock.js'
import { openMemoryStore } from '../../src/store/memory.js'
import type { Store, Tx } from '../../src/store/store.js'
import { benchValue, fillStore, keyOf, openBenchStore, settled } from '../support/bench-store.js'
import { parseCommands, type Range } from '../support/resp-commands.js'

/** The last of several answers is enough: groups are answered in order. */
type Set = (chunk: Buffer, key: Range, value: Range) => Promise<void> | undefined

const [kind = 'map', keys = '0'] = process.argv.slice(2)
let store: Store | undefined
const set = kind === 'map' ? overMap() : await overStore()

function overMap(): Set {
  const map = new Map<string, Buffer>()
  for (let n = 0; n < Number(keys); n++) map.set(redisKey(n), Buffer.from(benchValue(n)))
  return (chunk, key, value) => {
    const copy = Buffer.from(chunk.subarray(value.start, value.end))
    map.set(chunk.toString('latin1', key.start, key.end), copy)
    return undefined
  }
}

async function overStore(): Promise<Set> {
  const opened = kind === 'memory' ? openMemoryStore(systemClock) : openBenchStore(kind)
  store = opened
  await fillStore(opened, Number(keys), (n) => keyOf(utf8(redisKey(n))))
  await settled(opened)
  return (chunk, key, value) => {
    const stored = keyOf(chunk, key.start, key.end)
    const bytes = chunk.subarray(value.start, value.end)
    return opened.write((tx) => put(tx, stored, bytes))
  }
}

function* put(tx: Tx, key: Bytes, value: Bytes) {
  tx.put(key, value)
}

/** As redis-benchmark makes them. */
function redisKey(n: number): string {
  return `key:${String(n).padStart(12, '0')}`
}

function serve(socket: Socket): void {
  socket.setNoDelay(true)
  let rest: Buffer | undefined
  socket.on('data', (received) => {
    const chunk = rest === undefined ? received : Buffer.concat([rest, received])
    let last: Promise<void> | undefined
    const { commands, end } = parseCommands(chunk, (key, value) => {
      last = set(chunk, key, value)
    })
    rest = end < chunk.length ? chunk.subarray(end) : undefined
    const reply = '+OK\r\n'.repeat(commands)
    if (last === undefined) socket.write(reply)
    else last.then(() => socket.write(reply))
  })
  socket.on('error', () => socket.destroy())
}

const server = createServer(serve).listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port)
})
process.on('SIGTERM', async () => {
  await store?.close()
  process.exit(0)
})
