// A client that ends its side at once gets what it has asked for, also where that takes several
// turns; and one that goes leaves nothing behind in the budget of bytes.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { MemoryAccount } from '../../../src/base/heap/memory-account.js'
import { replyValuesAtOnce } from '../../../src/base/limits/key-value.js'
import { silentLog } from '../../../src/base/log.js'
import { openResp } from '../../../src/listeners/resp.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../support/key-value-room.js'
import { encode } from '../../support/resp-client.js'

const kinds = { kinds: ['memory'] } as const

async function listening(room: KeyValueRoom, memory = new MemoryAccount(2 ** 28)) {
  return openResp({
    ...{ host: '127.0.0.1', port: 0, tls: undefined, allowInsecure: false, authOff: true },
    ...{ bus: room.bus, memory, clock: systemClock, log: silentLog },
  })
}

/** All that comes back. */
async function answers(port: number, requests: Buffer): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const pieces: Buffer[] = []
  socket.on('data', (piece: Buffer) => pieces.push(piece))
  socket.end(requests)
  await once(socket, 'end')
  return Buffer.concat(pieces).toString()
}

const accepted = 'net.server.socket'

/** Counts the server's sockets that are ended by their timeout. */
function timeouts(t: Test): { count: number } {
  const seen = { count: 0 }
  const listen = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket }
    socket.once('timeout', () => seen.count++)
  }
  subscribe(accepted, listen)
  t.teardown(() => unsubscribe(accepted, listen))
  return seen
}

t.test('an end behind requests loses no replies', (t) =>
  eachKeyValueRoom(
    t,
    'half-closed',
    async (t, room) => {
      const ended = timeouts(t)
      const listener = await listening(room)
      const { port } = listener
      // Answered at once, and longer than what is written in one go.
      const long = await answers(port, Buffer.from('COMMAND DOCS\r\nPING\r\n'))
      t.ok(long.split('\r\n').length > replyValuesAtOnce, `${long.length} characters`)
      t.ok(long.endsWith('+PONG\r\n'))
      const many = 100_000
      const pings = await answers(port, Buffer.from('PING\r\n'.repeat(many)))
      t.equal(pings.length, many * '+PONG\r\n'.length)
      const written = await answers(port, Buffer.from('SET a 1\r\nGET a\r\n'))
      t.equal(written, '+OK\r\n$1\r\n1\r\n')
      t.equal(await answers(port, Buffer.from('PING\r\nBLPOP nothing 0\r\n')), '+PONG\r\n')
      t.equal(ended.count, 0, 'also where the end comes before the command waits')
      await listener.close(0)
    },
    kinds,
  ),
)

t.test('what a client that is gone has held is given back', (t) =>
  eachKeyValueRoom(
    t,
    'gone',
    async (t, room) => {
      const memory = new MemoryAccount(2 ** 28)
      const listener = await listening(room, memory)
      const socket = connect(listener.port, '127.0.0.1')
      socket.on('error', () => undefined)
      // It waits, and what is behind it.
      socket.write(
        Buffer.concat([encode(['BLPOP', 'none', '0']), Buffer.alloc(400_000, 'PING\r\n')]),
      )
      while (memory.budget.bytesUsed === 0) await new Promise((resolve) => setImmediate(resolve))
      await listener.close(0)
      for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
      t.equal(memory.budget.bytesUsed, 0)
    },
    kinds,
  ),
)
